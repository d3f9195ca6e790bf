import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkResult } from '../../report/result.js';
import {
  aloudFigures,
  frameFigures,
  heardFigures,
  peerFigures,
  uplinkFigures,
} from '../../scenarios/comparisons/shipped-figures.js';
import { recordBlock, redFirst, shipped, withoutFec } from '../../scenarios/comparisons/shipped.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { utterancesIn } from '../../../testkit/sound/sound-lag.js';
import { parseWav } from '../../../testkit/sound/wav.js';
import { makeSurvey, readKey } from '../../survey/survey.js';

const SDP = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:63 red/48000/2',
  'a=fmtp:63 111/111',
  'a=rtpmap:9 G722/8000',
  '',
].join('\r\n');

describe('what a peer is told of the other', () => {
  it('leaves out FEC, or has RED first, and changes nothing else', () => {
    expect(withoutFec(SDP)).toBe(SDP.replace('useinbandfec=1', 'useinbandfec=0'));
    expect(redFirst(SDP)).toBe(SDP.replace('111 63 9\r', '63 111 9\r'));
    expect(() => redFirst(SDP.replace('red/', 'blue/'))).toThrow('no RED');
  });
});

/** A source's counters before anything came. */
const NOTHING = {
  received: 0,
  recovered: 0,
  concealed: 0,
  late: 0,
  lost: 0,
  early: 0,
  dropped: { past: 0 },
};

describe('frames on the way', () => {
  const span = { fromMs: 1000, toMs: 4500 };
  const sent = Array.from({ length: 200 }, (_, i) => ({
    timestamp: (0xffff_f000 + 960 * i) % 2 ** 32,
    atMs: 500 + 20 * i,
  }));
  const come = (/** @type {(i: number) => number} */ age) =>
    sent
      .map(({ timestamp, atMs }, i) => ({ timestamp, atMs: atMs + age(i) }))
      .filter(({ atMs }) => Number.isFinite(atMs));

  it('of WebRTC are those that were sent in the block, and had time to come', () => {
    // Each tenth of the frames 25 to 124, sent from 1000 to 2980 ms, is lost, and one is late.
    const received = come((i) => (i % 10 === 0 ? Infinity : i === 99 ? 300 : 40));
    const { arrived, ...figures } = frameFigures(sent, received, span);
    expect(figures).toMatchObject({ sent: 50, ageP50: 40, ageP99: expect.closeTo(68.6) });
    expect(arrived).toBe(90);
    expect(frameFigures(sent, [], span)).toEqual({
      sent: 50,
      arrived: 0,
      ageP50: Infinity,
      ageP99: Infinity,
    });
  });

  it("of aloud are the server's, by the packets' own numbers", () => {
    const before = { ...NOTHING, received: 100, recovered: 10, lost: 10 };
    const after = {
      ...NOTHING,
      received: 179,
      recovered: 26,
      lost: 30,
      late: 3,
      early: 1,
      dropped: { past: 2 },
    };
    const arrivals = [10, 60, 61].map((frame, i) => ({
      frame,
      atMs: 100 + (frame + 1) * 20 + 30 * (i + 1),
    }));
    expect(uplinkFigures(before, after, { arrivals, originMs: 100, frameMs: 20 }, span)).toEqual({
      sent: 30,
      arrived: expect.closeTo((100 * 85) / 105),
      present: expect.closeTo((100 * 95) / 105),
      ageP50: 75,
      ageP99: expect.closeTo(89.7),
    });
    expect(
      uplinkFigures(
        before,
        { ...before, lost: 20, recovered: 30 },
        { arrivals: [], originMs: 100, frameMs: 20 },
        span,
      ),
    ).toMatchObject({ arrived: 0, present: 100, ageP50: Infinity });
  });
});

describe('what each side counts', () => {
  it('of WebRTC is the difference of its counters', () => {
    const before = {
      concealedSamples: 100,
      totalSamplesReceived: 1000,
      jitterBufferDelay: 5,
      jitterBufferEmittedCount: 100,
    };
    const after = {
      concealedSamples: 200,
      totalSamplesReceived: 3000,
      jitterBufferDelay: 15,
      jitterBufferEmittedCount: 300,
    };
    expect(peerFigures(before, after)).toEqual({ madeUp: 5, waits: 50 });
  });

  it("of aloud is the server's and the listener's together", () => {
    const before = {
      playout: { played: 10, concealed: 1, delayMs: 90 },
      source: { ...NOTHING, received: 5, recovered: 5, concealed: 5 },
    };
    const after = {
      playout: { played: 100, concealed: 11, delayMs: 40 },
      source: { ...NOTHING, received: 75, recovered: 25, concealed: 15 },
    };
    const { madeUp, waits } = aloudFigures(before, after);
    expect(madeUp).toBeCloseTo(100 * (1 - 0.9 * 0.9));
    expect(waits).toBe(40);
  });
});

