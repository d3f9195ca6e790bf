/**
 * The client for programs, the package's export `aloud/client`: the client of the page, with
 * streams of samples in place of microphone and output device. docs/programs.md shows it.
 *
 * @import { AudioFormat } from '../public/shared/sound/audio-format.js'
 * @import { Access } from '../public/client/call/access-state.js'
 * @import { ReconnectingState } from '../public/client/call/reconnecting-client.js'
 * @import { Call, ChatMessage, JoinOptions, Person } from './types.js'
 */

import { EventEmitter } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { mayNow } from '../public/client/call/access-state.js';
import { ReconnectingClient } from '../public/client/call/reconnecting-client.js';
import { loadCodec } from '../server/codec/codec.js';
import { openScope, primitives } from './node-scope.js';
import { readLink } from './room-link.js';
import { SoundCard } from './sound-card.js';
import { SpeechQueue } from './speech-queue.js';

/** The period of the timer that stands for a sound card, in milliseconds. */
const PERIOD_MS = 10;

/**
 * The silence before what is said, in milliseconds, and after it: the client takes 100 ms to know
 * where on the clock its sound is, and a frame goes out once it is whole.
 */
const WARM_MS = 200;
const REST_MS = 150;

/** The most that waits to be read of what is heard, in seconds. */
const MAX_UNREAD_SECONDS = 5;

export { readSound, writeSound } from './sound-files.js';

/** @type {(options: JoinOptions) => Promise<Call>} */
export async function join(options) {
  const call = new NodeCall(options);
  await call.begin();
  return call;
}

/**
 * Returns the reason why a call may not speak now, or null if it may.
 * @param {Access} access
 * @returns {Error & { code: string } | null}
 */
function refusalOf(access) {
  if (access.waiting || mayNow(access, 'speak')) return null;
  const message = access.rules.broadcast
    ? "Only people on the stage speak in this broadcast. Join with the stage's link, or ask a " +
      'moderator to be let on.'
    : 'This call may only listen. Join with an invitation to speak, or ask a moderator.';
  return Object.assign(new Error(message), { code: 'not-allowed' });
}

/** @implements {Call} */
class NodeCall extends EventEmitter {
  #options;
  #link;
  #transports;
  #client;
  #card;
  #speech = new SpeechQueue();
  /** The samples of silence that go out before anything is said. */
  #warming = 0;
  /** @type {AudioFormat | null} */
  #format = null;
  /** @type {Person[]} */
  #people = [];
  #audience = 0;
  #isAway = false;
  #you = '';
  #hasJoined = false;
  #isOver = false;
  /** @type {ReadableStream<Float32Array> | null} */
  #heard = null;
  /** @type {ReadableStreamDefaultController<Float32Array> | null} */
  #unread = null;
  /** @type {WritableStream<Float32Array> | null} */
  #voice = null;
  #missed = 0;

