/**
 * Runs the tests with each Node.js that aloud supports, from npm's package `node`.
 *
 *     node release/nodes.js [--versions 20,26] [TESTS]
 *
 * Everything after `--versions`, which comes first, goes to vitest, such as `--project unit`.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Node.js 20 is the floor (`engines`), and 24 what the image has. */
const VERSIONS = '20,22,24,26';

/** npm is a batch file on Windows, which only a shell starts. */
const SHELL = process.platform === 'win32';

/**
 * Installs a version of Node.js.
 * @param {string} version
 * @param {string} folder
 * @returns {string | null} folder of its program, null if it can't be had
 */
function installNode(version, folder) {
  const allowScripts = { node: true };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  const args = ['install', '--no-audit', '--no-fund', `node@${version}`];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: SHELL });
  return status === 0 ? join(folder, 'node_modules', 'node', 'bin') : null;
}

/**
 * Runs the tests with one version.
 * @param {string} version
 * @param {string[]} args
 * @returns {string} sentence about its end
 */
function testWith(version, args) {
  const folder = mkdtempSync(join(tmpdir(), `aloud-node-${version}-`));
  try {
    const bin = installNode(version, folder);
    if (bin === null) return `Node.js ${version} could not be installed`;
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const found = spawnSync('node', ['--version'], { env, encoding: 'utf8' }).stdout.trim();
    console.log(`== ${found}`);
    const { status } = spawnSync(
      'npm',
      [...(args.length > 0 ? ['exec', '--', 'vitest', 'run'] : ['test']), ...args],
      {
        cwd: ROOT,
        env,
        stdio: 'inherit',
        shell: SHELL,
      },
    );
    return `${found}: ${status === 0 ? 'passed' : 'failed'}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const args = process.argv.slice(2);
const versions = args[0] === '--versions' ? args.splice(0, 2)[1] : VERSIONS;
const ends = versions.split(',').map((version) => testWith(version, args));
console.log(ends.join('\n'));
if (ends.some((end) => !end.endsWith('passed'))) process.exitCode = 1;
