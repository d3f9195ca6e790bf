/**
 * The control messages by which a moderator moderates: a part of the table of commands.
 *
 * @import { Command } from './commands.js'
 */

import { z } from 'zod';
import { AUDIENCES, ROLES } from '../access/grants.js';
import { MAX_PASSWORD } from '../access/password.js';

/** The longest id, in characters: the server makes none that are longer. */
const MAX_ID_LENGTH = 64;

/** The longest ban, in seconds: 30 days. */
export const MAX_BAN_S = 30 * 24 * 3600;

const id = z.string().max(MAX_ID_LENGTH);
const on = z.boolean();

/** A ban, as a moderator and the API ask for one. */
export const banSchema = z.object({ by: z.enum(['identity', 'address']), seconds: z.number().min(1).max(MAX_BAN_S) });

/**
 * @template {z.ZodType} S
 * @param {S} schema
 * @param {Command<S>['run']} run
 * @returns {Command<S>}
 */
const define = (schema, run) => ({ schema, needs: () => 'moderate', run });

/** Who did something, as the log has it. @param {{ id: string }} member */
const by = (member) => `person ${member.id}`;

export const MODERATOR_COMMANDS = Object.freeze({
  muteOther: define(z.object({ person: id, muted: on }), ({ moderation }, member, { person, muted }) =>
    moderation.mute(person, muted, by(member)),
  ),
  lowerHand: define(z.object({ person: id }), ({ moderation }, member, { person }) => moderation.lowerHand(person, by(member))),
  remove: define(z.object({ person: id, ban: banSchema.optional() }), ({ moderation }, member, { person, ban }) =>
    moderation.remove(person, { ban }, by(member)),
  ),
  role: define(z.object({ person: id, role: z.enum(ROLES) }), ({ moderation }, member, { person, role }) =>
    moderation.setRole(person, role, by(member)),
  ),
  lock: define(z.object({ on }), ({ moderation }, member, message) => moderation.lock(message.on, by(member))),
  lobby: define(z.object({ on }), ({ moderation }, member, message) => moderation.lobby(message.on, by(member))),
  admit: define(z.object({ knock: id }), ({ moderation }, member, { knock }) => moderation.admit(knock, by(member))),
  turnAway: define(z.object({ knock: id }), ({ moderation }, member, { knock }) => moderation.turnAway(knock, by(member))),
  allow: define(
    z.object({ what: z.enum(['chat', 'record']), who: z.enum(AUDIENCES) }),
    ({ moderation }, member, { what, who }) => moderation.allow(what, who, by(member)),
  ),
  password: define(z.object({ password: z.string().min(1).max(MAX_PASSWORD).nullable() }), ({ moderation }, member, { password }) =>
    void moderation.setPassword(password, by(member)).then((code) => code && member.refuse('password', code)),
  ),
  endForAll: define(z.object({}), ({ moderation }, member) => moderation.endForAll(by(member))),
});
