/**
 * Control messages of the server: each one's meaning and fields. The server's own are checked by
 * tsc where they are made, and by tests. Clients take their types from here, and docs/protocol.md
 * its tables. A client still checks what comes, since a server may be hostile.
 */

import { PCM_BITS } from '../sound/audio-format.js';
import { z } from 'zod';
import { CONTROL_VERSION, LATENESS_BINS_MS } from '../wire/control.js';
import {
  ban,
  beat,
  caption,
  chatMessage,
  count,
  delivery,
  errorCode,
  id,
  may,
  nodeAddress,
  nodes,
  person,
  recording,
  relayedRates,
  role,
  rules,
  stride,
  track,
} from './fields.js';

const label = z.string();
const milliseconds = z.number();
const percent = z.number().nullable();
const serverDelayMs = milliseconds.describe('D in force for this participant');

const people = z.array(person).readonly();

const waited = z
  .array(
    z.object({
      id,
      delayMs: milliseconds.describe('the delay that this person needs'),
      offsetMs: milliseconds.describe('extra delay of this person alone, 0 if everybody waits'),
    }),
  )
  .readonly();

const error = { code: errorCode, message: z.string().describe('a sentence for people') };

const welcome = z.object({
  version: z.literal(CONTROL_VERSION),
  you: id.describe("the participant's id"),
  room: z.string().describe("the room's name"),
  format: z
    .object({
      sampleRate: z.number(),
      channels: z.number(),
      frameMs: z.number(),
      opusFrames: z.number(),
    })
    .describe('format of the room'),
  delivery: delivery.describe('delivery in force for this participant'),
  serverDelayMs,
  bitrate: z.number().describe('bit rate of one Opus stream of the room, in b/s'),
  redundancy: z
    .union([z.literal('auto'), z.number()])
    .describe('number of payloads that clients repeat: 0, 1, 2 or `"auto"`'),
  silenceSuppression: z.boolean().describe('packets may be left out in silence'),
  echo: z.boolean().describe('participants hear themselves'),
  e2e: z
    .boolean()
    .describe(
      'the room is encrypted end to end ([forwarding.md](forwarding.md)). A client without a ' +
        'key leaves; so does a client with a key if this is false',
    ),
  pcm: z
    .literal(PCM_BITS)
    .optional()
    .describe('this participant sends and gets PCM with samples of these bits: section 3.6'),
  idleTimeoutMs: milliseconds.describe('time after which a session without packets ends'),
  people: people.describe(
    'people of the room (section 5.1), this participant included; at most 100',
  ),
  next: id
    .optional()
    .describe('if the list is longer: `after` of the request `people` for the rest'),
  listeners: count.describe('number of people in the audience'),
  stride,
  waited: waited.describe('as in the message `waited`'),
  chat: z.array(chatMessage).readonly().describe('the last messages, oldest first'),
  role: role.describe('role of this participant'),
  may,
  rules: rules.readonly().describe('rules of the room, as in the message `room`'),
  canRecord: z.boolean().describe('the room can be recorded'),
  recording: recording.readonly().nullable().describe('the running recording, or null'),
  metronome: beat.readonly().nullable().describe('beat of the metronome, or null'),
  track: track.readonly().nullable().describe('the backing track, or null'),
  resume: z.string().describe('the resume token'),
  nodes: nodes.optional().describe("nodes of the cluster, the room's first: section 1.4"),
  gatherMs: milliseconds
    .optional()
    .describe('time to wait for people who had a place on another node: section 1.4'),
  nameCut: z.literal(true).optional().describe('the name was too long, and is cut'),
  atRelay: relayedRates.optional().describe('for a listener at a relay: section 9'),
});

