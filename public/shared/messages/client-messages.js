/**
 * Control messages of clients: each one's meaning, fields, and the permission that it needs. The
 * server reads them by these schemas, which ignore unknown fields. Clients take their types from
 * here, and docs/protocol.md its tables.
 *
 * @import { Permission } from '../limits.js'
 */

import { z } from 'zod';
import {
  LEAST_BITRATE,
  MAX_BAN_SECONDS,
  MAX_CALL_BACK_SECONDS,
  MAX_CAPTION_SECONDS,
  MAX_GAIN,
  MAX_PASSWORD_LENGTH,
  MAX_RESUME_LENGTH,
  MAX_SEALED_CAPTION,
  MAX_SERVER_DELAY_MS,
  MODES,
  MOST_BITRATE,
  ROLES,
} from '../limits.js';
import { NEARNESS } from '../nearness.js';
import { CHANNELS, PCM_BITS, ROOM_FRAME_MS } from '../sound/audio-format.js';
import { BAR_BEATS, BEATS_A_MINUTE, CONTROL_VERSION } from '../wire/control.js';
import { MAX_TRACK_SECONDS } from '../wire/track-piece.js';
import { count, delivery, id, language, languageTag, permitted } from './fields.js';

/** Longest key of a stage or of a stream, in characters. */
const MAX_KEY = 64;

/** Longest title that is read, in UTF-16 units, before it is cut. */
const MAX_TITLE_UNITS = 2000;

const serverDelayMs = z.number().min(0).max(MAX_SERVER_DELAY_MS);
const nearness = z.enum(NEARNESS);
const on = z.boolean();

const CHANNEL_COUNTS = /** @type {readonly (1 | 2)[]} */ (CHANNELS);

const join = z
  .object({
    version: z.literal(CONTROL_VERSION).describe('others are refused with `protocol-version`'),
    room: z.string().default('').describe('1 to 64 of `A–Z a–z 0–9 _ -`'),
    name: z
      .string()
      .describe(
        '1 to 40 characters, at least one visible, no control characters, no marks that change ' +
          'the direction of text; longer names are cut',
      ),
    delivery: delivery.optional().describe("instead of the server's: section 5.6"),
    serverDelayMs: serverDelayMs
      .optional()
      .describe('this participant\'s own delay, in ms; only with `delivery: "reply"`'),
    // A string that can't be a token counts as none.
    resume: z
      .string()
      .max(MAX_RESUME_LENGTH)
      .optional()
      .catch(undefined)
      .describe('the token of an earlier `welcome` or `resume`'),
    mirror: z.boolean().optional().describe('opens a mirror: section 5.5'),
    token: z
      .string()
      .optional()
      .describe(
        'token of the invitation, if the server has `--keys` ([access](access.md)); not needed ' +
          'with `resume` of a kept place. Its name replaces `name`',
      ),
    password: z.string().optional().describe('password of the room, if it has one'),
    listen: z
      .boolean()
      .optional()
      .describe('joins the audience (section 5.9), whatever the token allows'),
    // A string that can't be a key counts as none.
    stage: z
      .string()
      .max(MAX_KEY)
      .optional()
      .catch(undefined)
      .describe("the key of a broadcast's stage: section 5.4"),
    streamKey: z
      .string()
      .max(MAX_KEY)
      .optional()
      .describe(
        "the room's stream key (section 5.10), which stands for token, password and the stage's " +
          'key',
      ),
    owner: z
      .string()
      .optional()
      .describe(
        'resume token of a participant in the room: the new one is their shared sound, and only ' +
          'sends. It replaces their earlier one, and ends when they leave',
      ),
    nearness: nearness
      .optional()
      .describe(
        'initial distance of a listener (section 5.9); without it a resumed place keeps its own',
      ),
    frameMs: z
      .literal(ROOM_FRAME_MS)
      .optional()
      .describe('used if this participant is the first of a room'),
    channels: z.literal(CHANNEL_COUNTS).optional().describe('likewise'),
    mode: z.enum(MODES).optional().describe('likewise; [forwarding.md](forwarding.md)'),
    pcm: z
      .literal(PCM_BITS)
      .optional()
      .describe('asks for PCM with samples of these bits: section 3.6'),
    voices: z
      .boolean()
      .optional()
      .describe(
        "gets people's voices apart, in bundles, while others get the mix; not over HTTP/1, and " +
          'not for the audience',
      ),
    e2e: z
      .boolean()
      .optional()
      .describe(
        'this participant has a key for end-to-end encryption. The first of a room decides; ' +
          'others who differ are refused with `e2e-only` or `e2e-not-here`',
      ),
  })
  .refine((message) => message.serverDelayMs === undefined || message.delivery === 'reply');

