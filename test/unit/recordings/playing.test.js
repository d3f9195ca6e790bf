import { describe, expect, it } from 'vitest';
import { align } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { readChapters } from '../../../public/recordings/chapter-list.js';
import { momentHash, readMoment } from '../../../public/recordings/moments.js';
import { timeText } from '../../../public/texts/units.js';
import { SegmentPlayback } from '../../../public/recordings/segment-playback.js';
import { PlaybackSpeed } from '../../../public/recordings/playback-speed.js';
import {
  joinPackets,
  LEAD_PACKETS,
  PACKET_SAMPLES,
  SEGMENT_PACKETS,
} from '../../../public/shared/wire/segment.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Chapters } from '../../../server/recording/chapters.js';
import { SampleRing } from '../../../worklets/sample-ring.js';

const codec = await loadCodec('libopus-wasm');
const { channels } = await readWav(
  new URL('../../../testkit/speech/speech-low.wav', import.meta.url),
);
const speech = Float32Array.from(
  { length: 6 * 48_000 },
  (_, i) => channels[0][i % channels[0].length],
);

/** The segments of the speech at a rate, as the server makes them. @param {number} rate */
function segmentsOf(rate) {
  const encoder = codec.createEncoder({
    sampleRate: 48_000,
    frameSamples: PACKET_SAMPLES,
    bitrate: rate,
    application: 'audio',
  });
  const segments = [];
  let packets = /** @type {Uint8Array[]} */ ([]);
  for (let packet = -LEAD_PACKETS; packet < 300; packet++) {
    const frame = Float32Array.from(
      { length: PACKET_SAMPLES },
      (_, i) => speech[packet * PACKET_SAMPLES + encoder.lookahead + i] ?? 0,
    );
    const out = new Uint8Array(1275);
    packets.push(out.slice(0, encoder.encode(frame, out, 0)));
    if (packets.length < SEGMENT_PACKETS) continue;
    segments.push(joinPackets(packets));
    packets = packets.slice(-LEAD_PACKETS);
  }
  encoder.close();
  return segments;
}

const ladder = new Map([16_000, 64_000].map((rate) => [rate, segmentsOf(rate)]));

/** A player of segments, and what comes out of it. */
function player() {
  const ring = SampleRing.create(24_000, false);
  const playback = new SegmentPlayback(codec, ring);
  playback.known(6, true);
  /** @param {number} number @param {number} [rate] */
  const take = (number, rate = 64_000) =>
    playback.take({ number, rate, segment: ladder.get(rate)?.[number] ?? new Uint8Array() });
  /** Plays for so long. @param {number} seconds */
  const play = (seconds) => {
    const out = new Float32Array(seconds * 48_000);
    let at = 0;
    while (at < out.length) {
      playback.fill(9600);
      const block = new Float32Array(480);
      const there = ring.play(block);
      out.set(block.subarray(0, there), at);
      at += 480;
    }
    return out;
  };
  return { playback, ring, take, play };
}

describe('the player of segments', () => {
  it('plays from a moment on, over a change of rate, as it was spoken', () => {
    const { playback, take, play } = player();
    playback.seek(1.25);
    [1, 2, 3, 4, 5].forEach((number) => take(number, number < 3 ? 64_000 : 16_000));
    const heard = play(3);
    expect(Math.abs(playback.seconds - 4.25)).toBeLessThan(0.01);
    expect(playback.rate).toBe(16_000);
    for (const [from, least] of [
      [0, 0.97],
      [0.6, 0.97],
      [1.6, 0.8],
    ]) {
      const { lag, correlation } = align(
        speech.subarray((1.25 + from) * 48_000, (2 + from) * 48_000),
        heard,
      );
      expect(correlation).toBeGreaterThan(least);
      expect(Math.abs(lag - from * 48_000)).toBeLessThan(20);
    }
    play(2);
    expect([playback.ended, playback.waiting]).toEqual([true, false]);
    expect(Math.abs(playback.seconds - 6)).toBeLessThan(0.05);
  });

  it('waits for a late segment and continues from there, and conceals a damaged one', () => {
    const { playback, take, play } = player();
    playback.seek(0);
    take(0);
    play(1.5);
    expect([playback.waiting, playback.missing, Math.round(playback.seconds)]).toEqual([
      true,
      1,
      1,
    ]);
    playback.take({ number: 1, rate: 64_000, segment: new Uint8Array(10) });
    take(2);
    const heard = play(2.2);
    expect(playback.waiting).toBe(true);
    expect(align(speech.subarray(2.1 * 48_000, 2.8 * 48_000), heard).correlation).toBeGreaterThan(
      0.9,
    );
    playback.close();
  });

  it('keeps no more than it must, and nothing of before', () => {
    const { playback, take } = player();
    playback.seek(3);
    for (let number = 0; number < 5; number++) take(number);
    expect([playback.has(2), playback.has(3), playback.missing]).toEqual([false, true, 5]);
    for (let number = 6; number < 500; number++) take(number);
    expect(playback.has(499)).toBe(false);
  });

  it('has room for what is asked for now, however much came of later moments', () => {
    const { playback, take } = player();
    for (let from = 900; from >= 0; from -= 20) {
      playback.seek(from);
      for (let number = from; number < from + 15; number++) take(number);
      expect([playback.missing, playback.has(from + 70)]).toEqual([from + 15, false]);
    }
  });
});

