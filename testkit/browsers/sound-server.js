/** A PulseAudio of one's own, whose microphone speaks and whose speaker is heard by nobody. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAMS = ['pulseaudio', 'pactl', 'paplay'];

/** True when the programs are here. */
export const canServeSound = () =>
  PROGRAMS.every((program) => spawnSync(program, ['--version']).status === 0);

/** Time limit for the start of the sound server, in milliseconds. */
const START_MS = 10_000;

const pause = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * @param {object} options
 * @param {Uint8Array | null} options.microphone a WAV file that it speaks once from the moment when
 *   somebody listens, and silence after it; null where there is none
 * @param {boolean} options.speaker  false: there is none, and the microphone has a tone without end
 */
export async function startSoundServer({ microphone, speaker }) {
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-sound-'));
  const socket = join(scratch, 'socket');
  const wav = join(scratch, 'speech.wav');
  if (microphone) await writeFile(wav, microphone);
  const modules = [
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
    ...(speaker ? ['module-null-sink sink_name=speaker rate=48000'] : []),
    ...(microphone ? microphoneModules(speaker) : []),
  ];
  const environment = {
    PULSE_SERVER: `unix:${socket}`,
    PULSE_RUNTIME_PATH: scratch,
    ...(speaker ? { PULSE_SINK: 'speaker' } : {}),
    ...(microphone ? { PULSE_SOURCE: 'microphone' } : {}),
  };
  const env = { ...process.env, ...environment };
  // The server ends on its own when a test is broken off.
  const flags = [
    '-n',
    '--daemonize=no',
    '--exit-idle-time=60',
    '--use-pid-file=no',
    '--realtime=no',
    '--high-priority=no',
  ];
  const server = spawn(
    'pulseaudio',
    [...flags, ...modules.flatMap((module) => ['--load', module])],
    { env, stdio: 'ignore' },
  );
  const gone = new Promise((resolve) => void server.once('exit', resolve));
  for (
    const end = Date.now() + START_MS;
    spawnSync('pactl', ['info'], { env }).status !== 0;
    await pause(50)
  ) {
    if (Date.now() > end || server.exitCode !== null) throw new Error('PulseAudio has not begun');
  }
  const speaking = microphone && speaker ? speakWhenHeard(env, wav) : null;
  const close = async () => {
    speaking?.();
    server.kill();
    await gone;
    await rm(scratch, { recursive: true, force: true });
  };
  return { environment, close };
}

/**
 * A speaking program is itself a speaker, so without a speaker there is a tone. A browser doesn't
 * accept a monitor as a microphone, but a source made from it.
 * @param {boolean} speaker
 */
function microphoneModules(speaker) {
  if (!speaker) return ['module-sine-source source_name=microphone frequency=440 rate=48000'];
  return [
    'module-null-sink sink_name=mouth rate=48000',
    'module-remap-source source_name=microphone master=mouth.monitor',
  ];
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} wav
 * @returns {() => void} ends it
 */
function speakWhenHeard(env, wav) {
  const watching = spawn('pactl', ['subscribe'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [watching];
  createInterface({ input: watching.stdout }).on('line', (line) => {
    if (!/'new' on source-output/.test(line)) return;
    children.push(spawn('paplay', ['--device=mouth', wav], { env, stdio: 'ignore' }));
  });
  return () => children.forEach((child) => child.kill());
}
