/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Redundancy } from '../../public/shared/stream/redundancy.js'
 * @import { Session } from '../transport/session.js'
 * @import { MixStream, SpeakerList } from './mix-stream.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { Volumes } from './volumes.js';

/** The longest time between two answers that is no pause, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * After this long without a mix of its own a listener's buffers are given back, in milliseconds.
 */
const REST_MS = 5000;

/**
 * One participant's hearing: the stream that is sent to this one alone, volumes, redundancy, and,
 * in `reply`, where it reads. A listener knows no source.
 *
 * In `tick` a listener hears the shared stream, or its own while its voice is in the mix or it has
 * set a volume of somebody in it. It lingers in its own stream for as many frames more as a packet
 * repeats, so that what the shared stream's packets repeat is without its voice, and nothing that
 * is lost at the change is missing. Back in the shared stream its first packets repeat as much as
 * they can, for the decoder that goes on with them.
 */
export class Listener {
  /** @readonly */
  isLight = false;
  #session;
  #stream;
  #redundancy;
  #format;
  /** The last frame that was sent as a mix of its own on the tick. */
  #ownFrame = -Infinity;
  #hearsOwn = false;
  /** The frame in which it heard the shared stream again. */
  #returnFrame = -Infinity;
  /** @type {number | null} */
  #ownDelayMs = null;
  #answeredFrame = -1;
  #readDelay = -1;
  #closed = false;
  /** Whether the frame that was begun has a packet. */
  #isSent = false;

  /**
   * @param {object} options
   * @param {string} options.id  the member's
   * @param {Session} options.session
   * @param {'tick' | 'reply'} options.delivery
   * @param {AudioFormat} options.format
   * @param {MixStream} options.stream  closed with this
   * @param {Redundancy} options.redundancy  follows the loss that the client reports
   * @param {Volumes} [options.volumes]  those of the same person's session before
   */
  constructor({ id, session, delivery, format, stream, redundancy, volumes = new Volumes() }) {
    this.id = id;
    this.delivery = delivery;
    this.volumes = volumes;
    this.#session = session;
    this.#format = format;
    this.#stream = stream;
    this.#redundancy = redundancy;
    /** The share of the others' sound that was there in `reply`. */
    this.received = new ReceivedAudio((PAUSE_MS * format.sampleRate) / 1000);
  }

  get session() {
    return this.#session;
  }

  /**
   * Encodes a mix for this listener alone and sends it.
   * @param {number} frame  that the packet is for
   * @param {Float32Array} pcm  one frame; limited in place
   * @param {boolean} sounding  false to send a silent packet, whatever is in pcm
   * @param {SpeakerList} speakers  those in the mix
   */
  send(frame, pcm, sounding, speakers) {
    this.begin(frame, pcm, sounding, speakers);
    this.end();
  }

  /**
   * Begins to encode a mix for this listener alone, so that those of several are encoded at once.
   * end() is to follow.
   * @param {number} frame  that the packet is for
   * @param {Float32Array} pcm  one frame; limited in place; may be used again at once
   * @param {boolean} sounding  false to send a silent packet, whatever is in pcm
   * @param {SpeakerList} speakers  those in the mix
   * @param {ReadonlyArray<Float32Array>} [before]  see MixStream.beginMix
   */
  begin(frame, pcm, sounding, speakers, before) {
    this.#isSent = this.#stream.beginMix(frame, pcm, sounding, speakers, before);
  }

