/**
 * Measures the time from a clone to a call. Clones the commit that is checked out, installs, starts
 * the server, and holds a call of two programs over WebTransport. It prints what each step took,
 * and exits with 1 if the target is missed.
 *
 *     node release/clone.js [--prebuilt]
 *
 * Without options the addon is built, while npm installs the packages. `--prebuilt` installs this
 * machine's addon as a package, as npm does where one fits, and needs no compiler.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { holdCall } from './call.js';
import { packRelease } from './packages.js';
import { ALIKE, checkReport, describeLoad, startServer, Steps } from './steps.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** From `git clone` to what is heard, in milliseconds: with the addon's build, and without it. */
const BUILT_TARGET_MS = 100_000;
const PREBUILT_TARGET_MS = 20_000;

/** Options for running aloud, not for changing it. */
const TO_RUN = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];

/** npm's variables of this script don't reach the commands of the clone. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|ALOUD_|INIT_CWD|CARGO_TARGET)/.test(name),
  ),
);

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<void>}
 */
function run(command, args, cwd) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (bytes) => (told += bytes));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${told.trim()}`));
    });
  });
}

/**
 * Installs the packages, and the addon or its build.
 * @param {Steps} steps
 * @param {string} clone
 * @param {string | undefined} addon  package of this system's addon; undefined to build it
 */
async function install(steps, clone, addon) {
  if (addon === undefined) {
    await steps.run('npm ci, and the addon beside it', () =>
      Promise.all([
        run('npm', ['ci', ...TO_RUN], clone),
        run('npm', ['run', 'build:native'], clone),
      ]),
    );
  } else {
    await steps.run("npm install with the addon's package", () =>
      run('npm', ['install', '--no-save', ...TO_RUN, addon], clone),
    );
  }
}

/** @param {string} scratch */
async function rehearseClone(scratch) {
  const { values } = parseArgs({ options: { prebuilt: { type: 'boolean', default: false } } });
  console.log(describeLoad());
  const packages = values.prebuilt ? packRelease({ out: join(scratch, 'packages') }) : [];
  const addon = packages.find((path) => /aloud-native-[a-z]/.test(path));
  if (values.prebuilt && addon === undefined) throw new Error('no addon was built here');
  const steps = new Steps();
  const clone = join(scratch, 'aloud');
  const target = values.prebuilt ? PREBUILT_TARGET_MS : BUILT_TARGET_MS;
  const whole = async () => {
    await steps.run('git clone', () => {
      execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    });
    await install(steps, clone, addon);
    const aloud = join(clone, 'server', 'main.js');
    const server = await steps.run('npm start to a page that answers', () =>
      startServer('npm', ['start', '--'], { cwd: clone, env }),
    );
    try {
      checkReport(server.report);
      const heard = join(scratch, 'heard');
      mkdirSync(heard);
      const alike = await steps.run('a call of two programs over WebTransport', () =>
        holdCall({ aloud, url: server.url, folder: heard, env }),
      );
      if (alike < ALIKE) throw new Error('what was heard is not what was said');
    } finally {
      await server.stop();
    }
  };
  await steps.run('from the clone to hearing each other', whole, target);
  if (steps.failed) process.exitCode = 1;
}

const scratch = mkdtempSync(join(tmpdir(), 'aloud-clone-'));
try {
  await rehearseClone(scratch);
} finally {
  rmSync(scratch, { recursive: true });
}
