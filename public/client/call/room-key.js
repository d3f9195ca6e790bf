/** The bytes of a room's key. */
const KEY_BYTES = 16;

/**
 * Reads a room's key from a link.
 * @param {string} text  base64url (RFC 4648, section 5)
 * @returns {Uint8Array | null} null for any other text
 */
export function readRoomKey(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    return bytes.length === KEY_BYTES ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * Makes a room's key.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [fillRandom]
 * @returns {string} as in a link
 */
export function makeRoomKey(fillRandom = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = new Uint8Array(KEY_BYTES);
  fillRandom(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
