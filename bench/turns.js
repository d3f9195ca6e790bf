/** Measurements of this checkout and, by turns, of another, and the table of their means. */

import { Option } from 'commander';
import { checkoutWith } from './options.js';
import { SERVER_MAIN } from './participants/whole-server.js';
import { bootstrap } from './stats/bootstrap.js';
import { seededRandom } from '../testkit/random.js';
import { mean } from '../testkit/statistics.js';

/** @typedef {{ [figure: string]: number }} Figures */

export const againstOption = () =>
  new Option('--against <folder>', 'another checkout, with its packages and addon').argParser(
    (/** @type {string} */ folder) => checkoutWith(folder, SERVER_MAIN),
  );

/**
 * @param {object} options
 * @param {string} [options.against] folder of another checkout
 * @param {number} options.blocks    of each checkout
 * @param {(folder?: string) => Promise<Figures>} options.measure  once; by default this checkout
 * @returns {Promise<Figures[][]>} the blocks of this checkout, and those of the other
 */
export async function byTurns({ against, blocks, measure }) {
  const folders = against ? [undefined, against] : [undefined];
  const results = folders.map(() => /** @type {Figures[]} */ ([]));
  for (let block = 0; block < blocks; block++) {
    for (const turn of folders.keys()) {
      const which = (turn + block) % folders.length;
      results[which].push(await measure(folders[which]));
    }
  }
  return results;
}

/**
 * Prints each figure's mean, with its interval of 95 % where there are five blocks.
 * @param {Figures[][]} results of `byTurns`
 */
export function printTurns([here, there]) {
  /** @param {string} name @param {Figures[]} blocks */
  const column = (name, blocks) => words(blocks.map((figures) => [figures[name]]));
  const rows = Object.keys(here[0]).map((name) => [
    name,
    {
      here: column(name, here),
      ...(there && {
        there: column(name, there),
        ratio: words(here.map((figures, i) => [figures[name] / there[i][name]])),
      }),
    },
  ]);
  console.table(Object.fromEntries(rows));
}

/** @param {number[][]} blocks @returns {string} their mean, and of five its interval of 95 % */
function words(blocks) {
  const [{ estimate, low, high }] = bootstrap(blocks, (all) => [mean(all)], {
    random: seededRandom(1),
  });
  const interval = Number.isNaN(low) ? '' : ` [${low.toFixed(2)}, ${high.toFixed(2)}]`;
  return `${estimate.toFixed(2)}${interval}`;
}
