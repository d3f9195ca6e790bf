/** Readers of options with several parts, such as keys, proxies, NATS servers and webhooks. */

import { BlockList, isIP } from 'node:net';
import {
  createAudioFormat,
  MAX_FRAME_MS,
  MAX_OPUS_FRAMES,
  OPUS_FRAME_MS,
  RATES,
} from '../../public/shared/sound/audio-format.js';
import { MAX_SERVER_DELAY_MS } from '../../public/shared/limits.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';

/** Digits only: no exponent, no hexadecimal, no space. */
export const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

/**
 * Reads an option's value, which was checked at the start.
 * @template Parts
 * @param {(value: unknown) => Parts | null} read
 * @param {unknown} value
 * @returns {Parts}
 */
export function partsOf(read, value) {
  const parts = read(value);
  if (parts === null) throw new TypeError('an option has a value that was not checked');
  return parts;
}

/** Longest delay that `auto` chooses by default, in milliseconds. */
const USUAL_MAX_DELAY_MS = 400;

/** Share of each speaker's arriving frames that `auto` waits for, in percent. */
const RECEIVED_TARGET = Object.freeze({ least: 50, usual: 99.5, most: 99.99 });

/** Allowed values, in words. */
export const SERVER_DELAY_ALLOWED =
  `auto, auto:N with N from 1 to ${MAX_SERVER_DELAY_MS} ms and perhaps /SHARE from ` +
  `${RECEIVED_TARGET.least} to ${RECEIVED_TARGET.most} %, or a number from 0 to ` +
  `${MAX_SERVER_DELAY_MS} ms`;

/**
 * Reads the delay of rooms.
 * @param {unknown} value  milliseconds, "auto", "auto:200" with the longest that it chooses, or
 *   "auto:200/98" with the share of each speaker's frames, in percent, that it waits for
 * @returns {{ serverDelayMs: number | 'auto', maxServerDelayMs: number, receivedTarget: number } |
 *   null} null if invalid
 */
export function readServerDelay(value) {
  const usual = { maxServerDelayMs: USUAL_MAX_DELAY_MS, receivedTarget: RECEIVED_TARGET.usual };
  if (value === 'auto') return { serverDelayMs: 'auto', ...usual };
  if (typeof value === 'number')
    return value >= 0 && value <= MAX_SERVER_DELAY_MS ? { serverDelayMs: value, ...usual } : null;
  const [, longest, share = RECEIVED_TARGET.usual] =
    /^auto:(\d{1,4})(?:\/(\d{1,2}(?:\.\d{1,4})?))?$/.exec(String(value)) ?? [];
  const [maxServerDelayMs, receivedTarget] = [longest, share].map(Number);
  const { least, most } = RECEIVED_TARGET;
  const isAllowed =
    maxServerDelayMs >= 1 &&
    maxServerDelayMs <= MAX_SERVER_DELAY_MS &&
    receivedTarget >= least &&
    receivedTarget <= most;
  return isAllowed ? { serverDelayMs: 'auto', maxServerDelayMs, receivedTarget } : null;
}

/** Allowed values, in words. */
export const LISTENER_BITRATE_ALLOWED =
  `auto or a whole number from ${RATES[0]} to ${RATES[RATES.length - 1]}, and perhaps /FRAMES ` +
  `from 1 to ${MAX_REDUNDANCY + 1}`;

/**
 * Reads the streams of listeners.
 * @param {unknown} value  bits a second or "auto", and perhaps frames to a packet: "auto/3"
 * @returns {{ listenerBitrate: number | 'auto', listenerStride: number | 'auto' } | null} null if
 *   invalid
 */
export function readListenerBitrate(value) {
  const [, rate, stride] = /^(auto|\d{1,6})(?:\/(\d))?$/.exec(String(value)) ?? [];
  if (rate === undefined) return null;
  const listenerBitrate = rate === 'auto' ? rate : Number(rate);
  const listenerStride = stride === undefined ? 'auto' : Number(stride);
  const isAllowed =
    (listenerBitrate === 'auto' ||
      (listenerBitrate >= RATES[0] && listenerBitrate <= RATES[RATES.length - 1])) &&
    (listenerStride === 'auto' || (listenerStride >= 1 && listenerStride <= MAX_REDUNDANCY + 1));
  return isAllowed ? { listenerBitrate, listenerStride } : null;
}