const stats = z.object({
  received: count.optional().describe('packets that arrived before their frame was mixed'),
  late: count.optional().describe('packets that arrived after their frame was mixed'),
  lost: z
    .number()
    .int()
    .optional()
    .describe('packets that never arrived; below 0 if a packet counted as lost came after all'),
  receivedPercent: percent
    .optional()
    .describe(
      '**received audio** since joining, recovered frames included; null if nothing was sent',
    ),
  receivedPercent10s: percent.optional().describe('the same, in the last 10 s'),
  unmixed: count
    .optional()
    .describe("frames that arrived but weren't mixed, because of `--max-speakers` louder ones"),
  early: count.optional().describe('packets for a frame too far ahead; also in `dropped`'),
  lostPercent5s: percent
    .optional()
    .describe(
      'loss in the last 5 s by sequence numbers, before recovery by redundancy; in up to 20 s ' +
        'if there were fewer than 100 packets; null if nothing was sent',
    ),
  jitterMs: milliseconds.optional().describe('interarrival jitter (RFC 3550, section 6.4.1)'),
  duplicate: count.optional().describe('packets for a frame that had one'),
  concealed: count.optional().describe('frames that the decoder concealed'),
  recovered: count.optional().describe('frames that came in time in a later packet'),
  garbage: count.optional().describe("frames whose payload wasn't Opus of this format"),
  latenessMs: milliseconds.optional().describe('mean **lateness**'),
  latenessP50Ms: milliseconds
    .nullable()
    .optional()
    .describe('median of the lateness of the last 20 s, in whole milliseconds'),
  latenessP99Ms: milliseconds.nullable().optional().describe('the same, 99th percentile'),
  latenessBins: z
    .array(count)
    .optional()
    .describe(
      `${LATENESS_BINS_MS.length + 1} counts of the last 20 s: lateness of at most ` +
        `${LATENESS_BINS_MS.join(', ')} ms and above, each frame counted once`,
    ),
  neededDelayMs: milliseconds
    .optional()
    .describe('the smallest D that reaches the target for this participant'),
  delayWaits: z.boolean().optional().describe("the room's `auto` waits for this participant"),
  dropped: z
    .record(z.string(), count)
    .optional()
    .describe('packets dropped unread, and bad control messages, by reason'),
  droppedOut: count.describe(
    'packets to this participant that were dropped: the connection was blocked, or there was no ' +
      'request to answer',
  ),
  downLostPercent: percent.describe('loss that the client last reported, or null'),
  playoutDelayMs: milliseconds.nullable().describe('as last reported'),
  soundLatencyMs: milliseconds.nullable().describe('as last reported'),
  driftPpm: z.number().nullable().describe('as last reported'),
  microphoneMs: milliseconds
    .nullable()
    .optional()
    .describe("median of the delays of the other people's microphones, if reported"),
  serverDelayMs,
  othersDelayMs: milliseconds
    .optional()
    .describe('the D that the room would have for all others: sound no later delays nobody'),
  offsetMs: milliseconds.describe(
    'extra delay at which others hear this participant, as a ' +
      '[straggler](delay.md#what-happens-to-a-straggler)',
  ),
  roundTripMs: milliseconds.nullable().describe('as the transport measures it, or null'),
  sentSamples: count
    .optional()
    .describe('only in `reply`: samples that all others sent since this participant joined'),
  heardSamples: count
    .optional()
    .describe(
      'only in `reply`: the `sentSamples` that its replies had, as sent. Samples without a ' +
        'reply, because a request was lost, count as sent and not heard; a pause of more than ' +
        "a second doesn't count",
    ),
  heardPercent: percent
    .optional()
    .describe('only in `reply`: `heardSamples` of `sentSamples`; null if nothing was sent'),
  heardSecondPercent: percent.optional().describe('the same, in the last second'),
});

const moderation = z.discriminatedUnion('action', [
  z
    .object({ action: z.literal('muted'), muted: z.boolean() })
    .describe('this participant is muted'),
  z
    .object({ action: z.literal('may-unmute'), muted: z.boolean() })
    .describe('this participant may unmute, and is muted until then'),
  z.object({ action: z.literal('hand-lowered') }).describe('the hand is down'),
  z
    .object({ action: z.literal('role'), role, muted: z.boolean(), may, stride })
    .describe('`role`, `may` and `stride` as in `welcome`'),
]);

const moderator = z.object({
  by: label.nullable().describe("the moderator's label, or null if nobody did it"),
  operator: z
    .literal(true)
    .optional()
    .describe("the server's operator did it, with the label `operator`"),
});

/**
 * A message of the server.
 * @template {z.ZodType} F
 * @typedef {object} ServerMessageForm
 * @property {string} meaning
 * @property {F} fields  all but `type`
 */

/**
 * @template {z.ZodType} F
 * @param {string} meaning
 * @param {F} fields
 * @returns {Readonly<ServerMessageForm<F>>}
 */
const define = (meaning, fields) => Object.freeze({ meaning, fields });

