/**
 * The control messages of clients: `join`, and what a member may ask for. Fields that aren't known
 * are ignored.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { RoomRecording } from '../recording/room-recording.js'
 * @import { BackingTrack } from '../clock/backing-track.js'
 * @import { Chat } from './chat.js'
 * @import { Delivery } from '../mix/delivery.js'
 * @import { Member } from './people/member.js'
 * @import { Metronome } from '../clock/metronome.js'
 * @import { Permission } from '../access/grant.js'
 * @import { Moderation } from './moderation/moderation.js'
 * @import { RoomConfig } from './room-config.js'
 * @import { Roster } from './people/roster.js'
 *
 * @typedef {object} CommandRoom  the parts of a room that commands are given
 * @property {Readonly<RoomConfig>} config
 * @property {Roster} roster
 * @property {Delivery} delivery
 * @property {DelayControl} delay
 * @property {Chat} chat
 * @property {Metronome} metronome
 * @property {BackingTrack} track
 * @property {RoomRecording} recording
 * @property {Moderation} moderation
 */

import { z } from 'zod';
import { CHANNELS, ROOM_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import { BAR_BEATS, BEATS_A_MINUTE, CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { NEARNESS } from '../../public/shared/nearness.js';
import { readName, roomNameError } from '../../public/shared/text.js';
import { MAX_TRACK_SECONDS } from '../../public/shared/wire/track-piece.js';
import { LEAST_BITRATE, MOST_BITRATE } from '../broadcast/ladder.js';
import { MAX_SERVER_DELAY_MS } from '../config/options.js';
import { MAX_RESUME_LENGTH } from '../access/resume-token.js';
import { MODES } from './room-mode.js';
import { moderate, moderateMessage } from './moderation/moderate-command.js';
import { MAX_STAGE_KEY } from './moderation/stage.js';
import { peoplePage } from './entry/welcome.js';

/** The loudest that one may have another, as a factor of amplitude. */
const MAX_GAIN = 4;

/** The longest id, in characters: the server makes none that are longer. */
const MAX_ID_LENGTH = 64;

/**
 * What people ask for by hand: they are told where they may not.
 * @type {ReadonlySet<Permission>}
 */
const TOLD = new Set(/** @type {const} */ (['speak', 'chat', 'record', 'moderate']));

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
    resume: z.string().max(MAX_RESUME_LENGTH).optional().catch(undefined),
    mirror: z.boolean().optional(),
    token: z.string().optional(),
    password: z.string().optional(),
    listen: z.boolean().optional(),
    // One that can't be a key is as good as none.
    stage: z.string().max(MAX_STAGE_KEY).optional().catch(undefined),
    nearness: z.enum(NEARNESS).optional(),
    channels: z.union(CHANNELS.map((count) => z.literal(count))).optional(),
    frameMs: z.union(ROOM_FRAME_MS.map((ms) => z.literal(ms))).optional(),
    mode: z.enum(MODES).optional(),
    e2e: z.boolean().optional(),
  })
  .refine((message) => message.serverDelayMs === undefined || message.delivery === 'reply');

/**
 * @typedef {z.infer<typeof joinMessage> & { nameCut: boolean }} JoinMessage its name as it is kept;
 *   whether it was longer
 */

/**
 * @param {unknown} message  the first that a session sent
 * @returns {JoinMessage | ErrorCode} the code when it isn't a good join
 */
export function readJoin(message) {
  const parsed = joinMessage.safeParse(message);
  if (!parsed.success) {
    const version = /** @type {{ version?: unknown } | null} */ (message)?.version;
    return typeof version === 'number' && version !== CONTROL_VERSION
      ? 'protocol-version'
      : 'bad-request';
  }
  const { room, mirror } = parsed.data;
  const { name, isCut: nameCut, error } = readName(parsed.data.name);
  return (mirror ? null : roomNameError(room)) ?? error ?? { ...parsed.data, name, nameCut };
}

/**
 * A command: the message's schema, the permission that it needs, and what it does.
 * @template {z.ZodType} S
 * @typedef {object} Command
 * @property {S} schema
 * @property {Permission | null | ((message: z.infer<S>) => Permission | null)} needs null where
 *   everybody may ask
 * @property {(room: CommandRoom, member: Member, message: z.infer<S>) => boolean | void} run
 *   false when it can't be done for this member, which is counted
 */

/**
 * Checks a command's types.
 * @template {z.ZodType} S
 * @param {Command<S>} command
 */
const define = (command) => command;

