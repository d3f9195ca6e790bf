/**
 * Whether the emulator holds its delay, measured from outside it: datagrams with the time in them, sent
 * in one namespace and read in the other, by the clock that both share.
 */

import { probeLink } from './link-measure.js';
import { openLink } from './link.js';
import { LinkError } from './network-namespace.js';

/** @typedef {import('./link-emulator.js').LinkStats} LinkStats */
/** @typedef {import('./link-measure.js').ProbeResult} ProbeResult */

/** The emulator's delay may be off by so much, at the 99th percentile. */
export const BAR_MS = 0.5;

const DELAY_MS = 20;

/** Ten people's frames of 20 ms each way, and QUIC's acknowledgements of every other one of them. */
export const CONFERENCE = Object.freeze({ streams: 10, rate: 50, bytes: 120, acks: 5 });

const IDLE_MS = 2000;

/**
 * @param {ProbeResult} result
 * @param {number} expectedMs
 * @returns {Record<'mean' | 'p50' | 'p99' | 'p999' | 'max', number>} what was measured less what was
 *   wanted, in milliseconds
 */
export function errorOf({ delay }, expectedMs) {
  const off = (/** @type {number} */ us) => us / 1000 - expectedMs;
  const { meanUs, p50Us, p99Us, p999Us, maxUs } = delay;
  return { mean: off(meanUs), p50: off(p50Us), p99: off(p99Us), p999: off(p999Us), max: off(maxUs) };
}

/** @param {string} what @param {Record<string, number>} figures */
function row(what, figures) {
  const text = (/** @type {number} */ value) => (Number.isNaN(value) ? '–' : value.toFixed(3));
  return what.padEnd(34) + Object.values(figures).map((value) => text(value).padStart(9)).join('');
}

/** @param {LinkStats['up']} stats */
function latenessOf({ lateness: { p50Us, p99Us, p999Us, maxUs } }) {
  return { mean: NaN, p50: p50Us / 1000, p99: p99Us / 1000, p999: p999Us / 1000, max: maxUs / 1000 };
}

/** @param {LinkStats} stats */
const cpuPercent = ({ cpuMs, seconds }) => (cpuMs / seconds / 10).toFixed(1);

/** @param {import('./link.js').Link} link @param {number} seconds */
async function measure(link, seconds) {
  await new Promise((resolve) => void setTimeout(resolve, IDLE_MS));
  const idle = /** @type {LinkStats} */ (await link.stats());
  await link.reset();
  const probe = await probeLink(link, { ...CONFERENCE, seconds });
  const stats = /** @type {LinkStats} */ (await link.stats());
  // The same two programs without the emulator between them: what the measuring itself adds.
  const inside = { ...link.client, address: '127.0.0.1' };
  const floor = await probeLink({ client: inside, server: inside }, { ...CONFERENCE, seconds: seconds / 2 });
  return { idle, probe, stats, floor };
}

/**
 * Measures and tells; takes some ten seconds more than `seconds`.
 * @param {{ seconds?: number, print?: (line: string) => void }} [options]
 * @returns {Promise<boolean>} whether the delay held within BAR_MS
 * @throws {LinkError} where there is no emulator
 */
export async function checkLink({ seconds = 20, print = console.log } = {}) {
  const link = await openLink({ parameters: { delayMs: DELAY_MS }, seed: 1, shaper: 'emulator' });
  if (!link.available) throw new LinkError(link.reason);
  try {
    const { idle, probe, stats, floor } = await measure(link, seconds);
    const { up, down, sent } = probe;
    print(`${DELAY_MS} ms each way, ${sent.up} and ${sent.down} packets in ${seconds} s; error in ms`);
    print(' '.repeat(34) + ['mean', 'p50', 'p99', 'p99.9', 'max'].map((name) => name.padStart(9)).join(''));
    const errors = [errorOf(up, DELAY_MS), errorOf(down, DELAY_MS)];
    print(row('up, from outside', errors[0]));
    print(row('down, from outside', errors[1]));
    print(row('up, the emulator\'s own lateness', latenessOf(stats.up)));
    print(row('down, the emulator\'s own lateness', latenessOf(stats.down)));
    print(row('loopback instead of the emulator', errorOf(floor.up, 0)));
    print(`lost: ${sent.up - up.received} up, ${sent.down - down.received} down; out of order: ` +
      `${up.outOfOrder}, ${down.outOfOrder}`);
    print(`the emulator's processor time: ${cpuPercent(stats)} % of a core, ${cpuPercent(idle)} % idle; ` +
      `priority: ${stats.priority}`);
    const held = errors.every(({ p99 }) => Math.abs(p99) <= BAR_MS);
    print(`±${BAR_MS} ms at the 99th percentile: ${held ? 'held' : 'NOT held'}`);
    return held;
  } finally {
    await link.close();
  }
}
