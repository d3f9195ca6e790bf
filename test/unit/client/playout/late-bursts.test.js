import { describe, expect, it } from 'vitest';
import { PlaybackFeed } from '../../../../public/client/playout/playback-feed.js';
import { Playout, pullSamples } from '../../../../public/client/playout/playout.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { MAX_PACKET_BYTES, Packet } from '../../../../public/shared/wire/packet.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';
import { mean } from '../../../../testkit/statistics.js';
import { Playback } from '../../../../worklets/playback.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random as randomOf } from '../../../fakes/random.js';

const RATE = 48_000;
const BLOCK = 128;
const SECONDS = 40;
/** Until then the delay finds its place, in milliseconds. */
const SETTLE_MS = 10_000;
/** Frames until the sound repeats. */
const MARKS = 500;

/** A level that tells a frame from its neighbours. @param {number} frame */
const levelOf = (frame) => 0.1 + (frame % MARKS) / 1000;

/**
 * Plays a stream of frames, which all come in time, on a sound card that asks for four blocks at
 * once.
 * @param {number} frameMs
 * @param {(burst: number, random: () => number) => number} late of a burst, in milliseconds
 * @returns {{ lagMs: number, concealed: number, gaps: number, missing: number }} lagMs: from the
 *   arrival of frames to when the card has them; missing: frames that were never played
 */
function play(frameMs, late) {
  const clock = new FakeClock();
  const random = randomOf(3);
  const format = createAudioFormat({ frameMs });
  const codec = new PcmCodec();
  const decoder = () => new PayloadDecoder(codec.createDecoder(format), format);
  const playout = new Playout(format, [decoder(), decoder()]);
  const encoder = new PayloadEncoder(codec.createEncoder(format), format);
  const ring = SampleRing.create(RATE);
  const playback = new Playback(ring, RATE, () => Math.floor(clock.now()));
  let gaps = 0;
  const burstMs = (4 * BLOCK * 1000) / RATE;
  const feed = new PlaybackFeed(
    ring,
    {
      pull: (out, waitMs, aheadMs) => playout.pull(out, clock.now(), waitMs, aheadMs),
      look: (waitMs, aheadMs) => playout.look(clock.now(), waitMs, aheadMs),
      get ready() {
        return playout.ready;
      },
      observeOutput: (_waitMs, count) => void (gaps = count),
    },
    { sampleRate: RATE, pullSamples: pullSamples(format), blockMs: burstMs, frameMs, clock },
  );
  ring.arm(ring.capacity);

  const packet = new Packet();
  const pcm = new Float32Array(format.frameValues);
  const payload = new Uint8Array(MAX_PACKET_BYTES);
  /** @type {number[]} */
  const arrivals = [];
  const receive = (/** @type {number} */ frame) => {
    // The card is known by then.
    const dueMs = 1500.3 + frame * frameMs + 0.5 * random();
    clock.setTimeout(() => {
      receive(frame + 1);
      pcm.fill(levelOf(frame));
      packet.level = 20;
      packet.frame = frame;
      packet.sequence = frame & 0xffff;
      packet.payloadBytes[0] = encoder.encode(pcm, payload, 0);
      arrivals.push(clock.now());
      playout.receive(packet, payload, clock.now());
      feed.arrived();
    }, dueMs - clock.now());
  };
  receive(0);

  const block = new Float32Array(BLOCK);
  /** @type {number[]} */
  const lags = [];
  let heard = -1;
  const take = () => {
    for (let i = 0; i < 4; i++) {
      if (playback.process([block])) clock.setTimeout(() => feed.wake(), 0.3);
      const mark = Math.round((block[BLOCK - 1] - 0.1) * 1000);
      const next = arrivals.findLastIndex((_, frame) => frame % MARKS === mark);
      if (next <= heard || Math.abs(block[BLOCK - 1] - levelOf(mark)) > 2e-4) continue;
      heard = next;
      if (clock.now() > SETTLE_MS) lags.push(clock.now() + i * (burstMs / 4) - arrivals[next]);
    }
  };
  const request = (/** @type {number} */ burst) => {
    const dueMs = 100 + burst * burstMs + late(burst, random);
    clock.setTimeout(() => {
      request(burst + 1);
      take();
    }, dueMs - clock.now());
  };
  request(0);

  clock.advance(SECONDS * 1000);
  feed.close();
  const expected = Math.floor((SECONDS * 1000 - SETTLE_MS) / frameMs);
  const { concealed } = playout.counters;
  playout.close();
  return { lagMs: mean(lags), concealed, gaps, missing: expected - lags.length };
}

const inTime = () => 0;

describe('a sound card whose bursts are late', () => {
  it.each(
    /** @type {[string, number, (burst: number, random: () => number) => number][]} */ ([
      ['one in ten, by up to 12 ms', 20, (_, random) => (random() < 0.1 ? 12 * random() : 0)],
      ['one in ten, by up to 12 ms', 5, (_, random) => (random() < 0.1 ? 12 * random() : 0)],
      ['three in ten, by up to 9 ms', 20, (_, random) => (random() < 0.3 ? 9 * random() : 0)],
    ]),
  )('delays no sound, and has none concealed (%s, frames of %d ms)', (_name, frameMs, late) => {
    const steady = play(frameMs, inTime);
    const { lagMs, concealed, gaps, missing } = play(frameMs, late);
    expect({ concealed, gaps }).toEqual({ concealed: 0, gaps: 0 });
    expect(missing).toBeLessThanOrEqual(3);
    // The bursts' own mean lateness is 1.35 ms at most.
    expect(lagMs - steady.lagMs).toBeLessThan(3);
  });
});
