import { beforeAll, describe, expect, it } from 'vitest';
import { readWav } from '../../../../testkit/sound/wav.js';
import { FrameSender } from '../../../../public/client/capture/frame-sender.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { MAX_PACKET_BYTES, Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { createLibopusCodec } from '../../../../public/shared/stream/libopus-codec.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';
import { random as randomOf } from '../../../fakes/random.js';

const LIBOPUS = '../../../../node_modules/libopus-wasm/dist/generated/libopus.generated.mjs';
const createLibopus = (await import(LIBOPUS)).default;

/**
 * @param {object} [options]
 * @param {number} [options.frameMs] @param {number} [options.bytes] of each payload
 * @param {boolean} [options.suppressesSilence] @param {'auto' | 0 | 1 | 2} [options.redundancy]
 * @param {{ complexity: number, framesPerPacket?: 1 | 2 }} [options.effort]
 */
function setUp({ frameMs = 20, bytes = 3, suppressesSilence = true, redundancy = 0, effort } = {}) {
  const format = createAudioFormat({ frameMs });
  const clock = new FakeClock();
  /** @type {{ packet: Packet, bytes: Uint8Array, payloads: number[][] }[]} */
  const sent = [];
  /** @type {Float32Array[]} */
  const encoded = [];
  const encoder = {
    lookahead: 0,
    setComplexity: () => {},
    setMono: () => {},
    setPrediction: () => {},
    encode: (
      /** @type {Float32Array} */ pcm,
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
    ) => {
      encoded.push(pcm.slice());
      out.fill(encoded.length, at, at + bytes);
      return bytes;
    },
    close: () => {},
  };
  const sender = new FrameSender({
    format,
    clock,
    encoder: new PayloadEncoder(encoder, format),
    suppressesSilence,
    redundancy,
    effort,
    send: (read) => {
      const packet = new Packet();
      expect(readPacket(read, packet)).toBeNull();
      const payloads = [];
      for (let r = 0; r <= packet.redundancy; r++) {
        const from = packet.payloadStart[r];
        payloads.push([...read.subarray(from, from + Math.min(1, packet.payloadBytes[r]))]);
      }
      sent.push({ packet, bytes: read.slice(), payloads });
      return true;
    },
  });
  let frame = 1000;
  let n = 0;
  /** @param {number} ms @param {(n: number) => number} [next] */
  const capture = (ms, next = () => 0) => {
    for (let passed = 0; passed < ms; passed += frameMs) {
      sender.send(
        frame++,
        Float32Array.from({ length: format.frameSamples }, () => next(n++)),
      );
    }
  };
  return { format, clock, sender, sent, encoded, capture };
}

const random = randomOf(8);
const loud = () => random() - 0.5;
const framesOf = (/** @type {{ packet: Packet }[]} */ sent) =>
  sent.map(({ packet }) => packet.frame);

