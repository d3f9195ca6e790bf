import { build, keepFocus, makeButton, makeIcon, setText } from '../ui/kit/element.js';
import { icons } from '../ui/kit/icons.js';
import { recordingPageTexts as texts } from '../texts/pages.js';
import { speedText, timeText } from '../texts/units.js';
import { Waveform } from './waveform.js';

const SPEEDS = Object.freeze([0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]);

/** Seconds of the buttons beside Play. */
export const SKIP_SECONDS = 10;

const PLAY_ICON = 'M8 5.5v13l10.5-6.5z';
const PAUSE_ICON = 'M8.5 6v12M15.5 6v12';

/**
 * @typedef {object} BarActions
 * @property {() => void} toggle
 * @property {(seconds: number) => void} seek
 * @property {(seconds: number) => void} skip  from where it is
 * @property {(speed: number) => void} speed
 * @property {() => void} live
 * @property {() => void} copy
 */

/** The controls of the player. */
export class PlayerBar {
  #toggle = build('button', { type: 'button', class: 'button primary play' });
  #time = build('span', { class: 'time' });
  #via = build('p', { class: 'hint via', dir: 'auto' });
  #live;
  /** @type {boolean | null} */
  #playing = null;
  waveform;

  /** @param {HTMLElement} place @param {BarActions} actions */
  constructor(place, actions) {
    this.waveform = new Waveform(actions.seek);
    this.#toggle.addEventListener('click', actions.toggle);
    const speed = build(
      'select',
      { id: 'speed' },
      ...SPEEDS.map((value) =>
        build('option', { value: String(value), selected: value === 1 }, speedText(value)),
      ),
    );
    speed.addEventListener('change', () => actions.speed(Number(speed.value)));
    this.#live = makeButton('button small live', texts.toLive, actions.live);
    this.#live.hidden = true;
    const skip = (/** @type {string} */ label, /** @type {number} */ seconds) => {
      const shown = `${seconds < 0 ? '−' : '+'}${Math.abs(seconds)} s`;
      const button = makeButton('button quiet', shown, () => actions.skip(seconds));
      button.setAttribute('aria-label', `${shown}: ${label}`);
      return button;
    };
    place.append(
      this.waveform.element,
      build(
        'div',
        { class: 'controls' },
        build(
          'div',
          { class: 'transport' },
          skip(texts.back, -SKIP_SECONDS),
          this.#toggle,
          skip(texts.ahead, SKIP_SECONDS),
        ),
        this.#time,
        this.#live,
        build('label', { class: 'speed', for: 'speed' }, build('span', {}, texts.speed), speed),
        makeButton('button small', texts.copyMoment, actions.copy, icons.link),
      ),
      this.#via,
    );
    this.show({ playing: false, waiting: false, seconds: 0, length: 0, via: '' });
  }

  /**
   * @param {{ playing: boolean, waiting: boolean, seconds: number, length: number, via: string }}
   *   state
   */
  show({ playing, waiting, seconds, length, via }) {
    if (playing !== this.#playing) {
      this.#playing = playing;
      this.#toggle.replaceChildren(makeIcon(playing ? PAUSE_ICON : PLAY_ICON));
      this.#toggle.setAttribute('aria-label', playing ? texts.pause : texts.play);
    }
    this.waveform.at(seconds);
    setText(this.#time, `${timeText(seconds)} / ${timeText(length)}`);
    setText(this.#via, waiting ? texts.waiting : via);
  }

  /**
   * Shows that the recording is in progress, and that its end is playing.
   * @param {boolean} on
   * @param {boolean} atEdge
   */
  running(on, atEdge) {
    keepFocus(
      () => (this.#live.hidden = !on),
      () => this.#toggle,
    );
    this.#live.classList.toggle('at-edge', atEdge);
    setText(this.#live, atEdge ? texts.live : texts.toLive);
  }
}
