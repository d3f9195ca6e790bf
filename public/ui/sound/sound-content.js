import { addStyle } from '../kit/element.js';
import { LazyPanel } from '../kit/lazy-panel.js';
import { SoundHistory } from './sound-history.js';
import { labels } from '../../texts/texts.js';

/**
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { SoundPanel } from './sound-panel.js'
 */

const STYLE = '/public/ui/sound/sound.css';

/**
 * The content Sound of the side panel. It keeps the call's history.
 * @extends {LazyPanel<SoundPanel>}
 */
export class SoundContent extends LazyPanel {
  #current;
  #history = new SoundHistory();

  /**
   * @param {string} room
   * @param {CurrentCall} current
   * @param {Notices} notices
   */
  constructor(room, current, notices) {
    super(labels.soundPanel, async () => {
      const [{ SoundPanel }] = await Promise.all([import('./sound-panel.js'), addStyle(STYLE)]);
      const panel = new SoundPanel(room, current, notices, this.#history);
      this.#show(panel);
      return { panel, parts: panel.parts };
    });
    this.#current = current;
    current.store.subscribe(['stats'], ({ stats }) => {
      if (stats === null) return this.#history.clear();
      this.#history.add(stats, performance.now());
      if (this.isOpen) this.#show(this.panel);
    });
  }

  /** @override */
  opened() {
    super.opened();
    this.#show(this.panel);
  }

  /** @param {SoundPanel | null} panel */
  #show(panel) {
    panel?.show(this.#current.store.value.stats);
  }
}
