import { CHANNELS, SAMPLE_RATES } from '../../public/shared/sound/audio-format.js';
import {
  APPLICATIONS,
  defaultEncoderSettings as encoder,
} from '../../public/shared/stream/codec.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';

/**
 * The table of options: source of `--help`, the environment, the config file,
 * `docs/configuration.md` and the tests.
 *
 * @typedef {'integer' | 'number' | 'choice' | 'boolean' | 'host' | 'path' | 'list' | 'secret' |
 *   'domains' | 'acme' | 'url' | 'proxies' | 'keys' | 'origins' | 'nats' | 'name' | 'cluster-key'
 *   | 'page-url' | 'webhooks' | 'server-delay' | 'frames' | 'recording-limit' | 'log' |
 *   'listen-address' | 'listener-bitrate'} OptionType
 *
 * @typedef {object} OptionRow
 * @property {string} name           of the flag, and key in the config file
 * @property {string} key            in the config object
 * @property {string} env            the environment variable
 * @property {OptionType} type a list is comma-separated in the environment, and a repeated flag
 * @property {string} [unit]
 * @property {number} [min]          of an integer or a number
 * @property {number} [max]
 * @property {string} [word]           word allowed in place of a number
 * @property {ReadonlyArray<string | number>} [choices]
 * @property {OptionValue} fallback  default
 * @property {OptionValue} [withDomain]  default when --domain is set
 * @property {string} [fallbackNote] the default in words, if its value doesn't explain it
 * @property {string} description
 * @property {boolean} [isOld]  accepted for one release more, and shown nowhere: old-options.js
 *
 * @typedef {string | number | boolean | null | ReadonlyArray<string>} OptionValue
 *
 * @typedef {typeof ROWS[number]} Row  one of the options below
 *
 * @typedef {{ [R in Row as R['key']]: ValueOf<R> } & MeasuringConfig} Config  the server's
 *   settings, by the keys of the options
 *
 * @typedef {object} MeasuringConfig  settings that only a plugin's options have
 * @property {boolean} [echo]  people receive their own voice too
 * @property {number} [relayFrom]  number of listeners at which other nodes begin to relay a room
 */

/**
 * A value of an option.
 * @template {Row} R
 * @typedef {(R['fallback'] extends null ? null : never)
 *   | (R extends { word: infer W } ? W : never)
 *   | (R['type'] extends 'integer' | 'number' ? number
 *   : R['type'] extends 'server-delay' | 'frames' | 'listener-bitrate' ? string | number
 *   : R['type'] extends 'boolean' ? boolean
 *   : R extends { type: 'choice', choices: ReadonlyArray<infer C> } ? C
 *   : R['type'] extends 'list' | 'domains' | 'origins' | 'webhooks' ? readonly string[]
 *   : string)} ValueOf
 */

/**
 * Key of an option's name: `maxRooms` for `max-rooms`.
 * @template {string} N
 * @typedef {N extends `${infer A}-${infer B}` ? `${A}${Capitalize<KeyOf<B>>}` : N} KeyOf
 */

