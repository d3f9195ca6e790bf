/**
 * Serves one listener to a recording over WebTransport: control messages as lines on a
 * bidirectional stream that the client opens. Each segment has its own stream. See
 * docs/protocol.md.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { ReadSegmentMessage, RecordingMessage }
 *   from '../../public/shared/messages/segment-messages.js'
 * @import { Segments } from './segment-store.js'
 */

import { ControlLines, writeControlLine } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { clientSegmentMessage } from '../../public/shared/messages/segment-messages.js';
import { writeSegment } from '../../public/shared/wire/segment.js';
import { TokenBucket } from '../token-bucket.js';
import { RULES } from './rules.js';

/** Maximum length of a control message, in bytes. */
const MAX_CONTROL_BYTES = 1024;

/**
 * Limit of control messages: in a row, and then per second. A client sends one for each segment.
 */
const MESSAGES = Object.freeze({ atOnce: 100, perSecond: 50 });

/** Limit of unacknowledged segments. It bounds the server memory that a stalled reader uses. */
const MAX_UNDERWAY = 3;

/**
 * Time without acknowledgements, or without requests, after which a reader is closed, in
 * milliseconds.
 */
const STALLED_MS = 30_000;
const IDLE_MS = 10 * 60_000;

/** Interval between polls of a growing recording, in milliseconds. */
const LOOK_MS = 500;

/** Minimum pause in sending, in milliseconds: the rest of a segment's time may be almost zero. */
const LEAST_MS = 10;

/** Weight of a new measurement in the mean throughput. */
const SMOOTHING = 0.3;

/** Receives the bytes of control streams. */
const chunk = new Uint8Array(4 * 1024);

export class Reader {
  #native;
  #clock;
  #segments;
  #read;
  #describe;
  #isBanned;
  #onEnd;
  /** @type {Stream | null} */
  #control = null;
  #lines;
  #messages;
  #buffer;
  /** Latest request of the client. @type {(ReadSegmentMessage & { type: 'play' }) | null} */
  #asked = null;
  #next = 0;
  /** @type {number} */
  #rate = -1;
  /**
   * Unacknowledged segments of this epoch, by number.
   * @type {Map<number, { stream: Stream, sentMs: number, bytes: number }>}
   */
  #underway = new Map();
  #isReading = false;
  /** Throughput from the times of segments, in bits per second. @type {number | null} */
  #measured = null;
  #heardMs;
  #told = '';
  /** @type {unknown} */
  #timer = null;
  /** Due time of the timer. */
  #dueMs = 0;
  #ended = false;

