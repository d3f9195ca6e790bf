/**
 * The recordings in a run's folder: recordings/<name>.wav, what was heard under one condition, all
 * of the same piece of speech.
 * @import { Sound } from '../../testkit/sound/wav.js'
 */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formatWav } from '../../testkit/sound/wav.js';

/** @param {string} run a run's folder */
const recordingsFolder = (run) => join(run, 'recordings');

/**
 * Keeps the first recording of a name, so that none is chosen for its sound.
 * @param {string} run a run's folder
 * @param {string} name
 * @param {Sound} sound
 */
export async function keepRecording(run, name, sound) {
  const folder = recordingsFolder(run);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.wav`), formatWav(sound), { flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/**
 * @param {string} run a run's folder
 * @returns {Promise<{ name: string, file: string }[]>} by name
 * @throws {Error} when there are fewer than two
 */
export async function listRecordings(run) {
  const folder = recordingsFolder(run);
  const files = await readdir(folder).catch(() => []);
  const recordings = files
    .filter((file) => file.endsWith('.wav'))
    .sort()
    .map((file) => ({ name: basename(file, '.wav'), file: join(folder, file) }));
  if (recordings.length < 2)
    throw new Error(
      `${run}: a survey compares at least two recordings, and there are ` +
        `${recordings.length} in its folder recordings/`,
    );
  return recordings;
}
