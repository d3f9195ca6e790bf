/**
 * Watches the server's memory while people come, talk and go for hours.
 * @import { Child } from '../../testkit/participants/child.js'
 * @import { Lab } from './lab.js'
 * @import { Scenario } from './scenario.js'
 * @import { Quantity, Sample } from '../report/result.js'
 */

import { formatEstimate } from '../report/numbers.js';
import { toEstimate } from '../report/quantity-views.js';
import { targetsTable } from './targets.js';
import { randomFor } from './scenario.js';
import { wholeNumber } from '../options.js';
import { seededRandom } from '../../testkit/random.js';
import { mean } from '../../testkit/statistics.js';
import { trend } from '../stats/trend.js';

/** Intervals at which somebody joins or leaves, and at which memory is read, in seconds. */
const CHURN_SECONDS = 1;
const LOOK_SECONDS = 10;

/**
 * The share of the time that is left out at the beginning: heaps grow to their size, and caches
 * fill.
 */
const SETTLING_SHARE = 1 / 6;

/** One in this many values of the generator's lateness is kept: a long run has too many. */
const LATENESS_STEP = 50;

/** Target: growth in an hour, in percent of the memory, up to which it counts as flat. */
const FLAT_PERCENT = 2;

/** @type {Record<string, Quantity>} */
const quantities = {
  rss: { name: 'rss', label: "The server's resident memory", unit: 'MiB' },
  heap: { name: 'heap', label: "The server's heap, garbage included", unit: 'MiB' },
  external: { name: 'external', label: "The server's memory outside of the heap", unit: 'MiB' },
  people: { name: 'people', label: 'People in the call', unit: '' },
  cpu: { name: 'serverCpu', label: "The server's CPU", unit: '% of a core' },
};

/** @type {Scenario} */
export const soak = {
  name: 'soak',
  title: 'Memory over time, with people who come and go',
  description: "the server's memory over a long time in which people join, talk and leave",
  quantities: Object.values(quantities),
  isOnce: true,
  lacks: ['transports', 'warmUp', 'browser'],
  defaults: { duration: 3600, repetitions: 1, format: 'call', transports: ['webtransport'] },
  addOptions: (command) => {
    command
      .option('--people <count>', 'in the call on average', wholeNumber(10, 1000), 60)
      .option('--rooms <count>', 'that they are spread over', wholeNumber(1, 100), 6)
      .option('--talking <count>', 'how many talk at a time in each room', wholeNumber(0, 100), 1);
  },

  async measure(lab) {
    const { people, rooms, talking, duration, seed } = /** @type {any} */ (lab.options);
    const crowd = await lab.startCrowd(['--max-sessions', String(2 * people + 50)], 'nothing');
    const churn = new Churn(crowd, { rooms, people, talking, random: seededRandom(seed) });
    for (let i = 0; i < people; i++) await churn.join();
    await lab.server.call('begin');
    await crowd.call('note');
    const startMs = performance.now();
    for (let second = 0; second * 1000 < duration * 1000; second += CHURN_SECONDS) {
      lab.progress(`${churn.size} people`, second / duration);
      if (second % LOOK_SECONDS === 0) await look(lab, crowd, churn.size);
      await churn.step();
      await lab.wait(
        Math.max(0, startMs / 1000 + second + CHURN_SECONDS - performance.now() / 1000),
      );
    }
    await look(lab, crowd, churn.size);
  },

  result(folder, options) {
    const random = randomFor(options);
    const of = (/** @type {Quantity} */ { name }) => folder.samples(name);
    const rss = settled(of(quantities.rss));
    const hours = (rss.at(-1)?.[0] ?? 0) - (rss[0]?.[0] ?? 0);
    const { slope, interval } = trend(rss, { random });
    const size = mean(rss.map(([, y]) => y));
    const rows = [quantities.rss, quantities.heap, quantities.external].map((quantity) => {
      const points = settled(of(quantity));
      const line = trend(points, { random });
      return [
        quantity.label,
        points[0]?.[1] ?? null,
        points.at(-1)?.[1] ?? null,
        Math.max(0, ...points.map(([, y]) => y)),
        growthOf(line),
      ];
    });
    const why =
      `${formatEstimate(slope, interval, 2)} MiB an hour at ${size.toFixed(0)} MiB, ` +
      `over ${(60 * hours).toFixed(0)} min after settling`;
    return {
      title: soak.title,
      summary:
        `${options.people} people in ${options.rooms} rooms; every second one leaves and ` +
        'another joins, and who talks changes.',
      headlines: [
        {
          label: "Growth of the server's memory",
          unit: 'MiB an hour',
          protocol: '',
          ...growthOf({ slope, interval }),
          digits: 2,
        },
      ],
      tables: [
        targetsTable([
          {
            what: 'Memory stays flat: growth in an hour that is sure',
            limit: FLAT_PERCENT,
            reached: (100 * Math.max(0, interval[0])) / size,
            unit: '%',
            digits: 1,
            why,
          },
        ]),
        {
          name: 'memory',
          title: 'Memory after settling',
          caption: 'The trend is of least squares; its interval of 95 % by a bootstrap of blocks.',
          columns: [
            { label: 'What' },
            { label: 'First', unit: 'MiB', digits: 1 },
            { label: 'Last', unit: 'MiB', digits: 1 },
            { label: 'Most', unit: 'MiB', digits: 1 },
            { label: 'Trend', unit: 'MiB/h', digits: 2 },
          ],
          rows,
        },
      ],
      plots: [memoryPlot(of)],
      notes: [
        `The first ${Math.round(100 * SETTLING_SHARE)} % of the time are left out of the ` +
          'trend: heaps grow to their size in it.',
        'Of those who leave, every other one vanishes without a word. The first to join ' +
          'stays: its connection tells the others of the clock.',
        'Growth that is sure is the lower end of the interval of 95 % of the trend, as a ' +
          `share of the memory; flat means no more than ${FLAT_PERCENT} % of it in an hour.`,
      ],
    };
  },
};

