/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Permission } from '../../public/shared/limits.js'
 * @import { ClientMessageType, ReadClientMessages }
 *   from '../../public/shared/messages/client-messages.js'
 * @import { Member } from './people/member.js'
 * @import { Room } from './room.js'
 *
 * The commands of members: an action for each control message of clients. Its fields and the
 * permission that it needs are in public/shared/messages/client-messages.js.
 *
 *
 * @typedef {Exclude<ClientMessageType, 'join' | 'knock'>} CommandType  messages of members
 *
 * @typedef {ReadClientMessages['moderate']} ModerateMessage
 */

import {
  CLIENT_MESSAGES,
  readFields,
  typeOf,
} from '../../public/shared/messages/client-messages.js';
import { MAX_TITLE_LENGTH } from '../../public/shared/limits.js';
import { cleanText, cutCharacters } from '../../public/shared/text.js';

/** Most listeners in one message. */
const LISTENERS_PAGE = 50;

/**
 * Permissions for actions that a person starts by hand: a refusal is sent to them.
 * @type {ReadonlySet<Permission>}
 */
const NOTIFIED = new Set(/** @type {const} */ (['speak', 'chat', 'record', 'moderate']));

/**
 * Acts of moderators, by the message's action. One returns the reason why it wasn't done, or null.
 * @type {Readonly<{ [A in ModerateMessage['action']]: (room: Room, by: Member,
 *   message: ModerateMessage & { action: A }) => ErrorCode | null }>}
 */
const ACTS = Object.freeze({
  mute: ({ rules }, by, { person, muted }) => rules.moderation.mute(person, muted, by),
  'lower-hand': ({ rules }, by, { person }) => rules.moderation.lowerHand(person, by),
  remove: ({ rules }, by, { person, banSeconds }) =>
    rules.moderation.remove(person, { banMs: banSeconds * 1000 }, by),
  role: ({ rules }, by, { person, role }) => rules.moderation.setRole(person, role, by),
  lock: ({ rules }, by, { on }) => rules.moderation.lock(on, by),
  lobby: ({ rules }, by, { on }) => rules.moderation.lobby(on, by),
  admit: ({ rules }, by, { knock }) => rules.moderation.admit(knock, by),
  'turn-away': ({ rules }, by, { knock }) => rules.moderation.turnAway(knock, by),
  allow: ({ rules }, by, { what, who }) => rules.moderation.allow(what, who, by),
  password: ({ rules }, by, { password }) => rules.moderation.setPassword(password, by),
  listeners({ people }, by, { after, find = '' }) {
    const page = people.listeners({ after, find, most: LISTENERS_PAGE });
    by.tell({ type: 'audience', find, ...page });
    return null;
  },
  mode: ({ rules }, by, { mode }) => rules.moderation.setMode(mode, by),
  broadcast: ({ rules }, by, { on }) => rules.moderation.setBroadcast(on, by),
  'stream-key': ({ rules }, by, { on }) => rules.moderation.setStreamKey(on, by),
  groups: ({ rules }, by, { count, evenly, choose }) =>
    rules.moderation.openGroups(count, { evenly, choose }, by),
  group: ({ rules }, by, { person, group }) => rules.moderation.moveToGroup(person, group, by),
  'groups-back': ({ rules }, by, { seconds }) => rules.moderation.callBack(seconds, by),
  'groups-speak': ({ rules }, by, { on }) => rules.moderation.speakToGroups(on, by),
  interpret: ({ rules }, by, { person, language }) =>
    rules.moderation.interpret(person, language, by),
  end: ({ rules }, by) => rules.moderation.endForAll(by),
  bans({ rules }, by) {
    by.tell({ type: 'bans', bans: rules.moderation.bans() });
    return null;
  },
  unban: ({ rules }, by, { ban }) => rules.moderation.unban(ban, by),
});

/**
 * Actions by the message's type. One returns false when it can't be done for this member, which is
 * counted.
 * @type {Readonly<{ [T in CommandType]:
 *   (room: Room, member: Member, message: ReadClientMessages[T]) => boolean | void }>}
 */
