/**
 * What the operator's API of one node may ask another to do in a room: by the names of RoomAct,
 * each with the schema of its arguments. Another node's request is checked as a request of the API
 * is.
 */

import { z } from 'zod';
import { MAX_BAN_MS } from '../access/bans.js';
import { personChange, roomChange } from './schemas.js';

const id = z.string().max(64);

/** The operator, with the address that the request came from. */
const by = z.object({
  id: z.literal('operator'),
  label: z.string().max(100),
  peer: z.string().max(100).optional(),
});

export const ACT_REQUESTS = Object.freeze({
  describe: z.tuple([]),
  count: z.tuple([]),
  change: z.tuple([roomChange, by]),
  end: z.tuple([by]),
  listeners: z.tuple([
    z.object({ after: id.optional(), find: id.optional(), most: z.number().int().min(1).max(100) }),
  ]),
  changePerson: z.tuple([id, personChange, by]),
  remove: z.tuple([id, z.object({ banMs: z.number().min(0).max(MAX_BAN_MS).optional() }), by]),
  admit: z.tuple([id, by]),
  turnAway: z.tuple([id, by]),
  bans: z.tuple([]),
  unban: z.tuple([id, by]),
  stopRecording: z.tuple([z.string().max(100)]),
});

/**
 * @param {string} act
 * @param {unknown[]} args
 * @returns {unknown[] | null} the arguments; null where there is no such act, or it takes others
 */
export function readAct(act, args) {
  if (!Object.hasOwn(ACT_REQUESTS, act)) return null;
  const parsed = ACT_REQUESTS[/** @type {keyof typeof ACT_REQUESTS} */ (act)].safeParse(args);
  return parsed.success ? parsed.data : null;
}
