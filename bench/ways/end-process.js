/** A process at a place of a path: it sends packets, receives them, or passes them on. */

import { setTimeout as wait } from 'node:timers/promises';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { contentOf } from './messages.js';
import { NumberedArrivals, writeNumbered } from './numbered-packet.js';
import { ways } from './way.js';

/**
 * @import { Message } from './messages.js'
 * @import { Receiver, Sender } from './way.js'
 */

/** @type {Receiver | null} */
let receiver = null;
/** @type {Sender | null} */
let sender = null;
/** @type {Promise<Sender> | null} */
let connecting = null;
/** @type {(answer: string) => void} */
let answered = () => {};
/** @type {NumberedArrivals} */
let arrivals;
/** @type {NumberedArrivals} */
let messageArrivals;
/** Packets between two readings of the path: one second's. */
const LOOK_EVERY = 50;
const now = () => sharedMs(performance.now());

const receiving = {
  /**
   * Receives from now on: to note what arrives, or to pass it on.
   * @param {{ way: string, host: string, payloads: Uint8Array[] | null, messages: Message[] }}
   *   options payloads: null to pass packets and messages on
   * @returns {Promise<string>} the invitation
   */
  async receive({ way, host, payloads, messages }) {
    arrivals = new NumberedArrivals(payloads ?? []);
    messageArrivals = new NumberedArrivals(messages.map(contentOf));
    // A sender may keep the bytes that it is given.
    const onPacket = payloads
      ? (/** @type {Uint8Array} */ bytes) => arrivals.take(bytes, now())
      : (/** @type {Uint8Array} */ bytes) => sender?.send(Uint8Array.from(bytes));
    const onMessage = (/** @type {Uint8Array} */ bytes) =>
      payloads ? messageArrivals.take(bytes, now()) : sender?.sendMessage?.(bytes);
    receiver = await ways[way].receive({ host, onPacket, onMessage });
    return receiver.invitation ?? '';
  },
  /** @param {{ offer: string }} options */
  answer: ({ offer }) => receiver?.answer?.(offer),
  /**
   * @param {{ from: number, count: number, messages: number }} options messages: how many were sent
   */
  arrivals({ from, count, messages }) {
    failOnFault(receiver);
    return {
      ages: arrivals.ages(from, count),
      messageAges: messageArrivals.ages(0, messages),
      firstMs: arrivals.firstMs,
      damaged: arrivals.damaged + messageArrivals.damaged,
      repeated: arrivals.repeated + messageArrivals.repeated,
    };
  },
};

const sending = {
  /**
   * Begins to connect.
   * @param {{ way: string, host: string, peer: string, invitation: string }} options
   * @returns {Promise<{ startMs: number, offer: string | null }>} an offer that wants an answer
   *   before it connects
   */
  async connect({ way, ...options }) {
    const startMs = now();
    const answer = new Promise(
      (/** @type {(text: string) => void} */ resolve) => void (answered = resolve),
    );
    const offer = new Promise((/** @type {(text: string) => void} */ offered) => {
      const signal = (/** @type {string} */ text) => {
        offered(text);
        return answer;
      };
      connecting = ways[way].connect({ ...options, signal });
    });
    const connected = /** @type {Promise<Sender> | null} */ (connecting)?.then(() => null);
    // A later failure reaches the caller that awaits `connected`.
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
   * Sends packets, and messages where the way carries them, each when it is due.
   * @param {{ payloads: Uint8Array[], count: number, everyMs: number, messages: Message[],
   *   startMs?: number }} options startMs: when the first is due
   * @returns {Promise<{ latenessMs: number[], cpuPercent: number, messages: number, estimates:
   *   number[] }>} latenessMs: of sending, packet by packet; messages: how many were sent;
   *   estimates: of the path's rate, once a second
   */
  async send({ payloads, count, everyMs, messages, startMs = now() }) {
    const { send, sendMessage, path } = sender ?? {};
    if (!send) throw new Error('there is no connection');
    const contents = messages.map(contentOf);
    const cpu = new CpuMeter();
    const packetTimes = Array.from({ length: count }, (_, number) => startMs + number * everyMs);
    const messageTimes = sendMessage ? messages.map(({ atMs }) => startMs + atMs) : [];
    /** @type {number[]} */
    const estimates = [];
    const [latenessMs] = await Promise.all([
      whenDue(packetTimes, (number, sentMs) => {
        send(writeNumbered(number, sentMs, payloads[number % payloads.length]));
        const seen = number % LOOK_EVERY === LOOK_EVERY - 1 && path?.();
        if (seen) estimates.push((8 * seen.cwnd) / seen.rttMs);
      }),
      whenDue(messageTimes, (number, sentMs) =>
        sendMessage?.(writeNumbered(number, sentMs, contents[number])),
      ),
    ]);
    failOnFault(sender);
    return { latenessMs, cpuPercent: cpu.take(), messages: messageTimes.length, estimates };
  },
};

/**
 * @param {readonly number[]} dueMs  times, the earliest first
 * @param {(number: number, nowMs: number) => void} act  called at each of them
 * @returns {Promise<number[]>} by how much each call was late
 */
async function whenDue(dueMs, act) {
  const latenessMs = [];
  for (const [number, atMs] of dueMs.entries()) {
    // Timers go by whole milliseconds, and may be early by a part of one.
    for (let leftMs = atMs - now(); leftMs > 0; leftMs = atMs - now()) await wait(leftMs);
    const nowMs = now();
    act(number, nowMs);
    latenessMs.push(nowMs - atMs);
  }
  return latenessMs;
}

/** @param {Receiver | Sender | null} end @param {string} [where] */
function failOnFault(end, where = '') {
  const fault = end?.fault?.();
  if (fault) throw new Error(where + fault);
}

/**
 * Fails where a connection of a place that passes packets on has a fault: nobody asks it for what
 * it sent or what arrived.
 */
const check = () => [receiver, sender].forEach((end) => failOnFault(end, 'at a relay, '));

/** Has what a way needs, before it connects. @param {{ way: string }} options */
const prepare = async ({ way }) => void (await ways[way].prepare?.());

/** Ends its connections, and is ready for others. */
async function hangUp() {
  await sender?.close();
  await receiver?.close();
  [sender, receiver, connecting] = [null, null, null];
}

serve({ ...receiving, ...sending, prepare, check, hangUp }, hangUp);
