/**
 * Reads Ogg Opus files independently of the writer. Pages are read by RFC 3533, section 6, headers
 * by RFC 7845, section 5, with checks of their required content.
 */

import { createDecoder } from 'libopus-wasm';

const text = new TextDecoder('utf-8', { fatal: true });

/** A page's checksum bit by bit: a long division by x^32 + 0x04c11db7. @param {Uint8Array} bytes */
function checksum(bytes) {
  let rest = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const top = (rest >>> 31) ^ ((byte >> bit) & 1);
      rest = (rest << 1) ^ (top ? 0x04c11db7 : 0);
    }
  }
  return rest >>> 0;
}

/**
 * @typedef {{ type: number, granule: number, serial: number, sequence: number, packets:
 *   Uint8Array[] }} Page
 */

/** @param {Uint8Array} file @returns {Page[]} */
export function readPages(file) {
  const pages = [];
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < file.length;) {
    if (text.decode(file.subarray(at, at + 4)) !== 'OggS' || file[at + 4] !== 0)
      throw new Error(`no page at ${at}`);
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]);
    const body = at + 27 + lacing.length;
    const end = lacing.reduce((sum, bytes) => sum + bytes, body);
    const page = file.slice(at, end);
    const crc = view.getUint32(at + 22, true);
    page.fill(0, 22, 26);
    if (checksum(page) !== crc) throw new Error(`wrong checksum at ${at}`);
    const packets = [];
    let from = body;
    let to = body;
    for (const bytes of lacing) {
      to += bytes;
      if (bytes === 255) continue;
      packets.push(file.subarray(from, to));
      from = to;
    }
    if (from !== to) throw new Error('a packet goes on over the end of a page');
    pages.push({
      type: file[at + 5],
      granule: Number(view.getBigUint64(at + 6, true)),
      serial: view.getUint32(at + 14, true),
      sequence: view.getUint32(at + 18, true),
      packets,
    });
    at = end;
  }
  return pages;
}

/**
 * @param {Uint8Array} file
 * @returns {Promise<{ channels: number, preSkip: number, inputRate: number, vendor: string,
 *   comments: string[], packets: Uint8Array[], pages: Page[], ended: boolean, samples: Float32Array
 *   }>} samples: as played, at 48 kHz, interleaved
 */
export async function readOggOpus(file) {
  const pages = readPages(file);
  const [
    {
      packets: [head],
    },
    {
      packets: [tags],
    },
  ] = pages;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (text.decode(head.subarray(0, 8)) !== 'OpusHead' || head.length !== 19)
    throw new Error('no OpusHead');
  const channels = head[9];
  if (head[8] !== 1 || ![1, 2].includes(channels) || head[18] !== 0)
    throw new Error('not mono or stereo of version 1');
  const preSkip = view.getUint16(10, true);
  pages.forEach(({ sequence, serial, type, granule }, i) => {
    if (sequence !== i || serial !== pages[0].serial) throw new Error(`page ${i} is out of order`);
    if ((type & 2) !== (i === 0 ? 2 : 0) || (type & 1) !== 0)
      throw new Error(`page ${i} is of type ${type}`);
    if (i < 2 && granule !== 0) throw new Error('a header with a granule position');
  });
  const decoder = await createDecoder({
    sampleRate: 48000,
    channels: /** @type {1 | 2} */ (channels),
    maxFrameSize: 5760,
  });
  const parts = [];
  let sum = 0;
  let end = 0;
  for (const { packets, granule, type } of pages.slice(2)) {
    for (const packet of packets) {
      const pcm = decoder.decodeFloat(packet).slice();
      parts.push(pcm);
      sum += pcm.length / channels;
    }
    const trimmed = (type & 4) !== 0 ? sum - granule : 0;
    if (granule + trimmed !== sum || trimmed < 0 || trimmed >= 960)
      throw new Error(`granule position ${granule} after ${sum} samples`);
    end = granule;
  }
  decoder.free();
  const all = new Float32Array(sum * channels);
  let at = 0;
  for (const pcm of parts) {
    all.set(pcm, at);
    at += pcm.length;
  }
  return {
    channels,
    preSkip,
    inputRate: view.getUint32(12, true),
    ...readTags(tags),
    packets: pages.slice(2).flatMap(({ packets }) => packets),
    pages,
    ended: (pages[pages.length - 1].type & 4) !== 0,
    samples: all.subarray(preSkip * channels, end * channels),
  };
}

/** @param {Uint8Array} tags */
function readTags(tags) {
  if (text.decode(tags.subarray(0, 8)) !== 'OpusTags') throw new Error('no OpusTags');
  const view = new DataView(tags.buffer, tags.byteOffset, tags.length);
  let at = 8;
  const take = () => {
    const length = view.getUint32(at, true);
    at += 4 + length;
    return text.decode(tags.subarray(at - length, at));
  };
  const vendor = take();
  const count = view.getUint32(at, true);
  at += 4;
  return { vendor, comments: Array.from({ length: count }, take) };
}
