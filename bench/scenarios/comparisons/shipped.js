/**
 * Calls as people have them. Chromium's own WebRTC, from peer to peer or through a forwarder, meets
 * aloud's page through aloud's server. Each has its own codec, repetitions, playout and
 * concealment; the two legs are the same.
 *
 * @import { Condition } from './grid.js'
 * @import { Lab } from '../lab.js'
 * @import { Link, LinkStats } from '../../link/link.js'
 * @import { Star } from '../../link/star.js'
 * @import { RunFolder } from '../../report/run-folder.js'
 * @import { Scenario } from '../scenario.js'
 *
 * @typedef {object} Ground  base of the blocks
 * @property {Star} star     of two legs: the mouth's and the ear's
 * @property {Readonly<Record<'mouth' | 'ear', BrowserClients>>} browsers  one at each leg's end
 * @property {Child | null} forwarder  in the hub, if a way uses one
 * @property {{ speaker: string, speech: Float32Array }} voice  one of SPEAKERS, and its words
 *
 * @typedef {{ way: string, condition: string, repetition: number }} Block
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../../../testkit/browsers/chromium.js';
import { controllerArguments, controllerFault } from '../../participants/net-log.js';
import { LINK_PROFILES } from '../../link/profiles.js';
import { seedOfRepetition, starOf } from '../../link/star.js';
import { FORWARDER } from '../../mesh/call.js';
import { listOf, wholeNumber } from '../../options.js';
import { BrowserClients } from '../../participants/browser-clients.js';
import { Child, sharedMs } from '../../../testkit/participants/child.js';
import { readSpeaker, speakerFile, SPEAKERS } from '../../codec/speakers.js';
import { faultOfPing, PING_BYTES } from '../../setup/conditions.js';
import { missing } from '../../ways/webrtc.js';
import { randomFor, worldNotes } from '../scenario.js';
import { wrongWith } from './faults.js';
import { TRIES } from './grid.js';
import { keepSound } from './heard.js';
import {
  aloudFigures,
  EARLY_SECONDS,
  frameFigures,
  heardFigures,
  peerFigures,
  uplinkFigures,
} from './shipped-figures.js';
import {
  CONTROLLED_WAYS,
  FORWARDED,
  NOTED,
  SHIPPED_QUANTITIES,
  shippedPlots,
  shippedTables,
} from './shipped-result.js';
import { usableOf } from './setup.js';
import { VISQOL_SOURCE } from '../../stats/visqol.js';

/** The sample rate of speech and recordings, in Hz. */
const MICROPHONE_RATE = 48_000;

/**
 * Recordings of the mouth's own loop that the lag is the mean over, each of which lies by chance.
 */
const LOOPS = 2;

/** Time of a recording beyond the measurement, in seconds. */
const SPARE_SECONDS = 30;

/** Opus without its own repetition (RFC 7587, section 7.1). @param {string} sdp */
export const withoutFec = (sdp) => sdp.replaceAll('useinbandfec=1', 'useinbandfec=0');

/**
 * RED (RFC 2198) as the first of the payload types, which is the one that is sent.
 * @param {string} sdp
 */
export function redFirst(sdp) {
  const red = /^a=rtpmap:(\d+) red\/48000/m.exec(sdp)?.[1];
  if (red === undefined) throw new Error('this Chromium offers no RED');
  return sdp.replace(/^(m=audio \S+ \S+) (.*)$/m, (_, head, types) =>
    [
      head,
      red,
      ...types
        .trim()
        .split(' ')
        .filter((/** @type {string} */ type) => type !== red),
    ].join(' '),
  );
}

/** @typedef {Condition['leg']} Leg */

/**
 * Changes to the other peer's description, for each peer of WebRTC.
 * @type {Readonly<Record<string, (sdp: string) => string>>}
 */
