/**
 * Firefox for benchmarks and tests: driven by WebDriver BiDi, with a microphone and a speaker that
 * a sound server of its own makes.
 *
 * @import { Browser } from 'playwright-core'
 *
 * @typedef {object} OpenBrowser
 * @property {Browser} browser
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} kill ends the process as a crash would, so that it says no
 *   farewell
 * @property {() => Promise<number[]>} tabs  the ids of its tabs' processes
 *
 * @typedef {'speech' | 'refused' | 'missing'} MicrophoneKind
 *   speech: the fake microphone speaks what it is given, or silence; refused: permission is denied;
 *   missing: there is no microphone
 *
 * @typedef {object} BrowserOptions
 * @property {MicrophoneKind} [microphone]
 * @property {Float32Array | Float32Array[]} [speech] sound that the microphone hears once, from its
 *   opening on, at 48 kHz, of one channel or of each; silence afterwards
 */

import { readdir, readFile } from 'node:fs/promises';
import { firefox } from 'playwright-core';
import { isExecutable } from './chromium.js';
import { formatWav } from '../sound/wav.js';
import { canServeSound, startSoundServer } from './sound-server.js';

const PLACES = Object.freeze([
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]);

/**
 * @returns {string | undefined} FIREFOX_PATH, or the first that is where browsers are; undefined
 *   where it or PulseAudio is missing
 */
export function findFirefox(path = process.env.FIREFOX_PATH) {
  return canServeSound() ? (path ? [path] : PLACES).find(isExecutable) : undefined;
}

/**
 * @type {Readonly<Record<string, Record<string, boolean | number>>>} by what becomes of a page's
 *   question for the microphone
 */
const PREFERENCES = Object.freeze({
  speech: { 'media.navigator.permission.disabled': true },
  missing: { 'media.navigator.permission.disabled': true },
  refused: { 'permissions.default.microphone': 2 },
});

/** The channel's name by which Playwright drives a Firefox that is as its makers ship it. */
const CHANNEL = 'moz-firefox';

/**
 * @param {Required<BrowserOptions> & { speaker?: boolean, preferences?: Record<string, boolean |
 *   number> }} options speaker: false where there is nothing to play sound on; preferences:
 *   Firefox's own, besides those of the microphone
 * @returns {Promise<OpenBrowser>}
 */
export async function openFirefox({ microphone, speech, speaker = true, preferences = {} }) {
  const wav = formatWav({ sampleRate: 48000, channels: [speech].flat() });
  const sound = await startSoundServer({
    microphone: microphone === 'missing' ? null : wav,
    speaker,
  });
  const browser = await firefox.launch({
    channel: CHANNEL,
    executablePath: findFirefox(),
    firefoxUserPrefs: { ...PREFERENCES[microphone], ...preferences },
    env: { ...process.env, ...sound.environment },
  });
  const ended = (/** @type {() => Promise<unknown>} */ end) => async () => {
    await end();
    await sound.close();
  };
  const processes = (/** @type {(args: string) => boolean} */ are) =>
    processesWith(sound.environment.PULSE_SERVER, are);
  const kill = async () => {
    const gone = new Promise((resolve) => void browser.once('disconnected', resolve));
    for (const id of await processes(
      (args) => args.includes('firefox') && !args.includes('-contentproc'),
    ))
      process.kill(id, 'SIGKILL');
    await gone;
  };
  return {
    browser,
    close: ended(() => browser.close()),
    kill: ended(kill),
    tabs: () => processes((args) => args.includes('-contentproc') && /[\0 ]tab\0*$/.test(args)),
  };
}

/**
 * @param {string} mark  in the environment of the wanted processes
 * @param {(args: string) => boolean} are  by a process's arguments, each followed by a zero
 * @returns {Promise<number[]>} the ids of processes
 */
async function processesWith(mark, are) {
  const ids = [];
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    const [environment, args] = await Promise.all(
      ['environ', 'cmdline'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
    );
    if (environment.includes(mark) && are(args)) ids.push(Number(id));
  }
  return ids;
}
