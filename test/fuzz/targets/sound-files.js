/** @import { Target } from '../target.js' */

import { formatWav } from '../../../testkit/sound/wav.js';
import { ByteReader } from '../../../programs/sound/byte-reader.js';
import { readOggSound } from '../../../programs/sound/ogg-sound.js';
import { NotSoundError } from '../../../programs/sound/sound.js';
import { readWavSound } from '../../../programs/sound/wav-reader.js';
import { oggWriter } from '../../../programs/sound/writers.js';
import { check } from '../target.js';

const tone = Float32Array.from({ length: 1500 }, (_, i) => 0.3 * Math.sin(i / 9));

async function oggFile() {
  /** @type {Uint8Array[]} */
  const parts = [];
  const writer = await oggWriter(
    { write: (bytes) => void parts.push(bytes), patch: null },
    { sampleRate: 48_000, channels: 1 },
    'tea',
  );
  writer.write(tone);
  writer.end();
  return new Uint8Array(Buffer.concat(parts));
}

/** Any bytes give sound within bounds, or an error that says so. @type {Target} */
export const soundFiles = {
  name: 'sound-files',
  cost: 100,
  valid: [
    formatWav({ sampleRate: 8000, channels: [tone.subarray(0, 200)] }),
    formatWav(
      { sampleRate: 44_100, channels: [tone.subarray(0, 50), tone.subarray(0, 50)] },
      { float: true },
    ),
    await oggFile(),
  ],
  async run(input) {
    const bytes = input.slice();
    const read = input[0] === 0x4f ? readOggSound : readWavSound;
    const pieces = (async function* () {
      yield bytes.subarray(0, 40);
      yield bytes.subarray(40);
    })();
    try {
      const sound = await read(new ByteReader(pieces));
      let count = 0;
      for await (const piece of sound.pieces) {
        count += piece.length;
        check(piece.length % sound.channels === 0, 'a piece has whole samples');
        check(piece.every(Number.isFinite), 'samples are numbers');
      }
      // A packet of one byte stands for 120 ms of stereo.
      check(count <= bytes.length * 2 * 5760, 'there is no more sound than bytes can be');
      await sound.close();
    } catch (error) {
      if (!(error instanceof NotSoundError)) throw error;
    }
  },
};
