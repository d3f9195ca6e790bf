/**
 * @import { Call } from '../call.js'
 * @import { CallView, TransportChoice } from '../client/call/types.js'
 * @import { ClientMessage } from '../shared/messages/client-messages.js'
 * @import { ServerMessages } from '../shared/messages/server-messages.js'
 * @import { Nearness } from '../shared/nearness.js'
 *
 * @typedef {object} ListeningEvents
 * @property {(now: CallView, before: CallView) => void} changed  the call that is heard, likewise
 *   when it begins
 * @property {(names: string[], isOther: boolean) => void} speakers the names of people who speak,
 *   the loudest first; isOther: there is sound, and no voice in it
 * @property {(kbps: number, transport: string, delayMs: number | null) => void} quality each second
 * @property {(code: string, holds: boolean) => void} notice
 * @property {(message: ServerMessages['moderated']) => void} moderated
 * @property {(message: ServerMessages['refused']) => void} refused
 */

import { roomOfLink } from '../shared/links.js';

/**
 * Level above the noise of a room, in -dBov, and time without a voice after which sound counts as
 * no speech, in milliseconds. Speech has pauses.
 */
const SOUND_LEVEL = 50;
const OTHER_MS = 2000;

/** A listener's call: starts, pauses, continues. */
export class Listening {
  #address;
  #on;
  /** @type {Call | null} */
  #call = null;
  #resume = '';
  /** Counts starts and pauses, which overtake each other while code is loaded. */
  #turn = 0;
  #level = 1;
  /** @type {{ output: AudioNode, gain: GainNode } | null} */
  #volume = null;
  /** Start of the present sound without a voice, in milliseconds. */
  #otherSinceMs = 0;
  #bytes = { down: 0, atMs: 0 };

