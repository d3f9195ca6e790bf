/**
 * @import { AudioFormat } from '../shared/audio-format.js'
 * @import { Codec } from '../shared/codec.js'
 * @import { Clock } from '../shared/clock.js'
 * @import { Failure, Scope, ServerConfig } from './connection/choose.js'
 * @import { Connection, ConnectionStats, TransportName } from './connection/connection.js'
 * @import { DelayParts } from './delay-parts.js'
 * @import { Person } from './people.js'
 * @import { HeardSpeaker } from './speakers.js'
 */

import { createAudioFormat } from '../shared/audio-format.js';
import { Packet, PacketType, readPacket } from '../shared/packet.js';
import { newDecoders, newEncoder } from './client-codecs.js';
import { ClockExchange } from './clock-exchange.js';
import { ClockSync } from './clock-sync.js';
import { systemClock } from '../shared/clock.js';
import { connect } from './connection/choose.js';
import { ConnectionError, sentenceOf } from './connection/connection.js';
import { joinMessage } from './connection/join.js';
import { PULL_EXTRA, Playout } from './playout.js';
import { delayPartsOf, sumOf } from './delay-parts.js';
import { People } from './people.js';
import { LossReport, reportOf } from './loss-report.js';
import { ReceivedShare } from './received-share.js';
import { fetchConfig } from './server-config.js';
import { SampleReader } from './sample-reader.js';
import { Speakers } from './speakers.js';
import { Uplink } from './uplink.js';

/** How often statistics are told, in milliseconds. */
const STATS_MS = 1000;

/** The control messages that nobody but the client itself needs. */
const CONSUMED = new Set(['stats', 'delay', 'joined', 'changed', 'left', 'qualities', 'closing']);

/** How often it is looked whether captured sound still comes, in milliseconds. */
const CAPTURE_LOOK_MS = 100;

/**
 * @typedef {object} Joined
 * @property {string} you                 the participant's id
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery
 * @property {number} serverDelayMs
 * @property {string} resume              the token with which another client takes up the same place
 * @property {string} leaveUrl            where a page that goes away sends a beacon; empty where none is needed
 *
 * @typedef {object} ClientStats
 * @property {TransportName} transport
 * @property {number | null} roundTripMs      to the server and back
 * @property {number | null} receivedPercent  of the last seconds' frames for this listener, those in time
 * @property {number | null} delayMs          estimate, from a sound at another's microphone, who is as far from
 *   the server, to this one's speaker; sound cards not counted
 * @property {DelayParts} delayParts            what delayMs is the sum of
 * @property {{ up: number, down: number }} bytes  of packets, since joining
 * @property {StatsDetail} detail
 *
 * @typedef {object} StatsDetail
 * @property {Playout['counters'] & { delayMs: number, wantedMs: number, receivedPercent: number | null,
 *   driftPpm: number }} playout  driftPpm: the speaker's sound card against the server's sample clock
 * @property {Uplink['counters'] & { level: number, voice: boolean, driftPpm: number }} uplink
 *   driftPpm: the microphone's against the server's sample clock
 * @property {ConnectionStats} connection
 * @property {{ dropped: number, outputMs: number, clockErrorMs: number, clockJumps: number, driftPpm: number }}
 *   client  packets that were no packets, what waits for the sound card, how far the clock may be off, how
 *   often it had to jump, the server's clock against this computer's
 * @property {Record<string, unknown> | null} server  what the server says of this one's uplink
 *
 * @typedef {object} ClientEvents  all are optional
 * @property {(transport: { took: TransportName, tried: Failure[] }) => void} transport
 * @property {(joined: Joined) => void} joined
 * @property {(people: { people: Person[], you: string }) => void} people
 * @property {(stats: ClientStats) => void} stats
 * @property {() => void} sound  a packet of sound has come
 * @property {(speakers: HeardSpeaker[]) => void} speakers
 *   who is to be heard, the loudest first, ten times a second at most; none when it falls silent, once
 * @property {(message: Record<string, any>) => void} control
 *   a message of the server that this client leaves to who shows it: `welcome`, `chat`, `refused`, `recording` …
 * @property {(end: { code: string, message: string }) => void} ended
 *   the server or the network has ended it, after `joined`; not called for leave()
 *
 * @typedef {object} JoinOptions
 * @property {string} room
 * @property {string} name
 * @property {string} origin                         the server's, such as 'http://localhost:8080'
 * @property {'auto' | TransportName} [transport]    default 'auto'
 * @property {boolean} [muted]                       default false
 * @property {boolean} [mirror]                      true: a room of one, where one hears oneself 2 s later
 * @property {10 | 20} [frameMs]                     of a room that begins with this participant
 * @property {number} [bitrate]                      of one's own stream, in bits a second; the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application]  what one's own encoder is tuned for
 * @property {boolean} [silenceSuppression]          default true: silence is left out where the server allows it;
 *   false for music, of which nothing should be taken for noise
 * @property {string} [resume]                       the token of a place to be taken up again
 * @property {ServerConfig} [config]                 fetched from the server when absent
 */

