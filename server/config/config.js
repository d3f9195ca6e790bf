import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { OPUS_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import { mostBitrate } from '../../public/shared/stream/bitrate.js';
import { AUDIO_HEADER_BYTES, MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { readArguments } from './command-line.js';
import { ConfigError, either, InformationRequest, show } from '../errors/config-error.js';
import { checkValue, notAllowed, parseText, unknownOption } from './option-value.js';
import { oldRows, replaceOld } from './old-options.js';
import { envOf, OPTIONS } from './options.js';
import { audioFormatOf, partsOf, readFrames, readListenAddress } from './readers.js';

export { ConfigError, InformationRequest };

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

/** @typedef {import('./options.js').Config} Config */
/** @typedef {import('./old-options.js').Replacement} Replacement */

/** Longest Opus frame of the codec opusscript in stereo, in milliseconds. */
const OPUSSCRIPT_STEREO_MS = 20;

/**
 * Shortest idle timeout of a cluster, in milliseconds: a relay reports each session every 5 s, and
 * later when it is busy.
 */
const RELAY_IDLE_MS = 7000;

const readText = (/** @type {string} */ path) => readFileSync(path, 'utf8');

/**
 * A value with its source.
 * @typedef {object} Given
 * @property {OptionValue} value
 * @property {string | null} source  null for the command line
 */

/**
 * Reads the configuration from the command line, the environment, the config file and the defaults;
 * the first that has an option wins.
 *
 * @param {object} [options]
 * @param {string[]} [options.argv]                    arguments, without node and the script
 * @param {Record<string, string | undefined>} [options.env]
 * @param {(path: string) => string} [options.readFile]  throws when the file can't be read
 * @param {string} [options.version]                   printed by --version
 * @param {readonly Readonly<OptionRow>[]} [options.more]  further rows, of a plugin
 * @param {(old: Replacement) => void} [options.onOld]  an option of the release before was given
 * @returns {Readonly<Config>}
 * @throws {ConfigError} for an unknown option, a value that isn't allowed, an unreadable file
 * @throws {InformationRequest} for --help and --version
 */
export function loadConfig({
  argv = [],
  env = {},
  readFile = readText,
  version = '',
  more = [],
  onOld = () => {},
} = {}) {
  const current = [...OPTIONS, ...more];
  const options = [...current, ...oldRows(current)];
  const flags = readArguments(argv, version, options);
  const variable = envOf('config');
  /** @type {Map<string, Given>} */
  const given = new Map();
  const environment = readEnvironment(env, options);
  if (flags.file !== null)
    readConfigFile({ path: flags.file, source: null, readFile, options }, given);
  else if (env[variable] !== undefined)
    readConfigFile({ path: env[variable], source: variable, readFile, options }, given);
  for (const [name, found] of environment) given.set(name, found);
  for (const [name, value] of flags.values) given.set(name, { value, source: null });

  for (const old of replaceOld(given, current)) onOld(old);
  for (const option of current) checkReplaced(option, given);

  const hasDomain = given.has('domain');
  const values = options
    .filter(({ name, isOld }) => !isOld || given.has(name))
    .map(({ name, key, fallback, withDomain = fallback }) => {
      return [key, given.get(name)?.value ?? (hasDomain ? withDomain : fallback)];
    });
  const config = /** @type {Config} */ (Object.fromEntries(values));
  checkTogether(config, given);
  return Object.freeze(config);
}

/**
 * Checks a value, which may have been put together from old options.
 * @param {Readonly<OptionRow>} option
 * @param {Map<string, Given>} given
 */
function checkReplaced(option, given) {
  const found = given.get(option.name);
  if (!found) return;
  const value = checkValue(option, found.value);
  if (value === undefined) throw notAllowed(option, found.value, found.source);
  given.set(option.name, { ...found, value });
}

/**
 * @param {Record<string, string | undefined>} env
 * @param {readonly Readonly<OptionRow>[]} options
 * @returns {Map<string, Given>}
 */
function readEnvironment(env, options) {
  /** @type {Map<string, Given>} */
  const given = new Map();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('ALOUD_') || variable === envOf('config') || text === undefined)
      continue;
    const option = options.find((row) => row.env === variable);
    if (!option) throw unknownOption(variable, 'the environment');
    const value = parseText(option, text);
    if (value === undefined) throw notAllowed(option, text, variable);
    given.set(option.name, { value, source: variable });
  }
  return given;
}

/**
 * @param {{ path: string, source: string | null, readFile: (path: string) => string, options:
 *   readonly Readonly<OptionRow>[] }} file source: of the path
 * @param {Map<string, Given>} given filled
 */
