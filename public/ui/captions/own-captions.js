import { isAllowed } from '../../client/call/call-view.js';
import { captionTexts as texts } from '../../texts/features.js';
import { Recogniser, recognitionOf } from './recogniser.js';

/**
 * @import { CallPage } from '../call/call-panels.js'
 */

/** Code of the notice that this person's words are written, or could be. */
const NOTICE = 'own-captions';

/**
 * Writes what this person says, while others want captions and no program writes them. Needs a
 * browser that recognises speech on this device.
 */
export class OwnCaptions {
  #page;
  #Recognition = recognitionOf();
  /** Language in which this person speaks: the browser's. */
  #lang = navigator.language;
  /** @type {Recogniser | null} */
  #recogniser = null;
  /** True once this person has said no, or the browser has given up, in this call. */
  #isRefused = false;
  /** True once this person was asked whether the language may be loaded, in this call. */
  #isOffered = false;
  /** True once this person knows that their words are written, while others want that. */
  #isTold = false;
  /** True while the browser is asked for the language. */
  #isAsking = false;
  #isReady = false;

  /** @param {CallPage} page */
  constructor(page) {
    this.#page = page;
    const follow = () => void this.#follow();
    page.current.store.subscribe(['captions', 'state', 'access', 'session'], follow);
    page.own.store.subscribe(['muted'], follow);
  }

  /** True when this person's words are wanted now. */
  get #isWanted() {
    const { captions, state, access } = this.#page.current.store.value;
    const isOn = captions.on && captions.writer === null && state === 'joined';
    return isOn && isAllowed(access, 'speak');
  }

  async #follow() {
    if (this.#page.current.store.value.state === 'idle') this.#isRefused = this.#isOffered = false;
    if (!this.#isWanted) {
      this.#page.notices.settle(NOTICE);
      this.#isTold = false;
    }
    const { muted } = this.#page.own.store.value;
    if (!this.#isWanted || this.#isRefused || muted) return this.#stop();
    if (this.#recogniser || this.#Recognition === null) return;
    if (this.#isReady) return this.#begin();
    if (this.#isAsking) return;
    this.#isAsking = true;
    const wish = { langs: [this.#lang], processLocally: /** @type {const} */ (true) };
    const availability = await this.#Recognition.available(wish).catch(() => 'unavailable');
    this.#isAsking = false;
    this.#isReady = availability === 'available';
    if (this.#isReady) return void this.#follow();
    if (availability !== 'unavailable' && this.#isWanted) this.#offer();
  }

  /** Asks this person whether the browser may load their language, once. */
  #offer() {
    if (this.#isOffered) return;
    this.#isOffered = true;
    this.#page.notices.show(NOTICE, {
      sentence: texts.install,
      action: { label: texts.load, run: () => void this.#install() },
    });
  }

  async #install() {
    this.#page.notices.settle(NOTICE);
    const wish = { langs: [this.#lang], processLocally: /** @type {const} */ (true) };
    this.#isReady = (await this.#Recognition?.install(wish).catch(() => false)) ?? false;
    this.#isRefused = !this.#isReady;
    void this.#follow();
  }

  #begin() {
    const { current, notices } = this.#page;
    if (this.#Recognition === null) return;
    this.#recogniser = new Recogniser({
      Recognition: this.#Recognition,
      lang: this.#lang,
      track: () => current.call?.microphoneTrack ?? null,
      said: (text, final, seconds) =>
        void current.send({ type: 'caption', text, lang: this.#lang, final, seconds }),
      failed: () => {
        this.#recogniser = null;
        this.#isRefused = true;
        notices.show(NOTICE, { sentence: texts.failed });
      },
    });
    // The recogniser may have failed at once.
    if (this.#isRefused) return this.#stop();
    // Not at each unmute: the notice is an alert, which screen readers announce.
    if (this.#isTold) return;
    this.#isTold = true;
    notices.show(NOTICE, {
      sentence: texts.own,
      action: { label: texts.stop, run: () => this.#refuse() },
    });
  }

  #refuse() {
    this.#isRefused = true;
    this.#page.notices.settle(NOTICE);
    void this.#follow();
  }

  #stop() {
    this.#recogniser?.stop();
    this.#recogniser = null;
  }
}
