/**
 * Plugins add to a server what the product doesn't have: `node server/main.js --lab FILE`. The lab
 * has the only one, to measure with it. The file's default export is a `Plugin`.
 *
 * @import { EndpointSettings } from '@aloud/native'
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Ladder } from './broadcast/ladder.js'
 * @import { RateRule } from './broadcast/rate-rule.js'
 * @import { Config } from './config/config.js'
 * @import { OptionRow } from './config/options.js'
 * @import { Log } from './log.js'
 * @import { RoomConfig } from './room/room-config.js'
 * @import { ClientAddress } from './transport/client-address.js'
 * @import { Accept, Transport } from './session/session.js'
 * @import { NativeEngineSession } from './transport/webtransport-native.js'
 *
 * @typedef {object} Plugin
 * @property {readonly OptionRow[]} [options]  further options
 * @property {Record<string, new (ladder: Ladder) => RateRule>} [rateRules]  of broadcasts, by name
 * @property {(config: Config) => Partial<RoomConfig>} [room]  settings of all rooms
 * @property {(config: Config) => EngineParts | null} [engine]  parts of the native engine, without
 *   which WebTransport is off then
 * @property {(config: Config, services: PluginServices) => Promise<AddedTransport | null>}
 *   [openTransport]
 * @property {string} [labModule]  path of a module that the page /lab loads, from the root of this
 *   repository and of the server alike; all its folder is served. It exports a LabModule
 *   (public/lab/runs/protocol.js).
 * @property {string} [file]  path of its file, from which worker threads load it too
 *
 * @typedef {object} EngineParts
 * @property {Partial<EndpointSettings>} [settings]
 * @property {typeof NativeEngineSession} [Session]  class of its sessions
 * @property {object} [offer]  WebTransport's properties in the answer to /api/config
 *
 * @typedef {{ accept: Accept, clock: Clock, log: Log, clientOf: ClientAddress }} PluginServices
 *
 * @typedef {object} AddedTransport
 * @property {string} name   its name in the answer to /api/config
 * @property {string} path   path below /api to open a session by POST
 * @property {Transport & { handle: import('express').RequestHandler } | null} transport  null if it
 *   is unavailable here
 * @property {string} line   a sentence about it, for the person who starts the server
 */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { RATE_RULES } from './broadcast/rate-rule.js';
import { ConfigError } from './errors/config-error.js';
import { OPTIONS } from './config/options.js';

const fn = z.custom((value) => typeof value === 'function', 'must be a function');

const plugin = z.strictObject({
  options: z
    .array(z.looseObject({ name: z.string(), key: z.string(), env: z.string(), type: z.string() }))
    .refine(
      (rows) => rows.every(({ name }) => OPTIONS.every((row) => row.name !== name)),
      'an option has this name already',
    )
    .optional(),
  rateRules: z.record(z.string(), fn).optional(),
  room: fn.optional(),
  engine: fn.optional(),
  openTransport: fn.optional(),
  labModule: z.string().startsWith('/').optional(),
});

/**
 * Loads a plugin, and adds its rules.
 * @param {string | null} file
 * @returns {Promise<Plugin>} an empty one without a file
 * @throws {ConfigError} when the file isn't a plugin
 */
export async function loadPlugin(file) {
  if (file === null) return {};
  const wrong = (/** @type {string} */ problem) =>
    new ConfigError({ option: '--lab', value: file, allowed: 'the file of a plugin', problem });
  const { default: found } = await import(pathToFileURL(resolve(file)).href).catch((error) => {
    throw wrong(error.message);
  });
  const { error } = plugin.safeParse(found);
  if (error) {
    const [{ path, message }] = error.issues;
    throw wrong(`${path.length > 0 ? `its ${path.join('.')}: ` : ''}${message}`);
  }
  for (const [name, rule] of Object.entries(/** @type {Plugin} */ (found).rateRules ?? {}))
    RATE_RULES.set(name, rule);
  return { ...found, file };
}
