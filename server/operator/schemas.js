/** Schemas of the operator's API: they check its requests, and OpenAPI is made from them. */

import { z } from 'zod';
import { errors } from '../../public/shared/errors.js';
import {
  MAX_PASSWORD_LENGTH,
  MAX_SERVER_DELAY_MS,
  MODES,
  ROLES,
} from '../../public/shared/limits.js';
import { rules as told } from '../../public/shared/messages/fields.js';
import { MAX_BAN_MS } from '../access/bans.js';

const count = z.int().min(0);
const ms = z.number().min(0);
const counts = z.record(z.string(), count);
const at = z.string().describe('ISO 8601');

/** Schemas named in the document. @type {z.core.$ZodRegistry<{ id: string }>} */
export const components = z.registry();

/**
 * @template {z.ZodType} S
 * @param {string} id
 * @param {S} schema
 * @returns {S}
 */
function named(id, schema) {
  components.add(schema, { id });
  return schema;
}

export const error = named(
  'Error',
  z.strictObject({
    code: z.enum(/** @type {[string, ...string[]]} */ (Object.keys(errors))),
    message: z.string().describe('a sentence for people'),
  }),
);

export const health = named(
  'Health',
  z.strictObject({ status: z.literal('ok'), version: z.string() }),
);

export const readiness = named(
  'Readiness',
  z.strictObject({ status: z.enum(['starting', 'ready', 'draining']) }),
);

const codeCount = { code: z.string(), count };

export const status = named(
  'Status',
  z.strictObject({
    version: z.string(),
    codec: z.string().describe('the Opus library'),
    engine: z.string().nullable().describe('the HTTP/3 engine; null without HTTP/3'),
    uptimeSeconds: z.number().min(0),
    state: z.enum(['starting', 'ready', 'draining']),
    rooms: count,
    mirrors: count.describe('rooms in which one person tests their sound'),
    people: count.describe('with a place, including people who are away'),
    away: count.describe('people whose connection is lost and whose place is kept'),
    listeners: count.describe('people who only listen'),
    listenersByRate: counts.describe('listeners of broadcasts, by bits a second'),
    rateChanges: z
      .strictObject({ up: count, down: count, failed: count })
      .describe('changes of their bit rates; failed: probes for a higher one'),
    sessions: counts.describe('by transport'),
    sessionLimits: z
      .strictObject({ path: count, application: count, unknown: count })
      .describe('sessions by the limit of their sending rate'),
    joins: count,
    joinsWaiting: count.describe('joins that wait for their turn'),
    shortVisits: count.describe('sessions that ended within two seconds'),
    busy: z.boolean().describe('newcomers are refused, because the server is overloaded'),
    reducedRooms: count.describe('rooms that mix fewer speakers for that reason'),
    limits: z.strictObject({ rooms: count, people: count }),
    load: z.strictObject({
      mixCpuSeconds: z.number().min(0).describe('of all threads that mix'),
      complexity: count.describe('the least of any of them'),
      workers: z
        .array(z.strictObject({ mixCpuSeconds: z.number().min(0), rooms: count }))
        .describe('of each worker thread; none if the main thread mixes'),
      workerEnds: count.describe('number of workers that crashed or were killed'),
    }),
    delay: z.strictObject({ medianMs: ms, maxMs: ms }),
    packets: z.looseObject({
      received: count,
      late: count,
      lost: count,
      dropped: counts.describe('by reason'),
    }),
    ticks: z
      .strictObject({ count, sumMs: ms, bins: z.array(z.strictObject({ upToMs: ms, count })) })
      .describe('how late frames were mixed; each bin has the counts of all smaller ones'),
    skippedFrames: count,
    codecFaults: count,
    recordings: z.strictObject({ bytes: z.number(), limitBytes: count, open: count }),
    refusals: z.array(z.strictObject({ of: z.string(), ...codeCount })),
    sessionEnds: z.array(z.strictObject({ transport: z.string(), ...codeCount })),
    httpRequests: counts.describe('by status'),
    connectionsEnded: counts.describe('TCP connections, by the fault of their clients'),
    cluster: z
      .strictObject({
        id: z.string(),
        bus: z.enum(['connecting', 'connected', 'lost']),
        nodes: count,
        rooms: count,
        relayedRooms: count,
        relayListeners: count,
        listenersElsewhere: count,
        movedRooms: count,
        droppedMessages: count,
      })
      .nullable()
      .describe('this node of a cluster; null without one'),
    admissions: z
      .strictObject({
        pending: count,
        retried: count,
        displaced: count,
        refused: count,
        broken: count,
        requestsRefused: count,
      })
      .nullable()
      .describe('new QUIC connections; null where the engine does not count them'),
    webhooks: z.array(
      z.strictObject({
        url: z.string().describe('without its key and query'),
        delivered: count,
        retried: count,
        dropped: count,
        waiting: count,
        problem: z.string().nullable().describe('of the last attempt; null after a success'),
      }),
    ),
    certificateUntil: at.describe('end of the certificate in use; of two, the one that ends first'),
    leftOutLogLines: count,
    fileShortages: count.describe('moments at which no more files could be opened'),
  }),
);

const delayMode = z.enum(['auto', 'fixed']);

/** Owner of a room in a cluster. */
const node = z
  .strictObject({ id: z.string(), url: z.string() })
  .optional()
  .describe('the node of a cluster that has the room');

const liveSeconds = count
  .nullable()
  .describe('seconds since the broadcast began; null without one');

