/** Programs that send to an Icecast server send to a room: the sound that its people hear. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeSound } from '../../programs/client.js';
import { counted } from '../../server/counts.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { hear, openStreamRoom } from '../support/stream-room.js';
import { toneIn } from '../support/tone.js';

const RATE = 48_000;
const TONE_HZ = 1000;
const AMPLITUDE = 0.25;

/** An Ogg Opus file of a tone, by the project's own encoder. @param {number} seconds */
async function makeTone(seconds) {
  const directory = mkdtempSync(joinPath(tmpdir(), 'aloud-tone-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = joinPath(directory, 'tone.opus');
  const writer = await writeSound(file, { sampleRate: RATE, channels: 1 });
  writer.write(
    Float32Array.from(
      { length: seconds * RATE },
      (_, i) => AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * i) / RATE),
    ),
  );
  writer.end();
  return readFileSync(file);
}

/**
 * Sends a request over a connection of its own.
 * @param {number} port
 * @param {string[]} head
 */
function request(port, head) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (bytes) => (text += bytes));
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const ended = new Promise((resolve) => socket.once('close', () => resolve(null)));
  const answer = async (/** @type {RegExp} */ pattern) => {
    await expect.poll(() => text).toMatch(pattern);
    return text;
  };
  return { socket, answer, ended, text: () => text };
}

/** @param {string} password @param {string} [user] */
const basic = (password, user = 'source') =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('a stream by Icecast’s protocol', () => {
  it('by SOURCE, as fast as it goes, is heard at its level, with name and title', () =>
    undisturbed(async () => {
      const { server, ann, key } = await openStreamRoom();
      const tone = await makeTone(8);
      const { socket, answer } = request(server.port, [
        'SOURCE /listen/tea HTTP/1.0',
        basic(key),
        'Content-Type: audio/ogg',
        'ice-name: Radio Größe',
      ]);
      await answer(/^HTTP\/1\.1 200 OK\r\n/);
      socket.write(tone);
      await pass(1500);
      const { level, hz, gaps } = toneIn(await hear(ann, 3), ann.sampleRate);
      expect(hz).toBeCloseTo(TONE_HZ, 0);
      expect(Math.abs(level - 20 * Math.log10(AMPLITUDE / Math.SQRT2))).toBeLessThan(1);
      expect(gaps).toBe(0);
      expect(ann.people.at(-1)).toMatchObject({ name: 'Radio Größe', transport: 'icecast' });

      const url = `${server.url}/admin/metadata?mode=updinfo&mount=/listen/tea&song=Ann+-+T%C3%A9a`;
      const headers = { Authorization: basic(key).slice('Authorization: '.length) };
      const told = await fetch(url, { headers });
      expect([told.status, await told.text()]).toEqual([
        200,
        expect.stringContaining('<return>1</return>'),
      ]);
      await expect.poll(() => ann.people.at(-1)).toMatchObject({ title: 'Ann - Téa' });
      const wrong = await fetch(url, { headers: { Authorization: `${headers.Authorization}x` } });
      expect(wrong.status).toBe(401);
    }));

  it('by PUT, in real time and in chunks, ends with the last of them', () =>
    undisturbed(async () => {
      const { server, ann, key } = await openStreamRoom();
      const tone = await makeTone(4);
      const { socket, answer } = request(server.port, [
        'PUT /listen/tea.ogg HTTP/1.1',
        `Host: 127.0.0.1:${server.port}`,
        basic(key),
        'Content-Type: application/ogg',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue',
      ]);
      await answer(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      const heard = hear(ann, 3);
      for (let at = 0; at < tone.length; at += tone.length / 20) {
        const part = tone.subarray(at, at + tone.length / 20);
        socket.write(`${part.length.toString(16)}\r\n`);
        socket.write(part);
        socket.write('\r\n');
        await pass(200);
      }
      socket.write('0\r\n\r\n');
      const { hz } = toneIn((await heard).subarray(2 * RATE), ann.sampleRate);
      expect(hz).toBeCloseTo(TONE_HZ, 0);
      await answer(/HTTP\/1\.1 200 OK\r\n/);
      await expect.poll(() => ann.people.length).toBe(1);
    }));

  it('is refused with a sentence, and counted', async () => {
    const { server, key } = await openStreamRoom();
    const ask = (/** @type {string[]} */ ...more) =>
      request(server.port, ['PUT /listen/tea HTTP/1.1', 'Host: 127.0.0.1', ...more]);
    const count = (/** @type {string} */ of) =>
      counted()
        .refusals.filter(({ code }) => code === of)
        .reduce((sum, { count: times }) => sum + times, 0);
    const [before, formats] = [count('stream-key'), count('stream-format')];
    await ask().answer(/^HTTP\/1\.1 401 .*WWW-Authenticate: Basic.*stream key/s);
    await ask(basic('wrong')).answer(/^HTTP\/1\.1 401 .*WWW-Authenticate: Basic.*stream key/s);
    await ask(basic(key, 'admin')).answer(/^HTTP\/1\.1 401 /);
    expect(count('stream-key') - before).toBe(3);
    await ask(basic(key), 'Content-Type: audio/mpeg').answer(/^HTTP\/1\.1 415 .*Choose Opus/s);
    await request(server.port, ['SOURCE /listen/nobody HTTP/1.0', basic(key)]).answer(
      /^HTTP\/1\.1 404 .*Nobody is in this room/s,
    );
    const first = ask(basic(key));
    await first.answer(/ 200 OK/);
    await ask(basic(key)).answer(/^HTTP\/1\.1 409 .*Another program/s);
    // Vorbis, FLAC and anything else can't be told before it comes.
    first.socket.write('ID3 and no Ogg at all'.repeat(10));
    await first.ended;
    await expect.poll(() => count('stream-format') - formats).toBe(2);
  });

  it('that stalls is ended, and the others stay', async () => {
    const { server, ann, key } = await openStreamRoom();
    const tone = await makeTone(2);
    const { socket, answer, ended } = request(server.port, [
      'PUT /listen/tea HTTP/1.1',
      'Host: 127.0.0.1',
      'Expect: 100-continue',
      basic(key),
    ]);
    await answer(/100 Continue/);
    socket.write(tone.subarray(0, tone.length - 100));
    await expect.poll(() => ann.people.length).toBe(2);
    await answer(/HTTP\/1\.1 408 .*No sound came/s).catch(() => {});
    await ended;
    expect(ann.people.length).toBe(1);
    expect(ann.state).toBe('joined');
  });
});
