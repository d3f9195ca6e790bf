import { describe, expect, it } from 'vitest';
import {
  MixMessage,
  MixWriter,
  readMix,
  RelayOutbox,
  ROOM_RATE,
} from '../../../server/relay/messages.js';

const read = new MixMessage();

/** @param {number} epoch @param {number} rate @param {Uint8Array} packet */
function writeMix(epoch, rate, packet) {
  const writer = new MixWriter(epoch);
  writer.add(rate, packet);
  return writer.take();
}

describe('the message of a relayed mix', () => {
  it('is read as it was written', () => {
    const packet = Uint8Array.from({ length: 300 }, (_, i) => i);
    const bytes = writeMix(1_764_000_000_123, ROOM_RATE, packet);
    expect(readMix(bytes, read)).toBe(true);
    expect([read.epoch, read.count, read.rates[0]]).toEqual([1_764_000_000_123, 1, ROOM_RATE]);
    expect(bytes.subarray(read.starts[0], read.starts[0] + read.lengths[0])).toEqual(packet);
  });

  it('has packets of several rates, and no more than eight', () => {
    const one = writeMix(5, 0, new Uint8Array([1, 2, 3]));
    const more = (/** @type {number} */ count) =>
      new Uint8Array([...one, ...Array.from({ length: count }, (_, i) => [i + 1, 0, 1, 9]).flat()]);
    expect(readMix(more(4), read)).toBe(true);
    expect([read.count, [...read.rates.subarray(0, 5)], read.lengths[4]]).toEqual([
      5,
      [0, 1, 2, 3, 4],
      1,
    ]);
    expect([readMix(more(7), read), readMix(more(8), read)]).toEqual([true, false]);
  });

  it('is dropped where it is cut, empty or of another version', () => {
    const bytes = writeMix(5, 0, new Uint8Array(20));
    for (let length = 0; length < bytes.length; length++)
      expect(readMix(bytes.subarray(0, length), read)).toBe(false);
    expect(
      readMix(
        Uint8Array.from(bytes, (byte, i) => (i === 0 ? 2 : byte)),
        read,
      ),
    ).toBe(false);
    expect(readMix(writeMix(5, 0, new Uint8Array(0)), read)).toBe(false);
    expect(readMix(writeMix(NaN, 0, new Uint8Array(9)), read)).toBe(false);
  });
});

describe('RelayOutbox', () => {
  it('sends all of one moment at once, and no more than a message takes', async () => {
    /** @type {string[][]} */
    const sent = [];
    const outbox = new RelayOutbox((/** @type {string[]} */ batch) => void sent.push(batch));
    outbox.add('a', 1000);
    outbox.add('b', 1000);
    // As one that has been put together for many.
    outbox.grew(64 * 1024);
    outbox.add('c', 1000);
    expect(sent).toEqual([['a', 'b']]);
    await Promise.resolve();
    expect(sent).toEqual([['a', 'b'], ['c']]);
  });
});
