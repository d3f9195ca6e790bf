/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { Plugin } from '../plugin.js'
 * @import { Relays } from '../relay/relays.js'
 * @import { Elsewhere, Fact, Observer, RoomServices } from '../room/room-config.js'
 */

import { join } from 'node:path';
import { loadThreadCpuMs } from '@aloud/native';
import { TokenVerifier } from '../access/token.js';
import { SampleClock } from '../clock/sample-clock.js';
import { TickScheduler } from '../clock/tick-scheduler.js';
import { AdaptiveComplexity, processCpuMs } from '../codec/adaptive-complexity.js';
import { openCodec } from '../codec/codec.js';
import { partsOf, readKeys, readLog, readRecordingLimit } from '../config/readers.js';
import { stateDirectory } from '../packages.js';
import { Recordings } from '../recording/recordings.js';
import { Arrivals } from './arrivals.js';
import { roomConfigOf } from '../room/room-config.js';
import { Rooms } from './rooms.js';

/** Default directory of recordings. */
const RECORDING_DIRECTORY = join(stateDirectory(), 'recordings');

/**
 * @typedef {object} HostOptions
 * @property {Clock} clock
 * @property {() => number} wallNow  milliseconds since 1970
 * @property {Log} log
 * @property {Observer} [observer]
 * @property {Plugin} [plugin]
 * @property {Cluster} [cluster]  of which this server is a node
 * @property {ResumeTokens} [tokens]  signs and reads resume tokens
 * @property {Relays} [relays]    rooms of other nodes of the cluster, for listeners
 * @property {Elsewhere} [elsewhere] other hosts of the server; without it this is the only
 *   one
 * @property {RoomServices['happened']} [happened]  notifies the operator's webhooks
 */

/** Rooms with all their services, on one thread: the server's own, or a worker's. */
export class RoomHost {
  /**
   * @param {Config} config
   * @param {HostOptions} options
   * @returns {Promise<RoomHost>}
   * @throws {import('../errors/config-error.js').ConfigError} when the codec can't be loaded
   */
  static async open(config, options) {
    return new RoomHost(config, options, await openCodec(config.codec));
  }

  /**
   * @param {Config} config
   * @param {HostOptions} options
   * @param {Awaited<ReturnType<typeof openCodec>>} codec
   */
  constructor(
    config,
    { clock, wallNow, log, observer, plugin, cluster, relays, tokens, elsewhere, happened },
    { codec, line },
  ) {
    this.codec = codec;
    /** One sentence about the codec, for the person who starts the server. */
    this.codecLine = line;
    this.sampleClock = new SampleClock(clock, config.sampleRate);
    this.recordings = openRecordings(config, { clock, wallNow, log, elsewhere });
    /** Processor time of the thread that mixes, in milliseconds. */
    this.cpuMs = loadThreadCpuMs() ?? processCpuMs;
    this.effort = new AdaptiveComplexity({
      setting: config.complexity,
      clock,
      log,
      cpuMs: this.cpuMs,
    });
    this.ticks = new TickScheduler(clock);
    const { sampleClock, ticks, effort, recordings } = this;
    const services = {
      clock,
      wallNow,
      sampleClock,
      ticks,
      codec,
      effort,
      cpuMs: this.cpuMs,
      recordings,
      observer,
      cluster,
      tokens,
      happened,
    };
    this.rooms = openRooms(
      config,
      {
        ...services,
        log: partsOf(readLog, config.log).level === 'debug' ? log : { ...log, debug: undefined },
      },
      elsewhere,
      plugin,
    );
    const keys = readKeys(config.keys);
    /** Null when the server has no keys. */
    this.verifier = keys && new TokenVerifier(keys, wallNow);
    this.arrivals = new Arrivals({
      rooms: this.rooms,
      clock,
      log,
      verifier: this.verifier,
      roomsByNode: cluster,
      relays,
      elsewhere,
    });
  }

  /** Takes over a fact that another host has reported. @param {Fact} fact */
  heard(fact) {
    if (fact.type === 'recording') this.recordings.heard(fact);
    else this.arrivals.heard(fact);
  }

  /** Ends the rooms and their services. Idempotent. */
  async close() {
    this.rooms.close();
    this.effort.close();
    await this.recordings.close();
  }
}

/**
 * @param {Config} config
 * @param {RoomServices} services
 * @param {Elsewhere} [elsewhere]
 * @param {Plugin} [plugin]
 */
function openRooms(config, services, elsewhere, plugin) {
  return new Rooms({
    maxRooms: config.maxRooms,
    maxPeople: config.maxSessions,
    networkJoins: config.maxNetworkJoins,
    services,
    elsewhere,
    config: { ...roomConfigOf(config), ...plugin?.room?.(config) },
  });
}

/**
 * @param {Config} config
 * @param {{ clock: Clock, wallNow: () => number, log: Log, elsewhere?: Elsewhere }} shared
 */
function openRecordings({ recordingDir, recordingLimit }, shared) {
  const { megabytes, hours } = partsOf(readRecordingLimit, recordingLimit);
  const recordings = new Recordings({
    directory: recordingDir ?? RECORDING_DIRECTORY,
    limitBytes: megabytes * 1_000_000,
    keepHours: hours,
    ...shared,
  });
  void recordings.sweep();
  return recordings;
}