const TOLD = Object.freeze({
  webrtc: (sdp) => sdp,
  [NOTED]: (sdp) => sdp,
  'webrtc-red': redFirst,
  'webrtc-plain': withoutFec,
  [FORWARDED]: (sdp) => sdp,
});

const ALL_WAYS = ['aloud', ...Object.keys(TOLD), ...CONTROLLED_WAYS];

/** Ways that are measured by default. */
const WAYS = ['aloud', ...Object.keys(TOLD).filter((way) => way !== FORWARDED)];

/** The ways, each with a check for missing requirements. */
const REQUIREMENTS = Object.fromEntries(
  ALL_WAYS.map((way) => [way, { missing: way === FORWARDED ? missing : async () => null }]),
);

/**
 * Each leg's settings, by name: `bad-wifi` is the link's profile.
 * @type {Readonly<Record<string, Leg>>}
 */
const CONDITIONS = Object.freeze({
  clear: { delayMs: 20 },
  'loss-2': { delayMs: 20, lossPercent: 2 },
  'loss-5': { delayMs: 20, lossPercent: 5 },
  'loss-10': { delayMs: 20, lossPercent: 10 },
  'bad-wifi': /** @type {Leg} */ (LINK_PROFILES['bad-wifi'].settings),
  'rate-100': { delayMs: 20, rateBits: 100_000, queueMs: 300 },
  long: { delayMs: 100, lossPercent: 3 },
  'long-thin': { delayMs: 100, lossPercent: 3, rateBits: 100_000, queueMs: 300 },
});

const ALL_CONDITIONS = Object.keys(CONDITIONS);

/**
 * Conditions that are measured by default. The long ones are for controllers, which hold a voice
 * back there.
 */
const NAMES = ALL_CONDITIONS.filter((name) => !name.startsWith('long'));

