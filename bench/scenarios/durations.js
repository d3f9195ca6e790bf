/**
 * Duration of each scenario by its options, which a run prints before it begins. The parts are
 * those of a machine with two quiet cores. At its end a run is compared with it (overrunOf).
 * @import { LabOptions } from './lab.js'
 *
 * @typedef {LabOptions & Record<string, any>} Options
 */

import { Option } from 'commander';
import { casesOf } from './adapt.js';
import { formatDuration } from '../report/numbers.js';
import { conditionsOf } from '../setup/conditions.js';
import { blocksOf as crowdBlocks } from './crowd.js';
import { blocksOf as forwardBlocks } from './forward.js';
import { blocksOf as listenersBlocks } from './listeners.js';
import { lackOfJamulus } from '../peers/jamulus.js';
import { lackOfMurmurd } from '../peers/murmurd.js';
import { parseCase } from '../stats/crowd-figures.js';

/** Parts of runs, in seconds. */
export const PART = Object.freeze({
  /** Looking at the machine, and ending. */
  run: 3,
  /** Pings and bandwidth, unless the link is shaped later. */
  link: 7,
  /** A server's process, until somebody can join. */
  server: 1.2,
  /** One of a crowd's joins, eight at a time, and another participant's. */
  member: 0.008,
  participant: 0.1,
  /** A call of whole clients, or of pages, beside what it is asked for. */
  call: 3,
  page: 5,
  /** Processes of a peer: Mumble's server and clients, and one client of Jamulus's. */
  mumble: 4,
  jamulus: 8,
  jamulusClient: 0.4,
});

/** Time of one condition of a grid beside its block, in seconds: settling, connecting, shaping. */
const GRID_SECONDS = 4.5;

/** Share by which a run may be off, and seconds that don't matter in a short one. */
const MOST_OFF = 0.2;
const LEAST_OFF_SECONDS = 10;

const sum = (/** @type {number[]} */ all) => all.reduce((whole, part) => whole + part, 0);

/** Warm-up, measured time and coming and going of two people. @param {Options} options */
const talk = ({ warmUp }, /** @type {number} */ seconds) => warmUp + seconds + 2 * PART.participant;

/** Blocks of all transports. @param {Options} options */
const turns = ({ repetitions, transports }) => repetitions * transports.length;

/** @param {Options} options */
const block = ({ duration, repetitions }) => duration / repetitions;

/** @param {Options} options @param {number} people @param {number} seconds */
const crowdBlock = ({ warmUp }, people, seconds) =>
  PART.server + PART.member * people + 2 * warmUp + seconds;

/** @param {string} name */
const peopleOf = (name) => parseCase(name).rooms * parseCase(name).people;

/**
 * Time of a scenario's measurement, in seconds, without the run's own.
 * @type {Readonly<Record<string, (options: Options) => number>>}
 */
export const MEASURED = Object.freeze({
  rtt: (options) => PART.server + turns(options) * talk(options, block(options) + 1),
  datagrams: (options) => PART.server + turns(options) * talk(options, block(options)),
  // Each of eleven delays has a server of its own, and three seconds or more over each transport.
  delay: (options) =>
    PART.server +
    turns(options) * talk(options, block(options) + 0.4) +
    11 *
      (PART.server +
        options.transports.length * talk(options, Math.max(3, options.duration / 11) + 0.4)),
  // The delay is found first, unless it is given; then sound is added up, and really heard.
  latency: (options) =>
    options.transports.length *
      (options.serverDelayMs === undefined
        ? PART.server + talk(options, Math.max(5, block(options) / 2))
        : 0) +
    turns(options) * (PART.server + talk(options, block(options)) * 2 + 3),
  call: (options) =>
    options.repetitions * (PART.server + PART.call + options.settle + 10) + options.duration,
  load: (options) =>
    sum(
      options.participants.map(
        (/** @type {number} */ count) =>
          turns(options) * (PART.server + count * PART.participant + talk(options, block(options))),
      ),
    ),
  // Without redundancy a quarter of the time is measured.
  loss: ({ loss, settle, duration, repetitions }) =>
    loss.length *
    (repetitions * (2 * (PART.server + PART.call) + settle + Math.max(10, settle / 4)) +
      1.25 * duration),
  memory: ({ repetitions }) => repetitions * (PART.server + 500 * 0.02 + 3 * 3.5),
  plan: (options) => options.repetitions * 9 * crowdBlock(options, 200, block(options)),
  crowd: (options) =>
    sum(
      crowdBlocks(/** @type {any} */ (options), lackOfJamulus() === null).map(
        ({ name, server, seconds }) =>
          server === 'jamulus'
            ? PART.jamulus + PART.jamulusClient * peopleOf(name) + 2 * options.warmUp + seconds
            : crowdBlock(options, peopleOf(name), seconds),
      ),
    ),
  forward: (options) =>
    sum(
      forwardBlocks(/** @type {any} */ (options), lackOfMurmurd() === null).map(
        ({ name, way, seconds }) =>
          way === 'mumble'
            ? PART.mumble + 2 * options.warmUp + seconds
            : crowdBlock(options, peopleOf(name), seconds),
      ),
    ),
  // Memory is read twice after two seconds, and a broadcast's listeners come to their rates.
  listeners: (options) =>
    sum(
      listenersBlocks(/** @type {any} */ (options)).map(
        ({ name, seconds }) =>
          crowdBlock(options, parseInt(name, 10), seconds) + 5 + (options.rates ? 10 : 0),
      ),
    ),
  setup: (options) =>
    12 +
    sum(
      (options.asIs
        ? [{ roundTripMs: 50, lossPercent: 0, rateKbits: 0 }]
        : conditionsOf(/** @type {any} */ (options))
      )
        .map(({ roundTripMs, lossPercent, rateKbits }) => ({
          legs:
            lossPercent === 0 && rateKbits === 0
              ? 2 * options.transports.length
              : options.transports.length,
          seconds:
            0.45 + (9 * Number(roundTripMs)) / 1000 + (rateKbits ? 60 / Number(rateKbits) : 0),
        }))
        .map(({ legs, seconds }) => 2 + options.repetitions * options.connections * legs * seconds),
    ),
  startup: (options) => MEASURED.setup(options),
  // Two blocks of a call, with two seconds before and one after.
  mesh: (options) =>
    3 +
    options.repetitions *
      options.people.length *
      3 *
      (PART.call + options.settle + 2 * (block(options) + 3)),
  // A page's call, and the time over which a disturbance of the machine is remembered.
  'mouth-to-ear': (options) =>
    options.repetitions * options.frame.length * (2 * PART.page + Math.max(20, options.settle)) +
    options.frame.length * options.duration,
  starved: (options) =>
    options.machines.length *
    (options.repetitions * (2 * PART.page + options.settle) + options.duration),
  nearness: (options) =>
    options.repetitions * options.choices.length * (PART.server + PART.call + options.settle) +
    options.duration,
  // Players by rules, each 12 s before the path's steps.
  adapt: (options) =>
    options.repetitions *
    casesOf(/** @type {any} */ (options)).length *
    (PART.server +
      PART.call +
      12 +
      sum(options.trajectory.map((/** @type {{ seconds: number }} */ { seconds }) => seconds))),
  throughput: ({ repetitions, levels }) => repetitions * (levels.length * 5.5 + 19 * 5.2 + 25),
  nodes: ({ relay, duration }) => (relay ? 30 : 150) + 4 * duration,
  failover: ({ kills, transports }) => transports.length * (12 + 5 * kills),
  ways: (options) => options.repetitions * options.ways.length * (PART.call + 2 + block(options)),
  carry: (options) =>
    options.repetitions *
    options.carries.length *
    (PART.server + PART.call + options.settle + block(options)),
  shipped: (options) =>
    PART.page +
    options.repetitions *
      options.conditions.length *
      options.ways.length *
      (PART.page + options.settle + block(options)),
  soak: ({ duration, people }) => PART.server + people * 0.05 + duration,
  stragglers: (options) =>
    options.repetitions * 4 * (PART.server + PART.call + options.settle) + 4 * options.duration,
});

