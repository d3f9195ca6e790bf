/**
 * The fate of each frame of speech in a call, computed from the notes of both ends, which share a
 * clock.
 *
 * @import { PacketNote, Wire } from '../../testkit/participants/wire-notes.js'
 *
 * @typedef {object} CallNotes
 * @property {(Wire & { id: string })[]} people  two or more talkers who hear each other
 * @property {object} server
 * @property {{ name: string, frame: number, atMs: number }[]} server.arrivals  packets on arrival
 * @property {{ name: string, frame: number, state: number, mix?: number }[]} server.states frames
 *   when they were mixed, and in which frame of the mix: the same one, unless the speaker is heard
 *   later
 * @property {{ frame: number, atMs: number }[]} server.due times at which frames are mixed
 * @property {number} server.originMs    time of 0 on the sample clock
 * @property {number} frameMs
 * @property {number} fromMs             frames that end in this time count
 * @property {number} toMs
 *
 * @typedef {object} SpeakerFigures
 * @property {string} id
 * @property {number} frames          sent frames of speech
 * @property {number} upPercent       share of them that was there, as sent, for its mix
 * @property {number} downPercent share of the mixes with sound that the listener played as
 *   sent
 * @property {number} throughPercent share of the frames of speech that was mixed and played as
 *   sent
 * @property {number} leastMs         least uplink delay, from a packet's sending to its arrival
 * @property {number[]} latenessMs first arrival of each frame's payload, less the frame's end,
 *   ascending; Infinity if lost
 * @property {number[]} soundMs sound latency: from a frame's first sample to the arrival at the
 *   listener of the first packet that holds it
 *
 * @typedef {object} Arrival
 * @property {string} name   sender of the packet
 * @property {number} frame
 * @property {number} atMs
 */

import { FrameState } from '../../server/source/pcm-ring.js';
import { leastCovering, sorted } from '../../testkit/statistics.js';

/**
 * Finds the frames of a mix that have sound of somebody in them.
 * @param {readonly { state: number, mix: number }[]} states  as the server's process notes them
 */
export const soundingMixes = (states) =>
  new Set(states.filter(({ state }) => state >= FrameState.concealed).map(({ mix }) => mix));

/**
 * @param {CallNotes} notes
 * @returns {SpeakerFigures[]} for each talker, as heard by the next one
 */
export function callFigures({ people, server, frameMs, fromMs, toMs }) {
  const endMs = (/** @type {number} */ frame) => server.originMs + (frame + 1) * frameMs;
  const counts = (/** @type {number} */ frame) => endMs(frame) >= fromMs && endMs(frame) <= toMs;
  return people.map((speaker, i) => {
    const { id } = speaker;
    const listener = people[(i + 1) % people.length];
    const said = new Set(
      speaker.sent
        .filter(({ frame, sounding }) => counts(frame) && sounding.includes(frame))
        .map(({ frame }) => frame),
    );
    const arrivals = server.arrivals.filter(({ name }) => name === id);
    const mixes = mixesOf(server.states, id);
    const mixOf = (/** @type {number} */ frame) => mixes.get(frame)?.mix ?? frame;
    const there = firstTimes(arrivedPackets(speaker.sent, arrivals));
    const heard = firstTimes(listener.received);
    const played = new Set(listener.played.map(({ frame }) => frame));
    const mixed = [...mixes]
      .filter(([frame, { state }]) => counts(frame) && state >= FrameState.concealed)
      .map(([frame]) => frame);
    const isUp = (/** @type {number} */ frame) => mixes.get(frame)?.state === FrameState.received;
    const isPlayed = (/** @type {number} */ frame) => played.has(mixOf(frame));
    const isThrough = (/** @type {number} */ frame) => isUp(frame) && isPlayed(frame);
    return {
      id,
      frames: said.size,
      upPercent: share([...said], isUp),
      downPercent: share(mixed, isPlayed),
      throughPercent: share([...said], isThrough),
      leastMs: leastWay(speaker.sent, arrivals),
      latenessMs: [
        ...sorted([...said].map((frame) => (there.get(frame) ?? Infinity) - endMs(frame))),
      ],
      soundMs: [...said]
        .filter((frame) => heard.has(mixOf(frame)))
        .map((frame) => /** @type {number} */ (heard.get(mixOf(frame))) - endMs(frame) + frameMs),
    };
  });
}

/**
 * State of each of a speaker's frames at its mix, and the frame of the mix. While an offset rises
 * or falls a frame may be read twice: its present part counts.
 * @param {CallNotes['server']['states']} states
 * @param {string} id  the speaker's
 * @returns {Map<number, { state: number, mix: number }>}
 */
