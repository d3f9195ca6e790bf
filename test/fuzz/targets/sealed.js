/** @import { Target } from '../target.js' */

import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Sealing } from '../../../public/client/call/sealing.js';
import {
  SFrameHeader,
  SFrameKey,
  writeSFrameHeader,
} from '../../../public/shared/stream/sframe.js';
import { check } from '../target.js';

const primitives = { ctr, sha256, hmac, extract, expand };
const roomKey = new Uint8Array(16).fill(1);
const NUMBER = 3;

const key = new SFrameKey(primitives, roomKey, Uint8Array.of(0, 0, NUMBER, 1, 2, 3, 4, 5));
const sealed = [0, 1, 7, 8, 300, 70_000].map((counter) => {
  const out = new Uint8Array(200);
  return out.slice(0, key.seal(counter, new Uint8Array(counter % 97), out, 0));
});
const genuine = new Set(sealed.map(String));

const listener = new Sealing(primitives, roomKey, '9', (bytes) => void bytes.fill(7));
const plain = new Uint8Array(2400);
const header = new SFrameHeader();
const out = new Uint8Array(20);

/**
 * Only what was sealed with the key is opened, once; a header is written again as it was read,
 * where it was the shortest.
 * @type {Target}
 */
export const sealedPayloads = {
  name: 'sealed-payloads',
  cost: 20,
  valid: sealed,
  run(input) {
    if (header.read(input, 0, input.length)) {
      check(
        header.length >= 1 && header.length <= Math.min(17, input.length),
        'a header is within its bytes',
      );
      const { kid, ctr: counter, length } = header;
      const end = writeSFrameHeader(out, 0, kid, counter);
      check(end <= length, 'a header that is written is no longer than one that was read');
      check(
        header.read(out, 0, end) && header.ctr === counter,
        'a header is read as it was written',
      );
    }
    const opened = listener.open(NUMBER, input, 0, input.length, plain);
    check(
      opened < 0 || genuine.has(String(Uint8Array.from(input))),
      'nothing is opened that nobody has sealed',
    );
    check(listener.open(NUMBER, input, 0, input.length, plain) < 0, 'nothing is opened twice');
  },
};
