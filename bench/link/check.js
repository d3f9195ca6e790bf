/**
 * Checks from outside whether the emulator holds its delay. One namespace sends datagrams with
 * their time, the other's kernel receives them, and both share a clock. The further delay until the
 * measuring program reads them is printed too. With many legs on few processors the programs wait,
 * not the packets.
 */

import { leastCovering, mean, sorted } from '../../testkit/statistics.js';
import { probeLink } from './measure.js';
import { openLink } from './link.js';
import { LinkError } from '../../testkit/network-namespace.js';
import { starOf } from './star.js';

/** @typedef {import('./emulator.js').LinkStats} LinkStats */
/** @typedef {import('./measure.js').ProbeResult} ProbeResult */

/** Largest error of the emulator's delay at the 99th percentile, in milliseconds. */
const LIMIT_MS = 0.5;

const DELAY_MS = 20;

/**
 * Ten people's frames of 20 ms each way, and QUIC's acknowledgements of every other one of them.
 */
const CONFERENCE = Object.freeze({ streams: 10, rate: 50, bytes: 120, acks: 5 });

const IDLE_MS = 2000;

/** The link and loopback take turns, so that both meet the same disturbances. */
const ROUNDS = 4;

/** @typedef {Record<'mean' | 'p50' | 'p99' | 'p999' | 'max', number>} DelayError in milliseconds */

/**
 * @param {number[]} delaysUs measured
 * @param {number} expectedMs
 * @returns {DelayError} measured less expected delay; NaN when nothing was measured
 */
export function errorOf(delaysUs, expectedMs) {
  const ascending = sorted(delaysUs);
  const at = (/** @type {number} */ share) => leastCovering(ascending, share) / 1000 - expectedMs;
  return {
    mean: mean(ascending) / 1000 - expectedMs,
    p50: at(0.5),
    p99: at(0.99),
    p999: at(0.999),
    max: at(1),
  };
}

/** @param {LinkStats['up']} stats @returns {DelayError} */
function latenessOf({ lateness: { p50Us, p99Us, p999Us, maxUs } }) {
  return {
    mean: NaN,
    p50: p50Us / 1000,
    p99: p99Us / 1000,
    p999: p999Us / 1000,
    max: maxUs / 1000,
  };
}

/** @param {string} what @param {DelayError} error */
function row(what, error) {
  const text = (/** @type {number} */ value) => (Number.isNaN(value) ? '–' : value.toFixed(3));
  return (
    what.padEnd(34) +
    [error.mean, error.p50, error.p99, error.p999, error.max]
      .map((value) => text(value).padStart(9))
      .join('')
  );
}

const HEADINGS =
  ' '.repeat(34) + ['mean', 'p50', 'p99', 'p99.9', 'max'].map((name) => name.padStart(9)).join('');

const SIDES = /** @type {const} */ (['up', 'down']);

/** @param {LinkStats} stats */
const cpuPercent = ({ cpuMs, seconds }) => (cpuMs / seconds / 10).toFixed(1);

/** The probes' results of one direction, over all rounds. */
class Way {
  sent = 0;
  outOfOrder = 0;
  /** @type {number[]} */
  delaysUs = [];
  /** From the kernel's taking a packet in until it was read. @type {number[]} */
  waitsUs = [];

  /** @param {ProbeResult} result @param {number} sent */
  add({ packets = [], outOfOrder }, sent) {
    this.sent += sent;
    this.outOfOrder += outOfOrder;
    for (const [, , delayUs, waitUs] of packets) {
      this.delaysUs.push(delayUs);
      this.waitsUs.push(waitUs);
    }
  }

  get lost() {
    return this.sent - this.delaysUs.length;
  }
}

/** @param {import('./link.js').Link} link @param {number} seconds */
async function measure(link, seconds) {
  await new Promise((resolve) => void setTimeout(resolve, IDLE_MS));
  const idle = /** @type {LinkStats} */ (await link.stats());
  await link.reset();
  const ways = { up: new Way(), down: new Way(), loopback: new Way() };
  const inside = { ...link.client, address: '127.0.0.1' };
  let busyMs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const load = { ...CONFERENCE, record: true, seconds: seconds / ROUNDS };
    const before = /** @type {LinkStats} */ (await link.stats());
    const { up, down, sent } = await probeLink(link, load);
    busyMs += /** @type {LinkStats} */ (await link.stats()).cpuMs - before.cpuMs;
    ways.up.add(up, sent.up);
    ways.down.add(down, sent.down);
    const floor = await probeLink(
      { client: inside, server: inside },
      { ...load, seconds: load.seconds / 2 },
    );
    ways.loopback.add(floor.up, floor.sent.up);
  }
  return {
    idle,
    ways,
    busyPercent: busyMs / seconds / 10,
    stats: /** @type {LinkStats} */ (await link.stats()),
  };
}

/**
 * @param {Awaited<ReturnType<typeof measure>>} found
 * @param {number} seconds
 * @returns {string[]}
 */
