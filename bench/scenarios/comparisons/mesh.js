/**
 * Calls of several people on a star: from peer to peer, through a forwarder in the hub, or mixed
 * there by aloud's server.
 *
 * @import { Link, LinkStats } from '../../link/link.js'
 * @import { Star } from '../../link/star.js'
 * @import { CallNotes } from '../../mesh/notes.js'
 * @import { Quantity } from '../../report/result.js'
 * @import { Lab } from '../lab.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Voice } from './heard.js'
 * @import { Condition } from './mesh-result.js'
 *
 * @typedef {Voice & { star: Star }} Ground  base of the calls
 *
 * @typedef {{ topology: string, people: number, repetition: number }} Which  identifies a call
 *
 * @typedef {object} Block  a call under one condition
 * @property {Condition} condition
 * @property {CallNotes} notes
 * @property {LinkStats[]} stats    of each person's leg
 * @property {number} busyPercent   of the machine's processors
 * @property {number} leftOut       people left out of the hub's mix
 * @property {number} fromMs
 */

import { availableParallelism } from 'node:os';
import { seedOfRepetition, starOf } from '../../link/star.js';
import { MeshCall, TOPOLOGIES } from '../../mesh/call.js';
import { agesOf, setupsOf } from '../../mesh/notes.js';
import { number, wholeNumber } from '../../options.js';
import { MachineMeter, sharedMs } from '../../../testkit/participants/child.js';
import { quantile, sorted } from '../../../testkit/statistics.js';
import { jitterOf } from '../../ways/figures.js';
import { heardFrom } from '../../ways/heard.js';
import { EVERY_MS } from '../../ways/run.js';
import { isShort } from '../lab.js';
import { randomFor } from '../scenario.js';
import { SETTLE_SECONDS, TRIES } from './grid.js';
import { readVoices } from './heard.js';
import { wrongWith } from './faults.js';
import { hasTimeFor, quickOption } from '../durations.js';
import { CONDITIONS, MESH_QUANTITIES, meshViews } from './mesh-result.js';
import { usableOf } from './setup.js';

/** Most people: each has a process, a leg's emulator and a namespace of this machine. */
const MOST_PEOPLE = 12;

/** Delay of each leg, one way, in milliseconds. */
const DELAY_MS = 20;

/** Time in a block after the frames that count, in seconds: the last of them arrive. */
const LAST_SECONDS = 1;

/** Time that processes and their connections may take in a quick run, in seconds. */
const QUICK_SPARE_SECONDS = 6;

/** @type {Scenario} */
export const mesh = {
  name: 'mesh',
  title: 'Calls of several people: from peer to peer, forwarded, mixed',
  description:
    'processor time, rate, setup, presence and mouth to ear of 2 to 12 people, over WebRTC ' +
    'and by the server (Abelló Lozano 2012)',
  quantities: Object.values(MESH_QUANTITIES),
  lacks: ['transports', 'warmUp', 'browser'],
  defaults: {
    duration: 50,
    repetitions: 5,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  addOptions: (command) => {
    command
      .option(
        '--people <list>',
        `numbers of people from 2 to ${MOST_PEOPLE}, separated by commas`,
        numbersOfPeople,
        [2, 3, 4, 6, 8],
      )
      .option(
        '--settle <seconds>',
        'from the connection to the first block, in which the server finds its delay',
        wholeNumber(0, 600),
        10,
      )
      .option(
        '--setup-loss <percent>',
        'that each leg loses, each way, while people connect',
        number(0, 90),
        0,
      )
      .addOption(quickOption({ people: [3], settle: 2, repetitions: 1, duration: 1 }))
      .addHelpText(
        'after',
        '\nmesh stands for tables 1 and 10 and figure 37 of Abelló Lozano (2012), and for ' +
          'the 4 and more people that it announced.',
      );
  },

  async measure(lab) {
    const { people: counts, repetitions } = /** @type {any} */ (lab.options);
    const topologies = await usableTopologies(lab);
    const star = await starOf(lab.link, Math.max(...counts));
    const voiceOf = await readVoices();
    const total = repetitions * counts.length * topologies.length;
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const people of counts) {
        for (const i of topologies.keys()) {
          const topology = topologies[(i + repetition) % topologies.length];
          if (!hasTimeFor(lab, quickCallSeconds(lab))) {
            lab.folder.warn(
              `There was no time left for ${people} people, ${topology}, repetition ` +
                `${repetition + 1}.`,
            );
            continue;
          }
          lab.progress(
            `${people} people, ${topology}, ${repetition + 1} of ${repetitions}`,
            done++ / total,
          );
          await measureCall(
            lab,
            { star, ...voiceOf(repetition) },
            { topology, people, repetition },
          );
        }
      }
    }
  },

  result(folder, options) {
    return {
      title: mesh.title,
      summary:
        `Each person has a process and a namespace of their own, with a leg of ${DELAY_MS} ms ` +
        'to a hub. mesh: WebRTC audio from each to each, the hub routes. forwarded: WebRTC ' +
        'audio to an SFU in the hub, which sends each packet to all others. mixed: ' +
        `WebTransport to aloud's server in the hub, which sends each person one mix. ` +
        'Everybody speaks all the time.',
      headlines: [],
      ...meshViews(folder, randomFor(options)),
      notes: [...NOTES],
    };
  },
};

