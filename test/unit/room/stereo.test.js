import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Limiter } from '../../../public/shared/sound/limiter.js';
import { FrameState, PcmRing } from '../../../server/source/pcm-ring.js';
import { Recordings } from '../../../server/recording/recordings.js';
import { Conference, settle } from '../../fakes/conference.js';
import { readOggOpus } from '../../fakes/ogg-file.js';
import { random } from '../../fakes/random.js';
import { sidesOf, stereoTones } from '../../fakes/stereo.js';

/**
 * Lets everybody say a frame after the other.
 * @param {Conference} conference
 * @param {Map<import('../../fakes/conference.js').Person, number | [number, number] | null>} said
 * @param {number} frames
 */
async function speak(conference, said, frames) {
  for (let i = 0; i < frames; i++) {
    const frame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
    conference.pass(1);
    for (const [person, value] of said) await person.speak(frame, value);
  }
}

/**
 * The last frame that somebody heard, side by side.
 * @param {import('../../fakes/conference.js').Person} person
 * @param {number} [back] number of frames before it
 */
async function lastHeard(person, back = 0) {
  const pcm = [...(await person.heard()).values()].at(-1 - back);
  if (!pcm) return null;
  const [left, right] = [0, 1].map((side) => pcm.filter((_, i) => i % 2 === side));
  return { left, right };
}

/** @param {ArrayLike<number>} side @param {number} value */
const expectAll = (side, value) => {
  for (const each of new Set(Array.from(side))) expect(each).toBeCloseTo(value, 3);
};

