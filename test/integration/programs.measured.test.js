/** Sound brought into a room and out of it by commands, by HTTP and by the client for programs. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { align, alignPieces, findGaps } from '../../testkit/sound/signal.js';
import { formatWav, parseWav, readWav } from '../../testkit/sound/wav.js';
import { answerHands } from '../../examples/answer-hands.js';
import { playMusic } from '../../examples/play-music.js';
import { recordRoom } from '../../examples/record-room.js';
import { join } from '../../programs/client.js';
import { makeToken } from '../../server/access/token.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { readOggOpus } from '../fakes/ogg-file.js';
import { hasFfmpeg, ofTheMachine, requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const RATE = 48_000;
const {
  channels: [speech],
} = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));
const said = speech.subarray(0, 2 * RATE);

/** @param {string[]} argv */
async function startServer(...argv) {
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} }),
    { log: quiet },
  );
  onTestFinished(() => server.close());
  return server;
}

function scratch() {
  const directory = mkdtempSync(joinPath(tmpdir(), 'aloud-programs-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return (/** @type {string} */ name) => joinPath(directory, name);
}

/**
 * @param {string[]} args
 * @param {{ input?: Uint8Array | null, path?: string }} [options] input: null for a pipe in which
 *   nothing comes
 */
function run(args, { input, path = process.env.PATH ?? '' } = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, PATH: path } });
  const told = { stdout: /** @type {Buffer[]} */ ([]), stderr: '' };
  child.stdout.on('data', (bytes) => told.stdout.push(bytes));
  child.stderr.on('data', (bytes) => (told.stderr += bytes));
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  const ended = new Promise(
    (/** @type {(exit: number | string | null) => void} */ resolve) =>
      void child.on('close', (code, signal) => resolve(code ?? signal)),
  );
  return { child, ended, told };
}

/**
 * Waits for people: some are processes that start.
 * @param {Awaited<ReturnType<typeof startServer>>} server
 * @param {number} count people in the room
 */
const present = (server, count) =>
  expect
    .poll(() => server.rooms.get('hall')?.publicView.present ?? 0, { timeout: 30_000 })
    .toBe(count);

/**
 * The heard sound is the spoken one, as loud, without a gap. On a busy machine players change their
 * delay in between. So pieces of 200 ms are compared, most of which have no such place.
 * @param {Float32Array} heard
 */
function expectSaid(heard) {
  const { lag } = align(said, heard);
  const pieces = alignPieces(said, heard, lag, { pieceSamples: RATE / 5, searchSamples: RATE / 5 });
  const middle = (/** @type {number[]} */ values) =>
    values.toSorted((x, y) => x - y)[values.length >> 1];
  expect(middle(pieces.map(({ correlation }) => correlation))).toBeGreaterThan(0.95);
  expect(Math.abs(middle(pieces.map(({ gainDb }) => gainDb)))).toBeLessThan(1);
  expect(findGaps(said, heard, lag, { longerThan: RATE / 20 })).toEqual([]);
}

