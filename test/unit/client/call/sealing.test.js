import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it, vi } from 'vitest';
import { makeRoomKey, readRoomKey } from '../../../../public/shared/links.js';
import { Sealing } from '../../../../public/client/call/sealing.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';

const primitives = { ctr, sha256, hmac, extract, expand };
const codec = new PcmCodec();
const format = createAudioFormat();

/** @param {Uint8Array} key @param {string} id @param {number} drawn random bits of this join */
const sealingOf = (key, id, drawn = 1) =>
  new Sealing(primitives, key, id, (bytes) => void bytes.fill(drawn));
const key = new Uint8Array(16).fill(7);

/** @param {Sealing} sealing @returns {(value: number) => Uint8Array} */
function sender(sealing) {
  const encoder = sealing.encoder(new PayloadEncoder(codec.createEncoder(format), format));
  return (value) => {
    const out = new Uint8Array(1200);
    encoder.begin(new Float32Array(format.frameValues).fill(value), out, 5);
    return out.slice(5, 5 + encoder.end());
  };
}

/** @param {Sealing} sealing @param {number} number @returns {(bytes: Uint8Array) => number} */
function receiver(sealing, number) {
  const decoder = sealing.decoder(new PayloadDecoder(codec.createDecoder(format), format), number);
  return (bytes) => {
    const out = new Float32Array(format.frameValues);
    decoder.decode(bytes, 0, bytes.length, out, 0);
    return Number(out[100].toFixed(2));
  };
}

describe('sealed sound', () => {
  it('is opened by those with the key, and is larger by no more than 20 bytes', () => {
    const say = sender(sealingOf(key, '3'));
    const hear = receiver(sealingOf(key, '4'), 3);
    for (const value of [0.25, 0.5, 0.75]) {
      const bytes = say(value);
      expect(bytes.length).toBeLessThanOrEqual(241 + 20);
      expect(hear(bytes)).toBe(value);
    }
  });

  it('is encoded as other sound is, also after a pause', () => {
    const begin = vi.fn();
    const encoder = sealingOf(key, '3').encoder(
      /** @type {any} */ ({ begin, end: () => 0, close: () => {} }),
    );
    const pcm = new Float32Array(format.frameValues);
    for (const predicts of [false, true]) encoder.begin(pcm, new Uint8Array(1200), 0, 8, predicts);
    expect(begin.mock.calls.map((called) => called.slice(3))).toEqual([
      [8, false],
      [8, true],
    ]);
  });

  it('isn’t heard by those with another key, who are told so', () => {
    const say = sender(sealingOf(key, '3'));
    const other = sealingOf(new Uint8Array(16).fill(8), '4');
    const hear = receiver(other, 3);
    for (let i = 0; i < 25; i++) {
      expect(other.isWrong).toBe(false);
      expect(hear(say(0.5))).toBeLessThanOrEqual(0.13);
    }
    expect(other.isWrong).toBe(true);
    expect(other.counters).toEqual({ opened: 0, failed: 25 });
  });

  it('is heard once, in order, and as nobody else’s', () => {
    const say = sender(sealingOf(key, '3'));
    const [first, second] = [say(0.25), say(0.5)];
    const hear = receiver(sealingOf(key, '4'), 3);
    expect(hear(second)).toBe(0.5);
    // Again, or an older one.
    expect(hear(second)).toBe(0.13);
    expect(hear(first)).toBe(0.13);
    expect(receiver(sealingOf(key, '4'), 9)(second)).toBe(0.13);
  });

  it('restarts its counter with each join, under a key that was never used', () => {
    const [before, after] = [sender(sealingOf(key, '3', 1)), sender(sealingOf(key, '3', 2))];
    const hear = receiver(sealingOf(key, '4'), 3);
    const [one, other] = [before(0.5), after(0.5)];
    expect([...one.slice(10, 60)]).not.toEqual([...other.slice(10, 60)]);
    expect(hear(one)).toBe(0.5);
    expect(hear(other)).toBe(0.5);
    // Sound of the earlier join can't be played again, by any decoder of this call.
    expect(hear(one)).toBe(0.13);
    // Nor under the new key's name.
    const forged = before(0.75);
    forged.set(other.slice(0, 9));
    expect(hear(forged)).toBe(0.13);
  });

  it('is concealed where it is anything else', () => {
    for (const bytes of [
      new Uint8Array(0),
      new Uint8Array(3),
      new Uint8Array(300).fill(0xff),
      new Uint8Array(40),
    ]) {
      expect(receiver(sealingOf(key, '4'), 3)(bytes)).toBe(0.13);
    }
  });
});

describe('a room’s key', () => {
  it('is 128 bits, as a link can have them', () => {
    const text = makeRoomKey((bytes) => void bytes.fill(0xfb));
    expect(text).toMatch(/^[\w-]{22}$/);
    expect(readRoomKey(text)).toEqual(new Uint8Array(16).fill(0xfb));
    for (const wrong of ['', 'short', `${text}AAAA`, '!!!!!!!!!!!!!!!!!!!!!!'])
      expect(readRoomKey(wrong)).toBe(null);
  });
});
