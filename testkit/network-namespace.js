/**
 * Network namespaces of this process, by the command `ip`: made, and removed again whatever
 * happens. A namespace that a killed process left behind is removed by the next that makes one.
 */

import { spawn, spawnSync } from 'node:child_process';

/** The reason why a link can't be opened or shaped; the message is one sentence for people. */
export class LinkError extends Error {
  /** @override */
  name = 'LinkError';
}

/** A namespace's name holds the id of the process that made it. */
const NAME = /^aloud-(\d+)-\d+-[cs]$/;
const MAX_OUTPUT = 4 * 1024 * 1024;
const TERMINATE_MS = 500;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Names of what is removed at the end. @type {Set<string>} */
const made = new Set();
let pairs = 0;

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>} code is null when the
 *   command couldn't be started
 */
export function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text) => {
        if (output[name].length < MAX_OUTPUT) output[name] += text;
      });
    }
    child.on('error', () => resolve({ code: null, ...output }));
    child.on('close', (code) => resolve({ code: code ?? 1, ...output }));
  });
}

/**
 * @param {string[]} args of `ip`
 * @returns {Promise<string>} its output
 * @throws {LinkError}
 */
export async function ip(...args) {
  const { code, stdout, stderr } = await run('ip', args);
  if (code === null)
    throw new LinkError('the command ip is not installed (on Debian: apt-get install iproute2)');
  if (code === 0) return stdout;
  throw new LinkError(`"ip ${args.join(' ')}" says "${stderr.trim().split('\n')[0]}"`);
}

/**
 * @param {string} name a namespace
 * @returns {string[]} words to put before a command that runs in it
 */
export const execIn = (name) => ['ip', 'netns', 'exec', name];

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {string} listing output of `ip netns list`
 * @param {(pid: number) => boolean} alive
 * @returns {string[]} the namespaces of ours whose makers are gone
 */
export function staleNames(listing, alive) {
  const names = listing.split('\n').map((line) => line.split(' ')[0]);
  return names.filter((name) => {
    const pid = NAME.exec(name)?.[1];
    return pid !== undefined && !alive(Number(pid));
  });
}

/** @param {string} text output of `ip netns pids` */
const pidsOf = (text) => text.split('\n').filter(Boolean).map(Number);

/** @param {number[]} pids @param {NodeJS.Signals} signal */
function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}

/** @param {string} name */
const pidsIn = async (name) => pidsOf((await run('ip', ['netns', 'pids', name])).stdout);

/**
 * Ends what runs in a namespace and removes it.
 * @param {string} name
 */
export async function removeNamespace(name) {
  signalAll(await pidsIn(name), 'SIGTERM');
  const end = performance.now() + TERMINATE_MS;
  let left = await pidsIn(name);
  while (left.length > 0 && performance.now() < end) {
    await new Promise((resolve) => void setTimeout(resolve, 20));
    left = await pidsIn(name);
  }
  signalAll(left, 'SIGKILL');
  await run('ip', ['netns', 'del', name]);
  made.delete(name);
  if (made.size === 0) unguard();
}

/** Removes all namespaces synchronously, for the process's exit. */
function removeAllNow() {
  for (const name of made) {
    signalAll(pidsOf(String(spawnSync('ip', ['netns', 'pids', name]).stdout ?? '')), 'SIGKILL');
    spawnSync('ip', ['netns', 'del', name]);
  }
  made.clear();
}

/**
 * Without another listener for the signal, the process ends by it as it would have without this
 * one; another listener closes the link or exits.
 * @param {NodeJS.Signals} signal
 */
function onSignal(signal) {
  if (process.listenerCount(signal) > 1) return;
  removeAllNow();
  unguard();
  process.kill(process.pid, signal);
}

function guard() {
  process.on('exit', removeAllNow);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unguard() {
  process.off('exit', removeAllNow);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/** @throws {LinkError} where there can be no namespaces */
function checkRights() {
  if (process.platform !== 'linux') throw new LinkError('network namespaces are a thing of Linux');
  if (process.geteuid?.() !== 0) throw new LinkError('network namespaces need root');
}

/**
 * @param {string} name
 */
async function makeNamespace(name) {
  if (made.size === 0) guard();
  made.add(name);
  await ip('netns', 'add', name);
  await ip('-n', name, 'link', 'set', 'lo', 'up');
}

/**
 * Makes two namespaces that reach nothing but themselves.
 * @param {string} [sharedServer] a server's namespace that is there already: the client's alone is
 *   made
 * @returns {Promise<{ client: string, server: string }>}
 * @throws {LinkError} when that can't be, having left nothing behind
 */
export async function makeNamespaces(sharedServer) {
  checkRights();
  for (const name of staleNames(await ip('netns', 'list'), isAlive)) await removeNamespace(name);
  pairs += 1;
  const [client, server] = ['c', 's'].map((side) => `aloud-${process.pid}-${pairs}-${side}`);
  try {
    await makeNamespace(client);
    if (sharedServer === undefined) await makeNamespace(server);
  } catch (error) {
    await removeNamespace(client);
    if (sharedServer === undefined) await removeNamespace(server);
    throw error;
  }
  return { client, server: sharedServer ?? server };
}