/** @type {Scenario} */
export const shipped = {
  name: 'shipped',
  title: "Calls as shipped: Chromium's WebRTC and aloud's page",
  description:
    "Chromium to Chromium by its own WebRTC, and by aloud's page and server: mouth to ear, " +
    'what is heard, and its marks',
  quantities: Object.values(SHIPPED_QUANTITIES),
  lacks: ['transports', 'warmUp'],
  defaults: {
    duration: 100,
    repetitions: 5,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
    browser: true,
  },
  addOptions: (command) => {
    command
      .option(
        '--ways <list>',
        `of ${ALL_WAYS.join(', ')}, separated by commas`,
        listOf(ALL_WAYS),
        WAYS,
      )
      .option(
        '--conditions <list>',
        `of ${ALL_CONDITIONS.join(', ')}, separated by commas`,
        listOf(ALL_CONDITIONS),
        NAMES,
      )
      .option(
        '--settle <seconds>',
        'in which delays find their place, from the impairment to each block',
        wholeNumber(EARLY_SECONDS, 600),
        20,
      )
      .addHelpText(
        'after',
        '\nIt stands for the audio that Paterson (2022) and Abelló Lozano (2012) left out, ' +
          'where they have WebRTC: loss and rate (figures 6.6 and 6.10 and tables A.3 and A.9; ' +
          'tables 1 and 2).\n' +
          'rate-100 stands for section 5.3 of RFC 8867, "Congested Feedback Link with ' +
          'Bi-directional Media Flows", and bad-wifi for the "Wi-Fi Networks Specific Test ' +
          'Cases" of RFC 8869.\naloud@cubic and its like: Chromium\'s congestion controller ' +
          'of that name, read back from its NetLog, for --conditions long,long-thin; ' +
          'the controllers of Baldassin et al. (2024), with a browser, on longer paths.',
      );
  },

  async measure(lab) {
    const { ways: asked, conditions, repetitions } = /** @type {any} */ (lab.options);
    const ways = await usableOf(lab, REQUIREMENTS, asked, 'ways');
    const star = await starOf(lab.link, 2);
    await lab.startServer();
    const ear = await startBrowser(lab, star.legs[1]);
    const browsers = { mouth: /** @type {BrowserClients} */ (lab.clients), ear };
    const forwarder = ways.includes(FORWARDED) ? new Child(FORWARDER, star.hub) : null;
    try {
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const speaker = SPEAKERS[repetition % SPEAKERS.length];
        const ground = {
          star,
          browsers,
          forwarder,
          voice: { speaker, speech: await readSpeaker(speaker, MICROPHONE_RATE) },
        };
        for (const [i, condition] of conditions.entries()) {
          for (const turn of ways.keys()) {
            const way = ways[(turn + repetition) % ways.length];
            lab.progress(
              `${way}, ${condition}, ${repetition + 1} of ${repetitions}`,
              (repetition + (i + turn / ways.length) / conditions.length) / repetitions,
            );
            await measureBlock(lab, ground, { way, condition, repetition });
          }
        }
      }
    } finally {
      await Promise.all([ear.close(), forwarder?.close()]);
    }
  },

  result(folder, options) {
    const calls = {
      ways: options.ways,
      conditions: options.conditions,
      random: randomFor(options),
    };
    return {
      title: shipped.title,
      summary:
        'Two Chromiums, each in a namespace of its own with a leg of its own to a hub. ' +
        "One's microphone says a voice of some 10 s, another in each repetition; what comes " +
        "out of the other's page is recorded. Chromium's WebRTC goes from peer to peer, or " +
        'through a forwarder in the hub; aloud goes through its server, which is in the hub.',
      headlines: [],
      tables: shippedTables(folder, calls),
      plots: shippedPlots(folder, calls),
      notes: [
        'As shipped and same payload are two questions. Here each way has its own codec ' +
          'settings, repetitions, playout and concealment: what people get. `sweep` and ' +
          '`ways` carry the same packets and have the same playout: what the transport ' +
          "does. Rows of the one don't stand beside rows of the other.",
        'Conditions, of each leg in both directions: clear, 20 ms; loss-2, loss-5, loss-10, ' +
          '20 ms and so many percent lost at random, so end to end 4, 9.8 and 19 %; ' +
          "bad-wifi, the link's profile of that name; rate-100, 20 ms and 100 kbit/s with a " +
          'queue of 300 ms; long, 100 ms and 3 % lost; long-thin, that with 100 kbit/s and ' +
          'a queue of 300 ms. Each block: connected on legs that have their delay alone, ' +
          'then impaired, then time to settle (--settle), then what counts.',
        "aloud: its defaults. webrtc: Chromium's defaults, Opus with in-band FEC; " +
          'webrtc-frames: that, with its frames noted; webrtc-red: RED as the first payload ' +
          "type; webrtc-plain: useinbandfec=0; webrtc-forwarded: Chromium's defaults, " +
          "through a forwarder of node-datachannel's in the hub, which hands on packets of " +
          "RTP and RTCP as they are, so that each browser has the other's reports of what " +
          'came over both legs. Descriptions go from peer to peer beside the link. ' +
          "Microphones aren't processed, in either; both sides have theirs open, and one " +
          'direction is measured.',
        "Mouth to ear is beyond the browser's own loop, as in `mouth-to-ear`: the lag of " +
          "what the ear's page plays behind what the mouth's browser plays of the " +
          "microphone alone. The ear's recorder is in an audio context; an element that " +
          'plays a track without one may be some milliseconds sooner.',
        'What was heard of each call under each condition in the first repetition is in ' +
          'recordings/, for `survey`: the first 8 s of an utterance.',
        "ViSQOL and ESTOI: each whole utterance that was heard, beside the voice's file; it " +
          'begins 2 s before what counts at the earliest, so that a block of 20 s has one; ' +
          'R: from ViSQOL and mouth to ear. R is 0 where half a second of the speech was ' +
          'found nowhere. Three estimates, and nobody was asked. ESTOI aligns an utterance ' +
          'once, so a playout whose delay moves within it has less of it than people would notice.',
        VISQOL_SOURCE,
        'Made up: what each counts itself. Chromium: concealed samples of all that came ' +
          "out. aloud: frames that the server's decoder and the listener's made up, " +
          'together; pauses, and gaps that go on, count as silence and not as made up. ' +
          "Waits: NetEq's mean delay of what it gave out; aloud's playout delay at the " +
          "block's end, beside which its server holds sound too.",
        "Sent, up: all that leaves the mouth's browser. Under loss WebRTC also sends " +
          "padding, by which it probes the path: in some blocks several times the sound's " +
          'own rate. `headerBytesSent` of its statistics holds it.',
        'Frames of WebRTC (webrtc-frames): encoded transforms, in a worker of each page, ' +
          'note when the encoder gave a frame, by its RTP timestamp, and when it came to ' +
          'the other browser, before NetEq. Empty packets, by which Chromium probes the ' +
          "path, don't count, nor do frames of a block's last 1.5 s. A frame that only FEC " +
          "brought didn't arrive, and isn't made up. With a transform each frame takes a " +
          'step to a worker and back, at both ends; on a busy machine NetEq waits longer ' +
          'than without, so the other rows have none.',
        'Frames of aloud are those on the way to its server: sent and arrived by the ' +
          "packets' own numbers, as the server counts them; pauses aren't sent. Age: from a " +
          "frame's end, on the server's clock as the page knows it, to the arrival of its " +
          "packet; WebRTC's is from the encoder on. Present: there when mixed, by a later " +
          "packet's repetition too.",
        "aloud@cubic, @newreno, @bbr, @bbr2 and @prague: each block in a mouth's Chromium " +
          'of its own, started with that congestion controller, whose name is then read ' +
          "from its NetLog. A block with another controller, or with a NetLog that can't be " +
          "read, doesn't count. It is the controller of the page's uplink; the server has its own.",
        'Both browsers are on one machine of few cores: their processor time stands beside ' +
          'the figures.',
        ...worldNotes(options),
      ],
    };
  },
};

