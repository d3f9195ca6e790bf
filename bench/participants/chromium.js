/** Finds Chromium, for the lab's participants in a browser and for the tests. */

import { accessSync, constants } from 'node:fs';

const PLACES = Object.freeze([
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]);

const isExecutable = (/** @type {string} */ file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Chromium's program: CHROMIUM_PATH where that is set, or else the first that is where browsers are.
 * @param {string | undefined} [wish]
 * @returns {string | undefined} undefined when there is none
 */
export function findChromium(wish = process.env.CHROMIUM_PATH) {
  return wish ? [wish].find(isExecutable) : PLACES.find(isExecutable);
}