/**
 * One participant, without microphone, speaker or page: the same in a browser's worker and in
 * Node.js. Sound goes in by capture() and comes out by render(); without capture() it only listens.
 *
 *     const client = new Client({ codec: createLibopusCodec(await createLibopus()) });
 *     await client.join({ origin: 'http://localhost:8080', room: 'tea', name: 'Ada' });
 *     setInterval(() => { client.capture(nextSamples()); client.render(out); }, 20);
 *     client.leave();
 */
export class Client {
  #codec;
  #clock;
  #scope;
  #on;
  #packet = new Packet();
  #people = new People();
  #received = new ReceivedShare();
  #lossReport = new LossReport();
  #speakers = new Speakers(
    (speakers) => this.#on.speakers?.(speakers),
    (number) => this.#people.idOf(number),
  );
  /** @type {Record<string, any>} the server's welcome */
  #welcome = {};
  /** @type {Record<string, unknown> | null} */
  #serverStats = null;
  /** @type {{ code: string, message: string } | null} why the server said that it would close */
  #closing = null;
  /** @type {ClockSync | null} */
  #sync = null;
  /** @type {ClockExchange | null} */
  #exchange = null;
  /** @type {Connection | null} */
  #connection = null;
  /** @type {Uplink | null} */
  #uplink = null;
  /** @type {Playout | null} */
  #playout = null;
  #muted = false;
  #silenceSuppression = true;
  /** What was asked for of this one's own encoder. @type {Pick<JoinOptions, 'bitrate' | 'application'>} */
  #encoding = {};
  /** @type {string | undefined} of the place in the room */
  #token = undefined;
  #resumes = false;
  #closed = false;
  #dropped = 0;
  #bytes = { up: 0, down: 0 };
  /** @type {unknown} */
  #paceTimer = null;
  /** @type {unknown} */
  #statsTimer = null;
  /** @type {SampleReader | null} */
  #reader = null;

  /** The room's audio format; null before it has been joined. @type {AudioFormat | null} */
  format = null;
  /** When anything was last heard of the server, on the client's clock. */
  heardMs = -Infinity;
  /** Whether a server was asked to let this client join. */
  hasAsked = false;
  /** How long what is pulled just in time waits for the speaker, in milliseconds, for the statistics. */
  outputMs = 0;

  /**
   * @param {object} options
   * @param {Codec | Promise<Codec>} options.codec  waited for in join()
   * @param {Clock} [options.clock]
   * @param {Scope} [options.scope]  WebTransport, WebSocket, fetch: those of the global object by default
   * @param {Partial<ClientEvents>} [options.on]
   */
  constructor({ codec, clock = systemClock, scope = {}, on = {} }) {
    this.#codec = codec;
    this.#clock = clock;
    this.#scope = scope;
    this.#on = on;
  }

  /**
   * Connects, joins, and measures the server's clock. Once only.
   * @param {JoinOptions} options
   * @returns {Promise<Joined>} rejects with a ConnectionError; the client is closed then
   */
  async join({ room, name, origin, transport = 'auto', muted = false, silenceSuppression = true, mirror, ...rest }) {
    const { frameMs, bitrate, application, resume, config } = rest;
    this.#muted = muted;
    this.#silenceSuppression = silenceSuppression;
    this.#encoding = { bitrate, application };
    this.#token = resume;
    this.#resumes = resume !== undefined;
    try {
      const { connection, took, tried } = await connect({
        transport,
        origin,
        config: config ?? (await fetchConfig(origin, this.#scope.fetch, this.#clock)),
        message: joinMessage({ room, name, mirror, frameMs }, () => this.#token),
        asks: () => (this.hasAsked = !this.#closed),
        handler: {
          onPacket: (bytes, arrivalMs) => this.#receive(bytes, arrivalMs),
          onControl: (message) => this.#control(message),
          onClosed: (code, reason) => this.#ended(code, reason),
        },
        prove: (candidate) => this.#measureClock(candidate),
        clock: this.#clock,
        scope: this.#scope,
      });
      this.#connection = connection;
      await this.#openAudio(connection);
      this.#on.transport?.({ took, tried });
    } catch (error) {
      this.close();
      throw error;
    }
    return this.#start();
  }

  /** @param {Connection} connection one that has joined: packets must pass both ways before it is taken */
  async #measureClock(connection) {
    const { sampleRate, frameMs, opusFrames } = this.#welcome.format ?? {};
    this.format = createAudioFormat({ sampleRate, frameMs, opusFrames });
    this.#exchange?.close();
    this.#sync = new ClockSync(sampleRate);
    this.#exchange = new ClockExchange({
      clock: this.#clock,
      sync: this.#sync,
      send: (bytes) => connection.send(bytes),
    });
    try {
      if (!this.#closed) await this.#exchange.start();
    } finally {
      // No other transport is tried when nobody wants to join any more.
      if (this.#closed) this.#throwLeft();
    }
  }

  /** @returns {never} */
  #throwLeft() {
    throw new ConnectionError('connection-lost', 'The call was left before it was joined.', true);
  }

  /** @param {Connection} connection */
  async #openAudio(connection) {
    const format = /** @type {AudioFormat} */ (this.format);
    const { bitrate = this.#welcome.bitrate, application } = this.#encoding;
    const codec = await this.#codec;
    this.#playout = new Playout(format, newDecoders(codec, format));
    this.#uplink = new Uplink({
      format,
      clockSync: /** @type {ClockSync} */ (this.#sync),
      encoder: newEncoder(codec, format, { bitrate, application }),
      send: (bytes) => {
        this.#bytes.up += bytes.length;
        return connection.send(bytes);
      },
      suppressesSilence: this.#suppressesSilence(),
      redundancy: this.#welcome.redundancy,
      clock: this.#clock,
    });
    this.#uplink.mute(this.#muted);
    const playout = this.#playout;
    this.#reader = new SampleReader((out) => playout.pull(out, this.#clock.now()), format.frameSamples + PULL_EXTRA);
    if (this.#closed || connection.closed) {
      connection.close();
      this.#releaseAudio();
      throw new ConnectionError('connection-lost', 'The connection ended before it was of use.');
    }
  }

  /** With `reply` each packet asks for its answer, so none is left out. */
  #suppressesSilence() {
    const { delivery, silenceSuppression } = this.#welcome;
    return this.#silenceSuppression && delivery === 'tick' && silenceSuppression === true;
  }

  /** @returns {Joined} */
  #start() {
    const { you, delivery, serverDelayMs } = this.#welcome;
    const format = /** @type {AudioFormat} */ (this.format);
    const leaveUrl = this.#connection?.leaveUrl ?? '';
    const joined = { you, format, delivery, serverDelayMs, resume: this.#token ?? '', leaveUrl };
    // A place that was taken up again may have been muted, or not.
    if (this.#muted || this.#resumes) this.#connection?.sendControl({ type: 'mute', muted: this.#muted });
    this.#on.joined?.(joined);
    this.#on.people?.(this.#people.list());
    this.#pace();
    this.#tellStatsLater();
    return joined;
  }

  /** Sends silence at each frame's end while nothing is captured. */
  #pace() {
    const { frameSamples } = /** @type {AudioFormat} */ (this.format);
    const sync = /** @type {ClockSync} */ (this.#sync);
    const now = this.#clock.now();
    const isIdle = this.#uplink?.idle(now);
    const frameEnd = (Math.floor(sync.sampleClockAt(now) / frameSamples) + 1) * frameSamples;
    const wait = isIdle ? Math.max(1, sync.msAt(frameEnd) - now) : CAPTURE_LOOK_MS;
    this.#paceTimer = this.#clock.setTimeout(() => this.#pace(), wait);
  }

  #tellStatsLater() {
    this.#statsTimer = this.#clock.setTimeout(() => {
      this.#tellStatsLater();
      if (this.#playout) this.#received.add(this.#playout.counters);
      const stats = this.stats();
      if (stats) this.#report(stats);
      if (stats) this.#on.stats?.(stats);
    }, STATS_MS);
  }

  /** @param {ClientStats} stats */
  #report(stats) {
    const now = this.#clock.now();
    const lostPercent = this.#playout?.lostPercent(now) ?? null;
    if (this.#lossReport.isDue(lostPercent, now)) this.#connection?.sendControl(reportOf(lostPercent, stats));
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #receive(bytes, arrivalMs) {
    const packet = this.#packet;
    this.heardMs = arrivalMs;
    this.#bytes.down += bytes.length;
    if (readPacket(bytes, packet) !== null) this.#dropped += 1;
    else if (packet.type === PacketType.audio) {
      this.#playout?.receive(packet, bytes, arrivalMs);
      this.#speakers.receive(packet, arrivalMs);
      this.#on.sound?.();
    } else if (packet.type === PacketType.clockReply) this.#exchange?.reply(packet.id, packet.clock, arrivalMs);
  }

  /** @param {unknown} message */
  #control(message) {
    this.heardMs = this.#clock.now();
    if (this.#closed || typeof message !== 'object' || message === null) return;
    const known = /** @type {Record<string, any>} */ (message);
    if (known.type === 'welcome') {
      this.#welcome = known;
      if (typeof known.resume === 'string') this.#token = known.resume;
    } else if (known.type === 'stats') {
      this.#serverStats = known;
      this.#uplink?.report(known.lostPercent5s);
    } else if (known.type === 'delay' && Number.isFinite(known.serverDelayMs)) {
      this.#welcome = { ...this.#welcome, serverDelayMs: known.serverDelayMs };
    } else if (known.type === 'closing') {
      this.#closing = { code: String(known.code), message: String(known.message) };
    }
    if (!CONSUMED.has(known.type)) this.#on.control?.(known);
    if (this.#people.update(known) && this.#uplink) this.#on.people?.(this.#people.list());
  }

  /**
   * @param {string} code
   * @param {string} reason
   */
  #ended(code, reason) {
    const wasJoined = this.#uplink !== null && !this.#closed;
    const end = this.#closing ?? { code: code === 'closed' ? 'connection-lost' : code, message: reason };
    if (this.#connection === null) {
      // While it is being tried out: the next transport may do better.
      return void this.#exchange?.close();
    }
    this.close();
    if (wasJoined) this.#on.ended?.({ code: end.code, message: sentenceOf(end) });
  }

  /**
   * Takes captured sound: any number of samples, in order, when they are captured.
   * @param {Float32Array} samples mono at the format's rate
   * @param {number} [count] of them
   */
  capture(samples, count = samples.length) {
    this.#uplink?.capture(samples, count, this.#clock.now());
  }

  /** What is captured from here on is another device's, or comes after a gap. */
  captureAnew() {
    this.#uplink?.captureAnew();
  }

  /** How many more samples complete the next frame; a frame before the room is joined. */
  get samplesToFrame() {
    return this.#uplink?.missing ?? 960;
  }

  /** What is heard, for who takes it piece by piece; null while there is no call. */
  get playout() {
    return this.#playout;
  }

  /**
   * Fills any number of samples with sound, when the speaker needs them.
   * @param {Float32Array} out mono at the format's rate
   */
  render(out) {
    if (this.#playout) this.#reader?.read(out);
    else out.fill(0);
  }

  /** @param {boolean} muted whether this participant isn't heard */
  mute(muted) {
    this.#muted = muted;
    this.#uplink?.mute(muted);
    if (this.#uplink) this.#connection?.sendControl({ type: 'mute', muted });
  }

  /** @param {object} message a control message, once the room is joined */
  sendControl(message) {
    if (this.#uplink) this.#connection?.sendControl(message);
  }

  /** @param {boolean} suppresses whether silence is left out, where the server allows it; false for music */
  suppressSilence(suppresses) {
    this.#silenceSuppression = suppresses;
    this.#uplink?.suppressSilence(this.#suppressesSilence());
  }

  /** @returns {ClientStats | null} null when there is no call */
  stats() {
    const playout = this.#playout;
    const uplink = this.#uplink;
    const connection = this.#connection;
    const sync = this.#sync;
    if (!playout || !uplink || !connection || !sync) return null;
    const delayParts = delayPartsOf(this.#welcome, sync, { playoutMs: playout.delayMs, outputMs: this.outputMs });
    return {
      transport: connection.transport,
      roundTripMs: sync.roundTripMs,
      receivedPercent: this.#received.percent,
      delayMs: sumOf(delayParts),
      delayParts,
      bytes: { ...this.#bytes },
      detail: {
        playout: playout.stats(),
        uplink: uplink.stats(),
        connection: connection.stats(),
        client: {
          dropped: this.#dropped,
          outputMs: this.outputMs,
          ...sync.stats(this.#clock.now()),
        },
        server: this.#serverStats,
      },
    };
  }

  /** Leaves the room. Idempotent. */
  leave() {
    const connection = this.#connection;
    if (connection && !this.#closed) {
      connection.handler = null;
      connection.sendControl({ type: 'leave' });
    }
    this.close();
  }

  /** Ends everything, but keeps the place in the room for another client. Idempotent. */
  abandon() {
    this.#connection?.close(false);
    this.close();
  }

  /** Ends everything, without a word. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.clearTimeout(this.#paceTimer);
    this.#clock.clearTimeout(this.#statsTimer);
    this.#exchange?.close();
    this.#connection?.close();
    this.#releaseAudio();
  }

  #releaseAudio() {
    this.#uplink?.close();
    this.#uplink = null;
    this.#playout?.close();
    this.#playout = null;
  }
}