describe('the speed', () => {
  /** @param {Float32Array} pcm @param {number} speed */
  function stretched(pcm, speed) {
    const stretch = new PlaybackSpeed({ sampleRate: 48_000, channels: 1 });
    stretch.speed = speed;
    const out = [];
    for (let at = 0; at < pcm.length;) {
      if (stretch.needsInput) {
        stretch.push(pcm.subarray(at, at + 960));
        at += 960;
      } else out.push(...stretch.pull());
    }
    return { out: Float32Array.from(out), stretch };
  }

  it('of 1 leaves every sample as it is', () => {
    const { out } = stretched(speech.subarray(0, 96_000), 1);
    expect(out).toEqual(speech.slice(0, out.length));
    expect(out.length).toBeGreaterThan(90_000);
  });

  it.each([0.5, 0.75, 1.5, 2])('of %d keeps the pitch, and changes the length', (speed) => {
    const tone = Float32Array.from(
      { length: 96_000 },
      (_, i) => 0.5 * Math.sin((2 * Math.PI * 200 * i) / 48_000),
    );
    const { out, stretch } = stretched(tone, speed);
    expect(Math.abs(out.length * speed - stretch.position)).toBeLessThan(2000);
    let crossings = 0;
    for (let i = 1; i < out.length; i++) if (out[i - 1] < 0 && out[i] >= 0) crossings += 1;
    expect(Math.abs((crossings * 48_000) / out.length - 200)).toBeLessThan(3);
    let steepest = 0;
    for (let i = 1; i < out.length; i++)
      steepest = Math.max(steepest, Math.abs(out[i] - out[i - 1]));
    // No click: no step is much steeper than the tone's own.
    expect(steepest).toBeLessThan(2 * 0.5 * 2 * Math.PI * (200 / 48_000));
  });
});

describe('moments and chapters', () => {
  it('are read from addresses as W3C Media Fragments have them, whatever else is in them', () => {
    expect(
      ['#t=83', '#t=1:23', '#t=1:00:02.5', '#t=npt:7', '#x=1&t=5&y=2', '#t=9,12'].map(readMoment),
    ).toEqual([83, 83, 3602.5, 7, 5, 9]);
    for (const hash of [
      '',
      '#',
      '#t=',
      '#t=-1',
      '#t=x',
      '#at=5',
      `#t=${'9'.repeat(99)}`,
      '#t=1:2:3:4',
    ])
      expect(readMoment(hash)).toBe(null);
    expect([momentHash(83.9), momentHash(-1), timeText(3602), timeText(62)]).toEqual([
      '#t=83',
      '#t=0',
      '1:00:02',
      '1:02',
    ]);
  });

  it('are read as the server writes them, and nothing else is', () => {
    const chapters = new Chapters(0.02);
    for (let frame = 0; frame < 100; frame++)
      chapters.heard('a', 'A <b> & "c" &lt;', frame + 180_000, 20);
    expect(readChapters(chapters.toVtt())).toEqual([
      { label: 'A <b> & "c" &lt;', from: 3600, to: 3602 },
    ]);
    for (const vtt of ['', 'WEBVTT', '<html>', '00:00:00.000 --> 00:00:01.000\nno voice'])
      expect(readChapters(vtt)).toEqual([]);
  });
});
