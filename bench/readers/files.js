/**
 * A recording in all readers: by how many samples what they play is off, from the beginning and
 * after a seek.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { PayloadEncoder } from '../../public/shared/stream/payload.js';
import { loadCodec } from '../../server/codec/codec.js';
import { MixTrack } from '../../server/recording/mix-track.js';
import { OggOpus } from '../../server/recording/ogg-opus.js';
import { preSkipOf, Track } from '../../server/recording/track.js';
import { writeWebm } from '../../server/recording/webm-file.js';
import { seededRandom } from '../../testkit/random.js';
import { align } from '../../testkit/sound/signal.js';
import { BROWSERS, playFrom } from '../../testkit/players/page.js';
import {
  isThere,
  markdown,
  PROGRAMS,
  RATE,
  samplesOf,
  startProgram,
  stopProgram,
  tellMissing,
  titleOf,
} from '../../testkit/players/programs.js';

const SECONDS = 8;
const SEEK = 4.5;

/**
 * Piece of the played sound to find in the recording, in samples from its beginning.
 */
const PIECE = Object.freeze({ from: RATE / 2, length: RATE / 4 });

/**
 * Sentence about sound that isn't the recording's, and the times that a browser plays it again.
 */
const OTHER = 'something else';
const TRIES = 4;

/** Noise in the band of speech, which nothing in it repeats. */
function noise() {
  const random = seededRandom(7);
  const sound = new Float32Array(SECONDS * RATE);
  let [low, lower] = [0, 0];
  for (let i = 0; i < sound.length; i++) {
    low += 0.3 * (random() - 0.5 - low);
    lower += 0.3 * (low - lower);
    sound[i] = 3 * lower;
  }
  return sound;
}

/** Writes the recording. @param {string} folder @param {Float32Array} sound */
async function record(folder, sound) {
  const format = createAudioFormat();
  const encoder = (await loadCodec('libopus-wasm')).createEncoder({
    sampleRate: RATE,
    frameSamples: format.opusFrameSamples,
    bitrate: 96_000,
    application: 'low-delay',
  });
  /** @type {Uint8Array[]} */
  const pages = [];
  const preSkip = preSkipOf(format);
  const ogg = new OggOpus({
    serial: 1,
    preSkip,
    sampleRate: RATE,
    tags: {},
    write: (page) => void pages.push(page),
  });
  const mix = new MixTrack(
    new Track(ogg, format),
    new PayloadEncoder(encoder, format),
    encoder.lookahead,
    format,
  );
  const whole = new Float32Array(preSkip + sound.length);
  whole.set(sound, preSkip);
  for (let at = 0; at < whole.length; at += format.frameSamples)
    mix.add(whole.subarray(at, at + format.frameSamples));
  mix.end();
  writeFileSync(join(folder, 'mix.opus'), Buffer.concat(pages));
  await writeWebm(join(folder, 'mix.opus'), join(folder, 'mix.webm'));
  // A program may run as another user (startProgram).
  chmodSync(join(folder, 'mix.webm'), 0o644);
}

/**
 * Offset of the played sound, in samples.
 * @param {Float32Array} sound
 * @param {Float32Array} heard
 * @param {number} seek
 */
function offset(sound, heard, seek) {
  if (heard.length < PIECE.from + PIECE.length) return 'nothing';
  const { lag, correlation } = align(heard.subarray(PIECE.from, PIECE.from + PIECE.length), sound);
  if (correlation < 0.8) return OTHER;
  const off = lag - PIECE.from - Math.round(seek * RATE);
  return off === 0 ? 'exact' : `${off > 0 ? '+' : '−'}${Math.abs(off)}`;
}

/**
 * @param {import('../../testkit/players/programs.js').Program} program
 * @param {string} file @param {number} seek
 */
async function decoded(program, file, seek) {
  const child = startProgram(program, file, seek);
  const stop = setTimeout(() => stopProgram(child), 20_000);
  try {
    const bytes = Buffer.concat(
      await /** @type {import('node:stream').Readable} */ (child.stdout).toArray(),
    );
    return samplesOf(bytes);
  } finally {
    clearTimeout(stop);
    stopProgram(child);
  }
}

