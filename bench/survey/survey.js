/**
 * Surveys of a run's recordings, recordings/<name>.wav: what was heard under one condition, all of
 * the same piece of speech. A survey is the folder survey/, which people get as it is, and
 * survey-key.json beside it, a secret list of the recordings' origins.
 *
 * @import { Sound } from '../../testkit/sound/wav.js'
 *
 * @typedef {object} Key
 * @property {1} version
 * @property {string} survey  the survey's own name, which its answers have too
 * @property {Record<string, string>} recordings  origins by the names that people's browsers see
 */

import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { seededRandom } from '../../testkit/random.js';
import { formatWav } from '../../testkit/sound/wav.js';
import { textTable } from '../report/text-table.js';
import { addUp, readAnswers, wordsTable } from './answers.js';

const PAGE = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = Object.freeze(['index.html', 'page.css', 'page.js']);

/** A name that says nothing. */
const blindName = () => randomBytes(4).toString('hex');

/** @param {string} run a run's folder */
const keyFile = (run) => join(run, 'survey-key.json');

/**
 * @param {string} run a run's folder
 * @returns {Promise<string>} the survey's folder
 * @throws {Error} when there are too few recordings, or the run has a survey
 */
export async function makeSurvey(run) {
  const recordings = (await listRecordings(run)).map((recording) => ({
    ...recording,
    blind: blindName(),
  }));
  const folder = join(run, 'survey');
  await mkdir(folder).catch(() => {
    throw new Error(
      `${folder} can't be made. If it is there already, its answers belong to it: move it ` +
        `and ${keyFile(run)} away to make another`,
    );
  });
  await mkdir(join(folder, 'sounds'));
  /** @type {Key} */
  const key = {
    version: 1,
    survey: blindName(),
    recordings: Object.fromEntries(recordings.map(({ blind, name }) => [blind, name])),
  };
  const told = { survey: key.survey, recordings: Object.keys(key.recordings).sort() };
  await Promise.all([
    ...PAGE_FILES.map((file) => copyFile(join(PAGE, file), join(folder, file))),
    ...recordings.map(({ file, blind }) => copyFile(file, join(folder, 'sounds', `${blind}.wav`))),
    writeFile(join(folder, 'survey.js'), `globalThis.SURVEY = ${JSON.stringify(told)};\n`),
    writeFile(keyFile(run), `${JSON.stringify(key, null, 2)}\n`),
  ]);
  return folder;
}

/**
 * @param {string} run a run's folder
 * @returns {Promise<Key>}
 * @throws {Error} when it has no survey
 */
export async function readKey(run) {
  const text = await readFile(keyFile(run), 'utf8').catch(() => {
    throw new Error(`${run} has no survey: it has no survey-key.json`);
  });
  return JSON.parse(text);
}

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
async function listRecordings(run) {
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

/** The intervals of a survey are the same each time that it is added up. */
const SEED = 1;

/**
 * `npm run bench -- survey FOLDER`: lets people judge a run's recordings, and adds up what they
 * say.
 */
export const surveyCommand = new Command('survey')
  .description(
    "makes a page on which people judge a run's recordings without knowing what is what; " +
      'with --answers, adds up what they said',
  )
  .argument('<folder>', "a run's folder with recordings/, such as bench/results/…-ways-…")
  .option('--answers <files...>', 'the files that people saved on the page')
  .addHelpText(
    'after',
    '\nsurvey stands for table 6.1 and figure 6.14 of Paterson (2022): three scales, and ' +
      'pairs in place of a ranking, of sound in place of video.',
  )
  .action(async (run, { answers: files }) => {
    if (!files) {
      const folder = await makeSurvey(run);
      console.log(
        `Survey: ${folder}\nGive people the whole folder, or put it on a web server; they ` +
          'open index.html. What is what is in survey-key.json beside it: keep that.',
      );
      return;
    }
    const key = await readKey(run);
    const people = [];
    for (const file of files) people.push(await readAnswers(file, key));
    console.log(textTable(addUp(key, people, seededRandom(SEED))));
    const words = wordsTable(people);
    if (words) console.log(`\n${textTable(words)}`);
  });
