/**
 * A room's link as people pass it on: that of its page, or that of its sound as a file. Programs
 * and pages capitalise parts of links and put a slash behind them.
 */
const LINK = /\/(?:r\/+([^/?#\s]+)|listen\/+([^/?#\s.]+))/i;

/**
 * Reads a room's name from its link, whole or from its path on. The name may still be none that a
 * room can have.
 * @param {string} link
 * @returns {string | null} null where it is no room's link; empty where its name can't be decoded
 */
export function roomOfLink(link) {
  const [, page, file] = LINK.exec(link) ?? [];
  const part = page ?? file;
  if (part === undefined) return null;
  try {
    return decodeURIComponent(part).trim().replace(/\s+/g, '-');
  } catch {
    return '';
  }
}