/** Files as others make them of ours. @param {string} folder */
function remuxed(folder) {
  const at = (/** @type {string} */ name) => join(folder, name);
  const cut = ['-ss', String(SEEK), '-i'];
  const made =
    /** @type {[name: string, file: string, seek: number, command: string, args: string[]][]} */ ([
      [
        '`ffmpeg -c copy`, Ogg to WebM',
        'copy.webm',
        0,
        'ffmpeg',
        ['-i', at('mix.opus'), '-c', 'copy', at('copy.webm')],
      ],
      [
        '`ffmpeg -c copy`, WebM to Ogg',
        'copy.opus',
        0,
        'ffmpeg',
        ['-i', at('mix.webm'), '-c', 'copy', at('copy.opus')],
      ],
      [
        '`ffmpeg -c copy`, Ogg to MP4',
        'copy.mp4',
        0,
        'ffmpeg',
        ['-i', at('mix.opus'), '-c', 'copy', at('copy.mp4')],
      ],
      [
        `\`ffmpeg -ss ${SEEK} -c copy\`, Ogg`,
        'cut.opus',
        SEEK,
        'ffmpeg',
        [...cut, at('mix.opus'), '-c', 'copy', at('cut.opus')],
      ],
      [
        `\`ffmpeg -ss ${SEEK} -c copy\`, WebM`,
        'cut.webm',
        SEEK,
        'ffmpeg',
        [...cut, at('mix.webm'), '-c', 'copy', at('cut.webm')],
      ],
      [
        'mkvmerge, Ogg to Matroska',
        'merged.mka',
        0,
        'mkvmerge',
        ['-q', '-o', at('merged.mka'), at('mix.opus')],
      ],
      [
        'mkvmerge, WebM to Matroska',
        'merged-webm.mka',
        0,
        'mkvmerge',
        ['-q', '-o', at('merged-webm.mka'), at('mix.webm')],
      ],
    ]);
  return made.filter(
    ([, , , command, args]) =>
      spawnSync(command, command === 'ffmpeg' ? ['-nostdin', '-v', 'error', ...args] : args)
        .status === 0,
  );
}

/** @param {string} folder @param {Float32Array} sound @returns {Promise<string[][]>} */
async function inBrowsers(folder, sound) {
  const server = createServer((request, response) => {
    if (request.url === '/')
      return void response.setHeader('Content-Type', 'text/html').end('<!doctype html>');
    if (!/^\/mix\.(opus|webm)$/.test(request.url ?? '')) return void response.writeHead(404).end();
    const file = join(folder, String(request.url).slice(1));
    const { size } = statSync(file);
    const [, first] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const from = Number(first ?? 0);
    response.writeHead(first ? 206 : 200, {
      'Content-Type': file.endsWith('webm') ? 'audio/webm' : 'audio/ogg',
      'Accept-Ranges': 'bytes',
      'Content-Length': size - from,
      ...(first && { 'Content-Range': `bytes ${from}-${size - 1}/${size}` }),
    });
    createReadStream(file, { start: from }).pipe(response);
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  const rows = [];
  try {
    for (const browser of BROWSERS.filter((each) => each.isExact && each.isThere())) {
      const opened = await browser.open();
      try {
        rows.push([opened.title, ...(await inPage(await opened.newPage(), url, sound))]);
      } finally {
        await opened.close();
      }
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return rows;
}

/**
 * @param {import('../../testkit/players/page.js').Page} page
 * @param {string} url  where the recording is
 * @param {Float32Array} sound
 * @returns {Promise<string[]>} offsets, by kind and seek
 */
async function inPage(page, url, sound) {
  const offsets = [];
  await page.goto(url);
  for (const kind of ['opus', 'webm']) {
    for (const seek of [0, SEEK]) {
      let off = OTHER;
      // A busy machine leaves out some of what a page plays.
      for (let i = 0; i < TRIES && off === OTHER; i++) {
        const played = await page.evaluate(
          playFrom,
          /** @type {[string, number, number]} */ ([`/mix.${kind}`, seek, 1.5]),
        );
        off = offset(
          sound,
          Float32Array.from(played, (value) => value / 32_768),
          seek,
        );
      }
      offsets.push(off);
    }
  }
  return offsets;
}

/** Prints both tables. */
export async function measureFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'aloud-readers-'));
  chmodSync(folder, 0o755);
  try {
    const sound = noise();
    await record(folder, sound);
    const rows = [];
    for (const program of PROGRAMS.filter(isThere)) {
      const row = [titleOf(program)];
      for (const kind of ['opus', 'webm']) {
        for (const seek of [0, SEEK]) {
          const isAble =
            (seek === 0 || program.seeks) &&
            (program.kinds === undefined || program.kinds.includes(kind === 'opus' ? 'ogg' : kind));
          row.push(
            isAble
              ? offset(sound, await decoded(program, join(folder, `mix.${kind}`), seek), seek)
              : '–',
          );
        }
      }
      rows.push(row);
    }
    rows.push(...(await inBrowsers(folder, sound)));
    const head = ['reader', 'Ogg', `Ogg from ${SEEK} s`, 'WebM', `WebM from ${SEEK} s`];
    console.log(markdown(head, rows));
    const [ffmpeg] = PROGRAMS;
    const made = [];
    for (const [name, file, seek] of remuxed(folder))
      made.push([name, offset(sound, await decoded(ffmpeg, join(folder, file), 0), seek)]);
    tellMissing([
      ...PROGRAMS.filter((program) => !isThere(program)),
      ...BROWSERS.filter((browser) => !browser.isThere()),
    ]);
    console.log(`\n${markdown(['made of it', 'as ffmpeg plays that'], made)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
