import { timingSafeEqual } from 'node:crypto';

/**
 * Compares a given key with the right one, in constant time for keys of one length.
 * @param {string | undefined} given
 * @param {string} secret
 */
export function isSecret(given, secret) {
  if (given === undefined) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
