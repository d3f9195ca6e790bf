/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { ClientStats } from './call-stats.js'
 * @import { ClientOptions, Joined, LiveOptions, Output, RoomView, Transport } from './types.js'
 * @import { HeardSpeaker } from './heard-speakers.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 * @import { ServerMessage, ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 * @import { Scope, ServerConfig } from '../connection/choose.js'
 * @import { Connection, MessageReaders } from '../connection/connection.js'
 * @import { Playout } from '../playout/playout.js'
 * @import { Uplink } from '../capture/uplink.js'
 * @import { SealedCaptions } from './sealed-captions.js'
 */

import { ClockExchange, ClockSync } from '../clock/clock-sync.js';
import { Packet, PacketType, readPacket } from '../../shared/wire/packet.js';
import { CallAudio, loaded, numberOf } from './call-audio.js';
import { CallStatistics } from './call-stats.js';
import { connect, localNetworkPermission } from '../connection/choose.js';
import { readMessage, sentenceOf } from '../connection/connection.js';
import { ConnectionError } from '../../shared/errors.js';
import { readRoomKey } from '../../shared/links.js';
import { joinMessage, MovedError } from '../connection/join.js';
import { configOf, isAddress, locate } from '../connection/nodes.js';
import { CallState } from './call-state.js';
import { HeardSpeakers } from './heard-speakers.js';
import { Sealing } from './sealing.js';

/** Most redirections from node to node while joining. */
const MAX_HOPS = 3;

/** Interval between two requests for parts of the list of people, in milliseconds. */
const PEOPLE_MS = 200;

/**
 * Age of the oldest packet that playout starts with, in milliseconds: the longest gap between
 * packets with sound.
 */
const EARLY_MS = 60;

/**
 * @typedef {object} SessionParts  the same for all sessions of a call
 * @property {Codec | Promise<Codec>} codec
 * @property {Clock} clock
 * @property {Scope} scope
 * @property {Readonly<Output>} output
 * @property {(() => Promise<Primitives>) | undefined} primitives
 * @property {((id: string, pcm: Float32Array) => void) | undefined} voice
 * @property {(() => number) | undefined} capturedTo  as FrameGrid has it
 *
 * @typedef {object} SessionEvents
 * @property {(message: ServerMessage) => void} message   has been applied to the state
 * @property {(changes: Partial<RoomView>) => void} changed
 * @property {(transport: Transport) => void} transport
 * @property {(joined: Joined) => void} joined
 * @property {() => void} sound  a packet of sound has come
 * @property {(speakers: HeardSpeaker[]) => void} speakers
 * @property {(stats: ClientStats) => void} stats  each second
 * @property {(code: string) => void} notice
 * @property {(end: { code: string, message: string }) => void} ended
 *   the server or the network has ended it, after `joined`; not called for leave()
 *
 * @typedef {{ origin: string, nodes?: string[], config?: ServerConfig }} Address
 *   of the server; nodes: origins of a cluster's nodes, asked in this order
 */

/**
 * One place in a room over one connection, with its clock, its sound and the state of the room. A
 * call that reconnects, or moves to another node, has another session.
 */
