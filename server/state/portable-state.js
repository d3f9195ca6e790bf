/**
 * The portable state of a room: everything that outlives its thread or its node, as plain data.
 * This file is the only list of it; docs/scaling.md lists the state that stays behind, and why.
 *
 * | part | worker restart | drain | announcements to all nodes | resume tokens |
 * | --- | --- | --- | --- | --- |
 * | `told`: settings | yes | yes | yes | `frameMs`, `channels`, `mode`, `e2e` |
 * | `told`: rules, secrets, stage, groups, bans, restraints, places, ids | yes | yes | yes | no |
 * | `chat` | yes | yes | no | no |
 * | `people`: identity, role, mutes, hand, group, language | yes | no | no | their own |
 *
 * Nodes of two releases read each other: unknown fields are ignored, and missing ones have
 * defaults. A field whose meaning changes gets another name.
 *
 * @typedef {z.infer<typeof settings>} Settings undefined: unknown, as from a node of an earlier
 *   release
 * @typedef {z.infer<typeof placeNote>} PlaceNote
 * @typedef {z.infer<typeof chatState>} ChatState
 * @typedef {z.infer<typeof stageState>} StageState
 * @typedef {z.infer<typeof groupsState>} GroupsState
 * @typedef {z.infer<typeof knownState>} KnownState
 * @typedef {z.infer<typeof personState>} PersonState
 * @typedef {z.infer<typeof roomState>} RoomState
 */

import { z } from 'zod';
import {
  MAX_CALL_BACK_SECONDS,
  MAX_GROUPS,
  MAX_SERVER_DELAY_MS,
  MODES,
  PERMISSIONS,
  ROLES,
} from '../../public/shared/limits.js';
import { CHANNELS, MAX_FRAME_MS } from '../../public/shared/sound/audio-format.js';

/** Version of the state in this release; 1 had no settings, restraints and places. */
export const STATE_VERSION = 2;

/** Most entries of each list for other nodes: the newest ones. */
export const MAX_TOLD = Object.freeze({ bans: 10, restraints: 50, places: 200 });

/** Most messages of a chat. */
const MAX_CHAT = 200;

/** Highest next id, from which ids still have room for the digits of personFields.id. */
const MAX_NEXT_ID = 1e14;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const known = z.string().max(256).nullable();
const role = z.enum(ROLES);
const who = z.enum(['everybody', 'moderators']);

export const personFields = Object.freeze({
  id: z.string().regex(/^\d{1,15}$/),
  name: z.string().max(400),
  label: z.string().max(500),
  /** Names the place in resume tokens. */
  key: z.string().min(1).max(32),
  role,
  /** By their own choice. */
  muted: z.boolean(),
  /** By a moderator. */
  silenced: z.boolean(),
  /** Place in the order of raised hands; 0 while the hand is down. */
  hand: z.number().int().min(0).max(1_000_000_000),
  /** Group that they are in; 0 in the room. */
  group: z.number().int().min(0).max(MAX_GROUPS),
  /** Tag of the language that they interpret into. */
  language: z.string().max(100).nullable(),
});

/** The person's grant at the join. */
export const grantFields = Object.freeze({
  role,
  withheld: z.array(z.enum(PERMISSIONS)).max(5),
  identity: known,
  tokenId: known,
});

/** A ban, besides its id and its room. */
export const banFields = Object.freeze({
  name: z.string().max(500),
  identity: known,
  tokenId: known,
  network: known,
  leftMs: z.number().min(0),
});

const personState = z.object({
  ...personFields,
  group: personFields.group.default(0),
  language: personFields.language.default(null),
  grant: z.object(grantFields),
  /** True for a member of the audience. */
  isLight: z.boolean(),
  peer: z.string().max(100),
  transport: z.string().max(32),
  /** Time since the join. */
  seconds: z.number().min(0),
});

export const settingsFields = Object.freeze({
  frameMs: z.number().min(1).max(MAX_FRAME_MS).optional().catch(undefined),
  channels: z
    .union(CHANNELS.map((channels) => z.literal(channels)))
    .optional()
    .catch(undefined),
  mode: z.enum(MODES).optional().catch(undefined),
  e2e: z.boolean().optional(),
});

const settings = z.object({
  ...settingsFields,
  /** The setting, not the delay in force. */
  serverDelayMs: z
    .union([z.literal('auto'), z.number().min(0).max(MAX_SERVER_DELAY_MS)])
    .optional()
    .catch(undefined),
});

/** Changes of a place that its older resume tokens don't contain. */
const placeNote = z.object({
  key: personFields.key,
  /**
   * The room's epoch, and the time in milliseconds since 1970: tokens signed later contain the
   * change.
   */
  epoch: count,
  at: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  /** True when the place is free for good, so that its tokens are void. */
  out: z.boolean().default(false),
  role: role.nullable().default(null),
  silenced: z.boolean().nullable().default(null),
  /** Group and language then; null: unknown, '': no language. */
  group: personFields.group.nullable().default(null),
  language: personFields.language.default(null),
});

export const placeNotes = z.array(placeNote).max(MAX_TOLD.places).default([]);

const stageState = z.object({
  /** Invitation to the stage, for its bearer. */
  key: z.string().max(64),
  /** Start of the broadcast in milliseconds since 1970; null before anybody is on stage. */
  since: z.number().nullable(),
});

const groupsState = z.object({
  count: z.number().int().min(1).max(MAX_GROUPS),
  choose: z.boolean(),
  /** Time until everybody comes back; null: until a moderator calls them. */
  leftMs: z
    .number()
    .min(0)
    .max(1000 * MAX_CALL_BACK_SECONDS)
    .nullable(),
});

/** State of an occupied room that all nodes know. */
export const knownState = settings.extend({
  version: z.number().int().min(1).default(1),
  locked: z.boolean(),
  lobby: z.boolean(),
  chat: who,
  record: who,
  /** Salt and hash, in base64. */
  password: z.object({ salt: z.string().max(64), hash: z.string().max(64) }).nullable(),
  /** Null without a broadcast. */
  broadcast: stageState.nullable().default(null),
  /** Lets a program send to the stage; null without one. */
  streamKey: z.string().max(64).nullable().default(null),
  /** Null without groups. */
  groups: groupsState.nullable().default(null),
  bans: z
    .array(
      z.object({
        /** The same at all nodes; none of an earlier release. */
        id: personFields.id.optional(),
        ...banFields,
      }),
    )
    .max(MAX_TOLD.bans),
  /** Rights that moderators took from people who have left. */
  restraints: z
    .array(
      z.object({
        identity: known,
        network: known,
        kind: z.enum(['person', 'program', 'shared']).default('person'),
        silenced: z.boolean(),
        lowered: z.boolean(),
      }),
    )
    .max(MAX_TOLD.restraints)
    .default([]),
  places: placeNotes,
  /** Id of the next newcomer, and rank of the next hand; 0: unknown. */
  nextId: count.max(MAX_NEXT_ID).default(0),
  nextHand: personFields.hand.default(0),
});

const said = z.object({
  number: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  from: z.string().max(64),
  name: z.string().max(500),
  text: z.string().max(8000),
  at: z.iso.datetime(),
  cut: z.literal(true).optional(),
});

/** Last messages of the chat, and number of the next one. */
export const chatState = z.object({ messages: z.array(said).max(MAX_CHAT), next: count.min(1) });

/** Whole portable state of a room. */
export const roomState = z.object({
  name: z.string().max(64),
  told: knownState,
  chat: chatState,
  people: z.array(personState),
});
