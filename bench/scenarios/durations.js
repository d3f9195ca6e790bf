/**
 * Duration of each scenario by its options, which a run prints before it begins. The parts are
 * those of a machine with two quiet cores. At its end a run is compared with it (overrunOf).
 * @import { LabOptions } from './lab.js'
 *
 * @typedef {LabOptions & Record<string, any>} Options
 */

import { Option } from 'commander';
import { availableCases, casesOf } from './adapt.js';
import { LINK_PROFILES } from '../link/profiles.js';
import { parseLink, parseSteps } from '../link/settings.js';
import { formatDuration } from '../report/numbers.js';
import { conditionsOf, KINDS } from '../setup/conditions.js';
import { blocksOf as crowdBlocks } from './crowd.js';
import { blocksOf as forwardBlocks } from './forward.js';
import { blocksOf as listenersBlocks } from './listeners.js';
import { lackOfJamulus } from '../peers/jamulus.js';
import { lackOfMurmurd } from '../peers/murmurd.js';
import { CASES as PLAN_CASES, FITTED } from './plan.js';
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

/** Blocks of a crowd's cases. @param {Options} options @param {readonly string[]} cases */
const crowdBlocksOf = (options, cases, /** @type {number} */ seconds) =>
  sum(cases.map((name) => crowdBlock(options, peopleOf(name), seconds)));

/**
 * The conditions of setups that are measured, each with the transports' kinds of connection.
 * @param {Options} options
 * @returns {{ roundTripMs: number, lossPercent: number, rateKbits: number, legs: number }[]}
 */
function setupsOf(options) {
  const { transports, link, asIs, browser } = options;
  const legsOf = (/** @type {boolean} */ isPlain) =>
    sum(
      transports.map((name) =>
        isPlain && !browser ? KINDS[/** @type {keyof typeof KINDS} */ (name)].length : 1,
      ),
    );
  if (!asIs && link !== 'loopback')
    return conditionsOf(/** @type {any} */ (options)).map(
      ({ roundTripMs, lossPercent, rateKbits }) => ({
        roundTripMs: Number(roundTripMs),
        lossPercent: Number(lossPercent),
        rateKbits: Number(rateKbits),
        legs: legsOf(lossPercent === 0 && rateKbits === 0),
      }),
    );
  const { up, down } = parseLink(LINK_PROFILES[link]?.settings ?? {});
  return [
    {
      roundTripMs: (up.delayMs ?? 0) + (down.delayMs ?? 0),
      lossPercent: up.lossPercent ?? 0,
      rateKbits: 0,
      legs: legsOf(true),
    },
  ];
}

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
  // Without a link round trips are measured too, for ten seconds.
  call: (options) =>
    options.repetitions *
      (PART.server +
        PART.call +
        options.settle +
        (options.link === 'loopback' ? talk(options, 10) : 0)) +
    options.duration,
  load: (options) =>
    sum(
      options.participants
        .filter((/** @type {number} */ count) => count <= options.atMost)
        .map(
          (/** @type {number} */ count) =>
            turns(options) *
            (PART.server + count * PART.participant + talk(options, block(options))),
        ),
    ),
  // Without redundancy a quarter of the time is measured.
  loss: ({ loss, settle, duration, repetitions }) =>
    loss.length *
    (repetitions * (2 * (PART.server + PART.call) + settle + Math.max(10, settle / 4)) +
      1.25 * duration),
  memory: ({ repetitions }) => repetitions * (PART.server + 500 * 0.02 + 3 * 3.5),
  plan: (options) => options.repetitions * crowdBlocksOf(options, PLAN_CASES, block(options)),
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
  // As `papers` took it on two quiet cores (2026-11-30): pings before each condition, and setups.
  setup: (options) =>
    6 +
    sum(
      setupsOf(options).map(({ roundTripMs, lossPercent, rateKbits, legs }) => {
        const seconds =
          0.13 +
          (10.8 * roundTripMs) / 1000 +
          0.06 * lossPercent +
          (rateKbits ? 95 / rateKbits : 0);
        return 1.6 + options.repetitions * options.connections * legs * seconds;
      }),
    ),
  startup: (options) => MEASURED.setup(options),
  // Two blocks of a call, with two seconds before and one after.
  mesh: (options) =>
    3 +
    options.repetitions *
      options.people.length *
      3 *
      (PART.call + options.settle + 2 * (block(options) + 3)),
  'mouth-to-ear': (options) =>
    options.repetitions * options.frame.length * (2 * PART.page + options.settle) +
    options.frame.length * options.duration,
  starved: (options) =>
    options.machines.length *
    (options.repetitions * (2 * PART.page + options.settle) + options.duration),
  nearness: (options) =>
    options.repetitions * options.choices.length * (PART.server + PART.call + options.settle) +
    options.duration,
  // Players by rules, each 12 s before the path's steps. Without a case the run says so itself.
  adapt: (options) =>
    options.repetitions *
    (availableCases(/** @type {any} */ (options)).cases.length ||
      casesOf(/** @type {any} */ (options)).length) *
    (PART.server +
      PART.call +
      12 +
      (options.marks ? ADAPT_MARK_SECONDS : 0) +
      sum(options.trajectory.map((/** @type {{ seconds: number }} */ { seconds }) => seconds))),
  // Levels, steps of the trajectory, and a sender with little to send, each with its connection.
  throughput: ({ repetitions, levels }) => repetitions * (5.1 * levels.length + 52.5),
  // Costs of one server's cases for half of the duration each, and rooms of three nodes. A relayed
  // room is measured at rest and with its talkers for half of it each, and with its listeners.
  nodes: (options) => {
    const { relay, duration, warmUp, listeners } = options;
    const rooms = crowdBlocksOf(options, FITTED, duration / 2) + 15 + 2 * warmUp + duration;
    return (relay ? 0 : rooms) + 15 + 2 * warmUp + PART.member * listeners + 2 * duration;
  },
  // A node is also stopped, once for five kills.
  failover: ({ kills, transports }) =>
    transports.length * (12 + 4.2 * (kills + Math.ceil(kills / 5))),
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