  /** @param {JoinOptions} options */
  constructor(options) {
    super();
    this.#options = options;
    this.#link = readLink(options.url, options.room);
    this.#transports = openScope();
    const on = {
      joined: (/** @type {{ you: string }} */ { you }) => void (this.#you = you),
      access: (/** @type {Access} */ access) => this.#speech.refuse(refusalOf(access)),
      people: (/** @type {{ people: Person[], listeners: number }} */ { people, listeners }) =>
        this.#setPeople(people, listeners),
      speakers: (/** @type {any} */ speakers) => void this.emit('speakers', speakers),
      control: (/** @type {Record<string, any>} */ message) => this.#control(message),
      state: (/** @type {ReconnectingState} */ state) => this.#become(state),
    };
    this.#client = new ReconnectingClient({
      codec: loadCodec(),
      scope: this.#transports.scope,
      primitives,
      on,
    });
    const { listen = false, hear = true } = options;
    const capture = listen ? null : (/** @type {Float32Array} */ chunk) => this.#speak(chunk);
    const play = hear ? (/** @type {Float32Array} */ chunk) => this.#hear(chunk) : null;
    this.#card = new SoundCard({ client: this.#client, periodMs: PERIOD_MS, capture, play });
  }

  async begin() {
    const {
      name = 'Program',
      listen,
      nearness,
      music = false,
      channels,
      bitrate,
      transport,
      password,
    } = this.#options;
    const { token = this.#link.token, e2eKey = this.#link.e2eKey } = this.#options;
    const { origin, room, stage } = this.#link;
    const wish = {
      origin,
      room,
      name,
      listen,
      stage,
      nearness,
      channels,
      bitrate,
      transport,
      password,
      token,
      e2eKey,
      silenceSuppression: !music,
    };
    const given = Object.fromEntries(
      Object.entries(wish).filter(([, value]) => value !== undefined),
    );
    try {
      const { format } = await this.#client.join(/** @type {typeof wish} */ (given));
      this.#format = format;
      this.#speech.format = format;
      this.#warm();
      this.#hasJoined = true;
      this.#card.start(format);
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  get you() {
    return this.#you;
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
    return this.#people;
  }

  get audience() {
    return this.#audience;
  }

  get state() {
    const { state } = this.#client;
    return state === 'joining' ? 'reconnecting' : state;
  }

  get missedMs() {
    return (this.#missed * 1000) / (this.sampleRate * this.channels);
  }

  get heard() {
    const start = (/** @type {ReadableStreamDefaultController<Float32Array>} */ controller) => {
      if (this.#isOver) controller.close();
      else this.#unread = controller;
    };
    const cancel = () => void (this.#unread = null);
    const size = (/** @type {Float32Array} */ { length }) =>
      length / (this.sampleRate * this.channels);
    return (this.#heard ??= new ReadableStream(
      { start, cancel },
      { highWaterMark: MAX_UNREAD_SECONDS, size },
    ));
  }

  get voice() {
    return (this.#voice ??= new WritableStream({
      write: (samples) => this.say(samples),
      close: () => this.said(),
      abort: () => this.hush(),
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
    this.#client.mute(muted);
  }

  /** @param {string} text */
  chat(text) {
    this.send({ type: 'chat', text });
  }

  /** @param {boolean} raised */
  raiseHand(raised) {
    this.send({ type: 'hand', raised });
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    this.#client.sendControl(message);
  }

  async leave() {
    this.#client.leave();
    await this.#transports.close();
  }

  #warm() {
    this.#warming = (WARM_MS / 1000) * this.sampleRate * this.channels;
  }

  /** @param {Float32Array} chunk filled */
  #speak(chunk) {
    if (this.#warming <= 0) return this.#speech.take(chunk);
    chunk.fill(0);
    if (this.#client.speaks) this.#warming -= chunk.length;
  }

  /** @param {Float32Array} chunk */
  #hear(chunk) {
    if (this.#unread === null || chunk.length === 0) return;
    if ((this.#unread.desiredSize ?? 0) > 0) this.#unread.enqueue(chunk.slice());
    else this.#missed += chunk.length;
  }

  /** @param {Person[]} people @param {number} listeners */
  #setPeople(people, listeners) {
    this.#people = people;
    this.#audience = listeners;
    this.emit('people', people, listeners);
  }

  /** @param {Record<string, any>} message */
  #control(message) {
    if (message.type === 'chat') this.emit('chat', /** @type {ChatMessage} */ (message.message));
    else this.emit('message', message);
  }

  /** @param {ReconnectingState} state */
  #become({ state, code = '', message = '' }) {
    if (state === 'ended') return this.#end({ code, message });
    if (!this.#hasJoined) return;
    const isAway = state === 'reconnecting';
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    this.#warm();
    this.emit(isAway ? 'reconnecting' : 'reconnected');
  }

  /** @param {{ code: string, message: string }} end */
  #end(end) {
    this.#isOver = true;
    this.#card.stop();
    this.#speech.close();
    this.#unread?.close();
    this.#unread = null;
    void this.#transports.close();
    if (this.#hasJoined) this.emit('closed', end);
  }
}
