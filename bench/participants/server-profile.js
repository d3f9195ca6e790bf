/**
 * Where a server's processor time goes: by thread, as the operating system counts it, and within
 * JavaScript's own by what its profiler finds there.
 *
 * @typedef {{ threads: Record<string, number>, parts: Record<string, number>, functions:
 *   Record<string, number> }} ProfileShares in percent of a core: of threads by their names, and of
 *   the parts and functions of JavaScript's thread
 *
 * @typedef {object} ProfileNode  of V8's profile
 * @property {number} id
 * @property {{ functionName: string, url: string, lineNumber?: number }} callFrame
 * @property {number[]} [children]
 */

import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { performance } from 'node:perf_hooks';

/** The interval of samples, in microseconds. */
const INTERVAL_US = 500;

/**
 * Ticks of the operating system's clock in a second, in which threads' time is counted: 100 on
 * Linux.
 */
const CLOCK_TICKS = 100;

const CODEC_CALLS = Object.freeze({
  encode: 'encoding',
  begin: 'encoding',
  end: 'encoding',
  decode: 'decoding',
  conceal: 'decoding',
});

/** The parts of the code, by where their files are. */
const FOLDERS = Object.freeze(
  /** @type {[string, string][]} */ ([
    ['/native/', "QUIC, JavaScript's side"],
    ['/server/transport/', "QUIC, JavaScript's side"],
    ['/server/', 'aloud'],
    ['/public/shared/', 'aloud'],
    ['node:', "Node's event loop"],
  ]),
);

/** A profile of this process, which is the server's. */
export class ServerProfile {
  #session = new Session();
  /** @type {Map<string, number>} */
  #before = new Map();
  #atMs = 0;

  async start() {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await this.#session.post('Profiler.start');
    this.#before = threadTimes();
    this.#atMs = performance.now();
  }

  /** @returns {Promise<ProfileShares>} since the start */
  async stop() {
    const seconds = (performance.now() - this.#atMs) / 1000;
    const after = threadTimes();
    const { profile } = await this.#session.post('Profiler.stop');
    this.#session.disconnect();
    const threads = Object.fromEntries(
      [...after].map(([name, ticks]) => [
        name,
        (100 * (ticks - (this.#before.get(name) ?? 0))) / CLOCK_TICKS / seconds,
      ]),
    );
    const shares = (/** @type {Record<string, number>} */ counts) => {
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const share = (threads[MAIN] ?? 0) / Math.max(all, 1);
      return Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [name, count * share]),
      );
    };
    const seen = /** @type {any} */ (profile);
    return { threads, parts: shares(partsOf(seen)), functions: shares(functionsOf(seen)) };
  }
}

/** JavaScript's thread, among those of threadTimes(). */
export const MAIN = 'JavaScript';

/** The processor time of threads by their names, in clock ticks. @returns {Map<string, number>} */
function threadTimes() {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const id of readdirSync('/proc/self/task')) {
    try {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      const name = Number(id) === process.pid ? MAIN : stat.slice(stat.indexOf('(') + 1, end);
      const fields = stat.slice(end + 2).split(' ');
      times.set(name, (times.get(name) ?? 0) + Number(fields[11]) + Number(fields[12]));
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return times;
}

/**
 * Counts the samples of a profile by part; those in which the thread had nothing to do are left
 * out.
 * @param {{ nodes: ProfileNode[], samples?: number[] }} profile
 * @returns {Record<string, number>}
 */
export function partsOf({ nodes, samples = [] }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, ProfileNode>} */
  const callers = new Map();
  for (const node of nodes) for (const child of node.children ?? []) callers.set(child, node);
  /** @type {Map<number, string | null>} */
  const parts = new Map();
  /** @type {Record<string, number>} */
  const counts = {};
  for (const id of samples) {
    if (!parts.has(id)) parts.set(id, partOf(byId.get(id), callers));
    const part = parts.get(id);
    if (part) counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

/**
 * Counts the samples of a profile by the function that ran, without those in which the thread had
 * nothing to do.
 * @param {{ nodes: ProfileNode[], samples?: number[] }} profile
 * @returns {Record<string, number>} by name, file and line
 */
export function functionsOf({ nodes, samples = [] }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  /** @type {Record<string, number>} */
  const counts = {};
  for (const id of samples) {
    const name = names.get(id) ?? '';
    if (name !== '(idle)') counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** @param {ProfileNode['callFrame']} frame @returns {string} 'encode server/codec/native.js:12' */
function placeOf({ functionName, url, lineNumber = 0 }) {
  const file = url.replace(/^(file:\/\/)?\/.*\/((server|public|native|node_modules)\/)/, '$2');
  return `${functionName || '(anonymous)'}${file && ` ${file}:${lineNumber + 1}`}`;
}

/**
 * Returns the part that a call belongs to: that of the innermost code with a known place, since V8
 * has no names of native functions.
 * @param {ProfileNode | undefined} node @param {Map<number, ProfileNode>} callers
 * @returns {string | null} null if the thread waits
 */
function partOf(node, callers) {
  for (let at = node; at; at = callers.get(at.id)) {
    const { functionName, url } = at.callFrame;
    if (functionName === '(idle)') return null;
    if (functionName === '(garbage collector)') return 'garbage';
    if (functionName === '(program)' || functionName === '(root)') break;
    if (url.endsWith('/server/codec/native.js'))
      return CODEC_CALLS[/** @type {keyof typeof CODEC_CALLS} */ (functionName)] ?? 'aloud';
    const folder = FOLDERS.find(([path]) => url.includes(path));
    if (folder) return folder[1];
    if (url !== '') return 'other';
  }
  return 'waking, and calls of the system';
}
