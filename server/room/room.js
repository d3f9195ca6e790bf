/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Codec } from '../audio/codec.js'
 * @import { Session, Transport } from '../transport/session.js'
 * @import { Clock, SampleClock } from './clock.js'
 *
 * @typedef {object} RoomSettings what all rooms of a server have in common
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery  for transports that can push; the others always reply
 * @property {number} serverDelayMs       D
 * @property {number} maxDelayMs          the largest D that a room can be set to
 * @property {boolean} echo               whether everybody hears themselves too
 * @property {number} bitrate             bits a second, of the server's encoders and the clients'
 * @property {number} complexity          of the server's encoders, 0 to 10
 * @property {'audio' | 'voip' | 'low-delay'} application of the server's encoders
 * @property {number} maxParticipants
 * @property {number} idleTimeoutMs       who isn't heard from for so long is gone
 * @property {Codec} codec
 * @property {Clock} clock
 * @property {SampleClock} sampleClock
 */

import { errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES, Stream } from '../../public/shared/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js';
import { Limiter, mixMinus } from '../audio/mixer.js';
import { FrameState } from '../audio/ring-buffer.js';
import { MixClock } from './mix-clock.js';
import { Participant, writeMix } from './participant.js';

/** How often the room looks for people who vanished, and tells each how they are received. */
const HOUSEKEEPING_MS = 1000;

/** A reply's reader may be so far ahead of the clock before it is taken for one whose clock is wrong. */
const CLOCK_TOLERANCE_MS = 5;

/** One buffer writes the shared packet: sessions don't keep it. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/** People who hear each other. The room owns its participants, its mix clock and its shared stream. */
export class Room {
  /** @type {Map<string, Participant>} */
  #people = new Map();
  #joining = 0;
  #nextId = 1;
  #sequence = 0;
  #closed = false;
  /** @type {unknown} */
  #housekeeping = null;
  /** Of the shared stream; opened by the first to join. @type {Promise<PayloadEncoder> | null} */
  #opening = null;
  /** @type {PayloadEncoder | null} */
  #encoder = null;
  /** Those who hear the shared stream at this tick, by transport. @type {Map<Transport, Session[]>} */
  #audience = new Map();

  /**
   * @param {string} name
   * @param {RoomSettings} settings
   * @param {(room: Room) => void} onEmpty called when the last participant has gone
   */
  constructor(name, settings, onEmpty) {
    const { format, clock, sampleClock } = settings;
    this.name = name;
    this.settings = settings;
    this.onEmpty = onEmpty;
    this.delaySamples = Math.round((settings.serverDelayMs * format.sampleRate) / 1000);
    this.fullMix = new Float32Array(format.frameSamples);
    this.ownMix = new Float32Array(format.frameSamples);
    this.limiter = new Limiter(format.sampleRate);
    this.mixClock = new MixClock({
      clock,
      sampleClock,
      frameSamples: format.frameSamples,
      delaySamples: this.delaySamples,
      mix: (frame, latenessMs) => this.#tick(frame, latenessMs),
    });
    /** Of the last second: the largest delay between a frame's time and its mix, in milliseconds. */
    this.tickLatenessMs = 0;
    this.#tidyLater();
  }

  /** How many people are in the room. */
  get size() {
    return this.#people.size;
  }

  /** Whether nobody is in the room or on the way in. */
  get isEmpty() {
    return this.#people.size + this.#joining === 0;
  }

