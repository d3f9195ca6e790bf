/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Redundancy } from '../../public/shared/stream/redundancy.js'
 * @import { Session } from '../session/session.js'
 * @import { MixStream, SpeakerList } from './mix-stream.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { Volumes } from './volumes.js';

/** Longest time between two answers that isn't a pause, in milliseconds. */
const PAUSE_MS = 1000;

/** Time without a mix of its own after which a listener's buffers are freed, in milliseconds. */
const REST_MS = 5000;

/**
 * Sound for one participant: their own stream, volumes, redundancy, and, in `reply`, the read
 * position. A listener knows no source.
 *
 * In `tick` a listener hears the shared stream. It hears its own while its voice is in the mix, or
 * somebody whose volume it has set. It lingers in its own stream for the frames that a packet
 * repeats. So the repeats of the shared stream are without its voice, and no loss at the change
 * goes unrepaired. Back in the shared stream its first packets repeat as much as they can, because
 * the decoder continues with them.
 */
export class Listener {
  /** @readonly */
  isLight = false;
  #session;
  #stream;
  #redundancy;
  #format;
  /** Last frame that was sent as a mix of its own on the tick. */
  #ownFrame = -Infinity;
  #hearsOwn = false;
  /** Frame of its return to the shared stream. */
  #returnFrame = -Infinity;
  /** @type {number | null} */
  #ownDelayMs = null;
  #answeredFrame = -1;
  #readDelay = -1;
  #closed = false;
  /** True when the frame that was begun has a packet. */
  #isSent = false;

  /**
   * @param {object} options
   * @param {string} options.id of the member
   * @param {Session} options.session
   * @param {'tick' | 'reply'} options.delivery
   * @param {AudioFormat} options.format
   * @param {MixStream} options.stream closed with this
   * @param {Redundancy} options.redundancy follows the loss that the client reports
   * @param {Volumes} [options.volumes] of the same person's previous session
   * @param {16 | 24} [options.pcm] bits of a sample, if the stream is PCM
   * @param {boolean} [options.wantsVoices] true for voices in place of a mix; only in `tick`
   */
  constructor({
    id,
    session,
    delivery,
    format,
    stream,
    redundancy,
    volumes = new Volumes(),
    pcm,
    wantsVoices = false,
  }) {
    this.id = id;
    this.pcm = pcm;
    this.wantsVoices = wantsVoices && delivery === 'tick';
    this.delivery = delivery;
    this.volumes = volumes;
    this.#session = session;
    this.#format = format;
    this.#stream = stream;
    this.#redundancy = redundancy;
    /** Share of the others' sound that was there in `reply`. */
    this.received = new ReceivedAudio((PAUSE_MS * format.sampleRate) / 1000);
  }

  get session() {
    return this.#session;
  }

  /**
   * Encodes a mix for this listener only, and sends it.
   * @param {number} frame of the packet
   * @param {Float32Array} pcm one frame; limited in place
   * @param {boolean} sounding false to send a silent packet, whatever pcm holds
   * @param {SpeakerList} speakers in the mix
   */
  send(frame, pcm, sounding, speakers) {
    this.begin(frame, pcm, sounding, speakers);
    this.end();
  }

  /**
   * Begins to encode a mix for this listener only, so that several are encoded in parallel. Call
   * end() next.
   * @param {number} frame of the packet
   * @param {Float32Array} pcm one frame; limited in place, unless `own` is given; may be reused at
   *   once
   * @param {boolean} sounding false to send a silent packet, whatever pcm holds
   * @param {SpeakerList} speakers in the mix
   * @param {ReadonlyArray<Float32Array>} [before] see MixStream.beginMix
   * @param {Float32Array | null} [own] frame that is taken out of the mix
   */
  begin(frame, pcm, sounding, speakers, before, own) {
    this.#isSent = this.#stream.beginMix(frame, pcm, sounding, speakers, before, own);
  }