describe('a stereo room', () => {
  it('mixes left with left and right with right, without each listener’s own sound', async () => {
    const conference = new Conference({ channels: 2, silenceSuppression: false });
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    await speak(
      conference,
      new Map([
        [ann, [0.1, 0.2]],
        [bob, [0.3, 0]],
        [cid, null],
      ]),
      20,
    );
    for (const [person, left, right] of /** @type {const} */ ([
      [ann, 0.3, 0],
      [bob, 0.1, 0.2],
      [cid, 0.4, 0.2],
    ])) {
      const heard = await lastHeard(person);
      expect(heard?.left.length).toBe(960);
      expectAll(heard?.left ?? [], left);
      expectAll(heard?.right ?? [], right);
    }
  });

  it('has who sends mono in the middle', async () => {
    const conference = new Conference({ channels: 2 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    await speak(
      conference,
      new Map([
        [ann, 0.2],
        [bob, null],
      ]),
      20,
    );
    const heard = await lastHeard(bob);
    expectAll(heard?.left ?? [], 0.2);
    expectAll(heard?.right ?? [], 0.2);
  });

  it('answers packets with the same sides at any delay', async () => {
    const conference = new Conference({ channels: 2, delivery: 'reply' });
    const ann = await conference.join('Ann');
    // A delay that isn't a whole number of frames: an answer has parts of two.
    const bob = await conference.join('Bob', { delivery: 'reply', serverDelayMs: 53.1 });
    for (let i = 0; i < 20; i++) {
      const frame = Math.floor(conference.sampleClock.now() / 960);
      conference.pass(1);
      await ann.speak(frame, frame < 10 ? [0.1, -0.2] : [0.3, 0.05]);
      await bob.speak(frame, null);
    }
    const frames = [...(await bob.heard()).values()].filter((pcm) => pcm !== null);
    const left = new Set(
      frames.flatMap((pcm) =>
        [...pcm].filter((_, i) => i % 2 === 0).map((value) => value.toFixed(2)),
      ),
    );
    const right = new Set(
      frames.flatMap((pcm) =>
        [...pcm].filter((_, i) => i % 2 === 1).map((value) => value.toFixed(2)),
      ),
    );
    expect([...left].filter((value) => value !== '0.00').sort()).toEqual(['0.10', '0.30']);
    expect([...right].filter((value) => value !== '0.00').sort()).toEqual(['-0.20', '0.05']);
  });

  it.each([
    ['louder and softer for one listener', {}, [0.05, 0.1], 0.5],
    ['brought to the level of all', { levelBalance: true }, [0.4, 0.08], 1],
    ['limited', {}, [0.9, 0.3], 1],
  ])('keeps where a voice is while it is %s', async (_, options, sides, gain) => {
    const conference = new Conference({ channels: 2, ...options });
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    if (gain !== 1) bob.session.handler?.control({ type: 'volume', person: ann.id, gain });
    for (let i = 0; i < 60; i++) {
      const frame = Math.floor(conference.sampleClock.now() / 960);
      conference.pass(1);
      await ann.speak(frame, /** @type {[number, number]} */ (sides), { level: 20, voice: true });
      await cid.speak(frame, /** @type {[number, number]} */ (sides), { level: 20, voice: true });
    }
    const [ratio, frames] = [
      sides[0] / sides[1],
      [...(await bob.heard()).values()].filter((pcm) => pcm !== null),
    ];
    expect(frames.length).toBeGreaterThan(40);
    for (const pcm of frames) {
      const ratios = [...pcm.keys()]
        .filter((i) => i % 2 === 0 && pcm[i] !== 0)
        .map((i) => pcm[i] / pcm[i + 1]);
      for (const each of [Math.min(...ratios), Math.max(...ratios)])
        expect(each).toBeCloseTo(ratio, 0);
      expect(Math.max(...pcm.map(Math.abs))).toBeLessThan(1);
    }
    const last = frames.at(-1) ?? [];
    if ('levelBalance' in options) expect(Math.abs(last[0])).not.toBeCloseTo(2 * sides[0], 2);
  });

  it('is what the first asks for, with twice the bit rate, and the others get it too', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { channels: 2, frameMs: 10 });
    const bob = await conference.join('Bob', { channels: 1 });
    const welcomes = [ann, bob].map(({ session }) => session.told('welcome')[0]);
    for (const { format, bitrate } of welcomes) {
      expect(format).toEqual({ sampleRate: 48000, channels: 2, frameMs: 10, opusFrames: 1 });
      expect(bitrate).toBe(64_000);
    }
    const other = (await conference.join('Cid', { room: 'other' })).session.told('welcome')[0];
    expect(other).toMatchObject({ format: { channels: 1, frameMs: 20 }, bitrate: 32_000 });
    const mono = new Conference({ channels: 2 });
    expect(
      (await mono.join('Ann', { channels: 1 })).session.told('welcome')[0].format.channels,
    ).toBe(1);
  });

  it('keeps a batch of short frames where nothing else is asked for', async () => {
    const conference = new Conference({ sampleRate: 8000, frameMs: 80, opusFrames: 8 });
    const { format } = (await conference.join('Ann', { channels: 2 })).session.told('welcome')[0];
    expect(format).toEqual({ sampleRate: 8000, channels: 2, frameMs: 80, opusFrames: 8 });
  });

  it('is mono where the codec has no stereo of its frames', async () => {
    const conference = new Conference({ frameMs: 60 });
    conference.codec.maxFrameValues = 2880;
    const { format } = (await conference.join('Ann', { channels: 2 })).session.told('welcome')[0];
    expect(format.channels).toBe(1);
  });

  it.each([0, 3, '2', 1.5, null])('has no %j channels', async (channels) => {
    const conference = new Conference();
    const { session } = await conference.join('Ann', /** @type {any} */ ({ channels }));
    expect(session.told('refused')[0]?.code).toBe('bad-request');
  });

  it('is a mirror too', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { room: '', mirror: true, channels: 2 });
    expect(ann.session.told('welcome')[0].format.channels).toBe(2);
  });
});

describe('the ring of a stereo room', () => {
  it('gives any stretch as it was written, with a gain that is the same for both sides', () => {
    const next = random(7);
    const ring = new PcmRing(10, 8, 2);
    for (let frame = 0; frame < 30; frame++) {
      const at = ring.claim(frame);
      for (let i = 0; i < 20; i++)
        ring.samples[at + i] = (i % 2 === 0 ? 1 : -2) * (frame * 10 + Math.floor(i / 2) + 1);
      ring.mark(frame, FrameState.received);
      if (frame === 20) ring.resize(12);
      const start = Math.max(0, frame * 10 - Math.floor(next() * 40));
      const count = 1 + Math.floor(next() * Math.min(20, frame * 10 + 10 - start - 1));
      const out = new Float32Array(2 * count);
      expect(ring.addTo(out, start)).toBe(count);
      expect(ring.sentSamples(start, count)).toBe(count);
      for (let i = 0; i < count; i++)
        expect([out[2 * i], out[2 * i + 1]]).toEqual([start + i + 1, -2 * (start + i + 1)]);
      const faded = new Float32Array(2 * count);
      ring.addTo(faded, start, 1, 0);
      for (let i = 0; i < count; i++) {
        expect(faded[2 * i]).toBeCloseTo((start + i + 1) * (1 - (i + 1) / count), 2);
        expect(faded[2 * i + 1]).toBeCloseTo(-2 * faded[2 * i], 3);
      }
    }
  });
});

