/**
 * @import { Call } from '../call.js'
 * @import { Access } from '../client/call/access-state.js'
 * @import { CallPerson, TransportWish } from '../client/call/types.js'
 * @import { Nearness } from '../shared/nearness.js'
 *
 * @typedef {object} ListeningEvents
 * @property {() => void} playing                        it is heard, for the first time or again
 * @property {(isLong: boolean) => void} reconnecting isLong: for so long that the place may be gone
 * @property {(code: string) => void} failed
 * @property {(onStage: string[], listeners: number) => void} people the names of those who may be
 *   heard
 * @property {(names: string[], isOther: boolean) => void} speakers the names of those who speak,
 *   the loudest first; isOther: there is sound, and no voice in it
 * @property {(access: Access) => void} access           the room's rules, and what one may do
 * @property {(kbps: number, transport: string, delayMs: number | null) => void} quality each second
 * @property {(code: string, holds: boolean) => void} notice
 * @property {(message: Record<string, any>) => void} control
 */

/** After so long without a connection the place in the room is gone, in milliseconds. */
const LONG_MS = 30_000;

/**
 * Messages of the server that are kept for a page of the call that takes over later, and the most
 * of each type. Of all but chat the last one says all.
 */
const KEPT = new Map([
  ['welcome', 1],
  ['chat', 200],
  ['metronome', 1],
  ['track', 1],
  ['recording', 1],
]);

/**
 * The level from which sound is more than the noise of a room, in -dBov, and the time that it goes
 * on without a voice before it is taken for another sound, in milliseconds: words have pauses.
 */
const SOUND_LEVEL = 50;
const OTHER_MS = 2000;

/** What is heard of a room by one who only listens: begins, pauses, goes on. */
export class Listening {
  #wish;
  #on;
  /** @type {Call | null} */
  #call = null;
  #resume = '';
  #level = 1;
  /** @type {{ output: AudioNode, gain: GainNode } | null} */
  #volume = null;
  /** @type {CallPerson[]} */
  #people = [];
  /** Since when there has been nothing but sound without a voice, in milliseconds. */
  #otherSinceMs = 0;
  #transport = '';
  #bytes = { down: 0, atMs: 0 };
  /** The last of each event that tells how things are, by type. @type {Map<string, any>} */
  #last = new Map();
  /** @type {Record<string, any>[]} */
  #messages = [];

  /**
   * @param {{ room: string, token?: string, e2eKey?: string, transport: TransportWish }} wish
   * @param {ListeningEvents} on
   */
  constructor(wish, on) {
    this.#wish = wish;
    this.#on = on;
  }

  /** @returns {Promise<typeof Call>} rejects where the network fails */
  static async load() {
    return (await import('../call.js')).Call;
  }

  /** Null while nothing is heard. */
  get call() {
    return this.#call;
  }

