/**
 * Options of the release before, accepted for one release more: a server starts with them, and its
 * log says what to write now.
 *
 * @import { OptionRow, OptionValue } from './options.js'
 * @import { Given } from './config.js'
 *
 * @typedef {{ [name in string]?: OptionValue }} Values  values of options, by their names
 *
 * @typedef {object} OldOption
 * @property {Readonly<OptionRow>} row
 * @property {string | null} now  name of the option that has its value; null if only the lab needs
 *   the old one, whose plugin has it
 *
 * @typedef {{ option: string, write: string }} Replacement option: as it was given; write: what to
 *   write in its place
 */

import { MAX_SERVER_DELAY_MS } from '../../public/shared/limits.js';
import { MAX_OPUS_FRAMES } from '../../public/shared/sound/audio-format.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { choice, integer, number, row } from './options.js';
import { withoutCredentials } from './readers.js';

/** @type {readonly OldOption[]} */
export const OLD_OPTIONS = Object.freeze([
  { row: row('boolean', 'echo', false, ''), now: null },
  { row: integer('relay-from', 1, 100000, 1000, ''), now: null },
  { row: choice('forward-way', ['bundle', 'now'], 'bundle', ''), now: 'delivery' },
  {
    row: {
      ...integer('max-server-delay-ms', 1, MAX_SERVER_DELAY_MS, 400, ''),
      unit: 'ms',
    },
    now: 'server-delay-ms',
  },
  { row: number('received-target', 50, 99.99, 99.5, '%', ''), now: 'server-delay-ms' },
  { row: integer('opus-frames', 1, MAX_OPUS_FRAMES, 1, ''), now: 'frame-ms' },
  {
    row: {
      ...integer('listener-stride', 1, MAX_REDUNDANCY + 1, 3, ''),
      word: 'auto',
      fallback: 'auto',
    },
    now: 'listener-bitrate',
  },
  { row: row('url', 'acme-directory', null, ''), now: 'acme-email' },
  { row: row('list', 'allowed-hosts', null, ''), now: 'hostname' },
  {
    row: { ...integer('recording-limit-mb', 0, 1_000_000, 1024, ''), unit: 'MB' },
    now: 'recording-limit',
  },
  {
    row: { ...integer('recording-keep-hours', 1, 87600, 24, ''), unit: 'h' },
    now: 'recording-limit',
  },
  {
    row: choice('proxy-header', ['x-forwarded-for', 'forwarded'], 'x-forwarded-for', ''),
    now: 'trust-proxy',
  },
  { row: row('name', 'cluster-name', 'aloud', ''), now: 'cluster' },
  { row: choice('log-level', ['error', 'warn', 'info', 'debug'], 'info', ''), now: 'log' },
  { row: choice('log-format', ['auto', 'text', 'json'], 'auto', ''), now: 'log' },
  {
    row: { ...integer('metrics-port', 0, 65535, 0, ''), word: 'off', fallback: 'off' },
    now: 'metrics',
  },
  { row: row('host', 'metrics-host', '127.0.0.1', ''), now: 'metrics' },
]);

/**
 * Values of new options from their old ones, where the new one isn't given in full; undefined for
 * the default.
 * @type {Record<string, (values: Values) => OptionValue | undefined>}
 */
