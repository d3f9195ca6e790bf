/**
 * Attacks a server beside a room where somebody speaks and somebody listens, and says how the
 * listener, the server's memory and its descriptors fared.
 *
 * @import { RunnerTestCase as Task } from 'vitest'
 * @import { Target } from './attack-process.js'
 * @import { TransportName } from '../../../public/client/connection/connection.js'
 * @typedef {object} Figures
 * @property {{ expected: number, got: number, percent: number, longestGapMs: number }} listener
 *   packets in the time of the attack
 * @property {Level} residentBytes memory of the server's process
 * @property {{ before: number, after: number }} usedBytes memory in use there once garbage was
 *   collected
 * @property {Level} descriptors open files and sockets there
 * @property {number} processorPercent of one processor, that the server used during the attack
 * @property {Record<string, any>} attack counters of the attack
 * @property {Record<'error' | 'warn' | 'info', { count: number, lines: string[] }>} logged by the
 *   server
 * @typedef {{ before: number, most: number, after: number }} Level
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { expect } from 'vitest';
import { Child, CLIENT, sharedMs } from '../../../testkit/participants/child.js';
import { generateCertificate } from '../../../server/certificate/generate.js';
import { undisturbed } from '../../../testkit/undisturbed.js';
import { descriptorsOf, processorMs, residentBytes } from './process-usage.js';

const HERE = new URL('./', import.meta.url);
const ATTACKS = new URL('../attacks/', import.meta.url);

/** The server listens on every address, the participants are on this one. */
const HOST = '127.0.0.1';

/** The attacker's address. */
const FROM = '127.6.6.6';

/**
 * Least share of packets that the listener must receive, in percent, and the longest time without
 * one, in milliseconds.
 */
const LEAST_PERCENT = 99;
const LONGEST_GAP_MS = 100;

/**
 * Memory that may remain in use after an attack: newly compiled code, and pools of V8 and the
 * allocator.
 */
const MORE_USED_BYTES = 8 * 2 ** 20;
const MORE_RESIDENT_BYTES = 48 * 2 ** 20;

/** Interval between checks of the server's memory and descriptors, in milliseconds. */
const SAMPLE_MS = 50;

/**
 * The least time that people speak before anything is measured, in milliseconds: the delay finds
 * its place.
 */
const LEAD_MS = 1500;

/** The time that a server has to come back to where it was, in seconds. */
const SETTLE_SECONDS = 10;

const FRAME_MS = 20;

/**
 * @typedef {object} Wish
 * @property {string} attack the name of a module in test/hostile/attacks/
 * @property {object} [options] for it
 * @property {number} [seconds] the time of the attack
 * @property {number} [warmUpSeconds] an attack of this time goes before the one that is measured,
 *   so that memory for code and pools is there before
 * @property {number} [settleSeconds] the time in which memory and descriptors must come back
 * @property {string[]} [argv] options of the server
 * @property {TransportName} [transport] of speaker and listener
 * @property {boolean} [isSecure] true to serve the page over HTTPS
 * @property {(figures: Figures) => unknown} [check] more assertions
 * @property {Task} [task] the test, which must be given where several run at once
 */

/**
 * Runs an attack, and fails if it did harm. Harm is a missed or late packet at the listener, memory
 * or descriptors that stay, or an error in the log.
 * @param {Wish} wish
 * @returns {Promise<Figures>}
 */
export async function attackOnce(wish) {
  const figures = await measure(wish);
  console.log(inWords(wish.attack, figures));
  expectUnharmed(figures);
  await wish.check?.(figures);
  return figures;
}

/**
 * Runs an attack as attackOnce() does, and again where it harmed on a machine that was disturbed.
 * @param {Wish} wish
 * @returns {Promise<Figures>}
 */
export const withstand = (wish) =>
  undisturbed(() => attackOnce(wish), undefined, { task: wish.task });

/**
 * @param {string} name
 * @param {Figures} figures
 */
