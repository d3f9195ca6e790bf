import { moderate } from '../../client/call/moderate.js';
import { build, keepFocus, makeButton, makeField, setText } from '../kit/element.js';
import { streamLink } from '../green-room/room-address.js';
import { panelTexts as texts } from '../../texts/room-panel.js';

/**
 * @import { Access } from '../../client/call/types.js'
 * @import { Send } from '../call/current-call.js'
 */

/** Part of the panel Room for a program that sends a stream to the stage: address and key. */
export class StreamControls {
  #hint = build('p', { class: 'hint', id: 'stream-hint', 'aria-live': 'polite' });
  #toggle;
  #revoke;
  #address = build('input', { id: 'stream-address', type: 'text', readonly: true });
  #details;
  #key = '';
  element;

  /**
   * @param {Send} send
   * @param {(text: string, copied: string) => void} copy copied: what is said once it is done
   */
  constructor(send, copy) {
    const ask = (/** @type {boolean} */ on) => () => send(moderate.streamKey(on));
    this.#toggle = makeButton('button', texts.makeStreamKey, ask(true));
    this.#toggle.setAttribute('aria-describedby', this.#hint.id);
    this.#revoke = makeButton('button small danger', texts.revokeStreamKey, ask(false));
    this.#address.value = streamLink(location);
    this.#details = makeField(
      texts.streamAddress,
      this.#address,
      build(
        'div',
        { class: 'check-row' },
        makeButton('button small', texts.copyStreamAddress, () =>
          copy(this.#address.value, texts.streamAddressCopied),
        ),
        makeButton('button small', texts.copyStreamKey, () =>
          copy(this.#key, texts.streamKeyCopied),
        ),
        this.#revoke,
      ),
    );
    this.element = build('section', { class: 'field' }, this.#toggle, this.#hint, this.#details);
  }

  /** @param {Access} access */
  show({ streamKey, e2e }) {
    // A program has no key to encrypt with.
    this.element.hidden = e2e;
    this.#key = streamKey ?? '';
    const isOn = streamKey !== null;
    setText(this.#toggle, isOn ? texts.newStreamKey : texts.makeStreamKey);
    setText(this.#hint, isOn ? texts.streamOnHint : texts.streamOffHint);
    keepFocus(
      () => (this.#details.hidden = !isOn),
      () => this.#toggle,
    );
  }
}
