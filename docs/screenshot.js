/**
 * Takes the picture of a call in README.md: a server, six people in Chromium, one of them with a
 * raised hand. `node docs/screenshot.js` writes docs/call.png; CHROMIUM_PATH names the browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const PICTURE = fileURLToPath(new URL('call.png', import.meta.url));
const SPEECH = fileURLToPath(new URL('../testkit/speech/speech-low.wav', import.meta.url));
const ROOM = 'tuesday-rehearsal';

/** Starts a server on free ports. */
async function startServer() {
  const main = fileURLToPath(new URL('../server/main.js', import.meta.url));
  const server = spawn(
    process.execPath,
    [main, '--host', '127.0.0.1', '--port', '0', '--h3-port', '0', '--workers', '0'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  for await (const line of createInterface({ input: server.stdout })) {
    const url = line.match(/http:\/\/[\d.]+:\d+/)?.[0];
    if (url) return { url, server };
  }
  throw new Error('the server ended before it told its address');
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url the server's
 * @param {string} name
 */
async function join(browser, url, name) {
  const context = await browser.newContext({ viewport: { width: 1120, height: 680 } });
  const page = await context.newPage();
  await page.goto(`${url}/r/${ROOM}?name=${name}&processing=off`);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: 'Leave' }).waitFor();
  return page;
}

/** @param {import('playwright-core').Browser} browser @param {string} url */
async function joinAll(browser, url) {
  const pages = [];
  for (const name of ['Ann', 'Ben', 'Carla', 'Dan', 'Eve', 'Felix']) {
    pages.push(await join(browser, url, name));
  }
  return pages;
}

const { url, server } = await startServer();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${SPEECH}`,
  ],
});
try {
  const [ann, ben, carla, dan, eve, felix] = await joinAll(browser, url);
  for (const page of [ann, carla, dan, eve, felix]) await page.keyboard.press('m');
  await carla.keyboard.press('h');
  await ann.bringToFront();
  // The delay shrinks after the joins, which keep the machine busy.
  await ben.waitForTimeout(45_000);
  await ann.screenshot({ path: PICTURE });
  await browser.close();
} finally {
  await browser.close();
  server.kill('SIGKILL');
  await once(server, 'exit');
}
