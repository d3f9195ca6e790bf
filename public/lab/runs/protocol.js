/**
 * Protocols by which the lab's clients reach the server: the transports, and more that a module of
 * the server's plugin adds.
 *
 * @import { ConnectOptions, ServerConfig } from '../../client/connection/choose.js'
 * @import { Connection } from '../../client/connection/connection.js'
 *
 * @typedef {ServerConfig & { version?: string, labModule?: string }} LabConfig labModule: URL path
 *   of the plugin's module
 *
 * @typedef {string} Protocol  name of a transport, or of an added protocol
 *
 * @typedef {object} AddedProtocol
 * @property {Protocol} name
 * @property {string} label
 * @property {string} hint  the carrier of its packets
 * @property {number[]} dash  of its line; the colour is a property of the module's style sheet
 * @property {string} [transport]  name of what the server must offer for it; default `name`
 * @property {() => string} [lacks]  sentence about what the browser lacks for it; '' if nothing
 * @property {(options: AddedOptions) => Promise<Connection>} connect rejects with a ConnectionError
 *
 * @typedef {Omit<ConnectOptions, 'transport'> & { askPage?: AskPage }} AddedOptions
 *
 * @typedef {(request: any) => MessagePort} AskPage  asks the module's `answer` in the page
 *
 * @typedef {object} LabModule  the module's default export
 * @property {(config: LabConfig) => AddedProtocol[]} protocolsOf  protocols to show
 * @property {string} style  URL of a style sheet with the protocols' colours and swatches
 * @property {(request: any, port: MessagePort) => void} answer  does in the page what the worker of
 *   a run can't; the port leads to the worker
 * @property {() => void} end  releases what `answer` opened, after a run
 */

/** Added protocols by name. @type {Map<Protocol, AddedProtocol>} */
export const added = new Map();

/** All protocols, in the order in which they are shown. @type {Protocol[]} */
export const PROTOCOLS = ['webtransport', 'websocket', 'http1'];

/**
 * Loads the module of the server's plugin, if it has one, and adds its protocols. They come after
 * WebTransport, since they go over UDP too.
 * @param {LabConfig} config
 * @returns {Promise<LabModule | null>}
 */
export async function addProtocols(config) {
  if (!config.labModule) return null;
  /** @type {{ default: LabModule }} */
  const { default: module } = await import(config.labModule);
  for (const protocol of module.protocolsOf(config)) added.set(protocol.name, protocol);
  PROTOCOLS.splice(1, 0, ...added.keys());
  return module;
}

/**
 * Length of a turn, in milliseconds: long enough to settle, short enough for all protocols to meet
 * the same network.
 */
const TURN_MS = 2000;

/** Least number of turns per protocol, even in a short run. */
const MIN_ROUNDS = 2;

/**
 * Plans the turns of protocols: all of them meet the same changes of the network, and none always
 * follows the same one.
 *
 * @template {string} P
 * @param {readonly P[]} protocols at least one
 * @param {number} durationMs of all turns together
 * @returns {{ protocol: P, ms: number, round: number }[]}
 */
export function planTurns(protocols, durationMs) {
  if (protocols.length === 1) return [{ protocol: protocols[0], ms: durationMs, round: 0 }];
  const rounds = Math.max(MIN_ROUNDS, Math.round(durationMs / (protocols.length * TURN_MS)));
  const ms = durationMs / (protocols.length * rounds);
  const turns = [];
  for (let round = 0; round < rounds; round++) {
    // Every other round is reversed; otherwise each protocol would always follow the same
    // neighbour.
    const order = round % 2 === 0 ? protocols : protocols.toReversed();
    const shift = Math.floor(round / 2) % protocols.length;
    for (let i = 0; i < order.length; i++)
      turns.push({ protocol: order[(i + shift) % order.length], ms, round });
  }
  return turns;
}

/**
 * Plans the delays of a sweep.
 * @param {{ toMs: number, stepMs: number }} options
 * @returns {number[]} from 0 on, in milliseconds
 */
export function planDelays({ toMs, stepMs }) {
  return Array.from({ length: Math.floor(toMs / stepMs) + 1 }, (_, i) => i * stepMs);
}
