/**
 * Sound latency, as the thesis adds it up and as it is really heard (thesis, section 4.5; figure
 * 4.7, tables 4.6 and 4.7).
 *
 * @import { Sample, Table } from '../report/result.js'
 * @import { ParticipantTransport } from '../../testkit/participants/connection.js'
 * @import { Lab } from './lab.js'
 * @import { Scenario } from './scenario.js'
 */

import { InvalidArgumentError } from 'commander';
import { randomFor, worldNotes } from './scenario.js';
import {
  cumulativePlot,
  distributionPlot,
  meanEstimate,
  meanHeadlines,
  protocolsOf,
  summaryTable,
  timePlot,
  toEstimate,
} from '../report/quantity-views.js';
import { protocolLabel } from '../report/palette.js';
import { valuesByRepetition } from '../report/result.js';
import { summaryIntervals } from '../stats/bootstrap.js';
import { receivedAudio } from '../stats/call-figures.js';
import { soundLags } from '../../testkit/sound/sound-lag.js';
import { readSpeech } from '../../testkit/participants/speech.js';

const CLIENTS = Object.freeze(['A', 'B']);

/**
 * Time after the last packet in which its answer must come, in seconds; later ones count as lost.
 */
const GRACE_SECONDS = 1;

const STEP_MS = 8;
const MOST_MS = 400;

/**
 * The share of received audio for which the delay is chosen, as the thesis chose it, in percent.
 */
const TARGET = 90;

/** @type {import('../report/result.js').Quantity} */
const addedUp = { name: 'addedUp', label: 'Sound latency, added up', unit: 'ms' };

/** @type {import('../report/result.js').Quantity} */
const heard = { name: 'heard', label: 'Sound latency, really heard', unit: 'ms' };

/** @type {import('../report/result.js').Quantity} */
const chosen = { name: 'chosenDelay', label: 'Server-side delay', unit: 'ms' };

/** The thesis's means, tables 4.6 and 4.7, in milliseconds. */
const THESIS_MEAN_MS = new Map([
  ['webtransport', 272.47],
  ['http1', 445.77],
  ['http1-per-request', 445.77],
]);

/** The thesis's limit of sound in real time, in milliseconds (section 4.5.1). */
const REAL_TIME_MS = 300;

/** @type {import('../report/result.js').Reference} */
const LIMIT = { label: `thesis: ${REAL_TIME_MS} ms`, axis: 'y', value: REAL_TIME_MS };

/** The parts of the sound latency that is really heard. */
const HEARD =
  'Really heard: one participant with the whole client (encoder, clock, playout buffer, ' +
  'decoder) hears itself through the server; stretches of what went in are found in what ' +
  "came out by correlation. What it holds beyond the sum: the playout buffer, the codec's " +
  'lookahead, and up to 5 ms of the clockwork that stands for the sound card. No sound card ' +
  'and no browser is in it.';
const HEARD_IN_BROWSER =
  "Really heard: one participant with the page's own call in Chromium hears itself through " +
  'the server; stretches of what its microphone was given are found in what came out of the ' +
  'call by correlation. The microphone is a stream made by an audio context at 48 kHz. In ' +
  "it is the browser's whole way of sound (buffers both ways, resampling to the room's " +
  "rate), with devices that have one buffer of the browser's and no latency of their own. " +
  'Times of audio contexts are brought to one clock by their output timestamps; whatever ' +
  'the browser says wrong of them is error.';