  /**
   * Lets somebody in, tells them who is there, and tells the others.
   *
   * @param {Session} session
   * @param {string} name checked already
   * @param {(participant: Participant) => void} onJoined called before they are told anything
   * @returns {Promise<Participant | ErrorCode>} the code of the refusal, when there is one
   */
  async join(session, name, onJoined) {
    if (this.#people.size + this.#joining >= this.settings.maxParticipants) return 'room-full';
    this.#joining += 1;
    try {
      const participant = await this.#admit(session, name);
      if (this.#closed) {
        participant.close();
        return 'server-closing';
      }
      this.#people.set(participant.id, participant);
      onJoined(participant);
      session.sendControl(this.#welcome(participant));
      this.#tell({ type: 'joined', person: participant.describe() }, participant);
      if (participant.delivery === 'tick') this.mixClock.start();
      return participant;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    } finally {
      this.#joining -= 1;
    }
  }

  /**
   * @param {Session} session
   * @param {string} name
   */
  async #admit(session, name) {
    const { settings } = this;
    this.#opening ??= openEncoder(settings);
    try {
      this.#encoder = await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    const encoder = await openEncoder(settings);
    try {
      const decoder = await openDecoder(settings);
      const participant = new Participant({
        id: String(this.#nextId++),
        name,
        session,
        delivery: session.transport.replyOnly ? 'reply' : settings.delivery,
        format: settings.format,
        sampleClock: settings.sampleClock,
        maxDelayMs: settings.maxDelayMs,
        encoder,
        decoder,
      });
      participant.lastHeardMs = settings.clock.now();
      return participant;
    } catch (error) {
      encoder.close();
      throw error;
    }
  }

  /** @param {Participant} participant */
  #welcome(participant) {
    const { format, bitrate, echo, idleTimeoutMs, serverDelayMs } = this.settings;
    return {
      type: 'welcome',
      version: 1,
      you: participant.id,
      room: this.name,
      format: { sampleRate: format.sampleRate, frameMs: format.frameMs, opusFrames: format.opusFrames },
      delivery: participant.delivery,
      serverDelayMs,
      bitrate,
      echo,
      idleTimeoutMs,
      people: [...this.#people.values()].map((person) => person.describe()),
    };
  }

  /**
   * @param {object} message
   * @param {Participant} [except]
   */
  #tell(message, except) {
    for (const person of this.#people.values()) {
      if (person !== except) person.session.sendControl(message);
    }
  }

  /**
   * Takes a packet of somebody who is in the room; answers it at once where the delivery is `reply`.
   * @param {Participant} participant
   * @param {Uint8Array} bytes valid during the call
   * @param {number} arrivalMs on the monotonic clock
   */
  receive(participant, bytes, arrivalMs) {
    participant.lastHeardMs = arrivalMs;
    const frame = participant.receive(bytes, arrivalMs);
    if (frame >= 0 && participant.delivery === 'reply') this.#reply(participant, frame);
  }

  /**
   * Mixes a frame once, when its time has come, and sends it to everybody whose delivery is `tick`.
   * @param {number} frame
   * @param {number} latenessMs
   */
  #tick(frame, latenessMs) {
    if (latenessMs > this.tickLatenessMs) this.tickLatenessMs = latenessMs;
    const start = frame * this.settings.format.frameSamples;
    this.fullMix.fill(0);
    let speakers = 0;
    for (const person of this.#people.values()) {
      if (person.pull(frame, true) < FrameState.concealed) continue;
      person.ring.addTo(this.fullMix, start);
      speakers += 1;
    }
    for (const person of this.#people.values()) {
      if (person.delivery === 'tick') this.#deliver(person, frame, speakers);
    }
    this.#sendShared(frame, speakers > 0);
  }

  /**
   * @param {Participant} person
   * @param {number} frame
   * @param {number} speakers how many are in the full mix
   */
  #deliver(person, frame, speakers) {
    const speaks = person.ring.state(frame) >= FrameState.concealed;
    if (!speaks || this.settings.echo) {
      this.#audienceOf(person.session.transport).push(person.session);
      return;
    }
    const { ring } = person;
    mixMinus(this.ownMix, this.fullMix, ring.samples, ring.offset(frame));
    person.sendMix(frame, this.ownMix, speakers > 1, Stream.mixMinus);
  }