/** The directory of Let's Encrypt (https://letsencrypt.org/docs/acme-protocol-updates/). */
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** An email address that a mailto URL carries unescaped (RFC 8555, section 7.3). */
const EMAIL = /^[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;

/** @param {string} text */
export const isHttpsUrl = (text) => URL.canParse(text) && new URL(text).protocol === 'https:';

/** Allowed values, in words. */
export const ACME_ALLOWED = 'a mail address, or one and an https URL, separated by a comma';

/**
 * Reads the account with an authority.
 * @param {unknown} value  "ann@example.org", or "ann@example.org,https://ca.example/directory"
 * @returns {{ email: string, directoryUrl: string } | null} null if invalid
 */
export function readAcme(value) {
  const [, email, directoryUrl = LETS_ENCRYPT] = /^([^,]*)(?:,\s*(.*))?$/.exec(String(value)) ?? [];
  return email !== undefined && EMAIL.test(email) && isHttpsUrl(directoryUrl)
    ? { email, directoryUrl }
    : null;
}

/** Shortest Opus frame, in milliseconds. */
const MIN_FRAME_MS = Math.min(...OPUS_FRAME_MS);

/** Allowed values, in words. */
export const FRAMES_ALLOWED =
  `a number from ${MIN_FRAME_MS} to ${MAX_FRAME_MS} ms, or COUNTxLENGTH with at most ` +
  `${MAX_OPUS_FRAMES} Opus frames`;

/**
 * Reads the length of frames.
 * @param {unknown} value  milliseconds of one Opus frame, or "8x10" for eight of 10 ms
 * @returns {{ frameMs: number, opusFrames: number } | null} null if invalid; Opus may lack the
 *   length even so
 */
export function readFrames(value) {
  const [count, length] =
    typeof value === 'number'
      ? [1, value]
      : (/^(\d)x(\d{1,3}(?:\.\d{1,15})?)$/.exec(String(value))?.slice(1).map(Number) ?? []);
  const frameMs = count * length;
  const isAllowed =
    count >= 1 && count <= MAX_OPUS_FRAMES && frameMs >= MIN_FRAME_MS && frameMs <= MAX_FRAME_MS;
  return isAllowed ? { frameMs, opusFrames: count } : null;
}

/**
 * The format of rooms.
 * @param {{ sampleRate: number, channels: number, frameMs: string | number }} config
 * @throws {RangeError} when Opus lacks it
 */
export const audioFormatOf = ({ sampleRate, channels, frameMs }) =>
  createAudioFormat({ sampleRate, channels, ...partsOf(readFrames, frameMs) });

/** Largest size of recordings that can be set, in MB, and the highest age, in hours. */
const MAX_RECORDINGS = Object.freeze({ MB: 1_000_000, h: 87600 });

/** Allowed values, in words. */
export const RECORDING_LIMIT_ALLOWED =
  `a size from 0MB to ${MAX_RECORDINGS.MB}MB, an age from 1h to ${MAX_RECORDINGS.h}h, or both, ` +
  'separated by a comma';

/**
 * Reads how much is recorded, and how long it is kept.
 * @param {unknown} value  "1024MB,24h"; either part may be left out
 * @returns {{ megabytes: number, hours: number } | null} null if invalid
 */
export function readRecordingLimit(value) {
  const found = /** @type {Partial<Record<'MB' | 'h', number>>} */ ({});
  for (const part of String(value).split(',')) {
    const [, digits, unit] = /^(\d{1,7})(MB|h)$/.exec(part.trim()) ?? [];
    if (digits === undefined || Object.hasOwn(found, unit)) return null;
    found[/** @type {'MB' | 'h'} */ (unit)] = Number(digits);
  }
  const { MB: megabytes = 1024, h: hours = 24 } = found;
  const isAllowed = megabytes <= MAX_RECORDINGS.MB && hours >= 1 && hours <= MAX_RECORDINGS.h;
  return isAllowed ? { megabytes, hours } : null;
}

const LOG_LEVELS = /** @type {const} */ (['error', 'warn', 'info', 'debug']);
const LOG_FORMATS = /** @type {const} */ (['text', 'json']);

/** Allowed values, in words. */
export const LOG_ALLOWED =
  `${LOG_LEVELS.join(', ')}; ${LOG_FORMATS.join(', ')}; ` + 'or one of each, separated by a comma';

/**
 * Reads what is logged, and how.
 * @param {unknown} value  a level, a format, or both, such as "debug,json"
 * @returns {{ level: typeof LOG_LEVELS[number], format: typeof LOG_FORMATS[number] | null } | null}
 *   format: null if it depends on the terminal; null if invalid
 */
export function readLog(value) {
  const words = String(value)
    .split(',')
    .map((word) => word.trim());
  const level = LOG_LEVELS.find((word) => words.includes(word));
  const format = LOG_FORMATS.find((word) => words.includes(word));
  return words.length === Number(level !== undefined) + Number(format !== undefined)
    ? { level: level ?? 'info', format: format ?? null }
    : null;
}

/** A host to listen at; an address may carry a zone, as in fe80::1%eth0. */
const HOST = /^[a-z0-9_.:-]+(%[a-z0-9_.-]+)?$/i;

/** @param {string} text */
export const isHost = (text) => text.length <= 253 && HOST.test(text);

/** Allowed values, in words. */
export const LISTEN_ADDRESS_ALLOWED = 'off, a port from 0 to 65535, or HOST:PORT';

/**
 * Reads an address to listen on.
 * @param {unknown} value  "off", a port of this machine, or "HOST:PORT" with IPv6 in brackets
 * @returns {{ host: string, port: number | null } | null} port: null for "off"; null if invalid
 */
export function readListenAddress(value) {
  const local = '127.0.0.1';
  if (value === 'off') return { host: local, port: null };
  const [, bracketed, name, digits] =
    /^(?:\[([^\]]*)\]:|([^:]*):)?(\d{1,5})$/.exec(String(value)) ?? [];
  const [host, port] = [bracketed ?? name ?? local, Number(digits)];
  return isHost(host) && port <= 65535 ? { host, port } : null;
}

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

