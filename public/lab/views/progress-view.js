import { elementOf, setText } from '../../ui/kit/element.js';
import { texts } from '../texts.js';

/** The progress of a run. */
export class ProgressView {
  #host;
  #bar;
  #text;

  /** @param {string} id of the run's form */
  constructor(id) {
    this.#host = elementOf(`${id}-progress`, HTMLElement);
    this.#bar = elementOf(`${id}-bar`, HTMLProgressElement);
    this.#text = elementOf(`${id}-text`, HTMLElement);
  }

  begin() {
    this.#host.hidden = false;
    this.show(0, texts.opening);
  }

  /**
   * @param {number | null} done 0 to 1; null for a run without an end of its own
   * @param {string} text
   */
  show(done, text) {
    this.#bar.hidden = done === null;
    this.#bar.value = done ?? 0;
    setText(this.#text, text);
  }

  end() {
    this.#host.hidden = true;
  }
}
