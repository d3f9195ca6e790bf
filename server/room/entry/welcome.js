/**
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { Chat } from '../chat.js'
 * @import { Member } from '../people/member.js'
 * @import { MemberSound } from '../people/member-sound.js'
 * @import { BackingTrack } from '../../clock/backing-track.js'
 * @import { Metronome } from '../../clock/metronome.js'
 * @import { Moderation } from '../moderation/moderation.js'
 * @import { NodeAddress } from '../../cluster/messages.js'
 * @import { RoomConfig } from '../room-config.js'
 * @import { RoomDelay } from '../room-delay.js'
 * @import { Roster } from '../people/roster.js'
 */

import { CONTROL_VERSION } from '../../../public/shared/wire/control.js';

/** The most people in one message. */
export const PEOPLE_PAGE = 100;

/**
 * Some of the people of the room, as others are told of them.
 * @param {Roster} roster
 * @param {string} [after]  the id of the last one of the page before
 */
export function peoplePage(roster, after = '0') {
  const isBehind = (/** @type {Member} */ { id }) =>
    Number(id) > Number(after) && roster.announcements.isKnown(id);
  const behind = roster.everybody.filter(isBehind).sort((a, b) => Number(a.id) - Number(b.id));
  const people = behind.slice(0, PEOPLE_PAGE);
  return {
    people: people.map((person) => person.describe()),
    ...(behind.length > people.length && { next: people[people.length - 1].id }),
  };
}

/**
 * The first message to a member: the sound's format, who is there, and what has been going on.
 * @param {string} room  its name
 * @param {{ config: Readonly<RoomConfig>, roster: Roster, chat: Chat, recording: RoomRecording,
 *   moderation: Moderation, roomDelay: RoomDelay, metronome: Metronome, track: BackingTrack }}
 *   parts the room's
 * @param {Member} member
 * @param {{ token: string, nameCut?: boolean, nodes?: NodeAddress[], atRelay?:
 *   ReturnType<MemberSound['ratesAtRelay']> }} place token: with which the place is taken up again;
 *   nodes: on which it can be, in a cluster; atRelay: what the relay of one who listens to a
 *   broadcast chooses their rate by, and keeps to itself
 */
export function welcomeOf(
  room,
  { config, roster, chat, recording, moderation, roomDelay, metronome, track },
  member,
  { token, nameCut, nodes, atRelay },
) {
  const { bitrate, e2e, echo, idleTimeoutMs, redundancy, silenceSuppression, format } = config;
  const { sampleRate, channels, frameMs, opusFrames } = format;
  const { people, next } = peoplePage(roster);
  if (!people.some(({ id }) => id === member.id)) people.push(member.describe());
  return {
    type: 'welcome',
    version: CONTROL_VERSION,
    you: member.id,
    format: { sampleRate, channels, frameMs, opusFrames },
    delivery: member.delivery,
    serverDelayMs: member.takeDelay(),
    bitrate,
    redundancy,
    silenceSuppression: silenceSuppression && member.delivery === 'tick',
    echo,
    e2e,
    idleTimeoutMs,
    people,
    ...(next !== undefined && { next }),
    listeners: roster.audience.size,
    stride: member.stride,
    room,
    waited: roomDelay.people,
    chat: chat.history,
    canRecord: recording.offered && !e2e,
    role: member.role,
    may: [...member.permissions],
    rules: moderation.rules,
    recording: recording.state,
    metronome: metronome.beat,
    track: track.state,
    resume: token,
    ...(moderation.succession.waits && { gatherMs: moderation.succession.waitsMs }),
    ...(nodes && { nodes }),
    ...(nameCut && { nameCut }),
    ...(atRelay && { atRelay }),
  };
}
