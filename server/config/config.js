import { readFileSync } from 'node:fs';
import {
  createAudioFormat,
  MAX_FRAME_MS,
  OPUS_FRAME_MS,
} from '../../public/shared/sound/audio-format.js';
import { mostBitrate } from '../../public/shared/stream/bitrate.js';
import { AUDIO_HEADER_BYTES, MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { readArguments } from './command-line.js';
import {
  ConfigError,
  InformationRequest,
  notAllowed,
  show,
  unknownOption,
} from './config-error.js';
import { checkValue, either, parseText } from './option-value.js';
import { envOf, OPTIONS } from './options.js';

export { ConfigError, InformationRequest };

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

/**
 * The server's settings. Units and ranges are in the table of options, and in
 * docs/configuration.md.
 *
 * @typedef {object} Config
 * @property {string} host
 * @property {number} port
 * @property {number} h3Port
 * @property {number | 'off'} httpPort      that leads to HTTPS
 * @property {'auto' | 'native' | 'quiche' | 'none'} engine
 * @property {'tick' | 'reply'} delivery
 * @property {number | 'auto'} serverDelayMs
 * @property {number} maxServerDelayMs      the most that auto chooses
 * @property {number} receivedTarget        percent of frames that auto has in time
 * @property {number} stragglerMs who needs so much more delay than most is heard later alone; 0:
 *   nobody
 * @property {number} sampleRate
 * @property {number} channels             1 or 2
 * @property {number} frameMs
 * @property {number} opusFrames
 * @property {'auto' | 'native' | 'libopus-wasm' | 'opusscript'} codec
 * @property {number} bitrate
 * @property {number | 'auto'} complexity
 * @property {'voip' | 'audio' | 'low-delay'} application
 * @property {number} maxSpeakers           people who are mixed at once
 * @property {boolean} levelBalance
 * @property {'mix' | 'forward' | 'auto'} mode
 * @property {readonly string[] | null} embedOrigins whose pages may embed the listeners' page;
 *   ['*'] for all
 * @property {boolean} broadcast  whether each room begins as a broadcast
 * @property {'bundle' | 'now'} forwardWay
 * @property {boolean} silenceSuppression
 * @property {number | 'auto'} redundancy
 * @property {number | 'auto'} listenerStride  frames in one packet of those who only listen
 * @property {number} relayFrom people who only listen in a room from whom on other nodes relay it
 * @property {'probe' | 'simple' | 'static' | 'basic'} listenerRule
 * @property {number | 'auto'} listenerBitrate  the most that listeners of a broadcast get, b/s
 * @property {boolean} echo
 * @property {number | 'auto'} workers    threads that have the rooms; 0: none but the main one
 * @property {number} maxRooms
 * @property {number} maxParticipants       in one room
 * @property {number} maxSessions           on the server
 * @property {number} maxNetworkJoins       in a row, from one IPv4 address or IPv6 /64
 * @property {number} idleTimeoutMs
 * @property {number} awayTimeoutMs
 * @property {import('@aloud/native').CongestionController} congestionController
 * @property {import('../../public/shared/wire/carry.js').Carry | 'any'} carry
 * @property {number} receiveQueue          datagrams
 * @property {string | null} cert           null where the server makes its own
 * @property {string | null} key
 * @property {string | null} certDir        null for certs/ in aloud's own directory
 * @property {ReadonlyArray<string> | null} domains names for which an authority issues the
 *   certificate
 * @property {string | null} acmeEmail      given wherever domains are
 * @property {string} acmeDirectory         URL
 * @property {ReadonlyArray<string>} hostnames
 * @property {ReadonlyArray<string> | null} allowedHosts names besides localhost, the machine's and
 *   the certificate's
 * @property {string | null} operatorToken  null where nobody may change a running room
 * @property {string | null} keys          for readKeys; null where joining needs no token
 * @property {string | null} recordingDir   null for recordings/ in aloud's own directory
 * @property {number} recordingLimitMb      0: nothing is recorded
 * @property {number} recordingKeepHours
 * @property {string | null} trustProxy     for readProxies
 * @property {'x-forwarded-for' | 'forwarded'} proxyHeader
 * @property {string | null} cluster for readClusterUrl; null where this server is no node of a
 *   cluster
 * @property {string} clusterName
 * @property {string | null} clusterKey    given wherever cluster is
 * @property {string | null} advertiseUrl  null for the page's own address
 * @property {number} drainSeconds
 * @property {'error' | 'warn' | 'info' | 'debug'} logLevel
 * @property {'auto' | 'text' | 'json'} logFormat  auto: text on a terminal
 * @property {number | 'off'} metricsPort   0 for a free one
 * @property {string} metricsHost
 */

/** The longest Opus frame that the codec opusscript has in stereo, in milliseconds. */
const OPUSSCRIPT_STEREO_MS = 20;

/**
 * The least idle timeout of a cluster, in milliseconds: a relay tells of each session every 5 s,
 * and later where it is busy.
 */
const RELAY_IDLE_MS = 7000;

const readText = (/** @type {string} */ path) => readFileSync(path, 'utf8');

/**
 * A value as it was found.
 * @typedef {object} Given
 * @property {OptionValue} value
 * @property {string | null} source  null for the command line
 */

/**
 * Reads the configuration from the command line, the environment, the config file and the defaults,
 * of which the first that has an option wins.
 *
 * @param {object} [options]
 * @param {string[]} [options.argv]                    arguments, without node and the script
 * @param {Record<string, string | undefined>} [options.env]
 * @param {(path: string) => string} [options.readFile]  throws when the file can't be read
 * @param {string} [options.version]                   what --version prints
 * @returns {Readonly<Config>}
 * @throws {ConfigError} for an unknown option, a value that isn't allowed, an unreadable file
 * @throws {InformationRequest} for --help and --version
 */
export function loadConfig({ argv = [], env = {}, readFile = readText, version = '' } = {}) {
  const flags = readArguments(argv, version);
  const variable = envOf('config');
  /** @type {Map<string, Given>} */
  const given = new Map();
  const environment = readEnvironment(env);
  if (flags.file !== null) readConfigFile(flags.file, null, readFile, given);
  else if (env[variable] !== undefined) readConfigFile(env[variable], variable, readFile, given);
  for (const [name, found] of environment) given.set(name, found);
  for (const [name, value] of flags.values) given.set(name, { value, source: null });

  const hasDomain = given.has('domain');
  const values = OPTIONS.map(({ name, key, fallback, withDomain = fallback }) => {
    return [key, given.get(name)?.value ?? (hasDomain ? withDomain : fallback)];
  });
  const config = /** @type {Config} */ (Object.fromEntries(values));
  checkTogether(config, given);
  return Object.freeze(config);
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Map<string, Given>}
 */
function readEnvironment(env) {
  /** @type {Map<string, Given>} */
  const given = new Map();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('ALOUD_') || variable === envOf('config') || text === undefined)
      continue;
    const option = OPTIONS.find((row) => row.env === variable);
    if (!option) throw unknownOption(variable, 'the environment');
    const value = parseText(option, text);
    if (value === undefined) throw notAllowed(option, text, variable);
    given.set(option.name, { value, source: variable });
  }
  return given;
}

