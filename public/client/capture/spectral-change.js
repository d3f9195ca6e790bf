/** @import { AudioFormat } from '../../shared/audio-format.js' */

import { fft } from '../../shared/signal.js';

/** What is looked at, in Hz, how finely, and how often, in milliseconds. */
const FROM_HZ = 100;
const TO_HZ = 6000;
const STEP_HZ = 25;
const LOOK_MS = 40;

/** Of so many looks the loudest counts, and of those the least of so many windows of so many. */
const LOOKS = 4;
const PER_WINDOW = 4;
const WINDOWS = 14;
const LEAST_WINDOWS = 5;

/** A frequency that was softer by so much, as a factor of power, was not there before: 16 dB. */
const NEW_FACTOR = 40;

/** The noise of a frequency is the loudest of so many neighbours' on either side: some are soft by chance. */
const NEIGHBOURS = 2;

/** Nothing is new that is softer than this, a power: a tone at -75 dBFS. */
const SOFTEST = 3e-8;

/**
 * Tells music and singing from a hum, both of which may be equally loud all the time: where a frequency
 * sounds that didn't in the last nine seconds, or not always. Noise varies at each frequency by less.
 */
export class SpectralChange {
  #channels;
  #size;
  #lookSamples;
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
  #looks = 0;
  #turns = 0;
  #windows = 0;

  /** Whether it sounds so now. */
  active = false;

  /** @param {AudioFormat} format */
  constructor({ sampleRate, channels }) {
    this.#channels = channels;
    this.#size = 2 ** Math.round(Math.log2(sampleRate / STEP_HZ));
    this.#lookSamples = Math.max(this.#size, (LOOK_MS * sampleRate) / 1000);
    this.#window = Float64Array.from({ length: this.#size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / this.#size));
    this.#samples = new Float32Array(this.#size * channels);
    this.#re = new Float64Array(this.#size);
    this.#im = new Float64Array(this.#size);
    const perBin = sampleRate / this.#size;
    this.#first = Math.ceil(FROM_HZ / perBin);
    this.#bins = Math.floor(Math.min(TO_HZ, 0.45 * sampleRate) / perBin) - this.#first;
    this.#before = new Float64Array(this.#bins);
    this.#loudest = new Float64Array(this.#bins);
    this.#least = Array.from({ length: WINDOWS }, () => new Float64Array(this.#bins).fill(Infinity));
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
      if (this.#filled < this.#lookSamples) continue;
      this.#filled = 0;
      this.#look();
    }
  }

  #look() {
    this.#transform();
    // The window lets a tone of amplitude 1 have a power of (size / 4)².
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
    this.#looks += 1;
    if (this.#looks === LOOKS) this.#keep();
  }

  /** The right side is the imaginary part: both are transformed at once. */
  #transform() {
    const channels = this.#channels;
    for (let i = 0; i < this.#size; i++) this.#re[i] = this.#samples[i * channels] * this.#window[i];
    if (channels === 1) this.#im.fill(0);
    else for (let i = 0; i < this.#size; i++) this.#im[i] = this.#samples[i * channels + 1] * this.#window[i];
    fft(this.#re, this.#im);
  }

  /**
   * @param {number} bin
   * @returns {number} the mean power of both sides: the sum of theirs is half of that at the frequency and its negative
   */
  #powerAt(bin) {
    const power = this.#re[bin] ** 2 + this.#im[bin] ** 2;
    if (this.#channels === 1) return power;
    const mirrored = this.#size - bin;
    return (power + this.#re[mirrored] ** 2 + this.#im[mirrored] ** 2) / 4;
  }

  #keep() {
    this.#looks = 0;
    const least = this.#least[this.#windows % WINDOWS];
    for (let i = 0; i < this.#bins; i++) if (this.#loudest[i] < least[i]) least[i] = this.#loudest[i];
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
      for (let n = Math.max(0, i - NEIGHBOURS); n < end; n++) if (noise > this.#noise[n]) this.#noise[n] = noise;
    }
  }
}
