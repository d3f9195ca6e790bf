import {
  CHANNELS,
  MAX_FRAME_MS,
  MAX_OPUS_FRAMES,
  OPUS_FRAME_MS,
  SAMPLE_RATES,
} from '../../public/shared/sound/audio-format.js';
import { CARRIES } from '../../public/shared/wire/carry.js';
import {
  APPLICATIONS,
  defaultEncoderSettings as encoder,
} from '../../public/shared/stream/codec.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/rates.js';

/**
 * The table of options, from which `--help`, the environment, the config file,
 * `docs/configuration.md` and the tests are read.
 *
 * @typedef {'integer' | 'number' | 'choice' | 'boolean' | 'host' | 'path' | 'list' | 'secret' |
 *   'domains' | 'email' | 'url' | 'proxies' | 'keys' | 'origins' | 'nats' | 'name' | 'cluster-key'
 *   | 'page-url'} OptionType
 *
 * @typedef {object} OptionRow
 * @property {string} name           the flag without its dashes, and the key in the config file
 * @property {string} key            the property of the config object
 * @property {string} env            the environment variable
 * @property {OptionType} type a list is comma-separated in the environment, and a repeated flag
 * @property {string} [unit]
 * @property {number} [min]          of an integer or a number
 * @property {number} [max]
 * @property {string} [word]          a word that is allowed in place of a number
 * @property {ReadonlyArray<string | number>} [choices]
 * @property {OptionValue} fallback  the value where none is given
 * @property {OptionValue} [withDomain]  the value where none is given but --domain is
 * @property {string} [fallbackNote] what the default means, where the value doesn't say it
 * @property {string} description
 *
 * @typedef {string | number | boolean | null | ReadonlyArray<string>} OptionValue
 */

/** The longest server-side delay, in milliseconds. */
export const MAX_SERVER_DELAY_MS = 2000;

/** The directory of Let's Encrypt (https://letsencrypt.org/docs/acme-protocol-updates/). */
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** The native engine's: as in `native/settings.js`, which config.test.js compares. */
const CONGESTION_CONTROLLERS = Object.freeze([
  'cubic',
  'newreno',
  'bbr',
  'cubic-bare',
  'newreno-bare',
  'bbr-bare',
  'none',
  'copa',
]);

const LOOPBACK = Object.freeze(['localhost', '127.0.0.1', '::1']);