/** The commands, by the message's type. */
export const COMMANDS = Object.freeze({
  mute: define({
    schema: z.object({ muted: z.boolean() }),
    needs: null,
    run: ({ roster }, member, { muted }) => {
      if (!muted && member.silenced) return member.refuse('mute', 'muted-by-moderator');
      if (member.mute(muted)) roster.changed(member);
    },
  }),
  hand: define({
    schema: z.object({ raised: z.boolean() }),
    needs: null,
    run: ({ roster, moderation }, member, { raised }) => {
      if (member.hand > 0 === raised) return;
      member.raiseHand(raised ? roster.nextHand() : 0);
      roster.changed(member);
      moderation.handMoved(member);
    },
  }),
  people: define({
    schema: z.object({ after: z.string().max(MAX_ID_LENGTH) }),
    needs: null,
    run: ({ roster }, member, { after }) =>
      member.tell({ type: 'people', ...peoplePage(roster, after) }),
  }),
  chat: define({
    schema: z.object({ text: z.string() }),
    needs: 'chat',
    run: ({ chat }, member, { text }) => chat.say(member, text),
  }),
  volume: define({
    schema: z.object({
      person: z.string().max(MAX_ID_LENGTH),
      gain: z.number().min(0).max(MAX_GAIN),
      pan: z.number().min(-1).max(1).default(0),
    }),
    needs: 'listen',
    run: ({ roster, delivery }, member, { person, gain, pan }) => {
      const other = roster.present.get(person);
      const { listener } = member;
      if (!other?.source || !listener || listener.isLight || other === member) return false;
      delivery.setVolume(listener, other.source, gain, pan);
      return true;
    },
  }),
  delay: define({
    schema: z.object({ serverDelayMs }),
    needs: 'listen',
    run: ({ config, delivery }, member, { serverDelayMs: delayMs }) => {
      const { listener } = member;
      if (
        !listener ||
        listener.isLight ||
        listener.delivery !== 'reply' ||
        delayMs > config.maxDelayMs
      )
        return false;
      const before = { serverDelayMs: member.serverDelayMs, ...listener.received.takeSpan() };
      listener.readAt(delayMs);
      delivery.listenersChanged();
      member.tell({ type: 'delayed', serverDelayMs: delayMs, before });
      return true;
    },
  }),
  report: define({
    // The way down and the sound cards, which only the client knows.
    schema: z.object({
      lostPercent: z.number().min(0).max(100),
      playoutDelayMs: z.number().min(0).max(10_000).optional(),
      soundLatencyMs: z.number().min(0).max(60_000).optional(),
      driftPpm: z.number().min(-10_000).max(10_000).optional(),
      isWeak: z.boolean().optional(),
    }),
    needs: 'listen',
    run: ({ delivery }, member, report) => {
      const { stride } = member;
      member.takeReport(report);
      if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
      delivery.redundancyChanged();
    },
  }),
  nearness: define({
    schema: z.object({ nearness: z.enum(NEARNESS), fill: z.boolean().default(false) }),
    needs: 'listen',
    run: ({ delivery }, member, { nearness, fill }) => {
      const { stride, listener } = member;
      // One whom the server answers is as near as its own buffer lets it be.
      if (!listener?.isLight) return;
      listener.nearness = nearness;
      if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
      delivery.nearer?.(listener, fill ? listener.takeFill() : 0);
    },
  }),
  rate: define({
    schema: z.object({
      bitsPerSecond: z.union([
        z.literal('auto'),
        z.number().int().min(LEAST_BITRATE).max(MOST_BITRATE),
      ]),
    }),
    needs: 'listen',
    run: (_room, { listener }, { bitsPerSecond }) => {
      if (!listener?.isLight || listener.rate === null) return false;
      listener.rate.ask(bitsPerSecond === 'auto' ? Infinity : bitsPerSecond);
      return true;
    },
  }),
  record: define({
    schema: z.object({ on: z.boolean(), isPublic: z.boolean().default(false) }),
    // Who may stop a recording depends on who started it.
    needs: ({ on }) => (on ? 'record' : null),
    run: ({ recording, moderation }, member, { on, isPublic }) => {
      if (on && isPublic && !(moderation.rules.broadcast && moderation.may(member, 'moderate')))
        return member.refuse('record', 'not-allowed');
      if (on) return recording.start(member, { isPublic });
      const startedBy = recording.state?.person ?? member.id;
      const code = recording.stopFor(member, (permission) => moderation.may(member, permission));
      if (code !== null) member.refuse('record', code);
      else if (startedBy !== member.id) moderation.recordingStopped(member);
      return code === null;
    },
  }),
  metronome: define({
    schema: z.object({
      bpm: z.number().min(BEATS_A_MINUTE.min).max(BEATS_A_MINUTE.max).nullable(),
      beats: z.number().int().min(BAR_BEATS.min).max(BAR_BEATS.max).default(4),
    }),
    needs: 'speak',
    run: ({ metronome }, member, wish) => metronome.set(wish, member.label),
  }),
  track: define({
    schema: z.discriminatedUnion('action', [
      z.object({
        action: z.literal('offer'),
        name: z.string(),
        seconds: z.number().positive().max(MAX_TRACK_SECONDS),
      }),
      z.object({ action: z.enum(['play', 'stop', 'remove']) }),
    ]),
    needs: 'speak',
    run: ({ track }, member, wish) => track.wish(member, wish),
  }),
  moderate: define({
    schema: moderateMessage,
    needs: 'moderate',
    run: ({ moderation }, member, message) => moderate(moderation, member, message),
  }),
  recordConsent: define({
    schema: z.object({ agreed: z.boolean() }),
    needs: null,
    run: ({ recording }, member, { agreed }) => recording.consent(member, agreed),
  }),
  leave: define({
    schema: z.object({}),
    needs: null,
    run: (_room, member) => member.session.close(0, 'left'),
  }),
});

/** @param {unknown} message */
export const isLeave = (message) => typeOf(message) === 'leave';

/** @param {unknown} message */
const typeOf = (message) => /** @type {{ type?: unknown } | null | undefined} */ (message)?.type;

/**
 * Does what a member asks for.
 * @param {CommandRoom} room
 * @param {Member} member
 * @param {unknown} message  as it came
 * @returns {boolean} false when it is no command, or can't be done for this member
 */
export function runCommand(room, member, message) {
  const type = typeOf(message);
  if (typeof type !== 'string' || !Object.hasOwn(COMMANDS, type)) return false;
  const { schema, needs, run } = /** @type {Command<any>} */ (
    COMMANDS[/** @type {keyof typeof COMMANDS} */ (type)]
  );
  const parsed = schema.safeParse(message);
  if (!parsed.success) return false;
  const permission = typeof needs === 'function' ? needs(parsed.data) : needs;
  if (permission !== null && !room.moderation.may(member, permission)) {
    if (TOLD.has(permission)) member.refuse(type, 'not-allowed');
    return false;
  }
  return run(room, member, parsed.data) !== false;
}