/** @type {Scenario} */
export const latency = {
  name: 'latency',
  title: 'Sound latency',
  description: 'sound latency as the thesis adds it up, and as really heard, per protocol',
  quantities: [addedUp, heard, chosen],
  defaults: { duration: 60, repetitions: 5, format: 'thesis' },
  hasPerRequest: true,
  addOptions: (command) => {
    const read = (/** @type {string} */ text) => {
      const ms = Number(text);
      if (text.trim() === '' || !(ms >= 0 && ms <= 2000))
        throw new InvalidArgumentError('must be a number from 0 to 2000');
      return ms;
    };
    command.option(
      '--server-delay-ms <ms>',
      `the server-side delay; without it, each protocol's least for ${TARGET} % received`,
      read,
    );
  },

  async measure(lab) {
    const { repetitions, transports } = lab.options;
    /** @type {Map<string, number>} */
    const delays = new Map();
    for (const transport of transports) {
      lab.progress(`finding the delay for ${transport}`, 0);
      const delayMs =
        /** @type {any} */ (lab.options).serverDelayMs ?? (await leastDelay(lab, transport));
      delays.set(transport, delayMs);
      lab.folder.record(chosen.name, {
        protocol: transport,
        repetition: 0,
        client: '',
        atMs: lab.folder.elapsedMs,
        value: delayMs,
      });
    }
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const transport of lab.turns(repetition)) {
        const delayMs = delays.get(transport) ?? 0;
        lab.progress(
          `${transport} with D = ${delayMs} ms`,
          (done += 1) / (repetitions * transports.length + 1),
        );
        await addUp(lab, { transport, repetition, delayMs });
        await hear(lab, { transport, repetition, delayMs });
      }
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const [sums, lags] = [folder.samples(addedUp.name), folder.samples(heard.name)];
    const words = {
      caption:
        'Frame length, round trip and server-side delay. Beside tables 4.6 and 4.7 of the thesis.',
    };
    return {
      title: latency.title,
      summary:
        'How old what one hears is: as the sum of its parts, and by looking for a known ' +
        'sound in what comes out.',
      headlines: [
        ...meanHeadlines('Added up, mean', addedUp, sums, random, THESIS_MEAN_MS),
        ...meanHeadlines('Really heard, mean', heard, lags, random),
        ...meanHeadlines(
          'Server-side delay',
          chosen,
          folder.samples(chosen.name),
          random,
          new Map([
            ['webtransport', 160],
            ['http1', 304],
            ['http1-per-request', 304],
          ]),
        ),
      ],
      tables: [
        summaryTable(addedUp, sums, random, words),
        summaryTable(heard, lags, random),
        verdictTable(sums, lags, random),
      ],
      plots: [
        { ...timePlot(addedUp, sums), references: [LIMIT] },
        { ...timePlot(heard, lags), references: [LIMIT] },
        { ...distributionPlot(addedUp, sums), references: [{ ...LIMIT, axis: 'x' }] },
        { ...cumulativePlot(heard, lags), references: [{ ...LIMIT, axis: 'x' }] },
      ],
      notes: [
        `Unless it is given, the server-side delay is each protocol's least, in steps of ` +
          `${STEP_MS} ms, for which write clocks say that both of two clients receive ` +
          `${TARGET} % (thesis, section 4.3).`,
        'Added up: frame length + round trip + D, a value for each packet, as in section ' +
          `4.5 of the thesis. What wasn't answered ${GRACE_SECONDS} s after the last packet ` +
          'never came; it is counted, and in no mean.',
        options.browser ? HEARD_IN_BROWSER : HEARD,
        ...worldNotes(options),
      ],
    };
  },
};

/**
 * Says of each protocol whether it keeps to the thesis's limit.
 * @param {readonly Sample[]} sums
 * @param {readonly Sample[]} lags
 * @param {() => number} random seeded
 * @returns {Table}
 */
function verdictTable(sums, lags, random) {
  const rows = [
    { quantity: addedUp, samples: sums },
    { quantity: heard, samples: lags },
  ].flatMap(({ quantity, samples }) =>
    protocolsOf(samples).map((protocol) => {
      const own = samples.filter((sample) => sample.protocol === protocol);
      const { mean } = summaryIntervals(
        valuesByRepetition(own, () => true),
        { random },
      );
      const within = own.map((sample) => ({
        ...sample,
        value: sample.value <= REAL_TIME_MS ? 100 : 0,
      }));
      return [
        protocolLabel(protocol),
        quantity.label,
        toEstimate(mean),
        meanEstimate(within, () => true, random),
        verdictOf(mean),
      ];
    }),
  );
  return {
    name: 'realTime',
    title: `Within ${REAL_TIME_MS} ms?`,
    caption:
      `The thesis (section 4.5.1) calls sound of at most ${REAL_TIME_MS} ms real time. Of the ` +
      'mean with its interval of 95 %; values that never came are within no limit.',
    columns: [
      { label: 'Protocol' },
      { label: 'Quantity' },
      { label: 'Mean', unit: 'ms' },
      { label: `Within ${REAL_TIME_MS} ms`, unit: '% of values', digits: 1 },
      { label: 'Verdict' },
    ],
    rows,
  };
}

