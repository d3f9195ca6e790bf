/**
 * Ways of carrying packets from one end of a link to the other, most in a file of their own in
 * bench/ways.
 *
 * @callback OnPacket
 * @param {Uint8Array} bytes valid during the call
 * @returns {void}
 *
 * @typedef {object} Receiver
 * @property {string} [invitation]  needed by the sender to connect
 * @property {(offer: string) => Promise<string>} [answer] answers the sender's offer, if the way
 *   has offers
 * @property {() => string | null} [fault] at the end of a run, in one sentence: the reason to
 *   discard it
 * @property {() => void | Promise<void>} close
 *
 * @typedef {object} Sender
 * @property {(bytes: Uint8Array) => void} send  without waiting; drops unsendable packets
 * @property {() => { cwnd: number, rttMs: number } | null} [path] its connection's congestion
 *   window, in bytes, and smoothed round trip, if known
 * @property {(bytes: Uint8Array) => void} [sendMessage] beside the packets, if the way carries
 *   messages too
 * @property {() => string | null} [fault]  as the receiver's
 * @property {() => void | Promise<void>} close
 *
 * @typedef {object} Way
 * @property {() => Promise<string | null>} missing  requirement that this machine lacks, if any
 * @property {() => Promise<unknown>} [prepare]  starts what an end needs before it connects, once;
 *   its time is no part of the connection's
 * @property {(options: { host: string, onPacket: OnPacket, onMessage: OnPacket }) =>
 *   Promise<Receiver>} receive at an address of this end
 * @property {(options: { host: string, peer: string, invitation: string, signal: (offer: string) =>
 *   Promise<string> }) => Promise<Sender>} connect from an address of this end to the receiver's;
 *   `signal` takes an offer to the receiver, and brings its answer
 */

import { CARRIES } from '../plugin/page/carry.js';
import { chromiumDatachannel } from './chromium-datachannel.js';
import { ALL_CONTROLLERS } from '../plugin/controllers.js';
import { datachannel } from './webrtc.js';
import { http1 } from './http1.js';
import { mixed } from './mixed.js';
import { readNumbered } from './numbered-packet.js';
import { rtp } from './rtp.js';
import { switching } from './switching.js';
import { websocket } from './websocket.js';
import { webtransport } from './webtransport.js';

/** Number of packets for which repeats are recognised. */
const REMEMBERED = 1000;

/** Bytes that say how long the packet's own part is. */
const LENGTH_BYTES = 2;

/**
 * A way with redundancy: each packet has the one before it too, as the product's packets have
 * frames of before.
 * @param {Way} way
 * @returns {Way}
 */
export const redundant = (way) => ({
  missing: way.missing,

  receive({ onPacket, ...options }) {
    /** The numbers that have come. @type {Set<number>} */
    const known = new Set();
    const take = (/** @type {Uint8Array} */ bytes) => {
      const number = readNumbered(bytes)?.number;
      if (number === undefined || known.has(number)) return;
      known.add(number).delete(number - REMEMBERED);
      onPacket(bytes);
    };
    return way.receive({ ...options, onPacket: (bytes) => partsOf(bytes).forEach(take) });
  },

  async connect(options) {
    const { send, ...rest } = await way.connect(options);
    let before = new Uint8Array();
    return {
      ...rest,
      send(bytes) {
        const packet = new Uint8Array(LENGTH_BYTES + bytes.length + before.length);
        new DataView(packet.buffer).setUint16(0, bytes.length);
        packet.set(bytes, LENGTH_BYTES);
        packet.set(before, LENGTH_BYTES + bytes.length);
        before = Uint8Array.from(bytes);
        send(packet);
      },
    };
  },
});

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array[]} the packet, and the one before it; of what is cut off none
 */
function partsOf(bytes) {
  if (bytes.length < LENGTH_BYTES) return [];
  const end = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint16(0);
  return end > bytes.length ? [] : [bytes.subarray(LENGTH_BYTES, end), bytes.subarray(end)];
}

/** The ways that are compared unless others are asked for, by name. */
const compared = {
  ...Object.fromEntries(CARRIES.map((carry) => [carry, webtransport(carry)])),
  'redundant-datagrams': redundant(webtransport('datagrams')),
  websocket,
  http1,
  rtp,
  datachannel,
};

/** WebTransport with each congestion controller, by names such as `datagrams@copa`. */
const controlled = Object.fromEntries(
  /** @type {const} */ (['datagrams', 'stream', 'streams']).flatMap((carry) =>
    ALL_CONTROLLERS.map((controller) => [
      `${carry}@${controller}`,
      webtransport(carry, controller),
    ]),
  ),
);

/**
 * WebTransport with messages beside the sound, by what carries the sound and what the messages:
 * `datagrams+stream`.
 */
const withMessages = {
  'datagrams+stream': mixed('datagrams', 'stream'),
  'datagrams+datagrams': mixed('datagrams', 'datagrams'),
  'stream+stream': mixed('stream', 'stream'),
  'stream+same': mixed('stream', 'same'),
  'stream+datagrams': mixed('stream', 'datagrams'),
};

/** Ways that have a browser at each end: two processors carry few of them at once. */
const inBrowsers = { 'datachannel-chromium': chromiumDatachannel };

/** Ways that change with their path. */
const changing = { switching };

/** The names of these ways. */
export const CHANGING_WAYS = Object.freeze(Object.keys(changing));

/** All ways by name. @type {Readonly<Record<string, Way>>} */
export const ways = Object.freeze({
  ...compared,
  ...controlled,
  ...withMessages,
  ...inBrowsers,
  ...changing,
});

/** The names of the ways that are compared, in the order of reports. */
export const WAYS = Object.freeze(Object.keys(compared));

/** The names of WebTransport with each congestion controller. */
export const CONTROLLED_WAYS = Object.freeze(Object.keys(controlled));

/** The way with the same sound, and without messages. @param {string} way @returns {string} */
export const soundAlone = (way) => way.split('+')[0];

/** The names of those with browsers. */
export const BROWSER_WAYS = Object.freeze(Object.keys(inBrowsers));

/** The names of those with messages beside the sound. */
export const MIXED_WAYS = Object.freeze(Object.keys(withMessages));