  /** @param {Transport} transport */
  #audienceOf(transport) {
    let sessions = this.#audience.get(transport);
    if (sessions === undefined) {
      sessions = [];
      this.#audience.set(transport, sessions);
    }
    return sessions;
  }

  /**
   * Encodes the full mix once and sends it to all who hear it.
   * @param {number} frame
   * @param {boolean} sounding
   */
  #sendShared(frame, sounding) {
    const encoder = this.#encoder;
    if (encoder === null) return;
    let bytes = 0;
    for (const [transport, sessions] of this.#audience) {
      if (sessions.length === 0) continue;
      if (bytes === 0) {
        this.#sequence = (this.#sequence + 1) & 0xffff;
        if (sounding) this.limiter.process(this.fullMix);
        bytes = writeMix(out, frame, this.fullMix, sounding, Stream.fullMix, this.#sequence, encoder);
      }
      transport.sendMany(sessions, out.subarray(0, bytes));
      sessions.length = 0;
    }
  }

  /**
   * Answers a packet with the mix at its own clock less the server-side delay (thesis, section 2.3:
   * read_clock = write_clock - server_side_delay).
   * @param {Participant} listener
   * @param {number} frame of the packet
   */
  #reply(listener, frame) {
    const { format, echo, sampleClock } = this.settings;
    const size = format.frameSamples;
    const start = frame * size - this.delaySamples;
    const first = Math.floor(start / size);
    const last = Math.floor((start + size - 1) / size);
    const ahead = (frame + 1) * size - sampleClock.now();
    const due = ahead <= (CLOCK_TOLERANCE_MS * format.sampleRate) / 1000;
    const mix = this.ownMix.fill(0);
    let added = 0;
    for (const person of this.#people.values()) {
      if (person === listener && !echo) continue;
      for (let f = first; f <= last; f++) person.pull(f, due);
      added += person.ring.addTo(mix, start);
    }
    listener.sendMix(frame, mix, added > 0, Stream.mixMinus);
  }

  /**
   * @param {Participant} participant
   * @param {boolean} muted
   */
  mute(participant, muted) {
    if (participant.muted === muted) return;
    participant.muted = muted;
    this.#tell({ type: 'changed', person: participant.describe() });
  }

  /**
   * Takes somebody out whose session has ended. Idempotent.
   * @param {Participant} participant
   */
  leave(participant) {
    participant.close();
    if (!this.#people.delete(participant.id)) return;
    this.#tell({ type: 'left', id: participant.id });
    this.#restIfIdle();
    if (this.isEmpty) this.onEmpty(this);
  }

  #restIfIdle() {
    this.#audience.clear();
    for (const person of this.#people.values()) if (person.delivery === 'tick') return;
    this.mixClock.stop();
  }

  #tidyLater() {
    const { clock } = this.settings;
    this.#housekeeping = clock.setTimeout(() => {
      this.#tidy(clock.now());
      if (!this.#closed) this.#tidyLater();
    }, HOUSEKEEPING_MS);
  }

  /** @param {number} now on the monotonic clock, in milliseconds */
  #tidy(now) {
    for (const person of [...this.#people.values()]) {
      if (now - person.lastHeardMs > this.settings.idleTimeoutMs) {
        const { close, message } = errors['idle-timeout'];
        person.session.close(close, message);
        this.leave(person);
      } else {
        person.session.sendControl({ type: 'stats', ...person.reception.snapshot() });
      }
    }
    this.tickLatenessMs = 0;
  }

  /** Who is in the room, and how each is received. */
  describe() {
    return {
      room: this.name,
      delivery: this.settings.delivery,
      serverDelayMs: this.settings.serverDelayMs,
      skippedFrames: this.mixClock.skipped,
      people: [...this.#people.values()].map((person) => ({
        ...person.describe(),
        delivery: person.delivery,
        stats: { ...person.reception.snapshot(), transport: person.session.stats() },
      })),
    };
  }

  /**
   * Ends the room for everybody. Idempotent.
   * @param {ErrorCode} code what its people are told
   */
  close(code) {
    if (this.#closed) return;
    this.#closed = true;
    this.settings.clock.clearTimeout(this.#housekeeping);
    this.mixClock.stop();
    const { close, message } = errors[code];
    for (const person of this.#people.values()) {
      person.session.sendControl({ type: 'closing', code, message });
      person.session.close(close, message);
      person.close();
    }
    this.#people.clear();
    this.#encoder?.close();
  }
}

/**
 * @param {RoomSettings} settings
 */
async function openEncoder({ codec, format, bitrate, complexity, application }) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const encoder = await codec.createEncoder({ sampleRate, frameSamples, bitrate, complexity, application });
  return new PayloadEncoder(encoder, format);
}

/**
 * @param {RoomSettings} settings
 */
async function openDecoder({ codec, format }) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  return new PayloadDecoder(await codec.createDecoder({ sampleRate, frameSamples }), format);
}
