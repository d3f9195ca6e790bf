import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LIST_LENGTH_BYTES,
  MAX_LIST_ENTRY_BYTES,
  readList,
  writeListEntry,
} from '../../../../public/shared/wire/packet-list.js';

/** @param {Uint8Array[]} packets */
function listOf(packets) {
  const out = new Uint8Array(
    packets.reduce((bytes, { length }) => bytes + LIST_LENGTH_BYTES + length, 0),
  );
  let at = 0;
  for (const packet of packets) at = writeListEntry(out, at, packet);
  expect(at).toBe(out.length);
  return out;
}

/** @param {Uint8Array} bytes */
function read(bytes) {
  /** @type {Uint8Array[]} */
  const packets = [];
  const isWhole = readList(bytes, (packet) => packets.push(packet));
  return { isWhole, packets };
}

const packet = fc.uint8Array({ maxLength: 400 });

describe('a list of packets', () => {
  it('is each behind its length, big-endian', () => {
    expect(listOf([Uint8Array.of(7, 8), new Uint8Array(0), new Uint8Array(258)])).toEqual(
      Uint8Array.from([0, 2, 7, 8, 0, 0, 1, 2, ...new Uint8Array(258)]),
    );
  });

  it('of none is no bytes', () => {
    expect(read(new Uint8Array(0))).toEqual({ isWhole: true, packets: [] });
  });

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 20 }), (packets) => {
        expect(read(listOf(packets))).toEqual({ isWhole: true, packets });
      }),
    );
  });

  it('takes the longest entry, and no longer one', () => {
    const out = new Uint8Array(LIST_LENGTH_BYTES + MAX_LIST_ENTRY_BYTES + 1);
    expect(writeListEntry(out, 0, new Uint8Array(MAX_LIST_ENTRY_BYTES + 1))).toBe(-1);
    const longest = new Uint8Array(MAX_LIST_ENTRY_BYTES).fill(5);
    expect(writeListEntry(out, 0, longest)).toBe(out.length - 1);
    expect(read(out.subarray(0, -1)).packets).toEqual([longest]);
  });

  it('writes nothing where there is no room', () => {
    for (let room = 0; room < 2 + 3; room++) {
      const out = new Uint8Array(2 + 3 + room).fill(0xee);
      const at = 2 + 3;
      expect(writeListEntry(out, at, Uint8Array.of(1, 2, 3))).toBe(-1);
      expect(out).toEqual(new Uint8Array(2 + 3 + room).fill(0xee));
    }
  });

  it('cut off anywhere gives the whole packets before the cut', () => {
    fc.assert(
      fc.property(fc.array(packet, { minLength: 1, maxLength: 8 }), fc.nat(), (packets, cut) => {
        const whole = listOf(packets);
        const bytes = whole.subarray(0, cut % whole.length);
        const found = read(bytes);
        const expected = packets.slice(0, found.packets.length);
        expect(found.packets).toEqual(expected);
        expect(found.isWhole).toBe(listOf(expected).length === bytes.length);
      }),
    );
  });

  it('of any bytes is read without an error, in views that cover it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const { isWhole, packets } = read(bytes);
        for (const { buffer } of packets) expect(buffer).toBe(bytes.buffer);
        const covered = packets.reduce((sum, { length }) => sum + LIST_LENGTH_BYTES + length, 0);
        if (isWhole) expect(covered).toBe(bytes.length);
        else expect(covered).toBeLessThan(bytes.length);
      }),
    );
  });
});
