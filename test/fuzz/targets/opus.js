/**
 * @import { Decoder } from '../../../public/shared/stream/codec.js'
 * @import { Numbers } from '../inputs.js'
 * @import { Target } from '../target.js'
 */

import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { payloadSamples } from '../../../public/shared/stream/codec.js';
import { PayloadDecoder } from '../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { OggOpus } from '../../../server/recording/ogg-opus.js';
import { isOpusPacket, MAX_PACKET_SAMPLES } from '../../../server/recording/opus-packet.js';
import { Track } from '../../../server/recording/track.js';
import { check } from '../target.js';

const RATE = 48_000;
const format = createAudioFormat({});
const codec = await loadCodec('auto');

/**
 * Payloads of speech-like sound, and what RFC 6716, section 3.2, calls the four kinds of packets.
 */
function payloads() {
  const encoder = codec.createEncoder({ sampleRate: RATE, frameSamples: 960, bitrate: 32_000 });
  const made = [];
  for (let frame = 0; frame < 6; frame++) {
    const pcm = Float32Array.from(
      { length: 960 },
      (_, i) => 0.4 * Math.sin((frame * 960 + i) / (8 + frame)) * Math.sin(i / 90),
    );
    const bytes = new Uint8Array(1275);
    made.push(bytes.slice(0, encoder.encode(pcm, bytes, 0)));
  }
  encoder.close();
  const [one] = made;
  const body = one.subarray(1, 41);
  const config = one[0] & 0xf8;
  return [
    ...made,
    Uint8Array.of(config | 1, ...body),
    Uint8Array.of(config | 2, 10, ...body),
    Uint8Array.of(config | 3, 2, ...body),
    Uint8Array.of(config | 3, 0xc2, 3, 15, ...body),
    Uint8Array.of(config | 3, 0x41, 255, 255, 1, ...body),
  ];
}

const valid = payloads();

/**
 * Writes any kind of packet, with lengths that nearly fit.
 * @param {Numbers} numbers
 * @param {Uint8Array} out
 */
function make(numbers, out) {
  const packing = numbers.below(4);
  out[0] = (numbers.below(32) << 3) | (numbers.below(2) << 2) | packing;
  let at = 1;
  if (packing === 3)
    out[at++] =
      numbers.below(2) === 0 ? numbers.next() : numbers.below(8) | (numbers.below(4) << 6);
  for (let i = numbers.below(5); i > 0; i--)
    out[at++] = numbers.below(4) === 0 ? 250 + numbers.below(6) : numbers.below(40);
  const end = at + numbers.below(160);
  while (at < end) out[at++] = numbers.next();
  return end;
}

/** @type {Map<number, Decoder>} decoders of mono, by a frame's samples */
const decoders = new Map(
  [120, 240, 480, 960, 1920, 2880].map((frameSamples) => [
    frameSamples,
    codec.createDecoder({ sampleRate: RATE, frameSamples }),
  ]),
);
const pcm = new Float32Array(2880);
const DURATIONS = [120, 240, 480, 960, 1920, 2880, MAX_PACKET_SAMPLES, 0, 961];

/** A packet is of one duration at most. @type {Target} */
export const opusPackets = {
  name: 'opus-packets',
  cost: 1,
  valid,
  make,
  run(input) {
    const samples = payloadSamples(input, 0, input.length, RATE);
    let fits = 0;
    for (const duration of DURATIONS)
      fits += Number(isOpusPacket(input, 0, input.length, duration));
    check(
      fits <= 1 && (fits === 0 || (samples > 0 && samples <= MAX_PACKET_SAMPLES)),
      'a packet has one duration',
    );
    check(!isOpusPacket(input, 0, 0, 960), 'no bytes are no packet');
  },
};

/** libopus decodes what counts as a packet, and gives numbers whatever it gets. @type {Target} */
export const opusDecoders = {
  name: 'opus-decoders',
  cost: 100,
  valid,
  make,
  run(input) {
    for (const [frameSamples, decoder] of decoders) {
      pcm.fill(2);
      const decoded = decoder.decode(input, 0, input.length, pcm, 0);
      if (!decoded) {
        check(
          pcm[0] === 2 && pcm[frameSamples - 1] === 2,
          'what is refused leaves the frame alone',
        );
        check(
          !isOpusPacket(input, 0, input.length, frameSamples),
          'what counts as a packet is decoded',
        );
        continue;
      }
      for (let i = 0; i < frameSamples; i++)
        if (!(Math.abs(pcm[i]) <= 64)) check(false, 'sound is numbers');
    }
  },
  close: () => decoders.forEach((decoder) => decoder.close()),
};

const formats = [
  format,
  createAudioFormat({ frameMs: 20, opusFrames: 2 }),
  createAudioFormat({ channels: 2 }),
];
const rooms = formats.map((each) => ({
  decoder: new PayloadDecoder(
    codec.createDecoder({
      sampleRate: RATE,
      frameSamples: each.opusFrameSamples,
      channels: each.channels,
    }),
    each,
  ),
  out: new Float32Array(each.frameValues),
  format: each,
}));

/**
 * A payload is decoded or concealed, and recorded or missing: a frame is a frame.
 * @type {Target}
 */
export const payloadsTarget = {
  name: 'payloads',
  cost: 100,
  valid,
  make,
  run(input) {
    for (const { decoder, out, format: each } of rooms) {
      decoder.decode(input, 0, input.length, out, 0);
      check(
        out.every((sample) => Math.abs(sample) <= 64),
        'sound is numbers',
      );
      let bytes = 0;
      const ogg = new OggOpus({
        serial: 1,
        preSkip: 312,
        sampleRate: RATE,
        tags: {},
        write: (page) => void (bytes += page.length),
      });
      const track = new Track(ogg, each);
      track.put(input, 0, input.length);
      check(track.frames === 1, 'a frame is recorded as one');
      track.end();
      check(bytes < input.length + 400, 'a file is no larger than what is in it');
    }
  },
  close: () => rooms.forEach(({ decoder }) => decoder.close()),
};