const ROWS = Object.freeze(
  /** @type {const} */ ([
    {
      ...row(
        'host',
        'host',
        '::',
        'address to listen on, for TCP and UDP; localhost means both 127.0.0.1 and ::1',
      ),
      fallbackNote: 'every address, IPv4 too',
    },
    {
      ...integer(
        'port',
        0,
        65535,
        8080,
        'TCP port of the page, WebSocket and HTTP/1; 0 picks a free port',
      ),
      withDomain: 443,
      fallbackNote: '443 with domain',
    },
    {
      ...integer('h3-port', 0, 65535, 4433, 'UDP port of HTTP/3; 0 picks a free port'),
      withDomain: 443,
      fallbackNote: '443 with domain',
    },
    {
      ...integer(
        'http-port',
        0,
        65535,
        80,
        'TCP port that redirects to HTTPS and answers the authority of domain; 0 picks a free port',
      ),
      word: 'off',
      fallback: 'off',
      withDomain: 80,
      fallbackNote: '80 with domain',
    },
    choice(
      'engine',
      ['auto', 'native', 'quiche', 'none'],
      'auto',
      'HTTP/3 engine; auto: the first that is installed',
    ),
    choice(
      'delivery',
      ['tick', 'reply', 'packets'],
      'tick',
      'tick: the server pushes each mix, and the forwarded voices of a frame together; reply: it ' +
        'answers each packet with a mix; packets: as tick, but each packet is forwarded when it ' +
        'arrives',
    ),
    choice(
      'mode',
      ['mix', 'forward', 'auto'],
      'mix',
      'mix: the server mixes the sound of a room; forward: each page mixes the forwarded ' +
        'voices; auto: forward in small rooms (docs/forwarding.md)',
    ),
    row(
      'boolean',
      'broadcast',
      false,
      'every room is a broadcast: the first person, moderators and people invited to the ' +
        'stage speak, all others listen (docs/broadcast.md)',
    ),
    {
      ...row(
        'server-delay',
        'server-delay-ms',
        'auto',
        'delay between the end of a frame and its mix; auto:200 chooses at most 200 ms, and ' +
          "later packets are dropped; auto:200/98 waits for 98 % of each speaker's frames",
      ),
      fallbackNote: 'the shortest at which 99.5 % of the frames are heard, at most 400',
    },
    number(
      'straggler-ms',
      0,
      400,
      5,
      'ms',
      'extra delay above which a slow speaker is heard later than the others; 0: all wait',
    ),
    { ...choice('sample-rate', SAMPLE_RATES, 48000, 'sample rate of the rooms'), unit: 'Hz' },
    choice(
      'channels',
      CHANNELS,
      1,
      'channels of rooms: 1 is mono, 2 is stereo; the first person in a room may choose',
    ),
    row(
      'frames',
      'frame-ms',
      20,
      'length of a frame, and so of the sound in a packet; 8x10: a packet has 8 Opus frames of ' +
        '10 ms',
    ),
    choice(
      'codec',
      ['auto', 'native', 'libopus-wasm', 'opusscript'],
      'auto',
      'Opus library; auto: native if it is built',
    ),
    {
      ...integer(
        'bitrate',
        6000,
        256000,
        encoder.bitrate,
        'bitrate of each Opus stream, sent and received: doubled in stereo; a third more with ' +
          'frames of 2.5 ms, at least 38000, in stereo 56000 (with 5 ms: 26000, 36000)',
      ),
      unit: 'b/s',
    },
    {
      ...integer(
        'complexity',
        0,
        10,
        encoder.complexity,
        'effort of the Opus encoders on the server; 10 is the most',
      ),
      word: 'auto',
      fallback: 'auto',
      fallbackNote: `${encoder.complexity}, and 0 while the server is busy`,
    },
    choice(
      'application',
      /** @type {(keyof typeof APPLICATIONS)[]} */ (Object.keys(APPLICATIONS)),
      encoder.application,
      'kind of sound that the Opus encoders are tuned for',
    ),
    {
      ...integer('max-speakers', 1, 1000, 20, 'most people heard at once: the loudest speakers'),
      unit: 'people',
    },
    row('boolean', 'level-balance', false, 'brings quiet and loud speakers closer to one level'),
    row('boolean', 'silence-suppression', true, 'sends no packets of silence, in either direction'),
    {
      ...integer(
        'redundancy',
        0,
        MAX_REDUNDANCY,
        0,
        'earlier frames that a packet repeats; auto: as many as the loss requires, and none ' +
          'while packets queue on the path',
      ),
      word: 'auto',
      fallback: 'auto',
    },
    {
      ...row(
        'listener-bitrate',
        'listener-bitrate',
        'auto',
        'highest bitrate that listeners of a broadcast get, in b/s; with /3 behind it, a packet ' +
          'to a listener has three frames: each further frame allows more listeners, and delays ' +
          'their sound by 20 ms',
      ),
      fallbackNote: '64 000 for each channel, and 3 frames; in a broadcast, 1 at 64 kb/s or more',
    },
    {
      ...integer(
        'workers',
        0,
        64,
        0,
        'threads that run the rooms; 0: the main thread runs them; auto: none below four ' +
          'cores, otherwise half of the cores',
      ),
      unit: 'threads',
      word: 'auto',
      fallback: 'auto',
      fallbackNote: 'none below four cores, otherwise half of them',
    },
    integer('max-rooms', 1, 100000, 1000, 'most rooms open at once'),
    integer('max-participants', 1, 100000, 100, 'most people in one room, including listeners'),
    integer('max-sessions', 1, 100000, 1000, 'most people on the server'),
    {
      ...integer(
        'max-network-joins',
        1,
        100000,
        100,
        'joins at once from one IPv4 address or IPv6 /64; then a twentieth of that each second',
      ),
      unit: 'joins',
    },
    {
      ...integer(
        'idle-timeout-ms',
        1000,
        600000,
        15000,
        'time without packets after which a connection is closed',
      ),
      unit: 'ms',
    },
    {
      ...integer(
        'away-timeout-ms',
        0,
        600000,
        30000,
        'time for which the place of a lost connection is kept',
      ),
      unit: 'ms',
    },
    row(
      'boolean',
      'webrtc',
      false,
      'sound into rooms by WHIP and out of them by WHEP; needs the package node-datachannel ' +
        '(docs/streams.md)',
    ),
    row(
      'boolean',
      'lan',
      false,
      "for devices on the same network: HTTPS at this machine's address with a certificate that " +
        'the server makes, shown as a QR code (docs/deploying.md)',
    ),
    path(
      'cert',
      'PEM file of your own certificate and its chain; makes the page HTTPS too',
      'one is made',
    ),
    path('key', "PEM file of that certificate's private key", 'one is made'),
    {
      ...row(
        'domains',
        'domain',
        null,
        'name of this server; gets a certificate for it from an authority; may be repeated',
      ),
      key: 'domains',
    },
    row(
      'acme',
      'acme-email',
      null,
      "email address for the authority, Let's Encrypt or the one whose ACME directory follows; " +
        "setting it agrees to the authority's terms",
    ),
    path(
      'cert-dir',
      'directory for the certificates that the server makes or gets',
      "certs/ in aloud's own directory; for an installed package, in ~/.local/state/aloud",
    ),
    {
      ...row(
        'list',
        'hostname',
        null,
        'further name or address by which browsers reach the server, or *.NAME for its ' +
          'subdomains: requests may use it, and it is in the certificate that the server makes; ' +
          'may be repeated',
      ),
      key: 'hostnames',
      fallbackNote: "localhost, addresses, the machine's own name and the certificate's",
    },
    {
      ...row(
        'origins',
        'embed-origins',
        null,
        'origins whose pages may show rooms, such as https://example.org (docs/embedding.md); * ' +
          "allows all to show the listeners' page",
      ),
      fallbackNote: 'none',
    },
    {
      ...row(
        'secret',
        'operator-token',
        null,
        'secret for the HTTP API that shows and changes running rooms',
      ),
      fallbackNote: 'nobody may',
    },
    {
      ...row(
        'keys',
        'keys',
        null,
        'keys that sign tokens; once set, joining needs a token (docs/access.md)',
      ),
      fallbackNote: 'everybody may join',
    },
    {
      ...row(
        'webhooks',
        'webhook',
        null,
        'URL that is sent signed events of rooms, people and recordings; may be repeated ' +
          '(docs/operating.md)',
      ),
      key: 'webhooks',
      fallbackNote: 'none',
    },
    path(
      'recording-dir',
      'directory for recordings',
      "recordings/ in aloud's own directory; for an installed package, in " +
        '~/.local/state/aloud',
    ),
    row(
      'recording-limit',
      'recording-limit',
      '1024MB,24h',
      'largest size of all recordings together, and the age at which they are deleted; 0MB: ' +
        'nothing is recorded',
    ),
    {
      ...row(
        'proxies',
        'trust-proxy',
        null,
        "proxies trusted to name a client's address in X-Forwarded-For: their number, or their " +
          'addresses; with the word forwarded, in the header Forwarded',
      ),
      fallbackNote: 'none',
    },
    {
      ...row(
        'nats',
        'cluster',
        null,
        'NATS servers that connect this node to its cluster (docs/scaling.md); the name behind ' +
          'the last separates clusters that share NATS servers, and is aloud without it',
      ),
      fallbackNote: 'no cluster',
    },
    {
      ...row(
        'cluster-key',
        'cluster-key',
        null,
        'secret, the same for all nodes, that signs the tokens with which people resume ' +
          'their place',
      ),
      fallbackNote: 'needed with cluster',
    },
    {
      ...row(
        'page-url',
        'advertise-url',
        null,
        'address at which browsers reach this node directly, not through a load balancer',
      ),
      fallbackNote: 'from domain, or from host',
    },
    {
      ...integer(
        'drain-seconds',
        0,
        3600,
        30,
        'time from SIGTERM to the exit, in which calls may end',
      ),
      unit: 's',
    },
    {
      ...row(
        'log',
        'log',
        'info',
        'least severe level that is logged to standard error, and the format: text for people, ' +
          'or JSON',
      ),
      fallbackNote: 'text on a terminal, otherwise JSON',
    },
    row(
      'listen-address',
      'metrics',
      'off',
      'TCP port of Prometheus metrics, which name no room and no person, on 127.0.0.1 or the ' +
        'address before it; 0 picks a free port',
    ),
  ]),
);