  /**
   * @param {{ room: string, token?: string, e2eKey?: string, transport: TransportChoice }} address
   * @param {ListeningEvents} on
   */
  constructor(address, on) {
    this.#address = address;
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
   * Starts listening, or continues in the same place after a pause. Call it from a press.
   * @param {{ name: string, password?: string, nearness: Nearness }} entry
   * @returns {Promise<void>} rejects when a part of the page can't be loaded, unless a pause came
   */
  async start(entry) {
    if (this.#call) return;
    const turn = ++this.#turn;
    const Loaded = await Listening.load().catch((error) => {
      if (turn === this.#turn) throw error;
      return null;
    });
    if (Loaded === null || turn !== this.#turn) return;
    const { room, token, e2eKey, transport } = this.#address;
    const call = new Loaded({
      join: { room, token, ...entry, listen: true, resume: this.#resume || undefined },
      e2eKey,
      transport,
      microphoneId: null,
    });
    this.#call = call;
    this.#bytes = { down: 0, atMs: 0 };
    this.#otherSinceMs = performance.now();
    this.#follow(call);
    await call.join();
  }

  /** @param {Call} call */
  #follow(call) {
    call.store.observe((now, before) => {
      if (call !== this.#call) return;
      // The call's output is another one if the room has come back in another format.
      if (now.state === 'joined') this.#applyVolume();
      if (now.end !== null) this.#forget();
      if (now.speakers !== before.speakers) this.#hear(now);
      if (now.stats !== before.stats) this.#measure(now);
      this.#on.changed(now, before);
    });
    call.addEventListener('notice', ({ detail: { code } }) => this.#on.notice(code, true));
    call.addEventListener('settled', ({ detail: { code } }) => this.#on.notice(code, false));
    call.addEventListener('moderated', ({ detail }) => this.#on.moderated(detail));
    call.addEventListener('refused', ({ detail }) => this.#on.refused(detail));
  }

  #forget() {
    this.#call = null;
    this.#resume = '';
  }

  /** @param {CallView} call */
  #hear({ speakers, people, you }) {
    const voices = speakers
      .filter(({ voice, id }) => voice && id !== you)
      .flatMap(({ id }) => people.find((person) => person.id === id && !person.away) ?? []);
    const nowMs = performance.now();
    if (voices.length > 0 || !speakers.some(({ level }) => level < SOUND_LEVEL))
      this.#otherSinceMs = nowMs;
    const names = voices.map(({ label }) => label);
    this.#on.speakers(names, nowMs - this.#otherSinceMs >= OTHER_MS);
  }

  /** @param {CallView} call */
  #measure({ stats, transport }) {
    if (stats === null) return;
    const { down } = stats.bytes;
    const { atMs } = stats.clock;
    const before = this.#bytes;
    this.#bytes = { down, atMs };
    // After a reconnect the bytes are counted from 0 again.
    if (before.atMs === 0 || down < before.down || atMs <= before.atMs) return;
    const kbps = (8 * (down - before.down)) / (atMs - before.atMs);
    this.#on.quality(kbps, transport?.took ?? '', stats.behindMs ?? stats.delayMs);
  }

  /** @param {number} level  0 to 1 */
  setVolume(level) {
    this.#level = level;
    this.#applyVolume();
  }

  /** @param {Nearness} nearness to the speakers */
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
   * @param {ClientMessage} message
   * @returns {boolean} false without a connection
   */
  send(message) {
    return this.#call?.sendControl(message) ?? false;
  }

  /** Leaves for now: the place is kept for a while. */
  async pause() {
    this.#turn += 1;
    const call = this.#call;
    this.#call = null;
    // A call that hasn't joined has no place: the previous one is still kept.
    this.#resume = call?.resume || this.#resume;
    await call?.rest();
  }

  /** Leaves. Idempotent. */
  async stop() {
    this.#turn += 1;
    const call = this.#call;
    this.#forget();
    await call?.leave();
  }

  /** Hands the call over to another page. @returns {Call | null} */
  give() {
    const call = this.#call;
    if (call === null) return null;
    // The call's page has no overall volume.
    this.setVolume(1);
    this.#call = null;
    return call;
  }
}

/**
 * @typedef {object} ListenAddress
 * @property {string} room
 * @property {boolean} asks the address itself asks to listen
 * @property {boolean} isEmbedded in a frame of another page
 * @property {string} name        empty where the address gives none
 * @property {TransportChoice} transport
 * @property {string} [e2eKey]    behind `#e2e=`: the key of a room that is encrypted end to end
 */

/**
 * Reads the address of the listeners' page: `/r/<room>?listen&embed&name=&transport=`, or
 * `/r/<room>` of a room that is live.
 * @param {Pick<Location, 'pathname' | 'search' | 'hash'>} location
 * @returns {ListenAddress}
 */
export function addressOf({ pathname, search, hash }) {
  const parameters = new URLSearchParams(search);
  const transport = parameters.get('transport');
  return {
    room: roomOfLink(pathname) ?? '',
    asks: parameters.has('listen') || parameters.has('embed'),
    isEmbedded: parameters.has('embed'),
    name: parameters.get('name') ?? '',
    transport:
      transport === 'webtransport' || transport === 'websocket' || transport === 'http1'
        ? transport
        : 'auto',
    e2eKey: new URLSearchParams(hash.slice(1)).get('e2e') ?? undefined,
  };
}

/**
 * Returns the address of the call's page for a person who is invited to the stage.
 * @param {Pick<Location, 'pathname' | 'search'>} location
 * @param {{ token?: string, stage?: string }} invitation
 * @returns {string | null} null without an invitation
 */
export function stageAddress({ pathname, search }, { token, stage }) {
  if (token === undefined && stage === undefined) return null;
  const parameters = new URLSearchParams(search);
  parameters.set('stage', '');
  const secrets = new URLSearchParams({
    ...(token !== undefined && { token }),
    ...(stage !== undefined && { stage }),
  });
  return `${pathname}?${parameters}#${secrets}`;
}
