/**
 * Readers of one recording, all at once. They ask for ranges over HTTP as a player does, and for
 * segments over WebTransport. Some of both never read the answer.
 * @import { Attack } from '../support/attack-process.js'
 * @import { Stream } from '@aloud/native'
 */

import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Endpoint } from '@aloud/native';
import { writeControlLine } from '../../../public/shared/wire/control.js';
import { readSegmentStream } from '../../../public/shared/wire/segment.js';
import { answerOf } from '../support/answer.js';
import { addressOf, count } from '../support/web-socket.js';

/** The bytes that a player asks for at once, and how often it does, in milliseconds. */
const RANGE_BYTES = 32 * 1024;
const EVERY_MS = 2500;

/** Readers of one network: a school's or an office's. */
const OF_A_NETWORK = 4;

/**
 * Number of readers among which one never reads its answers, and number among which one first asks
 * for a range beyond the file's end.
 */
const STALLED_EVERY = 3;
const BEYOND_EVERY = 10;

/** @type {Attack} */
export async function attack(target, { path, id, http, webTransport }) {
  const { origin, isOver } = target;
  /** @type {Record<string, number>} */
  const answers = {};
  /**
   * Refusals other than for a range beyond the end.
   * @type {Record<string, number>}
   */
  const told = {};
  let bytes = 0;
  let segments = 0;

  /**
   * @param {Agent} agent
   * @param {string} localAddress
   * @param {string | undefined} range
   * @param {boolean} reads
   */
  const ask = (agent, localAddress, range, reads) =>
    new Promise((resolve) => {
      const request = get(
        `${origin}${path}`,
        { agent, localAddress, headers: range === undefined ? {} : { range } },
        (response) => {
          const { statusCode = 0 } = response;
          count(answers, String(statusCode));
          const isError = statusCode >= 400;
          let text = '';
          if (reads || isError)
            response.on(
              'data',
              (chunk) => void (isError ? (text += chunk) : (bytes += chunk.length)),
            );
          response.once('close', () => {
            if (isError && statusCode !== 416) count(told, `${statusCode} ${text.slice(0, 200)}`);
            resolve(undefined);
          });
          if (!reads) resolve(undefined);
        },
      );
      request.once('error', (error) => {
        if (!isOver()) count(answers, `broken off: ${error.message}`);
        resolve(undefined);
      });
    });

  /** @param {number} number */
  const readRanges = async (number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const from = addressOf(Math.floor(number / OF_A_NETWORK));
    const isStalled = number % STALLED_EVERY === 0;
    await pause((EVERY_MS * number) / http);
    if (isStalled) await ask(agent, from, undefined, false);
    for (let at = 0; !isOver(); at++) {
      if (isStalled) {
        await pause(100);
        continue;
      }
      const start = at === 0 && number % BEYOND_EVERY === 1 ? 1e12 : at * RANGE_BYTES;
      const [, next] = [
        await ask(agent, from, `bytes=${start}-${start + RANGE_BYTES - 1}`, true),
        performance.now() + EVERY_MS,
      ];
      while (!isOver() && performance.now() < next) await pause(100);
    }
    agent.destroy();
  };

  const {
    transports: { webtransport },
  } = await answerOf(`${origin}/api/config`);
  const endpoint = new Endpoint({ ioThreads: 1, maxConnections: webTransport });
  /** @param {number} number */
  const readSegments = async (number) => {
    await pause((EVERY_MS * number) / webTransport);
    try {
      const session = await endpoint.connect(
        `https://${target.host}:${target.h3Port}/recording?id=${id}`,
        { certificateHashes: webtransport.certificateHashes },
      );
      count(answers, 'a session');
      session.onClosed = (code, reason) => isOver() || count(told, `closed with ${code} ${reason}`);
      const control = /** @type {Stream} */ (session.openStream());
      session.onStream = (stream) => {
        if (!stream.bidi && number % STALLED_EVERY > 0)
          readSegment(stream, control, (length) => ((bytes += length), (segments += 1)));
      };
      control.write(writeControlLine({ type: 'play', epoch: 1, from: number % 5 }));
    } catch (error) {
      if (!isOver()) count(told, `no session: ${error instanceof Error ? error.message : error}`);
    }
  };
  await Promise.all([
    ...Array.from({ length: http }, (_, number) => readRanges(number)),
    ...Array.from({ length: webTransport }, (_, number) => readSegments(number)),
  ]);
  while (!isOver()) await pause(50);
  await endpoint.close();
  return { answers, told, segments, megabytes: Math.round(bytes / 2 ** 20) };
}

/** @param {Stream} stream @param {Stream} control @param {(bytes: number) => void} onSegment */
function readSegment(stream, control, onSegment) {
  const chunk = new Uint8Array(16 * 1024);
  /** @type {Uint8Array[]} */
  const chunks = [];
  stream.onReadable = () => {
    let length = stream.read(chunk);
    for (; length; length = stream.read(chunk)) chunks.push(chunk.slice(0, length));
    if (length !== null) return;
    const bytes = new Uint8Array(Buffer.concat(chunks));
    const segment = readSegmentStream(bytes);
    if (!segment) return;
    onSegment(bytes.length);
    control.write(writeControlLine({ type: 'got', epoch: segment.epoch, number: segment.number }));
  };
  stream.onReadable();
}
