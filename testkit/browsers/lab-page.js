import { text } from 'node:stream/consumers';
import { expect } from 'vitest';

/**
 * @import { BrowserContextOptions, Page } from 'playwright-core'
 */

/**
 * Opens the lab's page, and waits until it knows what the server offers.
 * @param {{ page: (path: string, options?: BrowserContextOptions) => Promise<Page> }} site
 * @param {BrowserContextOptions} [options]
 */
export async function openLab(site, options) {
  const page = await site.page('/lab', options);
  await page.getByRole('checkbox', { name: 'HTTP/1' }).waitFor();
  return page;
}

/** The button that starts a measurement. @param {Page} page */
export const startOf = (page) => page.getByRole('button', { name: 'Start', exact: true });

/** The labels of the protocols that every server has. */
export const PROTOCOLS = /** @type {const} */ (['WebTransport', 'WebSocket', 'HTTP/1']);

/**
 * Starts a measurement.
 * @param {Page} page @param {number} seconds @param {readonly string[]} [protocols]
 */
export async function measure(page, seconds, protocols = PROTOCOLS) {
  for (const protocol of PROTOCOLS) {
    const box = page.getByRole('checkbox', { name: protocol });
    if (await box.isEnabled()) await box.setChecked(protocols.includes(protocol));
  }
  await page.getByLabel('Duration').selectOption(String(seconds));
  await startOf(page).click();
}

/** Waits until a measurement has ended. @param {Page} page */
export const ended = (page) => startOf(page).waitFor({ timeout: 40_000 });

/** A table as an object: by row, by column. @param {Page} page @param {string} name */
export async function tableOf(page, name) {
  const rows = await page.getByRole('table', { name }).getByRole('row').all();
  const cells = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  const [[, ...columns], ...body] = cells;
  return Object.fromEntries(
    body.map(([head, ...values]) => [
      head,
      Object.fromEntries(columns.map((column, i) => [column, values[i]])),
    ]),
  );
}

/** @param {Page} page @param {string} kind */
export async function download(page, kind) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download ${kind}` }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(
    new RegExp(`^aloud-lab-[-0-9TZ]+\\.${kind.toLowerCase()}$`),
  );
  return text(await file.createReadStream());
}
