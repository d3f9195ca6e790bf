/**
 * Rooms' names and addresses.
 *
 * @typedef {object} PageAddress what the page's address asks for:
 *   `/r/<room>?name=&transport=&processing=off&listen`
 * @property {string | null} room      null on the first page, and when the address names no room
 * @property {string} name             empty when the address gives none
 * @property {Connection | null} transport
 * @property {boolean} processing      false: the browser leaves the microphone's sound as it is
 * @property {boolean} listen only to listen, as one of the audience: the page asks for no
 *   microphone
 * @property {string} [token]          of the invitation: see takeInvitation
 * @property {string} [stage]          the key of a broadcast's stage: see takeStage
 * @property {string} [e2eKey] behind `#e2e=`: the key of a room that is encrypted end to end, which
 *   no server is sent
 *
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} Connection
 */

import { roomOfLink } from '../../shared/links.js';
import { roomNameError } from '../../shared/text.js';

export const CONNECTIONS = Object.freeze(
  /** @type {const} */ (['auto', 'webtransport', 'websocket', 'http1']),
);

/**
 * Reads a room's name from a typed or pasted text: a name, or a room's link. Spaces become hyphens.
 * @param {string} typed
 * @returns {string | null} null for anything else
 */
export function readRoomName(typed) {
  const name = roomOfLink(typed) ?? typed.trim().replace(/\s+/g, '-');
  return roomNameError(name) === null ? name : null;
}

/**
 * @param {{ pathname: string, search: string, hash?: string }} location
 * @returns {PageAddress}
 */
export function readAddress({ pathname, search, hash = '' }) {
  const parameters = new URLSearchParams(search);
  return {
    room: /^\/r\//i.test(pathname) ? readRoomName(pathname) : null,
    name: parameters.get('name') ?? '',
    transport: readConnection(parameters.get('transport')),
    processing: parameters.get('processing') !== 'off',
    listen: parameters.has('listen') && parameters.get('listen') !== 'off',
    e2eKey: new URLSearchParams(hash.slice(1)).get('e2e') ?? undefined,
  };
}

/**
 * @param {unknown} value
 * @returns {Connection | null} null for anything else
 */
export const readConnection = (value) =>
  CONNECTIONS.find((connection) => connection === value) ?? null;

/**
 * Returns the address of a room's page, without query and key.
 * @param {Pick<Location, 'origin' | 'pathname'>} location  of a room's page
 */
const pageOf = ({ origin, pathname }) => origin + roomPath(readRoomName(pathname) ?? '');

/**
 * Returns a room's link for others: without its query, which has this person's name, and with the
 * room's key.
 * @param {{ origin: string, pathname: string, hash: string }} location
 */
export function roomLink({ hash, ...location }) {
  const key = new URLSearchParams(hash.slice(1)).get('e2e');
  return pageOf(location) + (key === null ? '' : `#e2e=${encodeURIComponent(key)}`);
}

/**
 * @param {string} room
 * @returns {string} the path of the room's page
 */
export const roomPath = (room) => `/r/${encodeURIComponent(room)}`;

/**
 * @param {Pick<Location, 'origin' | 'pathname'>} location  of a room's page
 * @param {string} key  of the stage of the room's broadcast
 * @returns {string} link with which others enter the stage
 */
export const stageLink = (location, key) =>
  `${pageOf(location)}?stage#stage=${encodeURIComponent(key)}`;

/**
 * @param {Pick<Location, 'origin' | 'pathname'>} location of a room's page
 * @returns {string} address to which a program sends a stream
 */
export const streamLink = ({ origin, pathname }) =>
  `${origin}/listen/${encodeURIComponent(readRoomName(pathname) ?? '')}`;

/**
 * @param {Pick<Location, 'origin' | 'pathname'>} location of a room's page
 * @returns {string} link for listeners
 */
export const listenLink = (location) => `${pageOf(location)}?listen`;
