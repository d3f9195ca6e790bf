/**
 * A server of Low-Latency HLS over HTTP/2, in its own process at its end of the link. It has ffmpeg
 * encode the lab's speech, paced like a microphone's, at a broadcast's bit rates.
 */

import { spawn } from 'node:child_process';
import { createSecureServer } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { FragmentSplitter } from './boxes.js';
import { multivariantPlaylist, Rendition } from './playlists.js';

const SAMPLE_RATE = 48_000;

/**
 * The length of a part, in milliseconds: Apple's authoring specification has parts of a second,
 * most servers shorter ones.
 */
const PART_MS = 400;

/** Interval between blocks of the microphone's sound to the encoders, in milliseconds. */
const SAY_MS = 20;

/**
 * MP4's own bits a second, beside the sound: the boxes of a part, and four bytes for each packet of
 * 20 ms.
 */
const OVERHEAD_BPS = 5000;

const TYPES = Object.freeze({
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'audio/mp4',
  mp4: 'audio/mp4',
});

const cpu = new CpuMeter();
/** Rates of the renditions, in bits a second. @type {readonly number[]} */
let rates = [];
/** @type {Rendition[]} */
let renditions = [];
/** @type {import('node:child_process').ChildProcess[]} */
let encoders = [];
/** @type {ReturnType<typeof createSecureServer> | null} */
let server = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** Why there is no sound any more, or ''. */
let failure = '';

/** @param {number} bitrate */
const ffmpegArguments = (bitrate) => [
  '-hide_banner',
  '-loglevel',
  'error',
  '-fflags',
  'nobuffer',
  '-probesize',
  '32',
  '-f',
  'f32le',
  '-ar',
  String(SAMPLE_RATE),
  '-ac',
  '1',
  '-i',
  'pipe:0',
  '-c:a',
  'libopus',
  '-b:a',
  String(bitrate),
  '-frame_duration',
  '20',
  '-f',
  'mp4',
  '-movflags',
  'frag_keyframe+empty_moov+default_base_moof',
  '-frag_duration',
  String(1000 * PART_MS),
  '-flush_packets',
  '1',
  'pipe:1',
];

/** @param {number} bitrate @param {Rendition} rendition */
function encode(bitrate, rendition) {
  const process = spawn('ffmpeg', ffmpegArguments(bitrate), { stdio: ['pipe', 'pipe', 'inherit'] });
  const splitter = new FragmentSplitter({
    onInit: (bytes) => void (rendition.init = bytes),
    onFragment: ({ baseMediaDecodeTime, bytes }) =>
      rendition.add({
        startMs: (1000 * baseMediaDecodeTime) / SAMPLE_RATE,
        durationMs: PART_MS,
        bytes,
      }),
  });
  process.stdout.on('data', (bytes) => splitter.push(bytes));
  process.on('error', (error) => void (failure = `ffmpeg: ${error.message}`));
  process.stdin.on('error', (error) => void (failure = `ffmpeg: ${error.message}`));
  return process;
}

/**
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {Promise<{ status: number, body?: Buffer | string, type?: string }>}
 */
async function answer(path, query) {
  if (path === '/')
    return {
      status: 200,
      body: '<!doctype html><title>LL-HLS</title><link rel="icon" href="data:,"><audio></audio>',
      type: 'text/html',
    };
  if (path === '/index.m3u8')
    return { status: 200, body: multivariantPlaylist(rates, OVERHEAD_BPS), type: TYPES.m3u8 };
  const found = /^\/(\d)\/(?:(index\.m3u8)|(init\.mp4)|(\d{1,9})(?:\.(\d{1,9}))?\.m4s)$/.exec(path);
  const rendition = found && renditions[Number(found[1])];
  if (!rendition) return { status: 404 };
  const [, , playlist, init, msn, part] = found;
  if (playlist) return answerPlaylist(rendition, query);
  if (init) return { status: 200, body: rendition.init ?? '', type: TYPES.mp4 };
  const wanted = part === undefined ? undefined : Number(part);
  const { next } = rendition;
  // A part that is hinted at is answered once it is there (section 6.2.6).
  if (Number(msn) === next.msn && wanted === next.part) await rendition.reach(next.msn, next.part);
  const body = rendition.bytesOf(Number(msn), wanted);
  return body ? { status: 200, body, type: TYPES.m4s } : { status: 404 };
}

/** @param {Rendition} rendition @param {URLSearchParams} query */
async function answerPlaylist(rendition, query) {
  const msn = query.get('_HLS_msn');
  const part = query.get('_HLS_part');
  // Further than two segments ahead is an error (section 6.2.5.2).
  if (msn === null ? part !== null : !(Number(msn) <= rendition.next.msn + 2))
    return { status: 400 };
  if (msn !== null) await rendition.reach(Number(msn), part === null ? undefined : Number(part));
  return { status: 200, body: rendition.playlist, type: TYPES.m3u8 };
}

/**
 * @param {import('node:http2').Http2ServerRequest} request
 * @param {import('node:http2').Http2ServerResponse} response
 */
async function respond(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'https://host');
  const { status, body = '', type = 'text/plain' } = await answer(pathname, searchParams);
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    ...(isText && { 'content-encoding': 'gzip' }),
  });
  response.end(isText ? gzipSync(body) : body);
}

/**
 * @param {{ dateMs: number, mostBps: number }} options dateMs: the date that the sound's first
 *   sample has in playlists; mostBps: the highest bit rate
 */
async function start({ dateMs, mostBps }) {
  const speech = await readSpeech(SAMPLE_RATE);
  rates = RATES.filter((rate) => rate <= mostBps);
  renditions = rates.map(() => new Rendition({ partMs: PART_MS, dateMs }));
  const { certPem, keyPem } = await generateCertificate({
    hosts: ['aloud.localhost'],
    now: new Date(),
  });
  server = createSecureServer(
    { cert: certPem, key: keyPem },
    (request, response) => void respond(request, response).catch(() => response.stream?.close()),
  );
  await new Promise((resolve) => void server?.listen(0, '::', () => resolve(undefined)));
  encoders = rates.map((rate, i) => encode(rate, renditions[i]));
  const startMs = performance.now();
  let said = 0;
  const say = () => {
    const due = Math.floor(((performance.now() - startMs) * SAMPLE_RATE) / 1000);
    if (due > said) {
      const from = said;
      const sound = Float32Array.from(
        { length: due - from },
        (_, i) => speech[(from + i) % speech.length],
      );
      for (const { stdin } of encoders) stdin?.write(Buffer.from(sound.buffer));
      said = due;
    }
    timer = setTimeout(say, SAY_MS);
  };
  say();
  await Promise.all(renditions.map((rendition) => rendition.reach(1, 0)));
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    startMs: sharedMs(startMs),
  };
}

serve(
  {
    start,
    state: () => ({ failure, cpuPercent: cpu.take() }),
  },
  () => {
    clearTimeout(timer);
    // Asked to end, each would say that nobody reads it.
    for (const encoder of encoders) encoder.kill('SIGKILL');
    server?.close();
  },
);
