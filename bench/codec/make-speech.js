#!/usr/bin/env node
/**
 * Makes the speech that tests and benchmarks use, in test/fixtures/: espeak-ng speaks it, sox brings it
 * to 48 kHz, mono, 16 bit. The files are committed, so that nobody needs the two programs; running this
 * again with the versions named below gives the same bytes.
 *
 *   node bench/codec/make-speech.js      (Debian: apt-get install espeak-ng sox)
 *
 * Made with espeak-ng 1.51 and sox 14.4.2.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** name: the file's; voice and speed: espeak-ng's, speed in words a minute; pitch: 0 to 99. */
const speeches = [
  {
    name: 'speech-low',
    voice: 'en-gb+m3',
    speed: 165,
    pitch: 38,
    text: 'Good morning, everybody. Can you hear me well? Then let us begin: six ships sailed past the quay.',
  },
  {
    name: 'speech-high',
    voice: 'en-us+f3',
    speed: 175,
    pitch: 62,
    text: 'Yes, I can hear you. The fresh fish was chosen by a judge, and both of them thought it measured five feet.',
  },
];

const fixtures = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'speech-'));
try {
  mkdirSync(fixtures, { recursive: true });
  for (const { name, voice, speed, pitch, text } of speeches) {
    const spoken = join(scratch, 'spoken.wav');
    execFileSync('espeak-ng', ['-v', voice, '-s', `${speed}`, '-p', `${pitch}`, '-w', spoken, text]);
    // -D: no dither, which is random; -R: the same random numbers each time, should anything use them
    const format = ['-r', '48000', '-c', '1', '-b', '16'];
    const file = join(fixtures, `${name}.wav`);
    execFileSync('sox', ['-D', '-R', spoken, ...format, file, 'gain', '-n', '-6']);
    console.log(file);
  }
} finally {
  rmSync(scratch, { recursive: true });
}
