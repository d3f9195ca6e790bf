/** @import { SoundFormat, SoundWriter } from './types.js' */

import { convert } from './sound/convert.js';
import { openSound } from './sound/open-sound.js';
import { kindOf, openOut, writerOf } from './sound/writers.js';

/**
 * @type {(file: string, format: SoundFormat & { gain?: number }) => AsyncGenerator<Float32Array,
 *   void>}
 */
export async function* readSound(file, { sampleRate, channels, gain }) {
  const sound = await openSound(file);
  try {
    yield* convert(sound, { sampleRate, channels, gain });
  } finally {
    await sound.close();
  }
}

/** @type {(file: string, format: SoundFormat) => Promise<SoundWriter>} */
export async function writeSound(file, { sampleRate, channels }) {
  const kind = kindOf(file);
  if (kind === null) throw new TypeError(`${file} does not end in .wav, .opus, .ogg or .raw`);
  const out = openOut(file);
  const writer = await writerOf(kind, out, { sampleRate, channels }, '');
  return {
    write: writer.write,
    end() {
      writer.end();
      out.close();
    },
  };
}