describe('FrameSender', () => {
  it.each([20, 10, 2.5, 60])(
    'sends two silent packets, then one every 200 ms (frames of %f ms)',
    (frameMs) => {
      const { sender, sent, encoded, capture, format } = setUp({ frameMs });
      capture(1200, loud);
      expect(sent.length).toBe(1200 / frameMs);
      const before = sent.length;
      capture(3000);
      const silent = sent.slice(before).filter(({ packet }) => packet.payloadBytes[0] === 0);
      const [first] = framesOf(silent);
      const every = Math.round(200 / frameMs);
      framesOf(silent).forEach((frame, i) => {
        if (i < 2) expect(frame).toBe(first + i);
        else expect((frame - first - 1) % every).toBe(0);
      });
      expect(silent.length).toBeGreaterThanOrEqual(14);
      expect(silent.length).toBeLessThanOrEqual(18);
      sent.forEach(({ packet }, i) => expect(packet.sequence).toBe(i + 1));
      expect(sender.counters.leftOut + sender.counters.sent).toBe(4200 / frameMs);
      // Two lookaheads of silence are encoded behind the sound, and no more.
      const flushed = encoded.slice(1200 / frameMs).reduce((sum, pcm) => sum + pcm.length, 0);
      expect(flushed).toBeGreaterThanOrEqual(240);
      expect(flushed).toBeLessThan(240 + format.frameSamples);
    },
  );

  it('fades noise out in the frame after a word, and sends a word from its first sample', () => {
    const { sent, encoded, capture } = setUp();
    const noise = () => 0.01 * loud();
    capture(8000, noise);
    const quiet = sent.length;
    capture(2000, noise);
    expect(sent.length - quiet).toBeLessThanOrEqual(11);
    encoded.length = 0;
    let n = 0;
    // A word begins 12 ms into a frame, and lasts for 400 ms.
    capture(1400, () => (n++ >= 576 && n < 576 + 19_200 ? loud() : noise()));
    const [first] = encoded;
    expect(Math.max(...first.slice(576).map(Math.abs))).toBeGreaterThan(0.4);
    expect(Math.abs(first[0])).toBeLessThan(0.001);
    const last = encoded[encoded.length - 1];
    expect(last.slice(480).every((sample) => sample === 0)).toBe(true);
    expect(Math.abs(last[0])).toBeGreaterThan(0);
    // Packets are sent for 300 to 400 ms after the word.
    expect(encoded.length * 20).toBeGreaterThanOrEqual(420 + 300);
    expect(encoded.length * 20).toBeLessThanOrEqual(420 + 400);
  });

  it('never attenuates a word that begins with its frame', () => {
    const { encoded, capture } = setUp();
    capture(5000);
    encoded.length = 0;
    capture(20, () => 0.5);
    expect(encoded[0].every((sample) => sample === 0.5)).toBe(true);
  });

  it('sends every frame where silence isn’t left out, and none of a mute', () => {
    const { sender, sent, capture } = setUp({ suppressesSilence: false });
    capture(1000, () => 0.001);
    sender.mute(true);
    capture(1000, loud);
    sender.send(9999, null);
    expect(sent.length).toBe(101);
    expect(
      sent.slice(51).every(({ packet }) => packet.payloadBytes[0] === 0 && packet.level === 127),
    ).toBe(true);
    sender.suppressSilence(true);
    capture(1000, loud);
    expect(sent.length).toBeLessThan(101 + 8);
  });

  it('shows the microphone’s level though nothing is sent, and the level of what is', () => {
    const { sender, sent, capture } = setUp();
    capture(8000, () => 0.001 * loud());
    expect(sender.level).toBeGreaterThan(60);
    expect(sender.level).toBeLessThan(80);
    expect(sent[sent.length - 1].packet.level).toBe(127);
    capture(100, loud);
    expect(sent[sent.length - 1].packet).toMatchObject({ level: 11, voice: true });
    sender.mute(true);
    capture(100, loud);
    expect(sender.level).toBe(127);
  });

  it('repeats as many payloads as loss asks for, behind sound too', () => {
    const { sender, sent, capture, clock } = setUp({ redundancy: 'auto' });
    capture(100, loud);
    sender.report(1, 40);
    capture(40, loud);
    sender.report(5, 40);
    capture(60, loud);
    expect(sent.map(({ payloads }) => payloads.length - 1)).toEqual([0, 0, 0, 0, 0, 1, 1, 2, 2, 2]);
    expect(sent[9].payloads).toEqual([[10], [9], [8]]);
    sender.mute(true);
    capture(100);
    // The one that fades is still sound; the first silent one repeats it and the one before, the
    // second it alone.
    expect(sent.slice(10).map(({ payloads }) => payloads)).toEqual([
      [[11], [10], [9]],
      [[], [11], [10]],
      [[], [], [11]],
    ]);
    sender.mute(false);
    capture(60, loud);
    expect(sent.slice(13).map(({ payloads }) => payloads.length - 1)).toEqual([0, 1, 2]);
    clock.advance(31_000);
    capture(20, loud);
    expect(sent[16].payloads.length).toBe(2);
    expect(sender.counters.repeated).toBe(1 + 1 + 6 + 6 + 3 + 1);
  });

  it('repeats only what fits, and only frames right before', () => {
    const { sender, sent, capture } = setUp({ redundancy: 2, bytes: 500 });
    capture(100, loud);
    expect(sent.map(({ payloads }) => payloads.length - 1)).toEqual([0, 1, 1, 1, 1]);
    expect(sent.every(({ bytes }) => bytes.length <= MAX_PACKET_BYTES)).toBe(true);
    sender.send(5000, new Float32Array(960).fill(0.5));
    expect(sent[5].payloads.length).toBe(1);
  });

  describe('with two frames to a packet', () => {
    /** @type {{ complexity: number, framesPerPacket: 2 }} */
    const effort = { complexity: 0, framesPerPacket: 2 };

    it.each([2.5, 20])(
      'sends each frame once, the first alone, the last with silence (frames of %f ms)',
      (frameMs) => {
        const { sender, sent, capture } = setUp({ frameMs, effort });
        capture(8 * frameMs, loud);
        sender.mute(true);
        capture(100);
        const sounding = sent.filter(({ payloads }) => payloads.flat().length > 0);
        expect(sounding.slice(0, 4).map(({ payloads }) => payloads)).toEqual([
          [[1]],
          [[3], [2]],
          [[5], [4]],
          [[7], [6]],
        ]);
        expect(sounding.flatMap(({ payloads }) => payloads.toReversed().flat())).toEqual(
          Array.from(
            { length: sounding.flatMap(({ payloads }) => payloads.flat()).length },
            (_, i) => i + 1,
          ),
        );
        expect(sent.map(({ packet }) => packet.sequence)).toEqual(
          sent.map((_, i) => (sent[0].packet.sequence + i) & 0xffff),
        );
        expect(sender.counters).toMatchObject({ sent: sent.length, repeated: 0 });
        expect(sender.counters.packed).toBeGreaterThanOrEqual(3);
      },
    );

    it.each(
      /** @type {[string, Parameters<typeof setUp>[0]][]} */ ([
        ['there is time', { effort: { complexity: 8, framesPerPacket: 1 } }],
        ['they would be too long', { effort, frameMs: 60 }],
        ['they might not fit', { effort, bytes: 500 }],
        ['payloads are repeated', { effort, redundancy: 1 }],
      ]),
    )('sends one for each frame where %s', (_, options) => {
      const { sender, sent, capture } = setUp(options);
      capture(600, loud);
      expect(sent.length).toBe(600 / (options?.frameMs ?? 20));
      expect(sender.counters.packed).toBe(0);
    });
  });

  describe('with Opus', () => {
    /** @type {import('../../../../public/shared/stream/codec.js').Codec} */
    let codec;
    beforeAll(async () => {
      codec = createLibopusCodec(await createLibopus());
    });

    it('is heard without a click where words begin and end', async () => {
      const format = createAudioFormat();
      const { channels } = await readWav(
        new URL('../../../../testkit/speech/speech-low.wav', import.meta.url),
      );
      const [speech] = channels;
      const shape = { sampleRate: 48_000, frameSamples: 960, bitrate: 48_000 };
      const decoder = new PayloadDecoder(codec.createDecoder(shape), format);
      /** @type {Map<number, Float32Array>} */
      const heard = new Map();
      const packet = new Packet();
      const sender = new FrameSender({
        format,
        encoder: new PayloadEncoder(codec.createEncoder(shape), format),
        suppressesSilence: true,
        send: (bytes) => {
          readPacket(bytes, packet);
          const pcm = new Float32Array(960);
          if (packet.payloadBytes[0] > 0)
            decoder.decode(bytes, packet.payloadStart[0], packet.payloadBytes[0], pcm, 0);
          heard.set(packet.frame, pcm);
          return true;
        },
      });
      // Speech, then four seconds of silence with noise at -60 dBFS, three times.
      const said = new Float32Array(3 * (speech.length + 4 * 48_000));
      for (let i = 0; i < 3; i++) said.set(speech, 4 * 48_000 + i * (speech.length + 4 * 48_000));
      for (let i = 0; i < said.length; i++) said[i] += 0.003 * loud();
      const frames = Math.floor(said.length / 960);
      for (let k = 0; k < frames; k++) sender.send(k, said.slice(k * 960, k * 960 + 960));
      const output = new Float32Array(frames * 960);
      for (const [k, pcm] of heard) output.set(pcm, k * 960);
      expect(sender.counters.leftOut / frames).toBeGreaterThan(0.2);
      let [joints, worst] = [0, 0];
      for (let k = 1; k < frames; k++) {
        const [before, after] = [heard.get(k - 1)?.some(Boolean), heard.get(k)?.some(Boolean)];
        if (Boolean(before) === Boolean(after)) continue;
        joints += 1;
        worst = Math.max(worst, Math.abs(output[k * 960] - output[k * 960 - 1]));
      }
      expect(joints).toBeGreaterThanOrEqual(6);
      expect(worst).toBeLessThan(0.003);
      decoder.close();
      sender.close();
    });
  });
});
