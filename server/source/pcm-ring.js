import { addRamped } from '../../public/shared/sound/level.js';

/**
 * State of a slot's frame. Every state from `concealed` on is sound.
 * @enum {number}
 */
export const FrameState = Object.freeze({
  /** Not known yet. */
  absent: 0,
  /** Sent as silence. */
  silent: 1,
  /** Made up by the decoder; replaced if its packet still comes. */
  concealed: 2,
  /** Decoded from its own packet or from a later packet's redundancy. */
  received: 3,
});

const NO_SAMPLES = new Float32Array(0);

/**
 * One participant's PCM on the frame grid, by absolute sample index modulo capacity. Each slot is
 * tagged with its frame, so audio of an earlier lap is never heard. Stereo is interleaved; indices
 * count samples of both channels at once.
 */
export class PcmRing {
  #frameSamples;
  #channels;
  /** Number of values in a frame slot, of all channels. */
  #slotValues;
  #frames;
  #tags;
  #states;
  /** Views of the slots' samples, made when they are first asked for. @type {Float32Array[]} */
  #views = [];

  /**
   * @param {number} frameSamples samples in one frame of the grid
   * @param {number} frames capacity
   * @param {number} [channels]
   */
  constructor(frameSamples, frames, channels = 1) {
    this.#frameSamples = frameSamples;
    this.#channels = channels;
    this.#slotValues = frameSamples * channels;
    this.#frames = frames;
    this.#tags = new Float64Array(frames).fill(-1);
    this.#states = new Uint8Array(frames);
    /** Samples of all frame slots, [-1, 1]. Allocated with the first frame of sound. */
    this.samples = NO_SAMPLES;
  }

  /** Changes the capacity. The newest frames stay. @param {number} frames */
  resize(frames) {
    if (frames === this.#frames) return;
    const old = {
      frames: this.#frames,
      tags: this.#tags,
      states: this.#states,
      samples: this.samples,
    };
    const oldest = Math.max(...old.tags) - frames;
    this.#frames = frames;
    this.#tags = new Float64Array(frames).fill(-1);
    this.#states = new Uint8Array(frames);
    if (old.samples !== NO_SAMPLES) this.#allocate();
    for (let slot = 0; slot < old.frames; slot++) {
      const frame = old.tags[slot];
      if (frame < 0 || frame <= oldest) continue;
      this.mark(frame, old.states[slot]);
      if (old.samples === NO_SAMPLES) continue;
      const from = slot * this.#slotValues;
      this.samples.set(old.samples.subarray(from, from + this.#slotValues), this.offset(frame));
    }
  }

  /** Frees the samples' memory: sound is forgotten, silence stays silent. */
  rest() {
    this.samples = NO_SAMPLES;
    this.#views = [];
    for (let slot = 0; slot < this.#frames; slot++) {
      if (this.#states[slot] !== FrameState.silent) this.#states[slot] = FrameState.absent;
    }
  }

  /**
   * Makes room for a frame's samples.
   * @param {number} frame
   * @returns {number} index into samples
   */
  claim(frame) {
    if (this.samples === NO_SAMPLES) this.#allocate();
    return this.offset(frame);
  }

  #allocate() {
    this.samples = new Float32Array(this.#slotValues * this.#frames);
    this.#views = [];
  }

  /**
   * @param {number} frame with sound
   * @returns {Float32Array} its samples, until another frame takes the slot
   */
  frame(frame) {
    const slot = frame % this.#frames;
    const at = slot * this.#slotValues;
    return (this.#views[slot] ??= this.samples.subarray(at, at + this.#slotValues));
  }

  /** @param {number} frame @returns {number} index into samples */
  offset(frame) {
    return (frame % this.#frames) * this.#slotValues;
  }

  /**
   * Marks the content of a frame's slot. Sound is written before this call.
   * @param {number} frame
   * @param {number} state one of FrameState
   */
  mark(frame, state) {
    const slot = frame % this.#frames;
    this.#tags[slot] = frame;
    this.#states[slot] = state;
  }

  /**
   * @param {number} frame not negative
   * @returns {number} one of FrameState; absent when the slot holds another lap's frame
   */
  state(frame) {
    const slot = frame % this.#frames;
    return this.#tags[slot] === frame ? this.#states[slot] : FrameState.absent;
  }

  /**
   * Counts the samples of a span that are as the participant sent them, sound or silence.
   * @param {number} start absolute sample index
   * @param {number} samples
   * @returns {number} in samples
   */
  sentSamples(start, samples) {
    const size = this.#frameSamples;
    const end = start + samples;
    let sent = 0;
    let at = Math.max(start, 0);
    while (at < end) {
      const frame = Math.floor(at / size);
      const until = Math.min((frame + 1) * size, end);
      const state = this.state(frame);
      if (state === FrameState.received || state === FrameState.silent) sent += until - at;
      at = until;
    }
    return sent;
  }

  /**
   * Adds the sound from sample `start` on to `out`.
   * @param {Float32Array} out
   * @param {number} start absolute sample index; silent before 0
   * @param {number} [from] gain at the beginning of out
   * @param {number} [to] gain at its end
   * @param {number} [rightFrom] the same for the right side of stereo
   * @param {number} [rightTo]
   * @returns {number} number of samples of sound that were added
   */
  addTo(out, start, from = 1, to = 1, rightFrom = from, rightTo = to) {
    if (from === 0 && to === 0 && rightFrom === 0 && rightTo === 0) return 0;
    const isWhole = from === 1 && to === 1 && rightFrom === 1 && rightTo === 1;
    const size = this.#frameSamples;
    const channels = this.#channels;
    const samples = out.length / channels;
    const end = start + samples;
    let added = 0;
    let at = Math.max(start, 0);
    while (at < end) {
      const frame = Math.floor(at / size);
      const until = Math.min((frame + 1) * size, end);
      if (this.state(frame) >= FrameState.concealed) {
        const place = this.offset(frame) + (at - frame * size) * channels;
        if (isWhole) this.#add(out, (at - start) * channels, place, until - at);
        else this.#addFading(out, at - start, place, until - at, from, to, rightFrom, rightTo);
        added += until - at;
      }
      at = until;
    }
    return added;
  }

  /**
   * @param {Float32Array} out
   * @param {number} at index in out
   * @param {number} start index in samples
   * @param {number} count
   */
  #add(out, at, start, count) {
    const { samples } = this;
    const values = count * this.#channels;
    for (let i = 0; i < values; i++) out[at + i] += samples[start + i];
  }

  /**
   * @param {Float32Array} out
   * @param {number} from index in out, in samples of all channels
   * @param {number} start index in samples
   * @param {number} count
   * @param {number} first gain at the beginning of out
   * @param {number} last gain at its end
   * @param {number} rightFirst
   * @param {number} rightLast
   */
  #addFading(out, from, start, count, first, last, rightFirst, rightLast) {
    const channels = this.#channels;
    const samples = out.length / channels;
    const step = (last - first) / samples;
    const rightStep = (rightLast - rightFirst) / samples;
    const gain = first + step * from;
    const right = rightFirst + rightStep * from;
    const end = gain + step * count;
    addRamped(
      out,
      from * channels,
      this.samples,
      start,
      count,
      channels,
      gain,
      end,
      right,
      right + rightStep * count,
    );
  }
}
