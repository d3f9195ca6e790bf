const MARK = Buffer.from('OpusTags');

/** Most comments that are read. */
const MAX_COMMENTS = 100;

/**
 * Reads artist and title from a packet of comments (RFC 7845, section 5.2).
 * @param {Buffer} packet
 * @returns {string} "artist - title", or the one that is there; '' without both, or for a damaged
 *   packet
 */
export function titleOfTags(packet) {
  if (!MARK.equals(packet.subarray(0, MARK.length))) return '';
  let at = MARK.length;
  const number = () => {
    const value = at + 4 <= packet.length ? packet.readUInt32LE(at) : packet.length;
    at += 4;
    return value;
  };
  const vendor = number();
  at += vendor;
  /** @type {Map<string, string>} */
  const tags = new Map();
  for (let left = Math.min(number(), MAX_COMMENTS); left > 0 && at < packet.length; left--) {
    const length = number();
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(packet.toString('utf8', at, at + length)) ?? [];
    at += length;
    if (name !== undefined && !tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), value);
  }
  return [tags.get('artist'), tags.get('title')].filter(Boolean).join(' - ');
}