const roomCount = named(
  'RoomCount',
  z.strictObject({
    room: z.string(),
    present: count.describe('people in the room'),
    listeners: count.describe('people among them who only listen'),
    liveSeconds,
    node,
  }),
);

const roomSummary = named(
  'RoomSummary',
  z.looseObject({
    room: z.string(),
    present: count,
    listeners: count.describe('people among them who only listen, and are in no list of people'),
    liveSeconds,
    away: count,
    delivery: z.enum(['tick', 'reply']),
    serverDelayMs: ms,
    delayMode,
    latenessP99Ms: z.number().nullable().describe('of the last 500 ticks'),
    recording: z.boolean(),
    locked: z.boolean(),
    waiting: count.describe('people in its lobby'),
    node,
  }),
);

export const roomList = named(
  'RoomList',
  z.strictObject({
    rooms: z.array(roomSummary),
    silent: z
      .array(z.string())
      .optional()
      .describe('nodes of a cluster that gave no answer, by their addresses'),
  }),
);

const role = z.enum(ROLES);
const who = z.enum(['everybody', 'moderators']);

const rules = {
  locked: z.boolean().describe('newcomers are refused'),
  lobby: z.boolean().describe('a moderator must admit newcomers'),
  chat: who.describe('who may write'),
  record: who.describe('who may record'),
  mode: z.enum(MODES).describe('how sound travels: docs/forwarding.md'),
  broadcast: z
    .boolean()
    .describe('people without an invitation to the stage only listen: docs/broadcast.md'),
};

const person = named(
  'Person',
  z.looseObject({
    id: z.string(),
    name: z.string(),
    label: z.string().describe("the name as it is shown: unlike everybody else's in the room"),
    transport: z.string(),
    peer: z.string().describe('address and port'),
    seconds: z.number().min(0).describe('in the room, by this session'),
    identity: z.string().nullable().describe('the `sub` of their token; null without one'),
    role,
    muted: z.boolean(),
    silenced: z.boolean().describe('muted by a moderator or the operator: they can not unmute'),
    away: z.boolean(),
    hand: count,
    quality: count.describe('of the connection: 0 unknown, 1 bad, 2 fair, 3 good'),
    recorded: z.boolean(),
    delivery: z.enum(['tick', 'reply']),
    stats: z.record(z.string(), z.unknown()).describe('section 5.7 of docs/protocol.md'),
  }),
);

export const room = named(
  'Room',
  z.looseObject({
    room: z.string(),
    present: count,
    listeners: count.describe('people among them who only listen, and are in no list of people'),
    liveSeconds,
    delivery: z.enum(['tick', 'reply']),
    sound: z.enum(['mix', 'bundle', 'packets']).describe('how it gets to everybody now'),
    listenersByRate: z
      .record(z.string(), count)
      .describe('listeners of the broadcast, by bits a second'),
    serverDelayMs: ms,
    delay: z.looseObject({ mode: delayMode, wantedMs: ms, maxMs: ms, targetPercent: z.number() }),
    skippedFrames: count,
    codecFaults: count,
    rules: z.strictObject({
      ...rules,
      password: z.boolean(),
      liveSeconds,
      languages: told.shape.languages,
      groups: told.shape.groups,
    }),
    knocks: z
      .array(z.strictObject({ id: z.string(), name: z.string() }))
      .describe('people who wait in the lobby'),
    node,
    people: z.array(person),
  }),
);

export const listenerPage = named(
  'ListenerPage',
  z.strictObject({
    count: count.describe('people who only listen in this room'),
    people: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        label: z.string(),
        transport: z.string(),
        role,
        hand: count,
      }),
    ),
    next: z.string().optional().describe('the `after` of the next page; absent on the last'),
  }),
);

export const roomOrCount = z.union([room, roomCount]);

const serverDelay = z.union([z.literal('auto'), z.number().min(0).max(MAX_SERVER_DELAY_MS)]);

const password = z.string().min(1).max(MAX_PASSWORD_LENGTH).nullable();

/** @param {object} change */
const isAny = (change) => Object.keys(change).length > 0;

export const roomChange = named(
  'RoomChange',
  z
    .strictObject({
      serverDelayMs: serverDelay.describe('milliseconds'),
      ...rules,
      password: password.describe('null removes it'),
    })
    .partial()
    .refine(isAny)
    .meta({ minProperties: 1 }),
);

export const personChange = named(
  'PersonChange',
  z
    .strictObject({
      muted: z.boolean().describe('false allows them to unmute themselves'),
      role,
      hand: z.literal(0).describe('lowers it'),
    })
    .partial()
    .refine(isAny)
    .meta({ minProperties: 1 }),
);

export const newBan = named(
  'NewBan',
  z.strictObject({
    person: z.string().max(64).describe('the id of somebody who is in the room'),
    seconds: z
      .number()
      .min(1)
      .max(MAX_BAN_MS / 1000),
  }),
);

const ban = z.strictObject({
  id: z.string(),
  room: z.string(),
  name: z.string(),
  by: z.enum(['identity', 'network']),
  identity: z.string().nullable(),
  network: z.string().nullable(),
  seconds: count.describe('until its end'),
});

export const banList = named('BanList', z.strictObject({ bans: z.array(ban) }));

const recording = z.strictObject({
  id: z.string(),
  room: z.string(),
  startedAt: at,
  stoppedAt: at.nullable(),
  isPublic: z.boolean().describe('anybody may hear it'),
  on: z.boolean().describe('it is still being written'),
});

export const recordingList = named(
  'RecordingList',
  z.strictObject({ recordings: z.array(recording) }),
);
