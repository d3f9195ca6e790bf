/**
 * The machine and versions of a run, as a methods section needs them, without anything that
 * identifies the owner.
 */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { arch, cpus, homedir, hostname, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { basename, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * @typedef {object} Environment
 * @property {{ cpu: string, cores: number, memoryGiB: number, kernel: string, arch: string,
 *   loadAverage: number }} machine loadAverage over the minute before the start, in processes
 * @property {Record<string, string | null>} versions of aloud, node, npm, chromium; null: not found
 * @property {{ commit: string, isDirty: boolean } | null} git null outside a checkout
 * @property {boolean} hasNativeAddon true if the native HTTP/3 engine is built
 *
 * @typedef {(file: string, args: string[]) => Promise<string>} Execute resolves to its output
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NPM_MS = 10_000;

/** @type {Execute} */
const execute = async (file, args) => {
  const { stdout } = await promisify(execFile)(file, args, { cwd: ROOT, timeout: NPM_MS });
  return stdout.trim();
};

/**
 * @param {object} [options]
 * @param {string} [options.chromium] the browser's program, when one is used
 * @param {Execute} [options.execute]
 * @returns {Promise<Environment>} never rejects: what can't be found out is null
 */
export async function describeEnvironment({ chromium, execute: run = execute } = {}) {
  const ask = (/** @type {string} */ file, /** @type {string[]} */ ...args) =>
    run(file, args).catch(() => null);
  const [npm, browser, commit, changes, manifest, hasNativeAddon] = await Promise.all([
    ask('npm', '--version'),
    chromium ? ask(chromium, '--version') : null,
    ask('git', 'rev-parse', '--short=12', 'HEAD'),
    ask('git', 'status', '--porcelain'),
    readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    isNativeBuilt(),
  ]);
  const chromiumVersion = browser?.match(/\d+(\.\d+)+/)?.[0] ?? null;
  return {
    machine: describeMachine(),
    versions: {
      aloud: JSON.parse(manifest).version,
      node: process.versions.node,
      npm,
      chromium: chromiumVersion,
    },
    git: commit === null ? null : { commit, isDirty: changes !== '' },
    hasNativeAddon,
  };
}

function describeMachine() {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() || 'unknown',
    cores: processors.length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    kernel: `${type()} ${release()}`,
    arch: arch(),
    loadAverage: Math.round(loadavg()[0] * 100) / 100,
  };
}

/**
 * Measures the cores that all programs of the machine use together.
 * @param {number} ms
 * @param {{ times: () => { times: Record<string, number> }[], wait: (ms: number) =>
 *   Promise<unknown> }} [machine]
 * @returns {Promise<number>}
 */
export async function busyCores(
  ms,
  { times, wait } = { times: cpus, wait: (time) => pause(time) },
) {
  const sum = () => {
    const all = times().flatMap(({ times: of }) => Object.entries(of));
    const total = (/** @type {(name: string) => boolean} */ belongs) =>
      all.reduce((so, [name, time]) => so + (belongs(name) ? time : 0), 0);
    return { busy: total((name) => name !== 'idle'), all: total(() => true) };
  };
  const before = sum();
  await wait(ms);
  const after = sum();
  const share = (after.busy - before.busy) / Math.max(1, after.all - before.all);
  return share * times().length;
}

async function isNativeBuilt() {
  const native = await import('@aloud/native').catch(() => null);
  return native !== null && native.loadError() === null;
}

/**
 * The state of aloud by which an earlier run was measured, if it may be another than this one's.
 * Changes that aren't committed make any state another one.
 * @param {Environment['git'] | undefined} git   of the earlier run
 * @param {Environment['git'] | undefined} here
 * @returns {string | null} in words; null if it is the same
 */
export function otherState(git, here) {
  if (!git && !here) return null;
  if (git?.commit === here?.commit && !git?.isDirty && !here?.isDirty) return null;
  return git ? `${git.commit}${git.isDirty ? ' with changes' : ''}` : 'another state';
}

/**
 * Options as they may be published: of a path, its last part.
 * @param {Record<string, unknown>} options
 * @returns {Record<string, unknown>}
 */
export function withoutPaths(options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? isAbsolute(value)
          ? basename(value)
          : withoutPlaces(value)
        : value,
    ]),
  );
}

/**
 * Text, such as an error's, without the machine's name and where things lie on it.
 * @param {string} text
 * @param {{ root?: string, home?: string, temporary?: string, host?: string }} [places]
 */
export function withoutPlaces(text, places = {}) {
  const { root = ROOT, home = homedir(), temporary = tmpdir(), host = hostname() } = places;
  const known = [
    [root, ''],
    [home, '~'],
    [temporary, '<tmp>'],
    [host === 'localhost' ? '' : host, '<host>'],
  ].filter(([place]) => place.length > 3);
  const shortened = known.reduce((kept, [place, name]) => kept.replaceAll(place, name), text);
  return shortened.replace(/\/(home|Users)\/[^/\s]+/g, '~');
}