  /** Ends the encoding, and sends the packet. */
  end() {
    if (this.#closed) return;
    this.#stream.end();
    if (this.#isSent) this.#session.send(this.#stream.write(this.#redundancy.count));
  }

  /**
   * Notes that this frame is heard as a mix of its own.
   * @param {number} frame
   * @returns {boolean} true when the frame before was of the shared stream
   */
  hearOwn(frame) {
    const begins = !this.#hearsOwn;
    this.#ownFrame = frame;
    this.#hearsOwn = true;
    return begins;
  }

  /**
   * True when this listener hears these speakers in a mix of its own, wherever its own voice is.
   * @param {Parameters<Volumes['concern']>[0]} speakers
   */
  isParticular(speakers) {
    return this.pcm === undefined ? this.volumes.concern(speakers) : speakers.length > 0;
  }

  /** Returns to the shared stream. @param {number} frame first one */
  hearShared(frame) {
    this.#hearsOwn = false;
    this.#returnFrame = frame;
  }

  /** True when the last frame was of the shared stream. */
  get shares() {
    return !this.#hearsOwn;
  }

  /** @param {number} frame @returns {boolean} true when a mix of its own has been sent for it */
  heardOwn(frame) {
    return this.#ownFrame === frame;
  }

  /** @param {number} frame @returns {boolean} true when its own stream still covers the frame */
  lingers(frame) {
    return frame - this.#ownFrame <= MAX_REDUNDANCY;
  }

  /**
   * @param {number} frame
   * @returns {boolean} true when it has just returned to the shared stream
   */
  returns(frame) {
    return frame - this.#returnFrame < MAX_REDUNDANCY;
  }

  /**
   * @param {number} frame of the shared stream
   * @returns {number} number of frames that its packet repeats for this listener
   */
  repeats(frame) {
    return this.returns(frame) ? MAX_REDUNDANCY : this.#redundancy.count;
  }

  /** Server-side delay of its own, in milliseconds; null when it has the room's. */
  get ownDelayMs() {
    return this.#ownDelayMs;
  }

  /** Server-side delay of its own in samples. */
  get ownDelaySamples() {
    return this.#ownDelayMs === null
      ? null
      : Math.round((this.#ownDelayMs * this.#format.sampleRate) / 1000);
  }

  /** Sets the delay of its reads behind its own clock. @param {number} delayMs */
  readAt(delayMs) {
    this.#ownDelayMs = delayMs;
  }

  /** Last answered frame; -1 before it. */
  get answeredFrame() {
    return this.#answeredFrame;
  }

  /** Delay of the last answer behind its clock, in samples; -1 before it. */
  get readDelay() {
    return this.#readDelay;
  }

  /** @param {number} frame answered frame @param {number} delay of the read, in samples */
  answered(frame, delay) {
    this.#answeredFrame = frame;
    this.#readDelay = delay;
  }

  /**
   * @param {number} lostPercent of recent packets to it, as its client reports
   * @param {number | null} roundTripMs null when the transport doesn't know it
   */
  reportLoss(lostPercent, roundTripMs) {
    this.#redundancy.report(lostPercent, roundTripMs);
  }

  /**
   * Ends a second of the statistics, and frees the buffers after a long silence.
   * @param {number} sample of the sample clock
   */
  endSecond(sample) {
    const { sampleRate, frameSamples } = this.#format;
    this.#stream.rest(Math.floor((sample - (REST_MS * sampleRate) / 1000) / frameSamples));
    this.received.endSecond();
  }

  /** Figures of received audio; null except in `reply`. */
  stats() {
    return this.delivery === 'reply' ? this.received.snapshot() : null;
  }

  get closed() {
    return this.#closed;
  }

  /** Stops sending. The room closes the session. Idempotent. */
  close() {
    this.#closed = true;
    this.#stream.close();
  }
}

/**
 * Received audio of one listener in `reply`, as the thesis defines it (section 4.3). It is the
 * share of the others' samples that were there when its mix was made. Samples that it didn't
 * request, because its own packet was lost, count as not received.
 */
export class ReceivedAudio {
  #pauseSamples;
  /** End of the requested span; -1 before it. */
  #end = -1;
  #sent = 0;
  #received = 0;
  #spanSent = 0;
  #spanReceived = 0;
  #secondSent = 0;
  #secondReceived = 0;
  /** @type {number | null} */
  #secondPercent = null;

  /**
   * @param {number} pauseSamples longest gap between two requests that is loss; a longer one is a
   *   pause
   */
  constructor(pauseSamples) {
    this.#pauseSamples = pauseSamples;
  }

  /**
   * Counts a request for these samples.
   * @param {number} start
   * @param {number} samples
   * @returns {number} number of samples that are new since the last request, skipped ones included
   */
  ask(start, samples) {
    const end = start + samples;
    const isNew = this.#end < 0 || start - this.#end > this.#pauseSamples;
    const asked = isNew ? samples : Math.max(0, end - this.#end);
    if (isNew || end > this.#end) this.#end = end;
    return asked;
  }

  /**
   * Counts the samples of the speakers in the mix.
   * @param {number} sent result of ask(), for each
   * @param {number} received samples that were there
   */
  add(sent, received) {
    this.#sent += sent;
    this.#received += received;
  }

  endSecond() {
    this.#secondPercent = percentOf(
      this.#sent - this.#secondSent,
      this.#received - this.#secondReceived,
    );
    this.#secondSent = this.#sent;
    this.#secondReceived = this.#received;
  }

  /**
   * Ends a span with one delay: the next packet starts a new one.
   * @returns {{ sentSamples: number, heardSamples: number }} counts of the span
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

  /** Field names of the control message `stats`. */
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
