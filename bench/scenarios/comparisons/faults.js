/**
 * Why a block isn't to be trusted: its sender was late, or a leg was late, or didn't lose, delay or
 * limit what it should.
 *
 * @import { LinkStats } from '../../link/link.js'
 * @import { LinkParameters, LinkSettings } from '../../link/settings.js'
 * @import { WayRun } from '../../ways/run.js'
 * @import { Condition } from './grid.js'
 *
 * @typedef {{ fromMs: number } & LinkParameters} Phase  what a leg is asked to be from a moment on
 */

import { parseLink, parseSteps } from '../../link/settings.js';
import { quantile, sorted } from '../../../testkit/statistics.js';
import { EVERY_MS } from '../../ways/run.js';

/**
 * Lateness of a leg's emulator at the 99th percentile from which on its block doesn't count, in
 * milliseconds.
 */
const LATE_LEG_MS = 1;

/**
 * Lateness of a sender at the 99th percentile from which on its block doesn't count, in
 * milliseconds.
 */
const LATE_SENDER_MS = 10;

/** Accepted difference of random losses from the leg's, in standard deviations. */
const DEVIATIONS = 5;

/**
 * Time by which a packet may come earlier than its legs' delay and rate allow, in milliseconds: the
 * legs' own error.
 */
const SOONER_MS = 0.5;

/**
 * Longest time from the beginning of the steps to the first packet, in milliseconds. A packet may
 * have met a step that comes that much after its sending.
 */
const STEPS_BEFORE_MS = 1000;

/**
 * Time by which an unhindered packet, the fastest of a way, may exceed its legs' delay, in
 * milliseconds and as a share of the delay. A request of HTTP/1 may wait for a round trip of a leg.
 */
const LATER_MS = 20;
const LATER_SHARE = 1;

/**
 * Share by which a leg may carry more than its rate, and less when more arrived than it carries.
 * TCP arrives in bursts, of which a full queue drops much, and then pauses. A WebSocket's legs
 * carry 36 to 39 kbit/s of 50 in `sweep --sweeps rate`.
 */
const MORE_SHARE = 0.03;
const LESS_SHARE = 0.4;

/** Arrivals at a busy leg, in multiples of its rate. */
const BUSY_TIMES = 1.1;

/**
 * A queue where a condition names none, in milliseconds: its content at the beginning is carried
 * beside the rate.
 */
const DEFAULT_QUEUE_MS = 1000;

/**
 * Reason to discard a block, or null if it is good.
 * @param {Pick<WayRun, 'latenessMs' | 'damaged' | 'repeated' | 'ages'>} run
 * @param {LinkStats[]} stats  of the sender's leg and of the receiver's
 * @param {Pick<Condition, 'leg' | 'steps' | 'holdsSender' | 'disturb' | 'messages'>} condition
 * @param {readonly Uint8Array[]} payloads  sent in a loop, from the first on
 * @returns {string | null}
 */
export function faultOf({ latenessMs, damaged, repeated, ages }, stats, condition, payloads) {
  const late = condition.holdsSender ? 0 : quantile(sorted(latenessMs), 0.99);
  if (late > LATE_SENDER_MS) return `packets were sent ${late.toFixed(1)} ms late (p99)`;
  if (damaged + repeated > 0) return `${damaged} packets came damaged, ${repeated} came twice`;
  const wrong = stats.map((of) => wrongWith(of, condition));
  const i = wrong.findIndex((what) => what !== null);
  return i < 0
    ? wrongDelay(ages, condition, payloads)
    : `the ${i === 0 ? 'sender' : 'receiver'}'s leg ${wrong[i]}`;
}

/**
 * In what a leg wasn't as it was asked to be; null where it was.
 * @param {LinkStats} stats of a leg in a block
 * @param {Pick<Condition, 'leg' | 'steps'>} condition
 * @returns {string | null}
 */
export function wrongWith({ up, down, seconds }, { leg, steps }) {
  const asked = parseLink(leg);
  for (const [name, counts] of /** @type {const} */ ([
    ['up', up],
    ['down', down],
  ])) {
    const { arrived, lostRandom, lateness } = counts;
    if (lateness.p99Us / 1000 > LATE_LEG_MS)
      return `was ${(lateness.p99Us / 1000).toFixed(1)} ms late ${name}`;
    if (steps) continue;
    const rate = wrongRate(counts, seconds, asked[name]);
    if (rate) return `carried ${rate} ${name}`;
    const { lossPercent } = asked[name];
    if (lossPercent === undefined) continue;
    const expected = (arrived.packets * lossPercent) / 100;
    const deviation = Math.sqrt(expected * (1 - lossPercent / 100));
    if (Math.abs(lostRandom.packets - expected) > DEVIATIONS * deviation + 1)
      return `lost ${lostRandom.packets} of ${arrived.packets} packets ${name}`;
  }
  return null;
}

