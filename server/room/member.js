/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { LazyDecoder } from '../codec/lazy-codec.js'
 * @import { LevelBalance } from '../mix/level-balance.js'
 * @import { Session } from '../transport/session.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Downlink } from '../mix/listener.js'
 * @import { Lateness } from '../source/lateness.js'
 * @import { TokenBucket } from '../token-bucket.js'
 */

import { errors } from '../../public/shared/errors.js';
import { Heard } from '../mix/heard.js';
import { Quality } from './quality.js';
import { Reception } from '../source/receiver-stats.js';
import { Speaker } from '../mix/speaker.js';
import { HISTORY_MS, UplinkSound } from '../source/uplink-sound.js';
import { Uplink } from '../source/uplink.js';

/**
 * Who was silent for so long, and is heard by none as of before, needs no samples. More than the
 * largest delay and the history, so that nothing is forgotten that anybody might still hear.
 */
const REST_MS = 5000;

/** One person in a room: what it says, what is sent to it alone, what is known of it, and what it chose. */
export class Participant {
  muted = false;
  /** The place of the raised hand in the order in which they went up; 0 while it is down. */
  hand = 0;
  /** How good the connection is, as the others know it, and as it was last measured. @type {number} */
  quality = Quality.unknown;
  /** @type {number} */
  measuredQuality = Quality.unknown;
  /** Lost on the way down of late, as the client reports it; null where it hasn't. @type {number | null} */
  reportedLossPercent = null;
  /** What else the client told of its own; null where it hasn't. */
  reported = {
    playoutDelayMs: /** @type {number | null} */ (null),
    soundLatencyMs: /** @type {number | null} */ (null),
    driftPpm: /** @type {number | null} */ (null),
  };
  /** How much more this person may write in the chat now; null before the first. @type {TokenBucket | null} */
  chatBucket = null;
  /** When anything was last heard from the session, on the monotonic clock. */
  lastHeardMs = 0;
  /** The server-side delay that this person was told of, in milliseconds. */
  toldDelayMs = -1;
  /** The frame that was answered last; -1 before it. */
  answeredFrame = -1;
  /** How far behind its clock its last answer was read, in samples; -1 before the first. */
  readDelaySamples = -1;
  /** A server-side delay of its own; null where it has the room's. @type {number | null} */
  ownDelayMs = null;
  /** The same in samples. @type {number | null} */
  ownDelaySamples = null;
  /** Whether its session was lost, and its place is kept. */
  away = false;
  /** Who has the place: this, or who came back to it. @type {Participant} */
  holder = this;
  /** Whether this person wants to be recorded, and whether it is done. */
  agreed = false;
  recorded = false;
  #uplink;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {Session} options.session
   * @param {'tick' | 'reply'} options.delivery
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {number} options.maxDelayMs  the largest server-side delay that the room can be set to
   * @param {boolean} options.leavesOutSilence  whether this person may send nothing while it is silent
   * @param {Lateness} options.lateness  new: of this person's frames
   * @param {(participant: Participant) => void} [options.onClosed]  called once, before anything is freed
   * @param {Downlink} options.downlink  closed with this
   * @param {LazyDecoder} options.decoder  closed with its sound
   * @param {{ frame: number }} options.ticked  the last frame that the room's tick has mixed; -1 before it
   * @param {LevelBalance | null} options.balance  null where levels are left as they are
   */
  constructor(options) {
    const { id, name, session, delivery, format, sampleClock, maxDelayMs, lateness } = options;
    const { decoder, ticked, balance, leavesOutSilence } = options;
    this.id = id;
    this.onClosed = options.onClosed;
    this.name = name;
    /** What the person is shown as: in a room unlike everybody else's. */
    this.label = name;
    this.session = session;
    this.delivery = delivery;
    const reception = new Reception(lateness);
    this.reception = reception;
    /** Asked for when the server-side delay would rise. */
    this.roundTripMs = () => session.stats().rttMs;
    /** What it has heard of the others, where its delivery is `reply`. */
    this.heard = new Heard((HISTORY_MS * format.sampleRate) / 1000);
    this.format = format;
    this.sampleClock = sampleClock;
    this.downlink = options.downlink;
    /** What it says. */
    this.sound = new UplinkSound({ format, maxDelayMs, decoder, reception, ticked, balance, leavesOutSilence });
    this.speaker = new Speaker(this);
    this.#uplink = new Uplink({ session, format, sampleClock, reception, sound: this.sound });
  }

