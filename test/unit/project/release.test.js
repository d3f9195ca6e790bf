import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../../../native/platforms.js';
import { sharedFiles } from '../../../release/manifests.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map(
  (name) => `.github/workflows/${name}`,
);

describe('a release', () => {
  it.each(WORKFLOWS)('%s pins each action by its commit, and tells its version', (path) => {
    const uses = read(path).match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(1);
    for (const action of uses) expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('builds the addon of each system that has a package', () => {
    const text = read('.github/workflows/release.yml');
    const jobs = text.split(/^ {2}(?=[a-z-]+:\n)/m);
    const builds = jobs.filter((job) => job.includes('node release/addons.js'));
    const built = builds.flatMap((job) => job.match(/(?:linux|darwin|win32)-[a-z0-9-]+/g) ?? []);
    const names = PLATFORMS.map(({ name }) => name);
    expect(built.filter((name) => names.includes(name)).toSorted()).toEqual(names.toSorted());
  });

  it('runs in images of a fixed content', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(images.length).toBe(2);
    for (const image of images) expect(image).toMatch(/^node:\S+@sha256:[0-9a-f]{64}$/);
    for (const path of ['compose.cluster.yaml', 'deploy/kubernetes.yaml'])
      expect(read(path)).toMatch(/image: nats:\S+@sha256:[0-9a-f]{64}$/m);
  });

  it('has every folder that the server imports, in the package and in the image', () => {
    const folders = new Set(['server']);
    const imports = /(?:^(?:import|export) [^;']*from |await import\()'(\.[^']+)'/gm;
    for (const name of readdirSync(join(ROOT, 'server'), { recursive: true }).map(String)) {
      if (!name.endsWith('.js')) continue;
      const file = join(ROOT, 'server', name);
      for (const [, path] of read(join('server', name)).matchAll(imports))
        folders.add(relative(ROOT, join(dirname(file), path)).split(sep)[0]);
    }
    expect([...folders].toSorted()).toContain('programs');
    for (const folder of folders) {
      expect(read('Dockerfile')).toContain(`COPY ${folder} ./${folder}\n`);
      expect(JSON.parse(read('package.json')).files).toContain(`${folder}/`);
    }
  });

  it('brings what the addon is built from', () => {
    const { files } = JSON.parse(read('native/package.json'));
    expect(files).toEqual(
      expect.arrayContaining(['.cargo/', 'build.rs', 'Cargo.toml', 'Cargo.lock', 'src/']),
    );
  });

  it('names one oldest Node.js everywhere', () => {
    const engines = ['package.json', 'native/package.json', 'bench/package.json'].map(
      (path) => JSON.parse(read(path)).engines.node,
    );
    expect(new Set(engines)).toEqual(new Set(['>=20']));
    expect(read('.github/workflows/ci.yml')).toMatch(/node: \[20, /);
    expect(read('docs/installing.md')).toMatch(/Node\.js 20 or later/);
  });
});

describe('the description that all packages share', () => {
  const root = JSON.parse(read('package.json'));
  const address = root.repository.url.replace(/^git\+|\.git$/g, '');

  it.each([...sharedFiles()])('is in %s (node release/manifests.js)', (path, text) => {
    expect(read(path)).toBe(text);
  });

  it('follows one edit of the version and of the address', () => {
    const url = 'git+https://git.example.org/other/name.git';
    const edited = { ...root, version: '9.8.7', repository: { ...root.repository, url } };
    for (const [path, text] of sharedFiles(edited)) {
      expect(text, path).not.toContain(address);
      expect(text, path).toMatch(/9\.8\.7|git\.example\.org\/other\/name/);
    }
  });

  it('has the address in no other file', () => {
    const args = ['grep', '--files-with-matches', '--fixed-strings', address];
    const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    expect(files.filter((path) => !sharedFiles().has(path))).toEqual([]);
  });
});

describe('docs/installing.md', () => {
  const sections = read('docs/installing.md').split(/^## /m).slice(1);
  const WAYS = ['npm', 'npx', 'Docker', 'source', 'systemd'];

  it.each(WAYS)('has %s in three commands, and names the test of them', (way) => {
    const section = sections.find((text) => text.startsWith(way)) ?? '';
    const [, block] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
    expect(block.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(section).toMatch(/^Tested by `/m);
  });
});
