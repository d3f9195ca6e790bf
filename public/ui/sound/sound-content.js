import { build } from '../kit/element.js';
import { SoundHistory } from './sound-history.js';
import { labels, noticeText, texts } from '../../texts.js';

/**
 * @import { ClientStats } from '../../client/call/client-stats.js'
 * @import { Beat, MetronomeActions } from './metronome-controls.js'
 * @import { Track, TrackActions } from './track-controls.js'
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
  #actions;
  #history = new SoundHistory();
  /** @type {ClientStats | null} */
  #stats = null;
  /** @type {Beat | null} */
  #beat = null;
  /** @type {Track | null} */
  #track = null;
  /** @type {SoundPanel | null} */
  #panel = null;
  #isOpen = false;
  #isLoading = false;

  /**
   * @param {string} room
   * @param {{ announce: (sentence: string) => void, failed: (code: string) => void } &
   *   MetronomeActions & TrackActions} actions
   */
  constructor(room, actions) {
    this.#room = room;
    this.#actions = actions;
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
  add(stats) {
    this.#stats = stats;
    this.#history.add(stats, performance.now());
    if (this.#isOpen) this.#show();
  }

  /** @param {Beat | null} beat  the room's metronome; null: it is off */
  metronome(beat) {
    this.#beat = beat;
    this.#panel?.metronome(beat);
  }

  /** @param {Track | null} track  the room's backing track; null: there is none */
  track(track) {
    this.#track = track;
    this.#panel?.track(track);
  }

  /** Forgets the call, before another one. */
  clear() {
    this.#history.clear();
    this.#stats = null;
  }

  #show() {
    this.#panel?.show(this.#stats, this.#history.samples);
  }

  async #load() {
    this.#isLoading = true;
    try {
      const [{ SoundPanel: Panel }] = await Promise.all([
        import('./sound-panel.js'),
        addStyle(STYLE),
      ]);
      this.#panel = new Panel(this.#room, this.#actions);
      this.#panel.metronome(this.#beat);
      this.#panel.track(this.#track);
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
