/** Moments of a recording in addresses, in seconds. */

/**
 * `#t=83`, `#t=1:23` or `#t=1:00:02.5`: normal play time (W3C Media Fragments URI 1.0, section
 * 4.2.1).
 */
const FRAGMENT =
  /(?:^#|&)t=(?:npt:)?(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7}(?:\.\d{0,6})?)(?:[&,]|$)/;

/**
 * Reads the moment that an address names.
 * @param {string} hash of a URL, with its #
 * @returns {number | null} seconds; null for none
 */
export function readMoment(hash) {
  const found = FRAGMENT.exec(hash);
  if (!found) return null;
  const [, hours = '0', minutes = '0', seconds] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** @param {number} seconds @returns {string} fragment that names the moment */
export const momentHash = (seconds) => `#t=${Math.max(0, Math.floor(seconds))}`;
