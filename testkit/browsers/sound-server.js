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
const START_MS = 30_000;

const pause = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * @param {object} options
 * @param {Uint8Array | null} options.microphone a WAV file that it speaks once from the moment when
 *   somebody listens, and silence after it; null where there is none
 * @param {boolean} options.speaker  false: there is none, and the microphone has a tone without end
 */
export async function startSoundServer({ microphone, speaker }) {
  const server = await startPulseAudio([
    ...(speaker ? ['module-null-sink sink_name=speaker rate=48000'] : []),
    ...(microphone ? microphoneModules(speaker) : []),
  ]);
  const environment = {
    ...server.environment,
    ...(speaker ? { PULSE_SINK: 'speaker' } : {}),
    ...(microphone ? { PULSE_SOURCE: 'microphone' } : {}),
  };
  const wav = join(server.scratch, 'speech.wav');
  if (microphone) await writeFile(wav, microphone);
  const speaking =
    microphone && speaker ? speakWhenHeard({ ...process.env, ...environment }, wav) : null;
  const close = async () => {
    speaking?.();
    await server.close();
  };
  return { environment, close };
}

/** Sides of the card of startSoundCard(), one mono device each. */
const SIDES = Object.freeze(['front-left', 'front-right', 'rear-left', 'rear-right']);
const CARD_RATE = 48000;
const SAMPLE_BYTES = 2;

/**
 * Starts a sound server with one virtual card, whose sides are separate devices. They are what the
 * microphone hears, a speaker, another speaker, and a microphone that hears nothing. They share the
 * card's clock, so that a recording of the card shows the time between them to the sample.
 * @param {Uint8Array} said a WAV file that the microphone hears from say() on
 */
export async function startSoundCard(said) {
  const server = await startPulseAudio([
    `module-null-sink sink_name=card format=s16le rate=${CARD_RATE} channels=${SIDES.length} ` +
      `channel_map=${SIDES.join(',')}`,
    ...['mouth', 'speaker', 'loop'].map((name, i) => sideOf('sink', name, 'card', SIDES[i])),
    sideOf('source', 'microphone', 'card.monitor', SIDES[0]),
    sideOf('source', 'quiet', 'card.monitor', SIDES[3]),
  ]);
  const env = { ...process.env, ...server.environment };
  const wav = join(server.scratch, 'speech.wav');
  await writeFile(wav, said);
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  /** @type {Buffer[]} */
  let heard = [];
  return {
    /** Environment of a browser whose microphone is spoken into. */
    mouth: { ...server.environment, PULSE_SOURCE: 'microphone', PULSE_SINK: 'loop' },
    /** Environment of a browser whose speaker is listened to. */
    ear: { ...server.environment, PULSE_SOURCE: 'quiet', PULSE_SINK: 'speaker' },
    /** Begins to speak and to record the card. */
    say() {
      const recorder = spawn(
        'parec',
        [
          '--raw',
          '--device=card.monitor',
          // By default it comes two seconds late. The devices' own latency is shorter than this.
          '--latency-msec=100',
          '--format=s16le',
          `--rate=${CARD_RATE}`,
          `--channels=${SIDES.length}`,
          `--channel-map=${SIDES.join(',')}`,
        ],
        { env, stdio: ['ignore', 'pipe', 'ignore'] },
      );
      recorder.stdout.on('data', (/** @type {Buffer} */ piece) => void heard.push(piece));
      const mouth = spawn('paplay', ['--device=mouth', wav], { env, stdio: 'ignore' });
      children.push(recorder, mouth);
    },
    /** The sound of each side since the last call, from the same moment on. */
    take() {
      const bytes = Buffer.concat(heard);
      const count = Math.floor(bytes.length / SAMPLE_BYTES / SIDES.length);
      heard = [bytes.subarray(count * SAMPLE_BYTES * SIDES.length)];
      const [mouth, speaker, loop] = SIDES.map((_name, side) => ({
        samples: Float32Array.from(
          { length: count },
          (_, i) => bytes.readInt16LE(SAMPLE_BYTES * (i * SIDES.length + side)) / 0x8000,
        ),
        startMs: 0,
        sampleRate: CARD_RATE,
      }));
      return { mouth, speaker, loop };
    },
    /** Idempotent. */
    async close() {
      for (const child of children.splice(0)) child.kill();
      await server.close();
    },
  };
}

/**
 * @param {'sink' | 'source'} kind
 * @param {string} name
 * @param {string} master
 * @param {string} side
 */
const sideOf = (kind, name, master, side) =>
  `module-remap-${kind} ${kind}_name=${name} master=${master} channels=1 channel_map=mono ` +
  `master_channel_map=${side} remix=no`;

/**
 * Starts a PulseAudio of one's own, in a folder of its own. It ends on its own when a test is
 * broken off.
 * @param {readonly string[]} modules beside the one for its socket
 */
async function startPulseAudio(modules) {
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-sound-'));
  const socket = join(scratch, 'socket');
  const environment = { PULSE_SERVER: `unix:${socket}`, PULSE_RUNTIME_PATH: scratch };
  const env = { ...process.env, ...environment };
  const flags = [
    '-n',
    '--daemonize=no',
    '--exit-idle-time=60',
    '--use-pid-file=no',
    '--realtime=no',
    '--high-priority=no',
  ];
  const all = [`module-native-protocol-unix auth-anonymous=1 socket=${socket}`, ...modules];
  const server = spawn('pulseaudio', [...flags, ...all.flatMap((module) => ['--load', module])], {
    env,
    stdio: 'ignore',
  });
  const gone = new Promise((resolve) => void server.once('exit', resolve));
  for (
    const end = Date.now() + START_MS;
    spawnSync('pactl', ['info'], { env }).status !== 0;
    await pause(50)
  ) {
    if (Date.now() > end || server.exitCode !== null) throw new Error('PulseAudio has not begun');
  }
  /** Idempotent. */
  const close = async () => {
    server.kill();
    await gone;
    await rm(scratch, { recursive: true, force: true });
  };
  return { environment, scratch, close };
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