export class CallSession {
  #parts;
  #options;
  #on;
  /** Null without end-to-end encryption. @type {Sealing | null} */
  #sealing = null;
  /** Likewise. @type {SealedCaptions | null} */
  #sealedCaptions = null;
  #packet = new Packet();
  /** @type {CallStatistics | null} */
  #statistics = null;
  /**
   * The newest packet of sound that came before the playout was there.
   * @type {{ bytes: Uint8Array, arrivalMs: number } | null}
   */
  #early = null;
  #traffic = { down: 0, dropped: 0 };
  #speakers = new HeardSpeakers(
    (speakers) => this.#on.speakers(speakers),
    (number) => this.state.roster.idOf(number),
    () => this.#audio?.processorTime.isShort ?? false,
  );
  /** Transport in use, or the one being tried. @type {ClockExchange | null} */
  #clockExchange = null;
  /** @type {ClockSync | null} */
  #clockSync = null;
  /** @type {Connection | null} */
  #connection = null;
  /** @type {CallAudio | null} */
  #audio = null;
  #closed = false;
  /** True when it was left for another session, which resumes the place. */
  #keepsPlace = false;
  /** @type {unknown} */
  #peopleTimer = null;
  #hasWrongKey = false;
  /**
   * Opens messages that are sealed in an encrypted room; null if the key doesn't open one.
   * @type {MessageReaders<ServerMessage | null>}
   */
  #openers = {
    caption: (message) => {
      const caption = this.#sealedCaptions?.open(message.caption) ?? null;
      return caption && { type: 'caption', caption };
    },
  };

  /** The room's state, from the server's messages. */
  state = new CallState();
  /** The room's audio format; null before it has been joined. @type {AudioFormat | null} */
  format = null;
  /** Arrival of the server's last packet or message, by the client's clock. */
  heardMs = -Infinity;
  /** True once this client has asked a server to join. */
  hasAsked = false;
  /**
   * Accepts captured sound; null without a call, or until its clock is known.
   * @type {Uplink | null}
   */
  uplink = null;
  /** Source of sound, piece by piece; null without a call. @type {Playout | null} */
  playout = null;

  /**
   * @param {SessionParts} parts
   * @param {ClientOptions} options read again after follow()
   * @param {SessionEvents} on
   */
  constructor(parts, options, on) {
    this.#parts = parts;
    this.#options = options;
    this.#on = on;
    this.state.on('moderated', (message) => this.#moderated(message));
    this.state.on('stride', () => this.#recast());
    this.state.on('people', () => this.#askForPeople());
    this.state.on('stats', ({ lostPercent5s, roundTripMs }) =>
      this.uplink?.report(lostPercent5s ?? null, roundTripMs),
    );
  }

  /**
   * Connects, joins, and begins to measure the server's clock, which sending needs. Call it once.
   * @param {Address} address
   * @param {string | undefined} resume token of the place to resume
   * @returns {Promise<Joined>} rejects with a ConnectionError; the session is closed then
   */
  async join(address, resume) {
    this.state.token = resume;
    try {
      const { connection, took, tried } = await this.#connect(address);
      this.#connection = connection;
      await this.#openAudio(connection);
      this.#on.transport({ took, tried });
    } catch (error) {
      this.close();
      throw error;
    }
    return this.#start(resume !== undefined);
  }

  /** @param {Address} address of the server, or of nodes that know the room's node */
  async #connect({ origin, nodes = [origin], config }) {
    const { clock, scope } = this.#parts;
    const { join, transport = 'auto' } = this.#options;
    let place = config
      ? { origin, config }
      : await locate(nodes, join.mirror ? undefined : join.room, { fetch: scope.fetch, clock });
    for (let hops = 0; ; hops++) {
      try {
        this.state.origin = place.origin;
        void this.#explainPrompt(place.origin);
        return await connect({
          ...place,
          transport,
          message: joinMessage(this.#options, () => this.state.token),
          asks: () => (this.hasAsked = !this.#closed),
          handler: {
            onPacket: this.#receive,
            onControl: (message) => this.#control(message),
            onClosed: (code, reason) => this.#ended(code, reason),
          },
          prove: (candidate) => this.#measureClock(candidate),
          clock,
          scope,
        });
      } catch (error) {
        if (!(error instanceof MovedError) || !isAddress(error.node) || hops >= MAX_HOPS)
          throw await explained(error, place.origin);
        place = { origin: error.node.url, config: configOf(error.node) };
      }
    }
  }

  /** Explains the browser's question about the local network, if it asks. @param {string} origin */
  async #explainPrompt(origin) {
    const asks = (await localNetworkPermission(origin)) === 'prompt';
    if (asks && this.#connection === null) this.#on.notice('local-network');
  }

  /** @param {Connection} connection a joined one: packets must pass both ways before it is used */
  async #measureClock(connection) {
    this.format = this.state.readFormat();
    this.#early = null;
    if (!this.#closed) {
      this.#clockExchange?.close();
      const sync = new ClockSync(this.format.sampleRate);
      this.#clockSync = sync;
      this.#clockExchange = new ClockExchange({
        clock: this.#parts.clock,
        sync,
        send: (bytes) => connection.send(bytes),
      });
      this.#clockExchange.onKnown = () => this.#speak();
      const known = this.#clockExchange.start();
      await Promise.race([this.#clockExchange.answered, known]).catch(
        (error) => this.#closed || Promise.reject(error),
      );
    }
    if (!this.#closed) return;
    connection.close(!this.#keepsPlace);
    // After a refusal no other transport is tried: the join was cancelled.
    throw new ConnectionError('connection-lost', 'The call was left before it was joined.', true);
  }

  /** @param {Connection} connection */
  async #openAudio(connection) {
    const { clock, output } = this.#parts;
    const codec = await loaded(this.#parts.codec, 'codec', clock);
    const { state } = this;
    const sync = /** @type {ClockSync} */ (this.#clockSync);
    const sealing = await this.#openSealing(connection);
    const audio = new CallAudio({
      format: /** @type {AudioFormat} */ (this.format),
      codec,
      clock,
      clockSync: sync,
      room: state,
      callOptions: this.#options,
      connection,
      output,
      sealing,
      heard: this.#parts.voice && ((number, pcm) => this.#heard(number, pcm)),
      capturedTo: this.#parts.capturedTo,
    });
    this.#audio = audio;
    this.playout = audio.playout;
    this.playout.stride = state.stride;
    this.#playEarly();
    const call = {
      audio,
      connection,
      sync,
      room: state,
      traffic: this.#traffic,
      output,
      options: this.#options,
    };
    this.#statistics = new CallStatistics(call, clock);
    if (this.#closed || connection.closed) {
      connection.close(!this.#keepsPlace);
      this.#releaseAudio();
      throw new ConnectionError('connection-lost', 'The connection ended before it was of use.');
    }
  }

  /** @param {Connection} connection */
  async #openSealing(connection) {
    const { e2eKey } = this.#options;
    const { primitives, clock } = this.#parts;
    const { e2e = false, you } = this.state.welcome;
    const key = e2eKey === undefined ? null : readRoomKey(e2eKey);
    // With a key nothing is ever sent in clear, whatever the server says.
    if (e2e !== (e2eKey !== undefined) || (e2e && (key === null || !primitives))) {
      connection.close();
      throw new ConnectionError(
        key === null ? 'e2e-only' : 'e2e-not-here',
        'The room and the link do not agree about end-to-end encryption.',
        true,
      );
    }
    if (key !== null && primitives) {
      const ready = await loaded(primitives(), 'encryption', clock);
      this.#sealing = new Sealing(ready, key, String(you));
      // Captions can wait for it; until then none goes either way.
      import('./sealed-captions.js').then(
        ({ SealedCaptions }) => {
          this.#sealedCaptions = new SealedCaptions(ready, key, String(you));
        },
        (error) => console.warn('captions stay off:', error),
      );
    }
    return this.#sealing;
  }

  /**
   * @param {number} number  a speaker's
   * @param {Float32Array} pcm
   */
  #heard(number, pcm) {
    const id = this.state.roster.idOf(number);
    if (id !== undefined) this.#parts.voice?.(id, pcm);
  }

  /** Notifies once when others have another key. */
  #checkKey() {
    if (!this.#sealing?.isWrong || this.#hasWrongKey) return;
    this.#hasWrongKey = true;
    this.#on.notice('e2e-key');
  }

  /**
   * @param {boolean} isBack true when the place was resumed
   * @returns {Joined}
   */
  #start(isBack) {
    const joined = this.state.joined(this.#connection?.leaveUrl ?? '');
    const { muted = false } = this.#options;
    // The place may have been muted.
    if (muted || isBack) this.#connection?.sendControl({ type: 'mute', muted });
    if (this.#audio?.nearness !== 'conversation') this.#sendNearness(true);
    this.#on.joined(joined);
    this.#speak();
    this.#askForPeople();
    this.#statistics?.start((stats) => {
      this.#checkKey();
      this.#on.stats(stats);
    });
    return joined;
  }

  /**
   * Begins to send once there is sound and the clock is known well enough. Playing needs no clock,
   * and begins before.
   */
  #speak() {
    if (!this.#audio || !this.#clockExchange?.isKnown) return;
    const { isLight, welcome } = this.state;
    const { idleTimeoutMs } = welcome;
    this.#clockExchange.listens(isLight ? { heardMs: () => this.heardMs, idleTimeoutMs } : null);
    const uplink = isLight ? null : this.#audio.uplink;
    if (uplink === this.uplink) return;
    this.uplink = uplink;
    if (uplink) this.#audio.start();
    else this.#audio.stop();
  }

  /** Requests the rest of a long list of people, part by part. */
  #askForPeople() {
    const after = this.state.roster.next;
    if (after === null || !this.#audio) return;
    this.state.roster.next = null;
    this.#peopleTimer = this.#parts.clock.setTimeout(
      () => this.sendControl({ type: 'people', after }),
      PEOPLE_MS,
    );
  }

  #receive = (/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) => {
    const packet = this.#packet;
    this.heardMs = arrivalMs;
    this.#traffic.down += bytes.length;
    if (readPacket(bytes, packet) !== null) this.#traffic.dropped += 1;
    // The server's own mix can't be sealed.
    else if (
      (packet.type === PacketType.audio && this.#options.e2eKey === undefined) ||
      packet.type === PacketType.bundle ||
      packet.type === PacketType.voice
    ) {
      if (this.playout) this.playout.receive(packet, bytes, arrivalMs);
      else this.#early = { bytes: bytes.slice(), arrivalMs };
      this.#speakers.receive(packet, arrivalMs);
      this.#on.sound();
    } else if (packet.type === PacketType.clockReply)
      this.#clockExchange?.reply(packet.id, packet.clock, arrivalMs);
  };

  /**
   * Gives the playout the newest packet, so that sound begins with it and not with the next one.
   */
  #playEarly() {
    const early = this.#early;
    if (
      early === null ||
      this.#parts.clock.now() - early.arrivalMs > EARLY_MS ||
      readPacket(early.bytes, this.#packet) !== null
    )
      return;
    this.playout?.receive(this.#packet, early.bytes, early.arrivalMs);
  }

  /** @param {unknown} message */
  #control(message) {
    this.heardMs = this.#parts.clock.now();
    if (this.#closed || typeof message !== 'object' || message === null) return;
    const known = this.#opened(/** @type {ServerMessage} */ (message));
    if (known === null) return;
    const changes = this.state.apply(known);
    this.#on.message(known);
    if (Object.keys(changes).length > 0) this.#on.changed(changes);
  }

  /**
   * @param {ServerMessage} message
   * @returns {ServerMessage | null} null for a caption that the key doesn't open
   */
  #opened(message) {
    if (this.#options.e2eKey === undefined) return message;
    const opened = readMessage(message, this.#openers);
    return opened === undefined ? message : opened;
  }

  /** @param {ServerMessages['moderated']} message an act of a moderator on this participant */
  #moderated(message) {
    if ('muted' in message && message.muted === true) {
      this.#options.muted = true;
      this.#audio?.uplink.mute(true);
    }
    this.#recast();
    // Someone who becomes a listener again gets their earlier nearness.
    if (this.#options.join.nearness) this.#sendNearness(false);
  }

  /** The role, or the kind of packets that the server sends, may have changed. */
  #recast() {
    if (!this.playout || !this.#audio) return;
    this.playout.stride = this.state.stride;
    this.#audio.followNearness();
    this.#audio.suppressSilence();
    this.#speak();
  }

  /** @param {boolean} fill true requests the recent sound that the server sent to others */
  #sendNearness(fill) {
    this.#connection?.sendControl({ type: 'nearness', nearness: this.#audio?.nearness, fill });
  }

  /**
   * @param {string} code
   * @param {string} reason
   */
  #ended(code, reason) {
    const wasJoined = this.#audio !== null && !this.#closed;
    const end = this.state.closing ?? {
      code: code === 'closed' ? 'connection-lost' : code,
      message: reason,
    };
    if (this.#connection === null) {
      // While a transport is being tried, the next one may work better.
      return void this.#clockExchange?.close();
    }
    this.close();
    if (wasJoined) this.#on.ended({ code: end.code, message: sentenceOf(end) });
  }

  /** @param {Float32Array} out  filled with sound, at the format's rate */
  render(out) {
    if (this.#audio) this.#audio.render(out);
    else out.fill(0);
  }

  /** Applies changed options. @param {LiveOptions} changes */
  follow(changes) {
    const audio = this.#audio;
    if (audio === null) return;
    if (changes.muted !== undefined) {
      audio.uplink.mute(changes.muted);
      this.#connection?.sendControl({ type: 'mute', muted: changes.muted });
    }
    if (changes.silenceSuppression !== undefined) audio.suppressSilence();
    if (changes.nearness !== undefined) {
      audio.followNearness();
      this.#sendNearness(false);
    }
  }

  /** @param {ClientMessage} message  once the room is joined */
  sendControl(message) {
    if (!this.#audio) return;
    // When voices come separately, the client applies its own volumes.
    if (message.type === 'volume')
      this.#audio.gains.set(numberOf(message.person), message.gain, message.pan ?? 0);
    const isSealed = message.type === 'caption' && this.#options.e2eKey !== undefined;
    const sent = isSealed ? this.#sealedCaptions?.seal(message) : message;
    if (sent) this.#connection?.sendControl(sent);
  }

  /** @returns {ClientStats | null} null when there is no call */
  stats() {
    return this.#statistics?.read() ?? null;
  }

  /**
   * Leaves the room. Idempotent.
   * @param {boolean} [keepsPlace] true keeps the place for a while, for another session
   */
  leave(keepsPlace = false) {
    const connection = this.#connection;
    this.#keepsPlace = keepsPlace;
    if (keepsPlace) connection?.close(false);
    else if (connection && !this.#closed) {
      connection.handler = null;
      connection.sendControl({ type: 'leave' });
    }
    this.close();
  }

  /** Ends everything without a message. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts.clock.clearTimeout(this.#peopleTimer);
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

/**
 * Explains a failure that the browser has caused: it lets no page from elsewhere connect to the
 * local network without a person's permission.
 * @param {unknown} error
 * @param {string} origin  of the server
 */
async function explained(error, origin) {
  const isRefusal = error instanceof ConnectionError && error.refused;
  if (isRefusal || (await localNetworkPermission(origin)) !== 'denied') return error;
  const message = 'The browser does not let this page connect to the local network.';
  return new ConnectionError('local-network-refused', message);
}
