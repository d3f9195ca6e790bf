/** @typedef {{ sampleRate: number, channels: number }} Format */

import { Conversion } from './convert.js';

/** Pieces of a program's sound that are converted at once: this many in a second. */
const PIECES = 100;

/**
 * Keeps a program's format in a room that has come back with another sample rate or other channels.
 */
export class FormatAdapter {
  #own;
  #room;
  #heard;
  #said;
  /** By person's id. @type {Map<string, Conversion>} */
  #voices = new Map();
  #piece;
  /** Converted speech that waits. */
  #waiting = new Float32Array(0);

  /** @param {Format} own the program's @param {Format} room the room's now */
  constructor(own, room) {
    this.#own = own;
    this.#room = room;
    this.#heard = new Conversion(room, own);
    this.#said = new Conversion(own, room);
    this.#piece = new Float32Array(Math.round(own.sampleRate / PIECES) * own.channels);
  }

  /** @param {Float32Array} chunk of the room @returns {Float32Array} a new one */
  hear(chunk) {
    return this.#heard.push(chunk);
  }

  /**
   * @param {string} person id
   * @param {Float32Array} pcm of their voice
   * @returns {Float32Array} a new one
   */
  voice(person, pcm) {
    const voice = this.#voices.get(person) ?? new Conversion(this.#room, this.#own);
    this.#voices.set(person, voice);
    return voice.push(pcm);
  }

  /** Forgets voices of people who have left. @param {readonly { id: string }[]} people present */
  keep(people) {
    const ids = new Set(people.map(({ id }) => id));
    for (const person of this.#voices.keys()) if (!ids.has(person)) this.#voices.delete(person);
  }

  /**
   * @param {Float32Array} chunk of the room, which is filled
   * @param {(piece: Float32Array) => void} take fills a piece of the program's sound
   */
  say(chunk, take) {
    while (this.#waiting.length < chunk.length) {
      take(this.#piece);
      const more = this.#said.push(this.#piece);
      const joined = new Float32Array(this.#waiting.length + more.length);
      joined.set(this.#waiting);
      joined.set(more, this.#waiting.length);
      this.#waiting = joined;
    }
    chunk.set(this.#waiting.subarray(0, chunk.length));
    this.#waiting = this.#waiting.slice(chunk.length);
  }
}
