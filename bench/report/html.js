/** HTML from templates in which everything from outside is escaped. */

/** Text that is markup already. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {string} text */
export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/**
 * A template's tag: values are escaped, save Markup; lists are joined, and nothing stands for
 * undefined, null and false.
 *
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 * @returns {Markup}
 */
export function html(strings, ...values) {
  return new Markup(strings.reduce((text, string, i) => text + render(values[i - 1]) + string));
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function render(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return escapeHtml(String(value));
}
