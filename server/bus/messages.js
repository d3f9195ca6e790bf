/**
 * Messages between nodes: their subjects and schemas, documented in docs/cluster-protocol.md.
 *
 * @import { Log } from '../log.js'
 *
 * @typedef {z.infer<typeof nodeAddress>} NodeAddress  address of a node for clients
 * @typedef {z.infer<typeof beat>} Beat
 * @typedef {z.infer<typeof relayUp>} RelayUp
 * @typedef {z.infer<typeof relayDown>} RelayDown
 * @typedef {RelayUp['links'][number]} RelayLink report of a relay to a room's owner about one
 *   session
 * @typedef {RelayDown['answers'][number]} RelayAnswer  instruction of the owner to a relay
 */

import { z } from 'zod';
import { MAX_ROOM_NAME } from '../../public/shared/text.js';
import {
  banFields,
  chatState,
  knownState,
  personFields,
  placeNotes,
} from '../state/portable-state.js';

/** Version of these messages. A node refuses other versions. */
export const CLUSTER_VERSION = 2;

/** Limit of a message, in bytes: fits a welcome with 64 KiB of chat and 101 people. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Limit of items in one message between a relay and a room's owner. */
export const MAX_RELAY_BATCH = 256;

/** Limit of bans in one message. */
export const MAX_BAN_CHANGES = 50;

/** Limit of sessions that one message reports as still present. */
export const MAX_RELAY_IDS = 2000;

export const MAX_ORIGINS = 16;

