/**
 * @import { DelayControl } from '../../clock/delay-control.js'
 * @import { MixClock } from '../../clock/mix-clock.js'
 * @import { RoomCodec } from '../../codec/room-codec.js'
 * @import { ModeSwitch } from '../../forward/mode-switch.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { Chat } from '../chat.js'
 * @import { Figures } from './figures.js'
 * @import { RoomState, Settings, ToldState } from '../../state/portable-state.js'
 * @import { BackingTrack } from '../../clock/backing-track.js'
 * @import { Metronome } from '../../clock/metronome.js'
 * @import { Moderation } from '../moderation/moderation.js'
 * @import { RoomConfig } from '../room-config.js'
 * @import { RoomDelay } from '../room-delay.js'
 * @import { RoomMode } from '../room-mode.js'
 * @import { RoomPace } from '../room-pace.js'
 * @import { Roster } from '../people/roster.js'
 */

/**
 * What a room tells of itself outside of its calls: to anybody, to the operator, and to the
 * metrics. It changes nothing.
 */
export class RoomView {
  #name;
  #parts;

  /**
   * @param {string} name
   * @param {{ config: Readonly<RoomConfig>, roster: Roster, delivery: ModeSwitch, delay:
   *   DelayControl, chat: Chat, mixClock: MixClock, codec: RoomCodec, recording: RoomRecording,
   *   metronome: Metronome, track: BackingTrack, moderation: Moderation, roomDelay: RoomDelay,
   *   mode: RoomMode, pace: RoomPace }} parts the room's
   */
  constructor(name, parts) {
    this.#name = name;
    this.#parts = parts;
  }

  /**
   * What anybody may know who knows the room's name: how many are in it, how many of them only
   * listen, and for how long it has been live.
   */
  get public() {
    const {
      roster: { here, audience },
      moderation,
    } = this.#parts;
    return {
      room: this.#name,
      present: here,
      listeners: audience.size,
      liveSeconds: moderation.rules.liveSeconds,
    };
  }

  /** What was said lately, for the node that takes the room over. */
  get chat() {
    const { messages, next } = this.#parts.chat.state();
    return messages.length > 0 ? { messages: [...messages], next } : undefined;
  }

  /** The room in a list of all rooms, which only the operator is shown. */
  summary() {
    const { config, roster, delay, moderation, pace, recording } = this.#parts;
    const { delayMs, setting } = delay;
    return {
      ...this.public,
      away: roster.waiting,
      delivery: config.delivery,
      serverDelayMs: delayMs,
      delayMode: setting === 'auto' ? 'auto' : 'fixed',
      latenessP99Ms: pace.describe().latenessP99Ms,
      recording: recording.state !== null,
      locked: moderation.rules.locked,
      waiting: moderation.door.people.length,
    };
  }

  /** The room and its people with how each is received, which only the operator is shown. */
  whole() {
    const {
      config,
      roster,
      delivery,
      mixClock,
      codec,
      metronome,
      track,
      moderation,
      pace,
      roomDelay,
    } = this.#parts;
    const { serverDelayMs, ...delay } = this.#parts.delay.describe();
    return {
      ...this.public,
      delivery: config.delivery,
      sound: delivery.mode,
      listenersByRate: delivery.listenersByRate,
      serverDelayMs,
      delay: { ...delay, targetPercent: config.receivedTarget, waited: roomDelay.people },
      skippedFrames: mixClock.skipped,
      codecFaults: codec.faults,
      mixing: pace.describe(),
      rules: moderation.rules,
      knocks: moderation.door.people,
      metronome: metronome.beat,
      track: track.state,
      people: [...roster.present.values()].map((member) => ({
        ...member.describe(),
        identity: member.identity,
        peer: member.session.peer,
        seconds: member.visit.seconds,
        delivery: member.delivery,
        stats: { ...member.stats(), transport: member.session.stats() },
      })),
    };
  }

  /** The room's portable state. @returns {RoomState} */
  state() {
    const { roster, chat } = this.#parts;
    const { messages, next } = chat.state();
    return {
      name: this.#name,
      told: this.told,
      chat: { messages: [...messages], next },
      people: roster.state(),
    };
  }

  /** What all nodes are told of the room. @returns {ToldState} */
  get told() {
    return { ...this.settings, ...this.#parts.moderation.state(), ...this.#parts.roster.counters };
  }

  /** @returns {Settings} */
  get settings() {
    const {
      config: {
        format: { frameMs, channels },
        e2e,
      },
      delay,
      mode,
    } = this.#parts;
    return { frameMs, channels, mode: mode.setting, e2e, serverDelayMs: delay.setting };
  }

  /** Adds the room's figures, and those of its people, to the server's. @param {Figures} figures */
  addTo(figures) {
    const { roster, delay, delivery, codec, mixClock } = this.#parts;
    figures.people += roster.size;
    figures.away += roster.waiting;
    figures.listeners += roster.audience.size;
    for (const [rate, count] of Object.entries(delivery.listenersByRate))
      figures.listenersByRate[rate] += count;
    figures.delaysMs.push(delay.delayMs);
    figures.codecFaults += codec.faults;
    figures.skippedFrames += mixClock.skipped;
    for (const member of roster.membersHere()) {
      const { session } = member;
      const stats = session.stats();
      figures.addSession(session.transport.name, stats);
      member.addTo(figures.traffic, stats);
    }
  }
}
