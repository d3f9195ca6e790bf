/**
 * The client for programs, the package's export `aloud/client`: the page's client, with streams
 * of samples in place of microphone and output device. docs/programs.md shows it.
 *
 * @import { AudioFormat } from '../public/shared/sound/audio-format.js'
 * @import { Access, CallView } from '../public/client/call/types.js'
 * @import { MessageReaders } from '../public/client/connection/connection.js'
 * @import { ClientMessage } from '../public/shared/messages/client-messages.js'
 * @import { ServerMessage } from '../public/shared/messages/server-messages.js'
 * @import { Call, Caption, JoinOptions, SoundFormat, SoundWriter } from './types.js'
 */

import { EventEmitter } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { probeLibrary } from '@aloud/native';
import { isAllowed } from '../public/client/call/call-view.js';
import { CallClient } from '../public/client/call/call-client.js';
import { readMessage } from '../public/client/connection/connection.js';
import { loadCodec } from '../server/codec/codec.js';
import { openScope, primitives } from './scope.js';
import { readLink } from '../public/shared/links.js';
import { SoundCard } from './sound-card.js';
import { convert } from './sound/convert.js';
import { FormatAdapter } from './sound/format-adapter.js';
import { openSound } from './sound/open-sound.js';
import { kindOf, openOut, writerOf } from './sound/writers.js';
import { SpeechQueue } from './sound/speech-queue.js';

/** Period of the timer that replaces a sound card, in milliseconds. */
const PERIOD_MS = 10;

/**
 * Silence before speech, in milliseconds, and after it. The client needs 100 ms to place its sound
 * on the clock, and sends a frame once it is whole.
 */
const WARM_MS = 200;
const REST_MS = 150;

/** Most received sound that waits to be read, in seconds. */
const MAX_UNREAD_SECONDS = 5;

/** @type {(options: JoinOptions) => Promise<Call>} */
export async function join(options) {
  // An addon that ends the process which loads it must not end a program.
  await probeLibrary();
  const call = new NodeCall(options);
  await call.begin();
  return call;
}

/**
 * @type {(file: string, format: SoundFormat & { gain?: number }) => AsyncGenerator<Float32Array,
 *   void>}
 */
export async function* readSound(file, { sampleRate, channels, gain }) {
  const sound = await openSound(file);
  try {
    yield* convert(sound, { sampleRate, channels, gain });
  } finally {
    await sound.close();
  }
}

/** @type {(file: string, format: SoundFormat) => Promise<SoundWriter>} */
export async function writeSound(file, { sampleRate, channels }) {
  const kind = kindOf(file);
  if (kind === null) throw new TypeError(`${file} does not end in .wav, .opus, .ogg or .raw`);
  const out = openOut(file);
  const writer = await writerOf(kind, out, { sampleRate, channels }, '');
  return {
    write: writer.write,
    end() {
      writer.end();
      out.close();
    },
  };
}

/**
 * Returns the reason why a call may not speak now, or null if it may.
 * @param {Access} access
 * @returns {Error & { code: string } | null}
 */
function refusalOf(access) {
  if (access.waiting || isAllowed(access, 'speak')) return null;
  const message = access.rules.broadcast
    ? "Only people on the stage speak in this broadcast. Join with the stage's link, or ask a " +
      'moderator to be let on.'
    : 'This call may only listen. Join with an invitation to speak, or ask a moderator.';
  return Object.assign(new Error(message), { code: 'not-allowed' });
}

/**
 * Its events are those of CallEvents: Node.js' own types allow further ones, which Call doesn't.
 *
 * @extends {EventEmitter}
 * @implements {Call}
 */
