/** The most keys: a few at once, so that one takes the place of another without a break. */
const MAX_KEYS = 16;

/** A key's name, which tokens carry as `iss`. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A secret: HS256 needs a key as long as its hash, 32 bytes (RFC 7518, section 3.2). */
const SECRET = /^[A-Za-z0-9._~+/=-]{32,256}$/;

/** What is allowed, in words. */
export const KEYS_ALLOWED =
  'ID:SECRET, several separated by commas, the secret 32 to 256 letters, digits and -._~+/= ' +
  '(a shorter one can be guessed from a token)';

/**
 * Reads the keys that sign tokens.
 * @param {unknown} value  "id:secret", several separated by commas
 * @returns {ReadonlyMap<string, string> | null} the secrets by the keys' ids; null where it can't
 *   be read
 */
export function readKeys(value) {
  if (typeof value !== 'string') return null;
  const parts = value.split(',').map((part) => part.trim());
  /** @type {Map<string, string>} */
  const keys = new Map();
  for (const part of parts) {
    const colon = part.indexOf(':');
    const [id, secret] = [part.slice(0, Math.max(colon, 0)), part.slice(colon + 1)];
    if (!ID.test(id) || !SECRET.test(secret) || keys.has(id)) return null;
    keys.set(id, secret);
  }
  return keys.size > MAX_KEYS ? null : keys;
}
