/** The packages of a release, installed into an empty folder as by anybody. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '@aloud/native';
import { describe, expect, it } from 'vitest';
import { LIBRARY, platformName } from '../../native/binding.js';
import { NOTICES_FILE, packageNameOf, PLATFORMS } from '../../native/platforms.js';
import { checkReport } from '../../release/steps.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { Packages } from '../support/packages.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * Largest sizes in bytes of what `npm install aloud` fetches and leaves, with one system's addon:
 * 5.7 MB and 18.0 MB on 2026-11-29. Dependencies are most of both.
 */
const MAX_PACKED = 6_000_000;
const MAX_INSTALLED = 20_000_000;

/** Most packages that npm fetches: aloud, `@aloud/native`, and the addon of this system. */
const MAX_PACKAGES = 3;

/**
 * Largest size of aloud's own code, without dependencies and addon: 4.08 MB on 2026-11-29. The
 * page's sentences in eight further languages are 0.47 of it. Groups, captions, interpreters and
 * recordings of one's own are 0.25.
 */
const MAX_OWN_UNPACKED = 4_200_000;

/** Loads what a server may need later: each codec, certificates, NATS and metrics. */
const LOAD_ALL = `
import { loadCodec } from './server/codec/codec.js';
for (const name of ['libopus-wasm', 'opusscript']) await loadCodec(name);
for (const path of ['certificate/acme-authority.js', 'cluster/nats-bus.js', 'operator/metrics.js'])
  await import('./server/' + path);
await import('./programs/client.js');
process.exit(0);
`;

const packages = new Packages();

