/** @import { AudioFormat } from '../../shared/audio-format.js' */

import { SpectralChange } from './spectral-change.js';

/** Sound is looked for in blocks of so many milliseconds. */
const BLOCK_MS = 5;

/**
 * Where the bands begin, in Hz, over how many milliseconds each one's power is averaged, and by how many
 * dB sound is louder there than the noise: a narrow band's power varies more by itself.
 */
const BANDS = Object.freeze([
  { fromHz: 80, averageMs: 30, aboveNoise: 8 },
  { fromHz: 350, averageMs: 15, aboveNoise: 6.5 },
  { fromHz: 1000, averageMs: 5, aboveNoise: 5.5 },
  { fromHz: 2800, averageMs: 5, aboveNoise: 5 },
]);

/** Louder by so many dB more it needs no second block in a row. */
const SURE_DB = 5;

/** No noise is taken for softer than this in a band, in dBFS: what is below can't be heard. */
const SOFTEST_DB = -76;

/** Noise is the loudest block of so long a time, */
const NOISE_MS = 100;
/** where that is least in so many windows of so long a time, in milliseconds: */
const WINDOWS = 16;
const WINDOW_MS = 500;
/** of so many, when a call has just begun. */
const LEAST_WINDOWS = 7;

/** After sound the pause between words counts as sound, in milliseconds; */
const HANGOVER_MS = 360;
/** after a look at the spectrum, which comes late, too; */
const CHANGE_HANGOVER_MS = 260;
/** after so short a sound as a click, less. */
const SHORT_MS = 30;
const SHORT_HANGOVER_MS = 120;

/**
 * Tells sound from the noise behind it, in blocks of a few milliseconds and in four bands. Noise is
 * what a band has fallen back to in the last eight seconds, so whatever is steady for so long, a fan or
 * a hum of any loudness, becomes noise, and speech and music, which vary, don't. Of stereo
 * the mean power counts.
 */
export class VoiceActivity {
  #bands;
  /** Numbers in a block, those of all channels. */
  #blockValues;
  #blockMs;
  /** Blocks in a row with sound, and without. */
  #loud = 0;
  #holdMs = 0;
  #filled = 0;
  #blocksToNoise = 0;
  #noiseBlocks;
  #change;

  /** Whether there was sound in the last frame itself, */
  hasSound = false;
  /** and whether there was already in its first block. */
  beginsWithSound = false;

  /** @param {AudioFormat} format */
  constructor(format) {
    const { sampleRate, channels, frameMs } = format;
    this.#change = new SpectralChange(format);
    this.#blockMs = Math.min(BLOCK_MS, frameMs);
    this.#blockValues = ((this.#blockMs * sampleRate) / 1000) * channels;
    this.#noiseBlocks = Math.round(NOISE_MS / this.#blockMs);
    this.#blocksToNoise = this.#noiseBlocks;
    this.#bands = BANDS.map((band, i) => new Band(band, BANDS[i + 1]?.fromHz, format, this.#blockMs));
  }

