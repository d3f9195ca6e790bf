import { setImmediate } from 'node:timers/promises';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { BasicRule, RATE_RULES } from '../../server/broadcast/rate-rule.js';
import { SampleClock } from '../../server/clock/sample-clock.js';
import { TickScheduler } from '../../server/clock/tick-scheduler.js';
import { Arrivals } from '../../server/host/arrivals.js';
import { DEFAULTS } from '../../server/config/options.js';
import { roomConfigOf } from '../../server/room/room-config.js';
import { Rooms } from '../../server/host/rooms.js';
import { FakeClock } from '../../testkit/fake-clock.js';
import { FakeSession, fakeTransport } from './fake-session.js';
import { PcmCodec } from './pcm-codec.js';
import { errorsTo } from '../../testkit/log-lines.js';

// A rule for tests whose listeners keep the rate that they ask for.
RATE_RULES.set('basic', BasicRule);

/** Gives waiting promises their turn. */
export const settle = () => setImmediate();

/** Rooms and their people on a fake clock, with a codec that keeps every sample. */
export class Conference {
  codec = new PcmCodec();
  transport = fakeTransport();
  replyOnly = fakeTransport({ name: 'http1', replyOnly: true });
  /** @type {string[]} */
  logged = [];

  /**
   * @param {Partial<import('../../server/room/room-config.js').RoomConfig &
   *   import('../../server/room/room-config.js').RoomServices> & { maxRooms?: number, maxPeople?:
   *   number, frameMs?: number, channels?: number, sampleRate?: number, opusFrames?: number }}
   *   [options]
   * @param {FakeClock} [clock]
   */
  constructor(options = {}, clock = new FakeClock()) {
    const {
      maxRooms = 10,
      maxPeople = 100,
      frameMs,
      channels,
      sampleRate,
      opusFrames,
      ...settings
    } = options;
    const {
      codec = this.codec,
      effort,
      cpuMs,
      wallNow,
      recordings,
      observer,
      tokens,
      cluster,
      happened,
      ...own
    } = settings;
    this.clock = clock;
    this.format = createAudioFormat({ frameMs, channels, sampleRate, opusFrames });
    this.sampleClock = new SampleClock(this.clock, this.format.sampleRate);
    const log = {
      error: errorsTo(this.logged).error,
      info: () => {},
      ...settings.log,
    };
    /** Only timers run ticks here, not the turns of the event loop. */
    const ticks = new TickScheduler(clock, () => {});
    /** @type {import('../../server/room/room-config.js').RoomServices} */
    this.services = {
      clock,
      sampleClock: this.sampleClock,
      ticks,
      codec,
      effort,
      cpuMs,
      wallNow,
      recordings,
      observer,
      tokens,
      cluster,
      happened,
      log,
    };
    const config = {
      ...roomConfigOf(DEFAULTS),
      silenceSuppression: false,
      relayFrom: Infinity,
      format: this.format,
      serverDelayMs: 60,
      maxDelayMs: 2000,
      bitrate: 32000,
      complexity: 5,
      application: /** @type {const} */ ('audio'),
      maxParticipants: 10,
      idleTimeoutMs: 10_000,
      placeAfterMs: 0,
      ...own,
    };
    this.rooms = new Rooms({ config, services: this.services, maxRooms, maxPeople });
    this.arrivals = new Arrivals({ rooms: this.rooms, clock, log });
  }

  /**
   * @param {string} name
   * @param {{ room?: string, replyOnly?: boolean, delivery?: string, serverDelayMs?: unknown,
   *   mirror?: boolean, resume?: string, frameMs?: number, channels?: number, mode?: string,
   *   e2e?: boolean, listen?: boolean, stage?: string, streamKey?: string, owner?: string,
   *   pcm?: number, voices?: boolean }} [options]
   */
  async join(name, { room = 'lab', replyOnly = false, ...wishes } = {}) {
    const session = new FakeSession(replyOnly ? this.replyOnly : this.transport, this.services.log);
    this.arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room, name, ...wishes });
    await settle();
    return new Person(this, session);
  }

  /** Lets frames of the grid pass. @param {number} frames */
  pass(frames) {
    this.clock.advance(frames * this.format.frameMs);
  }

  /**
   * Lets somebody say frames as they are due.
   * @param {Person} talker
   * @param {number} from
   * @param {number} to the last frame and one
   */
  async talk(talker, from, to) {
    for (let frame = from; frame < to; frame++) {
      await talker.speak(frame, 0.25, { level: 10, voice: true });
      this.pass(1);
    }
  }
}