const caption = z
  .object({
    person: id.optional().describe("id of the person who spoke; without it the sender's own"),
    // Longer texts are refused, which tells a program more than a dropped message.
    text: z.string().max(MAX_TITLE_UNITS).optional().describe('at most 240 characters'),
    sealed: z
      .string()
      .max(MAX_SEALED_CAPTION)
      .optional()
      .describe('in a room with end-to-end encryption, in place of `text`: section 5.14'),
    lang: languageTag,
    final: z
      .boolean()
      .default(true)
      .describe('false: the next caption of this person replaces this one'),
    seconds: z
      .number()
      .min(0)
      .max(MAX_CAPTION_SECONDS)
      .default(0)
      .describe('time since the speech began'),
  })
  .refine(({ text, sealed }) => (text === undefined) !== (sealed === undefined));

const moderate = z.discriminatedUnion('action', [
  z
    .object({ action: z.literal('mute'), person: id, muted: z.boolean() })
    .describe("mutes somebody; false allows them to unmute, and doesn't unmute"),
  z.object({ action: z.literal('lower-hand'), person: id }).describe('lowers a raised hand'),
  z
    .object({
      action: z.literal('listeners'),
      after: id.optional(),
      find: z.string().max(40).optional(),
    })
    .describe(
      'asks for `audience`: 50 listeners by id, after the id `after`, with `find` in their label ' +
        '(case ignored)',
    ),
  z
    .object({
      action: z.literal('remove'),
      person: id,
      banSeconds: z.number().min(0).max(MAX_BAN_SECONDS).default(0),
    })
    .describe(
      'ends their session with `removed`, or with `banned` if `banSeconds` is above 0; their ' +
        'place is free',
    ),
  z
    .object({ action: z.literal('role'), person: id, role: z.enum(ROLES) })
    .describe('gives somebody a role'),
  z.object({ action: z.literal('lock'), on }).describe('refuses newcomers'),
  z
    .object({ action: z.literal('lobby'), on })
    .describe('newcomers wait to be admitted; switching it off admits all of them'),
  z.object({ action: z.literal('admit'), knock: id }).describe('admits one of `knocks`'),
  z.object({ action: z.literal('turn-away'), knock: id }).describe('refuses one of `knocks`'),
  z
    .object({ action: z.literal('allow'), what: z.enum(['chat', 'record']), who: permitted })
    .describe('sets who may write or record'),
  z
    .object({
      action: z.literal('password'),
      password: z.string().min(1).max(MAX_PASSWORD_LENGTH).nullable(),
    })
    .describe('sets the password of the room; null removes it'),
  z
    .object({ action: z.literal('mode'), mode: z.enum(MODES) })
    .describe(
      'sets how sound travels ([forwarding.md](forwarding.md)); refused with `forward-reply`, ' +
        '`e2e-room` or `broadcast-mix` if impossible',
    ),
  z
    .object({ action: z.literal('broadcast'), on })
    .describe(
      "uninvited participants only listen; refused with `broadcast-mix` if the room isn't mixed",
    ),
  z
    .object({ action: z.literal('stream-key'), on })
    .describe(
      'makes a new stream key, or revokes the key; removes the participant who came by the key ' +
        'before: section 5.10',
    ),
  z
    .object({
      action: z.literal('groups'),
      count: count.min(1).describe('at most 20, else refused with `groups-limit`'),
      evenly: z.boolean().default(false),
      choose: z.boolean().default(false),
    })
    .describe(
      'opens groups, or changes their number (section 5.12): `evenly` spreads all people but ' +
        'moderators over them, `choose` has everybody choose',
    ),
  z
    .object({ action: z.literal('group'), person: id, group: count })
    .describe('moves somebody to a group, or with 0 to the room'),
  z
    .object({
      action: z.literal('groups-back'),
      seconds: z.number().min(0).max(MAX_CALL_BACK_SECONDS).default(0),
    })
    .describe('ends the groups after this time: everybody comes back to the room'),
  z
    .object({ action: z.literal('groups-speak'), on })
    .describe('this moderator is heard in all groups, in place of another one, or no longer'),
  z
    .object({ action: z.literal('interpret'), person: id, language: language.nullable() })
    .describe(
      'makes somebody on stage an interpreter into a language (BCP 47), or with null one who is ' +
        'heard by all: section 5.13',
    ),
  z
    .object({ action: z.literal('end') })
    .describe('ends all sessions of the room with `room-ended`'),
  z.object({ action: z.literal('bans') }).describe('asks for `bans`'),
  z.object({ action: z.literal('unban'), ban: id }).describe('ends a ban'),
]);