const NOTES = Object.freeze([
  `Per leg: delay and loss are of each person's leg, in both directions, and up and down ` +
    `are rates of one leg. End to end sound meets the speaker's leg up and the listener's ` +
    `leg down in each topology: ${2 * DELAY_MS} ms, and of 2 % loss per leg 4 %. In mixed ` +
    'the frame meets the first of them, and the mix that has it the second. Setup, present ' +
    'and mouth to ear are end to end.',
  'Same payload: everybody sends the same Opus payloads of speech (48 kbit/s, 20 ms), ' +
    'encoded beforehand, one packet a frame, without redundancy, and without suppression of ' +
    'silence. The mix is encoded by the server, with its defaults.',
  'Processor time of a person: of all threads of their process, over the block. It is for ' +
    'sending and receiving alone: nobody encodes, decodes or plays. A real person encodes ' +
    'once in each topology, and decodes the streams of all others in mesh and forwarded, ' +
    "but one mix in mixed. Processor time of the hub: the forwarder's process, which " +
    "doesn't touch the sound, or the server's, which decodes everybody and encodes mixes. " +
    "Both are without the kernel's and the emulators' share outside of the processes.",
  "Up and down: IP packets on a person's leg with their headers, as the leg's emulator " +
    'counts them before it loses any.',
  "Memory: resident memory of a person's process, and of the hub's, at a block's end. It is " +
    'that of Node.js, without page and codec in a person, and with codecs in a mixing hub.',
  'Jitter: mean difference between the ages of successive frames that came (D of RFC 3550, ' +
    '6.4.1, not smoothed), each person as heard by the next. In mixed an age is that of a ' +
    "speaker's frame in the mix, so that the server's clock evens out what legs do.",
  "Setup: from the moment when all begin to connect at once until a frame of a speaker's is " +
    "first at a listener's: of pairs the median, and until the last pair. Legs lose " +
    'nothing then, unless --setup-loss says so. Heard: pairs that heard each other before the ' +
    "first block, also in tries that were repeated. WebRTC's offers and answers go beside the " +
    'legs at no cost, and none of its people asks a server first; in mixed, fetching the ' +
    'configuration, the session, the ' +
    'join and the comparison of clocks (eight questions, 25 ms apart) go over the leg, and ' +
    'all of that is in it, with the first work of a server that has just been started. ' +
    'Nobody opens a microphone.',
  'Present and mouth to ear: each person as heard by the next. The ages of the frames at ' +
    "the listener, from their sending, go through aloud's own playout and decoder for all " +
    'topologies, offline. The age in mixed is that of the first packet whose mix had the ' +
    "frame in it in time, so that the server's delay and mixing are in it; a frame that " +
    'missed its mix never came, nor did one that the server left out: where its mixes are ' +
    "late it mixes fewer people. Mouth to ear: the frame's length, its age, its wait for " +
    "playout and 10 ms of a sound card. Opus's lookahead isn't in it: it is met once in " +
    'mesh and forwarded, twice in mixed. Nor are devices.',
  'Both conditions are met by the same call, first without loss, then with it; each ' +
    'repetition has new processes and connections, and another of four voices. The legs ' +
    'have the same random numbers in each repetition, but topologies send different numbers ' +
    'of packets over them.',
  "WebRTC is node-datachannel's, without STUN, RTCP, NACK, congestion control or FEC. The " +
    'forwarder has one track for each person, on which the others are told apart by SSRC. ' +
    "People's frames end at moments that are spread over 20 ms in mesh and forwarded; in " +
    "mixed all keep to the server's grid.",
  'A row is marked where, in half of the repetitions or more, packets were sent or mixes ' +
    'begun more than 10 ms late (p99), the server had left people out, the processors were ' +
    "all busy, or a leg was late or didn't lose what it should: it tells of this machine, " +
    'and no sentence is made of it.',
]);

