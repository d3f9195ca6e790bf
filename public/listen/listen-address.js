/**
 * The address of the listeners' page: `/r/<room>?listen&embed&name=&transport=`, or `/r/<room>` of
 * a room that is live.
 *
 * @import { TransportChoice } from '../client/call/types.js'
 *
 * @typedef {object} ListenAddress
 * @property {string} room
 * @property {boolean} asks the address itself asks to listen
 * @property {boolean} isEmbedded in a frame of another page
 * @property {string} name        empty where the address gives none
 * @property {TransportChoice} transport
 * @property {string} [e2eKey]    behind `#e2e=`: the key of a room that is encrypted end to end
 */

import { roomOfLink } from '../shared/links.js';

/**
 * @param {Pick<Location, 'pathname' | 'search' | 'hash'>} location
 * @returns {ListenAddress}
 */
export function addressOf({ pathname, search, hash }) {
  const parameters = new URLSearchParams(search);
  const transport = parameters.get('transport');
  return {
    room: roomOfLink(pathname) ?? '',
    asks: parameters.has('listen') || parameters.has('embed'),
    isEmbedded: parameters.has('embed'),
    name: parameters.get('name') ?? '',
    transport:
      transport === 'webtransport' || transport === 'websocket' || transport === 'http1'
        ? transport
        : 'auto',
    e2eKey: new URLSearchParams(hash.slice(1)).get('e2e') ?? undefined,
  };
}

/**
 * Returns the address of the call's page for a person who is invited to the stage.
 * @param {Pick<Location, 'pathname' | 'search'>} location
 * @param {{ token?: string, stage?: string }} invitation
 * @returns {string | null} null without an invitation
 */
export function stageAddress({ pathname, search }, { token, stage }) {
  if (token === undefined && stage === undefined) return null;
  const parameters = new URLSearchParams(search);
  parameters.set('stage', '');
  const secrets = new URLSearchParams({
    ...(token !== undefined && { token }),
    ...(stage !== undefined && { stage }),
  });
  return `${pathname}?${parameters}#${secrets}`;
}
