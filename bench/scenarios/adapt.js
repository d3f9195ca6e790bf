/**
 * The bit rate of a broadcast's listener whose way becomes narrow, and wide again: each rule by itself, on the same way.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity, Table } from '../report/result.js'
 */

import { InvalidArgumentError, Option } from 'commander';
import { NEARNESS } from '../../public/shared/nearness.js';
import { Stream } from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/rates.js';
import { listOf, wholeNumber } from '../options.js';
import { Child, CLIENT, sharedMs } from '../participants/child.js';
import { soundingMixes } from '../stats/call-figures.js';
import { mean, quantile, sorted } from '../stats/statistics.js';
import { targetsTable } from './targets.js';

const RULES = Object.freeze(['probe', 'simple', 'static', 'basic']);

/** The base delay of the way, and the longest wait for its rate, in milliseconds: an access link's. */
const DELAY_MS = 20;
const QUEUE_MS = 300;

/** Time in which a listener comes to the way's rate before the block, in seconds. */
const SETTLE_SECONDS = 12;

/** Targets of the rule `probe`: the longest gap once the rate has followed, and how soon it is back. */
const GAP_MS = 60;
const BACK_SECONDS = 15;

/** The time after a change of the way in which a rate follows, in seconds: what is missed meanwhile is told by itself. */
const FOLLOW_SECONDS = 3;

const factors = [{ name: 'rule', label: 'Rule', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  rate: { name: 'rate', label: 'Bit rate of the sound', unit: 'kbit/s', factors },
  changes: { name: 'changes', label: 'Changes of the rate', unit: '', factors },
  back: { name: 'back', label: 'Time until the rate is back', unit: 's', factors },
  fall: { name: 'fall', label: 'Longest gap as the way becomes narrow', unit: 'ms', factors },
  gap: { name: 'gap', label: 'Longest gap otherwise', unit: 'ms', factors },
  missed: { name: 'missed', label: 'Frames with sound that were never heard', unit: '%', factors },
  delay: { name: 'behind', label: 'Behind the speaker', unit: 'ms', factors },
};

/** @param {string} text  '200x20,40x20,200x25': kilobits a second for so many seconds */
function trajectoryOf(text) {
  const parts = text.split(',').map((part) => /^(\d{1,5})x(\d{1,3})$/.exec(part.trim()));
  if (parts.length !== 3 || parts.some((part) => part === null)) throw new InvalidArgumentError("'200x20,40x20,200x25' has the form: a wide way, a narrow one, a wide one, in kb/s for so many seconds");
  return parts.map((part) => ({ bps: 1000 * Number(part?.[1]), seconds: Number(part?.[2]) }));
}

/** @type {Scenario} */
export const adapt = {
  name: 'adapt',
  title: 'A rate for each way',
  description: "the bit rate of a broadcast's listener whose way becomes narrow and wide again, by the server's rule",
  quantities: Object.values(quantities),
  defaults: { duration: 65, repetitions: 1, format: 'call', transports: ['webtransport'], link: 'clear' },
  addOptions: (command) => {
    command
      .option('--rules <list>', 'by commas', listOf(RULES), [...RULES])
      .option('--trajectory <list>', 'a wide way, a narrow one and a wide one, as kb/s for so many seconds', trajectoryOf, trajectoryOf('200x20,40x20,200x25'))
      .option('--queue-ms <ms>', 'the longest that a packet waits for the rate', wholeNumber(20, 5000), QUEUE_MS)
      .addOption(new Option('--choice <name>', 'how near the listener is').choices([...NEARNESS]).default('conversation'));
  },

  async measure(lab) {
    const { rules, repetitions } = /** @type {any} */ (lab.options);
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const rule of rules) {
        lab.progress(rule, done++ / (repetitions * rules.length));
        await follow(lab, rule, repetition);
      }
    }
  },

  result(folder, { rules, trajectory, queueMs, choice }) {
    const words = trajectory.map((/** @type {{ bps: number, seconds: number }} */ { bps, seconds }) => `${bps / 1000} kb/s for ${seconds} s`).join(', ');
    return {
      title: adapt.title,
      summary: `One person speaks at the end of the server; one listener (${choice}), whose way has ${DELAY_MS} ms and carries ${words}. A packet that would wait for more than ${queueMs} ms is dropped.`,
      headlines: [],
      tables: [targetsTable(rules.includes('probe') ? targetsOf(folder) : []), tableOf(folder, rules)],
      plots: [],
      notes: [
        "Gap: the time between the decoding of two frames with sound for the output, one after the other, less a frame and the speaker's pause between them. What a decoder makes up counts as a gap.",
        `As the way becomes narrow: within ${FOLLOW_SECONDS} s after it.`,
        'Back: from the moment when the way is wide again to the first packet of the rate that the listener had before it became narrow.',
        'Behind the speaker: from the first sample of a frame at the microphone to its decoding for the output.',
      ],
    };
  },
};

