import { BAR_BEATS, BEATS_A_MINUTE } from '../../shared/wire/control.js';
import { build, makeButton, makeField, setText } from '../kit/element.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { BeatFields } from '../../shared/messages/fields.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

/** Longest time between two taps of one tempo, in milliseconds: a beat of the slowest metronome. */
const TAP_MS = 60_000 / BEATS_A_MINUTE.min;

/** Most taps that count: a change of tempo is followed after as many. */
const MOST_TAPS = 8;

/** Time without a tap after which a running metronome takes the tempo, in milliseconds. */
const TAPPED_MS = 1000;

/**
 * Tempo of taps in the time of a beat.
 * @param {readonly number[]} taps times in milliseconds, ascending
 * @returns {number | null} beats a minute, whole, as a metronome may have them; null for one tap
 */
export function tempoOf(taps) {
  if (taps.length < 2) return null;
  const bpm = Math.round((60_000 * (taps.length - 1)) / (taps[taps.length - 1] - taps[0]));
  return Math.min(Math.max(bpm, BEATS_A_MINUTE.min), BEATS_A_MINUTE.max);
}

/** Controls of the room's metronome for everybody, and a switch to hear it. */
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
  /** The running metronome. @type {BeatFields | null} */
  #beat = null;
  /** Times of the last taps. @type {number[]} */
  #taps = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #tapped;
  #send;
  element;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#send = current.send;
    this.#button = makeButton('button', texts.metronomeStart, () =>
      this.#beat ? this.#stop() : this.#start(),
    );
    for (const input of [this.#bpm, this.#beats])
      input.addEventListener('change', () => this.#beat && this.#start());
    const hear = () => current.call?.setMetronomeHeard(this.#heard.checked);
    this.#heard.addEventListener('change', hear);
    // The switch holds for the next call, too.
    current.store.subscribe(['state'], hear);
    this.element = build(
      'section',
      { class: 'metronome stack', 'aria-labelledby': 'metronome-title' },
      build('h3', { id: 'metronome-title' }, texts.metronome),
      this.#says,
      build(
        'div',
        { class: 'joined-fields' },
        makeField(texts.metronomeBpm, this.#bpm),
        makeField(texts.metronomeBeats, this.#beats),
      ),
      build(
        'div',
        { class: 'joined-fields' },
        this.#button,
        makeButton('button quiet', texts.metronomeTap, ({ timeStamp }) => this.#tap(timeStamp)),
      ),
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
    this.#beat = beat;
    if (beat) {
      this.#bpm.value = String(beat.bpm);
      this.#beats.value = String(beat.beats);
    }
    setText(this.#says, beat ? texts.metronomeBy(beat.by, beat.bpm) : texts.metronomeOff);
    setText(this.#button, beat ? texts.metronomeStop : texts.metronomeStart);
  }

  /** @param {number} now in milliseconds */
  #tap(now) {
    if (now - (this.#taps.at(-1) ?? -Infinity) > TAP_MS) this.#taps = [];
    this.#taps = [...this.#taps.slice(1 - MOST_TAPS), now];
    const bpm = tempoOf(this.#taps);
    if (bpm === null) return;
    this.#bpm.value = String(bpm);
    clearTimeout(this.#tapped);
    this.#tapped = setTimeout(() => this.#beat && this.#start(), TAPPED_MS);
  }

  #start() {
    if (![this.#bpm, this.#beats].every((input) => input.reportValidity())) return;
    const [bpm, beats] = [this.#bpm.valueAsNumber, this.#beats.valueAsNumber];
    // Without a connection the fields show what holds.
    if (!this.#send({ type: 'metronome', bpm, beats })) this.#show(this.#beat);
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