  /**
   * Takes a packet as it comes: checks it, counts it, keeps it under its frame index.
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs on the monotonic clock
   * @param {number} [stallMs]  so long the server itself had been standing still, just before
   * @returns {number} the frame that an audio packet was for, if it is the first for that frame; else -1
   */
  receive(bytes, arrivalMs, stallMs = 0) {
    return this.#uplink.receive(bytes, arrivalMs, stallMs);
  }

  /**
   * From now on this person reads so far behind its own clock.
   * @param {number} delayMs
   */
  readAt(delayMs) {
    this.ownDelayMs = delayMs;
    this.ownDelaySamples = Math.round((delayMs * this.format.sampleRate) / 1000);
  }

  /**
   * What the server counts of this person's uplink, and in `reply` of what it hears; and what the client told.
   */
  stats() {
    const { driftPpm, playoutDelayMs, soundLatencyMs } = this.reported;
    const { droppedOut, rttMs: roundTripMs } = this.session.stats();
    const down = { droppedOut, downLostPercent: this.reportedLossPercent, playoutDelayMs, soundLatencyMs, driftPpm };
    // A spread copy of so many fields would cost several times as much as they do.
    const stats = Object.assign(this.reception.snapshot(), down, { roundTripMs });
    return this.delivery === 'reply' ? Object.assign(stats, this.heard.snapshot()) : stats;
  }

  /**
   * The client tells of the way down and of its sound cards; what it leaves out stays as it was.
   * @param {{ playoutDelayMs?: number, soundLatencyMs?: number, driftPpm?: number }} report within bounds
   */
  report({ playoutDelayMs, soundLatencyMs, driftPpm }) {
    const { reported } = this;
    reported.playoutDelayMs = playoutDelayMs ?? reported.playoutDelayMs;
    reported.soundLatencyMs = soundLatencyMs ?? reported.soundLatencyMs;
    reported.driftPpm = driftPpm ?? reported.driftPpm;
  }

  /** @param {number} nowMs ends a second, for what is told of the last one and of the last ten */
  endSecond(nowMs) {
    this.#rest(nowMs);
    this.heard.endSecond();
    this.reception.endSecond(nowMs, this.roundTripMs());
  }

  /** Gives back, until there is sound again, what only sound needs. @param {number} nowMs */
  #rest(nowMs) {
    const { frameSamples } = this.format;
    const frame = Math.floor(this.sampleClock.at(nowMs - REST_MS) / frameSamples);
    this.downlink.stream.rest(frame);
    this.sound.rest(frame);
  }

  /**
   * Goes on where the holder of the same place was: what the person chose stays so.
   * @param {Participant} before
   */
  continue(before) {
    this.label = before.label;
    this.muted = before.muted;
    this.hand = before.hand;
    // Coming back is no way to write more.
    this.chatBucket = before.chatBucket;
  }

  /** What others are told of this person. */
  describe() {
    const { id, name, label, muted, away, hand, quality, recorded } = this;
    return { id, name, label, transport: this.session.transport.name, muted, away, hand, quality, recorded };
  }

  /**
   * Ends the session, and says why.
   * @param {ErrorCode} code
   */
  end(code) {
    const { close, message } = errors[code];
    this.session.sendControl({ type: 'closing', code, message });
    this.session.close(close, message);
    this.close();
  }

  /** Whether nothing comes from it any more. */
  get closed() {
    return this.#closed;
  }

  /** Nothing is sent to it any more. The session is the room's to close; its sound the mix's, which may go on with it. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.onClosed?.(this);
    this.downlink.close();
  }
}
