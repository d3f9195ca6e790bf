/**
 * Profile of a process by Linux's perf: samples of all its threads, in kernel, addon, engine and
 * JavaScript. Node.js names JavaScript's functions in a file (`--perf-basic-prof`).
 */

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '../../testkit/browsers/chromium.js';

/** Node's options for a process whose JavaScript perf is to name. */
export const PERF_OPTIONS = Object.freeze([
  '--perf-basic-prof',
  '--interpreted-frames-native-stack',
]);

/** Samples a second of each thread that runs: a prime, so that they don't keep step with ticks. */
const RATE_HZ = 997;

/** Most bytes of perf's output: a minute of four busy threads. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * @typedef {object} PerfSample
 * @property {string} thread  its name
 * @property {string} symbol  '[unknown]' where there is none
 * @property {string} file    that has the code: a path, or '[kernel.kallsyms]'
 * @property {string} call    system call in which the kernel was, such as sendmsg; '' for none
 */

/** @returns {string | undefined} the path of perf */
export const findPerf = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'perf'))
    .find(isExecutable);

/**
 * Samples a process.
 * @param {number} pid
 * @param {number} seconds
 * @param {() => void} [onEnd] called when sampling ends; naming the samples takes seconds more
 * @returns {Promise<PerfSample[]>}
 * @throws {Error} where perf is missing, or may not look
 */
