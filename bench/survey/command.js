/**
 * `npm run bench -- survey FOLDER`: lets people judge a run's recordings, and adds up what they
 * say.
 */

import { Command } from 'commander';
import { textTable } from '../report/text-table.js';
import { seededRandom } from '../../testkit/random.js';
import { addUp, readAnswers, wordsTable } from './answers.js';
import { makeSurvey, readKey } from './make.js';

/** The intervals of a survey are the same each time that it is added up. */
const SEED = 1;

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
