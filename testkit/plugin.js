/**
 * Options that only measurements and tests need: `node server/main.js --lab testkit/plugin.js`. The
 * lab's plugin has them too.
 *
 * @import { Plugin } from '../server/plugin.js'
 */

import { fileURLToPath } from 'node:url';
import { integer, row } from '../server/config/options.js';

/** Arguments that load this plugin. */
export const WITH_PLUGIN = Object.freeze(['--lab', fileURLToPath(import.meta.url)]);

/** @type {Plugin & { options: NonNullable<Plugin['options']> }} */
export default {
  options: [
    row('boolean', 'echo', false, 'sends people their own voice too'),
    integer(
      'relay-from',
      1,
      100000,
      1000,
      'number of listeners at which other nodes of a cluster begin to relay a room',
    ),
  ],
};
