/**
 * The client as a module: what this server's own pages use, for the pages of other sites, too
 * (docs/embedding.md). It comes from the server that it connects to, so that both have one version.
 *
 *     import { join } from 'https://talk.example.org/public/aloud.js';
 *     const call = await join({ room: 'tea', name: 'Ada' });
 *     call.store.subscribe(['people'], ({ people }) => show(people));
 */

import { Call } from './call.js';
import { readLink } from './shared/links.js';
import { noticeText } from './texts/failures.js';

export { Call };

/**
 * @typedef {object} JoinOptions
 * @property {string} room  its name on the server of this module, or a room's whole link with the
 *   token, key or invitation behind its "#"
 * @property {string} [name]  that others see; 'Guest' by default
 * @property {boolean} [listen]  true: joins the audience, and needs no microphone
 * @property {string} [microphone]  device id; '' (default): the default microphone
 * @property {string} [speaker]  device id; '' (default): the default speaker
 * @property {boolean} [muted]  true: nobody hears this person until mute(false)
 * @property {boolean} [music]  true: nothing of the microphone's sound is taken for noise or echo
 * @property {string} [password]  of the room
 * @property {string} [token]  of an invitation, if the link has none
 * @property {'auto' | 'webtransport' | 'websocket' | 'http1'} [transport]
 */

/** Reason why a room could not be joined, as a code of the protocol and as a sentence. */
export class JoinError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(noticeText(code));
    this.name = 'JoinError';
    this.code = code;
  }
}

/**
 * Joins a room: from then on this person hears the others, and speaks unless muted. Call it from a
 * press, because browsers start sound only then.
 * @param {JoinOptions} options
 * @returns {Promise<Call>} rejects with a JoinError, or with a TypeError for an address that is no
 *   room's
 */
export const join = async (options) => joined(callOf(options));

/**
 * @param {JoinOptions} options
 * @returns {Call} that hasn't joined yet
 * @throws {TypeError} for an address that is no room's
 */
export function callOf({ room, name = 'Guest', listen = false, password, music = false, ...own }) {
  const here = new URL(import.meta.url).origin;
  const isLink = /^https?:/i.test(room);
  const link = isLink ? readLink(room) : readLink(here, room);
  const { origin, e2eKey, stage, token = own.token } = link;
  return new Call({
    origin,
    join: { room: link.room, name, listen: listen || undefined, password, token, stage },
    e2eKey,
    muted: own.muted ?? false,
    transport: own.transport ?? 'auto',
    microphoneId: listen ? null : (own.microphone ?? ''),
    speakerId: own.speaker ?? '',
    ...(music && { processing: false, silenceSuppression: false }),
  });
}

/** @param {Call} call @returns {Promise<Call>} rejects with a JoinError */
export async function joined(call) {
  await call.join();
  const { end } = call.store.value;
  if (end) throw new JoinError(end.code);
  return call;
}
