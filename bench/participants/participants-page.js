/* global location */
/**
 * Participants of a scenario in a browser's page. bench/participants/browser-clients.js serves this
 * file to the page under the origin of the measured server.
 */

import { Http1Connection } from '../../public/client/connection/http1.js';
import { WebSocketConnection } from '../../public/client/connection/websocket.js';
import { WebTransportConnection } from '../../public/client/connection/webtransport.js';
import { systemClock } from '../../public/shared/clock.js';
import { CallListener } from './call-listener.js';
import { functionsOf, Participants } from '../../testkit/participants/participants.js';
import { PeerListener } from './peer-listener.js';

const page = /** @type {any} */ (globalThis);
const { now } = systemClock;

const bytesOf = (/** @type {string} */ base64) =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** @type {Map<string, Promise<Uint8Array[]>>} */
const encoded = new Map();

/** @type {import('../../testkit/participants/participants.js').World['encodeSpeech']} */
function encodeSpeech(format, bitrate) {
  const key = JSON.stringify([format, bitrate]);
  let payloads = encoded.get(key);
  if (!payloads) {
    payloads = page
      .aloudEncodedSpeech(format, bitrate)
      .then((/** @type {string[]} */ list) => list.map(bytesOf));
    encoded.set(key, /** @type {Promise<Uint8Array[]>} */ (payloads));
  }
  return /** @type {Promise<Uint8Array[]>} */ (payloads);
}

/** The speech at 48 kHz, as microphones have it. */
async function readSpeech() {
  return new Float32Array(bytesOf(await page.aloudSpeech()).buffer);
}

/** @type {import('../../testkit/participants/participants.js').World['openConnection']} */
async function openConnection(transport, { origin, config }) {
  if (transport === 'webtransport') {
    const offer = config.transports.webtransport;
    if (!offer) throw new Error('the server offers no WebTransport');
    const url = `https://${location.hostname}:${offer.port}/session`;
    return WebTransportConnection.open({ url, certificateHashes: offer.certificateHashes, now });
  }
  if (transport === 'http1-per-request')
    throw new Error("a browser's connections aren't the page's to end");
  if (transport === 'http1')
    return Http1Connection.open({ url: `${origin}/api/sessions`, clock: systemClock });
  return WebSocketConnection.open({ url: `${origin.replace(/^http/, 'ws')}/session`, now });
}

/** The text of the recorder's worklet. */
const processor = fetch('/testkit/participants/recorder-processor.js').then((response) =>
  response.text(),
);

const participants = new Participants({
  openConnection,
  encodeSpeech,
  createListener: async ({ speaks, isPeer, ...options }) =>
    isPeer
      ? new PeerListener({ ...options, processor: await processor })
      : new CallListener({
          ...options,
          processor: await processor,
          speech: speaks ? await readSpeech() : null,
        }),
  // The other process sets the start of the page's time on the machine's monotonic clock.
  sharedMs: (ms) => ms + page.aloudClockMs,
  // CPU is known for the whole browser only, by its driver.
  takeCpu: () => 0,
});

page.aloudParticipants = functionsOf(participants);

page.aloudProcessor = processor;

/** When everything has been fetched that the page takes from the lab. */
export const ready = processor;