  /**
   * @param {object} options
   * @param {NativeSession} options.native
   * @param {Clock} options.clock
   * @param {Readonly<Segments>} options.segments  updated as more appear
   * @param {(rate: number, number: number) => Promise<Uint8Array>} options.read  reads a segment
   * @param {() => { on: boolean }} options.describe  describes the recording
   * @param {() => boolean} [options.isBanned]  true once the listener is banned from its room
   * @param {() => void} options.onEnd  called once
   */
  constructor({ native, clock, segments, read, describe, isBanned = () => false, onEnd }) {
    this.#native = native;
    this.#clock = clock;
    this.#segments = segments;
    this.#read = read;
    this.#describe = describe;
    this.#isBanned = isBanned;
    this.#onEnd = onEnd;
    this.#messages = new TokenBucket(MESSAGES);
    this.#heardMs = clock.now();
    this.#buffer = new ClientBuffer(clock.now());
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (received) => this.#received(received),
      onError: () => this.close('bad-request'),
    });
    native.onStream = (stream) => this.#stream(stream);
    native.onClosed = () => this.#end();
    this.#wait(LOOK_MS);
  }

  /** @param {Stream} stream */
  #stream(stream) {
    if (this.#control || !stream.bidi) return this.close('bad-request');
    this.#control = stream;
    stream.onReadable = () => this.#readControl(stream);
    this.#tell();
    this.#readControl(stream);
  }

  /** @param {Stream} stream */
  #readControl(stream) {
    for (let count = stream.read(chunk); count && !this.#ended; count = stream.read(chunk))
      this.#lines.push(chunk.subarray(0, count));
  }

  /** @param {unknown} received */
  #received(received) {
    if (this.#ended) return;
    const now = this.#clock.now();
    const { data } = clientSegmentMessage.safeParse(received);
    if (!data) return this.close('bad-request');
    if (this.#messages.take(now) > 0) return this.close('too-many-requests');
    this.#heardMs = now;
    if (data.type === 'play') this.#play(data, now);
    else if (data.type === 'pace') this.#buffer.pace(data.speed, data.paused, now);
    else this.#got(data, now);
    this.#advance();
  }

  /** @param {(ReadSegmentMessage & { type: 'play' })} asked @param {number} now */
  #play(asked, now) {
    this.#asked = asked;
    this.#next = asked.from;
    // A client that asks repeatedly and reads nothing would otherwise use more and more memory.
    for (const { stream } of this.#underway.values()) stream.reset(0);
    this.#underway.clear();
    this.#buffer.empty(now);
  }

  /** @param {{ epoch: number, number: number }} received @param {number} now */
  #got({ epoch, number }, now) {
    const sent = epoch === this.#asked?.epoch ? this.#underway.get(number) : undefined;
    if (!sent) return;
    this.#underway.delete(number);
    this.#buffer.arrived(1, now);
    const bps = (sent.bytes * 8 * 1000) / Math.max(1, now - sent.sentMs);
    this.#measured =
      this.#measured === null ? bps : this.#measured + SMOOTHING * (bps - this.#measured);
  }

  /**
   * Throughput in bits per second: the engine's estimate, or the one from segment times.
   * @returns {number | null}
   */
  get #throughput() {
    const { deliveryBps = null } = /** @type {{ deliveryBps?: number | null }} */ (
      this.#native.stats() ?? {}
    );
    return deliveryBps ?? this.#measured;
  }

  /** Sends the next segment when it is due. */
  #advance() {
    if (
      this.#ended ||
      this.#asked === null ||
      this.#isReading ||
      this.#underway.size >= MAX_UNDERWAY
    )
      return;
    const { rates, count } = this.#segments;
    if (this.#next >= count) return;
    const now = this.#clock.now();
    const { rule, rate: most, min, max } = this.#asked;
    const wanted = Math.max(
      0,
      rates.findLastIndex((rate) => rate <= most),
    );
    const choice = RULES[rule]({
      rates,
      wanted,
      current: this.#rate,
      throughput: this.#throughput,
      level: this.#buffer.level(now),
      underway: this.#underway.size,
      min,
      max: Math.max(min, max),
    });
    if (choice.waitSeconds === 0) return void this.#send(choice.rate);
    const waitMs = this.#buffer.msOf(choice.waitSeconds);
    if (waitMs !== null) this.#wait(waitMs);
  }

  /** @param {number} index  of a rate */
  async #send(index) {
    const number = this.#next++;
    const epoch = this.#asked?.epoch ?? 0;
    const rate = this.#segments.rates[index];
    this.#isReading = true;
    try {
      const segment = await this.#read(rate, number);
      this.#isReading = false;
      if (this.#ended) return;
      if (this.#asked?.epoch !== epoch) return this.#advance();
      this.#rate = index;
      if (this.#write({ number, epoch, rate }, segment)) this.#advance();
    } catch (error) {
      this.close(
        /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT'
          ? 'recording-deleted'
          : 'internal',
      );
    }
  }

  /**
   * @param {{ number: number, epoch: number, rate: number }} head
   * @param {Uint8Array} segment
   * @returns {boolean} true if a stream was available
   */
  #write(head, segment) {
    const stream = this.#native.openStream({ bidi: false });
    const bytes = writeSegment(head, segment);
    if (!stream?.write(bytes)) {
      // The limit of open streams is reached, because the other end reads nothing.
      stream?.reset(0);
      this.#next = head.number;
      this.#wait(LOOK_MS);
      return false;
    }
    stream.finish();
    this.#underway.set(head.number, { stream, sentMs: this.#clock.now(), bytes: bytes.length });
    return true;
  }

  /** @param {number} ms */
  #wait(ms) {
    const waitMs = Math.min(Math.max(LEAST_MS, ms), LOOK_MS);
    this.#clock.clearTimeout(this.#timer);
    this.#dueMs = this.#clock.now() + waitMs;
    this.#timer = this.#clock.setTimeout(() => this.#look(), waitMs);
  }

  #look() {
    if (this.#isBanned()) return this.close('banned');
    const now = this.#clock.now();
    this.#forgive(Math.max(0, now - this.#dueMs), now);
    const [oldest] = this.#underway.values();
    if ((oldest && now - oldest.sentMs > STALLED_MS) || now - this.#heardMs > IDLE_MS)
      return this.close('idle-timeout');
    this.#tell();
    this.#wait(LOOK_MS);
    this.#advance();
  }

  /**
   * Leaves out time in which this process stood still: acknowledgements weren't read.
   * @param {number} lateMs @param {number} now
   */
  #forgive(lateMs, now) {
    this.#heardMs = Math.min(now, this.#heardMs + lateMs);
    for (const sent of this.#underway.values()) sent.sentMs = Math.min(now, sent.sentMs + lateMs);
  }

  /** Sends the state of the recording if it has changed. */
  #tell() {
    const { rates, channels, count, whole } = this.#segments;
    const { on } = this.#describe();
    const state = `${count} ${whole} ${on}`;
    if (state === this.#told || !this.#control) return;
    this.#told = state;
    /** @type {RecordingMessage} */
    const message = { type: 'recording', rates, channels, count, whole, on };
    if (!this.#control.write(writeControlLine(message))) this.close('idle-timeout');
  }

  /** @param {ErrorCode} code  idempotent */
  close(code) {
    if (this.#ended) return;
    this.#end();
    this.#native.close(errors[code].close, errors[code].message);
  }

  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#lines.close();
    this.#clock.clearTimeout(this.#timer);
    this.#onEnd();
  }
}

/** Estimates the unplayed sound at a client from its arrivals and its playback. */
export class ClientBuffer {
  #level = 0;
  #speed = 1;
  #paused = false;
  #atMs;

  /** @param {number} nowMs */
  constructor(nowMs) {
    this.#atMs = nowMs;
  }

  /** Level in seconds. @param {number} nowMs */
  level(nowMs) {
    if (!this.#paused)
      this.#level = Math.max(0, this.#level - ((nowMs - this.#atMs) / 1000) * this.#speed);
    this.#atMs = nowMs;
    return this.#level;
  }

  /** @param {number} seconds  that have arrived @param {number} nowMs */
  arrived(seconds, nowMs) {
    this.#level = this.level(nowMs) + seconds;
  }

  /** Resets the level after a jump of the playback. @param {number} nowMs */
  empty(nowMs) {
    this.#level = 0;
    this.#atMs = nowMs;
  }

  /** @param {number} speed @param {boolean} paused @param {number} nowMs */
  pace(speed, paused, nowMs) {
    this.level(nowMs);
    this.#speed = speed;
    this.#paused = paused;
  }

  /** Time to play some sound, in milliseconds; null while paused. @param {number} seconds */
  msOf(seconds) {
    return this.#paused ? null : (seconds * 1000) / this.#speed;
  }
}
