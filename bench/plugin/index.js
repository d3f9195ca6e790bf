/**
 * The lab's plugin: transports, listeners' rules and congestion controllers that the product
 * doesn't have. `node server/main.js --lab bench/plugin/index.js`.
 *
 * @import { Config } from '../../server/config/config.js'
 * @import { Plugin } from '../../server/plugin.js'
 * @import { Carry } from './page/carry.js'
 * @import { CongestionController } from './controllers.js'
 * @import { RateRule, Reading } from '../../server/broadcast/rate-rule.js'
 *
 * @typedef {object} LabConfig
 * @property {Carry | 'any'} carry
 * @property {CongestionController} congestionController
 * @property {'probe' | keyof typeof RULES} listenerRule
 * @property {boolean} watchPaths
 * @property {string | null} qlog
 */

import { PROBE_RULE } from '../../server/broadcast/probe-rule.js';
import { BasicRule } from '../../server/broadcast/rate-rule.js';
import { ConfigError } from '../../server/errors/config-error.js';
import { choice, row } from '../../server/config/options.js';
import measuring from '../../testkit/plugin.js';
import { ALL_CONTROLLERS, controllerSettings } from './controllers.js';
import { beginQlogs } from './qlog.js';
import { CarriedSession } from './carried-session.js';
import { WatchedSession } from './watched-session.js';
import { MAX_PEERS, openDataChannels, SILENCE_MS } from './data-channel.js';
import { CARRIES, CARRY_QUERY, MAX_PACKET_STREAMS } from './page/carry.js';

/**
 * The highest rate that the estimate carries, not above the one that was asked for (`simple`,
 * there). An estimate that is no limit equals the sent rate, and so lowers nothing.
 * @implements {RateRule}
 */
export class SimpleRule extends BasicRule {
  /** @override @param {Reading} reading */
  step({ deliveryBps, deliveryIsLimit }) {
    if (deliveryBps === null) return null;
    const carried = this.ladder.carriedBy(PROBE_RULE.carriedShare * deliveryBps);
    return this.turnTo(deliveryIsLimit ? carried : Math.max(carried, this.index));
  }
}

/**
 * Rules by which a broadcast gives its listeners bit rates, by name, to be compared with the
 * product's: table 4.4 (page 32) of P. Nys, "Design and Implementation of Media Streaming using
 * WebTransport and QUIC", 2024, for live sound. StaticSimple and Basic both keep the requested rate
 * and differ in when they send a segment. Live sound has no segments, so here they are one.
 */
export const RULES = Object.freeze({ simple: SimpleRule, static: BasicRule, basic: BasicRule });

/** @param {Config} config */
const ours = (config) => /** @type {Config & LabConfig} */ (config);

/** @type {Plugin} */
export default {
  options: [
    ...measuring.options,
    choice(
      'carry',
      [...CARRIES, 'any'],
      'datagrams',
      'how packets go over WebTransport on the native engine; any: as each session asks, and ' +
        'over WebRTC data channels too, for the page /lab',
    ),
    choice(
      'congestion-controller',
      ALL_CONTROLLERS,
      'cubic',
      "QUIC's congestion controller on the native engine",
    ),
    choice(
      'listener-rule',
      ['probe', ...Object.keys(RULES)],
      'probe',
      'how listeners of a broadcast get their bit rate: as far as probes show that their ' +
        'path carries it, by the estimate of its throughput (simple), or as asked for (static ' +
        'and basic)',
    ),
    row(
      'boolean',
      'watch-paths',
      false,
      "counts what the server hands to QUIC for each session, beside the controller's window",
    ),
    {
      ...row(
        'path',
        'qlog',
        null,
        'directory for a qlog of each QUIC connection of the native engine, as quinn writes it ' +
          '(`npm run bench -- qlog FOLDER` completes it for qvis)',
      ),
      fallbackNote: 'none',
    },
  ],
  rateRules: RULES,
  labModule: '/bench/plugin/page/protocols.js',
  room: (config) => ({ listenerRule: ours(config).listenerRule }),

  engine(config) {
    const { carry, congestionController, engine, qlog, watchPaths } = ours(config);
    if (qlog !== null) beginQlogs(qlog);
    const settings = controllerSettings(congestionController);
    const isProduct = congestionController === 'cubic' && settings.library === null;
    if (carry === 'datagrams' && isProduct && !watchPaths) return null;
    if (engine === 'quiche' || engine === 'none')
      throw new ConfigError({
        option: '--engine',
        value: engine,
        allowed: 'auto or native with --carry, --congestion-controller, --watch-paths and --qlog',
      });
    const Session = watchPaths ? WatchedSession : CarriedSession;
    return carry === 'datagrams'
      ? { settings, ...(watchPaths && { Session }) }
      : {
          settings: { ...settings, maxStreams: MAX_PACKET_STREAMS },
          Session,
          offer:
            carry === 'any' ? { carries: CARRIES } : { url: `/session?${CARRY_QUERY}=${carry}` },
        };
  },

  async openTransport(config, services) {
    if (ours(config).carry !== 'any') return null;
    const limits = { maxSessions: MAX_PEERS, idleTimeoutMs: SILENCE_MS };
    const opened = await openDataChannels({ ...services, ...limits });
    return { name: 'datachannel', path: '/data-channels', ...opened };
  },
};