const id = z.string().regex(/^[A-Za-z0-9]{1,32}$/);
const room = z.string().regex(new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ROOM_NAME}}$`));
const count = z.number().int().min(0).max(1_000_000);
const epoch = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** An origin that pages and clients may be given. */
const url = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[^\s/?#@\\]+$/)
  .refine((text) => URL.canParse(text));

const addressFields = {
  id,
  url,
  h3Port: z.number().int().min(1).max(65_535).nullable(),
  certificateHashes: z.array(z.string().max(64)).max(4),
};

const nodeAddress = z.object(addressFields);

const version = z.literal(CLUSTER_VERSION);

export const beat = z.object({
  version,
  ...addressFields,
  origins: z.array(url).max(MAX_ORIGINS),
  /** Date of the node, in milliseconds since 1970. */
  at: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  people: count,
  maxPeople: count.min(1),
  busy: z.boolean(),
  draining: z.boolean(),
  software: z.string().max(40),
});

/** e2e: true for an end-to-end encrypted room. Nodes of an earlier release omit it. */
export const claim = z.object({ version, node: id, epoch, e2e: z.boolean().default(false) });

/**
 * relays: whether other nodes relay the room to listeners; broadcast: whether uninvited
 * participants are listeners.
 */
export const where = z.object({
  version,
  node: nodeAddress,
  epoch,
  relays: z.boolean().default(false),
  broadcast: z.boolean().default(false),
});

export const opening = z.object({
  version,
  room,
  /** True to open the room, false to ask whether the node would. */
  hold: z.boolean(),
  /** The new epoch must be above this one. */
  above: epoch,
  /** Recent chat of the room, and its state, from a draining node. */
  chat: chatState.optional(),
  rules: knownState.nullish(),
});

/** node: the owner, or the node that would open the room; null if the asked node opens nothing. */
export const opened = z.object({ version, node: nodeAddress.nullable() });

/**
 * rules: state of the room, or null after its end. places: state of its tokens then. Nodes of an
 * earlier release also send null for rooms without rules.
 */
export const roomRules = z.object({
  version,
  from: id.optional(),
  room,
  rules: knownState.nullable(),
  places: placeNotes,
});

/**
 * Bans that a node has made or lifted, or all that it knows. asks: true when the node may have
 * missed some. Nodes of an earlier release omit it.
 */
export const banChanges = z.object({
  version,
  from: id,
  asks: z.boolean().default(false),
  changes: z
    .array(
      z.discriminatedUnion('type', [
        z.object({
          type: z.literal('ban'),
          ban: z.object({ id: personFields.id, room, ...banFields }),
        }),
        z.object({ type: z.literal('unban'), room, id: personFields.id }),
      ]),
    )
    .max(MAX_BAN_CHANGES),
});

/** Number of a session at its relay. */
const link = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const links = z.array(link).max(MAX_RELAY_IDS);
const reason = z.string().max(200);
/** The code with which a session ends: 0 for leaving, else an error code of the registry. */
const code = z.number().int().min(0).max(1000);

/**
 * Number of the relay's link to an owner, above those of its earlier links. Number of a message
 * within the link, from 1 on in each direction. Nodes of an earlier release omit both.
 */
const linked = { stream: link.optional(), number: link.optional() };

/** Message of a relay to the owner of a room. */
export const relayUp = z.object({
  version,
  from: id,
  room,
  epoch,
  ...linked,
  links: z
    .array(
      z.discriminatedUnion('type', [
        /** A participant wants to join. */
        z.object({
          type: z.literal('link'),
          id: link,
          peer: z.string().max(100),
          message: z.unknown(),
        }),
        z.object({ type: z.literal('control'), id: link, message: z.unknown() }),
        z.object({ type: z.literal('closed'), id: link, code }),
        /** Sessions that were heard from recently. */
        z.object({ type: z.literal('heard'), ids: links }),
        /**
         * Mix rates that this relay's listeners want: indexes in RATES, and 255 for the room's own
         * rate.
         */
        z.object({
          type: z.literal('rates'),
          wanted: z.array(z.number().int().min(0).max(255)).max(8),
        }),
        /** The last packets of the mix may have been lost. */
        z.object({ type: z.literal('again') }),
      ]),
    )
    .max(MAX_RELAY_BATCH),
});

/**
 * Message of the owner of a room to a relay. With `again` the owner may have missed the last
 * messages of the relay. Such a message has no number and no answers.
 */
export const relayDown = z.object({
  version,
  room,
  epoch,
  ...linked,
  again: z.boolean().default(false),
  answers: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('tell'), ids: links, message: z.looseObject({}) }),
        z.object({ type: z.literal('close'), id: link, code, reason }),
      ]),
    )
    .max(MAX_RELAY_BATCH),
});

/** Request of a relay for the room's sample clock. */
export const clockRequest = z.object({ version, room });

/** clock: in samples, with a fraction. */
export const clockAnswer = z.object({
  version,
  epoch,
  clock: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
});

/** Limits of an act's name and of its arguments. */
const act = z.string().max(40);
const args = z.array(z.unknown()).max(8);

/** Request from the operator's API of one node to the owner of a room, to act in it. */
export const actRequest = z.object({ version, room, act, args });

/** code: reason for a failure, from the registry of errors; value: the result, if any. */
export const actAnswer = z.object({
  version,
  code: z.string().max(40).optional(),
  value: z.looseObject({}).optional(),
});

/** Limit of rooms in one answer. */
export const ROOMS_PAGE = 200;

/** Request from the operator's API of one node for the rooms of another. */
export const roomsRequest = z.object({ version, from: count });

export const roomsAnswer = z.object({
  version,
  rooms: z.array(z.looseObject({ room })).max(ROOMS_PAGE),
  more: z.boolean(),
});

/** Subjects of one cluster. @param {string} name  of the cluster */
export function subjectsOf(name) {
  return Object.freeze({
    beats: `aloud.${name}.node.*.beat`,
    beat: (/** @type {string} */ node) => `aloud.${name}.node.${node}.beat`,
    open: (/** @type {string} */ node) => `aloud.${name}.node.${node}.open`,
    /** Reports of relays to the owners of rooms, and the instructions in return. */
    relayUp: (/** @type {string} */ node) => `aloud.${name}.node.${node}.relay-up`,
    relayDown: (/** @type {string} */ node) => `aloud.${name}.node.${node}.relay-down`,
    clock: (/** @type {string} */ node) => `aloud.${name}.node.${node}.clock`,
    /** Requests of the operator's API to rooms, on any node. */
    act: (/** @type {string} */ node) => `aloud.${name}.node.${node}.act`,
    rooms: (/** @type {string} */ node) => `aloud.${name}.node.${node}.rooms`,
    mix: (/** @type {string} */ of) => `aloud.${name}.room.${of}.mix`,
    where: (/** @type {string} */ of) => `aloud.${name}.room.${of}.where`,
    bans: `aloud.${name}.bans`,
    rules: `aloud.${name}.room.*.rules`,
    rulesOf: (/** @type {string} */ of) => `aloud.${name}.room.${of}.rules`,
    claim: (/** @type {string} */ of) => `aloud.${name}.room.${of}.claim`,
  });
}

/** @typedef {ReturnType<typeof subjectsOf>} Subjects */

/** Validates messages from the bus, and counts the rejected ones. */
export class ClusterMessageReader {
  #log;
  /** Rejected messages: another form or another version. */
  dropped = 0;
  /** Nodes of other versions that were logged already. @type {Set<string>} */
  #told = new Set();

  /** @param {Pick<Log, 'warn'>} log */
  constructor(log) {
    this.#log = log;
  }

  /**
   * @template {z.ZodType} S
   * @param {S} schema
   * @param {unknown} message
   * @returns {z.infer<S> | null} null if rejected
   */
  read(schema, message) {
    const parsed = schema.safeParse(message);
    if (parsed.success) return parsed.data;
    this.dropped += 1;
    this.#tellVersion(/** @type {object} */ (message));
    return null;
  }

  /**
   * Logs once per node that it speaks another version.
   * @param {Partial<Record<'version' | 'id' | 'node' | 'from' | 'url', unknown>>} message
   */
  #tellVersion(message) {
    const theirs = message?.version;
    if (!Number.isInteger(theirs) || theirs === CLUSTER_VERSION) return;
    const node = id.safeParse(message.id ?? message.node ?? message.from);
    if (!node.success || this.#told.size >= 100 || this.#told.has(node.data)) return;
    this.#told.add(node.data);
    this.#log.warn(
      {
        event: 'node-version',
        from: node.data,
        url: url.safeParse(message.url).data,
        version: theirs,
        ownVersion: CLUSTER_VERSION,
      },
      'node of another version is ignored until both run the same release',
    );
  }
}
