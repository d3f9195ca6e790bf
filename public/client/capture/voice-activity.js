/** @import { AudioFormat } from '../../shared/sound/audio-format.js' */

import { fft } from '../../shared/sound/signal.js';

/** Length of the blocks in which sound is detected, in milliseconds. */
const BLOCK_MS = 5;

/**
 * Bands: lower edge in Hz, averaging time of the power in milliseconds, and decibels by which sound
 * must exceed the noise. A narrow band's power varies more, so it needs more of both. Tuned with
 * `test/unit/client/capture/voice-activity.test.js`.
 */
const BANDS = Object.freeze([
  { fromHz: 80, averageMs: 30, aboveNoise: 8 },
  { fromHz: 350, averageMs: 15, aboveNoise: 6.5 },
  { fromHz: 1000, averageMs: 5, aboveNoise: 5.5 },
  { fromHz: 2800, averageMs: 5, aboveNoise: 5 },
]);

/**
 * Decibels beyond a band's threshold at which one block is enough; below that, it takes two in a
 * row.
 */
const SURE_DB = 5;

/** Lowest noise floor of a band, in dBFS: softer sound is inaudible. */
const SOFTEST_DB = -76;

/**
 * Lengths behind a noise floor: it is the minimum, over NOISE_WINDOWS windows of NOISE_WINDOW_MS,
 * of the loudest block in each 100 ms.
 */
const NOISE_MS = 100;
const NOISE_WINDOWS = 16;
const NOISE_WINDOW_MS = 500;
/** Number of windows before a noise floor is trusted, at the start of a call. */
const LEAST_NOISE_WINDOWS = 7;

/** Time after sound that still counts as sound, in milliseconds: a pause between words. */
const HANGOVER_MS = 360;
/** Hangover after a spectral change, which is detected later. */
const CHANGE_HANGOVER_MS = 260;
/** Length below which a sound, such as a click, has the shorter hangover, in milliseconds. */
const SHORT_MS = 30;
const SHORT_HANGOVER_MS = 120;

/**
 * Separates sound from background noise, in blocks of a few milliseconds and in four bands. A
 * band's noise is the level to which it has fallen back in the last eight seconds. Anything steady
 * for that long becomes noise, such as a fan or a hum of any loudness. Speech and music vary, and
 * don't. Stereo is judged by the mean power of both channels.
 */
export class VoiceActivity {
  #bands;
  /** Values in a block, of all channels. */
  #blockValues;
  #blockMs;
  /** Blocks in a row with sound, and without. */
  #loud = 0;
  #holdMs = 0;
  #filled = 0;
  #blocksToNoise = 0;
  #noiseBlocks;
  #change;

  /** True when the last frame itself had sound. */
  hasSound = false;
  /** True when the last frame's first block had sound. */
  beginsWithSound = false;

  /** @param {AudioFormat} format */
  constructor(format) {
    const { sampleRate, channels, frameMs } = format;
    this.#change = new SpectralChange(format);
    this.#blockMs = Math.min(BLOCK_MS, frameMs);
    this.#blockValues = ((this.#blockMs * sampleRate) / 1000) * channels;
    this.#noiseBlocks = Math.round(NOISE_MS / this.#blockMs);
    this.#blocksToNoise = this.#noiseBlocks;
    this.#bands = BANDS.map(
      (band, i) => new Band(band, BANDS[i + 1]?.fromHz, format, this.#blockMs),
    );
  }

