/**
 * @import { ServerMessages } from '../../public/shared/messages/server-messages.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Member } from './people/member.js'
 * @import { Room } from './room.js'
 * @import { Streams } from './sound/streams.js'
 *
 * Descriptions of a room: for its newcomers, for anybody, and for the operator.
 */

import { CONTROL_VERSION } from '../../public/shared/wire/control.js';

/**
 * The room for anybody who knows its name: members present, listeners among them, and the seconds
 * since it went live.
 * @param {Room} room
 */
export function publicViewOf({ name, people, rules }) {
  const { here, audience } = people;
  return {
    room: name,
    // A person with a shared sound is one.
    present: here - people.shared().length,
    listeners: audience.size,
    liveSeconds: rules.stage.rules.liveSeconds,
  };
}

/** The room in the operator's list of rooms. @param {Room} room */
export function summaryOf(room) {
  const { config, people, sound, record, rules } = room;
  const { delayMs, setting } = sound.delay;
  return {
    ...publicViewOf(room),
    away: people.away,
    delivery: config.delivery,
    serverDelayMs: delayMs,
    delayMode: setting === 'auto' ? 'auto' : 'fixed',
    latenessP99Ms: sound.pace.describe().latenessP99Ms,
    recording: record.recording.state !== null,
    locked: rules.policy.locked,
    waiting: rules.lobby.waiting.length,
  };
}

/** All of a room that the operator sees. @param {Room} room */
export function descriptionOf(room) {
  const { config, people, sound, record, rules } = room;
  const { serverDelayMs, ...delay } = sound.delay.describe();
  return {
    ...publicViewOf(room),
    delivery: config.delivery,
    sound: sound.delivery.mode,
    listenersByRate: sound.delivery.listenersByRate,
    serverDelayMs,
    delay: { ...delay, targetPercent: config.receivedTarget, waited: sound.late },
    skippedFrames: sound.mixClock.skipped,
    codecFaults: sound.codec.faults,
    mixing: sound.pace.describe(),
    rules: rules.told,
    knocks: rules.lobby.waiting,
    metronome: record.metronome.beat,
    track: record.track.state,
    people: [...people.present.values()].map((member) => ({
      ...member.describe(),
      identity: member.identity,
      peer: member.session.peer,
      seconds: member.visit.seconds,
      delivery: member.delivery,
      stats: { ...member.figures.stats(), transport: member.session.stats() },
    })),
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
  const { people, next } = room.people.page();
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
    ...(member.pcm !== undefined && { pcm: member.pcm }),
    idleTimeoutMs,
    people,
    ...(next !== undefined && { next }),
    listeners: room.people.audience.size,
    stride: member.stride,
    room: room.name,
    waited: sound.late,
    chat: record.chat.history,
    canRecord: record.recording.offered && !e2e,
    role: member.standing.role,
    may: [...member.standing.permissions],
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
