import { readRoomName } from './room-address.js';

/**
 * What the page's address asks for: `/r/<room>?name=&transport=&processing=off`.
 *
 * @typedef {object} Wish
 * @property {string | null} room      null on the first page, and when the address names no room
 * @property {string} name             empty when the address gives none
 * @property {Connection | null} transport
 * @property {boolean} processing      false: the browser is to leave the microphone's sound as it is
 *
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} Connection
 */

export const CONNECTIONS = Object.freeze(
  /** @type {const} */ (['auto', 'webtransport', 'websocket', 'http1']),
);

/**
 * @param {{ pathname: string, search: string }} location
 * @returns {Wish}
 */
export function readAddress({ pathname, search }) {
  const parameters = new URLSearchParams(search);
  return {
    room: pathname.startsWith('/r/') ? readRoomName(pathname) : null,
    name: parameters.get('name') ?? '',
    transport: readConnection(parameters.get('transport')),
    processing: parameters.get('processing') !== 'off',
  };
}

/**
 * @param {unknown} value
 * @returns {Connection | null} null when it is none
 */
export const readConnection = (value) => CONNECTIONS.find((connection) => connection === value) ?? null;

/**
 * @param {string} room
 * @returns {string} the path of the room's page
 */
export const roomPath = (room) => `/r/${encodeURIComponent(room)}`;