/**
 * @param {string} path
 * @param {string | null} source where the path came from
 * @param {(path: string) => string} readFile
 * @param {Map<string, Given>} given filled
 */
function readConfigFile(path, source, readFile, given) {
  const wrong = (/** @type {string} */ trouble) => {
    const allowed = 'the path of a JSON file that holds one object';
    return new ConfigError({ option: '--config', value: path, source, allowed, problem: trouble });
  };
  let content;
  try {
    content = JSON.parse(readFile(path));
  } catch (error) {
    throw wrong(
      error instanceof SyntaxError
        ? 'it is not JSON'
        : reasonOf(error) === 'ENOENT'
          ? 'there is no such file'
          : `it can't be read (${reasonOf(error)})`,
    );
  }
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  if (!isObject) throw wrong('it holds no object');
  for (const [name, found] of Object.entries(content)) {
    const option = OPTIONS.find((row) => row.name === name);
    if (!option)
      throw unknownOption(show(name), path, OPTIONS.find(({ key }) => key === name)?.name);
    const value = checkValue(option, found);
    if (value === undefined) throw notAllowed(option, found, path);
    given.set(name, { value, source: path });
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/**
 * Checks what depends on several options.
 * @param {Config} config
 * @param {Map<string, Given>} given
 * @throws {ConfigError}
 */
function checkTogether(config, given) {
  const { frameMs, opusFrames, channels, codec, bitrate, engine, carry } = config;
  /** @type {(name: string, value: unknown, allowed: string) => never} */
  const stop = (name, value, allowed) => {
    throw new ConfigError({ option: `--${name}`, value, allowed, source: given.get(name)?.source });
  };
  try {
    createAudioFormat(config);
  } catch {
    // Each value is in its range by itself; a person who sets both thinks of the frame first.
    const lengths = either(frameLengths(opusFrames).join(', '));
    stop('frame-ms', frameMs, `${lengths} (ms) with --opus-frames ${opusFrames}`);
  }
  if (codec === 'opusscript' && channels === 2 && frameMs / opusFrames > OPUSSCRIPT_STEREO_MS) {
    stop(
      'channels',
      channels,
      `1 with --codec opusscript and Opus frames of more than ${OPUSSCRIPT_STEREO_MS} ms`,
    );
  }
  // A little above what is written: streams are held to that.
  const most = mostBitrate(config, MAX_PACKET_BYTES - AUDIO_HEADER_BYTES);
  if (bitrate > most)
    stop('bitrate', bitrate, `at most ${most} (b/s) with --frame-ms ${frameMs}, to fit a packet`);
  if (config.broadcast && config.mode === 'forward')
    stop('mode', 'forward', 'mix or auto with --broadcast');
  if (config.mode === 'forward' && config.delivery === 'reply')
    stop('mode', 'forward', 'mix or auto with --delivery reply');
  if (carry !== 'datagrams' && (engine === 'quiche' || engine === 'none'))
    stop('carry', carry, `datagrams with --engine ${engine}`);
  if (config.cert !== null && config.key === null) throw halfPair('key', 'cert');
  if (config.key !== null && config.cert === null) throw halfPair('cert', 'key');
  checkCluster(config, stop);
  checkDomain(config, stop);
}

/**
 * @param {Config} config
 * @param {(name: string, value: unknown, allowed: string) => never} stop
 */
function checkCluster({ cluster, clusterKey, workers, idleTimeoutMs }, stop) {
  if (cluster === null) return;
  if (idleTimeoutMs < RELAY_IDLE_MS)
    stop(
      'idle-timeout-ms',
      idleTimeoutMs,
      `at least ${RELAY_IDLE_MS} (ms) with --cluster: a node hears every 5 s of those who ` +
        'listen at another',
    );
  if (clusterKey === null) {
    const allowed = '32 to 256 letters, digits and -._~+/=';
    const sentence = `--cluster needs --cluster-key: ${allowed}, the same on all nodes.`;
    throw new ConfigError({ option: '--cluster-key', value: undefined, allowed, sentence });
  }
  if (workers !== 'auto' && workers > 0)
    stop(
      'workers',
      workers,
      'auto or 0 with --cluster: a node has its rooms on its main thread, and a machine may ' +
        'have several nodes',
    );
}

/**
 * @param {Config} config
 * @param {(name: string, value: unknown, allowed: string) => never} stop
 */
function checkDomain({ domains, acmeEmail, cert, httpPort }, stop) {
  if (domains && cert !== null) {
    const sentence = "--domain and --cert don't go together: leave one of them out.";
    throw new ConfigError({
      option: '--domain',
      value: domains,
      allowed: 'left out with --cert',
      sentence,
    });
  }
  if (domains && acmeEmail === null) {
    const sentence = '--domain needs --acme-email, an address for the certificate authority.';
    throw new ConfigError({
      option: '--acme-email',
      value: undefined,
      allowed: 'a mail address',
      sentence,
    });
  }
  if (domains && httpPort === 'off')
    stop('http-port', httpPort, 'a port with --domain: the authority asks there');
  if (!domains && cert === null && httpPort !== 'off')
    stop('http-port', httpPort, 'off without --domain or --cert: there is no HTTPS');
}

/**
 * Whether the page is served over HTTPS.
 * @param {{ cert: string | null, domains?: ReadonlyArray<string> | null }} config
 */
export const isHttps = ({ cert, domains = null }) => cert !== null || domains !== null;

/**
 * @param {string} missing
 * @param {string} present
 */
function halfPair(missing, present) {
  const sentence = `--${present} needs --${missing}: give both or neither.`;
  return new ConfigError({ option: `--${missing}`, value: undefined, allowed: 'a path', sentence });
}

/** @param {number} opusFrames */
const frameLengths = (opusFrames) =>
  OPUS_FRAME_MS.map((ms) => ms * opusFrames).filter((ms) => ms <= MAX_FRAME_MS);
