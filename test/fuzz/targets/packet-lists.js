/** @import { Target } from '../target.js' */

import {
  LIST_LENGTH_BYTES,
  readList,
  writeListEntry,
} from '../../../public/shared/wire/packet-list.js';
import { MAX_INPUT_BYTES } from '../inputs.js';
import { check } from '../target.js';
import { packets } from './audio-packets.js';

/** @param {Uint8Array[]} entries */
export function listOf(entries) {
  const out = new Uint8Array(MAX_INPUT_BYTES);
  let end = 0;
  for (const entry of entries) end = writeListEntry(out, end, entry);
  return out.slice(0, end);
}

const out = new Uint8Array(MAX_INPUT_BYTES);

/** Entries lie within the list, and make it again. @type {Target} */
export const packetLists = {
  name: 'packet-lists',
  cost: 2,
  valid: [
    listOf([]),
    listOf([packets[0]]),
    listOf(packets),
    listOf([new Uint8Array(0), packets[5], packets[6]]),
  ],
  run(input) {
    let end = 0;
    const isWhole = readList(input, (entry) => {
      check(
        entry.buffer === input.buffer &&
          entry.byteOffset === input.byteOffset + end + LIST_LENGTH_BYTES,
        'entries follow one another',
      );
      end = writeListEntry(out, end, entry);
    });
    check(
      end >= 0 && end <= input.length && isWhole === (end === input.length),
      'a list is whole, or ends within an entry',
    );
    for (let i = 0; i < end; i++)
      if (out[i] !== input[i]) check(false, 'a list is written as it was read');
  },
};