describe('sound', () => {
  it('goes from a file into a room, and from there to files, by commands and over HTTP', () =>
    undisturbed(async () => {
      const server = await startServer();
      const path = scratch();
      writeFileSync(path('in.wav'), formatWav({ sampleRate: RATE, channels: [said] }));
      const where = ['--server', server.url, '--room', 'hall'];
      const wav = run(['listen', ...where, '-o', path('out.wav')]);
      await present(server, 1);
      const overHttp = fetch(`${server.url}/listen/hall`).then((answer) => answer.arrayBuffer());
      const ogg = run(['listen', ...where, '-o', path('out.opus')]);
      const raw = run([
        'listen',
        ...where,
        '-o',
        '-',
        '--duration',
        '0.5',
        '--transport',
        'websocket',
      ]);
      expect(await raw.ended, raw.told.stderr).toBe(0);
      expect(Buffer.concat(raw.told.stdout).length).toBe(0.5 * RATE * 2);
      await present(server, 3);
      const player = run(['play', path('in.wav'), ...where]);
      expect(await player.ended, player.told.stderr).toBe(0);
      // Both are 1.5 s behind the room.
      await pass(2000);
      for (const { child } of [wav, ogg]) child.kill('SIGINT');
      expect(await Promise.all([wav.ended, ogg.ended]), wav.told.stderr + ogg.told.stderr).toEqual([
        0, 0,
      ]);
      const {
        sampleRate,
        channels: [heard],
      } = parseWav(readFileSync(path('out.wav')));
      expect(sampleRate).toBe(RATE);
      expectSaid(heard);
      expectSaid((await readOggOpus(readFileSync(path('out.opus')))).samples);
      await server.close();
      const file = await readOggOpus(new Uint8Array(await overHttp));
      expect(file.ended).toBe(true);
      expectSaid(file.samples);
    }));

  it('goes through a call’s streams again after one has been used', async () => {
    const server = await startServer('--engine', 'none');
    const call = await join({ url: server.url, room: 'hall', transport: 'websocket' });
    onTestFinished(() => call.leave());
    for (let times = 0; times < 2; times++) {
      const source = new ReadableStream({
        start(controller) {
          controller.enqueue(said.subarray(0, RATE / 10));
          controller.close();
        },
      });
      await source.pipeTo(call.voice);
      let pieces = 0;
      for await (const samples of call.heard) if (samples.length > 0 && ++pieces === 2) break;
      expect(pieces).toBe(2);
    }
  });

  it('goes from program to program, with what is written and shown', () =>
    undisturbed(async () => {
      const server = await startServer();
      const [ann, bob] = [
        await join({ url: server.url, room: 'hall', name: 'Ann' }),
        await join({ url: `${server.url}/r/hall`, name: 'Bob', transport: 'websocket' }),
      ];
      onTestFinished(() => ann.leave());
      onTestFinished(() => bob.leave());
      await expect.poll(() => ann.people.map(({ name }) => name)).toEqual(['Ann', 'Bob']);
      expect([bob.sampleRate, bob.channels, bob.state, bob.room]).toEqual([
        RATE,
        1,
        'joined',
        'hall',
      ]);
      /** @type {Float32Array[]} */
      const pieces = [];
      const reading = (async () => {
        for await (const piece of bob.heard) pieces.push(piece);
      })();
      const chat = new Promise((resolve) => void bob.once('chat', resolve));
      ann.chat('here it comes');
      expect(await chat).toMatchObject({ name: 'Ann', text: 'here it comes' });
      const writer = ann.voice.getWriter();
      for (let at = 0; at < said.length; at += 480) await writer.write(said.subarray(at, at + 480));
      await writer.close();
      ann.raiseHand(true);
      await expect.poll(() => bob.people.find(({ name }) => name === 'Ann')?.hand).toBe(1);
      const closed = new Promise((resolve) => void bob.once('closed', resolve));
      await Promise.all([bob.leave(), bob.leave()]);
      await reading;
      expect(await closed).toMatchObject({ code: 'left' });
      expect([bob.state, bob.missedMs]).toEqual(['ended', 0]);
      expectSaid(new Float32Array(pieces.flatMap((piece) => [...piece])));
    }));
});