const track = z.discriminatedUnion('action', [
  z
    .object({
      action: z.literal('offer'),
      name: z.string().describe("as a person's"),
      seconds: z.number().positive().max(MAX_TRACK_SECONDS),
    })
    .describe(
      'asks for a place; the answer is `track-place` with an `id`, or `refused` with `tracks-full`',
    ),
  z
    .object({ action: z.literal('play') })
    .describe('plays it from its beginning, also while it plays'),
  z.object({ action: z.literal('stop') }).describe('stops it'),
  z.object({ action: z.literal('remove') }).describe('removes it from the room'),
]);

/**
 * A message of clients.
 * @template {z.ZodType} F
 * @typedef {object} ClientMessageForm
 * @property {string} meaning
 * @property {F} fields  all but `type`
 * @property {Permission | null} needs  permission of the sender; null: everybody may send it
 */

/**
 * @template {z.ZodType} F
 * @param {string} meaning
 * @param {F} fields
 * @param {Permission | null} [needs]
 * @returns {Readonly<ClientMessageForm<F>>}
 */
const define = (meaning, fields, needs = null) => Object.freeze({ meaning, fields, needs });

/** Messages of clients, by type. */
export const CLIENT_MESSAGES = Object.freeze({
  join: define('the first message: section 4.3', join),
  leave: define('ends the session and frees the place', z.object({})),
  mute: define(
    'shown to everybody; no delay waits for a muted participant. The client itself stops ' +
      'sending sound',
    z.object({ muted: z.boolean() }),
  ),
  hand: define('raises or lowers the hand', z.object({ raised: z.boolean() })),
  title: define(
    'what this participant plays, for everybody; empty for nothing',
    z.object({ title: z.string().max(MAX_TITLE_UNITS) }),
    'speak',
  ),
  chat: define('a message for everybody: section 5.2', z.object({ text: z.string() }), 'chat'),
  captions: define(
    'asks for captions, or no longer: section 5.14',
    z.object({
      want: z.boolean(),
      write: z
        .boolean()
        .default(false)
        .describe('writes the captions of everybody, which needs `speak`; for one program'),
    }),
  ),
  caption: define('words of a speaker, as text: section 5.14', caption, 'speak'),
  volume: define(
    'volume of `person` for this listener only: `gain` is 1 at first; `pan` is for stereo ' +
      'rooms, from left only to right only',
    z.object({
      person: id,
      gain: z.number().min(0).max(MAX_GAIN),
      pan: z.number().min(-1).max(1).default(0),
    }),
    'listen',
  ),
  delay: define(
    "changes this participant's own server-side delay (section 5.6)",
    z.object({ serverDelayMs }),
    'listen',
  ),
  rate: define(
    'from a listener of a broadcast: highest wanted bit rate in b/s, or `"auto"` for as much as ' +
      'the path carries ([broadcast.md](broadcast.md))',
    z.object({
      bitsPerSecond: z.union([
        z.literal('auto'),
        z.number().int().min(LEAST_BITRATE).max(MOST_BITRATE),
      ]),
    }),
    'listen',
  ),
  report: define(
    'statistics of the client: section 4.4',
    z.object({
      lostPercent: z
        .number()
        .min(0)
        .max(100)
        .describe('packets to this client that were lost in the last seconds, before recovery'),
      playoutDelayMs: z
        .number()
        .min(0)
        .max(10_000)
        .optional()
        .describe('time that sound waits to be played'),
      soundLatencyMs: z
        .number()
        .min(0)
        .max(60_000)
        .optional()
        .describe("time from a frame's first sample to its playing"),
      driftPpm: z
        .number()
        .min(-10_000)
        .max(10_000)
        .optional()
        .describe('deviation of the sound card from the nominal rate'),
      microphoneMs: z
        .number()
        .min(0)
        .max(10_000)
        .optional()
        .describe(
          'delay of the microphone, from a sound at it to its time on the sample clock, if the ' +
            'browser tells it',
        ),
      isWeak: z
        .boolean()
        .optional()
        .describe('the computer has too little processor time: `auto` mixes for it'),
    }),
    'listen',
  ),
  nearness: define(
    'from a listener: the wanted distance (section 5.9); `fill: true` asks for the packets last ' +
      'sent to others',
    z.object({ nearness, fill: z.boolean().default(false) }),
    'listen',
  ),
  record: define(
    'starts or stops a recording (section 5.3); stopping needs no permission',
    z.object({ on, isPublic: z.boolean().default(false) }),
    'record',
  ),
  recordConsent: define('consent to be recorded: section 5.3', z.object({ agreed: z.boolean() })),
  metronome: define(
    "restarts the room's metronome at `bpm` with `beats` a bar, or stops it if `bpm` is null",
    z.object({
      bpm: z.number().min(BEATS_A_MINUTE.min).max(BEATS_A_MINUTE.max).nullable(),
      beats: z.number().int().min(BAR_BEATS.min).max(BAR_BEATS.max).default(4),
    }),
    'speak',
  ),
  track: define("the room's backing track: section 5.8", track, 'speak'),
  people: define(
    'asks for the next part of a long list of people: section 5.1',
    z.object({ after: id }),
  ),
  moderate: define('an act of a moderator: section 5.4', moderate, 'moderate'),
  language: define(
    'from a listener of a broadcast: the language to hear (section 5.13); null for the speakers ' +
      'themselves',
    z.object({ language: language.nullable() }),
    'listen',
  ),
  group: define(
    'moves this participant to a group (section 5.12), or with 0 to the room',
    z.object({ group: count }),
  ),
  knock: define(
    'while waiting in the lobby, once a second: keeps the session alive, and over HTTP/1 fetches ' +
      'the answer',
    z.object({}),
  ),
});