/** Allowed values, in words. */
export const PROXIES_ALLOWED =
  `a number of proxies from 1 to ${MAX_HOPS}, or addresses and networks (10.0.0.0/8), separated ` +
  'by commas; forwarded may follow';

/** Word of the option for the other header that names clients (RFC 7239). */
const FORWARDED = 'forwarded';

/**
 * Reads which proxies are trusted to name a client's address, and in which header.
 * @param {unknown} value  their number, or their addresses and networks, separated by commas, and
 *   perhaps "forwarded"
 * @returns {{ isTrusted: TrustedProxy, header: 'x-forwarded-for' | 'forwarded' } | null} null if
 *   invalid
 */
export function readProxies(value) {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const parts = String(value)
    .split(',')
    .map((part) => part.trim());
  const header = parts.at(-1) === FORWARDED ? FORWARDED : 'x-forwarded-for';
  const isTrusted = proxiesOf(header === FORWARDED ? parts.slice(0, -1) : parts);
  return isTrusted && { isTrusted, header };
}

/**
 * @param {string[]} parts
 * @returns {TrustedProxy | null} null if invalid
 */
function proxiesOf(parts) {
  if (parts.length === 1 && /^\d{1,2}$/.test(parts[0])) {
    const hops = Number(parts[0]);
    return hops >= 1 && hops <= MAX_HOPS ? (_address, distance) => distance < hops : null;
  }
  const list = new BlockList();
  const isAllowed =
    parts.length > 0 &&
    parts.length <= MAX_NETWORKS &&
    parts.every((part) => addNetwork(list, part));
  if (!isAllowed) return null;
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

/** A cluster's name, a token of a NATS subject. */
const CLUSTER_NAME = '[A-Za-z0-9_-]{1,32}';

/** Last of the servers, with the cluster's name behind it. */
const LAST_SERVER = new RegExp(`^((?:nats|tls)://[^/?#]+)/(${CLUSTER_NAME})$`);

/** Allowed values, in words. */
export const CLUSTER_URL_ALLOWED =
  'nats://HOST:PORT or tls://HOST:PORT, several separated by commas, with USER:PASSWORD@ or ' +
  'TOKEN@ before the first host where NATS asks for it, and perhaps /NAME behind the last, of 1 ' +
  'to 32 letters, digits, - and _';

/**
 * Reads the name of the cluster.
 * @param {string} value  of the option
 */
export const clusterNameOf = (value) => LAST_SERVER.exec(lastOf(value))?.[2] ?? 'aloud';

/** @param {string} value  several parts, separated by commas */
const lastOf = (value) => value.slice(value.lastIndexOf(',') + 1).trim();

/**
 * Reads the addresses of the cluster's NATS servers.
 * @param {unknown} value  "nats://user:password@a:4222,nats://b:4222/name"
 * @returns {{ servers: string[], user?: string, pass?: string, token?: string, tls?: object } |
 *   null} options of NATS's client; null if invalid
 */
export function readClusterUrl(value) {
  if (typeof value !== 'string' || value.length > 4096) return null;
  const parts = value.split(',').map((part) => part.trim());
  parts.push(String(parts.pop()).replace(LAST_SERVER, '$1'));
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
export const withoutCredentials = (value) => value.replaceAll(/\/\/[^,]*@/g, '//');
