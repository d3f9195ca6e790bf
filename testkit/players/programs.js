/** Players and tools that read what aloud writes, as commands that give samples. */

import { spawn, spawnSync } from 'node:child_process';

export const RATE = 48_000;

/** The user that VLC and Icecast run as: they refuse root. */
const NOBODY = Object.freeze({ uid: 65_534, gid: 65_534 });

/** Returns the user to start a program as. @param {string} command */
export const userOf = (command) =>
  ['cvlc', 'icecast2'].includes(command) && process.getuid?.() === 0 ? NOBODY : {};

/**
 * @typedef {{ name: string, command: string, args: (input: string, seek: number) => string[],
 *   seeks: boolean, kinds?: string[], isPadded?: boolean }} Program isPadded: of which the server
 *   thinks as of a browser
 */

const RAW = Object.freeze(['-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']);
const SAMPLES = Object.freeze([
  '!',
  'audioconvert',
  '!',
  'audioresample',
  '!',
  `audio/x-raw,format=S16LE,rate=${RATE},channels=1`,
  '!',
  'fdsink',
  'fd=1',
]);
const vlcOut =
  `:sout=#transcode{acodec=s16l,channels=1,samplerate=${RATE}}` + ':std{access=file,mux=wav,dst=-}';

/**
 * Each gives samples of 16 bits on its standard output; a WAV header before them is left out.
 * @type {readonly Program[]}
 */
export const PROGRAMS = [
  {
    name: 'ffmpeg',
    command: 'ffmpeg',
    seeks: true,
    args: (input, seek) => [
      '-nostdin',
      '-v',
      'error',
      ...(seek ? ['-ss', String(seek)] : []),
      '-i',
      input,
      ...RAW,
    ],
  },
  {
    name: 'mpv',
    command: 'mpv',
    seeks: true,
    args: (input, seek) => [
      '--no-config',
      '--no-video',
      '--really-quiet',
      '--hr-seek=yes',
      ...(seek ? [`--start=${seek}`] : []),
      '--ao=pcm',
      '--ao-pcm-file=/dev/stdout',
      '--ao-pcm-waveheader=no',
      `--audio-samplerate=${RATE}`,
      '--audio-format=s16',
      '--audio-channels=mono',
      input,
    ],
  },
  {
    name: 'VLC',
    command: 'cvlc',
    seeks: true,
    isPadded: true,
    args: (input, seek) => [
      '-q',
      '-I',
      'dummy',
      '--no-video',
      ...(seek ? [`--start-time=${seek}`] : []),
      input,
      vlcOut,
      'vlc://quit',
    ],
  },
  {
    name: 'GStreamer (decodebin)',
    command: 'gst-launch-1.0',
    seeks: false,
    args: (input) => [
      '-q',
      ...(input.startsWith('http')
        ? ['souphttpsrc', `location=${input}`]
        : ['filesrc', `location=${input}`]),
      '!',
      'decodebin',
      ...SAMPLES,
    ],
  },
  {
    name: 'GStreamer (playbin)',
    command: 'gst-play-1.0',
    seeks: true,
    args: (input, seek) => [
      '-q',
      '--no-interactive',
      ...(seek ? [`--start-position=${seek}`] : []),
      `--audiosink=${SAMPLES.slice(1).join(' ')} sync=false`,
      input,
    ],
  },
  {
    name: 'opusdec',
    command: 'opusdec',
    seeks: false,
    kinds: ['ogg'],
    args: (input) => ['--quiet', '--rate', String(RATE), '--no-dither', input, '-'],
  },
];

/** Returns a program's name with its version. @param {{ name: string, command: string }} program */
export function titleOf({ name, command }) {
  const [, version] =
    /[ v](\d+(?:\.\d+)+)/.exec(told(command, '--version') || told(command, '-version')) ?? [];
  return version === undefined ? name : name.replace(/^[^ ]+/, `$& ${version}`);
}

/** @param {string} command @param {string} option */
const told = (command, option) =>
  String(
    spawnSync(command, [option], { ...userOf(command), env: { ...process.env, HOME: '/tmp' } })
      .stdout ?? '',
  );

/** Names what is missing, which the tables leave out. @param {{ name: string }[]} missing */
export function tellMissing(missing) {
  if (missing.length > 0)
    console.log(`\nNot installed: ${missing.map(({ name }) => name).join(', ')}.`);
}

/** Tells if a program is installed. @param {{ command: string }} program */
export const isThere = ({ command }) => spawnSync('which', [command]).status === 0;

/**
 * Starts a program whose samples are read from its standard output, in a group of its own.
 * @param {Program} program @param {string} input @param {number} [seek]
 */
export function startProgram({ command, args }, input, seek = 0) {
  // Node.js makes a socket of the output, which can't be opened by name, as mpv does.
  const piped = ['-c', '"$0" "$@" | cat', command, ...args(input, seek)];
  return spawn('sh', piped, {
    ...userOf(command),
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, HOME: '/tmp' },
  });
}

/**
 * Ends a program and what it has started.
 * @param {import('node:child_process').ChildProcess} child
 */
export function stopProgram({ pid, exitCode, signalCode }) {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

/** Makes samples of 16-bit bytes, without a WAV header. @param {Buffer} bytes */
export function samplesOf(bytes) {
  const data =
    bytes.toString('latin1', 0, 4) === 'RIFF'
      ? bytes.subarray(bytes.indexOf('data', 0, 'latin1') + 8)
      : bytes;
  return Float32Array.from(
    { length: data.length >> 1 },
    (_, i) => data.readInt16LE(2 * i) / 32_768,
  );
}

/** @param {string[]} head @param {(string | number)[][]} rows @returns {string} Markdown */
export const markdown = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
