/**
 * The participants of a scenario. The same code runs in their own process and in a browser's
 * page.
 *
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { ServerConfig } from '../../public/client/connection/choose.js'
 * @import { Connection, TransportName } from '../../public/client/connection/connection.js'
 * @import { Nearness } from '../../public/shared/nearness.js'
 * @import { ParticipantTransport } from './connection.js'
 * @import { SocketNotes } from './own-sockets.js'
 * @import { WireNotes } from './wire-notes.js'
 *
 * @typedef {{ origin: string, config: ServerConfig }} Server
 *
 * @typedef {object} Recording
 * @property {Float32Array} samples  sound from the speaker
 * @property {number} startMs time of its first sample; for a speaker the time at which speech
 *   began to go in, filled with silence before the first output
 * @property {number} sampleRate
 * @property {object | null} stats   the client's own
 * @property {{ samples: Float32Array, startMs: number, sampleRate: number }[]} [loops] the
 *   microphone as the browser alone played it, several times, if it was recorded
 * @property {{ sent: FrameNote[], received: FrameNote[] }} [frames] frames from a peer's
 *   encoder, and frames that came, before its jitter buffer
 *
 * @typedef {{ timestamp: number, atMs: number }} FrameNote timestamp: that of RTP, by which both
 *   peers name a frame
 *
 * @typedef {object} Listener        a participant with the whole client; times on performance.now()
 * @property {(options: { origin: string, room: string, name: string, transport: TransportName,
 *   listen?: boolean, nearness?: Nearness }) =>
 *   Promise<unknown>} join
 * @property {() => Recording | Promise<Recording>} recording
 * @property {object | null} [stats]  the client's own, of the last second; a peer's are a promise
 * @property {(description: RTCSessionDescriptionInit | null) => Promise<RTCSessionDescriptionInit |
 *   null>} [signal] a peer's answer to the other's description, or its offer
 * @property {() => Promise<void>} close
 * @property {WireNotes} [wire]      packets that it sends, receives and plays, if they can be seen
 *
 * @typedef {object} World           differences between a process and a browser's page
 * @property {(transport: ParticipantTransport, server: Server) => Promise<Connection>}
 *   openConnection
 * @property {(format: AudioFormat, bitrate: number) => Promise<Uint8Array[]>} encodeSpeech
 * @property {(options: ListenerOptions & { sampleRate: number, connectsPerRequest?: boolean }) =>
 *   Promise<Listener>} createListener
 * @property {SocketNotes} [sockets] of the process, where they can be seen
 * @property {(ms: number) => number} sharedMs from performance.now() to the machine's monotonic
 *   clock
 * @property {() => number} takeCpu             percent of a core since the last time
 *
 * @typedef {object} ListenerOptions
 * @property {boolean} speaks
 * @property {number} recordSeconds
 * @property {number} [periodMs]  of the sound card, where it is none of a browser's
 * @property {boolean} [device]   speaks with the browser's own microphone
 * @property {number} [loops] number of recordings of the microphone as the browser alone plays it
 * @property {boolean} [isPeer] by the browser's WebRTC, to another one; signal() connects them
 * @property {boolean} [notesFrames] of a peer: whether its recording has the frames that it sent
 *   and received
 */

import { fetchConfig } from '../../public/client/connection/join.js';
import { Pacer } from '../../public/lab/runs/pacer.js';
import { systemClock } from '../../public/shared/clock.js';
import { Talker } from './talker.js';

/**
 * Talkers, and listeners with the whole client. All times that it returns are of the machine's
 * monotonic clock.
 */
export class Participants {
  #world;
  #pacer = new Pacer(systemClock);
  #notesSockets = false;
  /** @type {Map<string, Talker>} */
  #talkers = new Map();
  /** @type {Map<string, Listener>} */
  #listeners = new Map();
  /** @type {Server | null} */
  #server = null;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  get #at() {
    if (!this.#server) throw new Error('open() comes first');
    return this.#server;
  }

