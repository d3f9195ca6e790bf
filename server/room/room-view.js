/**
 * @import { MixClock } from '../clock/mix-clock.js'
 * @import { TickLateness } from '../clock/tick-lateness.js'
 * @import { RoomCodec } from '../codec/room-codec.js'
 * @import { CommandRoom } from './commands.js'
 * @import { Figures, RoomTotals } from './figures.js'
 */

/** What is told of a room to those who aren't in it: the operator, metrics, and whoever knows its name. */
export class RoomView {
  #name;
  #parts;
  #tickLateness;
  #mixClock;
  #codec;

  /**
   * @param {object} options
   * @param {string} options.name
   * @param {CommandRoom} options.parts
   * @param {TickLateness} options.tickLateness
   * @param {MixClock} options.mixClock
   * @param {RoomCodec} options.codec
   */
  constructor({ name, parts, tickLateness, mixClock, codec }) {
    this.#name = name;
    this.#parts = parts;
    this.#tickLateness = tickLateness;
    this.#mixClock = mixClock;
    this.#codec = codec;
  }

  /** What anybody may know who knows the room's name: how many are in it. */
  count() {
    return { room: this.#name, present: this.#parts.roster.present.size };
  }

  /** The room in a list of all rooms, which only the operator is shown. */
  summary() {
    const { roster, delay, config, recording } = this.#parts;
    const { mode, serverDelayMs } = delay.describe();
    return {
      ...this.count(),
      away: roster.size - roster.present.size,
      delivery: config.delivery,
      serverDelayMs,
      delayMode: mode,
      latenessP99Ms: this.#tickLateness.describe().latenessP99Ms,
      recording: recording.state !== null,
    };
  }

  /** The room and its people with how each is received, which only the operator is shown. */
  describe() {
    const { roster, delay, config } = this.#parts;
    const { serverDelayMs, ...more } = delay.describe();
    return {
      ...this.count(),
      delivery: config.delivery,
      serverDelayMs,
      delay: { ...more, targetPercent: config.receivedTarget },
      skippedFrames: this.#mixClock.skipped,
      codecFaults: this.#codec.faults,
      mixing: this.#tickLateness.describe(),
      people: [...roster.present.values()].map((member) => ({
        ...member.describe(),
        peer: member.session.peer,
        seconds: member.visit.seconds,
        delivery: member.delivery,
        stats: { ...member.stats(), transport: member.session.stats() },
      })),
    };
  }

  /** Adds the room's figures, and those of its people, to the server's. @param {Figures} figures */
  addTo(figures) {
    const { roster, delay } = this.#parts;
    figures.people += roster.size;
    figures.away += roster.size - roster.present.size;
    figures.delaysMs.push(delay.delayMs);
    this.addFaults(figures);
    for (const member of roster.present.values()) {
      const { name } = member.session.transport;
      figures.sessions[name] = (figures.sessions[name] ?? 0) + 1;
      member.addTo(figures.traffic);
    }
  }

  /** Adds what went wrong in the room. @param {Figures | RoomTotals} figures */
  addFaults(figures) {
    figures.codecFaults += this.#codec.faults;
    figures.skippedFrames += this.#mixClock.skipped;
  }
}
