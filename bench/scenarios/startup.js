/**
 * From join to first sound, by protocol and by bandwidth.
 * @import { Scenario } from './scenario.js'
 * @import { Sample } from '../report/result.js'
 */

import { summaryIntervals } from '../stats/bootstrap.js';
import { randomFor, worldNotes } from './scenario.js';
import { protocolsOf, toEstimate } from '../report/quantity-views.js';
import { protocolLabel } from '../report/palette.js';
import { mean } from '../stats/statistics.js';
import { valuesByRepetition } from '../report/result.js';

/** Time in which a listener must hear something, in seconds; later counts as never. */
const PATIENCE_SECONDS = 15;

const factors = [{ name: 'rateKbits', label: 'Bandwidth', unit: 'kbit/s' }];

/** @type {import('../report/result.js').Quantity} */
const joined = { name: 'joined', label: 'Time until the room is joined', unit: 'ms', factors };

/** @type {import('../report/result.js').Quantity} */
const heard = { name: 'firstSound', label: 'Time until the first sound', unit: 'ms', factors };

/** @type {Scenario} */
export const startup = {
  name: 'startup',
  title: 'From join to first sound',
  description: 'time from the join to the first sound, per protocol, per bandwidth limit',
  quantities: [joined, heard],
  defaults: { duration: 60, repetitions: 8, format: 'call', transports: ['webtransport', 'websocket', 'http1'] },
  addOptions: (command) => {
    const list = (/** @type {string} */ text) => text.split(',').map(Number).filter((rate) => rate > 0);
    command.option('--rates <kbits>', "bandwidth limits each way in kbit/s, by commas; without one the link's own", list, []);
  },

  async measure(lab) {
    const { repetitions, transports, rates } = /** @type {any} */ (lab.options);
    const limits = rates.length > 0 && lab.link.isEmulated ? rates : [0];
    if (rates.length > limits.length || (rates.length > 0 && limits[0] === 0)) {
      lab.folder.warn('Bandwidth was not limited: loopback can\'t be shaped. Choose a link, such as --link thesis.');
    }
    await lab.startServer();
    await lab.join(transports.map((/** @type {any} */ transport) => ({ id: `speaker-${transport}`, transport: transports[0], room: transport })));
    // The browser's first call loads files that the next ones find in its cache.
    if (lab.options.browser) await listenFirst(lab, transports[0]);
    let done = 0;
    for (const rateKbits of limits) {
      if (rateKbits > 0) await lab.link.set({ rateBits: rateKbits * 1000 });
      for (let repetition = 0; repetition < repetitions; repetition++) {
        for (const transport of lab.turns(repetition)) {
          lab.progress(`${transport}${rateKbits ? ` at ${rateKbits} kbit/s` : ''}`, done++ / (limits.length * repetitions * transports.length));
          await listenOnce(lab, transport, repetition, rateKbits);
        }
      }
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const samples = folder.samples(heard.name);
    const tables = [joined, heard].map((quantity) => tableOf(quantity, folder.samples(quantity.name), random));
    return {
      title: startup.title,
      summary: 'Somebody is talking already; another one joins, and the time runs until their speaker gives the first sound.',
      headlines: protocolsOf(samples).map((protocol) => {
        const values = valuesByRepetition(samples, (sample) => sample.protocol === protocol);
        const { estimate, low, high } = summaryIntervals(values, { random }).mean;
        return { label: 'Join to first sound, mean', unit: 'ms', protocol, value: estimate, interval: [low, high] };
      }),
      tables,
      plots: [joined, heard].map((quantity) => plotOf(quantity, folder.samples(quantity.name))),
      notes: [
        options.browser
          ? "The page's own call runs in Chromium: it starts its worker and its codec, asks for the server's configuration, connects, joins, measures the server's clock by eight exchanges, starts its sound, and plays. The worker's files are in the browser's cache, and the server is asked whether they have changed."
          : "The whole client of the page runs, without a page: it asks for the server's configuration, connects, joins, measures the server's clock by eight exchanges, and plays.",
        'The first sound is the first sample that differs from zero where the sound card would get it. Loading the page is not in it, nor is the sound card.',
        ...worldNotes(options),
        `Who heard nothing within ${PATIENCE_SECONDS} s never did.`,
      ],
    };
  },
};

/** @param {import('./lab.js').Lab} lab @param {any} transport */
async function listenFirst(lab, transport) {
  await lab.clients.call('listen', { id: 'listener', transport, room: transport, speaks: false, recordSeconds: 1 });
  await lab.clients.call('stopListening', { id: 'listener' });
}

/**
 * @param {import('./lab.js').Lab} lab @param {any} transport
 * @param {number} repetition @param {number} rateKbits
 */
async function listenOnce(lab, transport, repetition, rateKbits) {
  const options = { id: 'listener', transport, room: transport, speaks: false, recordSeconds: PATIENCE_SECONDS };
  const sample = { protocol: transport, repetition, client: 'A', atMs: lab.folder.elapsedMs, factors: { rateKbits } };
  const { startMs, joinedMs } = await lab.clients.call('listen', options);
  lab.folder.record(joined.name, { ...sample, value: joinedMs - startMs });
  let soundMs = Infinity;
  for (let waited = 0; waited < PATIENCE_SECONDS && !Number.isFinite(soundMs); waited += 0.2) {
    await lab.wait(0.2);
    const { samples, startMs: recordedMs, sampleRate } = await lab.clients.call('recording', { id: 'listener' });
    const first = samples.findIndex((/** @type {number} */ value) => value !== 0);
    if (first >= 0) soundMs = recordedMs + (first * 1000) / sampleRate;
  }
  lab.folder.record(heard.name, { ...sample, value: soundMs - startMs });
  await lab.clients.call('stopListening', { id: 'listener' });
}

/** @param {readonly Sample[]} samples */
const ratesOf = (samples) => [...new Set(samples.map((sample) => Number(sample.factors?.rateKbits)))];

/** @param {number} rate */
const rateWords = (rate) => (rate === 0 ? "the link's" : String(rate));

/**
 * @param {import('../report/result.js').Quantity} quantity @param {readonly Sample[]} samples @param {() => number} random
 * @returns {import('../report/result.js').Table}
 */
function tableOf({ name, label, unit }, samples, random) {
  const rows = ratesOf(samples).flatMap((rate) => protocolsOf(samples).map((protocol) => {
    const own = valuesByRepetition(samples, (sample) => sample.protocol === protocol && Number(sample.factors?.rateKbits) === rate);
    const summary = summaryIntervals(own, { random });
    return [rateWords(rate), protocolLabel(protocol), own.flat().length, ...[summary.mean, summary.p50, summary.p95].map(toEstimate)];
  }));
  const figures = ['Mean', 'p50', 'p95'].map((figure) => ({ label: figure, unit }));
  return { name, title: label, columns: [{ label: 'Bandwidth (kbit/s)' }, { label: 'Protocol' }, { label: 'Joins', digits: 0 }, ...figures], rows };
}

/**
 * @param {import('../report/result.js').Quantity} quantity @param {readonly Sample[]} samples
 * @returns {import('../report/result.js').Plot}
 */
function plotOf({ name, label, unit }, samples) {
  const rates = ratesOf(samples);
  const series = protocolsOf(samples).map((protocol) => ({
    name: protocolLabel(protocol),
    protocol,
    points: rates.map((rate, i) => {
      const values = samples.filter((sample) => sample.protocol === protocol && Number(sample.factors?.rateKbits) === rate).map(({ value }) => value);
      const came = values.filter(Number.isFinite);
      return [i, mean(came), Math.min(...came), Math.max(...came)];
    }),
  }));
  return {
    name: `${name}Bars`,
    title: label,
    caption: `${label}: the mean, and from the shortest to the longest.`,
    kind: 'bars',
    x: { label: 'Bandwidth', unit: 'kbit/s', categories: rates.map(rateWords) },
    y: { label, unit, from: 0 },
    series,
  };
}
