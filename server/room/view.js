/**
 * Descriptions of a room for readers outside of its call: anybody, the operator, and the metrics.
 *
 * @import { Figures } from './record/figures.js'
 * @import { Room } from './room.js'
 */

/**
 * The room for anybody who knows its name: members present, listeners among them, and the seconds
 * since it went live.
 * @param {Room} room
 */
export function publicViewOf({ name, people, rules }) {
  const { here, audience } = people;
  return {
    room: name,
    present: here,
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
      stats: { ...member.stats(), transport: member.session.stats() },
    })),
  };
}

/**
 * Adds the figures of a room and its members to the server's.
 * @param {Room} room
 * @param {Figures} figures
 */
export function addFigures({ people, sound }, figures) {
  figures.people += people.size;
  figures.away += people.away;
  figures.listeners += people.audience.size;
  for (const [rate, count] of Object.entries(sound.delivery.listenersByRate))
    figures.listenersByRate[rate] += count;
  figures.delaysMs.push(sound.delay.delayMs);
  figures.codecFaults += sound.codec.faults;
  figures.skippedFrames += sound.mixClock.skipped;
  for (const member of people.membersHere()) {
    const { session } = member;
    const stats = session.stats();
    figures.addSession(session.transport.name, stats);
    member.addTo(figures.traffic, stats);
  }
}
