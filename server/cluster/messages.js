/**
 * The messages between nodes: their subjects, and the schemas that each is checked by.
 * docs/protocol.md has them.
 *
 * @typedef {z.infer<typeof nodeAddress>} NodeAddress   where clients reach a node
 * @typedef {z.infer<typeof beat>} Beat
 * @typedef {z.infer<typeof claim>} Claim
 * @typedef {z.infer<typeof where>} Where
 * @typedef {z.infer<typeof opening>} Opening
 * @typedef {z.infer<typeof opened>} Opened
 * @typedef {z.infer<typeof relayUp>} RelayUp
 * @typedef {z.infer<typeof relayDown>} RelayDown
 * @typedef {RelayUp['links'][number]} RelayLink what a relay tells a room's home of one of its
 *   sessions
 * @typedef {RelayDown['answers'][number]} RelayAnswer  what the home has a relay do
 */

import { z } from 'zod';
import { MAX_ROOM_NAME } from '../../public/shared/text.js';
import { chatState, placeNotes, toldState } from '../state/portable-state.js';

/** The version of these messages. A node refuses those of another, by the name of the node. */
export const CLUSTER_VERSION = 2;

/** The longest message, in bytes: a welcome with 64 KiB of chat and 101 people is in it. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** The most things that a relay and a room's home tell each other in one message. */
export const MAX_RELAY_BATCH = 256;

/** The most sessions in one message that are told to be there still. */
export const MAX_RELAY_IDS = 2000;

/** The most origins that a node names. */
export const MAX_ORIGINS = 16;