/** @param {Lab} lab @param {string} rule @param {number} repetition */
async function follow(lab, rule, repetition) {
  const { trajectory: [wide, narrow, again], queueMs, choice } = /** @type {any} */ (lab.options);
  const argv = ['--delivery', 'tick', '--broadcast', '--listener-rule', rule, '--listener-bitrate', String(RATES[RATES.length - 1]), '--no-silence-suppression'];
  const { origin } = await lab.serve(argv, 'mixes');
  const branch = await lab.link.branch({ profile: 'clear', parameters: { delayMs: DELAY_MS, down: { rateBits: wide.bps, queueMs } } });
  const speaker = new Child(CLIENT, lab.link.server.exec);
  const listener = new Child(CLIENT, branch.client.exec);
  try {
    await speaker.call('open', { origin });
    const common = { transport: 'webtransport', room: 'hall', recordSeconds: 0 };
    await speaker.call('listen', { ...common, id: 'speaker', speaks: true, periodMs: 2.5 });
    await listener.call('open', { origin: lab.originAt(branch) });
    await listener.call('listen', { ...common, id: 'listener', speaks: false, nearness: choice });
    await lab.wait(SETTLE_SECONDS);
    await lab.server.call('begin');
    await listener.call('noteWires');
    const startMs = lab.folder.elapsedMs;
    await lab.wait(wide.seconds);
    const narrowMs = sharedMs(performance.now());
    await branch.set({ down: { rateBits: narrow.bps } });
    await lab.wait(narrow.seconds);
    const againMs = sharedMs(performance.now());
    await branch.set({ down: { rateBits: again.bps } });
    await lab.wait(again.seconds);
    const { people: [notes], cpuPercent } = await listener.call('takeWires');
    const { originMs, states } = await lab.server.call('collect');
    const sounding = soundingMixes(states);
    const { frameMs } = await lab.format();
    lab.tellGenerator([], cpuPercent);
    /** @param {Quantity} quantity @param {number} value */
    const add = ({ name }, value) => lab.folder.record(name, { protocol: 'webtransport', repetition, client: 'listener', atMs: startMs, value, factors: { rule } });
    record(add, notes, { sounding, originMs, frameMs, narrowMs, againMs });
  } finally {
    await speaker.close();
    await listener.close();
  }
}

/**
 * @param {(quantity: Quantity, value: number) => void} add
 * @param {{ played: { frame: number, atMs: number }[], received: { frame: number, stream: number, sounding: number[], atMs: number }[] }} notes
 * @param {{ sounding: Set<number>, originMs: number, frameMs: number, narrowMs: number, againMs: number }} times
 */
