import { expect, it } from 'vitest';
import { markdownOf, tableOf } from '../../../docs/browser-table.js';

it('the browser table has a row per area, a column per browser, and counts unjudged tests', () => {
  const outcome = (
    /** @type {string} */ area,
    /** @type {string | undefined} */ browser,
    status = 'passed',
  ) => ({ ancestorTitles: [area], title: 'it', status, meta: { browser } });
  const table = tableOf([
    outcome('sound in Chromium', 'Chromium 156.0'),
    outcome('sound in Chromium', 'Chromium 156.0', 'failed'),
    outcome('sound in Firefox', 'Firefox 153.7'),
    outcome('the door, in Firefox', 'Firefox 153.7'),
    outcome('the door, in Firefox', 'Firefox 153.7', 'skipped'),
    outcome('what nobody ran', undefined),
  ]);
  expect(markdownOf(table).split('\n')).toEqual([
    '| tests | Chromium 156.0 | Firefox 153.7 |',
    '| --- | --- | --- |',
    '| sound | 1 passed, 1 failed | 1 passed |',
    '| the door |  | 1 passed, 1 not judged |',
  ]);
});