/**
 * @param {import('../stats/bootstrap.js').Interval} mean in milliseconds; without bounds, of too
 *   few repetitions, nothing is shown
 */
function verdictOf({ low, high }) {
  if (high <= REAL_TIME_MS) return 'real time';
  return low > REAL_TIME_MS ? 'not real time' : 'not shown';
}

/** @param {Lab} lab @param {ParticipantTransport} transport */
async function leastDelay(lab, transport) {
  await lab.startServer(['--delivery', 'reply', '--server-delay-ms', '0']);
  const people = CLIENTS.map((id) => ({ id, transport, room: transport }));
  await lab.join(people);
  const {
    server: { arrivals },
  } = await lab.measure(Math.max(5, lab.blockSeconds / 2));
  await lab.leave(people);
  const { frameMs } = await lab.format();
  const frames = arrivals.map((/** @type {any} */ { frame }) => frame);
  const [from, to] = [Math.min(...frames) + 2, Math.max(...frames) - MOST_MS / frameMs - 1];
  for (let ms = 0; ms <= MOST_MS; ms += STEP_MS) {
    const shares = CLIENTS.map((listener, i) =>
      receivedAudio(arrivals, {
        listener,
        speaker: CLIENTS[1 - i],
        from,
        to,
        delayFrames: ms / frameMs,
      }),
    );
    if (shares.every((share) => share >= TARGET)) return ms;
  }
  lab.folder.warn(`No delay up to ${MOST_MS} ms lets both receive ${TARGET} % over ${transport}.`);
  return MOST_MS;
}

/**
 * @param {Lab} lab
 * @param {{ transport: ParticipantTransport, repetition: number, delayMs: number }} block
 */
async function addUp(lab, { transport, repetition, delayMs }) {
  await lab.startServer(['--delivery', 'reply', '--echo', '--server-delay-ms', String(delayMs)]);
  const person = { id: 'A', transport, room: transport };
  await lab.join([person]);
  const startMs = lab.folder.elapsedMs;
  const { people } = await lab.measure(lab.blockSeconds + GRACE_SECONDS);
  await lab.leave([person]);
  const { frameMs } = await lab.format();
  const { sent, received } = people[0].notes;
  for (const { atMs, roundTripMs } of roundTripsOf(sent, received, lab.blockSeconds))
    lab.folder.record(addedUp.name, {
      protocol: transport,
      repetition,
      client: 'A',
      atMs: startMs + atMs,
      value: frameMs + roundTripMs + delayMs,
    });
}

/**
 * Round trips of the packets of a block, those included that were never answered.
 * @param {readonly { frame: number, atMs: number }[]} sent
 * @param {readonly { frame: number, atMs: number }[]} received
 * @param {number} seconds  from the first packet on
 * @returns {{ atMs: number, roundTripMs: number }[]} atMs: since the first packet
 */
export function roundTripsOf(sent, received, seconds) {
  const answers = new Map(received.map(({ frame, atMs }) => [frame, atMs]));
  const firstMs = sent[0]?.atMs ?? 0;
  return sent
    .filter(({ atMs }) => atMs - firstMs <= 1000 * seconds)
    .map(({ frame, atMs }) => ({
      atMs: atMs - firstMs,
      roundTripMs: (answers.get(frame) ?? Infinity) - atMs,
    }));
}

/**
 * @param {Lab} lab
 * @param {{ transport: ParticipantTransport, repetition: number, delayMs: number }} block
 */
async function hear(lab, { transport, repetition }) {
  const seconds = lab.options.warmUp + lab.blockSeconds;
  const startMs = lab.folder.elapsedMs;
  await lab.clients.call('listen', {
    id: 'hears',
    transport,
    room: 'heard',
    speaks: true,
    recordSeconds: seconds,
  });
  await lab.wait(seconds);
  const { samples, sampleRate } = await lab.clients.call('recording', { id: 'hears' });
  await lab.clients.call('stopListening', { id: 'hears' });
  const speech = await readSpeech(sampleRate);
  for (const { atMs: pieceMs, lagMs } of soundLags(samples, speech, {
    sampleRate,
    from: lab.options.warmUp * sampleRate,
  })) {
    const atMs = startMs + pieceMs;
    lab.folder.record(heard.name, {
      protocol: transport,
      repetition,
      client: 'A',
      atMs,
      value: lagMs,
    });
  }
}
