/**
 * @import { Browser, BrowserContextOptions, Page } from 'playwright-core'
 *
 * @typedef {object} Visit
 * @property {string} [name]
 * @property {'auto' | 'webtransport' | 'websocket' | 'http1'} [transport]
 * @property {(page: Page) => Promise<unknown>} [prepare] before the page loads
 */

/** @type {WeakMap<Page, string[]>} */
const problems = new WeakMap();

/**
 * Opens a page in a profile of its own.
 * @param {Browser} browser
 * @param {string} url
 * @param {BrowserContextOptions} [options]
 * @param {Visit['prepare']} [prepare]
 */
export async function openPage(browser, url, options, prepare) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  /** @type {string[]} */
  const met = [];
  problems.set(page, met);
  page.on('pageerror', (error) => met.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') met.push(message.text());
  });
  await prepare?.(page);
  await page.goto(url);
  return page;
}

/**
 * The errors that a page met: exceptions, what its content security policy forbade, what wasn't there.
 * @param {Page} page
 */
export const problemsOf = (page) => problems.get(page);

/**
 * Opens a room's page, with the form filled in by its address. The browser leaves the microphone's
 * sound as it is.
 * @param {Browser} browser
 * @param {string} url the server's
 * @param {string} room
 * @param {Visit} [visit]
 * @returns {Promise<Page>}
 */
export function openRoom(browser, url, room, { name, transport, prepare } = {}) {
  const wishes = new URLSearchParams({ processing: 'off' });
  if (name !== undefined) wishes.set('name', name);
  if (transport !== undefined) wishes.set('transport', transport);
  return openPage(browser, `${url}/r/${room}?${wishes}`, {}, prepare);
}

/**
 * Opens a room's page and joins.
 * @param {Browser} browser
 * @param {string} url
 * @param {string} room
 * @param {Visit} visit
 */
export async function joinRoom(browser, url, room, visit) {
  const page = await openRoom(browser, url, room, visit);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: 'Leave' }).waitFor();
  return page;
}

/**
 * What the page's list of people says, one string for each.
 * @param {Page} page
 */
export const people = (page) =>
  page.getByRole('list', { name: 'People in the room' }).getByRole('listitem').allInnerTexts();
