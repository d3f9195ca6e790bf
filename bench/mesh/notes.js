/**
 * Figures of a call from its participants' notes, which share a clock.
 *
 * @typedef {object} PersonNotes
 * @property {string} name
 * @property {{ frame: number, atMs: number }[]} sent
 * @property {{ speaker?: string, frame: number, atMs: number }[]} received of a speaker, or of the
 *   mix
 * @property {number} cpuPercent    of a core
 * @property {number} rssBytes      resident memory of the process
 * @property {number[]} latenessMs  of sending, against plan
 *
 * @typedef {object} HubNotes
 * @property {number} cpuPercent
 * @property {number} rssBytes
 * @property {{ name: string, frame: number, state: number, mix?: number }[]} [states] of speakers'
 *   frames when they were mixed (bench/participants/server-process.js), if the hub mixes
 * @property {number[]} [tickLatenessMs]  lateness of mixes
 *
 * @typedef {{ people: PersonNotes[], hub: HubNotes | null }} CallNotes
 */

import { FrameState } from '../../server/source/pcm-ring.js';
import { mixesOf } from '../stats/call-figures.js';

/**
 * When each frame of a speaker's was first at a listener's, on its own or in a mix that had it in
 * time.
 * @param {CallNotes} notes @param {PersonNotes} speaker @param {PersonNotes} listener
 * @returns {Map<number, number>} by frame
 */
function arrivalsOf({ hub }, speaker, listener) {
  if (!hub?.states)
    return firstTimes(listener.received.filter((note) => note.speaker === speaker.name));
  const mixes = firstTimes(listener.received);
  const arrivals = new Map();
  for (const [frame, { state, mix }] of mixesOf(hub.states, speaker.name)) {
    const atMs = mixes.get(mix);
    if (state === FrameState.received && atMs !== undefined) arrivals.set(frame, atMs);
  }
  return arrivals;
}

/** @param {readonly { frame: number, atMs: number }[]} received @returns {Map<number, number>} */
function firstTimes(received) {
  const first = new Map();
  for (const { frame, atMs } of received)
    first.set(frame, Math.min(first.get(frame) ?? Infinity, atMs));
  return first;
}

/**
 * The time until a listener had a frame of a speaker's, of all pairs.
 * @param {CallNotes} notes    from the beginning of connecting on
 * @param {number} startMs     when that was
 * @returns {number[]} milliseconds; Infinity where they never heard each other
 */
export const setupsOf = (notes, startMs) =>
  notes.people.flatMap((listener) =>
    notes.people
      .filter((speaker) => speaker !== listener)
      .map((speaker) => Math.min(...arrivalsOf(notes, speaker, listener).values()) - startMs),
  );

/**
 * The ages of a speaker's frames at a listener's: from the frame's sending.
 * @param {CallNotes} notes @param {PersonNotes} speaker @param {PersonNotes} listener
 * @param {{ fromMs: number, toMs: number }} time  in which they were sent
 * @returns {number[]} in their order; Infinity where it never came
 */
export function agesOf(notes, speaker, listener, { fromMs, toMs }) {
  const arrivals = arrivalsOf(notes, speaker, listener);
  return speaker.sent
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .map(({ frame, atMs }) => (arrivals.get(frame) ?? Infinity) - atMs);
}
