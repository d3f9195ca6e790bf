import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** @typedef {import('playwright-core').Page} Page */

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that are checked: WCAG 2.2, A and AA, and what the field holds good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * The rule that depends on the colours, and on nothing else: the one to ask again where they alone
 * have changed.
 */
export const COLOURS = 'color-contrast';

/**
 * The faults that axe-core finds in a page as it is now.
 * @param {Page} page
 * @param {string} [rule]  one alone, in place of all
 * @returns {Promise<string[]>} one for each element: the rule, the element, and what is wrong
 */
export async function violationsOf(page, rule) {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(`${await source}; undefined`);
  return page.evaluate(
    async (runOnly) => {
      const { axe } = /** @type {any} */ (window);
      // Otherwise the elements without a fault get a selector each, which takes time.
      const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
      return violations.flatMap((/** @type {any} */ { id, nodes }) =>
        nodes.map(
          (/** @type {any} */ node) =>
            `${id}: ${node.html.slice(0, 160)} ` +
            `${node.failureSummary.split('\n').slice(1).join(' ')}`,
        ),
      );
    },
    rule === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: [rule] },
  );
}
