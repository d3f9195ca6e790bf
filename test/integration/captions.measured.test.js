/** Captions between programs over real connections, and beside a recording. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeRoomKey } from '../../public/shared/links.js';
import { readTranscript, search } from '../../public/recordings/transcript-list.js';
import { join } from '../../programs/client.js';
import { startServer } from '../../testkit/aloud-server.js';
import { align, levelDb } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const RATE = 48_000;
/** Length of compared pieces, in samples: 100 ms. */
const PIECE = RATE / 10;
const [low, high] = await Promise.all(
  ['speech-low', 'speech-high'].map(
    async (name) =>
      (await readWav(new URL(`../../testkit/speech/${name}.wav`, import.meta.url))).channels[0],
  ),
);

async function openServer() {
  const directory = await mkdtemp(joinPath(tmpdir(), 'aloud-captions-'));
  const server = await startServer('--recording-dir', directory);
  onTestFinished(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  return server;
}

/**
 * @param {string} url
 * @param {string} name
 * @param {Partial<import('../../programs/types.js').JoinOptions>} [options]
 */
async function enter(url, name, options = {}) {
  const call = await join({ url, name, ...options });
  onTestFinished(() => call.leave());
  /** @type {import('../../programs/types.js').ReceivedCaption[]} */
  const read = [];
  call.on('caption', (caption) => void read.push(caption));
  /** @type {string[]} */
  const refused = [];
  call.on('message', ({ type, of, code }) => {
    if (type === 'refused') refused.push(`${of} ${code}`);
  });
  return { call, read, refused };
}

/**
 * Likeness of heard sound to speech: the median correlation of its pieces, wherever they are. A
 * player changes its delay, and nothing comes in pauses.
 * @param {Float32Array} speech
 * @param {Float32Array} heard
 */
function likeness(speech, heard) {
  const best = [];
  for (let at = 0; at < 2 * RATE; at += 3 * PIECE) {
    const piece = speech.subarray(at, at + PIECE);
    if (levelDb(piece) > -30) best.push(align(piece, heard).correlation);
  }
  return best.toSorted((x, y) => x - y)[best.length >> 1];
}

describe('captions between programs', () => {
  it('go from a speaker, and from a program for a speaker, to those who ask', async () => {
    const server = await openServer();
    const url = `${server.url}/r/tea`;
    const ann = await enter(url, 'Ann');
    const bob = await enter(url, 'Bob', { transport: 'websocket' });
    const scribe = await enter(url, 'Scribe', { transport: 'http1' });
    ann.call.caption('Nobody asked', { lang: 'en' });
    await expect.poll(() => ann.refused).toEqual(['caption captions-off']);
    expect(ann.call.captionsWanted).toBe(false);
    bob.call.captions({ want: true });
    await expect.poll(() => ann.call.captionsWanted).toBe(true);
    ann.call.caption('Good mor', { lang: 'en', final: false });
    ann.call.caption('Good morning', { lang: 'en' });
    const seen = () => bob.read.map(({ name, by, text, final }) => [name, by, text, final]);
    const spoken = [
      ['Ann', undefined, 'Good mor', false],
      ['Ann', undefined, 'Good morning', true],
    ];
    // Two people send over two connections.
    await expect.poll(seen).toEqual(spoken);
    scribe.call.captions({ write: true });
    scribe.call.caption('I wrote this', { lang: 'en-GB', person: ann.call.you });
    await expect.poll(seen).toEqual([...spoken, ['Ann', 'Scribe', 'I wrote this', true]]);
    expect([ann.read, scribe.read]).toEqual([[], []]);
  });

  it('are sealed in a room with end-to-end encryption', async () => {
    const server = await openServer();
    const e2eKey = makeRoomKey();
    const url = `${server.url}/r/secret`;
    const [ann, bob] = [await enter(url, 'Ann', { e2eKey }), await enter(url, 'Bob', { e2eKey })];
    const eve = await enter(url, 'Eve', { e2eKey: makeRoomKey() });
    // Captions that the server passes on, as a participant gets them.
    const passed = /** @type {any[]} */ ([]);
    const room = server.rooms.get('secret');
    const captions = room?.record.captions;
    const [write, ask] = [captions?.write.bind(captions), captions?.ask.bind(captions)];
    let asked = 0;
    if (captions && write && ask) {
      captions.write = (member, message) => (passed.push(message), write(member, message));
      captions.ask = (member, wish) => ((asked += 1), ask(member, wish));
    }
    for (const one of [bob, eve]) one.call.captions({ want: true });
    // The first of the two is enough for Ann.
    await expect.poll(() => asked).toBe(2);
    await expect.poll(() => ann.call.captionsWanted).toBe(true);
    ann.call.caption('The code is 1234, ünïcödé', { lang: 'en' });
    await expect
      .poll(() => bob.read.map(({ text }) => text))
      .toEqual(['The code is 1234, ünïcödé']);
    expect(passed).toHaveLength(1);
    expect(passed[0].text).toBe(undefined);
    expect(Buffer.from(passed[0].sealed, 'base64').toString('latin1')).not.toContain('1234');
    expect(eve.read).toEqual([]);
    // Another language would be another caption: what is in clear is authenticated.
    captions?.write(/** @type {any} */ (room?.find(ann.call.you)), { ...passed[0], lang: 'de' });
    captions?.write(/** @type {any} */ (room?.find(ann.call.you)), passed[0]);
    ann.call.caption('Once more', { lang: 'en' });
    await expect.poll(() => bob.read.at(-1)?.text).toBe('Once more');
    expect(bob.read).toHaveLength(2);
  });

  it('are kept with a recording, and found on its page', async () => {
    const server = await openServer();
    const url = `${server.url}/r/kept`;
    const [ann, bob] = [await enter(url, 'Ann'), await enter(url, 'Bob')];
    /** @type {any} */
    let recording = null;
    ann.call.on('message', (message) => {
      if (message.type === 'recording') ({ recording } = message);
    });
    ann.call.send({ type: 'record', on: true });
    bob.call.captions({ want: true });
    await expect.poll(() => recording?.on).toBe(true);
    await expect.poll(() => ann.call.people.find(({ you }) => you)?.name).toBe('Ann');
    await expect.poll(() => ann.call.captionsWanted).toBe(true);
    await ann.call.say(low.subarray(0, 2 * RATE));
    ann.call.caption('Two cups of café, please', { lang: 'en', seconds: 2 });
    bob.call.caption('I was not asked', { lang: 'en' });
    await expect.poll(() => bob.read).toHaveLength(2);
    ann.call.send({ type: 'record', on: false });
    await expect.poll(() => recording?.ready).toBe(true);
    const at = `${server.url}/api/recordings/${recording.id}`;
    expect(await (await fetch(`${at}/`)).json()).toMatchObject({ transcript: true });
    const answer = await fetch(`${at}/transcript.vtt`);
    expect(answer.headers.get('content-type')).toMatch('text/vtt');
    const cues = readTranscript(await answer.text());
    expect(cues).toEqual([
      expect.objectContaining({ label: 'Ann', lang: 'en', text: 'Two cups of café, please' }),
    ]);
    expect(cues[0].to - cues[0].from).toBeCloseTo(2, 0);
    expect(search(cues, 'CAFE two')).toHaveLength(1);
    expect(search(cues, 'tea')).toEqual([]);
  });
});

describe('voices apart', () => {
  it('come to a program in a mixed room, each as it was spoken', () =>
    undisturbed(async () => {
      const server = await openServer();
      const url = `${server.url}/r/apart`;
      const [ann, bob] = [await enter(url, 'Ann'), await enter(url, 'Bob')];
      const scribe = await enter(url, 'Scribe', { voices: true });
      /** @type {Map<string, Float32Array[]>} */
      const voices = new Map();
      scribe.call.on('voice', (person, samples) => {
        voices.set(person, [...(voices.get(person) ?? []), samples]);
      });
      expect(server.rooms.get('apart')?.sound.delivery.mode).toBe('mix');
      const said = { [ann.call.you]: low, [bob.call.you]: high };
      await Promise.all(
        [ann, bob].map(async ({ call }) => {
          await call.say(said[call.you].subarray(0, 2 * RATE));
          await call.said();
        }),
      );
      for (const { call } of [ann, bob]) {
        const pieces = voices.get(call.you) ?? [];
        const heard = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
        let at = 0;
        for (const piece of pieces) {
          heard.set(piece, at);
          at += piece.length;
        }
        const other = call === ann.call ? high : low;
        expect(likeness(said[call.you], heard)).toBeGreaterThan(0.9);
        expect(likeness(other, heard)).toBeLessThan(0.6);
      }
    }));
});