function tell({ idle, ways: { up, down, loopback }, busyPercent, stats }, seconds) {
  const floor = errorOf(
    loopback.delaysUs.map((us, i) => us + loopback.waitsUs[i]),
    0,
  );
  const lines = [
    `${DELAY_MS} ms each way, ${up.sent} and ${down.sent} packets in ${seconds} s; error in ms`,
    HEADINGS,
    row('up, from outside', errorOf(up.delaysUs, DELAY_MS)),
    row('down, from outside', errorOf(down.delaysUs, DELAY_MS)),
    row("up, the emulator's own lateness", latenessOf(stats.up)),
    row("down, the emulator's own lateness", latenessOf(stats.down)),
    row('read later by', errorOf([...up.waitsUs, ...down.waitsUs], 0)),
    row('loopback until read, in between', floor),
    `lost: ${up.lost} up, ${down.lost} down; out of order: ${up.outOfOrder}, ${down.outOfOrder}`,
    `the emulator's processor time: ${busyPercent.toFixed(1)} % of a core, ` +
      `${cpuPercent(idle)} % idle; ` +
      `priority: ${stats.priority}`,
  ];
  if (floor.p99 > LIMIT_MS / 2) lines.push('the machine itself is disturbed: see loopback');
  return lines;
}

/**
 * One participant's traffic in a call of eight that go from peer to peer: seven streams each way.
 */
const MESH = Object.freeze({ ...CONFERENCE, streams: 7 });

/**
 * @param {{ up: Pick<ProbeResult, 'packets'>, down: Pick<ProbeResult, 'packets'> }[]} results
 * @param {LinkStats[]} stats  of each leg
 */
export function tellStar(results, stats) {
  const packets = results.map(({ up, down }) => ({
    up: up.packets ?? [],
    down: down.packets ?? [],
  }));
  const errors = packets.flatMap((leg, i) =>
    SIDES.map((side) => ({
      what: `leg ${i + 1}, ${side}`,
      error: errorOf(
        leg[side].map(([, , delayUs]) => delayUs),
        DELAY_MS,
      ),
    })),
  );
  const own = stats.flatMap((leg) => SIDES.map((side) => latenessOf(leg[side])));
  const waitsUs = packets.flatMap(({ up, down }) =>
    [...up, ...down].map(([, , , waitUs]) => waitUs),
  );
  const cpu = stats.reduce((sum, leg) => sum + Number(cpuPercent(leg)), 0);
  const lines = [
    HEADINGS,
    ...errors.map(({ what, error }) => row(what, error)),
    row("the emulators' own, at most", largestOf(own)),
    row('read later by', errorOf(waitsUs, 0)),
    `the emulators' processor time: ${cpu.toFixed(1)} % of a core together`,
  ];
  return { lines, held: errors.every(({ error }) => Math.abs(error.p99) <= LIMIT_MS) };
}

/** @param {DelayError[]} errors @returns {DelayError} */
function largestOf(errors) {
  const largest = (/** @type {keyof DelayError} */ name) =>
    Math.max(...errors.map((error) => error[name]));
  return {
    mean: largest('mean'),
    p50: largest('p50'),
    p99: largest('p99'),
    p999: largest('p999'),
    max: largest('max'),
  };
}

/**
 * Checks that each leg of a star holds its delay while all carry traffic.
 * @param {{ participants: number, seconds: number, print?: (line: string) => void }} options
 * @returns {Promise<boolean>} true if each leg's delay held within LIMIT_MS
 * @throws {LinkError} where there is no emulator
 */
export async function checkStar({ participants, seconds, print = console.log }) {
  const link = await openLink({ profile: 'clear', seed: 1 });
  try {
    const { legs } = await starOf(link, participants);
    await Promise.all(legs.map((leg) => leg.set({ delayMs: DELAY_MS })));
    await Promise.all(legs.map((leg) => leg.reset()));
    const results = await Promise.all(
      legs.map((leg) => probeLink(leg, { ...MESH, record: true, seconds })),
    );
    const stats = /** @type {LinkStats[]} */ (await Promise.all(legs.map((leg) => leg.stats())));
    const { lines, held } = tellStar(results, stats);
    print(
      `${participants} legs at once, ${DELAY_MS} ms each way, ${MESH.streams} streams each ` +
        'way on each; error in ms',
    );
    for (const line of lines) print(line);
    print(`±${LIMIT_MS} ms at the 99th percentile on each leg: ${held ? 'held' : 'NOT held'}`);
    return held;
  } finally {
    await link.close();
  }
}

/**
 * Measures and reports; takes about twice `seconds`.
 * @param {{ seconds?: number, print?: (line: string) => void }} [options] seconds of traffic
 *   through the link
 * @returns {Promise<boolean>} true if the delay held within LIMIT_MS
 * @throws {LinkError} where there is no emulator
 */
export async function checkLink({ seconds = 20, print = console.log } = {}) {
  const link = await openLink({ parameters: { delayMs: DELAY_MS }, seed: 1 });
  if (!link.available) throw new LinkError(link.reason);
  try {
    const found = await measure(link, seconds);
    for (const line of tell(found, seconds)) print(line);
    const { up, down } = found.ways;
    const held = [up, down].every(
      (way) => Math.abs(errorOf(way.delaysUs, DELAY_MS).p99) <= LIMIT_MS,
    );
    print(`±${LIMIT_MS} ms at the 99th percentile: ${held ? 'held' : 'NOT held'}`);
    return held;
  } finally {
    await link.close();
  }
}
