/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Member } from '../people/member.js'
 * @import { Moderation } from './moderation.js'
 */

import { z } from 'zod';
import { MAX_BAN_MS } from '../../access/bans.js';
import { ROLES } from '../../access/grant.js';
import { MAX_PASSWORD_LENGTH } from '../../access/room-password.js';
import { MODES } from '../room-mode.js';

/** The longest id of a person, a knock or a ban, in characters. */
const id = z.string().max(64);
const on = z.boolean();

/** The most listeners in one message. */
const LISTENERS_PAGE = 50;

/** What a moderator may ask for, by `action`. */
export const moderateMessage = z.discriminatedUnion('action', [
  z.object({ action: z.literal('mute'), person: id, muted: z.boolean() }),
  z.object({ action: z.literal('lower-hand'), person: id }),
  z.object({
    action: z.literal('remove'),
    person: id,
    banSeconds: z
      .number()
      .min(0)
      .max(MAX_BAN_MS / 1000)
      .default(0),
  }),
  z.object({ action: z.literal('role'), person: id, role: z.enum(ROLES) }),
  z.object({ action: z.literal('lock'), on }),
  z.object({ action: z.literal('lobby'), on }),
  z.object({ action: z.literal('admit'), knock: id }),
  z.object({ action: z.literal('turn-away'), knock: id }),
  z.object({
    action: z.literal('allow'),
    what: z.enum(['chat', 'record']),
    who: z.enum(['everybody', 'moderators']),
  }),
  z.object({
    action: z.literal('password'),
    password: z.string().min(1).max(MAX_PASSWORD_LENGTH).nullable(),
  }),
  z.object({
    action: z.literal('listeners'),
    after: id.optional(),
    find: z.string().max(40).optional(),
  }),
  z.object({ action: z.literal('mode'), mode: z.enum(MODES) }),
  z.object({ action: z.literal('broadcast'), on }),
  z.object({ action: z.literal('end') }),
  z.object({ action: z.literal('bans') }),
  z.object({ action: z.literal('unban'), ban: id }),
]);

/** @typedef {z.infer<typeof moderateMessage>} ModerateMessage */

/**
 * Does what a moderator asks for, and tells them where it can't be done.
 * @param {Moderation} moderation
 * @param {Member} by  who may moderate
 * @param {ModerateMessage} message
 */
export function moderate(moderation, by, message) {
  const code = moderation.mayActNow() ? act(moderation, by, message) : 'too-many-requests';
  if (code !== null) by.refuse('moderate', code, { action: message.action });
}

/**
 * @param {Moderation} moderation
 * @param {Member} by
 * @param {ModerateMessage} message
 * @returns {ErrorCode | null}
 */
function act(moderation, by, message) {
  switch (message.action) {
    case 'mute':
      return moderation.mute(message.person, message.muted, by);
    case 'lower-hand':
      return moderation.lowerHand(message.person, by);
    case 'remove':
      return moderation.remove(message.person, { banMs: message.banSeconds * 1000 }, by);
    case 'role':
      return moderation.setRole(message.person, message.role, by);
    case 'lock':
      return moderation.lock(message.on, by);
    case 'lobby':
      return moderation.lobby(message.on, by);
    case 'admit':
      return moderation.admit(message.knock, by);
    case 'turn-away':
      return moderation.turnAway(message.knock, by);
    case 'allow':
      return moderation.allow(message.what, message.who, by);
    case 'password':
      return moderation.setPassword(message.password, by);
    case 'listeners': {
      const { after, find } = message;
      by.tell({
        type: 'audience',
        find: find ?? '',
        ...moderation.listeners({ after, find, most: LISTENERS_PAGE }),
      });
      return null;
    }
    case 'mode':
      return moderation.setMode(message.mode, by);
    case 'broadcast':
      return moderation.setBroadcast(message.on, by);
    case 'end':
      return moderation.endForAll(by);
    case 'bans':
      by.tell({ type: 'bans', bans: moderation.bans() });
      return null;
    case 'unban':
      return moderation.unban(message.ban, by);
  }
}