/** @param {string} url @param {string} path */
async function sizeOf(url, path) {
  const answer = await fetch(`${url}${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.arrayBuffer()).byteLength;
}

/** Fetches what a page needs of each directory. @param {string} url */
async function fetchPage(url) {
  expect(await (await fetch(`${url}/r/tea`)).text()).toMatch(/<title>/);
  const files = [
    '/public/app.js',
    '/worklets/playback-processor.js',
    '/vendor/libopus-wasm/generated/libopus.generated.mjs',
    '/vendor/uplot/uPlot.esm.js',
    '/vendor/uqr/index.mjs',
  ];
  for (const file of files) expect(await sizeOf(url, file)).toBeGreaterThan(500);
}

/** @param {string} file */
const contentsOf = (file) =>
  execFileSync('tar', ['tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace('package/', ''));

/**
 * Size of all files of a folder, in bytes. The size of a directory depends on the file system.
 * @param {string} directory
 */
const sizeOfFiles = (directory) =>
  readdirSync(directory, { recursive: true })
    .map((name) => statSync(join(directory, String(name))))
    .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);

/** @param {string[]} files */
const sizeOfPackages = (files) => files.reduce((sum, file) => sum + statSync(file).size, 0);

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

describe('the packages', () => {
  it('hold what runs alone, and are small', () => {
    const files = contentsOf(packages.file());
    const places = new Set(files.map((name) => name.split('/')[0]));
    expect([...places].toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'deploy',
      'node_modules',
      'package.json',
      'programs',
      'public',
      'server',
      'worklets',
    ]);
    const native = contentsOf(packages.file('-native'));
    expect(native).toEqual(expect.arrayContaining(['Cargo.lock', 'LICENSE', 'src/lib.rs']));
    expect(
      [...files, ...native].filter((name) => /\.(node|tgz|pem|rs~)$|^target\/|^test\//.test(name)),
    ).toEqual([]);
    for (const file of packages.sources())
      execFileSync('tar', [
        'xzf',
        file,
        '-C',
        packages.folder,
        '--exclude',
        'package/node_modules',
      ]);
    expect(sizeOfFiles(packages.folder)).toBeLessThan(MAX_OWN_UNPACKED);
  });

  it('run no script at their installation', () => {
    for (const file of readdirSync(packages.packed)) {
      const text = execFileSync('tar', [
        'xzOf',
        join(packages.packed, file),
        'package/package.json',
      ]);
      expect(JSON.parse(String(text)).scripts, file).toBeUndefined();
    }
  });

  it('bring all dependencies with their licences, and nothing that they need is missing', () => {
    packages.install(packages.sources());
    const aloud = join(packages.folder, 'node_modules', 'aloud');
    const names = readdirSync(join(aloud, 'node_modules'), { recursive: true }).map(String);
    for (const name of ['acme-client', 'express', 'libopus-wasm', 'node-forge', 'zod'])
      expect(names.some((path) => new RegExp(`^${name}/licen[cs]e`, 'i').test(path))).toBe(true);
    writeFileSync(join(aloud, 'load-all.js'), LOAD_ALL);
    const options = /** @type {const} */ ({ env: packages.environment(), encoding: 'utf8' });
    const { status, stderr } = spawnSync(process.execPath, [join(aloud, 'load-all.js')], options);
    expect(status, stderr).toBe(0);
  });

  it('name every system as optional, in this version', () => {
    const text = execFileSync('tar', ['xzOf', packages.file('-native'), 'package/package.json']);
    expect(JSON.parse(String(text)).optionalDependencies).toEqual(
      Object.fromEntries(PLATFORMS.map((platform) => [packageNameOf(platform), OWN.version])),
    );
  });

  it('run without the addon, say how to build it, and write outside the package', async () => {
    packages.install(packages.sources());
    const { url, report } = await packages.start();
    expect(report).toMatch(/WebTransport is off: .*\n.*npx aloud build/);
    await fetchPage(url);
    expect(existsSync(join(packages.folder, 'state', 'aloud', 'certs', 'certificate.pem'))).toBe(
      true,
    );
    expect(existsSync(join(packages.folder, 'node_modules', 'aloud', 'certs'))).toBe(false);
  });

  it('say in one sentence what is missing to build the addon', () => {
    packages.install(packages.sources());
    // Node and npm's own tools are there, and neither cargo nor a compiler.
    const bin = join(packages.folder, 'bin');
    mkdirSync(bin);
    for (const tool of ['npx', 'sh', 'env'])
      execFileSync('ln', [
        '-s',
        execFileSync('which', [tool], { encoding: 'utf8' }).trim(),
        join(bin, tool),
      ]);
    execFileSync('ln', ['-s', process.execPath, join(bin, 'node')]);
    const { status, stderr } = spawnSync('npx', ['--no-install', 'aloud', 'build'], {
      cwd: packages.folder,
      env: packages.environment({
        PATH: [bin, '/nowhere'].join(delimiter),
        CARGO_HOME: join(packages.folder, 'cargo'),
      }),
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^The native HTTP\/3 engine was not built: this machine lacks cargo .*\n$/,
    );
  });
});

requireOrSkip(
  isBuilt() && existsSync(LIBRARY),
  'the native engine is not built',
  canBuildNative,
).describe('the package of this system', () => {
  it('brings the addon without a script', async () => {
    packages.install(packages.all());
    const sizes = {
      packed: sizeOfPackages(packages.all()),
      installed: sizeOfFiles(join(packages.folder, 'node_modules')),
    };
    expect(contentsOf(packages.file(`-native-${platformName()}`))).toContain(NOTICES_FILE);
    console.log(
      `with one addon: packed ${megabytes(sizes.packed)}, installed ${megabytes(sizes.installed)}`,
    );
    expect(sizes.packed).toBeLessThan(MAX_PACKED);
    expect(sizes.installed).toBeLessThan(MAX_INSTALLED);
    const lock = JSON.parse(readFileSync(join(packages.folder, 'package-lock.json'), 'utf8'));
    const fetched = Object.entries(lock.packages).filter(
      ([path, { inBundle, optional }]) =>
        path !== '' && !inBundle && (!optional || existsSync(join(packages.folder, path))),
    );
    expect(fetched.length).toBeLessThanOrEqual(MAX_PACKAGES);
    const { url, report } = await packages.start();
    checkReport(report);
    await fetchPage(url);
  });

  it.each(['not a library at all', ''])('runs on when the addon is damaged', async (content) => {
    packages.install(packages.all());
    const name = platformName();
    const addon = join(
      packages.folder,
      'node_modules',
      '@aloud',
      `native-${name}`,
      `aloud.${name}.node`,
    );
    writeFileSync(addon, content);
    const { report } = await packages.start();
    expect(report).toMatch(/WebTransport is off: [^\n]*\n[^\n]*npx aloud build/);
    expect(report).toMatch(/Opus codec is (?!native)/);
  });
});

requireOrSkip(
  process.env.ALOUD_TEST_BUILD === '1' && canBuildNative(),
  'builds the addon again, for minutes: set ALOUD_TEST_BUILD=1',
  () => false,
).describe('where there are cargo and a C compiler', () => {
  it('the command that the server names builds the addon', async () => {
    packages.install(packages.sources());
    // Builds of the dependencies are reused: this is about the package's own files.
    const env = packages.environment({ CARGO_TARGET_DIR: join(ROOT, 'native', 'target') });
    const options = /** @type {const} */ ({ cwd: packages.folder, env, encoding: 'utf8' });
    const { status, stdout, stderr } = spawnSync(
      'npx',
      ['--no-install', 'aloud', 'build'],
      options,
    );
    expect(status, stderr).toBe(0);
    expect(stdout + stderr).toMatch(/building the native HTTP\/3 engine/);
    const { report } = await packages.start();
    expect(report).toMatch(/WebTransport is on[^\n]*native/);
  }, 600_000);
});
