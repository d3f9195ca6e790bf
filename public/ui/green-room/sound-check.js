import {
  microphoneProblem,
  openMicrophone,
  stopMicrophone,
} from '../../client/capture/microphone.js';
import { readChoices, roomSoundOf, soundOf } from '../settings/choices.js';
import { build, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { texts } from '../../texts/texts.js';

/** @import { Notices } from '../kit/notices.js' */

/** Level above which somebody speaks, 0 to 100. */
const SPOKEN = 30;

/**
 * Length of silence after which the page asks whether it is the right microphone, in milliseconds.
 */
const SILENT_MS = 5000;

/** Lowest level that the meter shows, in dBFS. */
const FLOOR_DB = -60;

/** Interval at which assistive technology gets the meter's value, in milliseconds. */
const ANNOUNCE_MS = 500;

/** Shows this person's level before a call; the microphone is open only while it runs. */
export class SoundCheck {
  /** True while the microphone is open, or being opened. */
  running = false;
  #meter = new LevelMeter();
  #says = build('p', { class: 'hint', 'aria-live': 'polite' });
  #label = build('span', {}, texts.testMicrophone);
  #button = build(
    'button',
    { type: 'button', class: 'button' },
    makeIcon(icons.microphone),
    this.#label,
  );
  #options;
  /** @type {MediaStream | null} */
  #stream = null;
  #timer = 0;
  #turn = 0;
  /** Code of the notice about the last test's failure; empty without one. */
  #problem = '';
  element = build(
    'div',
    { class: 'check' },
    build('div', { class: 'check-row' }, this.#button, this.#meter.element),
    this.#says,
  );

  /**
   * @param {object} options
   * @param {() => string} options.microphone  the id of the device to open
   * @param {boolean} options.processing       false leaves the microphone's sound as it is
   * @param {Notices} options.notices
   * @param {() => void} options.onOpen  called once the browser has given its permission
   */
  constructor(options) {
    this.#options = options;
    this.#button.addEventListener('click', () => void (this.running ? this.stop() : this.start()));
  }

  /** Opens the chosen microphone, in place of an open one. */
  async start() {
    const turn = ++this.#turn;
    const { microphone, processing, notices, onOpen } = this.#options;
    const choices = readChoices();
    this.#become(true);
    try {
      const stream = await openMicrophone({
        deviceId: microphone(),
        channels: roomSoundOf(choices).channels,
        ...soundOf(choices, processing),
      });
      if (turn !== this.#turn) return stopMicrophone(stream);
      stopMicrophone(this.#stream);
      this.#stream = stream;
      notices.settle(this.#problem);
      stream.getAudioTracks()[0].onended = () => this.#fail('microphone-ended');
      this.#meter.start(stream);
      this.#watch();
      onOpen();
    } catch (error) {
      if (turn === this.#turn) this.#fail(microphoneProblem(error));
    }
  }

  /** @param {string} code of the sentence that says why */
  #fail(code) {
    this.stop();
    this.#options.notices.settle(this.#problem);
    this.#options.notices.show(code);
    this.#problem = code;
  }

  /** Closes the microphone. Idempotent. */
  stop() {
    this.#turn += 1;
    clearInterval(this.#timer);
    this.#meter.stop();
    stopMicrophone(this.#stream);
    this.#stream = null;
    this.#become(false);
  }

  /** @param {boolean} running */
  #become(running) {
    this.running = running;
    setText(this.#label, running ? texts.stopTest : texts.testMicrophone);
    setText(this.#says, running ? texts.saySomething : '');
  }

  #watch() {
    clearInterval(this.#timer);
    const since = performance.now();
    this.#timer = window.setInterval(() => {
      const heard = this.#meter.peak >= SPOKEN;
      if (heard) setText(this.#says, texts.levelHeard);
      else if (performance.now() - since > SILENT_MS) setText(this.#says, texts.levelSilent);
    }, 250);
  }
}

/** A bar that shows the level of a microphone's stream. */
class LevelMeter {
  element = build(
    'div',
    {
      class: 'level',
      role: 'meter',
      'aria-label': texts.yourLevel,
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-valuenow': '0',
    },
    build('span', { class: 'level-bar' }),
  );
  /** Highest level since the meter was started, 0 to 100. */
  peak = 0;
  /** @type {AudioContext | null} */
  #context = null;
  #announcedMs = 0;
  #frame = 0;

  /**
   * Follows a microphone until stop() is called.
   * @param {MediaStream} stream
   */
  start(stream) {
    this.stop();
    this.peak = 0;
    const context = new AudioContext();
    this.#context = context;
    const analyser = new AnalyserNode(context, { fftSize: 2048 });
    new MediaStreamAudioSourceNode(context, { mediaStream: stream }).connect(analyser);
    // Rejects if the meter is stopped before the context runs, which changes nothing.
    void context.resume().catch(() => {});
    const samples = new Float32Array(analyser.fftSize);
    let shown = 0;
    const follow = () => {
      analyser.getFloatTimeDomainData(samples);
      const level = levelOf(samples);
      shown = Math.max(level, shown * 0.9);
      this.peak = Math.max(this.peak, level);
      this.#show(shown);
      this.#frame = requestAnimationFrame(follow);
    };
    follow();
  }

  /** Idempotent. */
  stop() {
    cancelAnimationFrame(this.#frame);
    void this.#context?.close();
    this.#context = null;
    this.#show(0);
  }

  /** @param {number} level 0 to 100 */
  #show(level) {
    this.element.style.setProperty('--level', String(level / 100));
    const now = performance.now();
    if (now - this.#announcedMs < ANNOUNCE_MS && level > 0) return;
    this.#announcedMs = now;
    this.element.setAttribute('aria-valuenow', String(Math.round(level)));
  }
}

/**
 * The mean level of samples, from FLOOR_DB to 0 dBFS as 0 to 100.
 * @param {Float32Array} samples
 */
function levelOf(samples) {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const db = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.min(100, Math.max(0, (100 * (db - FLOOR_DB)) / -FLOOR_DB));
}