/** Time to mark what is heard of one way in a block, and of a case of `adapt`, in seconds. */
const MARK_SECONDS = 4;
const ADAPT_MARK_SECONDS = 10;

/**
 * Parts of a grid's block beside its measured time, in seconds, as `papers` took them on two quiet
 * cores (2026-11-30). Each settles, shapes and ends (`block`), and a lane's processes start once
 * (`lane`). Packets that never come are waited for (`lost`), and a narrow leg holds up more.
 */
const GRID = Object.freeze({ block: 2.9, lane: 0.6, lost: 2.1, narrow: 1.4 });

/** The rate below which a leg holds up some way, in bit/s. */
const NARROW_BITS = 150_000;

/**
 * Times that the delay of a hop goes by while ways connect over it: WebRTC's handshakes are the
 * longest, and all ways wait for them.
 */
const CONNECT_DELAYS = Object.freeze({ webrtc: 17.5, others: 8 });

/** @param {readonly string[]} ways @returns {number} delays of a hop */
const connectDelays = (ways) =>
  ways.some((way) => /^(rtp|datachannel)/.test(way))
    ? CONNECT_DELAYS.webrtc
    : CONNECT_DELAYS.others;

/**
 * Time of a grid's block beside what it measures, in seconds.
 * @param {Options} options
 * @param {{ leg: object, steps?: readonly { atMs: number, changes: object }[] }} condition
 */
function besideBlock({ ways, through }, { leg, steps = [] }) {
  const asked = parseLink(leg);
  const all = [asked, ...parseSteps(steps)].flatMap(({ up, down }) => [up, down]);
  const isNarrow = all.some(({ rateBits = 0 }) => rateBits > 0 && rateBits < NARROW_BITS);
  const isLossy = isNarrow || all.some(({ lossPercent = 0 }) => lossPercent > 0);
  const delayMs = Math.max(asked.up.delayMs ?? 0, asked.down.delayMs ?? 0);
  const hops = through === 'nothing' ? 1 : 2;
  return (
    GRID.block +
    (isLossy ? GRID.lost : 0) +
    (isNarrow ? GRID.narrow : 0) +
    (hops * connectDelays(ways) * delayMs) / 1000
  );
}

/**
 * Time of one grid's measurement, in seconds.
 * @param {Options} options
 * @param {readonly { leg: object, steps?: readonly any[], seconds?: number, blocks?: number,
 *   moreSeconds?: number }[]} conditions each with its measured time, if not the options' own;
 *   `blocks`, in which its ways take turns; `moreSeconds`, by which a block is longer
 */
export const gridSeconds = (options, conditions) =>
  GRID.lane * options.ways.length +
  options.repetitions *
    sum(
      conditions.map(
        ({ seconds = block(options), blocks = 1, moreSeconds = 0, ...condition }) =>
          blocks * (besideBlock(options, condition) + seconds + moreSeconds) +
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
