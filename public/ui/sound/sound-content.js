import { build } from '../kit/element.js';
import { SoundHistory } from './sound-history.js';
import { labels, noticeText, texts } from '../../texts.js';

/**
 * @import { ClientStats } from '../../client/call/call-stats.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { SoundPanel } from './sound-panel.js'
 */

const STYLE = '/public/ui/sound/sound.css';

/**
 * The content Sound of the side panel. It keeps the call's history, and loads the panel itself when
 * it is first opened.
 */
export class SoundContent {
  title = labels.soundPanel;
  element = build('div', { class: 'stack' }, build('p', { class: 'hint' }, texts.panelLoading));
  #room;
  #current;
  #notices;
  #history = new SoundHistory();
  /** @type {SoundPanel | null} */
  #panel = null;
  #isOpen = false;
  #isLoading = false;

  /**
   * @param {string} room
   * @param {CurrentCall} current
   * @param {Notices} notices
   */
  constructor(room, current, notices) {
    this.#room = room;
    this.#current = current;
    this.#notices = notices;
    current.store.subscribe(['stats'], ({ stats }) => {
      if (stats === null) this.#history.clear();
      else this.#add(stats);
    });
  }

  opened() {
    this.#isOpen = true;
    if (this.#panel) {
      this.#panel.opened();
      this.#show();
    } else if (!this.#isLoading) {
      void this.#load();
    }
  }

  closed() {
    this.#isOpen = false;
    this.#panel?.closed();
  }

  /** @param {ClientStats} stats */
  #add(stats) {
    this.#history.add(stats, performance.now());
    if (this.#isOpen) this.#show();
  }

  #show() {
    this.#panel?.show(this.#current.store.value.stats, this.#history.samples);
  }

  async #load() {
    this.#isLoading = true;
    try {
      const [{ SoundPanel: Panel }] = await Promise.all([
        import('./sound-panel.js'),
        addStyle(STYLE),
      ]);
      this.#panel = new Panel(this.#room, this.#current, this.#notices);
      this.element.replaceChildren(...this.#panel.parts);
      if (this.#isOpen) this.opened();
    } catch {
      this.element.replaceChildren(build('p', { class: 'hint' }, noticeText('panel-failed')));
    }
    this.#isLoading = false;
  }
}

/**
 * @param {string} href
 * @returns {Promise<void>} settled once the style sheet applies; rejects when it can't be loaded
 */
function addStyle(href) {
  const link = build('link', { rel: 'stylesheet', href });
  document.head.append(link);
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => reject(new Error(`no ${href}`)));
  });
}
