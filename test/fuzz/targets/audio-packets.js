/** @import { Target } from '../target.js' */

import {
  VoiceList,
  writeBundleHeader,
  writeVoiceHead,
} from '../../../public/shared/wire/bundle.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  MAX_VOICES,
  Packet,
  PacketType,
  readOpusFrames,
  readPacket,
  writeAudioHeader,
  writeClockReply,
  writeClockRequest,
  writeVoiceHeader,
} from '../../../public/shared/wire/packet.js';
import { check } from '../target.js';

/**
 * @param {Partial<Packet>} fields
 * @param {number[]} payloads their lengths, the packet's own first
 * @param {number} speakers
 */
function audio(fields, payloads, speakers = 0) {
  const packet = Object.assign(new Packet(), {
    redundancy: payloads.length - 1,
    speakers,
    ...fields,
  });
  payloads.forEach((length, r) => (packet.payloadBytes[r] = length));
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const end = writeAudioHeader(bytes, packet);
  const total = payloads.reduce((sum, length) => sum + length, 0);
  for (let i = end; i < end + total; i++) bytes[i] = i * 37;
  return bytes.slice(0, end + total);
}

/** @param {number[][]} frames the lengths of each one's voices, the packet's own first */
function bundle(frames) {
  const packet = Object.assign(new Packet(), {
    frame: 7,
    sequence: 9,
    redundancy: frames.length - 1,
  });
  const bodies = frames.map((lengths) => {
    const body = new Uint8Array(MAX_PACKET_BYTES);
    const end = lengths.reduce(
      (at, length, i) => writeVoiceHead(body, at, i, 30 + i, length) + length,
      0,
    );
    return body.slice(0, end);
  });
  bodies.forEach(({ length }, r) => (packet.payloadBytes[r] = length));
  const bytes = new Uint8Array(2 * MAX_PACKET_BYTES);
  let at = writeBundleHeader(bytes, packet);
  for (const body of bodies.toReversed()) {
    bytes.set(body, at);
    at += body.length;
  }
  return bytes.slice(0, at);
}

function voicePacket() {
  const packet = Object.assign(new Packet(), {
    number: 300,
    frame: 7,
    sequence: 9,
    redundancy: 1,
    level: 30,
    voice: true,
  });
  packet.payloadBytes[1] = 5;
  const bytes = new Uint8Array(100);
  return bytes.slice(0, writeVoiceHeader(bytes, packet) + 5 + 7);
}

/** Packets as clients and the server send them. */
export const packets = [
  audio({ frame: 1, level: 30, voice: true }, [80]),
  audio({ frame: 2 ** 32 - 1, sequence: 0xffff }, [80, 70, 60]),
  audio({ frame: 7, stream: 1 }, [100, 300], 3),
  audio({ frame: 7, stream: 7 }, [300, 300, 300], 3),
  audio({ frame: 9 }, [0]),
  audio({ frame: 9 }, [1100]),
  new Uint8Array(4),
  new Uint8Array(12),
  bundle([[]]),
  bundle([[80, 0, 300], [20], []]),
  bundle([Array.from({ length: MAX_VOICES }, () => 120)]),
  voicePacket(),
];
writeClockRequest(packets[5], 4711);
writeClockReply(packets[6], 4711, 123456.25);

const packet = new Packet();
const list = new VoiceList();
const out = new Uint8Array(2 * MAX_PACKET_BYTES);
const starts = new Uint16Array(6);
const lengths = new Uint16Array(6);
const REASONS = new Set(['empty', 'oversized', 'version', 'type', 'truncated', 'malformed']);

/** A read packet lies within its bounds, and is written as it was. @type {Target} */
export const audioPackets = {
  name: 'audio-packets',
  cost: 1,
  valid: packets,
  run(input) {
    const reason = readPacket(input, packet);
    if (reason !== null) return check(REASONS.has(reason), `${reason} is a reason`);
    if (packet.type === PacketType.audio) return checkAudio(input);
    if (packet.type === PacketType.bundle) return checkBundle(input);
    if (packet.type === PacketType.voice)
      return checkPayloads(input, writeVoiceHeader(out, packet));
    const end =
      packet.type === PacketType.clockReply
        ? writeClockReply(out, packet.id, packet.clock)
        : writeClockRequest(out, packet.id);
    return checkSame(input, end);
  },
};

/** @param {Uint8Array} input */
function checkAudio(input) {
  const end = writeAudioHeader(out, packet);
  checkPayloads(input, end);
  for (let r = packet.redundancy; r >= 0; r--) {
    for (let count = 1; count <= 6; count++)
      checkOpusFrames(input, packet.payloadStart[r], packet.payloadBytes[r], count);
  }
  check(end >= AUDIO_HEADER_BYTES, 'payloads are behind the header');
}

/** @param {Uint8Array} input @param {number} end of the header as it was written again */
function checkPayloads(input, end) {
  checkSame(input, end);
  let at = end;
  for (let r = packet.redundancy; r >= 0; r--) {
    check(packet.payloadStart[r] === at, 'payloads follow one another');
    at += packet.payloadBytes[r];
  }
  check(at === input.length, 'payloads are within the packet');
}

/** @param {Uint8Array} input */
function checkBundle(input) {
  checkPayloads(input, writeBundleHeader(out, packet));
  for (let r = packet.redundancy; r >= 0; r--) {
    check(
      list.read(input, packet.payloadStart[r], packet.payloadBytes[r]),
      'voices that were read can be read again',
    );
    check(list.count <= MAX_VOICES, 'there are no more voices than may be');
    let at = packet.payloadStart[r];
    for (let i = 0; i < list.count; i++) {
      const start = writeVoiceHead(out, at, list.numbers[i], list.levels[i], list.lengths[i]);
      for (let b = at; b < start; b++)
        check(input[b] === out[b], `byte ${b} of a voice is written as it was read`);
      check(list.starts[i] === start, 'a payload follows its head');
      at = start + list.lengths[i];
    }
    check(at === packet.payloadStart[r] + packet.payloadBytes[r], 'voices fill their frame');
  }
}

/** @param {Uint8Array} input @param {number} start @param {number} length @param {number} count */
function checkOpusFrames(input, start, length, count) {
  if (!readOpusFrames(input, start, length, count, starts, lengths)) return;
  let before = start;
  for (let i = 0; i < count; i++) {
    check(starts[i] >= before && lengths[i] > 0, 'Opus frames follow one another');
    before = starts[i] + lengths[i];
  }
  check(before === start + length, 'Opus frames fill their payload');
}

/** @param {Uint8Array} input @param {number} end */
function checkSame(input, end) {
  check(end <= input.length, 'a header is no longer than it was read');
  for (let i = 0; i < end; i++) {
    // A silent packet's level is kept, and its voice; nothing else is lost either.
    if (input[i] !== out[i]) check(false, `byte ${i} is written as it was read`);
  }
}