export function mixesOf(states, id) {
  const mixes = new Map();
  for (const { name, frame, state, mix = frame } of states) {
    if (name === id && !(mixes.get(frame)?.state >= state)) mixes.set(frame, { state, mix });
  }
  return mixes;
}

/**
 * @param {readonly number[]} frames
 * @param {(frame: number) => boolean} isGood
 * @returns {number} percent; NaN of none
 */
const share = (frames, isGood) => (100 * frames.filter(isGood).length) / frames.length;

/**
 * Packets in order of arrival, with their content when sent.
 * @param {readonly PacketNote[]} sent @param {readonly { frame: number, atMs: number }[]} arrivals
 * @returns {PacketNote[]}
 */
function arrivedPackets(sent, arrivals) {
  const held = new Map(sent.map(({ frame, sounding }) => [frame, sounding]));
  return arrivals.map(({ frame, atMs }) => ({ frame, sounding: held.get(frame) ?? [], atMs }));
}

/**
 * When a payload for each frame was first there.
 * @param {readonly PacketNote[]} packets
 * @returns {Map<number, number>}
 */
function firstTimes(packets) {
  const first = new Map();
  for (const { sounding, atMs } of packets) {
    for (const frame of sounding) first.set(frame, Math.min(first.get(frame) ?? Infinity, atMs));
  }
  return first;
}

/**
 * @param {readonly PacketNote[]} sent
 * @param {readonly { frame: number, atMs: number }[]} arrivals
 */
function leastWay(sent, arrivals) {
  const sentMs = new Map(sent.map(({ frame, atMs }) => [frame, atMs]));
  return arrivals.reduce(
    (least, { frame, atMs }) => Math.min(least, atMs - (sentMs.get(frame) ?? -Infinity)),
    Infinity,
  );
}

/**
 * The smallest constant delay that would have had a share of everybody's frames in time.
 * @param {readonly SpeakerFigures[]} speakers @param {number} percent
 * @returns {number} milliseconds; Infinity where too many frames never came
 */
export const bestDelay = (speakers, percent) =>
  Math.max(...speakers.map(({ latenessMs }) => leastCovering(latenessMs, percent / 100)));

/**
 * The share of the worse speaker's frames that a constant delay would have had in time.
 * @param {readonly SpeakerFigures[]} speakers @param {number} delayMs
 * @returns {number} percent
 */
export const receivedAt = (speakers, delayMs) =>
  Math.min(
    ...speakers.map(
      ({ latenessMs }) =>
        (100 * latenessMs.filter((ms) => ms <= delayMs).length) / latenessMs.length,
    ),
  );

/**
 * D over time.
 * @param {readonly { frame: number, atMs: number }[]} due
 * @param {number} originMs
 * @param {number} frameMs
 * @returns {{ atMs: number, delayMs: number }[]}
 */
export const delaysOf = (due, originMs, frameMs) =>
  due.map(({ frame, atMs }) => ({ atMs, delayMs: atMs - (originMs + (frame + 1) * frameMs) }));

/**
 * Received audio against server-side delay, from write clocks only (thesis, section 4.3). A
 * speaker's packet writes frame w when it arrives. A listener's packet for frame r reads samples
 * [r·n − D, (r+1)·n − D) on arrival. Parts of w that were read before its arrival count as lost.
 * @param {readonly Arrival[]} arrivals in the order of arrival
 * @param {object} options
 * @param {string} options.speaker
 * @param {string} options.listener
 * @param {number} options.from          the first of the speaker's frames that count
 * @param {number} options.to            the first that doesn't any more
 * @param {number} options.delayFrames   D in frames, with a fraction
 * @returns {number} percent of the frames that arrived; NaN when there are none
 */
export function receivedAudio(arrivals, { speaker, listener, from, to, delayFrames }) {
  /** For each frame that the listener has read, the place of that packet in the order. */
  const reads = new Map();
  const writes = new Map();
  arrivals.forEach(({ name, frame }, order) => {
    const places = name === speaker ? writes : name === listener ? reads : null;
    if (places && !places.has(frame)) places.set(frame, order);
  });
  const whole = Math.floor(delayFrames);
  const part = delayFrames - whole;
  let heard = 0;
  let sent = 0;
  for (const [frame, order] of writes) {
    if (frame < from || frame >= to) continue;
    sent += 1;
    // The reads that begin D after this frame: its end is read by the later of the two.
    if (reads.get(frame + whole) > order) heard += 1 - part;
    if (part > 0 && reads.get(frame + whole + 1) > order) heard += part;
  }
  return (100 * heard) / sent;
}