function inWords(
  name,
  { listener, residentBytes: resident, usedBytes: used, descriptors, processorPercent, attack },
) {
  const megabytes = (/** @type {number[]} */ ...bytes) =>
    `${bytes.map((each) => (each / 2 ** 20).toFixed(0)).join(' > ')} MB`;
  return [
    `${name}: the listener got ${listener.got} of ${listener.expected} packets, longest gap ` +
      `${listener.longestGapMs.toFixed(0)} ms`,
    `resident ${megabytes(resident.before, resident.most, resident.after)}, in use ` +
      `${megabytes(used.before, used.after)}`,
    `descriptors ${descriptors.before} > ${descriptors.most} > ${descriptors.after}, ` +
      `processor ${processorPercent.toFixed(0)} %`,
    JSON.stringify(attack),
  ].join('; ');
}

/** @param {Figures} figures */
function expectUnharmed(figures) {
  const { listener, residentBytes: resident, usedBytes: used, descriptors, logged } = figures;
  const about = JSON.stringify(figures);
  expect(listener.percent, `packets of the listener in ${about}`).toBeGreaterThanOrEqual(
    LEAST_PERCENT,
  );
  expect(listener.longestGapMs, `longest gap in ${about}`).toBeLessThanOrEqual(LONGEST_GAP_MS);
  expect(descriptors.after, `descriptors in ${about}`).toBeLessThanOrEqual(descriptors.before);
  expect(used.after - used.before, `memory in use in ${about}`).toBeLessThan(MORE_USED_BYTES);
  expect(resident.after - resident.before, `resident memory in ${about}`).toBeLessThan(
    MORE_RESIDENT_BYTES,
  );
  expect(logged.error.lines, 'errors in the log').toEqual([]);
}

/**
 * @param {Wish} wish
 * @returns {Promise<Figures>}
 */
async function measure({
  argv = [],
  transport = isBuilt() ? 'webtransport' : 'websocket',
  isSecure = false,
  ...wish
}) {
  const certificate = isSecure ? await writeCertificate() : null;
  /** @type {Child[]} */
  const children = [];
  const start = (/** @type {URL} */ script, /** @type {string[]} */ ...before) => {
    const child = new Child(script, before);
    children.push(child);
    return child;
  };
  try {
    const server = start(new URL('server-process.js', HERE));
    const people = start(CLIENT, ...(certificate?.trusted ?? []));
    // In the open it has a machine of its own: here it gets what the others leave.
    const attacker = start(new URL('attack-process.js', HERE), 'nice', '-n', '19');
    // Each frame gives a packet, so that it is known how many there should be.
    const at = await server.call('start', {
      argv: ['--no-silence-suppression', ...(certificate?.argv ?? []), ...argv],
    });
    const origin = `${isSecure ? 'https' : 'http'}://${HOST}:${at.port}`;
    await people.call('open', { origin });
    for (const id of ['Ann', 'Bob'])
      await people.call('join', { id, transport, room: 'beside', speaks: id === 'Ann' });
    return await measureAttack({ server, at: { ...at, origin }, people, attacker }, wish);
  } finally {
    const [server, ...others] = children;
    await Promise.all(others.map((child) => child.close()));
    await server?.close();
    certificate?.remove();
  }
}