/** @param {string} text */
const numbersOfPeople = (text) =>
  [...new Set(text.split(',').map((word) => wholeNumber(2, MOST_PEOPLE)(word)))].sort(
    (a, b) => a - b,
  );

/** Topologies that this machine can run. @param {Lab} lab */
export const usableTopologies = (lab) =>
  usableOf(lab, TOPOLOGIES, Object.keys(TOPOLOGIES), 'topologies');

/** Time of a call's blocks. @param {Lab} lab @returns {number} seconds */
const blocksSeconds = (lab) =>
  CONDITIONS.length * (SETTLE_SECONDS + lab.blockSeconds + LAST_SECONDS);

/** Time that a call needs in a quick run. @param {Lab} lab @returns {number} seconds */
export const quickCallSeconds = (lab) =>
  QUICK_SPARE_SECONDS + /** @type {any} */ (lab.options).settle + blocksSeconds(lab);

/**
 * Measures a call; one that fails is tried again, with a warning.
 * @param {Lab} lab @param {Ground} ground @param {Which} which
 */
async function measureCall(lab, ground, which) {
  for (let tries = 1; ; tries++) {
    const fromMs = lab.folder.elapsedMs;
    try {
      const { setups, blocks } = await runCall(lab, ground, which);
      recordSetups(lab, which, setups);
      for (const block of blocks) recordBlock(lab, ground, which, block);
      return;
    } catch (error) {
      lab.signal.throwIfAborted();
      const { topology, people, repetition } = which;
      lab.folder.warn(
        `${topology} with ${people} people, repetition ${repetition + 1}, try ${tries}, ` +
          `failed: ${/** @type {Error} */ (error).message}`,
      );
      if (tries === TRIES || !hasTimeFor(lab, quickCallSeconds(lab)) || !lab.mayRepeat(fromMs))
        return;
    }
  }
}

/**
 * @param {Lab} lab @param {Ground} ground @param {Which} which
 * @returns {Promise<{ setups: number[], blocks: Block[] }>}
 * @throws {Error} where somebody doesn't hear somebody
 */
async function runCall(lab, { star, payloads }, which) {
  const { topology, people, repetition } = which;
  const { settle, setupLoss: lossPercent } = /** @type {any} */ (lab.options);
  const legs = star.legs.slice(0, people);
  /** @type {MeshCall | null} */
  let call = null;
  try {
    await star.set({ delayMs: DELAY_MS, lossPercent });
    call = await MeshCall.open({
      topology,
      legs,
      hub: star.hub,
      payloads,
      signal: lab.signal,
    }).catch((error) => {
      if (!lab.signal.aborted) recordSuccess(lab, which, []);
      throw error;
    });
    await lab.wait(settle);
    const setups = setupsOf(await call.collect(), call.startMs);
    recordSuccess(lab, which, setups);
    const deaf = setups.filter((ms) => ms === Infinity).length;
    if (deaf > 0) throw new Error(`of ${setups.length} pairs ${deaf} didn't hear each other`);
    const blocks = [];
    for (const condition of CONDITIONS) {
      await star.seedAnew([legs], seedOfRepetition(lab.options.seed, repetition));
      await star.set(condition.leg);
      blocks.push(await runBlock(lab, call, condition, legs));
    }
    return { setups, blocks };
  } finally {
    await call?.close();
    await star.clear();
  }
}

/**
 * @param {Lab} lab
 * @param {MeshCall} call
 * @param {Condition} condition
 * @param {readonly Link[]} legs
 * @returns {Promise<Block>}
 */
async function runBlock(lab, call, condition, legs) {
  const places = await call.places();
  await call.begin();
  await Promise.all(legs.map((leg) => leg.reset()));
  const machine = new MachineMeter();
  const fromMs = sharedMs(performance.now());
  await lab.wait(SETTLE_SECONDS + lab.blockSeconds + LAST_SECONDS);
  const busyPercent = machine.take().busyPercent / availableParallelism();
  const stats = /** @type {LinkStats[]} */ (await Promise.all(legs.map((leg) => leg.stats())));
  const notes = await call.collect();
  const leftOut = Math.max(0, legs.length - Math.min(places, await call.places()));
  return { condition, notes, stats, busyPercent, leftOut, fromMs };
}

