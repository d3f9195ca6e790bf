import { expect } from 'vitest';

/**
 * @import { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
 *
 * @typedef {object} Visit
 * @property {string} [name]
 * @property {'auto' | 'webtransport' | 'websocket' | 'http1'} [transport]
 * @property {(page: Page) => Promise<unknown>} [prepare] before the page loads
 * @property {RegExp} [problems]  errors that the page will meet
 */

/**
 * Errors of pages since the last test, by profile.
 * @type {Map<BrowserContext, string[]>}
 */
const problems = new Map();

/** The errors that a test brings about. @type {WeakMap<BrowserContext, RegExp>} */
const expected = new WeakMap();

/** The errors that a browser logs for a server, or a network, that is gone. */
export const CUT_OFF = new RegExp(
  [
    /^Failed to establish a connection|^WebSocket connection/,
    /^The connection to wss?:\S+ was interrupted|net::ERR_/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/**
 * Runs in a page: hides the notice that the computer has too little time, which is about the
 * machine that runs the tests.
 */
function hideBusyNotice() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('[data-code=computer-busy] { display: none; }');
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Opens a page in a profile of its own.
 * @param {Browser} browser
 * @param {string} url
 * @param {BrowserContextOptions} [options]
 * @param {Visit['prepare']} [prepare]
 * @param {RegExp} [kind] of errors that the page will meet
 */
export async function openPage(browser, url, options, prepare, kind) {
  const context = await browser.newContext(options);
  await context.addInitScript(hideBusyNotice);
  if (kind) expected.set(context, kind);
  /** @type {string[]} */
  const met = [];
  problems.set(context, met);
  context.on('weberror', (error) => met.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error') met.push(message.text());
  });
  const page = await context.newPage();
  await prepare?.(page);
  await page.goto(url);
  return page;
}

/**
 * Says that a page, and others of its profile, will meet errors of a kind.
 * @param {Page} page
 * @param {RegExp} kind
 */
export function expectProblems(page, kind) {
  expected.set(page.context(), kind);
}

/**
 * Returns the errors of all pages since the last call: exceptions, violations of the content
 * security policy, and missing files, without the expected ones.
 * @returns {string[]}
 */
export function takeProblems() {
  return [...problems].flatMap(([context, met]) =>
    met.splice(0).filter((one) => !expected.get(context)?.test(one)),
  );
}

/**
 * Makes a page see the server's HTTP/3 at a link's port.
 * @param {import('../../support/fragile-link.js').FragileLink} link
 */
export async function throughLink(link) {
  const json = await (await link.fetch(`${link.url}/api/config`)).json();
  return (/** @type {Page} */ page) =>
    page.route('**/api/config?*', (route) => route.fulfill({ json }));
}

/**
 * Gives a page's transports more time to answer before it tries the next, or gives up.
 * @param {Page} page
 */
export const givePatience = (page) =>
  page.route('**/client/connection/choose.js', async (route) => {
    const response = await route.fetch();
    const body = (await response.text())
      .replace('PATIENCE_MS = 1500', 'PATIENCE_MS = 60_000')
      .replace('webtransport: 3000', 'webtransport: 60_000');
    await route.fulfill({ response, body });
  });

/**
 * Opens a room's page, with the form filled in by its address. The browser leaves the microphone's
 * sound as it is.
 * @param {Browser} browser
 * @param {string} url the server's
 * @param {string} room
 * @param {Visit} [visit]
 * @returns {Promise<Page>}
 */
export function openRoom(browser, url, room, { name, transport, prepare, problems: kind } = {}) {
  const wishes = new URLSearchParams({ processing: 'off' });
  if (name !== undefined) wishes.set('name', name);
  if (transport !== undefined) wishes.set('transport', transport);
  return openPage(browser, `${url}/r/${room}?${wishes}`, {}, prepare, kind);
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
  await page
    .getByRole('button', { name: 'Leave' })
    .waitFor()
    .catch(async (error) => {
      throw new Error(
        `${error.message.split('\n')[0]} The page says: ${await page.locator('body').innerText()}`,
      );
    });
  return page;
}

/** Joins with a stereo microphone. @param {Page} page of the green room */
export async function joinInStereo(page) {
  await page.getByText('Sound settings').click();
  await page.getByRole('switch', { name: 'Stereo' }).check();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: 'Leave' }).waitFor();
}

/**
 * The text of the page's list of people, one string for each.
 * @param {Page} page
 */
export const people = (page) =>
  page.getByRole('list', { name: 'People in the room' }).getByRole('listitem').allInnerTexts();

/**
 * The sentence that was announced last to assistive technology; empty before the first.
 * @param {Page} page
 */
export const announced = (page) =>
  page.evaluate(() => document.querySelector('#announcer')?.lastElementChild?.textContent ?? '');

/**
 * Expects the page's list of people to be these before long.
 * @param {Page} page
 * @param {RegExp[]} who  one for each
 */
export const shows = (page, ...who) =>
  expect.poll(() => people(page)).toEqual(who.map((pattern) => expect.stringMatching(pattern)));

/**
 * The next statistics of a page's call.
 * @param {Page} page in a call
 * @returns {Promise<any>} StatsDetail of public/client/call/call-stats.js
 */
export const nextStats = (page) =>
  page.evaluate(() => {
    const { call } = /** @type {any} */ (window).aloud;
    return new Promise((resolve) => {
      const end = call.store.observe((/** @type {any} */ now, /** @type {any} */ before) => {
        if (now.stats === before.stats) return;
        end();
        resolve(now.stats.detail);
      });
    });
  });

/**
 * Keeps the microphones that a page opens, of which microphones() tells the settings. Runs in the
 * page before all else.
 */
export function keepTracks() {
  const { mediaDevices } = navigator;
  const { getUserMedia } = mediaDevices;
  const tracks = /** @type {MediaStreamTrack[]} */ ([]);
  Object.assign(window, { testTracks: tracks });
  mediaDevices.getUserMedia = async (wish) => {
    const stream = await getUserMedia.call(mediaDevices, wish);
    tracks.push(...stream.getAudioTracks());
    return stream;
  };
}

/**
 * A button of a page, by its whole name.
 * @param {Page} page
 * @param {string | RegExp} name
 */
export const button = (page, name) => page.getByRole('button', { name, exact: true });
