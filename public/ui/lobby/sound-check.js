import { microphoneProblem, openMicrophone, stopMicrophone } from '../../client/capture/microphone.js';
import { readChoices, soundOf } from '../settings/choices.js';
import { build, makeIcon, setText } from '../kit/element.js';
import { LevelMeter } from './level-meter.js';
import { texts } from '../../texts.js';
import { icons } from '../kit/icons.js';

/** From this level on, of 100, somebody speaks. */
const SPOKEN = 30;

/** How long somebody may be silent before the page asks whether it is the right microphone, in milliseconds. */
const SILENT_MS = 5000;

/** Shows one's own level before a call: the microphone is open only while this goes on. */
export class SoundCheck {
  /** Whether the microphone is open. */
  running = false;
  #meter = new LevelMeter();
  #says = build('p', { class: 'hint', 'aria-live': 'polite' });
  #label = build('span', {}, texts.testMicrophone);
  #button = build('button', { type: 'button', class: 'button' }, makeIcon(icons.microphone), this.#label);
  #wish;
  #onProblem;
  /** @type {MediaStream | null} */
  #stream = null;
  #timer = 0;
  #turn = 0;

  /**
   * @param {object} options
   * @param {() => { microphone: string, processing: boolean }} options.wish  microphone: a device's id
   * @param {(code: string) => void} options.onProblem
   * @param {() => void} options.onOpen  the browser has given its permission
   */
  constructor({ wish, onProblem, onOpen }) {
    this.#wish = wish;
    this.#onProblem = onProblem;
    this.onOpen = onOpen;
    this.#button.addEventListener('click', () => void (this.running ? this.stop() : this.start()));
    this.element = build('div', { class: 'check' }, build('div', { class: 'check-row' }, this.#button, this.#meter.element), this.#says);
  }

  /** Opens the microphone, or opens it anew when another one was chosen. */
  async start() {
    const turn = ++this.#turn;
    const { microphone, processing } = this.#wish();
    this.#become(true);
    try {
      const stream = await openMicrophone({ deviceId: microphone, ...soundOf(readChoices(), processing) });
      if (turn !== this.#turn) return stopMicrophone(stream);
      stopMicrophone(this.#stream);
      this.#stream = stream;
      this.#meter.start(stream);
      this.#watch();
      this.onOpen();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.stop();
      this.#onProblem(microphoneProblem(error));
    }
  }

  /** Switches the microphone off. Idempotent. */
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
