import { moderate } from '../../client/call/moderate.js';
import { build, makeButton, setText } from '../kit/element.js';
import { stageLink } from '../lobby/room-address.js';
import { panelTexts as texts } from '../../texts/room-panel.js';

/**
 * @import { Access } from '../../client/call/access-state.js'
 * @import { Send } from './person-dialog.js'
 */

/** Going live, in the panel Room, and the link by which others come onto the stage. */
export class BroadcastControls {
  #hint = build('p', { class: 'hint', id: 'broadcast-hint', 'aria-live': 'polite' }, texts.offHint);
  #toggle;
  #copy;
  #linkHint = build('p', { class: 'hint' }, texts.stageLinkHint);
  #isOn = false;
  #key = '';
  element;

  /**
   * @param {Send} send
   * @param {(link: string) => void} copy  copies a link
   */
  constructor(send, copy) {
    this.#toggle = makeButton('button', texts.goLive, () => send(moderate.broadcast(!this.#isOn)));
    this.#toggle.setAttribute('aria-describedby', this.#hint.id);
    this.#copy = makeButton('button small', texts.copyStageLink, () =>
      copy(stageLink(location, this.#key)),
    );
    this.element = build(
      'section',
      { class: 'field' },
      this.#toggle,
      this.#hint,
      this.#copy,
      this.#linkHint,
    );
  }

  /** @param {Access} access */
  show({ rules: { broadcast }, stage, e2e }) {
    // What the server can't hear it can't broadcast.
    this.element.hidden = e2e && !broadcast;
    this.#isOn = broadcast;
    this.#key = stage;
    setText(this.#toggle, broadcast ? texts.endBroadcast : texts.goLive);
    this.#toggle.classList.toggle('danger', broadcast);
    setText(this.#hint, broadcast ? texts.onHint : texts.offHint);
    this.#copy.hidden = this.#linkHint.hidden = !broadcast || stage === '';
  }
}