  /** Ends what was begun, and sends it. */
  end() {
    if (this.#closed) return;
    this.#stream.end();
    if (this.#isSent) this.#session.send(this.#stream.write(this.#redundancy.count));
  }

  /**
   * Notes that this frame is heard as a mix of its own.
   * @param {number} frame
   * @returns {boolean} whether the frame before was the shared stream's
   */
  hearOwn(frame) {
    const begins = !this.#hearsOwn;
    this.#ownFrame = frame;
    this.#hearsOwn = true;
    return begins;
  }

  /** Goes back to the shared stream. @param {number} frame  the first */
  hearShared(frame) {
    this.#hearsOwn = false;
    this.#returnFrame = frame;
  }

  /** Whether the last frame was the shared stream's. */
  get shares() {
    return !this.#hearsOwn;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether a mix of its own has been sent for it
   */
  heardOwn(frame) {
    return this.#ownFrame === frame;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether it is still to be heard in the stream of its own
   */
  lingers(frame) {
    return frame - this.#ownFrame <= MAX_REDUNDANCY;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether it has just come back to the shared stream
   */
  returns(frame) {
    return frame - this.#returnFrame < MAX_REDUNDANCY;
  }

  /**
   * @param {number} frame  of the shared stream
   * @returns {number} how many frames its packet repeats for this listener
   */
  repeats(frame) {
    return this.returns(frame) ? MAX_REDUNDANCY : this.#redundancy.count;
  }

  /** A server-side delay of its own, in milliseconds; null where it has the room's. */
  get ownDelayMs() {
    return this.#ownDelayMs;
  }

  /** The same in samples. */
  get ownDelaySamples() {
    return this.#ownDelayMs === null
      ? null
      : Math.round((this.#ownDelayMs * this.#format.sampleRate) / 1000);
  }

  /** Reads from now on this far behind its own clock. @param {number} delayMs */
  readAt(delayMs) {
    this.#ownDelayMs = delayMs;
  }

  /** The last frame that was answered; -1 before it. */
  get answeredFrame() {
    return this.#answeredFrame;
  }

  /** How far behind its clock the last answer was read, in samples; -1 before it. */
  get readDelay() {
    return this.#readDelay;
  }

  /**
   * @param {number} frame  that was answered
   * @param {number} delay  in samples, that it was read with
   */
  answered(frame, delay) {
    this.#answeredFrame = frame;
    this.#readDelay = delay;
  }

  /**
   * @param {number} lostPercent  of what was sent to it lately, as its client reports
   * @param {number | null} roundTripMs  null where the transport doesn't know it
   */
  reportLoss(lostPercent, roundTripMs) {
    this.#redundancy.report(lostPercent, roundTripMs);
  }

  /**
   * Ends a second of the statistics; gives back the buffers after a long silence.
   * @param {number} sample  the sample clock's
   */
  endSecond(sample) {
    const { sampleRate, frameSamples } = this.#format;
    this.#stream.rest(Math.floor((sample - (REST_MS * sampleRate) / 1000) / frameSamples));
    this.received.endSecond();
  }

  /** The figures of received audio; null but in `reply`. */
  stats() {
    return this.delivery === 'reply' ? this.received.snapshot() : null;
  }

  get closed() {
    return this.#closed;
  }

  /** Nothing is sent any more. The session is the room's to close. Idempotent. */
  close() {
    this.#closed = true;
    this.#stream.close();
  }
}

/**
 * Received audio as the thesis defines it (section 4.3), for one listener in `reply`: of the
 * samples that the others sent, those that were there when the mix for this listener was made. What
 * the listener didn't ask for, because its own packet was lost, wasn't received either.
 */
export class ReceivedAudio {
  #pauseSamples;
  /** The end of what was asked for; -1 before it. */
  #end = -1;
  #sent = 0;
  #received = 0;
  #spanSent = 0;
  #spanReceived = 0;
  #secondSent = 0;
  #secondReceived = 0;
  /** @type {number | null} */
  #secondPercent = null;

  /** @param {number} pauseSamples  a longer gap between two requests is a pause, and no loss */
  constructor(pauseSamples) {
    this.#pauseSamples = pauseSamples;
  }

  /**
   * A mix is made of these samples.
   * @param {number} start
   * @param {number} samples
   * @returns {number} by how many samples this is more than was asked for before, with those that
   *   were skipped
   */
  ask(start, samples) {
    const end = start + samples;
    const isNew = this.#end < 0 || start - this.#end > this.#pauseSamples;
    const asked = isNew ? samples : Math.max(0, end - this.#end);
    if (isNew || end > this.#end) this.#end = end;
    return asked;
  }

  /**
   * Counts the samples of those in the mix.
   * @param {number} sent  as ask() said, for each
   * @param {number} received  those that were there
   */
  add(sent, received) {
    this.#sent += sent;
    this.#received += received;
  }

  /** Ends a second. */
  endSecond() {
    this.#secondPercent = percentOf(
      this.#sent - this.#secondSent,
      this.#received - this.#secondReceived,
    );
    this.#secondSent = this.#sent;
    this.#secondReceived = this.#received;
  }

  /**
   * Ends a span that had one delay: the next packet begins afresh.
   * @returns {{ sentSamples: number, heardSamples: number }} of the span
   */
  takeSpan() {
    const span = {
      sentSamples: this.#sent - this.#spanSent,
      heardSamples: this.#received - this.#spanReceived,
    };
    this.#spanSent = this.#sent;
    this.#spanReceived = this.#received;
    this.#end = -1;
    return span;
  }

  /** The names are those of the control message `stats`. */
  snapshot() {
    return {
      heardPercent: percentOf(this.#sent, this.#received),
      heardSecondPercent: this.#secondPercent,
      sentSamples: this.#sent,
      heardSamples: this.#received,
    };
  }
}

/**
 * @param {number} sent
 * @param {number} received
 * @returns {number | null} null when nothing was sent
 */
const percentOf = (sent, received) => (sent > 0 ? Math.min(100, (100 * received) / sent) : null);