/** The far end of one session. */
export class Person {
  #sequence = 0;
  #packet = new Packet();
  #encoder;
  #decoder;

  /** @param {Conference} conference @param {FakeSession} session */
  constructor(conference, session) {
    this.conference = conference;
    this.session = session;
    this.id = session.told('welcome')[0]?.you;
    this.#encoder = conference.codec.createEncoder({
      ...conference.format,
      frameSamples: conference.format.opusFrameSamples,
    });
    this.#decoder = conference.codec.createDecoder({
      ...conference.format,
      frameSamples: conference.format.opusFrameSamples,
    });
    // The server doesn't close the far end's codecs.
    conference.codec.open -= 2;
  }

  /**
   * Sends one frame with equal samples, or with one value per side; null sends silence.
   * @param {number} frame
   * @param {number | [number, number] | null} value
   * @param {{ level?: number, voice?: boolean }} [told]
   */
  async speak(frame, value, told) {
    this.session.handler?.packet(
      await this.packet(frame, value, told),
      this.conference.clock.now(),
    );
  }

  /**
   * Sends a packet that gets lost.
   * @param {number} frame
   * @param {number | null} value
   */
  async lose(frame, value) {
    await this.packet(frame, value);
  }

  /**
   * @param {number} frame
   * @param {number | [number, number] | null} value
   * @param {{ level?: number, voice?: boolean }} [told]
   * @returns {Promise<Uint8Array>}
   */
  async packet(frame, value, told = {}) {
    const { format } = this.conference;
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    Object.assign(this.#packet, { level: 127, voice: false, ...told, frame });
    this.#packet.sequence = this.#sequence++ & 0xffff;
    let end = writeAudioHeader(bytes, this.#packet);
    if (value !== null) {
      const encoder = new PayloadEncoder(this.#encoder, format);
      const pcm = new Float32Array(format.frameValues);
      if (typeof value === 'number') pcm.fill(value);
      else for (let i = 0; i < pcm.length; i++) pcm[i] = value[i % 2];
      end += encoder.encode(pcm, bytes, end);
    }
    return bytes.slice(0, end);
  }

  /**
   * Heard sound by frame index: samples, or null for a silent packet.
   * @returns {Promise<Map<number, Float32Array | null>>}
   */
  async heard() {
    const { format } = this.conference;
    const decoder = new PayloadDecoder(this.#decoder, format);
    const frames = new Map();
    for (const bytes of this.session.packets) {
      const packet = new Packet();
      if (readPacket(bytes, packet) !== null || packet.type !== 1) continue;
      let pcm = null;
      if (packet.payloadBytes[0] > 0) {
        pcm = new Float32Array(format.frameValues);
        decoder.decode(bytes, packet.payloadStart[0], packet.payloadBytes[0], pcm, 0);
      }
      frames.set(packet.frame, pcm);
    }
    return frames;
  }

  /**
   * Listed speakers, by frame index of the packets with a list.
   * @returns {Map<number, { id: string, level: number, voice: boolean }[]>}
   */
  listed() {
    const lists = new Map();
    for (const bytes of this.session.packets) {
      const packet = new Packet();
      if (readPacket(bytes, packet) !== null || packet.type !== 1 || packet.speakers === 0)
        continue;
      const list = [];
      for (let i = 0; i < packet.speakers; i++) {
        const level = packet.speakerLevels[i];
        list.push({ id: String(packet.speakerIds[i]), level: level & 0x7f, voice: level > 0x7f });
      }
      lists.set(packet.frame, list);
    }
    return lists;
  }

  /** The server's counters of this person's uplink. */
  stats() {
    const room = this.conference.rooms.get('lab');
    return room?.describe().people.find((person) => person.id === this.id)?.stats;
  }
}