describe('GET /listen/<room> on a server that asks for tokens', () => {
  it('takes one from the URL or the header, and counts readers separately', async () => {
    const secret = 'a-secret-of-thirty-two-bytes-or-more';
    const server = await startServer(
      '--keys',
      `a:${secret}`,
      '--workers',
      '1',
      '--operator-token',
      'the-operators-own-token',
    );
    const token = await makeToken({
      keyId: 'a',
      secret,
      room: 'hall',
      name: 'Ann',
      identity: 'ann',
      role: 'speaker',
      ttlSeconds: 60,
      now: Date.now(),
    });
    const ann = await join({ url: server.url, room: 'hall', token, hear: false });
    onTestFinished(() => ann.leave());
    const url = `${server.url}/listen/hall`;
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('WWW-Authenticate'), await refused.text()]).toEqual(
      [401, 'Bearer', expect.stringMatching(/^Joining here needs an invitation/)],
    );
    expect((await fetch(`${url}?token=${token}x`)).status).toBe(401);
    const answers = [
      await fetch(`${url}?token=${token}`),
      await fetch(`${url}.webm`, { headers: { Authorization: `Bearer ${token}` } }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect((await body?.getReader().read())?.value?.length).toBeGreaterThan(40);
    }
    const status = async () =>
      /** @type {any} */ (
        await (
          await fetch(`${server.url}/api/status`, {
            headers: { Authorization: 'Bearer the-operators-own-token' },
          })
        ).json()
      );
    expect((await status()).sessions).toMatchObject({ listen: 2 });
    expect(
      (await fetch(url, { method: 'HEAD', headers: { Authorization: `Bearer ${token}` } })).status,
    ).toBe(200);
  });
});

describe('aloud play and aloud listen', () => {
  it('say in a sentence what will not do, by the exit code too', async () => {
    const path = scratch();
    writeFileSync(path('text.wav'), 'no sound, but a text that is long enough to be looked at');
    writeFileSync(
      path('empty.wav'),
      formatWav({ sampleRate: RATE, channels: [new Float32Array(0)] }),
    );
    writeFileSync(
      path('half.wav'),
      formatWav({ sampleRate: RATE, channels: [said] }).subarray(0, 30),
    );
    const runs = [
      run(['play', path('text.wav'), '--room', 'hall'], { path: '/nowhere' }),
      run(['play', path('half.wav'), '--room', 'hall']),
      run(['play', path('none.wav'), '--room', 'hall']),
      run(['play', '-', '--room', 'hall', '--server', 'http://localhost:9'], {
        input: formatWav({ sampleRate: RATE, channels: [said] }),
      }),
      run(['play', path('text.wav')]),
      run(['listen', '--room', 'hall', '-o', path('out.mp3')], { path: '/nowhere' }),
      run(['listen', '--help']),
      run(['play', path('empty.wav'), '--room', 'hall']),
      run(['play', path('.'), '--room', 'hall']),
    ];
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([2, 2, 2, 1, 2, 2, 0, 2, 2]);
    const lines = runs.map(({ told }) => told.stderr.trim());
    expect(lines.map((line) => line.split('\n').length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          '^aloud play: .*text\\.wav seems to be text: install ffmpeg to play it, ' +
            'or convert it to Ogg Opus or to WAV of 16 bits\\.$',
        ),
      ),
      expect.stringMatching(/half\.wav seems to be a WAV file/),
      expect.stringMatching(/There is no file .*none\.wav\.$/),
      expect.stringMatching(/could not be reached.*--server says another place\.$/),
      expect.stringMatching(/required option '--room <room>' not specified/),
      expect.stringMatching(
        new RegExp(
          "can't write .*out\\.mp3 without ffmpeg: install it, " +
            'or use a name ending in \\.wav, \\.opus, \\.ogg or \\.raw\\.$',
        ),
      ),
      '',
      expect.stringMatching(/empty\.wav has no sound in it\.$/),
      expect.stringMatching(/ is a folder: name a file in it\.$/),
    ]);
    expect(Buffer.concat(runs[6].told.stdout).toString()).toMatch(/--duration <seconds>/);
  });

  it.skipIf(!existsSync('/dev/full'))('tell of a full disk, and leave', async () => {
    const server = await startServer();
    const where = ['--server', server.url, '--room', 'hall'];
    const full = run(['listen', '-o', '/dev/full', '--format', 'wav', ...where]);
    expect(await full.ended).toBe(1);
    expect(full.told.stderr).toMatch(/^aloud listen: the sound can't be written: ENOSPC/);
  });

  it('end although nothing comes from a pipe, and when a looped file is gone', async () => {
    const server = await startServer();
    const path = scratch();
    const where = ['--server', server.url, '--room', 'hall'];
    writeFileSync(
      path('short.wav'),
      formatWav({ sampleRate: RATE, channels: [said.subarray(0, RATE / 2)] }),
    );
    const again = run(['play', path('short.wav'), '--loop', ...where]);
    const piped = run(['play', '-', '--rate', '48000', ...where], { input: null });
    await present(server, 2);
    rmSync(path('short.wav'));
    expect(await again.ended).toBe(2);
    expect(again.told.stderr).toMatch(/^aloud play: There is no file .*short\.wav\.$/m);
    piped.child.kill('SIGINT');
    expect(await piped.ended, piped.told.stderr).toBe(0);
  });
});

