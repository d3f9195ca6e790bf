#!/usr/bin/env node
/**
 * Makes the speech for tests and benchmarks, in testkit/speech/. The program espeak-ng speaks it,
 * and sox brings it to one level, mono, 16 bit. The files speech-* have some 6.5 s at 48 kHz. In
 * speaker-* four voices say their own words for some 10 s, the length that marks need, at
 * espeak-ng's own rate. The files are committed, so that nobody needs the two programs. The
 * versions below make the same bytes again: espeak-ng 1.51 and sox 14.4.2.
 *
 *   node bench/codec/make-speech.js      (Debian: apt-get install espeak-ng sox)
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The rate at which espeak-ng speaks, in Hz. */
const SPOKEN_RATE = 22_050;

/**
 * name: the file's, at `rate` Hz; voice and speed: espeak-ng's, speed in words a minute; pitch: 0
 * to 99.
 */
const speeches = [
  {
    name: 'speech-low',
    rate: 48_000,
    voice: 'en-gb+m3',
    speed: 165,
    pitch: 38,
    text:
      'Good morning, everybody. Can you hear me well? Then let us begin: six ships sailed ' +
      'past the quay.',
  },
  {
    name: 'speech-high',
    rate: 48_000,
    voice: 'en-us+f3',
    speed: 175,
    pitch: 62,
    text:
      'Yes, I can hear you. The fresh fish was chosen by a judge, and both of them thought it ' +
      'measured five feet.',
  },
  {
    name: 'speaker-low-1',
    rate: SPOKEN_RATE,
    voice: 'en-us+m2',
    speed: 145,
    pitch: 32,
    text:
      'The old clock in the hall struck seven as we came in. Nobody had lit the fire, so we ' +
      'sat in our coats and drank what was left of the cold tea.',
  },
  {
    name: 'speaker-low-2',
    rate: SPOKEN_RATE,
    voice: 'en-gb-scotland+m7',
    speed: 155,
    pitch: 44,
    text:
      'Take the second road on the right, just past the church. You will see a low white ' +
      'house with a green gate; ring the bell twice, and wait for somebody to come down.',
  },
  {
    name: 'speaker-high-1',
    rate: SPOKEN_RATE,
    voice: 'en-gb-x-rp+f4',
    speed: 148,
    pitch: 60,
    text:
      'Did you bring the figures for the third quarter? I would like to go through them once ' +
      'more, page by page, before the others join us at half past nine.',
  },
  {
    name: 'speaker-high-2',
    rate: SPOKEN_RATE,
    voice: 'en-us+f2',
    speed: 165,
    pitch: 70,
    text:
      'My brother keeps bees behind the barn. In a good summer he has more honey than he can ' +
      'sell, and every child in the village gets a jar of it for nothing, shortly before ' +
      'school begins.',
  },
];

const SPEECH = fileURLToPath(new URL('../../testkit/speech/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'speech-'));
try {
  for (const { name, rate, voice, speed, pitch, text } of speeches) {
    const spoken = join(scratch, 'spoken.wav');
    execFileSync('espeak-ng', [
      '-v',
      voice,
      '-s',
      `${speed}`,
      '-p',
      `${pitch}`,
      '-w',
      spoken,
      text,
    ]);
    // -D: no dither, which is random; -R: the same random numbers each time, should anything use
    // them
    const format = ['-r', `${rate}`, '-c', '1', '-b', '16'];
    const file = join(SPEECH, `${name}.wav`);
    execFileSync('sox', ['-D', '-R', spoken, ...format, file, 'gain', '-n', '-6']);
    console.log(file);
  }
} finally {
  rmSync(scratch, { recursive: true });
}
