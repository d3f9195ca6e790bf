import { expect, it } from 'vitest';
import { OpenParts } from '../../../server/open-parts.js';

/**
 * Parts that note their closing, and its end a turn later.
 * @param {OpenParts} parts
 */
function noting(parts) {
  /** @type {string[]} */
  const noted = [];
  const open = (/** @type {string} */ name) =>
    parts.add({
      close: async () => {
        noted.push(name);
        await null;
        noted.push(`${name} closed`);
      },
    });
  return { noted, open };
}

it('parts are closed one after the other, the last first', async () => {
  const parts = new OpenParts();
  const { noted, open } = noting(parts);
  for (const name of ['a', 'b']) open(name);
  await parts.close();
  await parts.close();
  expect(noted).toEqual(['b', 'b closed', 'a', 'a closed']);
});

it('parts that wait for peers are closed at once', async () => {
  const parts = new OpenParts({ atOnce: true });
  const { noted, open } = noting(parts);
  for (const name of ['a', 'b']) open(name);
  await parts.close();
  await parts.close();
  expect(noted).toEqual(['a', 'b', 'a closed', 'b closed']);
});

it.each([false, true])('a part that fails keeps none open, at once: %s', async (atOnce) => {
  const parts = new OpenParts({ atOnce });
  const { noted, open } = noting(parts);
  open('a');
  parts.add({ close: () => Promise.reject(new Error('b failed')) });
  open('c');
  await expect(parts.close()).rejects.toThrow('b failed');
  expect(noted).toEqual(expect.arrayContaining(['a closed', 'c closed']));
});
