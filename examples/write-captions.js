/**
 * A bot that writes captions of everybody in a room, while somebody there has turned them on. It
 * gets each voice apart, and gives it to a recogniser, examples/recognise.py:
 *
 *     python3 -m venv speech && speech/bin/pip install pocketsphinx==5.1.1
 *     PYTHON=speech/bin/python node examples/write-captions.js http://localhost:8080/r/tea
 *
 * Any program that reads samples and writes such lines can take the recogniser's place.
 */

import { spawn } from 'node:child_process';
import { argv, env, exit } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { join } from 'aloud/client';

const RECOGNISER = fileURLToPath(new URL('recognise.py', import.meta.url));

/** Interval of silence that is filled in while a voice pauses, and most of it, in milliseconds. */
const SILENCE_MS = 100;
const MOST_SILENCE_MS = 1500;

/** Most sound that waits for a slow recogniser, in seconds; beyond it sound is left out. */
const MOST_WAITING_SECONDS = 10;

/** Most characters of a caption. */
const MOST_CHARACTERS = 240;

/** A process that recognises the words of one person. */
class RecogniserProcess {
  #child;
  #rate;
  #channels;
  #silentMs = 0;
  #heardMs = 0;
  #timer;

  /**
   * @param {{ sampleRate: number, channels: number }} format
   * @param {(line: { text: string, final: boolean, seconds: number }) => void} said
   */
  constructor({ sampleRate, channels }, said) {
    this.#rate = sampleRate;
    this.#channels = channels;
    this.#child = spawn(env.PYTHON ?? 'python3', [RECOGNISER, String(sampleRate)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.on('error', ({ message }) => console.error(message));
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => said(JSON.parse(line)));
    // Nothing comes in pauses, but a recogniser needs them to find the end of a sentence.
    this.#timer = setInterval(() => {
      if (performance.now() - this.#heardMs < SILENCE_MS || this.#silentMs >= MOST_SILENCE_MS)
        return;
      this.#silentMs += SILENCE_MS;
      this.#write(new Int16Array((SILENCE_MS / 1000) * this.#rate));
    }, SILENCE_MS);
  }

  /** @param {Float32Array} samples  interleaved */
  hear(samples) {
    this.#heardMs = performance.now();
    this.#silentMs = 0;
    const pcm = new Int16Array(samples.length / this.#channels);
    for (let i = 0; i < pcm.length; i++) {
      let sum = 0;
      for (let c = 0; c < this.#channels; c++) sum += samples[i * this.#channels + c];
      pcm[i] = Math.max(-1, Math.min(1, sum / this.#channels)) * 32767;
    }
    this.#write(pcm);
  }

  /** @param {Int16Array} pcm */
  #write(pcm) {
    const { stdin } = this.#child;
    if (stdin.writableLength < MOST_WAITING_SECONDS * this.#rate * 2)
      stdin.write(new Uint8Array(pcm.buffer));
  }

  close() {
    clearInterval(this.#timer);
    this.#child.kill();
  }
}

/** @param {string} url the room's link */
export async function writeCaptions(url) {
  const call = await join({ url, name: 'Scribe', voices: true });
  /** By person's id. @type {Map<string, RecogniserProcess>} */
  const recognisers = new Map();
  const close = (/** @type {string} */ person) => {
    recognisers.get(person)?.close();
    recognisers.delete(person);
  };
  const write = () => call.captions({ write: true });
  write();
  call.on('reconnected', write);
  call.on('voice', (person, samples) => {
    if (!call.captionsWanted) return;
    let recogniser = recognisers.get(person);
    if (!recogniser) {
      recogniser = new RecogniserProcess(call, ({ text, final, seconds }) => {
        const parts = text.match(new RegExp(`.{1,${MOST_CHARACTERS}}(?= |$)`, 'g')) ?? [];
        for (const part of final ? parts : parts.slice(-1))
          call.caption(part.trim(), { person, lang: 'en', final, seconds: Math.min(60, seconds) });
      });
      recognisers.set(person, recogniser);
    }
    recogniser.hear(samples);
  });
  call.on('captions', ({ on }) => {
    if (!on) for (const person of [...recognisers.keys()]) close(person);
  });
  call.on('people', (people) => {
    const there = new Set(people.map(({ id }) => id));
    for (const person of [...recognisers.keys()]) if (!there.has(person)) close(person);
  });
  call.on('closed', () => {
    for (const person of [...recognisers.keys()]) close(person);
  });
  call.on('message', ({ type, message }) => {
    if (type === 'refused') console.error(message);
  });
  return call;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv.length !== 3) {
    console.error('Usage: node examples/write-captions.js LINK');
    exit(2);
  }
  await writeCaptions(argv[2]);
}
