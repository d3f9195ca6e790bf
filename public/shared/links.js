/**
 * A room's link: of its page, or of its sound as a file. Programs and pages capitalise parts of
 * links or append a slash.
 */
const LINK = /\/(?:r\/+([^/?#\s]+)|listen\/+([^/?#\s.]+))/i;

/**
 * Reads a room's name from its link, or from the path of the link. The name may still be invalid.
 * @param {string} link
 * @returns {string | null} null when it is no room's link; empty when its name can't be decoded
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

/**
 * Query parameter of a session's URL that names its room: the server places the session before it
 * opens.
 */
export const ROOM_QUERY = 'room';

/**
 * @param {string} url of sessions
 * @param {string | undefined} room the room to join; undefined or empty for none
 */
export function sessionUrl(url, room) {
  if (!room) return url;
  const named = new URL(url);
  named.searchParams.set(ROOM_QUERY, room);
  return named.href;
}

/**
 * Reads the location of a room: from a server's address and a room's name, or from a room's link.
 * @param {string} url such as https://talk.example.org or https://talk.example.org/r/tea#token=…
 * @param {string} [room] when the link names none
 * @returns {{ origin: string, room: string, token?: string, e2eKey?: string, stage?: string }}
 * @throws {TypeError} that says what is missing
 */
export function readLink(url, room) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new TypeError(`${url} is no address of a server, such as https://talk.example.org`);
  const named = roomOfLink(parsed.pathname) ?? room;
  if (named === undefined) throw new TypeError(`which room? ${url} names none`);
  const hash = new URLSearchParams(parsed.hash.slice(1));
  const token = hash.get('token') ?? parsed.searchParams.get('token') ?? undefined;
  const e2eKey = hash.get('e2e') ?? undefined;
  const stage = hash.get('stage') ?? undefined;
  return {
    origin: parsed.origin,
    room: named,
    ...(token && { token }),
    ...(e2eKey && { e2eKey }),
    ...(stage && { stage }),
  };
}

/** Bytes of the key of a room with end-to-end encryption. */
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