/** A certificate that the server has as its own, and that who runs with `trusted` trusts. */
async function writeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'aloud-hostile-'));
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const { certPem, keyPem } = await generateCertificate({ hosts: [HOST], now: new Date() });
  writeFileSync(cert, certPem);
  writeFileSync(key, keyPem);
  return {
    argv: ['--cert', cert, '--key', key],
    trusted: ['env', `NODE_EXTRA_CA_CERTS=${cert}`],
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/**
 * @param {{ server: Child, at: Pick<Target, 'pid' | 'port' | 'h3Port' | 'origin'>, people: Child,
 *   attacker: Child }} running
 * @param {Wish} wish
 * @returns {Promise<Figures>}
 */
async function measureAttack({ server, at, people, attacker }, wish) {
  const {
    attack,
    options = {},
    seconds = 3,
    warmUpSeconds = 1,
    settleSeconds = SETTLE_SECONDS,
  } = wish;
  const { pid } = at;
  /** @type {Omit<Target, 'isOver'>} */
  const target = { ...at, host: HOST, from: FROM };
  const task = { module: new URL(`${attack}.js`, ATTACKS).href, target, options };
  const idle = descriptorsOf(pid);
  const warmUp = async () => {
    if (warmUpSeconds === 0) return;
    await attacker.call('run', { ...task, seconds: warmUpSeconds });
    await settled(() => descriptorsOf(pid) <= idle, settleSeconds);
  };
  await Promise.all([warmUp(), pause(LEAD_MS)]);
  const usedBefore = await server.call('memory');
  const watch = watchProcess(pid);
  await people.call('note');
  const fromMs = sharedMs(performance.now());
  const counted = await attacker.call('run', { ...task, seconds });
  const toMs = sharedMs(performance.now());
  const processorPercent = watch.processorPercent();
  // Late packets after the attack are part of its harm.
  await pause(LONGEST_GAP_MS);
  const notes = await people.call('take');
  let usedAfter = 0;
  await settled(async () => {
    usedAfter = await server.call('memory');
    const { residentBytes: resident, descriptors } = watch.now();
    return (
      descriptors <= idle &&
      usedAfter - usedBefore < MORE_USED_BYTES &&
      resident - watch.before.residentBytes < MORE_RESIDENT_BYTES
    );
  }, settleSeconds);
  const { before, most, after } = watch.end();
  const levelOf = (/** @type {'residentBytes' | 'descriptors'} */ of) => ({
    before: before[of],
    most: most[of],
    after: after[of],
  });
  return {
    listener: heardBy('Bob', notes, fromMs, toMs),
    residentBytes: levelOf('residentBytes'),
    usedBytes: { before: usedBefore, after: usedAfter },
    descriptors: { ...levelOf('descriptors'), before: idle },
    processorPercent,
    attack: counted,
    logged: await server.call('logged'),
  };
}

/**
 * Waits until something is so, or the time is up.
 * @param {() => boolean | Promise<boolean>} isSo
 * @param {number} seconds
 */
async function settled(isSo, seconds) {
  for (
    const endMs = performance.now() + 1000 * seconds;
    performance.now() < endMs;
    await pause(200)
  ) {
    if (await isSo()) return;
  }
}

/** @param {number} pid */
function watchProcess(pid) {
  const read = () => ({ residentBytes: residentBytes(pid), descriptors: descriptorsOf(pid) });
  const before = read();
  const most = { ...before };
  const startMs = performance.now();
  const startProcessorMs = processorMs(pid);
  const now = () => {
    const seen = read();
    for (const of of /** @type {const} */ (['residentBytes', 'descriptors']))
      most[of] = Math.max(most[of], seen[of]);
    return seen;
  };
  const timer = setInterval(now, SAMPLE_MS);
  return {
    before,
    now,
    processorPercent: () =>
      (100 * (processorMs(pid) - startProcessorMs)) / (performance.now() - startMs),
    end() {
      clearInterval(timer);
      return { before, after: now(), most };
    },
  };
}

/**
 * @param {string} id
 * @param {{ people: { id: string, ended: string | null, notes: { received: { frame: number, atMs:
 *   number }[] } }[] }} notes
 * @param {number} fromMs of the machine's monotonic clock
 * @param {number} toMs
 * @returns {Figures['listener']}
 */
function heardBy(id, { people }, fromMs, toMs) {
  const one = people.find((person) => person.id === id);
  if (!one || one.ended)
    throw new Error(`the call of ${id} ended: ${one?.ended ?? 'nobody is there'}`);
  const received = one.notes.received.filter(
    ({ atMs }) => atMs >= fromMs && atMs <= toMs + LONGEST_GAP_MS,
  );
  const times = received.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const gaps = [fromMs, ...times].map((ms, i) => (times[i] ?? toMs) - ms);
  const got = new Set(received.filter(({ atMs }) => atMs <= toMs).map(({ frame }) => frame)).size;
  // One frame at either end may be outside.
  const expected = Math.floor((toMs - fromMs) / FRAME_MS) - 1;
  return {
    expected,
    got,
    percent: Math.min(100, (100 * got) / expected),
    longestGapMs: Math.max(...gaps),
  };
}