describe('what was heard', async () => {
  const sampleRate = 16_000;
  const speech = await readSpeech(sampleRate);
  const said = (/** @type {number} */ seconds, /** @type {number} */ fromSample = 0) =>
    Float32Array.from(
      { length: seconds * sampleRate },
      (_, i) => speech[(i + fromSample) % speech.length],
    );

  it('holds the utterances that are whole, each with its surroundings', () => {
    const phase = 3 * sampleRate;
    const found = utterancesIn(said(20, phase), speech, 800);
    expect(found).toHaveLength(2);
    for (const { sound, at } of found) {
      expect(sound).toHaveLength(speech.length + 1600);
      expect(sound.subarray(at, at + speech.length)).toEqual(speech);
    }
    expect(utterancesIn(said(10), speech, 800)).toEqual([]);
  });

  it.each([
    ['stood still', 3 * sampleRate, 0],
    ['was silent for three utterances', 3 * speech.length, 3],
  ])('holds those after the sound %s', (_, silentSamples, silentOnes) => {
    const { length } = speech;
    const recording = new Float32Array(4 * length + silentSamples);
    recording.set(speech);
    for (let i = 1; i < 4; i++) recording.set(speech, i * length + silentSamples);
    const found = utterancesIn(recording, speech, 800).map(({ sound, at }) =>
      sound.slice(at, at + length),
    );
    const silence = new Float32Array(length);
    expect(found).toEqual([
      speech,
      ...Array.from({ length: silentOnes }, () => silence),
      speech,
      speech,
    ]);
  });

  /**
   * Heard later than it is played by the browser alone; `spoil` changes the sound.
   * @param {(samples: Float32Array) => void} spoil
   * @param {number} [fromSample]
   * @param {number} [laterMs]
   */
  const heard = (spoil, fromSample = 0, laterMs = 150) => {
    const samples = said(16, fromSample);
    spoil(samples);
    return heardFigures({
      ear: { samples, startMs: 1000 + laterMs, sampleRate },
      loops: [{ samples: said(16, fromSample), startMs: 1000, sampleRate }],
      speech,
      fromMs: 2000,
      toMs: 16_500,
    });
  };

  it('is marked, timed against the browser’s own playback, and kept from its first word', () => {
    const { figures: whole, utterance } = heard(() => {}, 5 * sampleRate);
    expect(utterance).toEqual(speech);
    expect(whole.mouthToEar).toBeCloseTo(150, 1);
    expect(whole.visqol).toBeCloseTo(5, 1);
    const { figures: gaps } = heard((samples) => {
      for (let at = 0; at < samples.length; at += sampleRate / 2)
        samples.fill(0, at, at + sampleRate / 10);
    });
    for (const mark of /** @type {const} */ (['visqol', 'estoi', 'rating']))
      expect(gaps[mark], mark).toBeLessThan(whole[mark]);
  });

  it('is as well understood where it is heard much later', () => {
    const { figures: soon } = heard(() => {}, 5 * sampleRate);
    const { figures: late } = heard(() => {}, 5 * sampleRate, 1200);
    expect(late.mouthToEar).toBeCloseTo(1200, 1);
    expect(late.estoi).toBeCloseTo(soon.estoi, 3);
    expect(late.rating).toBeLessThan(soon.rating);
  });

  it('is nothing where nothing of the speech is found', () => {
    const {
      figures: { estoi, ...rest },
      utterance,
    } = heard((samples) => void samples.fill(0));
    expect(utterance).toBeNull();
    expect(rest).toEqual({ mouthToEar: Infinity, visqol: 1, rating: 0 });
    expect(Math.abs(estoi)).toBeLessThan(0.01);
  });
});