function readConfigFile({ path, source, readFile, options }, given) {
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
    const option = options.find((row) => row.name === name);
    if (!option)
      throw unknownOption(
        show(name),
        path,
        options.find(({ key, isOld }) => key === name && !isOld)?.name,
      );
    const value = checkValue(option, found);
    if (value === undefined) throw notAllowed(option, found, path);
    given.set(name, { value, source: path });
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** @typedef {(name: string, value: unknown, allowed: string) => never} Stop */

/**
 * Checks options that depend on each other.
 * @param {Config} config
 * @param {Map<string, Given>} given
 * @throws {ConfigError}
 */
function checkTogether(config, given) {
  /** @type {Stop} */
  const stop = (name, value, allowed) => {
    throw new ConfigError({ option: `--${name}`, value, allowed, source: given.get(name)?.source });
  };
  checkSound(config, stop);
  checkMode(config, stop);
  if (config.cert !== null && config.key === null) throw halfPair('key', 'cert');
  if (config.key !== null && config.cert === null) throw halfPair('cert', 'key');
  checkCluster(config, stop);
  checkDomain(config, stop);
  checkLan(config, stop);
  checkPorts(config, stop);
}

/** @param {Config} config @param {Stop} stop */
function checkSound(config, stop) {
  const { frameMs, channels, codec, bitrate } = config;
  const frames = partsOf(readFrames, frameMs);
  const opusMs = frames.frameMs / frames.opusFrames;
  if (!OPUS_FRAME_MS.includes(opusMs)) {
    const lengths = OPUS_FRAME_MS.join(', ');
    stop('frame-ms', frameMs, `${either(lengths)} (ms), or several Opus frames of such a length`);
  }
  if (codec === 'opusscript' && channels === 2 && opusMs > OPUSSCRIPT_STEREO_MS) {
    stop(
      'channels',
      channels,
      `1 with --codec opusscript and Opus frames of more than ${OPUSSCRIPT_STEREO_MS} ms`,
    );
  }
  // Limit for received packets, a little above that for sent ones, which streams are held to.
  const most = mostBitrate(audioFormatOf(config), MAX_PACKET_BYTES - AUDIO_HEADER_BYTES);
  if (bitrate > most)
    stop('bitrate', bitrate, `at most ${most} (b/s) with --frame-ms ${frameMs}, to fit a packet`);
}

/** @param {Config} config @param {Stop} stop */
function checkMode({ broadcast, mode, delivery }, stop) {
  if (broadcast && mode === 'forward') stop('mode', 'forward', 'mix or auto with --broadcast');
  if (mode === 'forward' && delivery === 'reply')
    stop('mode', 'forward', 'mix or auto with --delivery reply');
}

/**
 * @param {Config} config
 * @param {Stop} stop
 */
function checkCluster(config, stop) {
  const { cluster, clusterKey, workers, idleTimeoutMs, host, domains, advertiseUrl } = config;
  if (cluster === null) return;
  if (host.includes('%') && domains === null && advertiseUrl === null)
    stop(
      'host',
      host,
      'an address without a zone with --cluster, or have --advertise-url beside it: no URL has a ' +
        'zone',
    );
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
 * @param {Stop} stop
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
}

/**
 * @param {Config} config
 * @param {Stop} stop
 */
function checkLan(config, stop) {
  const { lan, domains, cert, httpPort } = config;
  if (lan && domains) stop('lan', lan, 'left out with --domain, which has its own certificate');
  if (lan && cert !== null) stop('lan', lan, 'left out with --cert, which is HTTPS too');
  if (!isHttps(config) && httpPort !== 'off')
    stop('http-port', httpPort, 'off without --domain, --cert or --lan: there is no HTTPS');
}

/**
 * Checks that no two servers listen at one TCP port.
 * @param {Config} config
 * @param {Stop} stop
 */
function checkPorts({ host, port, httpPort, metrics }, stop) {
  if (httpPort === port && port !== 0) stop('http-port', httpPort, 'another port than --port');
  const { host: metricsHost, port: metricsPort } = partsOf(readListenAddress, metrics);
  if (metricsPort === null || metricsPort === 0 || !overlap(host, metricsHost)) return;
  if (metricsPort === port) stop('metrics', metrics, 'another port than --port');
  if (metricsPort === httpPort) stop('metrics', metrics, 'another port than --http-port');
}

/** True when two hosts to listen at have a common address. @param {string} a @param {string} b */
function overlap(a, b) {
  if (a === b || a === '::' || b === '::') return true;
  if (a === 'localhost') return b === '127.0.0.1' || b === '::1';
  return (a === '0.0.0.0' && !isIPv6(b)) || (b === '0.0.0.0' && !isIPv6(a));
}

/**
 * True when the page is served over HTTPS.
 * @param {{ cert: string | null, domains?: ReadonlyArray<string> | null, lan?: boolean }} config
 */
export const isHttps = ({ cert, domains = null, lan = false }) =>
  cert !== null || domains !== null || lan;

/** Hosts that stand for all addresses of this machine. */
export const EVERY_HOST = new Set(['::', '0.0.0.0']);

/**
 * The page's address: of the first domain, or otherwise for a browser on this machine.
 * @param {Pick<Config, 'host' | 'domains' | 'cert'>} config
 * @param {number} port
 */
export function pageUrl(config, port) {
  const { host } = config;
  const name = EVERY_HOST.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  if (!config.domains) return `${isHttps(config) ? 'https' : 'http'}://${name}:${port}`;
  return `https://${config.domains[0]}${port === 443 ? '' : `:${port}`}`;
}

/**
 * @param {string} missing
 * @param {string} present
 */
function halfPair(missing, present) {
  const sentence = `--${present} needs --${missing}: give both or neither.`;
  return new ConfigError({ option: `--${missing}`, value: undefined, allowed: 'a path', sentence });
}
