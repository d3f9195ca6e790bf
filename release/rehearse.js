/**
 * Rehearses a release against a registry on this machine. It publishes all packages, installs aloud
 * as a user without a compiler does, holds a call over WebTransport, and uninstalls. It prints what
 * each step took, and exits with 1 if a step fails or a target is missed.
 *
 *     npm run rehearse [-- --addons FOLDER] [--npm VERSION --node VERSION]
 *
 * `--addons` is for packages.js. `--npm` and `--node` take other versions than this machine's, from
 * the packages of these names.
 */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { holdCall } from './call.js';
import { packRelease } from './packages.js';
import { startRegistry } from './registry.js';
import { ALIKE, checkReport, describeLoad, startServer, Steps } from './steps.js';

/** @import { Registry } from './registry.js' */

/** From `npx aloud` in an empty folder to a page that answers, in milliseconds. */
const LINK_TARGET_MS = 10_000;

/**
 * The machine of a user without a compiler: a PATH with Node.js, npm and a shell alone, and a home
 * of its own.
 * @typedef {object} User
 * @property {NodeJS.ProcessEnv} env
 * @property {string} home
 */

/** @param {string} name @returns {string} path of a program of this machine */
const which = (name) => execFileSync('which', [name], { encoding: 'utf8' }).trim();

/**
 * Installs other versions of npm and Node.js.
 * @param {string} folder
 * @param {{ npm: string, node: string }} versions
 * @returns {{ node: string, npm: string }} paths of Node.js and of npm's folder
 */
function installVersions(folder, { npm, node }) {
  mkdirSync(folder, { recursive: true });
  const allowScripts = { node: true };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  const packages = [`npm@${npm}`, `node@${node}`];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  const modules = join(folder, 'node_modules');
  return { node: join(modules, 'node', 'bin', 'node'), npm: join(modules, 'npm') };
}

/**
 * @param {string} home
 * @param {{ node: string, npm?: string }} programs  npm: its folder, this machine's by default
 * @returns {User}
 */
function userWithoutCompiler(home, { node, npm }) {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(node, join(bin, 'node'));
  for (const name of ['sh', 'env']) symlinkSync(which(name), join(bin, name));
  for (const name of ['npm', 'npx'])
    symlinkSync(npm ? join(npm, 'bin', `${name}-cli.js`) : which(name), join(bin, name));
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NPM_|ALOUD_|INIT_CWD|CARGO|RUSTUP)/.test(name),
  );
  return {
    home,
    env: { ...Object.fromEntries(kept), PATH: bin, HOME: home, XDG_STATE_HOME: home },
  };
}

/**
 * Sets the registry, as `npm config set registry` does, and that no package's script runs, as npm
 * 12 has it without being told.
 * @param {User} user
 * @param {string} url
 */
function useRegistry({ home }, url) {
  const address = url.replace(/^http:/, '');
  const lines = [`registry=${url}`, `${address}:_authToken=rehearsal`, 'ignore-scripts=true', ''];
  writeFileSync(join(home, '.npmrc'), lines.join('\n'));
}

/** @param {User} user @param {string} cwd @param {string[]} args */
const npm = ({ env }, cwd, args) =>
  execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Changes a byte of a published addon, as a broken mirror would. @param {string} storage */
function damage(storage) {
  const scope = join(storage, '@aloud');
  for (const name of readdirSync(scope).filter((each) => each.startsWith('native-'))) {
    for (const file of readdirSync(join(scope, name)).filter((each) => each.endsWith('.tgz'))) {
      const bytes = readFileSync(join(scope, name, file));
      bytes[bytes.length >> 1] ^= 1;
      writeFileSync(join(scope, name, file), bytes);
    }
  }
}

/** @param {string} name @param {string} home @returns {string} a new empty folder */
function emptyFolder(name, home) {
  const folder = join(home, name);
  mkdirSync(folder);
  return folder;
}

/**
 * @param {Steps} steps
 * @param {User} user
 */