/** @type {ReadonlyArray<Readonly<OptionRow>>} */
export const OPTIONS = Object.freeze(
  [
    {
      ...row(
        'host',
        'host',
        '::',
        'address to listen on, for TCP and UDP; localhost: those of both families',
      ),
      fallbackNote: 'every address, IPv4 too',
    },
    {
      ...integer(
        'port',
        0,
        65535,
        8080,
        'TCP port of the page, WebSocket and HTTP/1; 0 takes a free one',
      ),
      withDomain: 443,
      fallbackNote: '443 with domain',
    },
    {
      ...integer('h3-port', 0, 65535, 4433, 'UDP port of HTTP/3; 0 takes a free one'),
      withDomain: 443,
      fallbackNote: '443 with domain',
    },
    {
      ...integer(
        'http-port',
        0,
        65535,
        80,
        'TCP port that leads to HTTPS, and answers the authority of domain; 0 takes a free one',
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
      'HTTP/3 engine; auto: the first that is there',
    ),
    choice(
      'delivery',
      ['tick', 'reply'],
      'tick',
      'tick: the server pushes each mix; reply: it answers each packet',
    ),
    choice(
      'mode',
      ['mix', 'forward', 'auto'],
      'mix',
      'how the sound of rooms gets to their people: mixed, or forwarded for their pages to ' +
        'mix; auto: forwarded in small rooms (docs/forwarding.md)',
    ),
    row(
      'boolean',
      'broadcast',
      false,
      'every room is a broadcast: the first who comes, moderators and those who are invited ' +
        'to the stage speak, all others listen (docs/broadcast.md)',
    ),
    choice(
      'forward-way',
      ['bundle', 'now'],
      'bundle',
      'how it is forwarded: as one bundle of all voices a frame, or each packet as it comes',
    ),
    {
      ...number(
        'server-delay-ms',
        0,
        MAX_SERVER_DELAY_MS,
        60,
        'ms',
        'how long after its end a frame is mixed',
      ),
      word: 'auto',
      fallback: 'auto',
      fallbackNote: 'the least that keeps everybody heard',
    },
    {
      ...integer(
        'max-server-delay-ms',
        1,
        MAX_SERVER_DELAY_MS,
        400,
        'the longest delay that auto chooses; later packets are dropped',
      ),
      unit: 'ms',
    },
    number(
      'received-target',
      50,
      99.99,
      99.5,
      '%',
      "share of each speaker's arriving frames that auto has in time",
    ),
    number(
      'straggler-ms',
      0,
      400,
      5,
      'ms',
      'who needs so much more delay than most is heard later alone; 0: all wait for all',
    ),
    { ...choice('sample-rate', SAMPLE_RATES, 48000, 'sample rate of the rooms'), unit: 'Hz' },
    choice(
      'channels',
      CHANNELS,
      1,
      'channels of rooms: 1 is mono, 2 stereo; the first person in a room may ask for either',
    ),
    number(
      'frame-ms',
      Math.min(...OPUS_FRAME_MS),
      MAX_FRAME_MS,
      20,
      'ms',
      'length of a frame, and so of a packet',
    ),
    integer(
      'opus-frames',
      1,
      MAX_OPUS_FRAMES,
      1,
      'Opus frames to a packet, equal parts of the frame',
    ),
    choice(
      'codec',
      ['auto', 'native', 'libopus-wasm', 'opusscript'],
      'auto',
      'Opus library; auto: native where it is built',
    ),
    {
      ...integer(
        'bitrate',
        6000,
        256000,
        encoder.bitrate,
        'bitrate of each Opus stream, both ways; twice as much in stereo, a third more with ' +
          'frames of 2.5 ms, and there 38000 at least, 56000 in stereo (with 5 ms 26000, 36000)',
      ),
      unit: 'b/s',
    },
    {
      ...integer(
        'complexity',
        0,
        10,
        encoder.complexity,
        'effort of the Opus encoders on the server, 10 being the most',
      ),
      word: 'auto',
      fallback: 'auto',
      fallbackNote: `${encoder.complexity}, and 0 while the server is busy`,
    },
    choice(
      'application',
      Object.keys(APPLICATIONS),
      encoder.application,
      'what the Opus encoders are tuned for',
    ),
    {
      ...integer(
        'max-speakers',
        1,
        1000,
        20,
        'people who are heard at once: the loudest of those who speak',
      ),
      unit: 'people',
    },
    row('boolean', 'level-balance', false, 'brings soft and loud speakers closer to one level'),
    row(
      'boolean',
      'silence-suppression',
      true,
      'sends no packets in which nothing is to be heard, both ways',
    ),
    {
      ...integer(
        'redundancy',
        0,
        MAX_REDUNDANCY,
        0,
        'earlier frames that a packet repeats; auto: as many as loss asks for, and none ' +
          'while a queue stands on the path',
      ),
      word: 'auto',
      fallback: 'auto',
    },
    {
      ...integer(
        'listener-stride',
        1,
        MAX_REDUNDANCY + 1,
        3,
        'frames in one packet of those who only listen: more of them at once, 20 ms later ' +
          'for each frame more',
      ),
      word: 'auto',
      fallback: 'auto',
      fallbackNote: '3; in a broadcast 1 from 64 kb/s on',
    },
    choice(
      'listener-rule',
      ['probe', 'simple', 'static', 'basic'],
      'probe',
      'how listeners of a broadcast get their bit rate: as far as probes show that their ' +
        'way carries it, by the estimate of its throughput, by the first estimate, or as asked for',
    ),
    {
      ...integer(
        'listener-bitrate',
        RATES[0],
        RATES[RATES.length - 1],
        64_000,
        'the most that listeners of a broadcast get',
      ),
      unit: 'b/s',
      word: 'auto',
      fallback: 'auto',
      fallbackNote: '64 000 for each channel',
    },
    row('boolean', 'echo', false, 'lets people hear themselves too'),
    {
      ...integer(
        'workers',
        0,
        64,
        0,
        'threads that have the rooms; 0: the main thread has them; auto: none below four ' +
          'cores, else half of the cores',
      ),
      unit: 'threads',
      word: 'auto',
      fallback: 'auto',
      fallbackNote: 'none below four cores, else half of them',
    },
    integer('max-rooms', 1, 100000, 1000, 'rooms at once'),
    integer(
      'max-participants',
      1,
      100000,
      100,
      'people in one room, those who only listen among them',
    ),
    integer('max-sessions', 1, 100000, 1000, 'people on the server'),
    {
      ...integer(
        'max-network-joins',
        1,
        100000,
        100,
        'joins in a row from one IPv4 address or IPv6 /64; then a twentieth of it each second',
      ),
      unit: 'joins',
    },
    integer(
      'relay-from',
      1,
      100000,
      1000,
      'people who only listen in one room from whom on other nodes of a cluster relay it to ' +
        'further ones',
    ),
    {
      ...integer(
        'idle-timeout-ms',
        1000,
        600000,
        15000,
        'silence after which a connection is ended',
      ),
      unit: 'ms',
    },
    {
      ...integer(
        'away-timeout-ms',
        0,
        600000,
        30000,
        'how long the place of a lost connection is kept',
      ),
      unit: 'ms',
    },
    choice(
      'congestion-controller',
      CONGESTION_CONTROLLERS,
      'cubic',
      "QUIC's congestion controller on the native engine, which governs above 32 KiB a " +
        'round trip; all but cubic, newreno and bbr are for measuring',
    ),
    choice(
      'carry',
      [...CARRIES, 'any'],
      'datagrams',
      'how packets go over WebTransport on the native engine; any: as each session asks, ' +
        'and WebRTC data channels too, for the page /lab; all but datagrams are for measuring',
    ),
    {
      ...integer(
        'receive-queue',
        8,
        4096,
        64,
        'datagrams of one session that may wait; above it the oldest are dropped',
      ),
      unit: 'datagrams',
    },
    path(
      'cert',
      'PEM file of your own certificate and its chain; the page is then HTTPS too',
      'one is made',
    ),
    path('key', "PEM file of that certificate's private key", 'one is made'),
    {
      ...row(
        'domains',
        'domain',
        null,
        'name of this server, for which a certificate is got from an authority; may be repeated',
      ),
      key: 'domains',
    },
    row(
      'email',
      'acme-email',
      null,
      "mail address for the authority; giving it agrees to the authority's terms",
    ),
    {
      ...row('url', 'acme-directory', LETS_ENCRYPT, 'ACME directory of the authority'),
      fallbackNote: "Let's Encrypt",
    },
    path(
      'cert-dir',
      'directory for certificates that the server makes or gets',
      "certs/ in aloud's own directory, or in ~/.local/state/aloud where that is an " +
        'installed package',
    ),
    {
      ...row('list', 'hostname', LOOPBACK, 'host in that certificate; may be repeated'),
      key: 'hostnames',
    },
    {
      ...row(
        'list',
        'allowed-hosts',
        null,
        'further host name by which the server may be addressed, *.NAME for those below; ' +
          'may be repeated',
      ),
      fallbackNote: "localhost, addresses, the machine's own name and the certificate's",
    },
    {
      ...row(
        'origins',
        'embed-origins',
        null,
        "origins whose pages may embed the listeners' page, such as https://example.org; *: " +
          'all (docs/broadcast.md)',
      ),
      fallbackNote: 'none',
    },
    {
      ...row(
        'secret',
        'operator-token',
        null,
        'secret that lets its holder change a running room over HTTP',
      ),
      fallbackNote: 'nobody may',
    },
    {
      ...row(
        'keys',
        'keys',
        null,
        'keys that sign tokens; giving them makes joining need a token (docs/access.md)',
      ),
      fallbackNote: 'everybody may join',
    },
    path(
      'recording-dir',
      'directory for recordings',
      "recordings/ in aloud's own directory, or in ~/.local/state/aloud where that is an " +
        'installed package',
    ),
    {
      ...integer(
        'recording-limit-mb',
        0,
        1_000_000,
        1024,
        'size of all recordings on the disk; 0: nothing is recorded',
      ),
      unit: 'MB',
    },
    {
      ...integer('recording-keep-hours', 1, 87600, 24, 'age at which recordings are deleted'),
      unit: 'h',
    },
    {
      ...row(
        'proxies',
        'trust-proxy',
        null,
        "proxies that are believed about a client's address: how many stand before the " +
          'server, or their addresses',
      ),
      fallbackNote: 'none',
    },
    choice(
      'proxy-header',
      ['x-forwarded-for', 'forwarded'],
      'x-forwarded-for',
      'header in which trusted proxies name the client',
    ),
    {
      ...row(
        'nats',
        'cluster',
        null,
        'NATS servers over which this node takes part in a cluster (docs/scaling.md)',
      ),
      fallbackNote: 'no cluster',
    },
    row(
      'name',
      'cluster-name',
      'aloud',
      'name of the cluster; nodes of others on the same NATS are not seen',
    ),
    {
      ...row(
        'cluster-key',
        'cluster-key',
        null,
        'secret, the same for all nodes, that signs the tokens with which people come back ' +
          'to their place',
      ),
      fallbackNote: 'needed with cluster',
    },
    {
      ...row(
        'page-url',
        'advertise-url',
        null,
        'address at which browsers reach this node itself, no load balancer before it',
      ),
      fallbackNote: 'that of domain, or of host',
    },
    {
      ...integer(
        'drain-seconds',
        0,
        3600,
        30,
        'time for calls to end after SIGTERM, all closing included',
      ),
      unit: 's',
    },
    choice(
      'log-level',
      ['error', 'warn', 'info', 'debug'],
      'info',
      'how much is written to standard error',
    ),
    {
      ...choice(
        'log-format',
        ['auto', 'text', 'json'],
        'auto',
        'how it is written: lines for people, or JSON',
      ),
      fallbackNote: 'text on a terminal, else JSON',
    },
    {
      ...integer(
        'metrics-port',
        0,
        65535,
        0,
        "TCP port of Prometheus' metrics; 0 takes a free one",
      ),
      word: 'off',
      fallback: 'off',
    },
    row(
      'host',
      'metrics-host',
      '127.0.0.1',
      'address to listen on for metrics, which name no room and no person',
    ),
  ].map((option) => Object.freeze(option)),
);

/**
 * Names the environment variable of an option.
 * @param {string} name
 */
export function envOf(name) {
  return `ALOUD_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** @param {string} name */
function keyOf(name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}

/**
 * @param {OptionType} type
 * @param {string} name
 * @param {OptionValue} fallback
 * @param {string} description
 * @returns {OptionRow}
 */
function row(type, name, fallback, description) {
  return { name, key: keyOf(name), env: envOf(name), type, fallback, description };
}

/**
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @param {number} fallback
 * @param {string} description
 * @returns {OptionRow}
 */
function integer(name, min, max, fallback, description) {
  return { ...row('integer', name, fallback, description), min, max };
}

/**
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @param {number} fallback
 * @param {string} unit
 * @param {string} description
 * @returns {OptionRow}
 */
function number(name, min, max, fallback, unit, description) {
  return { ...row('number', name, fallback, description), min, max, unit };
}

/**
 * @param {string} name
 * @param {ReadonlyArray<string | number>} choices
 * @param {string | number} fallback
 * @param {string} description
 * @returns {OptionRow}
 */
function choice(name, choices, fallback, description) {
  return { ...row('choice', name, fallback, description), choices };
}

/**
 * @param {string} name
 * @param {string} description
 * @param {string} fallbackNote the default in words
 * @returns {OptionRow}
 */
function path(name, description, fallbackNote) {
  return { ...row('path', name, null, description), fallbackNote };
}
