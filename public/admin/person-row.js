import { build, makeButton, setText } from '../ui/kit/element.js';
import { adminTexts as texts, duration, milliseconds, percentage } from './texts.js';

/** One person of a room: who, how they are connected, and what can be done about them. */
export class PersonRow {
  #name = build('span', { class: 'person-name' });
  #signs = build('span', { class: 'signs' });
  #transport = build('dd', {});
  #quality = build('dd', {});
  #roundTrip = build('dd', {});
  #lost = build('dd', {});
  #needs = build('dd', {});
  #here = build('dd', {});
  #address = build('dd', { class: 'address' });
  #remove;

  /** @param {(label: string) => void} onRemove  told the name that is shown */
  constructor(onRemove) {
    this.#remove = makeButton('button danger', texts.remove, () => onRemove(this.label));
    /** The name as it is shown. */
    this.label = '';
    const figure = (/** @type {string} */ name, /** @type {HTMLElement} */ value) => build('div', {}, build('dt', {}, name), value);
    this.element = build(
      'li',
      { class: 'person' },
      build('p', { class: 'person-head' }, this.#name, this.#signs),
      build(
        'dl',
        { class: 'figures' },
        figure(texts.connection, this.#transport),
        figure(texts.sound, this.#quality),
        figure(texts.roundTrip, this.#roundTrip),
        figure(texts.lostUp, this.#lost),
        figure(texts.latePackets, this.#needs),
        figure(texts.here, this.#here),
        build('div', { class: 'wide' }, build('dt', {}, texts.address), this.#address),
      ),
      build('div', { class: 'actions' }, this.#remove),
    );
  }

  /** @param {any} person  of the answer to GET /api/rooms/<room> */
  show({ label, transport, quality, muted, hand, recorded, peer, seconds, stats }) {
    this.label = label;
    setText(this.#name, label);
    const signs = [muted && texts.muted, hand > 0 && texts.hand, recorded && texts.recorded].filter(Boolean).join(', ');
    setText(this.#signs, signs);
    this.#signs.hidden = signs === '';
    setText(this.#transport, texts.transport(transport));
    setText(this.#quality, texts.quality(quality));
    this.#quality.className = quality === 1 ? 'bad' : '';
    setText(this.#roundTrip, milliseconds(stats.roundTripMs));
    setText(this.#lost, percentage(stats.lostPercent5s));
    // Of one who has sent nothing, nothing is known.
    setText(this.#needs, milliseconds(stats.receivedPercent === null ? null : stats.neededDelayMs));
    setText(this.#here, duration(seconds));
    setText(this.#address, peer);
    this.#remove.setAttribute('aria-label', texts.removeWho(label));
  }
}
