/**
 * @import { LabConfig } from '../runs/protocol.js'
 * @import { Protocol } from '../runs/protocol.js'
 */

import { build } from '../../ui/kit/element.js';
import { added } from '../runs/protocol.js';
import { browserLacks, hintOf, nameOf } from '../texts.js';

/** Dashes of the transports' lines. @type {Readonly<Record<Protocol, number[]>>} */
const dashes = Object.freeze({ webtransport: [], websocket: [9, 5], http1: [2, 4] });

/**
 * A protocol's line: a colour of the style sheet, and dashes for people who can't distinguish
 * colours.
 * @param {Protocol} protocol
 */
export const lineOf = (protocol) => ({
  color: `--${protocol}`,
  dash: added.get(protocol)?.dash ?? dashes[protocol],
});

/**
 * The reason why a protocol can't be measured here.
 * @param {Protocol} protocol
 * @param {LabConfig} config
 * @param {{ WebTransport?: unknown, isSecureContext?: boolean }} scope the window
 * @returns {string} a sentence; empty when it can be measured
 */
export function unsupportedReason(protocol, config, scope) {
  const { transport = protocol, lacks = () => '' } = added.get(protocol) ?? {};
  const offers = /** @type {Record<string, unknown>} */ (config.transports);
  if (!offers[transport]) return config.unavailable?.[transport] ?? browserLacks.notOffered;
  if (transport !== 'webtransport' || typeof scope.WebTransport === 'function') return lacks();
  return scope.isSecureContext ? browserLacks.webtransport : browserLacks.insecure;
}

/** A choice of protocols, several or one. */
export class ProtocolChoice {
  /** @type {Map<Protocol, HTMLInputElement>} */
  #inputs = new Map();
  #fieldset;

  /**
   * @param {HTMLElement} host in a fieldset
   * @param {{ type: 'checkbox' | 'radio', reasons: ReadonlyMap<Protocol, string> }} options
   *   reasons: reason why a protocol can't be chosen; empty if it can
   */
  constructor(host, { type, reasons }) {
    this.#fieldset = host.closest('fieldset');
    for (const [protocol, reason] of reasons) {
      const input = build('input', {
        type,
        name: `${host.id}-protocol`,
        value: protocol,
        disabled: reason !== '',
      });
      input.checked = reason === '' && (type === 'checkbox' || this.chosen.length === 0);
      this.#inputs.set(protocol, input);
      const hint = build('span', { class: 'hint' }, reason || hintOf(protocol));
      const text = build('span', { class: 'choice-text' }, nameOf(protocol), hint);
      host.append(build('label', { class: 'choice' }, input, makeSwatch(protocol), text));
    }
  }

  /** @param {boolean} isBusy disables the choice, during a run */
  busy(isBusy) {
    if (this.#fieldset) this.#fieldset.disabled = isBusy;
  }

  /** @returns {Protocol[]} */
  get chosen() {
    return [...this.#inputs].filter(([, input]) => input.checked).map(([protocol]) => protocol);
  }
}

/** Makes a sample of a protocol's line. @param {Protocol} protocol */
const makeSwatch = (protocol) =>
  build('span', { class: `swatch ${protocol}`, 'aria-hidden': 'true' });

/**
 * Fills a legend of the protocols' lines.
 * @param {HTMLElement} host
 * @param {readonly Protocol[]} protocols
 */
export function fillLegend(host, protocols) {
  if (host.dataset.protocols === protocols.join()) return;
  host.dataset.protocols = protocols.join();
  host.replaceChildren(
    ...protocols.map((protocol) => build('li', {}, makeSwatch(protocol), nameOf(protocol))),
  );
}

/**
 * Fills a table, whose caption stays.
 * @param {HTMLTableElement} table
 * @param {readonly string[]} columns the columns' heads
 * @param {readonly (readonly string[])[]} rows each as long as columns; the first cell is the row's
 *   head
 */
export function fillTable(table, columns, rows) {
  const head = build(
    'thead',
    {},
    makeRow(columns, () => 'col'),
  );
  const body = build(
    'tbody',
    {},
    ...rows.map((row) => makeRow(row, (column) => (column === 0 ? 'row' : null))),
  );
  table.tHead?.remove();
  for (const old of table.tBodies) old.remove();
  table.append(head, body);
}

/**
 * @param {readonly string[]} cells
 * @param {(column: number) => string | null} scope of a head; null for a cell that is no head
 */
function makeRow(cells, scope) {
  return build(
    'tr',
    {},
    ...cells.map((text, column) => {
      const kind = scope(column);
      return kind ? build('th', { scope: kind }, text) : build('td', {}, text);
    }),
  );
}
