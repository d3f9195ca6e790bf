/**
 * What clients may say in control messages. Everything else is counted and changes nothing; fields
 * that aren't known are ignored.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 */

import { z } from 'zod';
import { CHANNELS } from '../../public/shared/audio-format.js';
import { nameError, roomNameError } from '../../public/shared/text.js';
import { MAX_SERVER_DELAY_MS } from '../config/options.js';

/** The control protocol's version: a page and a server of different ones can't talk. */
const CONTROL_VERSION = 1;

/** The lengths that the first in a room may ask for, in milliseconds: shorter ones cost everybody too many packets. */
const ROOM_FRAME_MS = [10, 20];

/** The loudest that one may have another, as a factor of amplitude. */
const MAX_GAIN = 4;

/** Of ids and tokens: longer ones are none of the server's. */
const MAX_ID_LENGTH = 64;

const serverDelayMs = z.number().min(0).max(MAX_SERVER_DELAY_MS);

const joinMessage = z
  .object({
    type: z.literal('join'),
    version: z.literal(CONTROL_VERSION),
    room: z.string().default(''),
    name: z.string(),
    delivery: z.enum(['tick', 'reply']).optional(),
    serverDelayMs: serverDelayMs.optional(),
    // One that can't be a token is as good as none.
    resume: z.string().max(MAX_ID_LENGTH).optional().catch(undefined),
    mirror: z.boolean().optional(),
    channels: z.union(CHANNELS.map((count) => z.literal(count))).optional(),
    frameMs: z.union(ROOM_FRAME_MS.map((ms) => z.literal(ms))).optional(),
  })
  .refine((message) => message.serverDelayMs === undefined || message.delivery === 'reply');

/** Of the way down, and of the sound cards: only the client knows. */
const reportMessage = z.object({
  type: z.literal('report'),
  lostPercent: z.number().min(0).max(100),
  playoutDelayMs: z.number().min(0).max(10_000).optional(),
  soundLatencyMs: z.number().min(0).max(60_000).optional(),
  driftPpm: z.number().min(-10_000).max(10_000).optional(),
});

const roomMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('mute'), muted: z.boolean() }),
  z.object({ type: z.literal('leave') }),
  z.object({ type: z.literal('delay'), serverDelayMs }),
  z.object({ type: z.literal('hand'), raised: z.boolean() }),
  z.object({ type: z.literal('chat'), text: z.string() }),
  z.object({
    type: z.literal('volume'),
    person: z.string().max(MAX_ID_LENGTH),
    gain: z.number().min(0).max(MAX_GAIN),
  }),
  z.object({ type: z.literal('record'), on: z.boolean() }),
  z.object({ type: z.literal('recordConsent'), agreed: z.boolean() }),
  reportMessage,
]);

/**
 * @typedef {z.infer<typeof joinMessage>} JoinMessage
 * @typedef {z.infer<typeof roomMessage>} RoomMessage
 */

/**
 * @param {unknown} message the first that a session sent
 * @returns {JoinMessage | ErrorCode} the code when it isn't a good join
 */
export function readJoin(message) {
  const parsed = joinMessage.safeParse(message);
  if (!parsed.success) {
    const version = /** @type {{ version?: unknown } | null} */ (message)?.version;
    return typeof version === 'number' && version !== CONTROL_VERSION ? 'protocol-version' : 'bad-request';
  }
  const { room, name, mirror } = parsed.data;
  return (mirror ? null : roomNameError(room)) ?? nameError(name) ?? parsed.data;
}

/**
 * @param {unknown} message of somebody who has joined
 * @returns {RoomMessage | null} null when it is none
 */
export function readRoomMessage(message) {
  const parsed = roomMessage.safeParse(message);
  return parsed.success ? parsed.data : null;
}