/**
 * A trend's slope, with its interval where there is one.
 * @param {Pick<import('../stats/trend.js').Trend, 'slope' | 'interval'>} trend
 */
const growthOf = ({ slope, interval: [low, high] }) => toEstimate({ estimate: slope, low, high });

/** A crowd whose members join, talk and leave at random. */
class Churn {
  #crowd;
  #rooms;
  #people;
  #talking;
  #random;
  #number = 0;
  #steps = 0;
  /** @type {{ id: string, room: number, talks: boolean }[]} */
  #there = [];

  /**
   * @param {Child} crowd
   * @param {{ rooms: number, people: number, talking: number, random: () => number }} options
   */
  constructor(crowd, { rooms, people, talking, random }) {
    this.#crowd = crowd;
    this.#rooms = rooms;
    this.#people = people;
    this.#talking = talking;
    this.#random = random;
  }

  get size() {
    return this.#there.length;
  }

  /** @param {number} below */
  #pick(below) {
    return Math.floor(this.#random() * below);
  }

  async join() {
    const person = { id: `P${this.#number++}`, room: this.#pick(this.#rooms), talks: false };
    await this.#crowd.call('join', { id: person.id, room: `room-${person.room}` });
    this.#there.push(person);
    await this.#fillTalking(person.room);
  }

  async step() {
    const count = this.#steps++;
    const wanted = this.#people + this.#pick(1 + this.#people / 5) - this.#people / 10;
    // The first stays.
    if (this.size >= wanted) await this.#leave(1 + this.#pick(this.size - 1), count % 2 === 0);
    if (this.size < wanted) await this.join();
    if (count % 3 === 0) await this.#turn(this.#pick(this.#rooms));
  }

  /** @param {number} index @param {boolean} silently */
  async #leave(index, silently) {
    const [person] = this.#there.splice(index, 1);
    await this.#crowd.call('leave', { id: person.id, silently });
    await this.#fillTalking(person.room);
  }

  /** Another one talks. @param {number} room */
  async #turn(room) {
    const talking = this.#there.find((person) => person.room === room && person.talks);
    if (!talking) return;
    await this.#talk(talking, false);
    await this.#fillTalking(room, talking);
  }

  /** @param {number} room @param {object} [except] */
  async #fillTalking(room, except) {
    const here = this.#there.filter((person) => person.room === room);
    const silent = here.filter((person) => !person.talks && person !== except);
    const missing = this.#talking - here.filter(({ talks }) => talks).length;
    for (let i = 0; i < missing && silent.length > 0; i++) {
      await this.#talk(silent.splice(this.#pick(silent.length), 1)[0], true);
    }
  }

  /** @param {{ id: string, talks: boolean }} person @param {boolean} talks */
  async #talk(person, talks) {
    person.talks = talks;
    await this.#crowd.call('talk', { id: person.id, talks });
  }
}

/** @param {Lab} lab @param {Child} crowd @param {number} people */
async function look(lab, crowd, people) {
  const { rss, heapUsed, external } = await lab.server.call('memory');
  const { cpuPercent } = await lab.server.call('collect');
  await lab.server.call('begin');
  const { latenessMs, cpuPercent: own } = await crowd.call('take');
  await crowd.call('note');
  lab.tellGenerator(
    latenessMs.filter(
      (/** @type {number} */ _, /** @type {number} */ i) => i % LATENESS_STEP === 0,
    ),
    own,
  );
  const add = (/** @type {Quantity} */ { name }, /** @type {number} */ value) =>
    lab.folder.record(name, {
      protocol: '',
      repetition: 0,
      client: '',
      atMs: lab.folder.elapsedMs,
      value,
    });
  add(quantities.rss, rss / 2 ** 20);
  add(quantities.heap, heapUsed / 2 ** 20);
  add(quantities.external, external / 2 ** 20);
  add(quantities.people, people);
  add(quantities.cpu, cpuPercent);
}

/**
 * @param {readonly Sample[]} samples
 * @returns {[number, number][]} [hours, value] after settling
 */
function settled(samples) {
  const first = samples[0]?.atMs ?? 0;
  const last = samples.at(-1)?.atMs ?? 0;
  const from = first + (last - first) * SETTLING_SHARE;
  return samples
    .filter(({ atMs }) => atMs >= from)
    .map(({ atMs, value }) => [(atMs - first) / 3.6e6, value]);
}

/**
 * @param {(quantity: Quantity) => readonly Sample[]} of
 * @returns {import('../report/result.js').Plot}
 */
function memoryPlot(of) {
  const shown = [quantities.rss, quantities.heap, quantities.external];
  return {
    name: 'memoryOverTime',
    title: "The server's memory over time",
    caption: `Read every ${LOOK_SECONDS} s.`,
    kind: 'line',
    x: { label: 'Time', unit: 'min', from: 0 },
    y: { label: 'Memory', unit: 'MiB', from: 0 },
    series: shown.map((quantity, i) => ({
      name: quantity.label,
      protocol: '',
      variant: i,
      points: of(quantity).map(({ atMs, value }) => [
        (atMs - of(quantity)[0].atMs) / 60_000,
        value,
      ]),
    })),
  };
}
