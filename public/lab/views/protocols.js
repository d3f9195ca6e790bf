/**
 * @import { ServerConfig } from '../../client/connection/choose.js'
 * @import { TransportName } from '../../client/connection/connection.js'
 */

import { make } from '../../ui/kit/element.js';
import { browserLacks, nameOf, protocolHints } from '../texts.js';

/** All there are, in the order in which they are shown. */
export const PROTOCOLS = Object.freeze(/** @type {const} */ (['webtransport', 'websocket', 'http1']));

/** How each is drawn: a colour of the style sheet, and dashes for those who don't see colours. */
export const protocolLines = Object.freeze({
  webtransport: { color: '--webtransport', dash: [] },
  websocket: { color: '--websocket', dash: [9, 5] },
  http1: { color: '--http1', dash: [2, 4] },
});

/**
 * Why a protocol can't be measured here.
 * @param {TransportName} protocol
 * @param {ServerConfig} config
 * @param {{ WebTransport?: unknown, isSecureContext?: boolean }} scope the window
 * @returns {string} a sentence; empty when it can
 */
export function whyNot(protocol, config, scope) {
  if (!config.transports[protocol]) return config.unavailable?.[protocol] ?? browserLacks.notOffered;
  if (protocol !== 'webtransport' || typeof scope.WebTransport === 'function') return '';
  return scope.isSecureContext ? browserLacks.webtransport : browserLacks.insecure;
}

/** Protocols to choose from: any of them, or one of them. */
export class ProtocolChoice {
  /** @type {Map<TransportName, HTMLInputElement>} */
  #inputs = new Map();
  #fieldset;

  /**
   * @param {HTMLElement} host in a fieldset
   * @param {{ type: 'checkbox' | 'radio', reasons: ReadonlyMap<TransportName, string> }} options
   *   reasons: why one can't be chosen; empty where it can
   */
  constructor(host, { type, reasons }) {
    this.#fieldset = host.closest('fieldset');
    for (const [protocol, reason] of reasons) {
      const input = make('input');
      Object.assign(input, { type, name: `${host.id}-protocol`, value: protocol, disabled: reason !== '' });
      input.checked = reason === '' && (type === 'checkbox' || this.chosen.length === 0);
      this.#inputs.set(protocol, input);
      const label = make('label', 'choice');
      const text = make('span', 'choice-text', nameOf(protocol));
      text.append(make('span', 'hint', reason || protocolHints[protocol]));
      label.append(input, makeSwatch(protocol), text);
      host.append(label);
    }
  }

  /** @param {boolean} isBusy whether a run goes on: nothing can be chosen then */
  busy(isBusy) {
    if (this.#fieldset) this.#fieldset.disabled = isBusy;
  }

  /** @returns {TransportName[]} */
  get chosen() {
    return [...this.#inputs].filter(([, input]) => input.checked).map(([protocol]) => protocol);
  }
}

/**
 * The colour and dashes of a protocol's line.
 * @param {TransportName} protocol
 */
function makeSwatch(protocol) {
  const swatch = make('span', `swatch ${protocol}`);
  swatch.ariaHidden = 'true';
  return swatch;
}

/**
 * Says which line is which.
 * @param {HTMLElement} host
 * @param {readonly TransportName[]} protocols
 */
export function fillLegend(host, protocols) {
  if (host.dataset.protocols === protocols.join()) return;
  host.dataset.protocols = protocols.join();
  host.replaceChildren(
    ...protocols.map((protocol) => {
      const item = make('li', '', nameOf(protocol));
      item.prepend(makeSwatch(protocol));
      return item;
    }),
  );
}