function record(add, { played, received }, { sounding, originMs, frameMs, narrowMs, againMs }) {
  const rates = received.map(({ stream }) => RATES[stream - Stream.layers] / 1000);
  received.forEach(({ sounding: frames }, i) => frames.forEach(() => add(quantities.rate, rates[i])));
  add(quantities.changes, rates.filter((rate, i) => i > 0 && rate !== rates[i - 1]).length);
  const before = rates[received.findLastIndex(({ atMs }) => atMs < narrowMs)];
  const back = received.find(({ atMs }, i) => atMs >= againMs && rates[i] >= before);
  if (back) add(quantities.back, (back.atMs - againMs) / 1000);
  let [fall, gap] = [0, 0];
  // Frames that prepare a decoder were heard before.
  const heard = played.filter(({ frame }, i) => i === 0 || frame > played[i - 1].frame);
  for (let i = 1; i < heard.length; i++) {
    const { frame, atMs } = heard[i - 1];
    let silentMs = 0;
    for (let between = frame + 1; between < heard[i].frame; between++) if (!sounding.has(between)) silentMs += frameMs;
    const ms = heard[i].atMs - atMs - frameMs - silentMs;
    if (atMs >= narrowMs - frameMs && atMs < narrowMs + 1000 * FOLLOW_SECONDS) fall = Math.max(fall, ms);
    else gap = Math.max(gap, ms);
  }
  add(quantities.fall, fall);
  add(quantities.gap, gap);
  const frames = new Set(played.map(({ frame }) => frame));
  const due = [...sounding].filter((frame) => frame > heard[0].frame && frame < heard[heard.length - 1].frame);
  add(quantities.missed, (100 * due.filter((frame) => !frames.has(frame)).length) / due.length);
  for (const { frame, atMs } of heard) add(quantities.delay, atMs - (originMs + frame * frameMs));
}

/** @param {Samples} folder @param {string} rule @param {Quantity} quantity */
const valuesOf = (folder, rule, { name }) => folder.samples(name).filter(({ factors: its }) => its?.rule === rule).map(({ value }) => value);

/** @param {Samples} folder @returns {Target[]} */
function targetsOf(folder) {
  const [gaps, falls, backs] = [quantities.gap, quantities.fall, quantities.back].map((quantity) => sorted(valuesOf(folder, 'probe', quantity)));
  return [
    { what: 'Rule probe: longest gap, but as the way becomes narrow', limit: GAP_MS, reached: quantile(gaps, 1), unit: 'ms', digits: 0, why: `as it becomes narrow: ${quantile(falls, 1).toFixed(0)} ms` },
    { what: 'Rule probe: the rate is back', limit: BACK_SECONDS, reached: backs.length < gaps.length ? Infinity : quantile(backs, 1), unit: 's', digits: 1 },
  ];
}

/** @param {Samples} folder @param {readonly string[]} rules @returns {Table} */
function tableOf(folder, rules) {
  const rows = rules.map((rule) => {
    const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, rule, quantity);
    const rates = of(quantities.rate);
    const share = (/** @type {number} */ bps) => (100 * rates.filter((rate) => rate === bps / 1000).length) / rates.length;
    const delays = sorted(of(quantities.delay));
    return [
      rule, ...RATES.map(share), mean(of(quantities.changes)), of(quantities.back).length > 0 ? mean(of(quantities.back)) : null, mean(of(quantities.fall)), mean(of(quantities.gap)), mean(of(quantities.missed)),
      quantile(delays, 0.5), quantile(delays, 0.99),
    ];
  });
  const ms = { unit: 'ms', digits: 0 };
  const columns = [
    { label: 'Rule' }, ...RATES.map((rate) => ({ label: `At ${rate / 1000} kb/s`, unit: '% of the frames', digits: 0 })), { label: 'Changes', digits: 1 }, { label: 'Back after', unit: 's', digits: 1 },
    { label: 'Gap as it narrows', ...ms }, { label: 'Gap otherwise', ...ms }, { label: 'Never heard', unit: '% of the frames', digits: 2 }, { label: 'Behind, median', ...ms }, { label: 'p99', ...ms },
  ];
  return { name: 'adapt', title: 'What each rule makes of the way', columns, rows };
}
