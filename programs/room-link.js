import { roomOfLink } from '../public/shared/links.js';

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
