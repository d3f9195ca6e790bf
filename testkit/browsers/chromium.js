/** Chromium's place and arguments, for the lab's participants in a browser and for the tests. */

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

/**
 * Features to switch off, because they cost a test time and show nothing. Chromium loads pages for
 * its address bar with each window, half a second of a core. A given list replaces Playwright's,
 * hence its entries that matter here.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Arguments with which Chromium is always started. */
export const CHROMIUM_ARGUMENTS = Object.freeze([
  '--no-sandbox',
  '--disable-gpu',
  `--disable-features=${WITHOUT.join(',')}`,
]);

export const isExecutable = (/** @type {string} */ file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Chromium's program: CHROMIUM_PATH where that is set, or else the first that is where browsers
 * are.
 * @param {string | undefined} [path]
 * @returns {string | undefined} undefined when there is none
 */
export function findChromium(path = process.env.CHROMIUM_PATH) {
  return path ? [path].find(isExecutable) : PLACES.find(isExecutable);
}

/**
 * Starts Chromium. Playwright takes half a second of a processor to load, which most processes of
 * the lab have no use for.
 * @param {import('playwright-core').LaunchOptions} options
 */
export async function launchChromium(options) {
  const { chromium } = await import('playwright-core');
  return chromium.launch(options);
}