  /**
   * @param {{ origin: string }} options
   * @returns {Promise<ServerConfig>}
   */
  async open({ origin }) {
    this.#server = { origin, config: await fetchConfig(origin) };
    return this.#server.config;
  }

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {ParticipantTransport} options.transport
   * @param {string} options.room
   * @param {boolean} options.speaks
   * @param {number} [options.phaseMs]
   * @param {number} [options.startFrame] of the speech, so that people don't say the same at once
   * @param {'tick' | 'reply'} [options.delivery] the server's if not said
   * @param {import('./participant.js').Late | null} [options.late] rule to send frames late, if
   *   any
   */
  async join({ id, transport, room, speaks, phaseMs = 0, startFrame = 0, delivery, late }) {
    const connection = await this.#world.openConnection(transport, this.#at);
    const talker = new Talker({ connection, phaseMs, late });
    await talker.join({ room, name: id, delivery });
    const { bitrate } = talker.welcome;
    if (speaks) talker.speak(await this.#world.encodeSpeech(talker.format, bitrate), startFrame);
    this.#talkers.set(id, talker);
    this.#pacer.add(talker);
    return talker.welcome;
  }

  /** @param {{ id: string }} options */
  leave({ id }) {
    const talker = this.#talkers.get(id);
    if (!talker) return;
    this.#pacer.remove(talker);
    this.#talkers.delete(id);
    talker.close();
  }

  /**
   * Starts noting packets and the cost of the load.
   * @param {{ sockets?: boolean }} [options] sockets: notes the process's sockets too, which costs
   *   the more the more sockets this machine has
   */
  note({ sockets = false } = {}) {
    for (const talker of this.#talkers.values()) talker.note();
    this.#pacer.takeLateness();
    this.#world.takeCpu();
    this.#notesSockets = sockets;
    if (sockets) this.#world.sockets?.begin();
  }

  /**
   * The notes of each since note(), the generator's CPU and its lateness, and its sockets, where
   * they were to be noted and can be seen.
   */
  take() {
    const { sharedMs, takeCpu, sockets } = this.#world;
    const shared = (/** @type {{ atMs: number }} */ note) => ({
      ...note,
      atMs: sharedMs(note.atMs),
    });
    const people = [...this.#talkers].map(([id, talker]) => {
      const { sent, received } = talker.takeNotes();
      return {
        id,
        notes: { sent: sent.map(shared), received: received.map(shared) },
        counters: talker.counters,
        connection: talker.stats(),
        serverStats: talker.serverStats,
        ended: talker.ended,
      };
    });
    const isSeen = this.#notesSockets && sockets !== undefined;
    const { opened = 0, looks = [] } = isSeen ? sockets.take() : {};
    return {
      people,
      cpuPercent: takeCpu(),
      latenessMs: this.#pacer.takeLateness(),
      sockets: isSeen ? { opened, looks: looks.map(shared) } : null,
    };
  }

  /**
   * Joins with the whole client, sound and all, and times it.
   * @param {ListenerOptions & { id: string, transport: ParticipantTransport, room: string,
   *   nearness?: Nearness }} asked nearness: of one of the audience
   */
  async listen({ id, transport: over, room, nearness, ...options }) {
    const { origin } = this.#at;
    const response = await fetch(new URL('/api/clock', origin));
    const { sampleRate } = await response.json();
    const connectsPerRequest = over === 'http1-per-request';
    const transport = connectsPerRequest ? 'http1' : over;
    const listener = await this.#world.createListener({
      ...options,
      sampleRate,
      connectsPerRequest,
    });
    this.#listeners.set(id, listener);
    const { sharedMs } = this.#world;
    const startMs = sharedMs(performance.now());
    await listener.join({
      origin,
      room,
      name: id,
      transport,
      ...(nearness && { listen: true, nearness }),
    });
    return { startMs, joinedMs: sharedMs(performance.now()) };
  }

  /**
   * @param {{ id: string }} options
   * @returns {Promise<Recording>} a listener's sound
   */
  async recording({ id }) {
    const listener = this.#listeners.get(id);
    if (!listener) throw new Error(`nobody listens as ${id}`);
    const { loops: played = [], frames, ...recording } = await listener.recording();
    const { sharedMs } = this.#world;
    const shared = (/** @type {FrameNote[]} */ notes) =>
      notes.map(({ timestamp, atMs }) => ({ timestamp, atMs: sharedMs(atMs) }));
    return {
      ...recording,
      startMs: sharedMs(recording.startMs),
      loops: played.map((loop) => ({ ...loop, startMs: sharedMs(loop.startMs) })),
      frames: frames && { sent: shared(frames.sent), received: shared(frames.received) },
    };
  }

  /**
   * @param {{ id: string }} options
   * @returns {object | null} the statistics of a listener's client, or a promise of a peer's
   */
  statsOf({ id }) {
    return this.#listeners.get(id)?.stats ?? null;
  }

  /**
   * @param {{ id: string, description: RTCSessionDescriptionInit | null }} options the other
   *   peer's; null: none yet
   * @returns {Promise<RTCSessionDescriptionInit | null>} this peer's; null once they are connected
   */
  async signal({ id, description }) {
    return (await this.#listeners.get(id)?.signal?.(description)) ?? null;
  }

  /** Starts noting what listeners send, receive and play. */
  noteWires() {
    for (const { wire } of this.#listeners.values()) wire?.begin();
    this.#world.takeCpu();
  }

  /** The notes of each since noteWires(), and its client's statistics. */
  async takeWires() {
    const cpuPercent = this.#world.takeCpu();
    const { sharedMs } = this.#world;
    const shared = (/** @type {any[]} */ notes) =>
      notes.map((note) => ({ ...note, atMs: sharedMs(note.atMs) }));
    const people = [];
    for (const [id, { wire, recording }] of this.#listeners) {
      if (!wire) continue;
      const { sent, received, played } = wire.take();
      const { stats } = await recording();
      people.push({
        id,
        sent: shared(sent),
        received: shared(received),
        played: shared(played),
        stats,
      });
    }
    return { people, cpuPercent };
  }

  /** @param {{ id: string }} options */
  async stopListening({ id }) {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    await listener?.close();
  }

  /** All leave. Idempotent. */
  async close() {
    this.#pacer.close();
    this.#world.sockets?.stop();
    for (const talker of this.#talkers.values()) talker.close();
    this.#talkers.clear();
    for (const id of [...this.#listeners.keys()]) await this.stopListening({ id });
  }
}

/**
 * The functions of participants that another process or the browser's driver calls by name.
 * @param {Participants} participants
 * @returns {Record<string, (options: any) => unknown>}
 */
export function functionsOf(participants) {
  return {
    open: (options) => participants.open(options),
    join: (options) => participants.join(options),
    leave: (options) => participants.leave(options),
    note: (options) => participants.note(options),
    take: () => participants.take(),
    listen: (options) => participants.listen(options),
    recording: (options) => participants.recording(options),
    statsOf: (options) => participants.statsOf(options),
    signal: (options) => participants.signal(options),
    noteWires: () => participants.noteWires(),
    takeWires: () => participants.takeWires(),
    stopListening: (options) => participants.stopListening(options),
  };
}