class NodeCall extends EventEmitter {
  #options;
  #link;
  #transports;
  #client;
  #card;
  #speech = new SpeechQueue();
  /** Silence before speech that is left, in milliseconds. */
  #warmingMs = 0;
  /** The program's, which the room had at first. @type {AudioFormat | null} */
  #format = null;
  /** The room's now. @type {AudioFormat | null} */
  #roomFormat = null;
  /** Converts between the two, where they differ. @type {FormatAdapter | null} */
  #adapter = null;
  #hasJoined = false;
  #isOver = false;
  /** @type {ReadableStream<Float32Array> | null} */
  #heard = null;
  /** @type {ReadableStreamDefaultController<Float32Array> | null} */
  #unread = null;
  /** @type {WritableStream<Float32Array> | null} */
  #voice = null;
  #missed = 0;
  /**
   * Messages with an event of their own; the store's change emits that of `captions`.
   * @type {MessageReaders<boolean>}
   */
  #events = {
    chat: ({ message }) => this.emit('chat', message),
    caption: ({ caption }) => this.emit('caption', caption),
    captions: () => true,
  };

  /** @param {JoinOptions} options */
  constructor(options) {
    super();
    this.#options = options;
    this.#link = readLink(options.url, options.room);
    this.#transports = openScope();
    this.#client = new CallClient({
      codec: loadCodec(),
      scope: this.#transports.scope,
      primitives,
      on: {
        message: (message) => this.#onMessage(message),
        ...(options.voices && { voice: (id, pcm) => this.#hearVoice(id, pcm) }),
      },
    });
    this.#client.store.observe((now, before) => this.#follow(now, before));
    const { listen = false, hear = true } = options;
    const capture = listen ? null : (/** @type {Float32Array} */ chunk) => this.#speak(chunk);
    const play = hear ? (/** @type {Float32Array} */ chunk) => this.#hear(chunk) : null;
    this.#card = new SoundCard({ client: this.#client, periodMs: PERIOD_MS, capture, play });
  }

  async begin() {
    const { name = 'Program', music = false, bitrate, transport } = this.#options;
    const { listen, nearness, channels, pcm, password, voices } = this.#options;
    const { token = this.#link.token, e2eKey = this.#link.e2eKey } = this.#options;
    const { origin, room, stage } = this.#link;
    try {
      const { format } = await this.#client.join({
        origin,
        join: { room, name, listen, nearness, channels, pcm, password, voices, token, stage },
        e2eKey,
        bitrate,
        transport,
        silenceSuppression: !music,
      });
      this.#format = this.#roomFormat = format;
      this.#speech.format = format;
      this.#warm();
      this.#hasJoined = true;
      this.#card.start(format);
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  get #view() {
    return this.#client.store.value;
  }

  get you() {
    return this.#view.you;
  }

  get room() {
    return this.#link.room;
  }

  get sampleRate() {
    return this.#format?.sampleRate ?? 0;
  }

  get channels() {
    return this.#format?.channels ?? 0;
  }

  get people() {
    return this.#view.people;
  }

  get audience() {
    return this.#view.listeners;
  }

  get state() {
    const { state } = this.#client;
    return state === 'joined' || state === 'ended' ? state : 'reconnecting';
  }

  get missedMs() {
    return (this.#missed * 1000) / (this.sampleRate * this.channels);
  }

  get heard() {
    const start = (/** @type {ReadableStreamDefaultController<Float32Array>} */ controller) => {
      if (this.#isOver) controller.close();
      else this.#unread = controller;
    };
    const cancel = () => void (this.#unread = this.#heard = null);
    const size = (/** @type {Float32Array} */ { length }) =>
      length / (this.sampleRate * this.channels);
    return (this.#heard ??= new ReadableStream(
      { start, cancel },
      { highWaterMark: MAX_UNREAD_SECONDS, size },
    ));
  }

  get voice() {
    // pipeTo() closes a stream at its end, and a refused piece breaks it: then another takes its
    // place.
    const ends = () => void (this.#voice = null);
    return (this.#voice ??= new WritableStream({
      write: (samples) =>
        this.say(samples).catch((error) => {
          ends();
          throw error;
        }),
      close: () => {
        ends();
        return this.said();
      },
      abort: () => {
        ends();
        this.hush();
      },
    }));
  }

  /** @param {Float32Array} samples */
  say(samples) {
    if (this.#options.listen)
      return Promise.reject(new TypeError('a call that joined to listen can not speak'));
    if (!(samples instanceof Float32Array))
      return Promise.reject(new TypeError('say() takes a Float32Array'));
    return this.#speech.add(samples);
  }

  async said() {
    await this.#speech.empty();
    if (!this.#isOver) await pass(REST_MS);
  }

  hush() {
    this.#speech.clear();
  }

  /** @param {boolean} muted */
  mute(muted) {
    this.#client.change({ muted });
  }

  /** @param {string} text */
  chat(text) {
    this.send({ type: 'chat', text });
  }

  get captionsWanted() {
    return this.#view.captions.on;
  }

  /** @param {{ want?: boolean, write?: boolean }} wish */
  captions({ want = false, write = false }) {
    this.send({ type: 'captions', want, write });
  }

  /** @param {string} text @param {Omit<Caption, 'text'>} caption */
  caption(text, caption) {
    this.send({ type: 'caption', text, ...caption });
  }

  /** @param {boolean} raised */
  raiseHand(raised) {
    this.send({ type: 'hand', raised });
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    this.#client.sendControl(/** @type {ClientMessage} */ (message));
  }

  async leave() {
    this.#client.leave();
    await this.#transports.close();
  }

  #warm() {
    this.#warmingMs = WARM_MS;
  }

  /** @param {AudioFormat} [format] the room's; another one if somebody else has opened it again */
  #followFormat(format) {
    if (!this.#hasJoined || !format) return;
    if (JSON.stringify(format) === JSON.stringify(this.#roomFormat)) return;
    this.#roomFormat = format;
    const { sampleRate, channels } = this;
    const isOwn = format.sampleRate === sampleRate && format.channels === channels;
    this.#adapter = isOwn ? null : new FormatAdapter({ sampleRate, channels }, format);
    this.#card.start(format);
  }

  /** @param {Float32Array} chunk filled */
  #speak(chunk) {
    if (this.#warmingMs <= 0) {
      if (this.#adapter) this.#adapter.say(chunk, (piece) => this.#speech.take(piece));
      else this.#speech.take(chunk);
      return;
    }
    chunk.fill(0);
    const { sampleRate, channels } = /** @type {AudioFormat} */ (this.#roomFormat);
    if (this.#client.speaks) this.#warmingMs -= (1000 * chunk.length) / (sampleRate * channels);
  }

  /** @param {Float32Array} chunk */
  #hear(chunk) {
    if (this.#unread === null) return;
    const heard = this.#adapter?.hear(chunk) ?? chunk.slice();
    if (heard.length === 0) return;
    if ((this.#unread.desiredSize ?? 0) > 0) this.#unread.enqueue(heard);
    else this.#missed += heard.length;
  }

  /** @param {string} id @param {Float32Array} pcm */
  #hearVoice(id, pcm) {
    this.emit('voice', id, this.#adapter?.voice(id, pcm) ?? pcm.slice());
  }

  /** @param {Readonly<CallView>} now */
  #tellPeople({ people, listeners }) {
    this.#adapter?.keep(people);
    this.emit('people', people, listeners);
  }

  /** @param {ServerMessage} message */
  #onMessage(message) {
    if (readMessage(message, this.#events) === undefined) this.emit('message', message);
  }

  /** @param {Readonly<CallView>} now @param {Readonly<CallView>} before */
  #follow(now, before) {
    if (now.joined !== before.joined) this.#followFormat(now.joined?.format);
    if (now.access !== before.access) this.#speech.refuse(refusalOf(now.access));
    if (now.people !== before.people || now.listeners !== before.listeners) this.#tellPeople(now);
    if (now.captions !== before.captions) this.emit('captions', now.captions);
    if (now.speakers !== before.speakers) this.emit('speakers', now.speakers);
    if (now.end) this.#end(now.end);
    else if (now.state !== before.state && this.#hasJoined) {
      this.#warm();
      this.emit(now.state === 'away' ? 'reconnecting' : 'reconnected');
    } else if (now.joined !== before.joined && now.state === 'joined' && this.#hasJoined) {
      // The room has moved to another node, and the call with it, without a break.
      this.emit('reconnected');
    }
  }

  /** @param {{ code: string, message: string }} end */
  #end(end) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#card.stop();
    this.#speech.close();
    this.#unread?.close();
    this.#unread = null;
    void this.#transports.close();
    if (this.#hasJoined) this.emit('closed', end);
  }
}
