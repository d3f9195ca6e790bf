import { isBuilt } from '@aloud/native';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { align, alignPieces, levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { readOggOpus } from '../fakes/ogg-file.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const TOKEN = 'a-token-of-more-than-16';
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const [low, high] = await Promise.all(
  ['speech-low', 'speech-high'].map(
    async (name) =>
      (await readWav(new URL(`../../testkit/speech/${name}.wav`, import.meta.url))).channels[0],
  ),
);

/** @type {(() => Promise<unknown>)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(closeAll);

/** @param {string[]} argv */
async function startServer(...argv) {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  open.push(() => rm(directory, { recursive: true, force: true }));
  const given = [
    '--port',
    '0',
    '--h3-port',
    '0',
    '--workers',
    '0',
    '--recording-dir',
    directory,
    '--operator-token',
    TOKEN,
    ...argv,
  ];
  const server = await createServer(loadConfig({ argv: given, env: {} }), { log: quiet });
  open.push(() => server.close());
  return server;
}

/**
 * @param {{ url: string }} server
 * @param {string} name
 * @param {any} transport
 * @param {Float32Array} [speech]
 */
async function joined(server, name, transport, speech) {
  const headless = new Headless({ codec, speech, recordSeconds: 5 });
  open.push(() => headless.close());
  await headless.join({ origin: server.url, room: 'lab', name, transport });
  return headless;
}

/** The last control message of a type. @param {Headless} headless @param {string} type */
const last = ({ controls }, type) => controls.findLast((message) => message.type === type);

/**
 * Likeness of a track to speech: the median correlation of the pieces in which somebody speaks.
 * @param {Float32Array} track
 * @param {Float32Array} speech
 */
function likeness(track, speech) {
  const twice = new Float32Array(2 * speech.length);
  twice.set(speech);
  twice.set(speech, speech.length);
  const heard = track.subarray(track.length - 3 * 48000, track.length - 48000);
  const { lag } = align(heard, twice);
  const pieces = alignPieces(heard, twice, lag, { pieceSamples: 12000, searchSamples: 12000 });
  const correlations = pieces.map(({ correlation }) => correlation).toSorted((a, b) => a - b);
  return correlations[correlations.length >> 1];
}

describe('a recording of a call', () => {
  it("has each person's track as it was spoken, and their sum, to be fetched by its id", () =>
    undisturbed(async () => {
      const server = await startServer();
      const ann = await joined(server, 'Ann', isBuilt() ? 'webtransport' : 'websocket', low);
      const bob = await joined(server, 'Bob', 'websocket', high);
      const cid = await joined(server, 'Cid', 'http1', high);
      ann.sendControl({ type: 'record', on: true });
      await vi.waitFor(() => expect(last(cid, 'recording')?.recording.on).toBe(true));
      bob.sendControl({ type: 'recordConsent', agreed: true });
      await vi.waitFor(() => {
        const recorded = server.rooms
          .get('lab')
          ?.describe()
          .people.map((person) => person.recorded);
        expect(recorded).toEqual([true, true, false]);
      });
      await pause(6000);
      cid.sendControl({ type: 'record', on: false });
      await vi.waitFor(() => expect(last(cid, 'refused')?.code).toBe('recording-others'));
      ann.sendControl({ type: 'record', on: false });
      await vi.waitFor(() => expect(last(ann, 'recording')?.recording.ready).toBe(true));
      const { id } = last(ann, 'recording')?.recording ?? {};
      const path = `${server.url}/api/recordings/${id}`;
      const list = await (await fetch(`${path}/`)).json();
      expect(list.files.map((/** @type {any} */ { file }) => file)).toEqual([
        'mix.opus',
        '01-ann.opus',
        '02-bob.opus',
      ]);
      const tracks = [];
      for (const { file, bytes } of list.files) {
        const response = await fetch(`${path}/${file}`);
        expect(response.headers.get('content-type')).toBe('audio/ogg; codecs=opus');
        expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`);
        const body = new Uint8Array(await response.arrayBuffer());
        expect(body.length).toBe(bytes);
        tracks.push(await readOggOpus(body));
      }
      const [mix, annTrack, bobTrack] = tracks.map(({ samples }) => samples);
      expect(annTrack.length).toBe(bobTrack.length);
      expect(likeness(annTrack, low)).toBeGreaterThan(0.8);
      expect(likeness(bobTrack, high)).toBeGreaterThan(0.8);
      for (const track of [annTrack, bobTrack])
        expect(Math.abs(levelDb(track) - levelDb(low))).toBeLessThan(4);
      const sum = annTrack.map((sample, i) => sample + bobTrack[i]);
      const mixed = align(mix.subarray(96000, 240000), sum);
      expect(mixed.lag).toBe(96000);
      expect(mixed.correlation).toBeGreaterThan(0.95);

      const beyond = await fetch(`${path}/mix.opus`, { headers: { range: 'bytes=100000000-' } });
      expect([beyond.status, await beyond.json()]).toMatchObject([416, { code: 'range-beyond' }]);
      expect((await fetch(`${path}/01-cid.opus`)).status).toBe(404);
      expect((await fetch(`${path}/..%2f..%2fetc%2fpasswd`)).status).toBe(404);
      expect((await fetch(`${path}/recording.json`)).status).toBe(404);
      expect((await fetch(`${server.url}/api/recordings/${'A'.repeat(22)}/`)).status).toBe(404);
      expect((await fetch(path, { method: 'DELETE' })).status).toBe(401);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const all = await (await fetch(`${server.url}/api/recordings`, { headers })).json();
      expect(all.recordings).toEqual([
        {
          id,
          room: 'lab',
          startedAt: expect.any(String),
          stoppedAt: expect.any(String),
          on: false,
          isPublic: false,
        },
      ]);
      expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(204);
      expect((await fetch(`${path}/mix.opus`)).status).toBe(410);
    }, closeAll));
});

describe('chat', () => {
  it('reaches people on any transport, in order, and newcomers', async () => {
    const server = await startServer();
    const transports = [...(isBuilt() ? ['webtransport'] : []), 'websocket', 'http1'];
    const people = /** @type {Headless[]} */ ([]);
    for (const transport of transports) people.push(await joined(server, transport, transport));
    for (const [i, person] of people.entries()) {
      for (let j = 0; j < 4; j++) person.sendControl({ type: 'chat', text: `${i}.${j}` });
    }
    const texts = (/** @type {Headless} */ { controls }) =>
      controls.filter(({ type }) => type === 'chat').map(({ message }) => message.text);
    await vi.waitFor(() => {
      for (const person of people) expect(texts(person).length).toBe(4 * people.length);
    });
    for (const person of people) {
      expect(texts(person)).toEqual(texts(people[0]));
      for (const i of people.keys())
        expect(texts(person).filter((text) => text.startsWith(`${i}.`))).toEqual(
          [0, 1, 2, 3].map((j) => `${i}.${j}`),
        );
    }
    const late = await joined(server, 'Late', 'http1');
    expect(last(late, 'welcome')?.chat.map((/** @type {any} */ { text }) => text)).toEqual(
      texts(people[0]),
    );
  });
});
