/**
 * Simulates the delay of a room without its sound (RoomDelay, DelayControl, each person's
 * Lateness), millisecond by millisecond: some hundred times as fast as a Conference.
 *
 * @typedef {object} LatePerson
 * @property {(frame: number) => number | null} latenessMs of a frame's packet; null if none is sent
 * @property {(frame: number) => boolean} [isMuted]
 * @property {(frame: number) => boolean} [isSilent]  true when the packet is silent
 */

import { DelayControl } from '../../server/clock/delay-control.js';
import { RoomDelay } from '../../server/room/sound/delay.js';
import { Lateness } from '../../server/source/lateness.js';

const FRAME_MS = 20;
const MAX_MS = 400;

/** Interval of checks of a person and of the room, in milliseconds, as in the room's reports. */
const ROUND_MS = 1000;

/**
 * @param {readonly LatePerson[]} people
 * @param {number} frames of 20 ms
 * @returns {Float64Array} D in force at each millisecond
 */
export function delaysOf(people, frames) {
  const control = new DelayControl({
    frameMs: FRAME_MS,
    sampleRate: 48_000,
    setting: 'auto',
    maxMs: MAX_MS,
  });
  const members = people.map((_, i) => {
    const lateness = new Lateness({ frameMs: FRAME_MS, maxMs: MAX_MS, targetPercent: 99.5 });
    return {
      ...{ id: String(i), grant: {} },
      standing: { muted: false },
      source: { lateness, offsetMs: 0 },
      listener: { ownDelayMs: null },
      figures: { roundTripMs: () => null },
    };
  });
  const there = {
    present: new Map(members.map((member, i) => [i, member])),
    find: (/** @type {string} */ id) => members[Number(id)],
    shared: () => [],
    tell() {},
  };
  const room = new RoomDelay({ control, people: /** @type {any} */ (there), stragglerMs: 5 });
  const arrivals = arrivalsOf(people, frames);
  const delays = new Float64Array(frames * FRAME_MS);
  let mixed = 0;
  for (let ms = 0; ms < delays.length; ms++) {
    if (ms % FRAME_MS === 0)
      people.forEach(
        ({ isMuted }, i) => void (members[i].standing.muted = isMuted?.(ms / FRAME_MS) ?? false),
      );
    for (const { who, latenessMs, isSilent } of arrivals[ms] ?? []) {
      members[who].source.lateness.add(latenessMs, ms, !isSilent);
      room.observe(/** @type {any} */ (members[who]), ms);
    }
    for (; (mixed + 1) * FRAME_MS + control.delayMs <= ms; mixed++) control.advance(1, true);
    // Each person has their own moment in a round, and the room the last.
    for (const [i, { source }] of members.entries())
      if (ms % ROUND_MS === i * FRAME_MS) source.lateness.review(ms, null);
    if (ms % ROUND_MS === ROUND_MS - 1) room.review(ms);
    delays[ms] = control.delayMs;
  }
  return delays;
}

/** @param {readonly LatePerson[]} people @param {number} frames */
function arrivalsOf(people, frames) {
  const arrivals = /** @type {{ who: number, latenessMs: number, isSilent: boolean }[][]} */ ([]);
  for (const [who, { latenessMs: latenessOf, isSilent }] of people.entries()) {
    for (let frame = 0; frame < frames; frame++) {
      const latenessMs = latenessOf(frame);
      if (latenessMs === null) continue;
      (arrivals[(frame + 1) * FRAME_MS + Math.ceil(latenessMs)] ??= []).push({
        who,
        latenessMs,
        isSilent: isSilent?.(frame) ?? false,
      });
    }
  }
  return arrivals;
}
