/**
 * A talker that sends packets as datagrams, and on one stream while its path loses many. A stream
 * sends lost packets again, in time on a short path. On a path whose rate is too low it only makes
 * packets wait.
 * @import { Stream } from '@aloud/native'
 * @import { Way } from './way.js'
 *
 * @typedef {object} PathState  of the sender's connection
 * @property {number} sentPackets  since its beginning
 * @property {number} lostPackets  of these
 * @property {number} rttMs        smoothed round trip
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { withLength } from '../../public/shared/wire/stream-packets.js';
import { ofKind, receive, SETTINGS, SOUND } from './mixed.js';

/** Time between two looks at the path, in milliseconds. */
const LOOK_MS = 200;

/** Looks over which loss is counted: 3 s, in which 150 packets of 20 ms are sent. */
const LOOKS = 15;

/** Share of lost packets above which packets go on the stream, and below which they leave it. */
const MUCH_LOSS = 0.02;
const LITTLE_LOSS = 0.005;

/** Longest round trip with which a packet that is sent again is in time for a playout. */
const NEAR_MS = 150;

/**
 * Growth of the round trip over the shortest one that shows a queue. Packets are then lost for want
 * of rate, and the stream would wait for them.
 */
const QUEUE_MS = 60;

/** Decides how a talker's next packets go. */
export class CarryChoice {
  /** The last looks, the oldest first. @type {PathState[]} */
  #looks = [];
  #shortestMs = Infinity;

  /** @type {'datagrams' | 'stream'} */
  carry = 'datagrams';

  /**
   * Looks at the path; called each LOOK_MS.
   * @param {PathState} state
   */
  look(state) {
    this.#looks.push(state);
    if (this.#looks.length > LOOKS + 1) this.#looks.shift();
    this.#shortestMs = Math.min(this.#shortestMs, state.rttMs);
    const [oldest] = this.#looks;
    const sent = state.sentPackets - oldest.sentPackets;
    const loss = sent > 0 ? (state.lostPackets - oldest.lostPackets) / sent : 0;
    const isQueued = state.rttMs > this.#shortestMs + QUEUE_MS;
    const mayWait = state.rttMs <= NEAR_MS && !isQueued;
    // A whole window is needed to say that loss has ended, and not to say that it has begun.
    if (!mayWait || (loss < LITTLE_LOSS && this.#looks.length > LOOKS)) this.#turnTo('datagrams');
    else if (loss > MUCH_LOSS) this.#turnTo('stream');
  }

  /** @param {'datagrams' | 'stream'} carry */
  #turnTo(carry) {
    if (this.carry === carry) return;
    this.carry = carry;
    // Loss before the change tells nothing about the time after it.
    this.#looks = this.#looks.slice(-1);
  }
}

/** @type {Way} */
export const switching = {
  missing: async () => (isBuilt() ? null : 'The native engine is not built.'),
  receive: (options) => receive(options, SETTINGS),

  async connect({ peer, invitation }) {
    const { port, hash } = JSON.parse(invitation);
    const endpoint = new Endpoint({ ...SETTINGS, ioThreads: 1 });
    const session = await endpoint.connect(`https://${peer}:${port}/`, {
      certificateHashes: [hash],
    });
    const choice = new CarryChoice();
    /** @type {Stream | null} */
    let stream = null;
    let lookedMs = -Infinity;
    return {
      send(bytes) {
        const nowMs = performance.now();
        const state = nowMs - lookedMs >= LOOK_MS ? session.stats() : null;
        if (state) {
          lookedMs = nowMs;
          choice.look(state);
        }
        const packet = ofKind(SOUND, bytes);
        if (choice.carry === 'datagrams') {
          // Packets that still wait on the stream are late, and would take the datagrams' room.
          stream?.reset(0);
          stream = null;
          session.send(packet);
        } else {
          stream ??= session.openStream({ bidi: false });
          stream?.write(withLength(packet));
        }
      },
      path: () => session.stats(),
      close: () => endpoint.close(),
    };
  },
};
