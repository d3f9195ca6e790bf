/**
 * Makes a survey of a run's recordings: survey/, which people get as it is, and survey-key.json
 * beside it, a secret list of the recordings' origins.
 *
 * @typedef {object} Key
 * @property {1} version
 * @property {string} survey  the survey's own name, which its answers have too
 * @property {Record<string, string>} recordings  origins by the names that people's browsers see
 */

import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listRecordings } from './recordings.js';

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