/**
 * Records the share of pairs that heard each other, also of a try that is repeated.
 * @param {Lab} lab @param {Which} which
 * @param {number[]} setups  of pairs; none if the call didn't come to be
 */
function recordSuccess(lab, which, setups) {
  const heard = setups.filter((ms) => ms < Infinity).length;
  adder(
    lab,
    which,
    CONDITIONS[0],
  )(MESH_QUANTITIES.success, (100 * heard) / Math.max(1, setups.length));
}

/** @param {Lab} lab @param {Which} which @param {number[]} setups of pairs */
function recordSetups(lab, which, setups) {
  const add = adder(lab, which, CONDITIONS[0]);
  for (const ms of setups) add(MESH_QUANTITIES.setup, ms);
  add(MESH_QUANTITIES.setupAll, Math.max(...setups));
}

/** @param {Lab} lab @param {Ground} ground @param {Which} which @param {Block} block */
function recordBlock(lab, ground, which, block) {
  const {
    condition,
    notes: { people, hub },
    stats,
    busyPercent,
    leftOut,
  } = block;
  const add = adder(lab, which, condition);
  for (const [i, { name, cpuPercent, rssBytes }] of people.entries()) {
    const { seconds, up, down } = stats[i];
    const { presentPercent, mouthToEarMs, jitterMs } = heardBy(lab, ground, block, i);
    add(MESH_QUANTITIES.cpu, cpuPercent, name);
    add(MESH_QUANTITIES.memory, rssBytes / 1e6, name);
    add(MESH_QUANTITIES.up, (up.arrived.bytes * 8) / 1000 / seconds, name);
    add(MESH_QUANTITIES.down, (down.arrived.bytes * 8) / 1000 / seconds, name);
    add(MESH_QUANTITIES.present, presentPercent, name);
    add(MESH_QUANTITIES.mouthToEar, presentPercent > 0 ? mouthToEarMs : Infinity, name);
    add(MESH_QUANTITIES.jitter, jitterMs, name);
  }
  if (hub) {
    add(MESH_QUANTITIES.hub, hub.cpuPercent);
    add(MESH_QUANTITIES.hubMemory, hub.rssBytes / 1e6);
  }
  if (hub?.tickLatenessMs) add(MESH_QUANTITIES.ticks, quantile(sorted(hub.tickLatenessMs), 0.99));
  const latenessMs = people.flatMap((person) => person.latenessMs);
  const lateMs = quantile(sorted(latenessMs), 0.99);
  add(MESH_QUANTITIES.late, lateMs);
  add(MESH_QUANTITIES.leftOut, leftOut);
  add(MESH_QUANTITIES.busy, busyPercent);
  add(MESH_QUANTITIES.legs, stats.filter((of) => wrongWith(of, condition) !== null).length);
  // The rows of late blocks are marked, and no sentence is made of them: others' needn't be
  // withheld for them.
  if (!isShort(lateMs, 0))
    lab.tellGenerator(latenessMs, Math.max(...people.map(({ cpuPercent }) => cpuPercent)));
}

/**
 * Sound that a person would have heard from the next one.
 * @param {Lab} lab @param {Ground} ground @param {Block} block @param {number} i
 */
function heardBy(lab, { codec, speech, payloads }, { notes, fromMs }, i) {
  const [listener, speaker] = [notes.people[i], notes.people[(i + 1) % notes.people.length]];
  const ages = agesOf(notes, speaker, listener, {
    fromMs,
    toMs: fromMs + (SETTLE_SECONDS + lab.blockSeconds) * 1000,
  });
  const settle = (SETTLE_SECONDS * 1000) / EVERY_MS;
  return {
    ...heardFrom({ codec, speech, payloads, ages, settle }),
    jitterMs: jitterOf(ages.slice(settle)),
  };
}

/**
 * Makes a function that records values of a call under a condition.
 * @param {Lab} lab
 * @param {Which} which
 * @param {Condition} condition
 */
const adder =
  ({ folder }, { topology, people, repetition }, { name: condition }) =>
  (/** @type {Quantity} */ { name }, /** @type {number} */ value, client = '') =>
    folder.record(name, {
      protocol: topology,
      repetition,
      client,
      atMs: folder.elapsedMs,
      value,
      factors: { condition, people },
    });