describe('a call that may not speak', () => {
  it('fails at once, also in aloud play, which ends; with the stage key it speaks', async () => {
    const secret = 'a-secret-of-thirty-two-bytes-or-more';
    const asking = await startServer('--keys', `a:${secret}`);
    const tokenOf = (/** @type {import('../../server/state/grant.js').Role} */ role) =>
      makeToken({
        keyId: 'a',
        secret,
        room: 'hall',
        name: role,
        identity: role,
        role,
        ttlSeconds: 60,
        now: Date.now(),
      });
    const broadcast = await startServer('--broadcast');
    /** @type {string[]} */
    const keys = [];
    const moderator = await join({ url: broadcast.url, room: 'hall', hear: false });
    onTestFinished(() => moderator.leave());
    let isLive = true;
    moderator.on('message', (message) => {
      if (message.type === 'stage') keys.push(String(message.key));
      if (message.type === 'room') isLive = Boolean(message.broadcast);
    });
    moderator.send({ type: 'moderate', action: 'broadcast', on: false });
    await expect.poll(() => isLive).toBe(false);
    // The key of the first broadcast may have come with the welcome, or behind it.
    keys.length = 0;
    moderator.send({ type: 'moderate', action: 'broadcast', on: true });
    await expect.poll(() => keys.length).toBe(1);
    const path = scratch();
    writeFileSync(
      path('short.wav'),
      formatWav({ sampleRate: RATE, channels: [said.subarray(0, RATE / 10)] }),
    );
    const link = `${asking.url}/r/hall#token=${await tokenOf('listener')}`;
    const runs = [
      run(['play', path('short.wav'), '--room', link]),
      run(['play', path('short.wav'), '--server', broadcast.url, '--room', 'hall']),
      run(['play', '-', '--rate', '48000', '--server', broadcast.url, '--room', 'hall'], {
        input: null,
      }),
    ];
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([1, 1, 1]);
    expect(runs.map(({ told }) => told.stderr.trim())).toEqual([
      'aloud play: This call may only listen. Join with an invitation to speak, or ask ' +
        'a moderator.',
      expect.stringMatching(/^aloud play: Only people on the stage speak in this broadcast\./),
      expect.stringMatching(/^aloud play: Only people on the stage speak in this broadcast\./),
    ]);
    const listener = await join({ url: `${broadcast.url}/r/hall`, hear: false });
    onTestFinished(() => listener.leave());
    await expect(listener.say(said)).rejects.toMatchObject({ code: 'not-allowed' });
    const staged = run([
      'play',
      path('short.wav'),
      '--room',
      `${broadcast.url}/r/hall?stage#stage=${keys[0]}`,
    ]);
    expect(await staged.ended, staged.told.stderr).toBe(0);
    // A speaker who becomes a listener is notified at once.
    const speaker = await join({ url: `${broadcast.url}/r/hall#stage=${keys[0]}`, hear: false });
    onTestFinished(() => speaker.leave());
    const saying = speaker.say(new Float32Array(60 * RATE));
    const refused = expect(saying).rejects.toMatchObject({ code: 'not-allowed' });
    moderator.send({ type: 'moderate', action: 'role', person: speaker.you, role: 'listener' });
    await refused;
  });
});