describe('the limiter of a stereo room', () => {
  it('holds the louder side down, and the other by as much', () => {
    const next = random(3);
    const limiter = new Limiter(48000, 2);
    for (let frame = 0; frame < 20; frame++) {
      const pcm = new Float32Array(1920);
      for (let i = 0; i < 960; i++) {
        pcm[2 * i] = 3 * (next() - 0.5);
        pcm[2 * i + 1] = pcm[2 * i] / 4;
      }
      limiter.process(pcm);
      expect(Math.max(...pcm.map(Math.abs))).toBeLessThanOrEqual(0.951);
      const errors = [...pcm.keys()]
        .filter((i) => i % 2 === 0)
        .map((i) => Math.abs(pcm[i + 1] - pcm[i] / 4));
      expect(Math.max(...errors)).toBeLessThan(5e-6);
    }
  });
});

describe('a recording of a stereo room', () => {
  it('has both sides in the mix and in each track, and who sent mono in the middle', async () => {
    const codec = await loadCodec('libopus-wasm');
    const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
    const conference = new Conference({
      codec: /** @type {any} */ (codec),
      channels: 2,
      bitrate: 64_000,
      complexity: 5,
    });
    const { clock, format } = conference;
    const log = { warn: () => {}, error: () => {} };
    const recordings = new Recordings({
      directory,
      limitBytes: 1e9,
      keepHours: 24,
      clock,
      wallNow: Date.now,
      log,
    });
    conference.services.recordings = recordings;
    const people = [await conference.join('Ann'), await conference.join('Bob')];
    const shapes = [2, 1].map((channels) => ({ ...format, channels, frameValues: 960 * channels }));
    const encoders = shapes.map(
      (shape) => new PayloadEncoder(codec.createEncoder({ ...shape, bitrate: 96_000 }), shape),
    );
    const packet = new Packet();
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    const say = () => {
      packet.frame = Math.floor(conference.sampleClock.now() / 960);
      conference.clock.advance(20);
      for (const [i, encoder] of encoders.entries()) {
        const tones = stereoTones(960, {
          from: 960 * packet.frame,
          rightHz: i === 0 ? 660 : 440,
          amplitude: 0.3,
        });
        const pcm =
          i === 0 ? tones : tones.filter((_, at) => at % 2 === 0).map((value) => value / 10);
        const start = writeAudioHeader(bytes, packet);
        const end = start + encoder.encode(pcm, bytes, start);
        people[i].session.handler?.packet(bytes.slice(0, end), clock.now());
      }
    };
    for (let i = 0; i < 10; i++) say();
    people[0].session.handler?.control({ type: 'record', on: true });
    await settle();
    people[1].session.handler?.control({ type: 'recordConsent', agreed: true });
    await settle();
    for (let i = 0; i < 100; i++) say();
    people[0].session.handler?.control({ type: 'record', on: false });
    for (let i = 0; i < 110; i++) say();
    const told = () => people[0].session.told('recording').at(-1)?.recording;
    await vi.waitFor(() => expect(told().ready).toBe(true));
    const { files } = /** @type {any} */ (await recordings.describe(told().id));
    expect(files.map((/** @type {{ file: string }} */ { file }) => file)).toEqual([
      'mix.opus',
      '01-ann.opus',
      '02-bob.opus',
    ]);
    for (const { file } of files) {
      const { channels, samples } = await readOggOpus(
        await readFile(join(directory, told().id, file)),
      );
      expect(channels).toBe(2);
      const sound = samples.subarray(48_000, 144_000);
      if (file === '02-bob.opus')
        expect(sound.every((sample, i) => sample === sound[i - (i % 2)])).toBe(true);
      else expect(sidesOf(sound).crossTalkDb).toBeLessThan(file === 'mix.opus' ? -18 : -30);
    }
    for (const encoder of encoders) encoder.close();
    await rm(directory, { recursive: true });
  });
});
