/** Players and tools that read what aloud writes, as commands that give samples. */

import { spawn, spawnSync } from 'node:child_process';

export const RATE = 48_000;

/** The user that VLC runs as: it refuses root. */
const NOBODY = Object.freeze({ uid: 65_534, gid: 65_534 });

/** @typedef {{ name: string, command: string, args: (input: string, seek: number) => string[], seeks: boolean, isSlow?: boolean, kinds?: string[] }} Program */

const RAW = Object.freeze(['-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']);
const vlcOut = `:sout=#transcode{acodec=s16l,channels=1,samplerate=${RATE}}:std{access=file,mux=wav,dst=-}`;

/** Each gives samples of 16 bits on its standard output; a WAV header before them is left out. @type {readonly Program[]} */
export const PROGRAMS = [
  { name: 'ffmpeg', command: 'ffmpeg', seeks: true, args: (input, seek) => ['-nostdin', '-v', 'error', ...(seek ? ['-ss', String(seek)] : []), '-i', input, ...RAW] },
  { name: 'mpv', command: 'mpv', seeks: true, args: (input, seek) => ['--no-config', '--no-video', '--really-quiet', '--hr-seek=yes', ...(seek ? [`--start=${seek}`] : []), '--ao=pcm', '--ao-pcm-file=/dev/stdout', '--ao-pcm-waveheader=no', `--audio-samplerate=${RATE}`, '--audio-format=s16', '--audio-channels=mono', input] },
  { name: 'VLC', command: 'cvlc', seeks: true, args: (input, seek) => ['-q', '-I', 'dummy', '--no-video', ...(seek ? [`--start-time=${seek}`] : []), input, vlcOut, 'vlc://quit'] },
  { name: 'GStreamer', command: 'gst-launch-1.0', seeks: false, args: (input) => ['-q', ...(input.startsWith('http') ? ['souphttpsrc', `location=${input}`] : ['filesrc', `location=${input}`]), '!', 'decodebin', '!', 'audioconvert', '!', 'audioresample', '!', `audio/x-raw,format=S16LE,rate=${RATE},channels=1`, '!', 'fdsink', 'fd=1'] },
  { name: 'opusdec', command: 'opusdec', seeks: false, kinds: ['ogg'], args: (input) => ['--quiet', '--rate', String(RATE), '--no-dither', input, '-'] },
];

/** Whether a program is installed. @param {{ command: string }} program */
export const isThere = ({ command }) => spawnSync('which', [command]).status === 0;

/**
 * Starts a program whose samples are read from its standard output, in a group of its own.
 * @param {Program} program @param {string} input @param {number} [seek]
 */
export function startProgram({ command, args }, input, seek = 0) {
  const user = command === 'cvlc' && process.getuid?.() === 0 ? NOBODY : {};
  // Node.js makes a socket of the output, which can't be opened by name, as mpv does.
  const piped = ['-c', '"$0" "$@" | cat', command, ...args(input, seek)];
  return spawn('sh', piped, { ...user, detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, HOME: '/tmp' } });
}

/** Ends a program and what it has started. @param {import('node:child_process').ChildProcess} child */
export function stopProgram({ pid, exitCode, signalCode }) {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

/** Makes samples of 16-bit bytes, without a WAV header. @param {Buffer} bytes */
export function samplesOf(bytes) {
  const data = bytes.toString('latin1', 0, 4) === 'RIFF' ? bytes.subarray(bytes.indexOf('data', 0, 'latin1') + 8) : bytes;
  return Float32Array.from({ length: data.length >> 1 }, (_, i) => data.readInt16LE(2 * i) / 32_768);
}

/** @param {string[]} head @param {(string | number)[][]} rows @returns {string} Markdown */
export const markdown = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
