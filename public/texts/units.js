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

/** @param {number} seconds @returns {string} minutes and seconds: 1:02 */
export function minutesText(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

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
