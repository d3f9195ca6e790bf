/**
 * One who listens to a recording over WebTransport: control messages as lines on the bidirectional
 * stream that the client opens, and each segment on a stream of its own. See docs/protocol.md.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Rule } from './rules.js'
 * @import { Segments } from './segment-files.js'
 */

import { z } from 'zod';
import { ControlLines, writeControlLine } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { writeSegment } from '../../public/shared/wire/segment.js';
import { TokenBucket } from '../token-bucket.js';
import { ClientBuffer } from './client-buffer.js';
import { DEFAULT_RULE, RULES } from './rules.js';

/** The longest control message, in bytes. */
const MAX_CONTROL_BYTES = 1024;

/**
 * Control messages that are read: in a row, and then a second. A client sends one for each segment.
 */
const MESSAGES = Object.freeze({ atOnce: 100, perSecond: 50 });

/**
 * Segments that were sent and aren't acknowledged, at most: what a reader that stands still holds
 * of the server's memory.
 */
const MAX_UNDERWAY = 3;

/**
 * The time after which a reader that acknowledges nothing is closed, and one that asks for nothing,
 * in milliseconds.
 */
const STALLED_MS = 30_000;
const IDLE_MS = 10 * 60_000;

/** The interval at which it is looked whether there is more of a recording, in milliseconds. */
const LOOK_MS = 500;

/**
 * The shortest time for which nothing is sent, in milliseconds: what is left of a segment's time
 * may be next to nothing.
 */
const LEAST_MS = 10;

/** The weight of a new measurement of the throughput in the mean. */
const SMOOTHING = 0.3;

/** The buffers that a client may ask for, in seconds. */
const BUFFER = Object.freeze({ min: 3, max: 10, most: 60 });

const message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('play'),
    epoch: z.number().int().min(0).max(0xffff),
    from: z.number().int().min(0).max(0xffffffff),
    rule: z.enum(/** @type {[Rule, ...Rule[]]} */ (Object.keys(RULES))).default(DEFAULT_RULE),
    rate: z.number().positive().max(1e9).default(1e9),
    min: z.number().min(1).max(BUFFER.most).default(BUFFER.min),
    max: z.number().min(1).max(BUFFER.most).default(BUFFER.max),
  }),
  z.object({ type: z.literal('pace'), speed: z.number().min(0.25).max(4), paused: z.boolean() }),
  z.object({ type: z.literal('got'), epoch: z.number().int(), number: z.number().int() }),
]);

/** What a control stream is read through. */
const chunk = new Uint8Array(4 * 1024);

export class Reader {
  #native;
  #clock;
  #segments;
  #read;
  #describe;
  #onEnd;
  /** @type {Stream | null} */
  #control = null;
  #lines;
  #messages;
  #buffer;
  /**
   * What the client asked for last.
   * @type {Extract<z.infer<typeof message>, { type: 'play' }> | null}
   */
  #asked = null;
  #next = 0;
  /** @type {number} */
  #rate = -1;
  /**
   * Segments of this epoch that aren't acknowledged, by number.
   * @type {Map<number, { stream: Stream, sentMs: number, bytes: number }>}
   */
  #underway = new Map();
  #isReading = false;
  /** The throughput by the times of segments, in bits a second. @type {number | null} */
  #measured = null;
  #heardMs;
  #told = '';
  /** @type {unknown} */
  #timer = null;
  #ended = false;

  /**
   * @param {object} options
   * @param {NativeSession} options.native
   * @param {Clock} options.clock
   * @param {Readonly<Segments>} options.segments  changed as there are more
   * @param {(rate: number, number: number) => Promise<Uint8Array>} options.read  a segment
   * @param {() => { on: boolean }} options.describe  the recording
   * @param {() => void} options.onEnd  called once
   */
  constructor({ native, clock, segments, read, describe, onEnd }) {
    this.#native = native;
    this.#clock = clock;
    this.#segments = segments;
    this.#read = read;
    this.#describe = describe;
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
    const { data } = message.safeParse(received);
    if (!data) return this.close('bad-request');
    if (this.#messages.take(now) > 0) return this.close('too-many-requests');
    this.#heardMs = now;
    if (data.type === 'play') this.#play(data, now);
    else if (data.type === 'pace') this.#buffer.pace(data.speed, data.paused, now);
    else this.#got(data, now);
    this.#advance();
  }

  /** @param {Extract<z.infer<typeof message>, { type: 'play' }>} asked @param {number} now */
  #play(asked, now) {
    this.#asked = asked;
    this.#next = asked.from;
    // Otherwise one that asks again and again, and reads nothing, would have ever more of the
    // server's memory.
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
   * Bits a second that the way delivers: the engine's estimate, or that by the times of segments.
   * @returns {number | null}
   */
  get #throughput() {
    const { deliveryBps = null } = /** @type {{ deliveryBps?: number | null }} */ (
      this.#native.stats() ?? {}
    );
    return deliveryBps ?? this.#measured;
  }

  /** Sends the next segment, when its time has come. */
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
   * @returns {boolean} whether there was room
   */
  #write(head, segment) {
    const stream = this.#native.openStream({ bidi: false });
    const bytes = writeSegment(head, segment);
    if (!stream?.write(bytes)) {
      // As many streams as there may be are open: nothing is read at the other end.
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
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(
      () => this.#look(),
      Math.min(Math.max(LEAST_MS, ms), LOOK_MS),
    );
  }

  #look() {
    const now = this.#clock.now();
    const [oldest] = this.#underway.values();
    if ((oldest && now - oldest.sentMs > STALLED_MS) || now - this.#heardMs > IDLE_MS)
      return this.close('idle-timeout');
    this.#tell();
    this.#wait(LOOK_MS);
    this.#advance();
  }

  /** Tells the client of the recording, where that has changed. */
  #tell() {
    const { rates, channels, count, whole } = this.#segments;
    const { on } = this.#describe();
    const state = `${count} ${whole} ${on}`;
    if (state === this.#told || !this.#control) return;
    this.#told = state;
    if (
      !this.#control.write(
        writeControlLine({ type: 'recording', rates, channels, count, whole, on }),
      )
    )
      this.close('idle-timeout');
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