const VALUES = {
  delivery: ({ delivery = 'tick', 'forward-way': way }) =>
    way === 'now' && delivery === 'tick' ? 'packets' : delivery,
  'server-delay-ms': ({
    'server-delay-ms': delay = 'auto',
    'max-server-delay-ms': most = 400,
    'received-target': share,
  }) => {
    const whole = delay === 'auto' ? `auto:${most}` : delay;
    const takesShare = share !== undefined && /^auto:\d+$/.test(String(whole));
    return takesShare ? `${whole}/${share}` : whole;
  },
  'frame-ms': ({ 'frame-ms': length = 20, 'opus-frames': count }) =>
    count === 1 || typeof length === 'string'
      ? length
      : `${count}x${Number(length) / Number(count)}`,
  'listener-bitrate': ({ 'listener-bitrate': rate = 'auto', 'listener-stride': stride }) =>
    stride === 'auto' || String(rate).includes('/') ? rate : `${rate}/${stride}`,
  'acme-email': ({ 'acme-email': email, 'acme-directory': url }) =>
    email && !String(email).includes(',') ? `${email},${url}` : email,
  hostname: ({ hostname, 'allowed-hosts': hosts }) =>
    [hostname, hosts].flatMap((list) => list ?? []).map(String),
  'recording-limit': ({
    'recording-limit': limit,
    'recording-limit-mb': megabytes,
    'recording-keep-hours': hours,
  }) => limit ?? both(withUnit(megabytes, 'MB'), withUnit(hours, 'h')),
  'trust-proxy': ({ 'trust-proxy': proxies, 'proxy-header': header }) =>
    proxies && header === 'forwarded' ? `${proxies},${header}` : proxies,
  cluster: ({ cluster, 'cluster-name': name }) =>
    cluster && `${String(cluster).trim().replace(/\/$/, '')}/${name}`,
  log: ({ log, 'log-level': level, 'log-format': format }) =>
    log ?? both(level, format === 'auto' ? undefined : format),
  metrics: ({ metrics, 'metrics-port': port, 'metrics-host': host }) => {
    if (metrics !== undefined || port === undefined || port === 'off') return metrics ?? port;
    if (host === undefined) return String(port);
    return `${String(host).includes(':') ? `[${host}]` : host}:${port}`;
  },
};

/** @param {OptionValue | undefined} value @param {string} unit */
const withUnit = (value, unit) => (value === undefined ? undefined : `${value}${unit}`);

/** @param {...(OptionValue | undefined)} parts */
const both = (...parts) => parts.filter((part) => part !== undefined).join(',') || undefined;

/**
 * The rows that are still accepted, without the names that a plugin has.
 * @param {readonly Readonly<OptionRow>[]} options  of this release
 */
export const oldRows = (options) =>
  OLD_OPTIONS.map(({ row: old }) => ({ ...old, isOld: true })).filter(
    ({ name }) => !options.some((option) => option.name === name),
  );

/**
 * Replaces old options that were given by new ones.
 * @param {Map<string, Given>} given  changed; its new values are not checked
 * @param {readonly Readonly<OptionRow>[]} options  of this release
 * @returns {Replacement[]}
 */
export function replaceOld(given, options) {
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
  const isOld = new Set(oldRows(options).map(({ name }) => name));
  return OLD_OPTIONS.flatMap(({ row: old, now }) => {
    const found = given.get(old.name);
    if (!found || !isOld.has(old.name)) return [];
    const place = found.source === null ? 'flag' : found.source === old.env ? 'variable' : 'file';
    const option = written(old, found.value, place);
    if (now === null) return { option, write: 'nothing: it is for measuring alone' };
    given.delete(old.name);
    const value = VALUES[now](values);
    if (value === undefined) return { option, write: 'nothing: it changes nothing here' };
    given.set(now, { value, source: found.source });
    const current = /** @type {Readonly<OptionRow>} */ (options.find(({ name }) => name === now));
    return { option, write: written(current, value, place) };
  });
}

/**
 * An option as a person writes it.
 * @param {Readonly<OptionRow>} option
 * @param {OptionValue} value
 * @param {'flag' | 'variable' | 'file'} place
 */
function written({ name, env, type }, value, place) {
  const shown = type === 'nats' ? withoutCredentials(String(value)) : value;
  if (place === 'file') return `"${name}": ${JSON.stringify(shown)}`;
  const texts = Array.isArray(shown) ? shown : [String(shown)];
  return place === 'variable'
    ? `${env}=${texts.join(',')}`
    : texts.map((text) => `--${name} ${text}`).join(' ');
}

/** Removed options, by name, with the reason and the replacement. */
export const GONE = Object.freeze(
  /** @type {Record<string, string>} */ ({
    carry: 'measuring alone needs it (bench/docs/measuring.md)',
    'congestion-controller': 'measuring alone needs it (bench/docs/measuring.md)',
    'listener-rule': 'measuring alone needs it (bench/docs/measuring.md)',
    'receive-queue': 'the engine keeps 64 datagrams of a session',
  }),
);
