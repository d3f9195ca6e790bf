import { language, locale } from './language.js';

/** Units and signs that are the same in every language. */

/** The names of the connections. @type {Readonly<Record<string, string>>} */
export const connectionNames = Object.freeze({
  webtransport: 'WebTransport',
  websocket: 'WebSocket',
  http1: 'HTTP/1',
  icecast: 'Icecast',
  whip: 'WHIP',
  whep: 'WHEP',
});

/** @param {number} seconds @returns {string} 1:02 or 1:00:02 */
export function timeText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ value) => String(value % 60).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return whole < 3600
    ? `${minutes}:${two(whole)}`
    : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(whole)}`;
}

/** @param {'kilobyte' | 'megabyte'} unit @param {number} digits */
const formatOf = (unit, digits) =>
  new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
const kilobytes = formatOf('kilobyte', 0);
const megabytes = formatOf('megabyte', 1);

/** @param {number} bytes @returns {string} 12 kB or 1.2 MB */
export const sizeText = (bytes) =>
  bytes < 1e6
    ? kilobytes.format(Math.max(1, Math.round(bytes / 1e3)))
    : megabytes.format(bytes / 1e6);

/** Formats by language and digits. @type {Map<string, Intl.NumberFormat>} */
const decimals = new Map();

/**
 * Writes a number with the language's decimal separator.
 * @param {number} value
 * @param {number} digits  after the separator
 * @param {string} [code]  BCP 47
 */
export function decimalText(value, digits, code = language) {
  const key = `${code} ${digits}`;
  const format =
    decimals.get(key) ??
    new Intl.NumberFormat(code, {
      ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
      useGrouping: false,
    });
  decimals.set(key, format);
  return format.format(value);
}

/** Names a playing speed. @param {number} factor */
export const speedText = (factor) => `${factor.toLocaleString(locale)} ×`;

/** Texts that are the same in every language. */
export const neutralTexts = Object.freeze({
  title: 'aloud',
  tabTitle: (
    /** @type {string} */ room,
    /** @type {string} */ state,
    /** @type {number} */ unread,
  ) => `${unread > 0 ? `(${unread}) ` : ''}${state ? `${state} · ` : ''}${room} · aloud`,
  version: (/** @type {string} */ version) => `aloud ${version}`,
  plays: (/** @type {string} */ title) => `♪ ${title}`,
  metronomeBadge: (/** @type {number} */ bpm) => `♩ = ${bpm}`,
  trackBadge: (/** @type {string} */ track) => `♫ ${track}`,
});