  /**
   * @param {Float32Array} pcm the next frame, interleaved where it is stereo
   * @returns {boolean} whether there is sound in it, or was so shortly before that it goes on
   */
  next(pcm) {
    this.hasSound = false;
    this.beginsWithSound = false;
    for (let at = 0; at < pcm.length; ) {
      const count = Math.min(pcm.length - at, this.#blockValues - this.#filled);
      for (const band of this.#bands) band.add(pcm, at, count);
      at += count;
      this.#filled += count;
      if (this.#filled === this.#blockValues) this.#endBlock(at === count);
    }
    this.#change.next(pcm);
    if (this.#change.active) this.#holdMs = Math.max(this.#holdMs, CHANGE_HANGOVER_MS);
    return this.#holdMs > 0;
  }

  /** @param {boolean} first of its frame */
  #endBlock(first) {
    this.#filled = 0;
    let over = -Infinity;
    for (const band of this.#bands) over = Math.max(over, band.endBlock(this.#blockValues));
    this.#loud = over > 0 ? this.#loud + 1 : 0;
    if (over > SURE_DB || this.#loud > 1) this.#found(first);
    else this.#holdMs = Math.max(0, this.#holdMs - this.#blockMs);
    if (--this.#blocksToNoise > 0) return;
    this.#blocksToNoise = this.#noiseBlocks;
    for (const band of this.#bands) band.endNoise(NOISE_MS);
  }

  /** @param {boolean} first */
  #found(first) {
    this.hasSound = true;
    if (first) this.beginsWithSound = true;
    const hangover = this.#loud * this.#blockMs > SHORT_MS ? HANGOVER_MS : SHORT_HANGOVER_MS;
    this.#holdMs = Math.max(this.#holdMs, hangover);
  }
}

/** One band: its power block by block, and its noise. */
class Band {
  #aboveNoise;
  /** The last blocks' sums, and the next one's place. */
  #sums;
  #block = 0;
  /** By channel. */
  #high;
  #low;
  #sum = 0;
  #loudest = -Infinity;
  #least = new Float64Array(WINDOWS).fill(Infinity);
  #window = 0;
  #windowMs = 0;
  #windows = 0;
  #noiseDb = Infinity;

  /**
   * @param {typeof BANDS[number]} band
   * @param {number | undefined} toHz
   * @param {AudioFormat} format
   * @param {number} blockMs
   */
  constructor({ fromHz, averageMs, aboveNoise }, toHz, { sampleRate, channels }, blockMs) {
    this.#aboveNoise = aboveNoise;
    this.#sums = new Float64Array(Math.max(1, Math.round(averageMs / blockMs)));
    const each = (/** @type {() => Filter} */ make) => Array.from({ length: channels }, make);
    this.#high = each(() => new Filter('high', fromHz, sampleRate));
    this.#low = toHz === undefined ? null : each(() => new Filter('low', toHz, sampleRate));
  }

  /** @param {Float32Array} pcm @param {number} at @param {number} count */
  add(pcm, at, count) {
    const channels = this.#high.length;
    for (let c = 0; c < channels; c++) {
      const high = this.#high[c];
      const low = this.#low === null ? null : this.#low[c];
      for (let i = at + c; i < at + count; i += channels) {
        let sample = high.next(pcm[i]);
        if (low) sample = low.next(sample);
        this.#sum += sample * sample;
      }
    }
  }

  /** @param {number} values in it @returns {number} by how many dB the block is louder than sound must be; negative: softer */
  endBlock(values) {
    this.#sums[this.#block] = this.#sum;
    this.#block = (this.#block + 1) % this.#sums.length;
    this.#sum = 0;
    let power = 0;
    for (let i = 0; i < this.#sums.length; i++) power += this.#sums[i];
    const level = power > 0 ? 10 * Math.log10(power / (values * this.#sums.length)) : -Infinity;
    if (level > this.#loudest) this.#loudest = level;
    const known = this.#windows >= LEAST_WINDOWS ? this.#noiseDb : SOFTEST_DB;
    return level - Math.max(known, SOFTEST_DB) - this.#aboveNoise;
  }

  /** @param {number} ms */
  endNoise(ms) {
    if (this.#loudest < this.#least[this.#window]) this.#least[this.#window] = this.#loudest;
    this.#loudest = -Infinity;
    this.#windowMs += ms;
    if (this.#windowMs >= WINDOW_MS) {
      this.#windowMs = 0;
      this.#windows += 1;
      this.#window = (this.#window + 1) % WINDOWS;
      this.#least[this.#window] = Infinity;
    }
    this.#noiseDb = Infinity;
    for (let i = 0; i < WINDOWS; i++) if (this.#least[i] < this.#noiseDb) this.#noiseDb = this.#least[i];
  }
}

/** A second order Butterworth filter (R. Bristow-Johnson, "Audio EQ Cookbook"). */
class Filter {
  #b0;
  #b1;
  #a1;
  #a2;
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  /**
   * @param {'high' | 'low'} passes
   * @param {number} hz where it is 3 dB down
   * @param {number} sampleRate Hz
   */
  constructor(passes, hz, sampleRate) {
    const w = (2 * Math.PI * hz) / sampleRate;
    const alpha = Math.sin(w) / Math.SQRT2;
    const sign = passes === 'high' ? -1 : 1;
    this.#b0 = (1 - sign * Math.cos(w)) / 2 / (1 + alpha);
    this.#b1 = 2 * sign * this.#b0;
    this.#a1 = (-2 * Math.cos(w)) / (1 + alpha);
    this.#a2 = (1 - alpha) / (1 + alpha);
  }

  /** @param {number} x */
  next(x) {
    const y = this.#b0 * (x + this.#x2) + this.#b1 * this.#x1 - this.#a1 * this.#y1 - this.#a2 * this.#y2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    this.#y2 = this.#y1;
    // What isn't a number must not stay.
    this.#y1 = Math.abs(y) > 1e-15 && Math.abs(y) < 1e9 ? y : 0;
    return this.#y1;
  }
}