const ACTIONS = Object.freeze({
  mute({ people }, member, { muted }) {
    if (!muted && member.standing.silenced) return member.refuse('mute', 'muted-by-moderator');
    if (member.standing.mute(muted)) people.changed(member);
  },
  hand({ people, rules }, member, { raised }) {
    if (member.hand > 0 === raised) return;
    member.hand = raised ? rules.hands.takeNext() : 0;
    people.changed(member);
    rules.hands.moved(member);
  },
  people({ people }, member, { after }) {
    member.tell({ type: 'people', ...people.page(after) });
  },
  title({ people }, member, { title }) {
    const text = cutCharacters(cleanText(title).replace(/\s+/g, ' '), MAX_TITLE_LENGTH);
    if (text === member.title) return;
    member.title = text;
    people.changed(member);
  },
  chat({ record }, member, { text }) {
    record.chat.say(member, text);
  },
  captions({ record }, member, wish) {
    record.captions.ask(member, wish);
  },
  caption({ record }, member, message) {
    return record.captions.write(member, message);
  },
  volume({ config, people, rules, sound }, member, { person, gain, pan }) {
    const { listener } = member;
    if (!listener || listener.isLight || person === member.id) return false;
    const source = people.present.get(person)?.source;
    if (source) {
      sound.delivery.setVolume(listener, source, gain, pan);
      return true;
    }
    // Somebody who is away, or about to come from another node, is heard with it later.
    const isExpected = people.find(person)?.away || rules.succession.waits;
    if (!isExpected || listener.volumes.size >= config.maxParticipants) return false;
    listener.volumes.set(person, gain, config.format.channels === 2 ? pan : 0, -1);
    sound.delivery.listenersChanged();
    return true;
  },
  delay({ config, sound }, member, { serverDelayMs }) {
    const { listener } = member;
    if (
      !listener ||
      listener.isLight ||
      listener.delivery !== 'reply' ||
      serverDelayMs > config.maxDelayMs
    )
      return false;
    const before = { serverDelayMs: member.serverDelayMs, ...listener.received.takeSpan() };
    listener.readAt(serverDelayMs);
    sound.delivery.listenersChanged();
    member.tell({ type: 'delayed', serverDelayMs, before });
    return true;
  },
  report({ sound }, member, report) {
    const { stride } = member;
    member.figures.report(report);
    if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
    sound.delivery.redundancyChanged();
  },
  nearness({ sound }, member, { nearness, fill }) {
    const { stride, listener } = member;
    // A listener with delivery `reply` gets no closer than its own buffer allows.
    if (!listener?.isLight) return;
    listener.nearness = nearness;
    if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
    sound.delivery.nearer?.(listener, fill ? listener.takeFill() : 0);
  },
  rate(_room, { listener }, { bitsPerSecond }) {
    if (!listener?.isLight || listener.rate === null) return false;
    listener.rate.ask(bitsPerSecond === 'auto' ? Infinity : bitsPerSecond);
    return true;
  },
  record({ record: { recording }, rules }, member, { on, isPublic }) {
    if (on && isPublic && !(rules.stage.isOn && rules.may(member, 'moderate')))
      return member.refuse('record', 'not-allowed');
    if (on) return recording.start(member, { isPublic });
    const startedBy = recording.state?.person ?? member.id;
    const code = recording.stopFor(member, (permission) => rules.may(member, permission));
    if (code !== null) member.refuse('record', code);
    else if (startedBy !== member.id) rules.moderation.recordingStopped(member);
    return code === null;
  },
  recordConsent({ record }, member, { agreed }) {
    record.recording.consent(member, agreed);
  },
  metronome({ record }, member, message) {
    record.metronome.set(message, member.label);
  },
  track({ record }, member, message) {
    return record.track.act(member, message);
  },
  moderate(room, member, message) {
    const act = /** @type {(...args: [Room, Member, ModerateMessage]) => ErrorCode | null} */ (
      ACTS[message.action]
    );
    const isAllowed = room.rules.moderation.takeAction();
    const code = isAllowed ? act(room, member, message) : 'too-many-requests';
    if (code !== null) member.refuse('moderate', code, { action: message.action });
  },
  language({ rules }, member, { language }) {
    const code = rules.interpreters.listen(member, language);
    if (code !== null) member.refuse('language', code);
    return code === null;
  },
  group({ rules }, member, { group }) {
    const code = rules.groups.choose(member, group);
    if (code !== null) member.refuse('group', code);
    return code === null;
  },
  leave(_room, member) {
    member.session.close(0, 'left');
  },
});

/** @param {unknown} message */
export const isLeave = (message) => typeOf(message) === 'leave';

/** @param {unknown} type @returns {type is CommandType} */
const isCommand = (type) => typeof type === 'string' && Object.hasOwn(ACTIONS, type);

/**
 * Executes a member's command.
 * @param {Room} room
 * @param {Member} member
 * @param {unknown} message  as received
 * @returns {boolean} false when it is no command, or can't be done for this member
 */
export function runCommand(room, member, message) {
  const type = typeOf(message);
  return isCommand(type) && run(type, room, member, message);
}

/**
 * @template {CommandType} T
 * @param {T} type
 * @param {Room} room
 * @param {Member} member
 * @param {unknown} message
 */
function run(type, room, member, message) {
  const read = readFields(type, message);
  if (read === null) return false;
  const { needs } = CLIENT_MESSAGES[type];
  const permission = needs === 'record' && isStop(read) ? null : needs;
  if (permission !== null && !room.rules.may(member, permission)) {
    if (NOTIFIED.has(permission)) member.refuse(type, 'not-allowed');
    return false;
  }
  return ACTIONS[type](room, member, read) !== false;
}

/**
 * True for a command that stops a recording. It needs no permission of its own: it depends on who
 * started the recording.
 * @param {object} message
 */
const isStop = (message) => 'on' in message && message.on === false;