/**
 * Describes a wrong rate of a direction: it carried more than its rate, or less although more
 * arrived all the time.
 * @param {LinkStats['up']} counts @param {number} seconds @param {Partial<LinkSettings>} asked
 * @returns {string | null}
 */
function wrongRate(
  { arrived, delivered, lostRandom, lostBurst },
  seconds,
  { rateBits, queueMs = DEFAULT_QUEUE_MS },
) {
  if (!rateBits) return null;
  const [room, queue] = [rateBits * seconds, (rateBits * queueMs) / 1000];
  const [wanted, carried] = [
    arrived.bytes - lostRandom.bytes - (lostBurst?.bytes ?? 0),
    delivered.bytes,
  ].map((bytes) => 8 * bytes);
  const isMore = carried > room * (1 + MORE_SHARE) + queue;
  const isLess = wanted > BUSY_TIMES * room + queue && carried < room * (1 - LESS_SHARE);
  return isMore || isLess
    ? `${(carried / seconds / 1000).toFixed(0)} kbit/s of ${rateBits / 1000}`
    : null;
}

/**
 * The settings that a leg is asked to have, from the first packet on and from each step on.
 * @param {Pick<Condition, 'leg' | 'steps'>} condition
 * @returns {Phase[]}
 */
function phasesOf({ leg, steps = [] }) {
  const phases = [{ fromMs: 0, ...parseLink(leg) }];
  for (const { atMs, up, down } of parseSteps(steps)) {
    const before = phases[phases.length - 1];
    phases.push({ fromMs: atMs, up: { ...before.up, ...up }, down: { ...before.down, ...down } });
  }
  return phases;
}

/**
 * The least time that a packet takes over both legs, without headers, in milliseconds.
 * @param {Phase} phase
 * @param {number} bits
 */
const leastMs = ({ up, down }, bits) =>
  [up, down].reduce(
    (sum, { delayMs = 0, rateBits = 0 }) =>
      sum + delayMs + (rateBits > 0 ? (1000 * bits) / rateBits : 0),
    0,
  );

/**
 * Describes packets that came earlier than the legs' delay and rate allow, or later than the delay
 * though nothing else held them up. Returns null without such packets. With steps, a packet may be
 * as fast as the fastest of its possible settings.
 * @param {readonly number[]} ages  of all packets, from the first on
 * @param {Pick<Condition, 'leg' | 'steps' | 'holdsSender' | 'disturb' | 'messages'>} condition
 * @param {readonly Uint8Array[]} payloads  sent in a loop, from the first on
 * @returns {string | null}
 */
export function wrongDelay(ages, { leg, steps, holdsSender, disturb, messages }, payloads) {
  const phases = phasesOf({ leg, steps });
  // Jitter may take delay away.
  if (phases.some(({ up, down }) => up.jitterMs || down.jitterMs)) return null;
  const met = (/** @type {number} */ packet) => {
    const [sentMs, goneMs] = [
      packet * EVERY_MS,
      packet * EVERY_MS + ages[packet] + STEPS_BEFORE_MS,
    ];
    return phases.filter(
      ({ fromMs }, i) => fromMs <= goneMs && (phases[i + 1]?.fromMs ?? Infinity) > sentMs,
    );
  };
  const spares = ages.map(
    (age, i) =>
      age -
      Math.min(...met(i).map((phase) => leastMs(phase, 8 * payloads[i % payloads.length].length))),
  );
  const least = spares.reduce((a, b) => Math.min(a, b), Infinity);
  if (least < -SOONER_MS) {
    const [{ fromMs }] = met(spares.indexOf(least));
    return (
      `packets came ${(-least).toFixed(1)} ms sooner than the delay and rate of the legs ` +
      `allow${fromMs > 0 ? ` after the step at ${fromMs / 1000} s` : ''}`
    );
  }
  const [{ up, down }] = phases;
  const isFree = !steps && !holdsSender && !disturb && !messages && !up.rateBits && !down.rateBits;
  if (isFree && Number.isFinite(least) && least > LATER_MS + LATER_SHARE * leastMs(phases[0], 0))
    return `packets came ${least.toFixed(1)} ms later than the delay of the legs, all of them`;
  return null;
}