describe('aloud listen', () => {
  const placeOf = (/** @type {{ url: string }} */ { url }) => [
    ...['--server', url, '--room', 'hall', '--duration', '0.5'],
  ];

  it('writes WAV to a named pipe as it comes', async () => {
    const where = placeOf(await startServer());
    const path = scratch();
    expect(spawnSync('mkfifo', [path('pipe.wav')]).status).toBe(0);
    const piped = run(['listen', ...where, '-o', path('pipe.wav')]);
    const bytes = await readFile(path('pipe.wav'));
    expect(await piped.ended, piped.told.stderr).toBe(0);
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(40), bytes.length]).toEqual([
      'RIFF',
      0xffff_ffff,
      44 + RATE,
    ]);
  });

  const withFfmpeg = requireOrSkip(hasFfmpeg(), 'ffmpeg is not installed', ofTheMachine);
  withFfmpeg.it('writes what ffmpeg writes', async () => {
    const where = placeOf(await startServer());
    const path = scratch();
    const mp3 = run(['listen', ...where, '-o', path('out.mp3')]);
    const flac = run(['listen', ...where, '-o', '-', '--format', 'flac']);
    expect(await Promise.all([mp3.ended, flac.ended]), mp3.told.stderr + flac.told.stderr).toEqual([
      0, 0,
    ]);
    writeFileSync(path('out.flac'), Buffer.concat(flac.told.stdout));
    for (const name of ['out.mp3', 'out.flac']) {
      const { stdout } = spawnSync('ffmpeg', [
        '-v',
        'error',
        '-i',
        path(name),
        '-f',
        's16le',
        '-ac',
        '1',
        '-ar',
        '48000',
        'pipe:1',
      ]);
      expect(Math.abs(stdout.length / 2 / RATE - 0.5)).toBeLessThan(0.02);
    }
    const unknown = run(['listen', ...where, '-o', path('out.xyz')]);
    expect(await unknown.ended).toBe(2);
    expect(unknown.told.stderr).toMatch(
      /^aloud listen: can't write .*out\.xyz \(ffmpeg: ".+"\): use a name ending in/,
    );
  });
});

describe('the examples', () => {
  it('say how they are used where nothing is given', async () => {
    for (const name of ['answer-hands', 'play-music', 'record-room']) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [fileURLToPath(new URL(`../../examples/${name}.js`, import.meta.url))],
        { encoding: 'utf8' },
      );
      expect([status, stderr.trim()]).toEqual([
        2,
        expect.stringMatching(new RegExp(`^Usage: node examples/${name}\\.js LINK \\S+$`)),
      ]);
    }
  });

  it('play, record and answer', () =>
    undisturbed(async () => {
      const server = await startServer();
      const path = scratch();
      writeFileSync(path('clip.wav'), formatWav({ sampleRate: RATE, channels: [said] }));
      const url = `${server.url}/r/hall`;
      const host = await answerHands(url, path('clip.wav'));
      const recording = recordRoom(url, path('room.wav'));
      await present(server, 2);
      const ann = await join({ url, name: 'Ann' });
      for (const call of [host, ann]) onTestFinished(() => call.leave());
      const echo = new Promise(
        (resolve) => void ann.on('chat', ({ name, text }) => name === 'Host' && resolve(text)),
      );
      ann.chat('echo good evening');
      expect(await echo).toBe('Ann says: good evening');
      ann.raiseHand(true);
      await pass(said.length / (RATE / 1000) + 1000);
      await Promise.all([host.leave(), ann.leave()]);
      await recording;
      expectSaid(parseWav(readFileSync(path('room.wav'))).channels[0]);
      const bea = await join({ url, name: 'Bea' });
      const loud = new Promise(
        (resolve) =>
          void bea.on('speakers', (speakers) => speakers.length > 0 && resolve(speakers)),
      );
      const { call, playing } = await playMusic(url, path('clip.wav'));
      expect(await loud).toMatchObject([{ id: call.you }]);
      await call.leave();
      await Promise.all([playing, bea.leave()]);
    }));
});