/** @param {Lab} lab @param {Link} leg @param {readonly string[]} [more]  arguments of Chromium */
async function startBrowser(lab, leg, more) {
  const browser = await BrowserClients.start({
    chromium: String(findChromium()),
    client: leg.client,
    server: leg.server,
    more,
  });
  await browser.call('open', { origin: lab.originAt(leg) });
  return browser;
}

/** @param {Lab} lab @param {Ground} ground @param {Block} block */
async function measureBlock(lab, ground, block) {
  const { way, condition, repetition } = block;
  for (let tries = 1; ; tries++) {
    const fromMs = lab.folder.elapsedMs;
    const { fault, figures, utterance } = await runWith(lab, ground, block).catch((error) => ({
      fault: error.message,
      figures: null,
      utterance: null,
    }));
    lab.signal.throwIfAborted();
    if (figures && !fault) return recordBlock(lab.folder, block, { figures, utterance });
    lab.folder.warn(
      `${way}, ${condition}, repetition ${repetition + 1}, try ${tries} doesn't count: ${fault}`,
    );
    if (tries === TRIES || !lab.mayRepeat(fromMs)) return;
  }
}

/**
 * Records a block's figures, and keeps its heard sound.
 * @param {Pick<RunFolder, 'path' | 'record' | 'elapsedMs'>} folder @param {Block} block
 * @param {{ figures: Record<string, number>, utterance: Float32Array | null }} outcome
 */
export async function recordBlock(folder, { way, condition, repetition }, { figures, utterance }) {
  for (const [name, value] of Object.entries(figures)) {
    folder.record(SHIPPED_QUANTITIES[name].name, {
      protocol: way,
      repetition,
      client: 'ear',
      atMs: folder.elapsedMs,
      value,
      factors: { condition },
    });
  }
  if (utterance)
    await keepSound(
      folder,
      { name: `${way} ${condition}`, repetition },
      { said: utterance, sound: utterance, mouthToEarMs: 0 },
    );
}

