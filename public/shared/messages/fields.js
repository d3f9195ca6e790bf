/**
 * Fields that several control messages have. These schemas need zod, so the pages don't load this
 * folder: they import its types alone.
 *
 * @typedef {z.infer<typeof person>} PersonFields
 * @typedef {z.infer<typeof rules>} RulesFields
 * @typedef {z.infer<typeof groups>} GroupsFields
 * @typedef {z.infer<typeof chatMessage>} ChatFields
 * @typedef {z.infer<typeof caption>} CaptionFields
 * @typedef {z.infer<typeof recording>} RecordingFields
 * @typedef {z.infer<typeof beat>} BeatFields
 * @typedef {z.infer<typeof track>} TrackFields
 * @typedef {z.infer<typeof ban>} BanFields
 */

import { z } from 'zod';
import { errors } from '../errors.js';
import { MODES, PERMISSIONS, ROLES } from '../limits.js';

/**
 * @import { ErrorCode } from '../errors.js'
 */

/** Longest id of a person, a knock or a ban, in characters: the server makes no longer one. */
const MAX_ID_LENGTH = 64;

export const id = z.string().max(MAX_ID_LENGTH);

export const count = z.number().int().min(0);

export const language = z.string().max(100);

/** Longest language tag, in characters (RFC 5646, section 4.4.1). */
const MAX_TAG_LENGTH = 35;

export const languageTag = z
  .string()
  .max(MAX_TAG_LENGTH)
  .regex(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/)
  .describe('language tag (BCP 47), such as `en-GB`');

export const delivery = z.enum(['tick', 'reply']);

export const errorCode = z.enum(/** @type {ErrorCode[]} */ (Object.keys(errors)));

export const role = z.enum(ROLES);

export const may = z.array(z.enum(PERMISSIONS)).describe('what this participant may do');

export const stride = z
  .number()
  .int()
  .min(1)
  .max(3)
  .describe('number of frames in a packet: 1, and up to 3 for the audience (section 3.2)');

export const nodeAddress = z.object({
  id: z.string(),
  url: z.string().describe('origin of its WebSocket and HTTP/1'),
  h3Port: z.number().nullable().describe('port of WebTransport, or null without it'),
  certificateHashes: z.array(z.string()).describe('SHA-256, in base64'),
});

export const nodes = z
  .array(nodeAddress)
  .describe("nodes of the cluster, the room's first (section 1.4)");

export const person = z.object({
  id,
  name: z
    .string()
    .describe(
      'the requested name in Unicode NFC: at most 40 characters, at most 30 marks on one ' +
        'letter, no invisible characters',
    ),
  label: z
    .string()
    .describe(
      'the name to show, distinct in the room by its skeleton (UTS #39): "Ada (2)" for the ' +
        'second Ada. It stays while the person is there',
    ),
  transport: z.string().describe('transport of the session'),
  muted: z.boolean().describe('by the person, by a moderator, or as a listener: nobody hears them'),
  silenced: z
    .boolean()
    .describe(
      'muted by a moderator; `mute` with `muted: false` is refused with `muted-by-moderator`',
    ),
  role,
  away: z.boolean().describe('the session was lost, and may be resumed'),
  hand: count.describe('0 while the hand is down; raised hands are numbered in order'),
  quality: z
    .number()
    .int()
    .min(0)
    .max(3)
    .describe(
      'quality of the connection: 0 unknown, 1 bad, 2 fair, 3 good, by the worst of received ' +
        'audio, loss, round trip and lateness',
    ),
  recorded: z.boolean().describe('this person is being recorded'),
  title: z.string().optional().describe('what this person plays, if they have told it'),
  owner: z.string().optional().describe('id of the person whose shared sound this is'),
  group: count.optional().describe('group that they are in (section 5.12); missing in the room'),
  language: language
    .optional()
    .describe('language that they interpret into (section 5.13); missing for others'),
});

export const permitted = z.enum(['everybody', 'moderators']);

export const groups = z.object({
  count: count.describe('number of groups; the first is 1'),
  choose: z.boolean().describe('everybody may choose a group'),
  secondsLeft: count.nullable().describe('seconds until everybody comes back, or null'),
  speaker: id.nullable().describe('id of the moderator who is heard in all groups, or null'),
});

export const rules = z.object({
  locked: z.boolean().describe('newcomers are refused'),
  lobby: z.boolean().describe('a moderator must admit newcomers'),
  password: z.boolean().describe('newcomers need the password'),
  chat: permitted.describe('who may write'),
  record: permitted.describe('who may record'),
  mode: z.enum(MODES).describe('how sound travels: [forwarding.md](forwarding.md)'),
  broadcast: z.boolean().describe('uninvited participants only listen'),
  liveSeconds: z.number().nullable().describe('seconds since the broadcast went live, or null'),
  languages: z
    .array(language)
    .optional()
    .describe('tags of the languages to choose from (section 5.13); missing without any'),
  groups: groups.optional().describe('open groups (section 5.12); missing without any'),
});

export const chatMessage = z.object({
  number: z.number().int().min(1).describe('number of the message, rising by one'),
  from: id.describe('id of the author'),
  name: z.string().describe('label of the author at the time'),
  text: z.string(),
  at: z.iso.datetime(),
  cut: z.literal(true).optional().describe('the text was longer, and is cut'),
  group: count.optional().describe('group to which alone it was written; it is not kept'),
});

export const caption = z.object({
  person: id.describe('id of the person who spoke'),
  name: z.string().describe('label of that person'),
  by: z.string().optional().describe('label of the program that wrote it, if it was one'),
  text: z.string().optional(),
  sealed: z.string().optional().describe('in place of `text`, with end-to-end encryption'),
  from: id.describe('id of the sender, by whose key it is sealed'),
  lang: languageTag,
  final: z.boolean().describe('false: the next caption of this person replaces this one'),
});

export const recording = z.object({
  id: z.string().describe('id in `/recordings/<id>`'),
  on: z.boolean(),
  by: z.string().describe('label of the person who started it'),
  person: id.describe('id of that person'),
  startedAt: z.iso.datetime(),
  isPublic: z.boolean().describe('anybody may hear it'),
  stoppedBy: z.string().optional().describe('label of the person who stopped it'),
  code: errorCode.optional().describe('reason to stop, if nobody stopped it'),
  message: z.string().optional().describe('the reason as a sentence'),
  ready: z.boolean().optional().describe('its files are complete'),
});

export const beat = z.object({
  bpm: z.number().describe('beats a minute'),
  beats: z.number().int().describe('beats a bar'),
  from: z.number().describe("first beat, in samples of the room's clock"),
  by: z.string().describe('label of the person who set it'),
});

export const track = z.object({
  id: z.string().describe('its pieces are at `/api/tracks/<id>/<number>`'),
  name: z.string(),
  seconds: z.number(),
  from: z
    .number()
    .nullable()
    .describe("its beginning, in samples of the room's clock; null while stopped"),
  by: z.string().describe('label of the person who offered it'),
});

export const ban = z.object({
  id,
  name: z.string().describe('name of the banned person'),
  by: z.enum(['identity', 'network']).describe('what is banned'),
  identity: z.string().nullable(),
  network: z.string().nullable(),
  seconds: z.number().describe('seconds until it ends'),
});

/** Rates from which a relay chooses for each listener of a broadcast. */
export const relayedRates = z.object({
  count: count.describe('number of bit rates'),
  stride,
  byRate: z.boolean().default(false).describe('higher rates have fewer frames in a packet'),
  rule: z.string().describe('rule by which the relay chooses a rate'),
});
