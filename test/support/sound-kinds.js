/** Makes sound files of many kinds by ffmpeg and sox, for tests of players. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { formatWav } from '../../testkit/sound/wav.js';

const RATE = 48_000;
const SECONDS = 1.2;

/**
 * @param {string[]} args
 * @param {{ input?: Uint8Array, command?: string }} [options]
 * @returns {Buffer} its output
 */
function run(args, { input, command = 'ffmpeg' } = {}) {
  const all = command === 'ffmpeg' ? ['-nostdin', '-v', 'error', '-y', ...args] : args;
  const { status, stdout, stderr } = spawnSync(command, all, { input, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/**
 * Makes a tone for each frequency: 0 is silence. @param {number[]} frequencies @param {number}
 * seconds
 */
const toneOf = (frequencies, seconds = SECONDS) =>
  frequencies.map((hz) =>
    Float32Array.from(
      { length: seconds * RATE },
      (_, i) => 0.25 * Math.sin((2 * Math.PI * hz * i) / RATE),
    ),
  );

const MONO = Object.freeze([500]);
const STEREO = Object.freeze([500, 700]);
/** Left, right, centre, low frequencies, surrounds. */
const CENTRE = Object.freeze([0, 0, 500, 0, 0, 0]);
const SURROUND = Object.freeze([0, 700, 0, 0, 500, 0]);
const CENTRE_GAIN = Math.SQRT1_2;

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {string} file
 * @property {'file' | 'pipe' | 'fifo'} by
 * @property {number} channels  1 or 2: of the room
 * @property {number[]} gains   of each side, against a tone of the source
 * @property {number | null} seconds its length, if the kind keeps it; otherwise the length decoded
 *   by ffmpeg
 *
 * @typedef {(source: string, file: string) => void} Make  from a WAV file of floats
 */

/** @param {...string} args @returns {Make} */
const byFfmpeg =
  (...args) =>
  (source, file) =>
    void run(['-i', source, ...args, file]);
/** @param {...string} args @returns {Make} */
const bySox =
  (...args) =>
  (source, file) =>
    void run([source, ...args, file], { command: 'sox' });
/** Output of ffmpeg into a pipe. @param {...string} args @returns {Make} */
const ffmpegPipe =
  (...args) =>
  (source, file) =>
    writeFileSync(file, run(['-i', source, ...args, 'pipe:1']));

/**
 * @type {readonly (readonly [name: string, tones: readonly number[], make: Make, options?: { by?:
 *   Kind['by'], gains?: number[], seconds?: number | null }])[]}
 */
const PLAIN = [
  ['u8.wav', MONO, byFfmpeg('-c:a', 'pcm_u8')],
  ['s16.wav', STEREO, byFfmpeg('-c:a', 'pcm_s16le')],
  ['s24-96k.wav', STEREO, byFfmpeg('-c:a', 'pcm_s24le', '-ar', '96000')],
  ['s32-44k.wav', MONO, byFfmpeg('-c:a', 'pcm_s32le', '-ar', '44100')],
  ['s64.wav', MONO, byFfmpeg('-c:a', 'pcm_s64le')],
  ['f32-8k.wav', MONO, byFfmpeg('-c:a', 'pcm_f32le', '-ar', '8000')],
  ['f64.wav', STEREO, byFfmpeg('-c:a', 'pcm_f64le')],
  ['mulaw.wav', MONO, byFfmpeg('-c:a', 'pcm_mulaw', '-ar', '8000')],
  ['alaw.wav', STEREO, byFfmpeg('-c:a', 'pcm_alaw', '-ar', '16000')],
  ['adpcm-ima.wav', MONO, byFfmpeg('-c:a', 'adpcm_ima_wav')],
  ['adpcm-ms.wav', STEREO, byFfmpeg('-c:a', 'adpcm_ms')],
  ['gsm.wav', MONO, byFfmpeg('-c:a', 'libgsm_ms', '-ar', '8000')],
  ['mp3.wav', MONO, byFfmpeg('-c:a', 'libmp3lame', '-f', 'wav')],
  ['5.1-centre.wav', CENTRE, byFfmpeg('-c:a', 'pcm_s16le'), { gains: [CENTRE_GAIN, CENTRE_GAIN] }],
  ['5.1-surround.wav', SURROUND, byFfmpeg('-c:a', 'pcm_s16le'), { gains: [CENTRE_GAIN, 1] }],
  ['5.1-centre.flac', CENTRE, byFfmpeg('-c:a', 'flac'), { gains: [CENTRE_GAIN, CENTRE_GAIN] }],
  [
    '5.1-centre.opus',
    CENTRE,
    byFfmpeg('-c:a', 'libopus', '-b:a', '384k'),
    { gains: [CENTRE_GAIN, CENTRE_GAIN] },
  ],
  [
    'family-255.opus',
    STEREO,
    byFfmpeg('-c:a', 'libopus', '-mapping_family', '255', '-b:a', '192k'),
  ],
  ['mono.opus', MONO, byFfmpeg('-c:a', 'libopus')],
  ['stereo-40ms.opus', STEREO, byFfmpeg('-c:a', 'libopus', '-frame_duration', '40')],
  ['vorbis.ogg', STEREO, byFfmpeg('-c:a', 'libvorbis')],
  ['flac.ogg', MONO, byFfmpeg('-c:a', 'flac')],
  ['speex.ogg', MONO, byFfmpeg('-c:a', 'libspeex', '-ar', '16000')],
  ['mono.flac', MONO, byFfmpeg('-c:a', 'flac')],
  ['mono.mp3', MONO, byFfmpeg('-c:a', 'libmp3lame')],
  ['stereo-22k.mp3', STEREO, byFfmpeg('-c:a', 'libmp3lame', '-ar', '22050')],
  ['stereo.mp2', STEREO, byFfmpeg('-c:a', 'mp2')],
  ['aac.m4a', STEREO, byFfmpeg('-c:a', 'aac')],
  ['aac.aac', MONO, byFfmpeg('-c:a', 'aac', '-f', 'adts')],
  ['alac.m4a', STEREO, byFfmpeg('-c:a', 'alac')],
  ['opus.webm', STEREO, byFfmpeg('-c:a', 'libopus')],
  ['opus.mp4', MONO, byFfmpeg('-c:a', 'libopus')],
  ['ac3.mka', STEREO, byFfmpeg('-c:a', 'ac3')],
  ['wma.wma', STEREO, byFfmpeg('-c:a', 'wmav2')],
  ['wavpack.wv', STEREO, byFfmpeg('-c:a', 'wavpack')],
  ['mono.aiff', MONO, byFfmpeg('-c:a', 'pcm_s16be')],
  ['stereo.au', STEREO, byFfmpeg('-c:a', 'pcm_s16be')],
  ['stereo.caf', STEREO, byFfmpeg('-c:a', 'pcm_s24le')],
  ['stereo.w64', STEREO, byFfmpeg('-c:a', 'pcm_s16le')],
  ['aac.ts', STEREO, byFfmpeg('-c:a', 'aac', '-f', 'mpegts')],
  ['mono.voc', MONO, byFfmpeg('-c:a', 'pcm_s16le')],
  [
    'sox-pipe.wav',
    STEREO,
    (source, file) =>
      writeFileSync(
        file,
        run(['-t', 'wav', '-', '-t', 'wav', '-'], { command: 'sox', input: readFileSync(source) }),
      ),
    { by: 'pipe' },
  ],
  ['ffmpeg-pipe.wav', MONO, ffmpegPipe('-c:a', 'pcm_s16le', '-f', 'wav'), { by: 'pipe' }],
  [
    'mulaw-pipe.wav',
    MONO,
    ffmpegPipe('-c:a', 'pcm_mulaw', '-ar', '8000', '-f', 'wav'),
    { by: 'pipe' },
  ],
  [
    'mp3-pipe.mp3',
    MONO,
    ffmpegPipe('-c:a', 'libmp3lame', '-f', 'mp3'),
    { by: 'pipe', seconds: null },
  ],
  ['flac-fifo.flac', STEREO, byFfmpeg('-c:a', 'flac'), { by: 'fifo' }],
  ['opus-fifo.opus', MONO, byFfmpeg('-c:a', 'libopus'), { by: 'fifo' }],
  ['sox.gsm', MONO, bySox('-r', '8000')],
];

/**
 * Kinds without a length in their files, or with a codec that changes it: their length is the one
 * decoded by ffmpeg.
 */
const INEXACT = /mp3|mp2|aac|ac3|wma|adpcm|gsm|speex|\.ts$/;

/**
 * Makes the files.
 * @param {(name: string) => string} path
 * @returns {Kind[]}
 */
export function makeKinds(path) {
  const sources = new Map();
  const sourceOf = (/** @type {readonly number[]} */ tones) => {
    const key = tones.join('-');
    if (!sources.has(key)) {
      sources.set(key, path(`source-${key}.wav`));
      writeFileSync(
        sources.get(key),
        formatWav({ sampleRate: RATE, channels: toneOf([...tones]) }, { float: true }),
      );
    }
    return sources.get(key);
  };
  const plain = PLAIN.map(
    /** @returns {Kind} */ ([
      name,
      tones,
      make,
      {
        by = /** @type {Kind['by']} */ ('file'),
        gains,
        seconds = INEXACT.test(name) ? null : SECONDS,
      } = {},
    ]) => {
      const file = path(name);
      const layout = tones.length === 6 ? path(`layout-${tones.join('-')}.wav`) : sourceOf(tones);
      if (tones.length === 6)
        run([
          '-channel_layout',
          '5.1',
          '-i',
          sourceOf(tones),
          '-c:a',
          'pcm_f32le',
          '-af',
          'channelmap=map=0|1|2|3|4|5:channel_layout=5.1',
          layout,
        ]);
      make(layout, file);
      return {
        name,
        file,
        by,
        channels: Math.min(2, tones.length),
        gains: gains ?? Array(Math.min(2, tones.length)).fill(1),
        seconds,
      };
    },
  );
  return [...plain, ...brokenOf(path, plain)];
}

/**
 * Makes chained and damaged Ogg Opus files.
 * @param {(name: string) => string} path
 * @param {Kind[]} plain
 * @returns {Kind[]}
 */
function brokenOf(path, plain) {
  const [mono, stereo] = ['mono.opus', 'stereo-40ms.opus'].map((name) =>
    readFileSync(/** @type {Kind} */ (plain.find((kind) => kind.name === name)).file),
  );
  const second = mono.lastIndexOf('OggS');
  const damaged = Buffer.from(mono);
  damaged[second + 200] ^= 0xff;
  const files = {
    'chained.opus': { bytes: Buffer.concat([mono, mono, mono]), seconds: 3 * SECONDS },
    'chained-stereo.opus': { bytes: Buffer.concat([mono, stereo]), seconds: 2 * SECONDS },
    'bytes-between.opus': {
      bytes: Buffer.concat([
        mono.subarray(0, second),
        Buffer.from('no page'),
        mono.subarray(second),
      ]),
      seconds: SECONDS,
    },
    'damaged-then-whole.opus': { bytes: Buffer.concat([damaged, mono]), seconds: null },
  };
  return Object.entries(files).map(([name, { bytes, seconds }]) => {
    writeFileSync(path(name), bytes);
    return { name, file: path(name), by: 'file', channels: 1, gains: [1], seconds };
  });
}

/**
 * Length of the tone in a file, decoded by ffmpeg.
 * @param {string} file
 * @param {(samples: Float32Array) => number} secondsOf
 */
export function secondsByFfmpeg(file, secondsOf) {
  const bytes = run(['-i', file, '-vn', '-ar', String(RATE), '-ac', '1', '-f', 'f32le', 'pipe:1']);
  return secondsOf(
    new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
  );
}
