/** Readers of options with several parts: keys, proxies, NATS servers and webhooks. */

import { BlockList, isIP } from 'node:net';

/** Most keys: several at once, so that one can replace another without a break. */
const MAX_KEYS = 16;

/** A key's name, which tokens carry as `iss`. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A secret: HS256 needs a key as long as its hash, 32 bytes (RFC 7518, section 3.2). */
const SECRET = /^[A-Za-z0-9._~+/=-]{32,256}$/;

/** Allowed values, in words. */
export const KEYS_ALLOWED =
  'ID:SECRET, several separated by commas, the secret 32 to 256 letters, digits and -._~+/= ' +
  '(a shorter one can be guessed from a token)';

/**
 * Reads the keys that sign tokens.
 * @param {unknown} value  "id:secret", several separated by commas
 * @returns {ReadonlyMap<string, string> | null} the secrets by the keys' ids; null if invalid
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

/** Most proxies in front of the server. */
const MAX_HOPS = 16;

/** Most addresses and networks. */
const MAX_NETWORKS = 64;

/**
 * Tells if a proxy is trusted: by its address, and by its distance, 0 for the one that connects to
 * the server.
 * @typedef {(address: string, distance: number) => boolean} TrustedProxy
 */

/**
 * Reads which proxies are trusted to name a client's address.
 * @param {unknown} value  their number, or their addresses and networks, separated by commas
 * @returns {TrustedProxy | null} null if invalid
 */
export function readProxies(value) {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  if (/^\d{1,2}$/.test(text)) {
    const hops = Number(text);
    return hops >= 1 && hops <= MAX_HOPS ? (_address, distance) => distance < hops : null;
  }
  const parts = text.split(',').map((part) => part.trim());
  const list = new BlockList();
  if (parts.length > MAX_NETWORKS || !parts.every((part) => addNetwork(list, part))) return null;
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** @param {string} address */
const familyOf = (address) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * @param {BlockList} list
 * @param {string} part  an address, or a network such as 10.0.0.0/8
 * @returns {boolean} false if it is neither
 */
function addNetwork(list, part) {
  const [address, length, ...rest] = part.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (length === undefined) list.addAddress(address, familyOf(address));
  else if (/^\d{1,3}$/.test(length) && Number(length) <= most)
    list.addSubnet(address, Number(length), familyOf(address));
  else return false;
  return true;
}

/** Most servers in a list. */
const MAX_SERVERS = 16;

/** Allowed values, in words. */
export const CLUSTER_URL_ALLOWED =
  'nats://HOST:PORT or tls://HOST:PORT, several separated by commas, with USER:PASSWORD@ or ' +
  'TOKEN@ before the first host where NATS asks for it';

/**
 * Reads the addresses of the cluster's NATS servers.
 * @param {unknown} value  "nats://user:password@a:4222,nats://b:4222"
 * @returns {{ servers: string[], user?: string, pass?: string, token?: string, tls?: object } |
 *   null} options of NATS's client; null if invalid
 */
export function readClusterUrl(value) {
  if (typeof value !== 'string' || value.length > 4096) return null;
  const parts = value.split(',').map((part) => part.trim());
  if (parts.length > MAX_SERVERS) return null;
  /** @type {URL[]} */
  const urls = [];
  for (const part of parts) {
    if (!/^(nats|tls):\/\/[^/?#]+\/?$/.test(part) || !URL.canParse(part)) return null;
    const url = new URL(part);
    if (url.hostname === '' || url.port === '0') return null;
    urls.push(url);
  }
  const [{ protocol, username, password }] = urls;
  if (urls.some((url) => url.protocol !== protocol)) return null;
  try {
    const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return {
      servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
      ...(secret !== '' ? { user: name, pass: secret } : name !== '' && { token: name }),
      ...(protocol === 'tls:' && { tls: {} }),
    };
  } catch {
    return null;
  }
}

/** Allowed values, in words. */
export const WEBHOOKS_ALLOWED =
  'https or http URLs with a key, https://ID:SECRET@HOST/PATH, the secret 32 to 256 letters, ' +
  'digits and -._~+/= (a shorter one can be guessed from a signature)';

/**
 * Reads the address of a webhook.
 * @param {unknown} value  "https://id:secret@example.org/path"
 * @returns {{ url: URL, id: string, secret: string } | null} url: without the key; null if invalid
 */
export function readWebhook(value) {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return null;
  const url = new URL(value);
  try {
    const [id, secret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    if (!/^https?:$/.test(url.protocol) || !ID.test(id) || !SECRET.test(secret)) return null;
    Object.assign(url, { username: '', password: '', hash: '' });
    return { url, id, secret };
  } catch {
    return null;
  }
}

/** Removes user names and passwords. @param {string} value */
export const withoutCredentials = (value) => value.replaceAll(/\/\/[^@,]*@/g, '//');
