/** Control messages as packets, for HTTP/1, which has no other way to carry one. */

import { PACKET_VERSION, PacketType } from './packet-format.js';

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The packet may be longer than MAX_PACKET_BYTES.
 * @param {object} message
 * @returns {Uint8Array}
 */
export function writeControl(message) {
  const json = utf8.encode(JSON.stringify(message));
  const out = new Uint8Array(1 + json.length);
  out[0] = (PACKET_VERSION << 4) | PacketType.control;
  out.set(json, 1);
  return out;
}

/**
 * @param {Uint8Array} bytes a control packet
 * @returns {unknown} the message, or undefined when it isn't JSON
 */
export function readControl(bytes) {
  try {
    return JSON.parse(fromUtf8.decode(bytes.subarray(1)));
  } catch {
    return undefined;
  }
}
