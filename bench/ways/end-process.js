/** A process at a place of a path: it sends packets, receives them, or passes them on. */

import { setTimeout as wait } from 'node:timers/promises';
import { CpuMeter, serve, sharedMs } from '../participants/child.js';
import { Arrivals, writeNumbered } from './numbered-packet.js';
import { ways } from './way.js';

/** @import { Receiver, Sender } from './way.js' */

/** @type {Receiver | null} */
let receiver = null;
/** @type {Sender | null} */
let sender = null;
/** @type {Promise<Sender> | null} */
let connecting = null;
/** @type {(answer: string) => void} */
let answered = () => {};
/** @type {Arrivals} */
let arrivals;
const now = () => sharedMs(performance.now());

const receiving = {
  /**
   * Receives from now on: to note what arrives, or to pass it on.
   * @param {{ way: string, host: string, payloads: Uint8Array[] | null }} options  payloads: null to pass packets on
   * @returns {Promise<string>} the invitation
   */
  async receive({ way, host, payloads }) {
    if (payloads) arrivals = new Arrivals(payloads);
    // A sender may keep the bytes that it is given.
    const onPacket = payloads ? (/** @type {Uint8Array} */ bytes) => arrivals.take(bytes, now()) : (/** @type {Uint8Array} */ bytes) => sender?.send(Uint8Array.from(bytes));
    receiver = await ways[way].receive({ host, onPacket });
    return receiver.invitation ?? '';
  },
  /** @param {{ offer: string }} options */
  answer: ({ offer }) => receiver?.answer?.(offer),
  /** @param {{ from: number, count: number }} options */
  arrivals({ from, count }) {
    failOnFault(receiver);
    return { ages: arrivals.ages(from, count), firstMs: arrivals.firstMs, damaged: arrivals.damaged, repeated: arrivals.repeated };
  },
};

const sending = {
  /**
   * Begins to connect.
   * @param {{ way: string, host: string, peer: string, invitation: string }} options
   * @returns {Promise<{ startMs: number, offer: string | null }>} an offer that wants an answer before it connects
   */
  async connect({ way, ...options }) {
    const startMs = now();
    const answer = new Promise((/** @type {(text: string) => void} */ resolve) => void (answered = resolve));
    const offer = new Promise((/** @type {(text: string) => void} */ offered) => {
      const signal = (/** @type {string} */ text) => {
        offered(text);
        return answer;
      };
      connecting = ways[way].connect({ ...options, signal });
    });
    const connected = /** @type {Promise<Sender> | null} */ (connecting)?.then(() => null);
    // A later failure is told to who asks for `connected`.
    connected?.catch(() => {});
    return { startMs, offer: (await Promise.race([offer, connected])) ?? null };
  },
  /** @param {{ answer: string }} options */
  answered: ({ answer }) => answered(answer),
  /** Waits until there is a connection. */
  async connected() {
    sender = await connecting;
  },
  /**
   * Sends packets, each when it is due.
   * @param {{ payloads: Uint8Array[], count: number, everyMs: number }} options
   * @returns {Promise<{ latenessMs: number[], cpuPercent: number }>} of sending, packet by packet
   */
  async send({ payloads, count, everyMs }) {
    if (!sender) throw new Error('there is no connection');
    const cpu = new CpuMeter();
    const startMs = now();
    const latenessMs = [];
    for (let number = 0; number < count; number++) {
      const dueMs = startMs + number * everyMs;
      // Timers go by whole milliseconds, and may be early by a part of one.
      for (let leftMs = dueMs - now(); leftMs > 0; leftMs = dueMs - now()) await wait(leftMs);
      const sentMs = now();
      sender.send(writeNumbered(number, sentMs, payloads[number % payloads.length]));
      latenessMs.push(sentMs - dueMs);
    }
    failOnFault(sender);
    return { latenessMs, cpuPercent: cpu.take() };
  },
};

/** @param {Receiver | Sender | null} end */
function failOnFault(end) {
  const fault = end?.fault?.();
  if (fault) throw new Error(fault);
}

/** Ends its connections, and is ready for others. */
async function hangUp() {
  await sender?.close();
  await receiver?.close();
  [sender, receiver, connecting] = [null, null, null];
}

serve({ ...receiving, ...sending, hangUp }, hangUp);
