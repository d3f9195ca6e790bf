/**
 * A way of carrying packets from one end of a link to the other, in a file of its own in
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
 * @property {(options: { host: string, onPacket: OnPacket, onMessage: OnPacket }) =>
 *   Promise<Receiver>} receive at an address of this end
 * @property {(options: { host: string, peer: string, invitation: string, signal: (offer: string) =>
 *   Promise<string> }) => Promise<Sender>} connect from an address of this end to the receiver's;
 *   `signal` takes an offer to the receiver, and brings its answer
 */

import { CARRIES } from '../../public/lab/runs/carry.js';
import { chromiumDatachannel } from './chromium-datachannel.js';
import { ALL_CONTROLLERS } from '../plugin/controllers.js';
import { datachannel } from './webrtc.js';
import { http1 } from './http1.js';
import { mixed } from './mixed.js';
import { redundant } from './redundant.js';
import { rtp } from './rtp.js';
import { switching } from './switching.js';
import { websocket } from './websocket.js';
import { webtransport } from './webtransport.js';

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