const id = z.string().regex(/^[A-Za-z0-9]{1,32}$/);
const room = z.string().regex(new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ROOM_NAME}}$`));
const count = z.number().int().min(0).max(1_000_000);
const epoch = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** An origin, which pages and clients can be given. */
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

export const nodeAddress = z.object(addressFields);

const version = z.literal(CLUSTER_VERSION);

export const beat = z.object({
  version,
  ...addressFields,
  origins: z.array(url).max(MAX_ORIGINS),
  /** The node's date, in milliseconds since 1970. */
  at: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  people: count,
  maxPeople: count.min(1),
  busy: z.boolean(),
  draining: z.boolean(),
  software: z.string().max(40),
});

/** e2e: whether the room is end-to-end encrypted. Nodes of an earlier release don't say it. */
export const claim = z.object({ version, node: id, epoch, e2e: z.boolean().default(false) });

/**
 * relays: whether other nodes are to relay the room to those who only listen; broadcast: whether
 * that is whoever comes uninvited.
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
  /** Whether the room is to be opened; else it is only asked whether it would be. */
  hold: z.boolean(),
  /** The epoch that the new one must be above. */
  above: epoch,
  /** From a node that drains: what was said lately in the room, and its state. */
  chat: chatState.optional(),
  rules: toldState.nullish(),
});

/** node: who has the room, or would; null where the asked node opens nothing. */
export const opened = z.object({ version, node: nodeAddress.nullable() });

/**
 * rules: the room's state; null where it has ended, and then places: what is known of its tokens.
 * Nodes of an earlier release tell null of rooms without rules too.
 */
export const roomRules = z.object({
  version,
  from: id.optional(),
  room,
  rules: toldState.nullable(),
  places: placeNotes,
});

/** The number of a session at its relay. */
const link = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const links = z.array(link).max(MAX_RELAY_IDS);
const reason = z.string().max(200);
/**
 * The code with which a session ends: 0 for those who leave, else one of the registry of errors.
 */
const code = z.number().int().min(0).max(1000);

/** What a relay tells the home of a room. */
export const relayUp = z.object({
  version,
  /** The relay's node. */
  from: id,
  room,
  epoch,
  links: z
    .array(
      z.discriminatedUnion('type', [
        /** Somebody wants to join. */
        z.object({
          type: z.literal('link'),
          id: link,
          peer: z.string().max(100),
          message: z.unknown(),
        }),
        z.object({ type: z.literal('control'), id: link, message: z.unknown() }),
        z.object({ type: z.literal('closed'), id: link, code }),
        /** These have been heard from lately. */
        z.object({ type: z.literal('heard'), ids: links }),
        /**
         * At which rates this relay's listeners want the mix: numbers in RATES, and 255 for the
         * room's own.
         */
        z.object({
          type: z.literal('rates'),
          wanted: z.array(z.number().int().min(0).max(255)).max(8),
        }),
        /** Packets of the mix that were sent last may have been lost. */
        z.object({ type: z.literal('again') }),
      ]),
    )
    .max(MAX_RELAY_BATCH),
});

/** What the home of a room has a relay do. */
export const relayDown = z.object({
  version,
  room,
  epoch,
  answers: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('tell'), ids: links, message: z.looseObject({}) }),
        z.object({ type: z.literal('close'), id: link, code, reason }),
      ]),
    )
    .max(MAX_RELAY_BATCH),
});

/** A relay asks for the room's sample clock. */
export const clockAsked = z.object({ version, room });

/** clock: in samples, with its fraction. */
export const clockTold = z.object({
  version,
  epoch,
  clock: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
});

/** The longest name of an act, and the most arguments. */
const act = z.string().max(40);
const args = z.array(z.unknown()).max(8);

/** The operator's API of a node asks the one that has a room to do something in it. */
export const actAsked = z.object({ version, room, act, args });

/** code: why it wasn't done, of the registry of errors; value: the answer, where there is one. */
export const actDone = z.object({
  version,
  code: z.string().max(40).optional(),
  value: z.looseObject({}).optional(),
});

/** The most rooms in one answer. */
export const ROOMS_PAGE = 200;

/** The operator's API of a node asks another for its rooms. */
export const roomsAsked = z.object({ version, from: count });

export const roomsTold = z.object({
  version,
  rooms: z.array(z.looseObject({ room })).max(ROOMS_PAGE),
  more: z.boolean(),
});

/**
 * The subjects of one cluster.
 * @param {string} name  the cluster's
 */
export function subjectsOf(name) {
  return Object.freeze({
    beats: `aloud.${name}.node.*.beat`,
    beat: (/** @type {string} */ node) => `aloud.${name}.node.${node}.beat`,
    open: (/** @type {string} */ node) => `aloud.${name}.node.${node}.open`,
    /** What relays tell the home of rooms, and what it has a relay do. */
    relayUp: (/** @type {string} */ node) => `aloud.${name}.node.${node}.relay-up`,
    relayDown: (/** @type {string} */ node) => `aloud.${name}.node.${node}.relay-down`,
    clock: (/** @type {string} */ node) => `aloud.${name}.node.${node}.clock`,
    /** What the operator's API asks of rooms, wherever they are. */
    act: (/** @type {string} */ node) => `aloud.${name}.node.${node}.act`,
    rooms: (/** @type {string} */ node) => `aloud.${name}.node.${node}.rooms`,
    mix: (/** @type {string} */ of) => `aloud.${name}.room.${of}.mix`,
    where: (/** @type {string} */ of) => `aloud.${name}.room.${of}.where`,
    rules: `aloud.${name}.room.*.rules`,
    rulesOf: (/** @type {string} */ of) => `aloud.${name}.room.${of}.rules`,
    claim: (/** @type {string} */ of) => `aloud.${name}.room.${of}.claim`,
  });
}

/** @typedef {ReturnType<typeof subjectsOf>} Subjects */

/** Checks what comes over the bus, and counts what isn't ours. */
export class MessageReader {
  #log;
  /** Messages that were dropped: not of this form, or of another version. */
  dropped = 0;
  /** Nodes of other versions that the log has told of. @type {Set<string>} */
  #told = new Set();

  /** @param {{ warn: (message: string) => void }} log */
  constructor(log) {
    this.#log = log;
  }

  /**
   * @template {z.ZodType} S
   * @param {S} schema
   * @param {unknown} message  as it came
   * @returns {z.infer<S> | null} null where it is dropped
   */
  read(schema, message) {
    const parsed = schema.safeParse(message);
    if (parsed.success) return parsed.data;
    this.dropped += 1;
    this.#tellVersion(message);
    return null;
  }

  /** Says once which node speaks another version. @param {any} message */
  #tellVersion(message) {
    const theirs = message?.version;
    if (!Number.isInteger(theirs) || theirs === CLUSTER_VERSION) return;
    const node = id.safeParse(message.id ?? message.node ?? message.from);
    if (!node.success || this.#told.size >= 100 || this.#told.has(node.data)) return;
    this.#told.add(node.data);
    const told = url.safeParse(message.url);
    const name = told.success ? `${node.data} at ${told.data}` : node.data;
    this.#log.warn(
      `node ${name} speaks version ${theirs} of the cluster's messages, this one ` +
        `${CLUSTER_VERSION}: it is left out until both run the same release`,
    );
  }
}
