import { readChoices } from '../settings/choices.js';

/**
 * @import { CaptionFields } from '../../shared/messages/fields.js'
 * @import { CallView } from '../../client/call/types.js'
 * @import { CallPage } from '../call/call-panels.js'
 * @import { CaptionsView } from './captions-view.js'
 */

/**
 * Turns captions on for this person, if they have chosen so, and writes those of their own voice
 * while others want them. Nothing else of captions is loaded before.
 */
export class CaptionSwitch {
  #page;
  /** @type {Promise<CaptionsView | null> | null} */
  #view = null;
  /** True once this person's own captions are loaded, or being loaded. */
  #hasOwn = false;
  /** The join after which captions were asked for. @type {CallView['joined']} */
  #asked = null;

  /** @param {CallPage} page */
  constructor(page) {
    this.#page = page;
    page.current.store.subscribe(['state', 'joined', 'captions'], (now) => {
      if (now.state === 'joined' && now.joined !== this.#asked) {
        this.#asked = now.joined;
        if (readChoices().captions) this.chosen();
      }
      if (now.state === 'idle') void this.#view?.then((view) => view?.clear());
      if (now.captions.on && !this.#hasOwn) void this.#write();
    });
  }

  /** Follows a changed choice. */
  chosen() {
    const want = readChoices().captions;
    this.#page.current.send({ type: 'captions', want });
    if (want) this.#view ??= this.#open();
    void this.#view?.then((view) => view?.toggle(readChoices().captions));
  }

  /** @param {number} retryMs  time until the server accepts another wish */
  refused(retryMs) {
    setTimeout(() => this.chosen(), retryMs);
  }

  /** @param {CaptionFields} caption */
  show(caption) {
    void this.#view?.then((view) => view?.add(caption));
  }

  async #open() {
    const opening = import('./captions-view.js').then(({ CaptionsView }) => CaptionsView.open());
    const view = await this.#page.notices.loaded(opening);
    if (view === null) this.#view = null;
    return view;
  }

  async #write() {
    this.#hasOwn = true;
    try {
      const { OwnCaptions } = await import('./own-captions.js');
      new OwnCaptions(this.#page);
    } catch {
      // The next wish tries again.
      this.#hasOwn = false;
    }
  }
}