async function tryGlobal(steps, user) {
  const prefix = emptyFolder('prefix', user.home);
  const global = ['--global', '--prefix', prefix, '--no-audit', '--no-fund'];
  await steps.run('npm install --global aloud, the first on this registry', () =>
    npm(user, user.home, ['install', ...global, 'aloud']),
  );
  const aloud = join(prefix, 'bin', 'aloud');
  const server = await steps.run('aloud to a page that answers', () =>
    startServer(aloud, [], { cwd: user.home, env: user.env }),
  );
  try {
    checkReport(server.report);
    const alike = await steps.run('a call of two programs over WebTransport', () =>
      holdCall({ aloud, url: server.url, folder: user.home, env: user.env }),
    );
    console.log(`          heard as said: ${alike.toFixed(3)}`);
    if (alike < ALIKE) throw new Error('what was heard is not what was said');
  } finally {
    await server.stop();
  }
  await steps.run('npm uninstall --global aloud', () =>
    npm(user, user.home, ['uninstall', ...global, 'aloud']),
  );
  const left = [aloud, join(prefix, 'lib', 'node_modules', 'aloud')].filter((each) =>
    existsSync(each),
  );
  if (left.length > 0) throw new Error(`${left.join(', ')} is left after uninstalling`);
}

/** @param {Steps} steps @param {User} user */
async function tryNpx(steps, user) {
  rmSync(join(user.home, '.npm'), { recursive: true, force: true });
  const options = { cwd: emptyFolder('empty', user.home), env: user.env };
  const server = await steps.run(
    'npx aloud in an empty folder, nothing cached, to a page that answers',
    () => startServer('npx', ['--yes', 'aloud'], options),
    LINK_TARGET_MS,
  );
  await server.stop();
  checkReport(server.report);
  rmSync(join(user.home, '.npm'), { recursive: true, force: true });
  await steps.run('of that, fetching and extracting: npx aloud --version, nothing cached', () =>
    execFileSync('npx', ['--yes', 'aloud', '--version'], options),
  );
  await steps.run('of that, npm itself: npx aloud --version again', () =>
    execFileSync('npx', ['--yes', 'aloud', '--version'], options),
  );
}

/** @param {Steps} steps @param {User} user @param {Registry} registry */
async function tryDamaged(steps, user, registry) {
  damage(registry.storage);
  rmSync(join(user.home, '.npm'), { recursive: true, force: true });
  const options = { cwd: emptyFolder('damaged', user.home), env: user.env };
  const server = await steps.run('npx aloud with a changed addon', () =>
    startServer('npx', ['--yes', 'aloud'], options),
  );
  await server.stop();
  if (!/WebTransport is off/.test(server.report))
    throw new Error('npm installed an addon that is not the published one');
}

/** @param {string} scratch */
async function rehearse(scratch) {
  const { values } = parseArgs({
    options: {
      addons: { type: 'string' },
      npm: { type: 'string' },
      node: { type: 'string' },
    },
  });
  const steps = new Steps();
  const versions =
    values.npm || values.node
      ? installVersions(join(scratch, 'versions'), {
          npm: values.npm ?? 'latest',
          node: values.node ?? 'latest',
        })
      : { node: process.execPath };
  const home = emptyFolder('home', scratch);
  const user = userWithoutCompiler(home, versions);
  console.log(
    `Node.js ${execFileSync('node', ['--version'], { env: user.env, encoding: 'utf8' }).trim()}, ` +
      `npm ${npm(user, home, ['--version']).trim()}, ${describeLoad()}`,
  );
  const packages = await steps.run('pack', () =>
    packRelease({ out: join(scratch, 'packages'), addons: values.addons }),
  );
  const registry = await steps.run('start a registry', () =>
    startRegistry(join(scratch, 'registry'), process.env),
  );
  try {
    useRegistry(user, registry.url);
    await steps.run(`publish ${packages.length} packages`, () => {
      for (const file of packages) npm(user, dirname(file), ['publish', file]);
    });
    await tryGlobal(steps, user);
    await tryNpx(steps, user);
    await tryDamaged(steps, user, registry);
  } finally {
    await registry.close();
  }
  if (steps.failed) process.exitCode = 1;
}

const scratch = mkdtempSync(join(tmpdir(), 'aloud-rehearsal-'));
try {
  await rehearse(scratch);
} finally {
  rmSync(scratch, { recursive: true });
}