/** Time to mark what is heard of one way in a block, in seconds. */
const MARK_SECONDS = 4;

/**
 * Time of one grid's measurement, in seconds.
 * @param {Options} options
 * @param {readonly { seconds?: number, blocks?: number, moreSeconds?: number }[]} conditions each
 *   with its measured time, if not the options' own; `blocks`, in which its ways take turns;
 *   `moreSeconds`, by which a block is longer
 */
export const gridSeconds = (options, conditions) =>
  PART.call +
  options.repetitions *
    sum(
      conditions.map(
        ({ seconds = block(options), blocks = 1, moreSeconds = 0 }) =>
          blocks * (GRID_SECONDS + seconds + moreSeconds) +
          (options.marks ? MARK_SECONDS * options.ways.length : 0),
      ),
    );

/**
 * Estimates the duration of a scenario.
 * @param {Pick<import('./scenario.js').Scenario, 'name' | 'seconds'>} scenario
 * @param {Options} options
 * @returns {number} seconds
 */
export function secondsOf({ name, seconds = MEASURED[name] }, options) {
  const told = PART.run + (options.link === 'clear' ? 0 : PART.link) + seconds(options);
  return options.quick ? Math.min(told, QUICK_SECONDS) : told;
}

/** A quick run ends after this time, in seconds, and begins nothing in the last of them. */
export const QUICK_SECONDS = 60;
const QUICK_REST_SECONDS = 6;

/**
 * True when something still fits into a run: always, unless the run is a quick one.
 * @param {{ options: object, folder: { elapsedMs: number } }} lab
 * @param {number} seconds that it takes
 */
export const hasTimeFor = ({ options, folder }, seconds) =>
  !(/** @type {Options} */ (options).quick) ||
  folder.elapsedMs / 1000 + seconds <= QUICK_SECONDS - QUICK_REST_SECONDS;

/**
 * The option of a scenario that has a short form, whose lines are marked.
 * @param {Record<string, unknown>} implied  values of other options where they aren't given
 */
export const quickOption = (implied) =>
  new Option(
    '--quick',
    `an impression in ${QUICK_SECONDS} s: few conditions, without intervals, each line marked`,
  ).implies(implied);

/**
 * Compares a run's time with the announced one, if they differ by more than a fifth.
 * @param {number} tookMs
 * @param {number} toldSeconds
 * @returns {string} '' where it kept to it
 */
export function overrunOf(tookMs, toldSeconds) {
  const offSeconds = tookMs / 1000 - toldSeconds;
  if (Math.abs(offSeconds) <= Math.max(LEAST_OFF_SECONDS, MOST_OFF * toldSeconds)) return '';
  return (
    `The run took ${formatDuration(tookMs)}, and said ${formatDuration(1000 * toldSeconds)}` +
    `${offSeconds > 0 ? ': the machine was slow, or blocks were repeated' : ''}.`
  );
}