/**
 * A block of a way that names a controller has its own mouth's browser, with this controller.
 * @param {Lab} lab @param {Ground} ground @param {Block} block
 * @returns {ReturnType<typeof runBlock>}
 */
async function runWith(lab, ground, block) {
  const [, controller] = block.way.split('@');
  if (controller === undefined) return runBlock(lab, ground, block);
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-net-log-'));
  try {
    const log = join(scratch, 'net-log.json');
    const mouth = await startBrowser(
      lab,
      ground.star.legs[0],
      controllerArguments(controller, log),
    );
    const outcome = await runBlock(
      lab,
      { ...ground, browsers: { ...ground.browsers, mouth } },
      block,
    ).finally(() => mouth.close());
    return {
      ...outcome,
      fault: outcome.fault ?? controllerFault(controller, await readFile(log, 'utf8')),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {Lab} lab @param {Ground} ground @param {Block} block
 * @returns {Promise<{ fault: string | null, figures: Record<string, number>, utterance:
 *   Float32Array | null }>} fault: why the block isn't to be trusted; utterance: as of
 *   heardFigures()
 */
async function runBlock(
  lab,
  { star, browsers, forwarder, voice: { speaker, speech } },
  { way, condition, repetition },
) {
  const { settle, seed } = /** @type {any} */ (lab.options);
  const room = `shipped-${Math.round(lab.folder.elapsedMs)}`;
  const own = () =>
    TOLD[way]
      ? browsers.ear.call('statsOf', { id: 'ear' })
      : aloudCounters(lab, browsers.ear, room);
  try {
    const faults = await pingFaults(star, CONDITIONS[condition]);
    await star.set({ delayMs: CONDITIONS[condition].delayMs ?? 0 });
    await browsers.mouth.say(speakerFile(speaker));
    await connect(
      { star, browsers, forwarder },
      { way, room, recordSeconds: settle + lab.blockSeconds + SPARE_SECONDS },
    );
    await star.seedAnew([star.legs], seedOfRepetition(seed, repetition));
    await star.set(CONDITIONS[condition]);
    await lab.wait(settle);
    await Promise.all([
      lab.server.call('begin'),
      ...star.legs.map((leg) => leg.reset()),
      ...Object.values(browsers).map((browser) => browser.call('note')),
    ]);
    const [before, fromMs] = [await own(), sharedMs(performance.now())];
    await lab.wait(lab.blockSeconds);
    const [after, toMs] = [await own(), sharedMs(performance.now())];
    const stats = /** @type {LinkStats[]} */ (
      await Promise.all(star.legs.map((leg) => leg.stats()))
    );
    const cpuPercents = await Promise.all(
      Object.values(browsers).map(async (browser) => (await browser.call('take')).cpuPercent),
    );
    for (const cpuPercent of cpuPercents) lab.tellGenerator([], cpuPercent);
    const [mouth, ear] = await Promise.all(
      ['mouth', 'ear'].map((id) =>
        browsers[/** @type {'mouth' | 'ear'} */ (id)].call('recording', { id }),
      ),
    );
    const wrong = [
      ...faults,
      ...stats.map((of) => wrongWith(of, { leg: CONDITIONS[condition] })),
    ].find((what) => what !== null);
    const span = { fromMs, toMs };
    const { figures, utterance } = heardFigures({ ear, loops: mouth.loops, speech, ...span });
    return {
      fault: wrong === undefined ? null : `a leg: ${wrong}`,
      figures: {
        ...figures,
        ...(TOLD[way] ? peerFigures(before, after) : aloudFigures(before, after)),
        ...(mouth.frames && frameFigures(mouth.frames.sent, ear.frames.received, span)),
        ...(TOLD[way]
          ? {}
          : uplinkFigures(before.source, after.source, await notesOfMouth(lab), span)),
        rate: (stats[0].up.arrived.bytes * 8) / 1000 / stats[0].seconds,
        cpu: cpuPercents[0] + cpuPercents[1],
      },
      utterance,
    };
  } finally {
    await star.clear();
    for (const [id, browser] of Object.entries(browsers))
      await browser.call('stopListening', { id }).catch(() => {});
  }
}

/** Pings of each leg, before it is used. */
const PINGS = Object.freeze({ count: 5, intervalMs: 20, bytes: PING_BYTES });

/**
 * Sets each leg as a condition has it, and checks its delay and rate by pings. With jitter the
 * least round trip is unknown.
 * @param {Star} star @param {Leg} settings
 * @returns {Promise<(string | null)[]>} fault of each leg
 */
async function pingFaults(star, settings) {
  const { up, ...both } = /** @type {any} */ (settings);
  const { delayMs = 0, rateBits = 0, jitterMs } = { ...both, ...up };
  if (jitterMs) return [];
  await star.set(settings);
  const wanted = { roundTripMs: 2 * delayMs, rateKbits: rateBits / 1000, lossPercent: 0 };
  const pings = await Promise.all(star.legs.map((leg) => leg.ping(PINGS)));
  await star.clear();
  return pings.map((ping) => faultOfPing(wanted, ping));
}

/**
 * Connects mouth and ear, both with open microphones.
 * @param {Pick<Ground, 'star' | 'browsers' | 'forwarder'>} ground
 * @param {{ way: string, room: string, recordSeconds: number }} call
 */
async function connect({ star, browsers: { mouth, ear }, forwarder }, { way, ...call }) {
  const told = TOLD[way];
  const common = {
    ...call,
    transport: 'webtransport',
    speaks: false,
    device: true,
    isPeer: told !== undefined,
    notesFrames: way === NOTED,
  };
  await mouth.call('listen', { ...common, id: 'mouth', loops: LOOPS });
  await ear.call('listen', { ...common, id: 'ear' });
  if (!told) return;
  const tell = async (
    /** @type {BrowserClients} */ browser,
    /** @type {string} */ id,
    /** @type {any} */ description,
  ) =>
    browser.call('signal', {
      id,
      description: description && { ...description, sdp: told(description.sdp) },
    });
  const toForwarder = async (
    /** @type {BrowserClients} */ browser,
    /** @type {string} */ id,
    /** @type {Link} */ { server },
  ) => {
    const { sdp: offer } = await tell(browser, id, null);
    await tell(browser, id, {
      type: 'answer',
      sdp: await forwarder?.call('answer', { from: id, host: server.address, offer }),
    });
  };
  if (way === FORWARDED)
    return void (await Promise.all([
      toForwarder(mouth, 'mouth', star.legs[0]),
      toForwarder(ear, 'ear', star.legs[1]),
    ]));
  const offer = await tell(mouth, 'mouth', null);
  await tell(mouth, 'mouth', await tell(ear, 'ear', offer));
}

/** @param {Lab} lab @param {BrowserClients} browser @param {string} room */
async function aloudCounters(lab, browser, room) {
  const [{ detail }, { people }] = await Promise.all([
    browser.call('statsOf', { id: 'ear' }),
    lab.server.call('room', { room }),
  ]);
  return {
    playout: detail.playout,
    source: people.find((/** @type {{ name: string }} */ { name }) => name === 'mouth').stats,
  };
}

/** The server's notes of the mouth's packets. @param {Lab} lab */
async function notesOfMouth(lab) {
  const [{ arrivals, originMs }, { frameMs }] = await Promise.all([
    lab.server.call('collect'),
    lab.format(),
  ]);
  return {
    originMs,
    frameMs,
    arrivals: arrivals.filter((/** @type {{ name: string }} */ { name }) => name === 'mouth'),
  };
}
