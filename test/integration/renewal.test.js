/**
 * A certificate that is replaced during a call: nobody in it notices, and newcomers get in.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { isBuilt } from '@aloud/native';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { align, levelDb } from '../../testkit/sound/signal.js';
import { generateCertificate, writeCertificate } from '../../server/certificate/generate.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { DaySchedule } from '../../testkit/fake-clock.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { openLink } from '../support/fragile-link.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const codec = await loadCodec('libopus-wasm');
const log = { error: vi.fn(), warn: vi.fn(), info() {}, debug() {} };

/** @type {(() => unknown)[]} */
const open = [];
/** @type {DaySchedule} */
let schedule;
/** @type {string} */
let directory;

function begin() {
  schedule = new DaySchedule();
  directory = mkdtempSync(join(tmpdir(), 'aloud-renewal-'));
}
beforeEach(begin);

async function end() {
  for (const close of open.splice(0).toReversed()) await close();
  rmSync(directory, { recursive: true });
  expect(schedule.waiting.size).toBe(0);
  expect(log.error).not.toHaveBeenCalled();
}
afterEach(end);

/** A test that hears: it starts over after a disturbance. @param {() => Promise<void>} test */
const hearing = (test) => () =>
  undisturbed(test, async () => {
    await end();
    begin();
  });

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} });
  const server = await createServer(config, {
    log,
    clock: schedule,
    wallNow: () => schedule.wallMs,
  });
  open.push(() => server.close());
  return server;
}

const tone = Float32Array.from(
  { length: 48_000 },
  (_, i) => 0.3 * Math.sin((2 * Math.PI * 440 * i) / 48_000),
);
/** Words, so to speak: what is steady for long is taken for a hum. */
const words = Float32Array.from({ length: 96_000 }, (_, i) => {
  const word = Math.floor(i / 12_000);
  return word % 2 === 0 ? 0.3 * Math.sin((2 * Math.PI * (300 + 70 * word) * i) / 48_000) : 0;
});
/**
 * @param {string} origin @param {string} name @param {Float32Array} [speech]
 * @param {Partial<ConstructorParameters<typeof Headless>[0]>} [options]
 */
async function joinCall(origin, name, speech, options) {
  const headless = new Headless({ codec, speech, recordSeconds: 30, ...options });
  open.push(() => headless.close());
  await headless.join({ origin, room: 'lab', name, transport: 'webtransport' });
  return headless;
}

/** The level of what was heard last. @param {Headless} listener */
const lastSecond = ({ recording, recorded }) =>
  levelDb(recording.subarray(Math.max(0, recorded - 48_000), recorded));

/** @param {string} origin @returns {Promise<string[]>} */
const hashesOf = async (origin) =>
  (await (await fetch(`${origin}/api/config`)).json()).transports.webtransport.certificateHashes;

requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative).describe(
  'the certificate that the server makes',
  () => {
    it(
      'is announced, then served, while a call goes on',
      hearing(async () => {
        const { url } = await startServer('--cert-dir', directory);
        const listener = await joinCall(url, 'Listener');
        await joinCall(url, 'Speaker', tone);
        const [first, ...none] = await hashesOf(url);
        expect(none).toEqual([]);
        await pass(1500);

        schedule.pass(9.5);
        await vi.waitFor(async () => expect(await hashesOf(url)).toHaveLength(2));
        const [, next] = await hashesOf(url);
        schedule.pass(1);
        await vi.waitFor(async () => expect(await hashesOf(url)).toEqual([next]));
        expect(next).not.toBe(first);

        const from = listener.recorded;
        await pass(1500);
        expect(listener.ended).toBe(null);
        const heard = listener.recording.subarray(from, listener.recorded);
        expect(levelDb(heard)).toBeGreaterThan(-20);
        expect(align(tone.subarray(0, 4800), heard).correlation).toBeGreaterThan(0.8);
        const late = await joinCall(url, 'Late');
        await vi.waitFor(() => expect(late.people).toHaveLength(3));
      }),
    );

    it(
      'is known to a call that comes back after it was replaced',
      hearing(async () => {
        const server = await startServer('--cert-dir', directory);
        const link = await openLink(server);
        open.push(() => link.close());
        const listener = await joinCall(link.url, 'Listener', undefined, {
          lasting: true,
          fetch: link.fetch,
        });
        await joinCall(server.url, 'Speaker', words);
        const [first] = await hashesOf(server.url);
        await vi.waitFor(() => expect(lastSecond(listener)).toBeGreaterThan(-25));
        const { people } = listener;

        schedule.pass(9.5);
        await vi.waitFor(async () => expect(await hashesOf(server.url)).toHaveLength(2));
        schedule.pass(1);
        await vi.waitFor(async () => expect(await hashesOf(server.url)).not.toContain(first));
        link.cut({ udp: true, tcp: true });
        await vi.waitFor(() => expect(listener.states.at(-1)).toBe('away'));
        await vi.waitFor(() => expect(lastSecond(listener)).toBeLessThan(-60));
        await link.forget();
        link.cut({});
        await vi.waitFor(() => expect(listener.states.at(-1)).toBe('joined'), 20_000);
        await vi.waitFor(() => expect(lastSecond(listener)).toBeGreaterThan(-25));
        expect(listener.transport).toBe('webtransport');
        expect(listener.people.map(({ id, name }) => [id, name])).toEqual(
          people.map(({ id, name }) => [id, name]),
        );
      }),
    );
  },
);

describe("one's own certificate", () => {
  const cert = () => join(directory, 'certificate.pem');
  const key = () => join(directory, 'key.pem');

  const replace = async () => {
    const made = await generateCertificate({
      hosts: ['localhost'],
      now: new Date(schedule.wallMs),
      days: 5,
    });
    writeCertificate(directory, made);
    return made;
  };

  /**
   * @param {string} url
   * @param {string} ca
   * @returns {Promise<number | undefined>} the page's status
   */
  const statusOf = (url, ca) =>
    new Promise((resolve, reject) => {
      const asked = request(`${url}/r/lab`, { ca, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });

  it('is served for page and WebSockets, as is the new one once its files change', async () => {
    const first = await replace();
    const { url } = await startServer('--engine', 'none', '--cert', cert(), '--key', key());
    expect(url).toMatch(/^https:/);
    expect(await statusOf(url, first.certPem)).toBe(200);
    const socket = new WebSocket(`${url.replace('https', 'wss')}/session`, {
      ca: first.certPem,
      origin: url,
    });
    open.push(() => socket.terminate());
    await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
    const welcome = new Promise(
      (resolve) => void socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    socket.send(JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' }));
    expect(await welcome).toMatchObject({ type: 'welcome', room: 'lab' });

    const second = await replace();
    schedule.pass(0);
    expect(await statusOf(url, second.certPem)).toBe(200);
    await expect(statusOf(url, first.certPem)).rejects.toThrow();
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const changed = new Promise(
      (resolve) =>
        void socket.on('message', (data) => String(data).includes('changed') && resolve(true)),
    );
    socket.send('{"type":"mute","muted":true}');
    expect(await changed).toBe(true);
  });
});
