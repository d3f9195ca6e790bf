/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { ClientStats } from './client-stats.js'
 * @import { Nearness } from '../../shared/nearness.js'
 * @import { ClientEvents, Joined, JoinOptions, Output } from './types.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 * @import { ConnectOptions, Scope } from '../connection/choose.js'
 * @import { Connection } from '../connection/connection.js'
 * @import { Playout } from '../playout/playout.js'
 * @import { Uplink } from '../capture/uplink.js'
 */

import { ClockExchange, ClockSync } from '../clock/clock-sync.js';
import { Packet, PacketType, readPacket } from '../../shared/wire/packet.js';
import { ClientAudio, loaded, numberOf } from './client-audio.js';
import { CallStatistics } from './client-stats.js';
import { systemClock } from '../../shared/clock.js';
import { connect } from '../connection/choose.js';
import { ConnectionError, sentenceOf } from '../connection/connection.js';
import { joinMessage, MovedError } from '../connection/join.js';
import { configOf, locate } from '../connection/nodes.js';
import { AccessState } from './access-state.js';
import { HeardSpeakers, RoomState } from './room-state.js';
import { readRoomKey } from './room-key.js';
import { Sealing } from './sealing.js';

/** An output that nothing waits for. @type {Readonly<Output>} */
const NO_OUTPUT = Object.freeze({ waitMs: 0, gaps: 0, gapMs: 0 });

/** How often one who joins is sent on from node to node, at most. */
const MAX_HOPS = 3;

/** The control messages that nobody but the client itself needs. */
const CONSUMED = new Set([
  'resume',
  'stats',
  'delay',
  'stride',
  'joined',
  'changed',
  'left',
  'people',
  'listeners',
  'qualities',
  'closing',
]);

/** The time between two requests for a part of the list of people, in milliseconds. */
const PEOPLE_MS = 200;

/**
 * The oldest packet that sound begins with, in milliseconds since it came: the longest time between
 * two of them while there is sound.
 */