it("a run's first repetition can be judged in a survey", async () => {
  const path = await mkdtemp(join(tmpdir(), 'aloud-shipped-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const recorded = /** @type {any[]} */ ([]);
  const folder = {
    path,
    elapsedMs: 5,
    record: (/** @type {string} */ name, /** @type {object} */ sample) =>
      void recorded.push([name, sample]),
  };
  const soundOf = (/** @type {number} */ value) => new Float32Array(10 * 48_000).fill(value);
  for (const repetition of [0, 1]) {
    for (const [i, way] of ['aloud', 'webrtc'].entries()) {
      await recordBlock(
        folder,
        { way, condition: 'loss-5', repetition },
        { figures: { rate: 80 }, utterance: soundOf((1 + i + 2 * repetition) / 8) },
      );
    }
  }
  await recordBlock(
    folder,
    { way: 'webrtc-red', condition: 'loss-5', repetition: 0 },
    { figures: { rating: 0 }, utterance: null },
  );
  expect(recorded[3]).toEqual([
    'rateUp',
    {
      protocol: 'webrtc',
      repetition: 1,
      client: 'ear',
      atMs: 5,
      value: 80,
      factors: { condition: 'loss-5' },
    },
  ]);
  const survey = await makeSurvey(path);
  const { recordings } = await readKey(path);
  const sounds = await Promise.all(
    Object.entries(recordings).map(async ([blind, name]) => ({
      name,
      samples: parseWav(await readFile(join(survey, 'sounds', `${blind}.wav`))).channels[0],
    })),
  );
  const heard = Object.fromEntries(
    sounds.map(({ name, samples }) => [name, [samples.length / 48_000, samples[0]]]),
  );
  expect(heard).toEqual({
    'aloud loss-5': [8, expect.closeTo(1 / 8, 4)],
    'webrtc loss-5': [8, expect.closeTo(2 / 8, 4)],
  });
});

it('a run of which only a part was measured has a result all the same', () => {
  const missing = ['waits', 'arrived'];
  const samples = (/** @type {string} */ name) =>
    missing.includes(name)
      ? []
      : ['aloud', 'webrtc-frames', 'aloud@bbr'].flatMap((protocol, place) =>
          Array.from({ length: 5 }, (_, repetition) => ({
            protocol,
            repetition,
            client: 'ear',
            atMs: repetition,
            value: 100 - 10 * place + repetition / 10,
            factors: { condition: 'clear' },
          })),
        );
  const result = checkResult(
    shipped.result(
      { samples },
      {
        ways: ['aloud', 'webrtc-frames', 'webrtc-red', 'aloud@bbr'],
        conditions: ['loss-2', 'clear'],
        seed: 1,
        settle: 20,
      },
    ),
  );
  const [order, figures, frames] = result.tables;
  const [aloud, webrtc, bbr] = [
    "aloud's page over WebTransport",
    'WebRTC in Chromium, with encoded transforms',
    "aloud's page over WebTransport, BBR",
  ];
  expect(order.rows).toEqual([
    [
      'clear',
      `1. ${aloud} 100.2 [100.0, 100.4]; 2. ${webrtc} 90.2 [90.0, 90.4]; 3. ${bbr} 80.2 ` +
        '[80.0, 80.4]',
    ],
  ]);
  expect(figures.rows.map(([condition, way, ...cells]) => [condition, way, cells.length])).toEqual(
    [aloud, webrtc, bbr].map((way) => ['clear', way, figures.columns.length - 2]),
  );
  expect(frames.rows.map(([, way, to, , arrived]) => [way, to, arrived])).toEqual([
    [aloud, 'the server', null],
    [webrtc, 'the other browser', null],
    [bbr, 'the server', null],
  ]);
});

describe('the result of calls', () => {
  const sample = (
    /** @type {string} */ protocol,
    /** @type {string} */ condition,
    /** @type {number} */ repetition,
    /** @type {number} */ value,
  ) => ({
    protocol,
    repetition,
    client: 'ear',
    atMs: repetition,
    value: value + (repetition % 3) / 10,
    factors: { condition },
  });
  const folderOf = (/** @type {number} */ repetitions) => {
    const ratings = Array.from({ length: repetitions }, (_, i) => [
      sample('aloud', 'clear', i, 100),
      sample('webrtc', 'clear', i, 100 + (i % 2)),
      sample('aloud', 'loss-5', i, 90),
      sample('webrtc', 'loss-5', i, 85),
    ]).flat();
    return {
      samples: (/** @type {string} */ name) => (name === 'rating' || name === 'cpu' ? ratings : []),
    };
  };
  const options = {
    ways: ['aloud', 'webrtc'],
    conditions: ['clear', 'loss-5'],
    seed: 1,
    settle: 20,
  };

  it('ends in sentences, and draws the conditions side by side', () => {
    const { tables, plots } = shipped.result(folderOf(5), options);
    checkResult({ ...shipped.result(folderOf(5), options) });
    const last = tables[tables.length - 1];
    expect(last.isConclusion).toBe(true);
    expect(last.rows).toEqual([
      [
        "R, from ViSQOL and mouth to ear: WebRTC in Chromium is lower than aloud's page " +
          'over WebTransport under loss-5 by 5.0 [5.0, 5.0].',
      ],
    ]);
    expect(plots.map(({ name, x }) => [name, x.categories])).toEqual([
      ['rating', ['clear', 'loss-5']],
    ]);
    expect(plots[0].series.map(({ points }) => points.map(([x]) => x))).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('has no sentence of few repetitions', () => {
    expect(shipped.result(folderOf(4), options).tables.at(-1)?.rows).toEqual([]);
  });
});
