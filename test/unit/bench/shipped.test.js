import { describe, expect, it } from 'vitest';
import { checkResult } from '../../../bench/report/result.js';
import { aloudFigures, heardFigures, peerFigures } from '../../../bench/scenarios/comparisons/shipped-figures.js';
import { SHIPPED_QUANTITIES } from '../../../bench/scenarios/comparisons/shipped-result.js';
import { redFirst, shipped, withoutFec } from '../../../bench/scenarios/comparisons/shipped.js';
import { readSpeech } from '../../../bench/participants/speech.js';
import { utterancesIn } from '../../../bench/stats/sound-lag.js';

const SDP = [
  'v=0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9', 'a=rtpmap:111 opus/48000/2', 'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:63 red/48000/2', 'a=fmtp:63 111/111', 'a=rtpmap:9 G722/8000', '',
].join('\r\n');

describe('what a peer is told of the other', () => {
  it('leaves out FEC, or has RED first, and changes nothing else', () => {
    expect(withoutFec(SDP)).toBe(SDP.replace('useinbandfec=1', 'useinbandfec=0'));
    expect(redFirst(SDP)).toBe(SDP.replace('111 63 9\r', '63 111 9\r'));
    expect(() => redFirst(SDP.replace('red/', 'blue/'))).toThrow('no RED');
  });
});

describe('what each side counts', () => {
  it('of WebRTC is the difference of its counters', () => {
    const before = { concealedSamples: 100, totalSamplesReceived: 1000, jitterBufferDelay: 5, jitterBufferEmittedCount: 100 };
    const after = { concealedSamples: 200, totalSamplesReceived: 3000, jitterBufferDelay: 15, jitterBufferEmittedCount: 300 };
    expect(peerFigures(before, after)).toEqual({ madeUp: 5, waits: 50 });
  });

  it("of aloud is the server's and the listener's together", () => {
    const before = { playout: { played: 10, concealed: 1, delayMs: 90 }, source: { received: 5, recovered: 5, concealed: 5 } };
    const after = { playout: { played: 100, concealed: 11, delayMs: 40 }, source: { received: 75, recovered: 25, concealed: 15 } };
    const { madeUp, waits } = aloudFigures(before, after);
    expect(madeUp).toBeCloseTo(100 * (1 - 0.9 * 0.9));
    expect(waits).toBe(40);
  });
});

describe('what was heard', async () => {
  const sampleRate = 16_000;
  const speech = await readSpeech(sampleRate);
  const said = (/** @type {number} */ seconds, /** @type {number} */ fromSample = 0) =>
    Float32Array.from({ length: seconds * sampleRate }, (_, i) => speech[(i + fromSample) % speech.length]);

  it('holds the utterances that are whole, each with its surroundings', () => {
    const phase = 3 * sampleRate;
    const found = utterancesIn(said(20, phase), speech, 800);
    expect(found).toHaveLength(2);
    for (const utterance of found) {
      expect(utterance).toHaveLength(speech.length + 1600);
      expect(utterance.subarray(800, 800 + speech.length)).toEqual(speech);
    }
    expect(utterancesIn(said(10), speech, 800)).toEqual([]);
  });

  /** Heard 150 ms later than it is played by the browser alone; `spoil` changes the sound. @param {(samples: Float32Array) => void} spoil */
  const figures = (spoil) => {
    const samples = said(16);
    spoil(samples);
    return heardFigures({ ear: { samples, startMs: 1150, sampleRate }, loops: [{ samples: said(16), startMs: 1000, sampleRate }], speech, fromMs: 2000, toMs: 16_500 });
  };

  it('is marked, and timed against what the browser plays by itself', () => {
    const whole = figures(() => {});
    expect(whole.mouthToEar).toBeCloseTo(150, 1);
    expect(whole.visqol).toBeCloseTo(5, 1);
    const gaps = figures((samples) => {
      for (let at = 0; at < samples.length; at += sampleRate / 2) samples.fill(0, at, at + sampleRate / 10);
    });
    for (const mark of /** @type {const} */ (['visqol', 'estoi', 'rating'])) expect(gaps[mark], mark).toBeLessThan(whole[mark]);
  });

  it('is nothing where nothing of the speech is found', () => {
    const { estoi, ...rest } = figures((samples) => void samples.fill(0));
    expect(rest).toEqual({ mouthToEar: Infinity, visqol: 1, rating: 0 });
    expect(Math.abs(estoi)).toBeLessThan(0.01);
  });
});

it('a run of which only a part was measured has a result all the same', () => {
  const samples = (/** @type {string} */ name) => (name === 'waits' ? [] : ['aloud', 'webrtc'].flatMap((protocol, place) => Array.from({ length: 5 }, (_, repetition) => (
    { protocol, repetition, client: 'ear', atMs: repetition, value: 100 - 10 * place + repetition / 10, factors: { condition: 'clear' } }))));
  const result = checkResult(shipped.result({ samples }, { ways: ['aloud', 'webrtc', 'webrtc-red'], conditions: ['loss-2', 'clear'], seed: 1, settle: 20 }));
  const [order, figures] = result.tables;
  expect(order.rows).toEqual([['clear', "1. aloud's page over WebTransport; 2. WebRTC in Chromium"]]);
  expect(figures.rows.map(([condition, way, ...cells]) => [condition, way, cells.length])).toEqual([
    ['clear', "aloud's page over WebTransport", Object.keys(SHIPPED_QUANTITIES).length], ['clear', 'WebRTC in Chromium', Object.keys(SHIPPED_QUANTITIES).length],
  ]);
});
