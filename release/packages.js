/**
 * Packs what a release publishes: a package for each system whose addon is there, `@aloud/native`,
 * which names them as optional, and `aloud`. The repository's own package.json files don't name the
 * systems' packages, because npm can't install what isn't published yet.
 *
 *     node release/packages.js --out FOLDER [--addons FOLDER] [--repository URL] [--all]
 *
 * - `--addons`: a folder with files `aloud.<system>.node`, at any depth; by default the addon that
 *   was built here.
 * - `--repository`: address of the repository that publishes. npm's provenance compares it with the
 *   one that the workflow runs in.
 * - `--all`: fails if a system's addon is missing.
 */

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LIBRARY, platformName } from '../native/binding.js';
import { bundle } from './bundle.js';
import { addressFields } from './manifests.js';
import { NOTICES_FILE, packageNameOf, packageOf, PLATFORMS } from '../native/platforms.js';

/** @typedef {import('../native/platforms.js').Platform} Platform */
/** @typedef {Record<string, any>} Manifest content of a package.json */

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** npm is a batch file on Windows, which only a shell starts. */
const SHELL = process.platform === 'win32';

/** @param {string} path @returns {Manifest} */
const readManifest = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Finds the addons by the name of their system.
 * @param {string | undefined} folder  undefined for the addon that was built here
 * @returns {Map<string, string>} path by the system's name
 */
function findAddons(folder) {
  if (folder === undefined) return new Map(existsSync(LIBRARY) ? [[platformName(), LIBRARY]] : []);
  const found = new Map();
  for (const path of readdirSync(folder, { recursive: true }).map(String)) {
    const name = /^aloud\.([\w-]+)\.node$/.exec(basename(path))?.[1];
    if (name !== undefined) found.set(name, join(folder, path));
  }
  return found;
}

/**
 * Packs a folder as npm does, without running its scripts.
 * @param {string} directory
 * @param {string} out
 * @returns {string} path of the package
 */
function pack(directory, out) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const text = execFileSync('npm', args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: SHELL,
  });
  // npm 12 answers with an object by name, its predecessors with a list.
  const [{ filename }] = /** @type {{ filename: string }[]} */ (Object.values(JSON.parse(text)));
  return join(out, filename);
}

/**
 * Packs a folder of the repository with changes to its package.json.
 * @param {string} directory
 * @param {(manifest: Manifest) => Manifest} change
 * @param {{ out: string, scratch: string }} folders
 * @param {(folder: string) => void} [add]  adds further files
 */
function packChanged(directory, change, { out, scratch }, add = () => {}) {
  const first = pack(directory, scratch);
  const folder = join(scratch, basename(first, '.tgz'));
  mkdirSync(folder);
  execFileSync('tar', ['xzf', first, '-C', folder]);
  const content = join(folder, 'package');
  const manifest = join(content, 'package.json');
  const changed = { ...change(readManifest(manifest)), scripts: undefined };
  writeFileSync(manifest, `${JSON.stringify(changed, null, 2)}\n`);
  copyFileSync(join(ROOT, 'LICENSE'), join(content, 'LICENSE'));
  add(content);
  return pack(content, out);
}

/**
 * Packs a system's addon.
 * @param {Platform} platform
 * @param {{ addon: string, root: Manifest, out: string, scratch: string }} with_
 */
function packAddon(platform, { addon, root, out, scratch }) {
  const folder = join(scratch, platform.name);
  mkdirSync(folder);
  const manifest = packageOf(platform, root);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(
    join(folder, 'README.md'),
    `# ${manifest.name}\n\n${manifest.description}. npm installs it with ` +
      '`@aloud/native` where it fits; nothing else needs it.\n',
  );
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(ROOT, 'native', NOTICES_FILE), join(folder, NOTICES_FILE));
  copyFileSync(addon, join(folder, manifest.main));
  return pack(folder, out);
}

/**
 * Packs all packages of a release.
 * @param {{ out: string, addons?: string, repository?: string, all?: boolean }} options
 * @returns {string[]} paths, in the order in which they are published
 * @throws {Error} with `all`, if a system's addon is missing
 */
export function packRelease({ out, addons, repository, all = false }) {
  const committed = readManifest(join(ROOT, 'package.json'));
  const address = addressFields(repository ?? committed.repository.url);
  /** @param {Manifest} manifest @returns {Manifest} */
  const addressed = (manifest) => ({
    ...manifest,
    ...address,
    repository: { ...manifest.repository, ...address.repository },
  });
  const root = addressed(committed);
  const found = findAddons(addons);
  const missing = PLATFORMS.filter(({ name }) => !found.has(name)).map(({ name }) => name);
  if (all && missing.length > 0) throw new Error(`no addon for ${missing.join(', ')}`);
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'aloud-packing-'));
  const folders = { out: resolve(out), scratch };
  try {
    return [
      ...PLATFORMS.flatMap((platform) => {
        const addon = found.get(platform.name);
        return addon ? [packAddon(platform, { addon, root, ...folders })] : [];
      }),
      packChanged(join(ROOT, 'native'), (native) => withSystems(addressed(native)), folders),
      packChanged(
        ROOT,
        (manifest) => publishedRoot(addressed(manifest)),
        folders,
        (content) => bundle(ROOT, bundledNames(withoutQuiche(root)), content),
      ),
    ];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Packages of the engine quiche: its interface, and the engine itself. */
const QUICHE = Object.freeze([
  '@fails-components/webtransport',
  '@fails-components/webtransport-transport-http3-quiche',
]);

/**
 * Leaves out the engine quiche. It brings 70 packages, a third of all, and works only where its
 * install script was allowed to fetch it.
 * @param {Manifest} root
 * @returns {Manifest}
 */
function withoutQuiche({ optionalDependencies, allowScripts: _, ...root }) {
  const versions = { ...optionalDependencies, ...root.dependencies };
  const isKept = (/** @type {[string, string]} */ [name]) => !QUICHE.includes(name);
  return {
    ...root,
    dependencies: Object.fromEntries(Object.entries(root.dependencies).filter(isKept)),
    optionalDependencies: Object.fromEntries(
      Object.entries(optionalDependencies ?? {}).filter(isKept),
    ),
    peerDependencies: Object.fromEntries(QUICHE.map((name) => [name, `^${versions[name]}`])),
    peerDependenciesMeta: Object.fromEntries(QUICHE.map((name) => [name, { optional: true }])),
  };
}

/** Dependencies that the package brings: all but the addon, of which npm chooses one. */
const bundledNames = (/** @type {Manifest} */ { dependencies }) =>
  Object.keys(dependencies).filter((name) => name !== '@aloud/native');

/** @param {Manifest} root @returns {Manifest} the published one */
function publishedRoot(root) {
  const published = withoutQuiche(root);
  return { ...published, bundleDependencies: bundledNames(published) };
}

/**
 * Names all systems' packages as optional, of the same version: npm takes the one that fits, and
 * goes on without any where none does.
 * @param {Manifest} native
 */
const withSystems = (native) => ({
  ...native,
  optionalDependencies: Object.fromEntries(
    PLATFORMS.map((platform) => [packageNameOf(platform), native.version]),
  ),
});

const [, script = ''] = process.argv;
if (existsSync(script) && fileURLToPath(import.meta.url) === realpathSync(script)) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      addons: { type: 'string' },
      repository: { type: 'string' },
      all: { type: 'boolean' },
    },
  });
  const { out, ...rest } = values;
  if (out === undefined) throw new Error('--out FOLDER is missing');
  console.log(packRelease({ out, ...rest }).join('\n'));
}