/** @type {ReadonlyArray<Readonly<OptionRow>>} */
export const OPTIONS = ROWS;

export const DEFAULTS = Object.freeze(
  /** @type {Config} */ (Object.fromEntries(OPTIONS.map(({ key, fallback }) => [key, fallback]))),
);

/** @param {string} name  of an option */
export function envOf(name) {
  return `ALOUD_${name.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * @template {string} N
 * @param {N} name
 */
function keyOf(name) {
  const key = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return /** @type {KeyOf<N>} */ (key);
}

/**
 * @template {OptionType} T
 * @template {string} N
 * @template {OptionValue} F
 * @param {T} type
 * @param {N} name
 * @param {F} fallback
 * @param {string} description
 */
export function row(type, name, fallback, description) {
  return { name, key: keyOf(name), env: envOf(name), type, fallback, description };
}

/**
 * @template {string} N
 * @param {N} name
 * @param {number} min
 * @param {number} max
 * @param {number} fallback
 * @param {string} description
 */
export function integer(name, min, max, fallback, description) {
  return { ...row('integer', name, fallback, description), min, max };
}

/**
 * @template {string} N
 * @param {N} name
 * @param {number} min
 * @param {number} max
 * @param {number} fallback
 * @param {string} unit
 * @param {string} description
 */
export function number(name, min, max, fallback, unit, description) {
  return { ...row('number', name, fallback, description), min, max, unit };
}

/**
 * @template {string} N
 * @template {string | number} C
 * @param {N} name
 * @param {ReadonlyArray<C>} choices
 * @param {NoInfer<C>} fallback
 * @param {string} description
 */
export function choice(name, choices, fallback, description) {
  return { ...row('choice', name, fallback, description), choices };
}

/**
 * @template {string} N
 * @param {N} name
 * @param {string} description
 * @param {string} fallbackNote the default in words
 */
function path(name, description, fallbackNote) {
  return { ...row('path', name, null, description), fallbackNote };
}
