import { expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';
import { random } from '../../fakes/random.js';

/**
 * @import { Person } from '../../fakes/conference.js'
 *
 * @typedef {object} Talker
 * @property {Person} person
 * @property {number} value      of all samples
 * @property {number} sent       frames so far
 * @property {number} heldUntil  time until which packets are held up, in milliseconds
 * @property {number} silentUntil
 * @property {boolean} muted
 */

/** Times from which nothing more is disturbed, and at which it ends, in milliseconds. */
const QUIET_MS = 18_000;
const END_MS = 30_000;

/** At the end everybody is listened to for so long, in milliseconds. */
const LISTEN_MS = 3000;

/** Chances of a disturbance in each frame. */
const OFTEN = 0.006;
const SELDOM = 0.003;

const isHeard = (/** @type {number} */ value, /** @type {number} */ sum) =>
  Math.abs(value - sum) < 0.004;

/** A call whose packets, people and server are disturbed at random. */
class DisturbedCall {
  #next;
  #conference;
  /** @type {Talker[]} */
  #talkers = [];

  /** @param {number} seed */
  constructor(seed) {
    this.#next = random(seed);
    const serverDelayMs = this.#next() < 0.6 ? 'auto' : 60;
    this.#conference = new Conference({ idleTimeoutMs: 1e9, serverDelayMs });
  }

  get #now() {
    return this.#conference.clock.now();
  }

  /** @returns {Promise<number[]>} for each person, the share of the end in which all were heard */
  async run() {
    const count = 2 + Math.floor(4 * this.#next());
    for (let i = 0; i < count; i++)
      this.#talkers.push({
        person: await this.#join(i),
        value: 0.01 * 2 ** i,
        sent: 0,
        heldUntil: 0,
        silentUntil: 0,
        muted: false,
      });
    while (this.#now < END_MS) {
      if (this.#now < QUIET_MS) await this.#disturb();
      else for (const talker of this.#talkers) this.#mute(talker, false);
      this.#conference.pass(1);
      for (const talker of this.#talkers) await this.#speak(talker);
    }
    return Promise.all(this.#talkers.map((talker) => this.#heardBy(talker)));
  }

  /** @param {number} i @param {string} [resume] */
  async #join(i, resume) {
    for (;;) {
      const person = await this.#conference.join(`P${i}`, resume ? { resume } : {});
      if (!person.session.closed) return person;
      // A server that stood still lets nobody in for a moment.
      this.#conference.pass(50);
    }
  }

  async #disturb() {
    for (const talker of this.#talkers) {
      if (this.#next() < OFTEN) talker.heldUntil = this.#now + 3500 * this.#next();
      if (this.#next() < SELDOM) talker.silentUntil = this.#now + 7000 * this.#next();
      if (this.#next() < SELDOM) this.#mute(talker, !talker.muted);
    }
    if (this.#next() < OFTEN) this.#conference.clock.stall(5000 * this.#next());
    if (this.#next() < SELDOM)
      await this.#comeBack(Math.floor(this.#talkers.length * this.#next()));
  }

  /** @param {Talker} talker @param {boolean} muted */
  #mute(talker, muted) {
    if (talker.muted === muted) return;
    talker.muted = muted;
    talker.person.session.handler?.control({ type: 'mute', muted });
  }

  /** Loses a connection, and joins again. @param {number} i */
  async #comeBack(i) {
    const talker = this.#talkers[i];
    const { session } = talker.person;
    const { resume } = session.told('welcome').at(-1);
    session.close(19, 'lost');
    talker.person = await this.#join(i, this.#next() < 0.7 ? resume : undefined);
    // One who comes back is muted as before.
    talker.muted = true;
    this.#mute(talker, false);
    talker.sent = Math.floor(this.#now / this.#conference.format.frameMs) - 1;
  }

  /** Sends what is due, unless it is held up. @param {Talker} talker */
  async #speak(talker) {
    if (this.#now < talker.heldUntil) return;
    const { frameMs } = this.#conference.format;
    for (; (talker.sent + 1) * frameMs <= this.#now; talker.sent++) {
      const isSilent = talker.muted || talker.sent * frameMs < talker.silentUntil;
      const value = isSilent ? null : talker.value;
      await talker.person.speak(talker.sent, value, { level: 20, voice: true });
    }
  }

  /** @param {Talker} talker @returns {Promise<number>} share of frames with all others in them */
  async #heardBy(talker) {
    const { frameMs } = this.#conference.format;
    const sum = this.#talkers.reduce((all, { value }) => all + value, -talker.value);
    const frames = [...(await talker.person.heard())].filter(
      ([frame, pcm]) => frame * frameMs > END_MS - LISTEN_MS && isHeard(pcm?.at(-1) ?? 0, sum),
    );
    return (frames.length * frameMs) / LISTEN_MS;
  }
}

it.each([1, 2, 39, 46, 50, 103, 106, 148])(
  'everybody is heard again once packets, people and server are disturbed no more: %s',
  async (seed) => {
    const shares = await new DisturbedCall(seed).run();
    expect(Math.min(...shares)).toBeGreaterThan(0.6);
  },
);
