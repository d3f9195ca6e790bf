/** One end of a way, in a process of its own at its end of the link: the sender or the receiver. */

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
  /** @param {{ way: string, host: string, payloads: Uint8Array[] }} options */
  async receive({ way, host, payloads }) {
    arrivals = new Arrivals(payloads);
    receiver = await ways[way].receive({ host, onPacket: (bytes) => arrivals.take(bytes, now()) });
    return receiver.invitation ?? '';
  },
  /** @param {{ offer: string }} options */
  answer: ({ offer }) => receiver?.answer?.(offer),
  /** @param {{ from: number, count: number }} options */
  arrivals: ({ from, count }) => ({ ages: arrivals.ages(from, count), firstMs: arrivals.firstMs, damaged: arrivals.damaged, repeated: arrivals.repeated }),
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
    return { latenessMs, cpuPercent: cpu.take() };
  },
};

serve({ ...receiving, ...sending }, async () => {
  await sender?.close();
  await receiver?.close();
});