  /**
   * @param {Float32Array} pcm the next frame, interleaved where it is stereo
   * @returns {boolean} true when it has sound, or had it within the hangover
   */
  next(pcm) {
    this.hasSound = false;
    this.beginsWithSound = false;
    for (let at = 0; at < pcm.length;) {
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

/** One band with its power block by block and its noise. */
class Band {
  #aboveNoise;
  /** Sums of the last blocks, and the place of the next one. */
  #sums;
  #block = 0;
  /** By channel. */
  #high;
  #low;
  #sum = 0;
  #loudest = -Infinity;
  #least = new Float64Array(NOISE_WINDOWS).fill(Infinity);
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

  /**
   * @param {number} values in it
   * @returns {number} decibels of the block above the threshold of sound; negative: below
   */
  endBlock(values) {
    this.#sums[this.#block] = this.#sum;
    this.#block = (this.#block + 1) % this.#sums.length;
    this.#sum = 0;
    let power = 0;
    for (let i = 0; i < this.#sums.length; i++) power += this.#sums[i];
    const level = power > 0 ? 10 * Math.log10(power / (values * this.#sums.length)) : -Infinity;
    if (level > this.#loudest) this.#loudest = level;
    const known = this.#windows >= LEAST_NOISE_WINDOWS ? this.#noiseDb : SOFTEST_DB;
    return level - Math.max(known, SOFTEST_DB) - this.#aboveNoise;
  }

  /** @param {number} ms */
  endNoise(ms) {
    if (this.#loudest < this.#least[this.#window]) this.#least[this.#window] = this.#loudest;
    this.#loudest = -Infinity;
    this.#windowMs += ms;
    if (this.#windowMs >= NOISE_WINDOW_MS) {
      this.#windowMs = 0;
      this.#windows += 1;
      this.#window = (this.#window + 1) % NOISE_WINDOWS;
      this.#least[this.#window] = Infinity;
    }
    this.#noiseDb = Infinity;
    for (let i = 0; i < NOISE_WINDOWS; i++)
      if (this.#least[i] < this.#noiseDb) this.#noiseDb = this.#least[i];
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
    const y =
      this.#b0 * (x + this.#x2) + this.#b1 * this.#x1 - this.#a1 * this.#y1 - this.#a2 * this.#y2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    this.#y2 = this.#y1;
    // A value that isn't a number would stay in the filter forever.
    this.#y1 = Math.abs(y) > 1e-15 && Math.abs(y) < 1e9 ? y : 0;
    return this.#y1;
  }
}

/** Range and resolution of the spectrum in Hz, and its interval in milliseconds. */
const FROM_HZ = 100;
const TO_HZ = 6000;
const STEP_HZ = 25;
const STEP_MS = 40;

/**
 * Windows behind a frequency's noise floor: the minimum, over 14 windows of 4 peaks, of the loudest
 * of each 4 spectra, in total nine seconds. It is trusted after five windows.
 */
const SPECTRA = 4;
const PER_WINDOW = 4;
const WINDOWS = 14;
const LEAST_WINDOWS = 5;

/** Factor of power by which a new frequency exceeds its noise floor: 16 dB. */
const NEW_FACTOR = 40;

/**
 * Neighbours on either side whose loudest noise also counts as a frequency's own: some are soft by
 * chance.
 */
const NEIGHBOURS = 2;

/** Lowest power of a new frequency: a tone at -75 dBFS. */
const SOFTEST = 3e-8;

/**
 * Separates music and singing from a hum, though both may be equally loud all the time. The sign is
 * a frequency that wasn't present throughout the last nine seconds. Noise varies less at each
 * frequency.
 */
class SpectralChange {
  #channels;
  #size;
  #stepSamples;
  #window;
  #samples;
  #filled = 0;
  #re;
  #im;
  #first;
  #bins;
  #before;
  #loudest;
  #least;
  #noise;
  #spectra = 0;
  #turns = 0;
  #windows = 0;

  /** True when the last spectrum had a new frequency. */
  active = false;

  /** @param {AudioFormat} format */
  constructor({ sampleRate, channels }) {
    this.#channels = channels;
    this.#size = 2 ** Math.round(Math.log2(sampleRate / STEP_HZ));
    this.#stepSamples = Math.max(this.#size, (STEP_MS * sampleRate) / 1000);
    this.#window = Float64Array.from(
      { length: this.#size },
      (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / this.#size),
    );
    this.#samples = new Float32Array(this.#size * channels);
    this.#re = new Float64Array(this.#size);
    this.#im = new Float64Array(this.#size);
    const perBin = sampleRate / this.#size;
    this.#first = Math.ceil(FROM_HZ / perBin);
    this.#bins = Math.floor(Math.min(TO_HZ, 0.45 * sampleRate) / perBin) - this.#first;
    this.#before = new Float64Array(this.#bins);
    this.#loudest = new Float64Array(this.#bins);
    this.#least = Array.from({ length: WINDOWS }, () =>
      new Float64Array(this.#bins).fill(Infinity),
    );
    this.#noise = new Float64Array(this.#bins);
  }

  /** @param {Float32Array} pcm the next frame */
  next(pcm) {
    const channels = this.#channels;
    for (let i = 0; i < pcm.length; i += channels) {
      if (this.#filled < this.#size) {
        for (let c = 0; c < channels; c++) this.#samples[this.#filled * channels + c] = pcm[i + c];
      }
      this.#filled += 1;
      if (this.#filled < this.#stepSamples) continue;
      this.#filled = 0;
      this.#measure();
    }
  }

  #measure() {
    this.#transform();
    // With this window a tone of amplitude 1 has a power of (size / 4)².
    const scale = (4 / this.#size) ** 2 / 2;
    let found = false;
    for (let i = 0; i < this.#bins; i++) {
      const bin = this.#first + i;
      const now = scale * this.#powerAt(bin);
      const power = (now + this.#before[i]) / 2;
      this.#before[i] = now;
      if (power > SOFTEST && power > NEW_FACTOR * this.#noise[i]) found = true;
      if (power > this.#loudest[i]) this.#loudest[i] = power;
    }
    this.active = found && this.#windows >= LEAST_WINDOWS;
    this.#spectra += 1;
    if (this.#spectra === SPECTRA) this.#keep();
  }

  /** Transforms both sides at once: the right one is the imaginary part. */
  #transform() {
    const channels = this.#channels;
    for (let i = 0; i < this.#size; i++)
      this.#re[i] = this.#samples[i * channels] * this.#window[i];
    if (channels === 1) this.#im.fill(0);
    else
      for (let i = 0; i < this.#size; i++)
        this.#im[i] = this.#samples[i * channels + 1] * this.#window[i];
    fft(this.#re, this.#im);
  }

  /**
   * @param {number} bin
   * @returns {number} mean power of both sides; their sum is half of the power at the frequency and
   *   its negative
   */
  #powerAt(bin) {
    const power = this.#re[bin] ** 2 + this.#im[bin] ** 2;
    if (this.#channels === 1) return power;
    const mirrored = this.#size - bin;
    return (power + this.#re[mirrored] ** 2 + this.#im[mirrored] ** 2) / 4;
  }

  #keep() {
    this.#spectra = 0;
    const least = this.#least[this.#windows % WINDOWS];
    for (let i = 0; i < this.#bins; i++)
      if (this.#loudest[i] < least[i]) least[i] = this.#loudest[i];
    this.#loudest.fill(0);
    this.#turns += 1;
    if (this.#turns === PER_WINDOW) {
      this.#turns = 0;
      this.#windows += 1;
      this.#least[this.#windows % WINDOWS].fill(Infinity);
    }
    this.#noise.fill(0);
    for (let i = 0; i < this.#bins; i++) {
      let noise = Infinity;
      for (let w = 0; w < WINDOWS; w++) if (this.#least[w][i] < noise) noise = this.#least[w][i];
      const end = Math.min(this.#bins, i + NEIGHBOURS + 1);
      for (let n = Math.max(0, i - NEIGHBOURS); n < end; n++)
        if (noise > this.#noise[n]) this.#noise[n] = noise;
    }
  }
}

/** Decibels of voice above the noise floor. */
const VOICE_ABOVE_NOISE = 9;
/** Softest level that counts as voice, in -dBov. */
const SOFTEST_VOICE = 60;
/** Lowest noise floor, in -dBov, so that a muted minute doesn't set it. */
const SOFTEST_NOISE = 75;
/** Rate at which the noise floor rises without softer sound, in decibels a second. */
const NOISE_RISE = 6;
/** Pause between words that is flagged as voice, in milliseconds. */
const VOICE_HANGOVER_MS = 300;

/**
 * Sets a packet's voice flag (RFC 6464, section 3): for frames that are loud against the softest of
 * the last seconds.
 */
export class VoiceFlag {
  #frameMs;
  #noise = 0;
  #hangoverMs = 0;

  /** @param {number} frameMs */
  constructor(frameMs) {
    this.#frameMs = frameMs;
  }

  /** @param {number} level the next frame's, in -dBov @returns {boolean} true when it has voice */
  next(level) {
    const softer = this.#noise - (NOISE_RISE * this.#frameMs) / 1000;
    this.#noise = Math.max(Math.min(level, SOFTEST_NOISE), softer);
    if (level <= this.#noise - VOICE_ABOVE_NOISE && level <= SOFTEST_VOICE)
      this.#hangoverMs = VOICE_HANGOVER_MS;
    else this.#hangoverMs = Math.max(0, this.#hangoverMs - this.#frameMs);
    return this.#hangoverMs > 0;
  }
}
