/** Recordings from people's own devices, sent to the server beside a recording. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { MAX_OWN_PIECE_BYTES } from '../../../public/shared/limits.js';
import { wavHeader } from '../../../public/shared/sound/wav.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { Headless } from '../../../testkit/participants/headless.js';

const codec = await loadCodec('libopus-wasm');

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/**
 * @param {number} samples
 * @param {number} timeReference
 */
function wavOf(samples, timeReference) {
  const sound = Uint8Array.from({ length: samples * 3 }, (_, i) => i * 7);
  const header = wavHeader(
    { sampleRate: 48_000, channels: 1, timeReference, description: 'tea', date: new Date() },
    sound.length,
  );
  return Buffer.concat([header, sound]);
}

/** A room with a recording, in which Ann is and Ben isn't. @param {...string} argv */
async function recordedRoom(...argv) {
  const directory = await mkdtemp(join(tmpdir(), 'own-tracks-'));
  open.push(() => rm(directory, { recursive: true, force: true }));
  const server = await startServer('--recording-dir', directory, ...argv);
  open.push(() => server.close());
  const join_ = async (/** @type {string} */ name) => {
    const guest = new Headless({ codec, speech: new Float32Array(480), recordSeconds: 0 });
    open.push(() => guest.close());
    await guest.join({ origin: server.url, room: 'tea', name, transport: 'websocket' });
    const { resume, you } = guest.controls.find(({ type }) => type === 'welcome') ?? {};
    return { guest, resume, you };
  };
  const ann = await join_('Ann');
  const ben = await join_('Ben');
  ann.guest.sendControl({ type: 'record', on: true });
  const state = () => ann.guest.controls.findLast(({ type }) => type === 'recording')?.recording;
  await expect.poll(() => state()?.on).toBe(true);
  const id = String(state()?.id);
  const url = `${server.url}/api/recordings/${id}`;
  const describe = async () => (await fetch(url)).json();
  // Their track begins with their first sound.
  await expect.poll(async () => JSON.stringify(await describe())).toContain('01-ann.opus');
  /**
   * @param {string} token
   * @param {Uint8Array<ArrayBuffer>} file
   * @param {number} [piece]
   * @returns {Promise<string>} the code of the refusal; '' for none
   */
  const send = async (token, file, piece = MAX_OWN_PIECE_BYTES, from = 0) => {
    for (let at = from; at < file.length; at += piece) {
      const answer = await fetch(`${url}/own?at=${at}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}` },
        body: file.subarray(at, at + piece),
      });
      if (!answer.ok) return (await answer.json()).code;
    }
    return '';
  };
  const stop = async () => {
    ann.guest.sendControl({ type: 'record', on: false });
    await expect.poll(() => state()?.ready).toBe(true);
  };
  return { ann, ben, id, url, send, stop, describe, directory, server, join: join_ };
}

it('a person’s own recording is kept beside their track, with its place', async () => {
  const { ann, ben, url, send, stop, describe, directory, id } = await recordedRoom();
  const [anns, bens] = [ann, ben].map(({ resume }) => resume);
  expect(await send(anns, wavOf(10, 0))).toBe('own-refused');
  await stop();
  const { firstSample } = await describe();
  const file = wavOf(1_500_000, firstSample + 24_000);
  expect(await send(bens, file)).toBe('own-refused');
  expect(await send('x', file)).toBe('own-refused');
  expect(await send(anns, file)).toBe('');
  const got = await fetch(`${url}/01-ann.wav`);
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  expect(Buffer.from(await got.arrayBuffer()).equals(file)).toBe(true);
  await expect
    .poll(async () => (await describe()).files.at(-1))
    .toEqual({
      file: '01-ann.wav',
      label: 'Ann · WAV',
      person: ann.you,
      seconds: 31.25,
      offset: 0.5,
      bytes: file.length,
    });
  // The tracks of the server say where they begin, too.
  const ogg = await readFile(join(directory, id, 'mix.opus'), 'latin1');
  expect(ogg).toContain(`TIME_REFERENCE=${firstSample}`);
});

it('nobody adds to a track of an earlier call by having its person’s id', async () => {
  const { ann, ben, send, stop, describe, server, join: enter } = await recordedRoom();
  await stop();
  for (const { guest } of [ben, ann]) guest.sendControl({ type: 'leave' });
  const room = `${server.url}/api/rooms/tea`;
  await expect.poll(async () => (await fetch(room)).status).toBe(404);
  const again = await enter('Ben');
  expect(again.you).toBe(ann.you);
  const file = wavOf(1000, 0);
  expect(await send(again.resume, file)).toBe('own-refused');
  expect(await send(ann.resume, file)).toBe('');
  expect(JSON.stringify(await describe())).not.toMatch(/"place"/);
});

it('what is no such file, or doesn’t fit, is refused and takes no space', async () => {
  const { ann, send, stop, describe } = await recordedRoom('--recording-limit', '3MB');
  const { resume } = ann;
  await stop();
  const file = wavOf(100_000, 0);
  expect(await send(resume, Buffer.alloc(5000))).toBe('own-invalid');
  expect(await send(resume, file.subarray(0, 600))).toBe('own-invalid');
  expect(await send(resume, Buffer.concat([file, Buffer.alloc(1)]))).toBe('own-invalid');
  expect(await send(resume, file, 100_000, 50_000)).toBe('own-invalid');
  expect(await send(resume, wavOf(1_000_000, 0))).toBe('recording-limit');
  expect(await send(resume, Buffer.alloc(MAX_OWN_PIECE_BYTES + 1), 9e9)).toBe('body-too-large');
  // A file that was begun is begun again, and nobody sends more than five.
  await send(resume, file.subarray(0, 200_000), 100_000);
  const files = Array.from({ length: 6 }, (_, i) => wavOf(100_000, i));
  for (const one of files.slice(0, 5)) expect(await send(resume, one, 100_000)).toBe('');
  // Sent again, the last one is there already.
  expect(await send(resume, files[4], 100_000)).toBe('');
  expect(await send(resume, files[5])).toBe('own-refused');
  await expect
    .poll(async () =>
      (await describe()).files.map((/** @type {{ file: string }} */ one) => one.file),
    )
    .toEqual([
      ...['mix.opus', '01-ann.opus', '01-ann.wav', '01-ann-2.wav'],
      ...['01-ann-3.wav', '01-ann-4.wav', '01-ann-5.wav'],
    ]);
});