const EARLY_MS = 60;

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
  #primitives;
  #on;
  /** Where the call is encrypted end to end. @type {Sealing | null} */
  #sealing = null;
  #packet = new Packet();
  #room = new RoomState();
  #access = new AccessState();
  /** @type {CallStatistics | null} */
  #statistics = null;
  /**
   * The newest packet of sound from before the playout, while packets are shown to pass both ways.
   * @type {{ bytes: Uint8Array, arrivalMs: number } | null}
   */
  #early = null;
  #traffic = { down: 0, dropped: 0 };
  #speakers = new HeardSpeakers(
    (speakers) => this.#on.speakers?.(speakers),
    (number) => this.#room.roster.idOf(number),
    () => this.#audio?.processorTime.isShort ?? false,
  );
  /** Over the connection that is tried out last, or taken. @type {ClockExchange | null} */
  #clockExchange = null;
  /** @type {ClockSync | null} */
  #clockSync = null;
  /** @type {Connection | null} */
  #connection = null;
  /** @type {ClientAudio | null} */
  #audio = null;
  /** The latest wishes. @type {Partial<JoinOptions>} */
  #wish = {};
  #closed = false;
  /** @type {unknown} */
  #peopleTimer = null;
  #toldWrongKey = false;

  /** The room's audio format; null before it has been joined. @type {AudioFormat | null} */
  format = null;
  /** When anything was last heard of the server, on the client's clock. */
  heardMs = -Infinity;
  /** Whether a server was asked to let this client join. */
  hasAsked = false;
  /**
   * Takes captured sound; null while there is no call, or its clock isn't known yet.
   * @type {Uplink | null}
   */
  uplink = null;
  /** Gives sound piece by piece; null while there is no call. @type {Playout | null} */
  playout = null;
  #output;

  /**
   * @param {object} options
   * @param {Codec | Promise<Codec>} options.codec  waited for in join()
   * @param {Clock} [options.clock]
   * @param {Scope} [options.scope] WebTransport, WebSocket, fetch: those of the global object by
   *   default
   * @param {Partial<ClientEvents>} [options.on]
   * @param {Readonly<Output>} [options.output] read for the statistics, and to know whether there
   *   is too little time
   * @param {() => Promise<Primitives>} [options.primitives] for end-to-end encryption, asked where
   *   a call has a key
   */
  constructor({ codec, clock = systemClock, scope = {}, on = {}, output = NO_OUTPUT, primitives }) {
    this.#codec = codec;
    this.#primitives = primitives;
    this.#clock = clock;
    this.#output = output;
    this.#scope = scope;
    this.#on = on;
  }

  /**
   * Connects, joins, and begins to measure the server's clock, by which sound is sent. Once only.
   * @param {JoinOptions} options
   * @returns {Promise<Joined>} rejects with a ConnectionError; the client is closed then
   */
  async join(options) {
    const {
      room,
      name,
      transport = 'auto',
      mirror,
      frameMs,
      channels,
      token,
      password,
      listen,
      stage,
      nearness,
      mode,
    } = options;
    const e2e = options.e2eKey === undefined ? undefined : true;
    this.#wish = { ...options };
    this.#room.token = options.resume;
    try {
      const { connection, took, tried } = await this.#connect(options, {
        transport,
        message: joinMessage(
          {
            room,
            name,
            mirror,
            frameMs,
            channels,
            token,
            password,
            listen,
            stage,
            nearness,
            mode,
            e2e,
          },
          () => this.#room.token,
        ),
        asks: () => (this.hasAsked = !this.#closed),
        handler: {
          onPacket: this.#receive,
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

  /**
   * Connects to the server, or to the node of its cluster that has the room.
   * @param {JoinOptions} options
   * @param {Omit<ConnectOptions, 'origin' | 'config'>} connecting
   */
  async #connect({ origin, nodes = [origin], mirror, room, config }, connecting) {
    const { fetch } = this.#scope;
    let place = config
      ? { origin, config }
      : await locate(nodes, mirror ? undefined : room, { fetch, clock: this.#clock });
    for (let hops = 0; ; hops++) {
      try {
        this.#room.origin = place.origin;
        return await connect({ ...connecting, ...place });
      } catch (error) {
        if (!(error instanceof MovedError) || error.node === null || hops >= MAX_HOPS) throw error;
        place = { origin: error.node.url, config: configOf(error.node) };
      }
    }
  }

  /**
   * @param {Connection} connection one that has joined: packets must pass both ways before it is
   *   taken
   */
  async #measureClock(connection) {
    this.format = this.#room.readFormat();
    this.#early = null;
    if (!this.#closed) {
      this.#clockExchange?.close();
      const sync = new ClockSync(this.format.sampleRate);
      this.#clockSync = sync;
      this.#clockExchange = new ClockExchange({
        clock: this.#clock,
        sync,
        send: (bytes) => connection.send(bytes),
      });
      this.#clockExchange.onKnown = () => this.#speak();
      const known = this.#clockExchange.start();
      await Promise.race([this.#clockExchange.answered, known]).catch(
        (error) => this.#closed || Promise.reject(error),
      );
    }
    // A refusal keeps other transports from being tried, since nobody wants to join any more.
    if (this.#closed)
      throw new ConnectionError('connection-lost', 'The call was left before it was joined.', true);
  }

  /** @param {Connection} connection */
  async #openAudio(connection) {
    const codec = await loaded(this.#codec, this.#clock);
    const clock = this.#clock;
    const room = this.#room;
    const format = /** @type {AudioFormat} */ (this.format);
    const sync = /** @type {ClockSync} */ (this.#clockSync);
    const sealing = await this.#openSealing(connection);
    const [wish, output] = [this.#wish, this.#output];
    const audio = new ClientAudio({
      format,
      codec,
      clock,
      clockSync: sync,
      room,
      wish,
      connection,
      output,
      sealing,
    });
    this.#audio = audio;
    this.playout = audio.playout;
    this.playout.stride = room.stride;
    this.#playEarly();
    const call = { audio, connection, sync, room, traffic: this.#traffic, output: this.#output };
    this.#statistics = new CallStatistics(call, clock);
    if (this.#closed || connection.closed) {
      connection.close();
      this.#releaseAudio();
      throw new ConnectionError('connection-lost', 'The connection ended before it was of use.');
    }
  }

  /** @param {Connection} connection */
  async #openSealing(connection) {
    const { e2eKey } = this.#wish;
    const { e2e = false, you } = this.#room.welcome;
    const key = e2eKey === undefined ? null : readRoomKey(e2eKey);
    // Whatever a server says, nothing goes out as it is where one has a key.
    if (e2e !== (e2eKey !== undefined) || (e2e && (key === null || !this.#primitives))) {
      connection.close();
      throw new ConnectionError(
        key === null ? 'e2e-only' : 'e2e-not-here',
        'The room and the link do not agree about end-to-end encryption.',
        true,
      );
    }
    if (key !== null && this.#primitives)
      this.#sealing = new Sealing(await this.#primitives(), key, String(you));
    return this.#sealing;
  }

  /** Tells once where others have another key. */
  #checkKey() {
    if (!this.#sealing?.isWrong || this.#toldWrongKey) return;
    this.#toldWrongKey = true;
    this.#on.notice?.('e2e-key');
  }

  /** @returns {Joined} */
  #start() {
    const joined = this.#room.joined(this.#connection?.leaveUrl ?? '');
    // A place that was taken up again may have been muted, or not.
    const { muted = false, resume } = this.#wish;
    if (muted || resume !== undefined) this.#connection?.sendControl({ type: 'mute', muted });
    if (this.#audio?.nearness !== 'conversation') this.#tellNearness(true);
    this.#on.joined?.(joined);
    this.#on.people?.(this.#room.roster.list());
    this.#speak();
    this.#askForPeople();
    this.#statistics?.start((stats) => {
      this.#checkKey();
      this.#on.stats?.(stats);
    });
    return joined;
  }

  /**
   * Begins to send, once there is sound and the clock is known well enough. What is heard needs no
   * clock, and is played before.
   */
  #speak() {
    if (!this.#audio || !this.#clockExchange?.isKnown) return;
    const {
      isLight,
      welcome: { idleTimeoutMs },
    } = this.#room;
    this.#clockExchange.listens(isLight ? { heardMs: () => this.heardMs, idleTimeoutMs } : null);
    const uplink = isLight ? null : this.#audio.uplink;
    if (uplink === this.uplink) return;
    this.uplink = uplink;
    if (uplink) this.#audio.start();
    else this.#audio.stop();
  }

  /** Asks for the rest of a long list of people, part by part. */
  #askForPeople() {
    const after = this.#room.roster.next;
    if (after === null) return;
    this.#room.roster.next = null;
    this.#peopleTimer = this.#clock.setTimeout(
      () => this.sendControl({ type: 'people', after }),
      PEOPLE_MS,
    );
  }

  #receive = (/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) => {
    const packet = this.#packet;
    this.heardMs = arrivalMs;
    this.#traffic.down += bytes.length;
    if (readPacket(bytes, packet) !== null) this.#traffic.dropped += 1;
    // What the server has mixed nobody has sealed.
    else if (
      (packet.type === PacketType.audio && this.#wish.e2eKey === undefined) ||
      packet.type === PacketType.bundle ||
      packet.type === PacketType.voice
    ) {
      if (this.playout) this.playout.receive(packet, bytes, arrivalMs);
      else this.#early = { bytes: bytes.slice(), arrivalMs };
      this.#speakers.receive(packet, arrivalMs);
      this.#on.sound?.();
    } else if (packet.type === PacketType.clockReply)
      this.#clockExchange?.reply(packet.id, packet.clock, arrivalMs);
  };

  /**
   * Gives the playout what has just come, so that sound begins without waiting for the next packet.
   */
  #playEarly() {
    const early = this.#early;
    if (
      early === null ||
      this.#clock.now() - early.arrivalMs > EARLY_MS ||
      readPacket(early.bytes, this.#packet) !== null
    )
      return;
    this.playout?.receive(this.#packet, early.bytes, early.arrivalMs);
  }

  /** With this token another client takes up the place in the room. */
  get resume() {
    return this.#room.token ?? '';
  }

  /**
   * The origins of the cluster's nodes, this call's own last; none without a cluster.
   * @returns {string[]}
   */
  get nodes() {
    const { nodes, origin } = this.#room;
    return nodes.length === 0 ? [] : [...nodes.filter((node) => node !== origin), origin];
  }

  /** @param {unknown} message */
  #control(message) {
    this.heardMs = this.#clock.now();
    if (this.#closed || typeof message !== 'object' || message === null) return;
    const known = /** @type {Record<string, any>} */ (message);
    const peopleChanged = this.#room.update(known);
    if (this.#access.update(known)) this.#on.access?.(this.#access.state);
    if (known.type === 'moderated' && known.muted === true) this.#silenced();
    if (known.type === 'stride' || known.type === 'moderated') this.#recast();
    // Whoever only listens from now on is as near as they wished before they spoke.
    if (known.type === 'moderated' && this.#wish.nearness) this.#tellNearness(false);
    if (known.type === 'people') this.#askForPeople();
    if (known.type === 'stats') this.uplink?.report(known.lostPercent5s, known.roundTripMs);
    if (!CONSUMED.has(known.type)) this.#on.control?.(known);
    if (peopleChanged && this.#audio) this.#on.people?.(this.#room.roster.list());
  }

  /**
   * This participant may have become one of the audience, or one who may speak, or be sent other
   * packets than before.
   */
  #recast() {
    if (!this.playout || !this.#audio) return;
    this.playout.stride = this.#room.stride;
    this.#audio.followNearness();
    this.suppressSilence(this.#wish.silenceSuppression ?? true);
    this.#speak();
  }

  /** @param {boolean} fill  whether the server is to send what it sent to others lately */
  #tellNearness(fill) {
    this.#connection?.sendControl({ type: 'nearness', nearness: this.#audio?.nearness, fill });
  }

  /** A moderator has muted this participant, or made them a listener. */
  #silenced() {
    this.#wish.muted = true;
    this.#audio?.uplink.mute(true);
  }

  /**
   * @param {string} code
   * @param {string} reason
   */
  #ended(code, reason) {
    const wasJoined = this.#audio !== null && !this.#closed;
    const end = this.#room.closing ?? {
      code: code === 'closed' ? 'connection-lost' : code,
      message: reason,
    };
    if (this.#connection === null) {
      // While it is being tried out: the next transport may do better.
      return void this.#clockExchange?.close();
    }
    this.close();
    if (wasJoined) this.#on.ended?.({ code: end.code, message: sentenceOf(end) });
  }

  /**
   * Takes captured sound: any number of samples, in order, when they are captured.
   * @param {Float32Array} samples at the format's rate, interleaved where it is stereo
   * @param {number} [count] of them, those of both channels at once
   */
  capture(samples, count = samples.length / (this.format?.channels ?? 1)) {
    this.uplink?.capture(samples, count, this.#clock.now());
  }

  /**
   * Fills any number of samples with sound, when the speaker needs them.
   * @param {Float32Array} out at the format's rate, interleaved where it is stereo
   */
  render(out) {
    if (this.#audio) this.#audio.render(out);
    else out.fill(0);
  }

  /** @param {boolean} muted whether this participant isn't heard */
  mute(muted) {
    this.#wish.muted = muted;
    this.#audio?.uplink.mute(muted);
    if (this.#audio) this.#connection?.sendControl({ type: 'mute', muted });
  }

  /** @param {object} message a control message, once the room is joined */
  sendControl(message) {
    if (!this.#audio) return;
    const { type, person, gain, pan = 0 } = /** @type {Record<string, any>} */ (message);
    // Where voices come one by one, volumes are the client's own.
    if (type === 'volume') this.#audio.gains.set(numberOf(person), gain, pan);
    this.#connection?.sendControl(message);
  }

  /**
   * @param {boolean} suppresses whether silence is left out, where the server allows it; false for
   *   music
   */
  suppressSilence(suppresses) {
    this.#wish.silenceSuppression = suppresses;
    this.#audio?.suppressSilence(suppresses);
  }

  /** @param {Nearness} nearness  to whoever speaks, while one only listens */
  setNearness(nearness) {
    this.#wish.nearness = nearness;
    this.#audio?.followNearness();
    if (this.#audio) this.#tellNearness(false);
  }

  /** @returns {ClientStats | null} null when there is no call */
  stats() {
    return this.#statistics?.read() ?? null;
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
    this.#clock.clearTimeout(this.#peopleTimer);
    this.#clockExchange?.close();
    this.#connection?.close();
    this.#releaseAudio();
  }

  #releaseAudio() {
    this.#statistics?.close();
    this.#statistics = null;
    this.#audio?.close();
    this.#audio = this.uplink = this.playout = null;
  }
}
