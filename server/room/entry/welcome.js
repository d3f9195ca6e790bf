/**
 * @import { ServerMessages } from '../../../public/shared/messages/server-messages.js'
 * @import { NodeAddress } from '../../cluster/messages.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { Room } from '../room.js'
 * @import { Streams } from '../sound/streams.js'
 */

import { CONTROL_VERSION } from '../../../public/shared/wire/control.js';

/** Most people in one message. */
export const PEOPLE_PAGE = 100;

/**
 * One page of the list of people.
 * @param {People} people
 * @param {string} [after]  the id of the last one of the page before
 */
export function peoplePage(people, after = '0') {
  const isBehind = (/** @type {Member} */ { id }) =>
    Number(id) > Number(after) && people.announcements.isKnown(id);
  const behind = people.everybody.filter(isBehind).sort((a, b) => Number(a.id) - Number(b.id));
  const page = behind.slice(0, PEOPLE_PAGE);
  return {
    people: page.map((person) => person.describe()),
    ...(behind.length > page.length && { next: page[page.length - 1].id }),
  };
}

/**
 * The first message to a member: the sound's format, the people, the chat and the rules.
 * @param {Room} room
 * @param {Member} member
 * @param {{ token: string, nameCut?: boolean, nodes?: NodeAddress[], atRelay?:
 *   ReturnType<Streams['ratesAtRelay']> }} place token: resumes the place; nodes: where it can be,
 *   in a cluster; atRelay: rates for the relay of a broadcast's listener
 * @returns {ServerMessages['welcome']}
 */
export function welcomeOf(room, member, { token, nameCut, nodes, atRelay }) {
  const { config, sound, record, rules } = room;
  const { bitrate, e2e, echo, idleTimeoutMs, redundancy, silenceSuppression, format } = config;
  const { sampleRate, channels, frameMs, opusFrames } = format;
  const { people, next } = peoplePage(room.people);
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
    listeners: room.people.audience.size,
    stride: member.stride,
    room: room.name,
    waited: sound.late,
    chat: record.chat.history,
    canRecord: record.recording.offered && !e2e,
    role: member.role,
    may: [...member.permissions],
    rules: rules.told,
    recording: record.recording.state,
    metronome: record.metronome.beat,
    track: record.track.state,
    resume: token,
    ...(rules.succession.waits && { gatherMs: rules.succession.waitsMs }),
    ...(nodes && { nodes }),
    ...(nameCut && { nameCut }),
    ...(atRelay && { atRelay }),
  };
}
