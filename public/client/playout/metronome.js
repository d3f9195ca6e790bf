import { BEATS_A_MINUTE } from '../../shared/wire/control.js';
import { RoomPlayer } from './room-time.js';

/**
 * @import { Clock } from '../../shared/clock.js'
 *
 * @typedef {{ bpm: number, beats: number, from: number }} Beat as the server tells it: `from` is
 *   the sample of the first
 */

/**
 * Time by which clicks are scheduled ahead, in milliseconds: timers of a background page fire once
 * a second.
 */
const AHEAD_MS = 2500;

/** Sound of a click: pitch (another one for a bar's first beat), length and level. */
const PITCH_HZ = 1000;
const FIRST_PITCH_HZ = 1500;
const CLICK_SECONDS = 0.03;
const CLICK_LEVEL = 0.35;

/**
 * Lists the beats of a metronome within a span of the room's sample clock.
 * @param {Beat} beat
 * @param {number} sampleRate Hz
 * @param {number} start samples, included
 * @param {number} end samples, not included
 * @returns {{ sample: number, isFirst: boolean }[]} isFirst: of a bar; none for a tempo or a start
 *   that no server sends, with which the list could have no end
 */
export function beatsWithin({ bpm, beats, from }, sampleRate, start, end) {
  const isTempo = bpm >= BEATS_A_MINUTE.min && bpm <= BEATS_A_MINUTE.max;
  if (!isTempo || !(Math.abs(from) <= Number.MAX_SAFE_INTEGER)) return [];
  const apart = (60 * sampleRate) / bpm;
  const found = [];
  for (let i = Math.max(0, Math.ceil((start - from) / apart)); from + i * apart < end; i++) {
    found.push({ sample: from + i * apart, isFirst: i % beats === 0 });
  }
  return found;
}

/**
 * Plays the room's metronome on an audio context. Each click leaves the speaker when the room's
 * sample clock reaches its beat.
 */
export class MetronomePlayer extends RoomPlayer {
  #clicks;
  /** @type {Beat | null} */
  #beat = null;
  /** Sample before which all beats have been scheduled. */
  #doneSample = -Infinity;
  /**
   * Start of each scheduled click, by the context's time.
   * @type {Map<AudioBufferSourceNode, number>}
   */
  #scheduled = new Map();

  /**
   * @param {AudioNode} output of an AudioContext
   * @param {number} sampleRate the room's, Hz
   * @param {Clock} clock the page's
   */
  constructor(output, sampleRate, clock) {
    super(output, sampleRate, clock);
    const click = (/** @type {number} */ pitchHz) => clickOf(this.context, pitchHz);
    this.#clicks = { first: click(FIRST_PITCH_HZ), other: click(PITCH_HZ) };
  }

  /** @param {Beat | null} beat null: off */
  play(beat) {
    this.#beat = beat;
    this.cancel();
    this.run(beat !== null);
  }

  /** @param {boolean} heard true when this person wants the clicks */
  setHeard(heard) {
    this.output.gain.value = heard ? 1 : 0;
  }

  /** Cancels clicks that haven't begun. @override */
  cancel() {
    this.#doneSample = -Infinity;
    for (const [node, when] of this.#scheduled) if (when > this.context.currentTime) node.stop();
    this.#scheduled.clear();
  }

  /** @override */
  schedule() {
    const { now } = this.time;
    if (!this.#beat || now === null) return;
    const end = now + (AHEAD_MS * this.sampleRate) / 1000;
    const start = Math.max(now, this.#doneSample);
    for (const { sample, isFirst } of beatsWithin(this.#beat, this.sampleRate, start, end))
      this.#click(this.time.secondsAt(sample), isFirst);
    this.#doneSample = end;
  }

  /** @param {number} when the context's time, in seconds @param {boolean} isFirst of a bar */
  #click(when, isFirst) {
    if (when < this.context.currentTime) return;
    const node = new AudioBufferSourceNode(this.context, {
      buffer: isFirst ? this.#clicks.first : this.#clicks.other,
    });
    node.connect(this.output);
    node.addEventListener('ended', () => this.#scheduled.delete(node));
    node.start(when);
    this.#scheduled.set(node, when);
  }
}

/** @param {AudioContext} context @param {number} pitchHz */
function clickOf(context, pitchHz) {
  const { sampleRate } = context;
  const samples = new Float32Array(Math.round(CLICK_SECONDS * sampleRate));
  for (let i = 0; i < samples.length; i++) {
    const fade = (1 - i / samples.length) ** 3;
    samples[i] = CLICK_LEVEL * fade * Math.sin((2 * Math.PI * pitchHz * i) / sampleRate);
  }
  const buffer = new AudioBuffer({ length: samples.length, sampleRate });
  buffer.copyToChannel(samples, 0);
  return buffer;
}