/** Messages of the server, by type. */
export const SERVER_MESSAGES = Object.freeze({
  welcome: define('the answer to `join`: section 4.3', welcome),
  refused: define(
    'without `of` the answer to a `join`: the session is closed. With it, a request of type ' +
      '`of` failed, and nothing has changed',
    z.object({
      ...error,
      of: z.string().optional().describe('type of the refused message'),
      action: z.string().optional().describe('action of `moderate`'),
      retryMs: milliseconds.optional().describe('time until the client may ask again'),
    }),
  ),
  lobby: define(
    'the answer to a `join` that a moderator must allow: `welcome` or `refused` follows within ' +
      '`waitMs`',
    z.object({ waitMs: milliseconds }),
  ),
  joined: define(
    'new people, one or at most 50: section 5.1',
    z.union([z.object({ person }), z.object({ people })]),
  ),
  changed: define(
    'changed people, one or at most 50: section 5.1',
    z.union([z.object({ person }), z.object({ people })]),
  ),
  left: define(
    'people who have gone, one or at most 500: section 5.1',
    z.union([z.object({ id }), z.object({ ids: z.array(id) })]),
  ),
  people: define(
    'the answer to `people`: at most 100 people',
    z.object({ people, next: id.optional() }),
  ),
  listeners: define(
    'number of people in the audience, on a change, at most every 2 s',
    z.object({ count }),
  ),
  stride: define(
    'to a listener: number of frames in a packet from now on',
    z.object({ stride, atRelay: relayedRates.nullish() }),
  ),
  hands: define(
    'to moderators: the raised hands of the audience, the first 50, at most every 500 ms',
    z.object({ count, people: z.array(z.object({ id, label, hand: count })) }),
  ),
  audience: define(
    "the answer to a moderator's `listeners`: at most 50 people",
    z.object({ find: z.string(), count, people, next: id.optional() }),
  ),
  qualities: define(
    'changed qualities of connections, at most every 2 s',
    z.object({ people: z.array(z.object({ id, quality: person.shape.quality })) }),
  ),
  waited: define(
    'stragglers, heard later than others, and people whose needed delay is 60 ms or more above ' +
      'the median; at most 50, the longest delay first; at most every 2 s',
    z.object({ people: waited }),
  ),
  chat: define('a message for everybody: section 5.2', z.object({ message: chatMessage })),
  captions: define(
    'somebody wants captions, or nobody any more: section 5.14',
    z.object({
      on: z.boolean(),
      writer: id.nullable().describe('id of the program that writes them for everybody, or null'),
    }),
  ),
  caption: define(
    'to people who want captions: the words of a speaker',
    z.object({ caption: caption.readonly() }),
  ),
  room: define("the room's rules have changed: section 5.4", rules),
  stage: define(
    'to speakers of a broadcast: the key to come back as a speaker; after `welcome`, after ' +
      '`moderated` and when the broadcast begins',
    z.object({ key: z.string() }),
  ),
  'stream-key': define(
    'to moderators: the key by which a program sends to the stage (section 5.10), or null',
    z.object({ key: z.string().nullable() }),
  ),
  moderated: define(
    'what a moderator did to this participant: section 5.4',
    z.intersection(moderation, moderator),
  ),
  knocks: define(
    'to moderators: people who wait in the lobby',
    z.object({ people: z.array(z.object({ id, name: z.string() })) }),
  ),
  bans: define("the answer to a moderator's `bans`", z.object({ bans: z.array(ban) })),
  recording: define(
    'a recording began, stopped, or its files are ready: section 5.3',
    z.object({ recording: recording.readonly() }),
  ),
  metronome: define(
    '`by` has set the metronome, or stopped it (`beat` is null). Each client plays the beats ' +
      'when its clock reaches them',
    z.object({ beat: beat.readonly().nullable(), by: label }),
  ),
  track: define(
    'the backing track has changed: section 5.8',
    z.object({ track: track.readonly().nullable(), by: label.nullable() }),
  ),
  'track-place': define('id for the pieces of a track: section 5.8', z.object({ id: z.string() })),
  stats: define(
    "statistics of this participant's uplink (section 5.7), once a second; with more than 20 " +
      'people in the room, at least every 5 s while silent',
    stats,
  ),
  delay: define(
    'D has changed for this participant by a millisecond or more; at most once a second, never ' +
      'to participants with their own delay',
    z.object({ serverDelayMs }),
  ),
  delayed: define(
    'the answer to `delay`: samples received at the previous delay',
    z.object({
      serverDelayMs,
      before: z.object({ serverDelayMs, sentSamples: count, heardSamples: count }),
    }),
  ),
  moved: define(
    'the room is at another node of the cluster: section 1.4',
    z.object({ node: nodeAddress.nullable(), nodes: nodes.optional() }),
  ),
  resume: define(
    'a newer token, and the nodes of the cluster: section 1.4',
    z.object({ resume: z.string(), nodes }),
  ),
  draining: define(
    'the server admits nobody, and ends all sessions within this time',
    z.object({ seconds: z.number() }),
  ),
  closing: define('the server is about to end the session', z.object(error)),
});

/**
 * @typedef {keyof typeof SERVER_MESSAGES} ServerMessageType
 *
 * @typedef {{ [T in ServerMessageType]: { type: T } &
 *   z.output<(typeof SERVER_MESSAGES)[T]['fields']> }} ServerMessages
 *   by type: `ServerMessages['welcome']`
 *
 * @typedef {ServerMessages[ServerMessageType]} ServerMessage  any of them
 *
 * @typedef {z.output<typeof moderation>} ModerationFields  what a moderator did to a participant
 */