export async function samplesOfPerf(pid, seconds, onEnd = () => {}) {
  const perf = findPerf();
  if (!perf) throw new Error('there is no perf in PATH');
  const folder = await mkdtemp(join(tmpdir(), 'aloud-perf-'));
  try {
    const file = join(folder, 'perf.data');
    await record(
      perf,
      ['-F', String(RATE_HZ), '--call-graph', 'fp', '-NB', '-p', String(pid), '-o', file],
      seconds,
    );
    onEnd();
    const { stdout } = await promisify(execFile)(
      perf,
      ['script', '-i', file, '-F', 'comm,tid,ip,sym,dso', '--demangle'],
      { maxBuffer: MOST_BYTES },
    );
    return samplesIn(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param {string} perf @param {string[]} argv @param {number} seconds */
function record(perf, argv, seconds) {
  const child = spawn(perf, ['record', ...argv, '--', 'sleep', String(seconds)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => (said = (said + bytes).slice(-2000)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`perf: ${said.trim()}`)),
    );
  });
}

/**
 * @param {string} text output of `perf script`: for each sample a line with thread and id, and its
 *   frames, the innermost first, such as '7f3c01 celt_encode_with_ec (/x/aloud.node)'
 * @returns {PerfSample[]} samples with a frame
 */
export function samplesIn(text) {
  const samples = [];
  /** @type {PerfSample | null} */
  let sample = null;
  let thread = '';
  for (const line of text.split('\n')) {
    const frame = /^\s+[0-9a-f]+ (.+) \((.*)\)$/.exec(line);
    const head = frame ? null : /^\s*(\S.*?)\s+\d+\s*$/.exec(line);
    if (head) [thread, sample] = [head[1], null];
    if (!frame) continue;
    const [, symbol, file] = frame;
    if (sample === null) samples.push((sample = { thread, symbol, file, call: '' }));
    else if (sample.call === '')
      sample.call = /^__(?:x64|arm64)_sys_(\w+)$/.exec(symbol)?.[1] ?? '';
  }
  return samples;
}

/** Parts of the names of V8's functions that collect garbage. */
const COLLECTING = [
  'Scaveng',
  'Mark',
  'Sweep',
  'Evacuat',
  'Heap::',
  'SemiSpace',
  'NewSpace',
  'GCTracer',
  'Pretenur',
  'BodyDescriptor',
  'MemoryAllocator',
  'PagedSpace',
];
const GARBAGE = new RegExp(`^v8::(internal|base)::.*(${COLLECTING.join('|')})`);
const CRYPTO =
  /(^|[<:\s])(rustls|ring|ring_core\w*)(::|\b)|ring_core|aes_|aesni|gcm_|chacha|poly1305/i;
const NETWORK = /^(send|recv)/;
const SWITCHING =
  /^(futex|epoll|poll|ppoll|select|nanosleep|clock_nanosleep|sched_yield|read|write)/;
/** Functions of the kernel outside of calls: another thread gets the core, or a timer rings. */
const SCHEDULING = /sched|switch|hrtimer|timer|wake|_rq|idle|tick_|ktime/;

/**
 * Rules by file and symbol, the first that holds.
 * @type {[string, (s: PerfSample) => boolean][]}
 */
const PARTS = [
  ['UDP in the kernel', (s) => isKernel(s) && NETWORK.test(s.call)],
  ['waking and switching', (s) => isKernel(s) && isSwitching(s)],
  ['kernel, other', (s) => isKernel(s)],
  ['addon, without symbols', (s) => isAddon(s) && isUnknown(s)],
  ['crypto', (s) => isAddon(s) && CRYPTO.test(s.symbol)],
  ['memory of the addon', (s) => isAddon(s) && /^_?mi_/.test(s.symbol)],
  ['QUIC, tokio, the addon', (s) => isAddon(s) && isRust(s)],
  [
    "Opus's analysis",
    (s) =>
      isAddon(s) &&
      /^(run_analysis|tonality_|analysis_|compute_dense|compute_gru|gemm_accum)/.test(s.symbol),
  ],
  // The rest of the addon's C.
  ['Opus', (s) => isAddon(s)],
  ['JavaScript', ({ symbol }) => symbol.startsWith('JS:')],
  ['garbage', ({ symbol }) => GARBAGE.test(symbol)],
  ['N-API', ({ symbol }) => /^(napi_|v8impl::)/.test(symbol)],
  ['waking and switching', ({ symbol }) => /^(uv_|uv__)/.test(symbol)],
  ['V8 and Node', ({ file }) => /\/node$|perf-\d+\.map$|\[JIT\]/.test(file)],
  ['libc', ({ file }) => /\/(libc|libm|libpthread|ld-linux)[^/]*\.so/.test(file)],
];

const isSwitching = (/** @type {PerfSample} */ { call, symbol }) =>
  call === '' ? SCHEDULING.test(symbol) : SWITCHING.test(call);
const isKernel = (/** @type {PerfSample} */ { file }) =>
  file.startsWith('[kernel') || file === '[vdso]';
const isAddon = (/** @type {PerfSample} */ { file }) => file.endsWith('.node');
const isUnknown = (/** @type {PerfSample} */ { symbol }) => symbol === '[unknown]';
const isRust = (/** @type {PerfSample} */ { symbol }) =>
  symbol.includes('::') ||
  symbol.startsWith('_ZN') ||
  symbol.startsWith('_R') ||
  symbol.startsWith('<');

/** @param {PerfSample} sample @returns {string} the part of the server that it belongs to */
export const partOf = (sample) => PARTS.find(([, holds]) => holds(sample))?.[0] ?? 'other';

/**
 * @param {PerfSample} sample
 * @returns {string} the kernel's call, or a symbol, of JavaScript without the path before
 */
export const nameOf = ({ symbol, call }) =>
  (call || symbol)
    .replace(/^JS:[*^~+]?/, '')
    .replace(/ (file:\/\/)?\/\S*\/((server|public|native|node_modules|bench|testkit)\/)/, ' $2');

/**
 * Counts in percent of a core that add up to the whole.
 * @template T
 * @param {readonly T[]} samples
 * @param {(sample: T) => string} keyOf
 * @param {number} percent  of a core, that the process took
 * @returns {[string, number][]} the largest first
 */
export function sharesOf(samples, keyOf, percent) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const sample of samples) counts.set(keyOf(sample), (counts.get(keyOf(sample)) ?? 0) + 1);
  return [...counts]
    .map(
      ([key, count]) => /** @type {[string, number]} */ ([key, (percent * count) / samples.length]),
    )
    .sort(([, a], [, b]) => b - a);
}

/**
 * The largest shares, and one row for all others, so that the sum stays.
 * @param {readonly [string, number][]} shares  the largest first
 * @param {number} most
 * @returns {[string, number][]}
 */
export function largest(shares, most) {
  const rest = shares.slice(most);
  if (rest.length === 0) return [...shares];
  const sum = rest.reduce((all, [, share]) => all + share, 0);
  return [...shares.slice(0, most), [`${rest.length} others`, sum]];
}
