/**
 * The congestion controller of Chromium's own QUIC connections: chosen on its command line, and
 * read back from its NetLog, what its network stack did. The file is whole when the browser has
 * ended.
 */

import { z } from 'zod';

/**
 * Chromium's controllers: the connection option (a tag of QUICHE's) that chooses each, null for the
 * default, and its name in a NetLog.
 * @type {Readonly<Record<string, { option: string | null, logged: string }>>}
 */
export const CHROMIUM_CONTROLLERS = Object.freeze({
  cubic: { option: null, logged: 'CUBIC_BYTES' },
  newreno: { option: 'RENO', logged: 'RENO_BYTES' },
  bbr: { option: 'TBBR', logged: 'BBR' },
  bbr2: { option: 'B2ON', logged: 'BBRv2' },
  prague: { option: 'PRGC', logged: 'PRAGUE_CUBIC' },
});

/** Numbers of events are those of one build of Chromium: each log begins with their names. */
const NET_LOG = z.object({
  constants: z.object({
    logEventTypes: z.object({
      QUIC_SESSION_WEBTRANSPORT_CLIENT_ALIVE: z.number(),
      QUIC_CONGESTION_CONTROL_CONFIGURED: z.number(),
    }),
  }),
  events: z.array(
    z.object({
      type: z.number(),
      source: z.object({ id: z.number() }),
      params: z.object({ congestion_control_type: z.string().optional() }).optional(),
    }),
  ),
});

/**
 * Chromium's arguments for a controller.
 * @param {string} controller
 * @param {string} file  where the NetLog is written
 */
export function controllerArguments(controller, file) {
  const { option } = CHROMIUM_CONTROLLERS[controller];
  return [
    `--log-net-log=${file}`,
    ...(option === null ? [] : [`--quic-client-connection-options=${option}`]),
  ];
}

/**
 * @param {string} text of a NetLog
 * @returns {string[]} the names of the controllers that WebTransport's connections had at last,
 *   each once
 * @throws {Error} where it is no whole NetLog, or one without these events
 */
export function controllersIn(text) {
  const {
    constants: { logEventTypes: types },
    events,
  } = parse(text);
  const connections = new Set(
    events
      .filter(({ type }) => type === types.QUIC_SESSION_WEBTRANSPORT_CLIENT_ALIVE)
      .map(({ source }) => source.id),
  );
  const configured = events.filter(
    ({ type, source }) =>
      type === types.QUIC_CONGESTION_CONTROL_CONFIGURED && connections.has(source.id),
  );
  const last = new Map(
    configured.map(({ source, params }) => [
      source.id,
      params?.congestion_control_type ?? 'unnamed',
    ]),
  );
  return [...new Set(last.values())];
}

/** @param {string} text */
function parse(text) {
  try {
    return NET_LOG.parse(JSON.parse(text));
  } catch (error) {
    throw new Error("Chromium's NetLog can't be read", { cause: error });
  }
}

/**
 * In what the controller wasn't the one that was asked for; null where it was.
 * @param {string} controller
 * @param {string} text of the NetLog
 * @returns {string | null}
 */
export function controllerFault(controller, text) {
  const { logged } = CHROMIUM_CONTROLLERS[controller];
  const running = controllersIn(text);
  return running.length === 1 && running[0] === logged
    ? null
    : `Chromium's congestion controller was ${running.join(' and ') || 'not logged'}, ` +
        `not ${logged}`;
}