/** @param {unknown} message  as it came */
export const typeOf = (message) =>
  /** @type {{ type?: unknown } | null | undefined} */ (message)?.type;

/**
 * Reads the fields of a message that came.
 * @template {ClientMessageType} T
 * @param {T} type
 * @param {unknown} message
 * @returns {ReadClientMessages[T] | null} null when it isn't of this form
 */
export function readFields(type, message) {
  const { success, data } = CLIENT_MESSAGES[type].fields.safeParse(message);
  return success ? /** @type {ReadClientMessages[T]} */ (data) : null;
}

/**
 * @typedef {keyof typeof CLIENT_MESSAGES} ClientMessageType
 *
 * @typedef {{ [T in ClientMessageType]: { type: T } &
 *   z.input<(typeof CLIENT_MESSAGES)[T]['fields']> }} ClientMessages
 *   as clients write them, by type: `ClientMessages['join']`
 *
 * @typedef {ClientMessages[ClientMessageType]} ClientMessage  any of them
 *
 * @typedef {{ [T in ClientMessageType]: z.output<(typeof CLIENT_MESSAGES)[T]['fields']> }}
 *   ReadClientMessages  as the server has read them, with defaults in place of missing fields
 *
 * @typedef {Omit<z.input<typeof join>, 'version'>} JoinRequest  contents of a join
 */
