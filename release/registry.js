/** A registry of packages on this machine, for a rehearsal: Verdaccio, in a folder of its own. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { freePort } from '../deploy/cluster-processes.js';

/** The newest version for Node.js 20, whose own node-fetch no longer exists. */
const PACKAGE = { dependencies: { verdaccio: '6.8.0' }, overrides: { 'node-fetch': '2.7.0' } };

/** Time for the registry to answer, in milliseconds. */
const START_MS = 60_000;

/**
 * Settings: aloud's packages are published here, and all others come from npm's own registry.
 * @param {string} upstream
 */
const settingsOf = (upstream) =>
  JSON.stringify({
    storage: './storage',
    max_body_size: '50mb',
    uplinks: { npmjs: { url: upstream } },
    packages: {
      '{aloud,@aloud/*}': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npmjs' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  });

/**
 * @typedef {object} Registry
 * @property {string} url
 * @property {string} storage  folder of what was published and fetched
 * @property {() => Promise<void>} close
 */

/**
 * Installs and starts a registry.
 * @param {string} folder  an empty one
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Registry>}
 */
export async function startRegistry(folder, env) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...PACKAGE }));
  const options = /** @type {const} */ ({ cwd: folder, env, encoding: 'utf8' });
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], options);
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], options).trim();
  writeFileSync(join(folder, 'config.yaml'), settingsOf(upstream));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const args = [program, '--config', join(folder, 'config.yaml'), '--listen', url];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'inherit' });
  const ended = new Promise((resolve) => void child.once('close', resolve));
  const close = async () => {
    child.kill();
    await ended;
  };
  const end = performance.now() + START_MS;
  for (;;) {
    const answer = await fetch(`${url}-/ping`).catch(() => null);
    if (answer?.ok) return { url, storage: join(folder, 'storage'), close };
    if (performance.now() > end || child.exitCode !== null) {
      await close();
      throw new Error(`the registry doesn't answer at ${url}`);
    }
    await pass(100);
  }
}
