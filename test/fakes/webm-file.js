/** Elements with children; the segment's size is unknown, so that it ends with the file. */
const MASTERS = new Set([
  '1a45dfa3',
  '18538067',
  '1549a966',
  '1654ae6b',
  'ae',
  'e1',
  '1f43b675',
  '1c53bb6b',
  'bb',
  'b7',
]);

/** @typedef {{ id: string, body: Uint8Array, children: Element[] }} Element */

/**
 * Reads EBML independently of the writer (RFC 8794, sections 4 and 5).
 * @param {Uint8Array} bytes
 * @returns {Element[]}
 */
export function readElements(bytes) {
  const elements = [];
  for (let at = 0; at < bytes.length;) {
    const idLength = Math.clz32(bytes[at]) - 23;
    const id = Buffer.from(bytes.subarray(at, at + idLength)).toString('hex');
    at += idLength;
    const sizeLength = Math.clz32(bytes[at]) - 23;
    let size = bytes[at] & ((1 << (8 - sizeLength)) - 1);
    let isUnknown = size === (1 << (8 - sizeLength)) - 1;
    for (let i = 1; i < sizeLength; i++) {
      size = size * 256 + bytes[at + i];
      isUnknown &&= bytes[at + i] === 255;
    }
    at += sizeLength;
    const end = isUnknown ? bytes.length : at + size;
    if (end > bytes.length) throw new Error(`element ${id} goes beyond its parent`);
    const body = bytes.subarray(at, end);
    elements.push({ id, body, children: MASTERS.has(id) ? readElements(body) : [] });
    at = end;
  }
  return elements;
}

/** @param {{ id: string, body: Uint8Array }[]} elements @param {string} id */
export const numberIn = (elements, id) =>
  (elements.find((one) => one.id === id)?.body ?? new Uint8Array()).reduce(
    (sum, byte) => sum * 256 + byte,
    0,
  );
