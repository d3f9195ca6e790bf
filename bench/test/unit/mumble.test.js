/** The cipher, the control messages and the voice packets of a client of Mumble's server. */

import { describe, expect, it } from 'vitest';
import {
  MessageReader,
  MessageType,
  readFields,
  readNumber,
  readVoice,
  writeMessage,
  writeNumber,
  writeVoice,
} from '../../peers/mumble-wire.js';
import { Ocb2, PacketSeal, SEAL_BYTES } from '../../peers/ocb2.js';
import { seededRandom as randomOf } from '../../../testkit/random.js';

const hex = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('hex');
const counting = (/** @type {number} */ length) => Uint8Array.from({ length }, (_, i) => i);
const KEY = counting(16);

describe('OCB2', () => {
  // The vectors are those of draft-krovetz-ocb-00.
  it.each([
    { length: 0, tag: 'bf3108130773ad5ec70ec69e7875a7b0', sealed: '' },
    {
      length: 40,
      tag: '9db0cdf880f73e3e10d4eb3217766688',
      sealed: 'f75d6bc8b4dc8d66b836a2b08b32a6369f1cd3c5228d79fd6c267f5f6aa7b231c7dfb9d59951ae9c',
    },
  ])('seals $length bytes as the draft does, and opens them', ({ length, tag, sealed }) => {
    const ocb = new Ocb2(KEY);
    const [out, back] = [new Uint8Array(length), new Uint8Array(length)];
    expect(hex(ocb.encrypt(KEY, counting(length), out))).toBe(tag);
    expect(hex(out)).toBe(sealed);
    expect(hex(ocb.decrypt(KEY, out, back))).toBe(tag);
    expect(back).toEqual(counting(length));
  });

  it('opens what it has sealed, of each length', () => {
    const random = randomOf(1);
    const randomBytes = (/** @type {number} */ length) =>
      Uint8Array.from({ length }, () => 256 * random());
    const ocb = new Ocb2(randomBytes(16));
    for (let length = 0; length <= 70; length++) {
      const [nonce, plain] = [randomBytes(16), randomBytes(length)];
      const [out, back] = [Buffer.alloc(length), Buffer.alloc(length)];
      const tag = hex(ocb.encrypt(nonce, plain, out));
      expect(hex(ocb.decrypt(nonce, out, back))).toBe(tag);
      expect(hex(back)).toBe(hex(plain));
    }
  });
});

describe("a packet's seal", () => {
  const [one, other] = [new Uint8Array(16).fill(0xff), new Uint8Array(16).fill(7)];
  const sender = () => new PacketSeal(KEY, one, other);
  const receiver = () => new PacketSeal(KEY, other, one);

  it('is opened by the peer beyond the low byte of the nonce, even with reordering or loss', () => {
    const [from, to] = [sender(), receiver()];
    const packets = Array.from({ length: 600 }, (_, i) =>
      from.seal(Uint8Array.of(i >> 8, i & 0xff)).slice(),
    );
    for (let i = 0; i < packets.length; i += 3) {
      for (const at of [i + 1, i])
        expect(to.open(packets[at])).toEqual(Uint8Array.of(at >> 8, at & 0xff));
    }
  });

  it('is broken by a change of any bit, and the next packet opens nevertheless', () => {
    const [from, to] = [sender(), receiver()];
    const packet = from.seal(counting(20)).slice();
    for (let bit = 0; bit < 8 * packet.length; bit++) {
      const changed = packet.slice();
      changed[bit >> 3] ^= 1 << (bit & 7);
      expect(to.open(changed)).toBeNull();
    }
    expect(to.open(packet.subarray(0, SEAL_BYTES - 1))).toBeNull();
    expect(to.open(from.seal(counting(3)))).toEqual(counting(3));
  });
});

describe("Mumble's messages", () => {
  it('are cut out of what comes, however it is cut', () => {
    const sent = [
      writeMessage(MessageType.version, { 1: 66308, 2: 'aloud' }),
      writeMessage(MessageType.ping, {}),
      writeMessage(MessageType.cryptSetup, { 1: KEY, 3: 2 ** 40 }),
    ];
    const all = Buffer.concat(sent);
    for (const size of [1, 5, all.length]) {
      const reader = new MessageReader();
      const read = [];
      for (let at = 0; at < all.length; at += size)
        read.push(...reader.read(all.subarray(at, at + size)));
      expect(read.map(({ type }) => type)).toEqual([
        MessageType.version,
        MessageType.ping,
        MessageType.cryptSetup,
      ]);
      expect(readFields(read[0].body)).toEqual(
        new Map(
          Object.entries({ 1: 66308, 2: Buffer.from('aloud') }).map(([key, value]) => [
            Number(key),
            value,
          ]),
        ),
      );
      expect(readFields(read[1].body).size).toBe(0);
      expect(readFields(read[2].body).get(3)).toBe(2 ** 40);
    }
  });

  it('have fields of fixed size, which are passed over', () => {
    // Fields 7 and 8 are a float and a double; 9 is 300.
    const body = Uint8Array.of(
      (7 << 3) | 5,
      1,
      2,
      3,
      4,
      (8 << 3) | 1,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9 << 3,
      0xac,
      0x02,
    );
    expect([...readFields(body)]).toEqual([[9, 300]]);
  });

  it('are refused where they end within a field', () => {
    expect(() => readFields(Uint8Array.of(2, 5, 1))).toThrow(RangeError);
    expect(() => readFields(Uint8Array.of(0x08, 0x80))).toThrow(RangeError);
  });
});

describe("Mumble's voice packets", () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8080'],
    [0x3fff, 'bfff'],
    [0x4000, 'c04000'],
    [0x1fffff, 'dfffff'],
    [0x200000, 'e0200000'],
    [0xfffffff, 'efffffff'],
    [0x10000000, 'f010000000'],
    [0xffffffff, 'f0ffffffff'],
  ])('have the number %i as %s', (value, written) => {
    const bytes = new Uint8Array(8);
    const end = writeNumber(value, bytes, 0);
    expect(hex(bytes.subarray(0, end))).toBe(written);
    expect(readNumber(bytes, 0)).toEqual([value, end]);
  });

  it("come back with the speaker's session", () => {
    const bytes = new Uint8Array(300);
    const length = writeVoice(bytes, 54_322, counting(130));
    expect(bytes[0]).toBe(0x80);
    const passedOn = Uint8Array.of(bytes[0], 0x81, 0x02, ...bytes.subarray(1, length));
    expect(readVoice(passedOn)).toEqual({ session: 258, sequence: 54_322, payload: counting(130) });
    expect(readVoice(passedOn.subarray(0, -1))).toBeNull();
    expect(readVoice(Uint8Array.of(0x20, 1))).toBeNull();
  });
});