  /**
   * Begins, or goes on with one's place after a pause. Call it from a press.
   * @param {{ name: string, password?: string, nearness: Nearness }} entry
   * @returns {Promise<void>} rejects where a part of the page can't be loaded
   */
  async start(entry) {
    if (this.#call) return;
    const Loaded = await Listening.load();
    if (this.#call) return;
    const call = new Loaded({
      ...this.#wish,
      ...entry,
      listen: true,
      microphoneId: null,
      resume: this.#resume || undefined,
    });
    this.#call = call;
    this.#bytes = { down: 0, atMs: 0 };
    this.#last.clear();
    this.#follow(call);
    await call.join();
  }

  /** @param {Call} call */
  #follow(call) {
    /**
     * @template {keyof import('../client/call/types.js').CallEvents} T
     * @param {T} type
     * @param {(detail: import('../client/call/types.js').CallEvents[T]) => void} run
     */
    const on = (type, run) =>
      call.addEventListener(type, ({ detail }) => call === this.#call && run(detail));
    const last = (/** @type {string} */ type, /** @type {any} */ detail) =>
      this.#last.set(type, detail);
    this.#otherSinceMs = performance.now();
    on('state', ({ state, code = 'unknown', since = Date.now() }) =>
      this.#became(state, code, since),
    );
    on('people', (detail) => {
      last('people', detail);
      this.#people = detail.people.filter(({ id, away }) => id !== detail.you && !away);
      this.#on.people(
        this.#people.filter(({ role }) => role !== 'listener').map(nameOf),
        detail.listeners,
      );
    });
    on('speakers', (speakers) => {
      const voices = speakers
        .filter(({ voice }) => voice)
        .flatMap(({ id }) => this.#people.find((person) => person.id === id) ?? []);
      const nowMs = performance.now();
      if (voices.length > 0 || !speakers.some(({ level }) => level < SOUND_LEVEL))
        this.#otherSinceMs = nowMs;
      this.#on.speakers(voices.map(nameOf), nowMs - this.#otherSinceMs >= OTHER_MS);
    });
    on('access', (access) => {
      last('access', access);
      if (!access.waiting) this.#on.access(access);
    });
    on('transport', (detail) => {
      last('transport', detail);
      this.#transport = detail.took;
    });
    on('stats', (stats) =>
      this.#measure(stats.bytes.down, stats.clock.atMs, stats.behindMs ?? stats.delayMs),
    );
    on('notice', ({ code }) => this.#on.notice(code, true));
    on('settled', ({ code }) => this.#on.notice(code, false));
    on('control', (message) => {
      this.#keep(message);
      this.#on.control(message);
    });
  }

  /** @param {Record<string, any>} message */
  #keep(message) {
    const { type } = message;
    const most = KEPT.get(type);
    if (most === undefined) return;
    if (type === 'welcome') this.#messages = [];
    const earlier = this.#messages.filter((one) => one.type === type);
    if (earlier.length >= most) this.#messages.splice(this.#messages.indexOf(earlier[0]), 1);
    this.#messages.push(message);
  }

  /** @param {string} state @param {string} code @param {number} since */
  #became(state, code, since) {
    if (state === 'joined') {
      this.#applyVolume();
      this.#on.playing();
    } else if (state === 'reconnecting') this.#on.reconnecting(Date.now() - since > LONG_MS);
    else if (state === 'failed' || state === 'left') {
      this.#call = null;
      this.#resume = '';
      if (state === 'failed') this.#on.failed(code);
    }
  }

  /** @param {number} down @param {number} atMs @param {number | null} delayMs */
  #measure(down, atMs, delayMs) {
    const before = this.#bytes;
    this.#bytes = { down, atMs };
    // After a reconnect the bytes are counted anew.
    if (before.atMs > 0 && down >= before.down && atMs > before.atMs)
      this.#on.quality((8 * (down - before.down)) / (atMs - before.atMs), this.#transport, delayMs);
  }

  /** @param {number} level  0 to 1 */
  setVolume(level) {
    this.#level = level;
    this.#applyVolume();
  }

  /** @param {Nearness} nearness  to whoever speaks */
  setNearness(nearness) {
    this.#call?.setNearness(nearness);
  }

  #applyVolume() {
    const output = this.#call?.output ?? null;
    if (output === null) return;
    if (this.#volume?.output !== output) {
      const gain = new GainNode(output.context);
      output.disconnect();
      output.connect(gain).connect(output.context.destination);
      this.#volume = { output, gain };
    }
    this.#volume.gain.gain.value = this.#level;
  }

  /**
   * @param {object} message to the server
   * @returns {boolean} false while there is no connection
   */
  send(message) {
    return this.#call?.sendControl(message) ?? false;
  }

  /** Leaves for now: the place is kept for a while. */
  async pause() {
    const call = this.#call;
    this.#call = null;
    // A call that hasn't joined yet has no place of its own: the one before is still kept.
    this.#resume = call?.resume || this.#resume;
    await call?.rest();
  }

  /** Leaves. Idempotent. */
  async stop() {
    const call = this.#call;
    this.#call = null;
    this.#resume = '';
    await call?.leave();
  }

  /**
   * Gives the call to a page that goes on with it, with what that has to know.
   * @returns {{ call: Call, past: [string, any][] } | null}
   */
  handOver() {
    const call = this.#call;
    if (call === null) return null;
    const past = /** @type {[string, any][]} */ ([]);
    for (const type of ['transport', 'people'])
      if (this.#last.has(type)) past.push([type, this.#last.get(type)]);
    for (const message of this.#messages) past.push(['control', message]);
    if (this.#last.has('access')) past.push(['access', this.#last.get('access')]);
    this.#setLoud();
    this.#call = null;
    return { call, past };
  }

  /** The call's page has no volume of its own. */
  #setLoud() {
    this.#level = 1;
    this.#applyVolume();
  }
}

/** @param {CallPerson} person */
const nameOf = ({ label, name }) => label ?? name;
