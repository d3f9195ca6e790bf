import { BAR_BEATS, BEATS_A_MINUTE } from '../../shared/wire/control.js';
import { build, makeButton, setText } from '../kit/element.js';
import { texts } from '../../texts.js';

/**
 * @import { BeatFields } from '../../shared/messages/fields.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

/** The room's metronome: what it is set to, for everybody, and whether one hears it oneself. */
export class MetronomeControls {
  #bpm = numberField('metronome-bpm', BEATS_A_MINUTE, 100);
  #beats = numberField('metronome-beats', BAR_BEATS, 4);
  #button;
  #heard = build('input', {
    id: 'metronome-heard',
    type: 'checkbox',
    role: 'switch',
    checked: true,
  });
  #says = build('p', {});
  #isOn = false;
  #send;
  element;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#send = current.send;
    this.#button = makeButton('button', texts.metronomeStart, () =>
      this.#isOn ? this.#stop() : this.#start(),
    );
    for (const input of [this.#bpm, this.#beats])
      input.addEventListener('change', () => this.#isOn && this.#start());
    this.#heard.addEventListener('change', () =>
      current.call?.setMetronomeHeard(this.#heard.checked),
    );
    const fields = [
      [texts.metronomeBpm, this.#bpm],
      [texts.metronomeBeats, this.#beats],
    ].map(([label, input]) =>
      build(
        'div',
        { class: 'field' },
        build('label', { for: /** @type {HTMLElement} */ (input).id }, label),
        input,
      ),
    );
    this.element = build(
      'section',
      { class: 'metronome stack', 'aria-labelledby': 'metronome-title' },
      build('h3', { id: 'metronome-title' }, texts.metronome),
      this.#says,
      build('div', { class: 'joined-fields' }, ...fields),
      this.#button,
      build(
        'div',
        { class: 'switch' },
        build('label', { for: 'metronome-heard' }, texts.metronomeHeard),
        this.#heard,
      ),
      build('p', { class: 'hint' }, texts.metronomeHint),
    );
    current.store.subscribe(['metronome'], ({ metronome }) => this.#show(metronome.beat));
  }

  /** @param {BeatFields | null} beat  null: it is off */
  #show(beat) {
    this.#isOn = beat !== null;
    if (beat) {
      this.#bpm.value = String(beat.bpm);
      this.#beats.value = String(beat.beats);
    }
    setText(this.#says, beat ? texts.metronomeBy(beat.by, beat.bpm) : texts.metronomeOff);
    setText(this.#button, beat ? texts.metronomeStop : texts.metronomeStart);
  }

  #start() {
    if (![this.#bpm, this.#beats].every((input) => input.reportValidity())) return;
    this.#send({
      type: 'metronome',
      bpm: this.#bpm.valueAsNumber,
      beats: this.#beats.valueAsNumber,
    });
  }

  #stop() {
    this.#send({ type: 'metronome', bpm: null });
  }
}

/**
 * @param {string} id
 * @param {{ min: number, max: number }} range
 * @param {number} first initial value
 */
function numberField(id, { min, max }, first) {
  return build('input', {
    id,
    type: 'number',
    inputmode: 'numeric',
    required: true,
    min: `${min}`,
    max: `${max}`,
    value: `${first}`,
  });
}
