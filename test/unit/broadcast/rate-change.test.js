import { describe, expect, it } from 'vitest';
import { Playout } from '../../../public/client/playout/playout.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  Stream,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { PayloadDecoder } from '../../../public/shared/stream/payload.js';
import { RATES } from '../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Conference } from '../../fakes/conference.js';

const FRAMES = 260;

/** A voice's tones, which rise and fall. @param {number} frame */
function voice(frame) {
  return Float32Array.from({ length: 960 }, (_, i) => {
    const at = (frame * 960 + i) / 48000;
    const sum = [1, 2, 3, 4, 5, 6].reduce(
      (all, n) => all + Math.sin(2 * Math.PI * 170 * n * at + n) / n,
      0,
    );
    return 0.12 * sum * (1 + 0.3 * Math.sin(2 * Math.PI * 3 * at));
  });
}

/**
 * Has a listener hear a voice by their own playout, over the real codec.
 * @param {Record<number, number>} asks requested rate in bits a second, by frame
 * @param {{ listenerStride?: number | 'auto', alone?: boolean, pauses?: boolean, loses?: (packet:
 *   Packet, change: boolean) => boolean }} [options] alone: whether no rate has another listener,
 *   so that its encoder begins with the change; pauses: whether the voice has some
 */
async function heard(
  asks,
  { listenerStride = 3, alone = true, pauses = false, loses = () => false } = {},
) {
  const codec = await loadCodec('libopus-wasm');
  const conference = new Conference({
    codec,
    serverDelayMs: 20,
    complexity: 8,
    broadcast: true,
    listenerRule: 'basic',
    listenerBitrate: 128_000,
    listenerStride,
    silenceSuppression: pauses,
  });
  const { format, clock } = conference;
  const [ann, lea] = [await conference.join('Ann'), await conference.join('Lea', { listen: true })];
  for (const bitsPerSecond of alone ? [] : RATES) {
    const { session } = await conference.join('Max', { listen: true });
    session.handler?.control({ type: 'rate', bitsPerSecond });
  }
  const shape = { sampleRate: format.sampleRate, frameSamples: format.frameSamples };
  const encoder = codec.createEncoder({ ...shape, bitrate: 128_000, complexity: 8 });
  const decoders = Array.from(
    { length: Stream.layers + RATES.length },
    () => new PayloadDecoder(null, format, { open: () => codec.createDecoder(shape) }),
  );
  const playout = new Playout(format, decoders);
  playout.stride = lea.session.told('welcome')[0].stride;
  const packet = new Packet();
  /** @type {number[]} */
  const streams = [];
  let [packets, stream] = [0, -1];
  lea.session.send = (bytes) => {
    expect(readPacket(bytes, packet)).toBe(null);
    packets += 1;
    const isChange = packet.stream !== stream;
    stream = packet.stream;
    if (isChange) streams.push(stream);
    if (!loses(packet, isChange)) playout.receive(packet, bytes, clock.now());
    return true;
  };
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const heardPcm = [];
  const out = new Float32Array(format.frameSamples + 8);
  for (let frame = 0; frame < FRAMES; frame++) {
    conference.pass(1);
    if (asks[frame]) lea.session.handler?.control({ type: 'rate', bitsPerSecond: asks[frame] });
    writeAudioHeader(
      bytes,
      Object.assign(new Packet(), { frame, sequence: frame, level: 20, voice: true }),
    );
    // Pauses are of one frame to four, at each place of a stride.
    const isSilent = pauses && frame > 20 && frame % 16 < 1 + (((frame / 48) | 0) % 4);
    const length = isSilent ? 0 : encoder.encode(voice(frame), bytes, AUDIO_HEADER_BYTES);
    ann.session.handler?.packet(bytes.subarray(0, AUDIO_HEADER_BYTES + length), clock.now());
    // A sound card takes as much as the time that has passed.
    while (heardPcm.length <= frame * format.frameSamples)
      heardPcm.push(...out.subarray(0, playout.pull(out, clock.now())));
  }
  const { counters } = playout;
  playout.close();
  conference.rooms.close();
  return {
    pcm: heardPcm,
    counters,
    packets,
    streams: streams.map((number) => RATES[number - Stream.layers] / 1000),
  };
}

/**
 * The largest step between two samples, and the least and the greatest power of 10 ms.
 * @param {number[]} pcm
 */
function shapeOf(pcm) {
  let [step, least, most] = [0, Infinity, 0];
  for (let i = 20 * 960; i < (FRAMES - 1) * 960; i++) {
    step = Math.max(step, Math.abs(pcm[i] - pcm[i - 1]));
    if (i % 240 !== 0) continue;
    const power = pcm.slice(i, i + 480).reduce((sum, x) => sum + x * x, 0);
    [least, most] = [Math.min(least, power), Math.max(most, power)];
  }
  return { step, least, most };
}

const CHANGES = { 40: 16_000, 90: 128_000, 140: 32_000, 190: 96_000, 235: 64_000 };

describe('a change of the bit rate', async () => {
  const plain = await heard({});
  const whole = shapeOf(plain.pcm);

  it.each(
    /** @type {[number | 'auto', boolean][]} */ ([
      [3, true],
      [3, false],
      [1, false],
      ['auto', true],
      ['auto', false],
    ]),
  )(
    'is not heard: nothing is missing, made up or broken off, with stride %s, %s',
    async (listenerStride, alone) => {
      const one = await heard(CHANGES, { listenerStride, alone });
      expect([plain.streams, one.streams]).toEqual([[128], [128, 16, 128, 32, 96, 64]]);
      expect(one.counters).toMatchObject({
        lost: 0,
        late: 0,
        concealed: 0,
        underruns: 0,
        garbage: 0,
        skipped: 0,
      });
      const shape = shapeOf(one.pcm);
      expect(shape.step).toBeLessThan(1.1 * whole.step);
      expect(shape.least).toBeGreaterThan(0.7 * whole.least);
      expect(shape.most).toBeLessThan(1.2 * whole.most);
      // The change costs one more packet.
      if (listenerStride === 3)
        expect(one.packets - plain.packets).toBe(Object.keys(CHANGES).length);
    },
  );

  it.each(/** @type {const} */ ([3, 'auto']))(
    'is no loss where the voice has pauses, with stride %s',
    async (listenerStride) => {
      for (const asks of /** @type {Record<number, number>[]} */ ([{}, { 40: 16_000 }, CHANGES])) {
        const { counters } = await heard(asks, { listenerStride, pauses: true });
        expect(counters).toMatchObject({ lost: 0, late: 0, garbage: 0 });
      }
    },
  );

  it('is not heard either where the first packet of a rate is lost', async () => {
    const one = await heard(CHANGES, { loses: (_packet, isChange) => isChange });
    expect(one.counters).toMatchObject({ concealed: 0, garbage: 0, skipped: 0 });
    expect(shapeOf(one.pcm).step).toBeLessThan(1.3 * whole.step);
  });
});
