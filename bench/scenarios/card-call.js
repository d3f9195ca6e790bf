/**
 * A call between two browsers whose microphone and speaker are a sound server's. It is recorded at
 * the devices, and shows how long sound takes in each part and in all.
 * @import { Lab } from './lab.js'
 * @import { Quantity } from '../report/result.js'
 * @import { Figure } from './mouth-to-ear.js'
 */

import { describeDisturbance, watchMachine } from '../../testkit/machine.js';
import { canServeSound, startSoundCard } from '../../testkit/browsers/sound-server.js';
import { findChromium } from '../../testkit/browsers/chromium.js';
import { BrowserClients } from '../participants/browser-clients.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { lagsBetween } from '../../testkit/sound/sound-lag.js';
import { formatWav } from '../../testkit/sound/wav.js';
import { mean } from '../../testkit/statistics.js';

const RATE = 48000;

/** Time of a call beside the measured one, in seconds: the speech must not end before it. */
const SPARE_SECONDS = 30;

const factors = [{ name: 'frameMs', label: 'Frame', unit: 'ms' }];

/** @param {string} name @param {string} label @returns {Quantity} */
const quantity = (name, label) => ({ name, label, unit: 'ms', factors });

/** Quantities of such a call, in the order in which sound meets them. */
export const cardQuantities = Object.freeze({
  whole: quantity('wholeCall', 'Mouth to ear, at the devices'),
  loop: quantity('wholeLoop', "The browser's own loop, at the devices"),
  microphone: quantity('microphone', 'Microphone, as the browser reports it'),
  later: quantity('placedLater', 'Later on the grid than it came'),
  burst: quantity('burst', "Period of the microphone's bursts"),
  phase: quantity('burstPhase', "From a frame's end to the next burst"),
  frame: quantity('frame', 'Frame'),
  codec: quantity('codec', 'Lookahead of the codecs'),
  way: quantity('way', 'Network, down'),
  speaker: quantity('speaker', 'Output device, as the browser reports it'),
  page: quantity('pageSum', "The page's sum"),
});

/** @param {number} seconds */
async function speechOf(seconds) {
  const speech = await readSpeech(RATE);
  const samples = Float32Array.from(
    { length: seconds * RATE },
    (_, i) => speech[i % speech.length],
  );
  return formatWav({ sampleRate: RATE, channels: [samples] });
}

/**
 * @param {Lab} lab
 * @param {number} frameMs
 * @param {{ settle: number, memorySeconds: number, partsOf: (clients: Pick<BrowserClients, 'call'>)
 *   => Promise<Figure[]>, added: Quantity }} how memorySeconds: those before the measured ones in
 *   which the machine is watched; partsOf: further parts of the delay at present
 * @returns {Promise<{ figures: Figure[], disturbance: string }>}
 */
export async function measureCardCall(lab, frameMs, { settle, memorySeconds, partsOf, added }) {
  if (!canServeSound())
    throw new Error('--sound pulseaudio needs pulseaudio, pactl, parec, paplay');
  const argv = ['--delivery', 'tick', '--application', 'low-delay', '--frame-ms', String(frameMs)];
  const { origin } = await lab.serve(argv, 'packets');
  const recordSeconds = settle + lab.blockSeconds + SPARE_SECONDS;
  const card = await startSoundCard(await speechOf(recordSeconds));
  const { client, server } = lab.link;
  const chromium = String(findChromium());
  /** @type {BrowserClients[]} */
  const browsers = [];
  const open = async (/** @type {NodeJS.ProcessEnv} */ sound, /** @type {object} */ options) => {
    const browser = await BrowserClients.start({ chromium, client, server, sound });
    browsers.push(browser);
    await browser.call('open', { origin });
    const common = { transport: 'webtransport', room: 'talk', recordSeconds: 1, speaks: false };
    await browser.call('listen', { ...common, device: true, ...options });
    return browser;
  };
  let endWatch = /** @type {(() => any) | null} */ (null);
  try {
    const mouth = await open(card.mouth, { id: 'mouth', loops: 1 });
    const ear = await open(card.ear, { id: 'ear' });
    card.say();
    await lab.wait(Math.max(0, settle - memorySeconds));
    endWatch = await watchMachine();
    await lab.wait(Math.min(settle, memorySeconds));
    card.take();
    /** @type {Figure[]} */
    const figures = [];
    for (let second = 0; second < lab.blockSeconds; second++) {
      await lab.wait(Math.min(1, lab.blockSeconds - second));
      figures.push(...(await partsOf(ear)), ...(await devicesOf(mouth, ear)));
    }
    const disturbance = describeDisturbance(endWatch());
    const { mouth: said, speaker, loop } = card.take();
    const loopMs = lagsBetween(loop, said).map(({ lagMs }) => lagMs);
    const wholeMs = lagsBetween(speaker, said).map(({ lagMs }) => lagMs);
    for (const value of loopMs) figures.push({ quantity: cardQuantities.loop, value });
    for (const value of wholeMs) {
      figures.push({ quantity: cardQuantities.whole, value });
      figures.push({ quantity: added, value: value - mean(loopMs) });
    }
    return { figures, disturbance };
  } finally {
    endWatch?.();
    for (const browser of browsers) await browser.close();
    await card.close();
  }
}

/**
 * The parts that only the two pages know.
 * @param {BrowserClients} mouth
 * @param {BrowserClients} ear
 * @returns {Promise<Figure[]>}
 */
async function devicesOf(mouth, ear) {
  const [said, heard] = await Promise.all([
    mouth.call('statsOf', { id: 'mouth' }),
    ear.call('statsOf', { id: 'ear' }),
  ]);
  if (!said || !heard) return [];
  const { later, burst, phase, microphone, frame, codec, way, speaker, page } = cardQuantities;
  const { uplink } = said.detail;
  return [
    { quantity: microphone, value: (said.microphoneMs ?? NaN) - uplink.laterMs },
    { quantity: later, value: uplink.laterMs },
    { quantity: burst, value: uplink.burstMs ?? NaN },
    { quantity: phase, value: uplink.burstPhaseMs ?? NaN },
    { quantity: frame, value: heard.delayParts.frameMs },
    { quantity: codec, value: heard.delayParts.codecMs ?? NaN },
    { quantity: way, value: heard.delayParts.wayMs },
    { quantity: speaker, value: heard.delayParts.speakerMs ?? NaN },
    { quantity: page, value: heard.delayMs },
  ];
}
