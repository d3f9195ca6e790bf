/**
 * @import { ServerConfig } from '../../public/client/connection/choose.js'
 * @import { ParticipantTransport } from '../../testkit/participants/connection.js'
 * @import { Link } from '../link/link.js'
 * @import { RunFolder } from '../report/run-folder.js'
 * @import { Late } from '../../testkit/participants/participant.js'
 *
 * @typedef {object} LabOptions what every scenario takes
 * @property {ParticipantTransport[]} transports
 * @property {number} duration      seconds that are measured, for each transport
 * @property {number} repetitions   alternating blocks of the measurement
 * @property {number} warmUp        seconds of each block that are left out
 * @property {number} seed
 * @property {'thesis' | 'call'} format
 * @property {boolean} browser
 * @property {string} complexity of the server's encoders: 0 to 10, so that a run doesn't compare
 *   servers that are busy with such as aren't, or auto
 * @property {string[]} server      further options of the server
 * @property {boolean} [marks] true if what would be heard is marked, where a scenario has such an
 *   option
 * @property {boolean} [frames] true if what became of each frame is kept, where a scenario has such
 *   an option
 *
 * @typedef {object} Clients         makes the participants, in a process or in a browser
 * @property {(name: string, options?: object) => Promise<any>} call a function of
 *   bench/participants/participants.js
 * @property {() => Promise<void>} close  idempotent
 */

import { isBuilt } from '@aloud/native';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { quantile, sorted } from '../../testkit/statistics.js';
import { Child } from '../../testkit/participants/child.js';
import { CLIENT, CROWD, SERVER } from '../participants/whole-server.js';
import { disturbanceWarning } from '../report/marks.js';
import { serverScript } from './against.js';

/** Formats by name, as options of the server. */
export const FORMATS = Object.freeze({
  thesis: {
    words: '8 kHz, packets of 80 ms in 8 Opus frames',
    // As the release before spells it, whose server may be measured beside this one: --against.
    argv: ['--sample-rate', '8000', '--frame-ms', '80', '--opus-frames', '8'],
  },
  call: { words: '48 kHz, packets of 20 ms', argv: [] },
});

/**
 * Above this lateness of sending, at the 99th percentile, or this CPU the generator counts as the
 * bottleneck.
 */
const BOTTLENECK_LATENESS_MS = 10;
const BOTTLENECK_CPU_PERCENT = 85;

/**
 * Share of a run's told time for blocks that are measured again. Without them a run is a tenth off
 * at most (bench/test/unit/durations.test.js), so that it keeps to its time within a fifth.
 */
const REPEATS_SHARE = 0.1;

/** Fewest packets of a block whose 99th percentile of lateness is more than one packet's. */
const LEAST_PACKETS = 100;

/** Words for a block in which the generator was short of time, in a run in which it wasn't. */
const LATE_BLOCK =
  `the load generator sent more than ${BOTTLENECK_LATENESS_MS} ms late (p99) ` + 'in a part of it';

/**
 * True when a generator counts as the bottleneck.
 * @param {number} latenessMs of sending, at the 99th percentile
 * @param {number} cpuPercent of a core
 */
export const isShort = (latenessMs, cpuPercent) =>
  latenessMs > BOTTLENECK_LATENESS_MS || cpuPercent > BOTTLENECK_CPU_PERCENT;

/**
 * A scenario's means: a server at one end of a link, participants at the other, and the run's
 * folder.
 */
export class Lab {
  /** @type {Child | null} */
  #server = null;
  /** @type {Clients | null} */
  #clients = null;
  /** @type {Child | null} */
  #crowd = null;
  /** @type {Child | null} */
  #second = null;
  #port = 0;
  #startClients;
  #repeatedMs = 0;
  /** @type {number[]} */
  #latenessMs = [];
  /** @type {number[]} */
  #cpuPercents = [];

  /**
   * @param {object} options
   * @param {LabOptions} options.options
   * @param {Link} options.link
   * @param {RunFolder} options.folder
   * @param {(what: string, share: number) => void} options.progress  share of the whole, 0 to 1
   * @param {AbortSignal} options.signal aborts when the run is broken off
   * @param {() => Clients | Promise<Clients>} [options.startClients] without it, a process without
   *   a browser
   */
  constructor({ options, link, folder, progress, signal, startClients }) {
    this.#startClients = startClients ?? (() => new Child(CLIENT, link.client.exec));
    this.options = options;
    this.link = link;
    this.folder = folder;
    this.progress = progress;
    this.signal = signal;
    /** Time of the run as it was announced, in seconds. */
    this.toldSeconds = Infinity;
  }

  /** @returns {Child} */
  get server() {
    if (!this.#server) throw new Error('no server has been started');
    return this.#server;
  }

  /** @returns {Clients} */
  get clients() {
    if (!this.#clients) throw new Error('no participants have been started');
    return this.#clients;
  }

  /**
   * Starts a server again, in place of the last one, and connects the participants to it.
   * @param {string[]} argv options beside those of the format
   * @param {'packets' | 'mixes'} [observe] notes of the server about itself: contents of the
   *   answers, or of the mixes
   * @returns {Promise<ServerConfig>} the server's offer
   * @throws {Error} when it lacks a transport that is asked for
   */
  async startServer(argv = [], observe = 'packets') {
    const { origin, report } = await this.serve(argv, observe);
    this.#clients ??= await this.#startClients();
    return checkTransports(
      await this.#clients.call('open', { origin }),
      this.options.transports,
      report,
    );
  }

  /**
   * Starts a server again for a crowd (bench/participants/crowd.js), which is connected to it.
   * @param {string[]} argv options beside those of the format
   * @param {'ticks' | 'nothing'} observe  notes of the server about itself
   * @param {string} [checkout]  folder of another checkout whose server is started
   * @returns {Promise<Child>} the crowd's process
   */
  async startCrowd(argv, observe, checkout) {
    const { origin, report } = await this.serve(argv, observe, checkout);
    this.#crowd ??= new Child(CROWD, this.link.client.exec);
    checkTransports(await this.#crowd.call('open', { origin }), ['webtransport'], report);
    return this.#crowd;
  }

  /**
   * Starts a second crowd, in its own process, at the server of startCrowd(): the load of one
   * doesn't delay the other.
   * @returns {Promise<Child>}
   */
  async startSecondCrowd() {
    this.#second ??= new Child(CROWD, this.link.client.exec);
    await this.#second.call('open', { origin: this.originAt(this.link) });
    return this.#second;
  }

  /**
   * Starts a server again, without participants.
   * @param {string[]} argv options beside those of the format
   * @param {string} observe  notes of the server about itself
   * @param {string} [checkout]  folder of another checkout whose server is started
   * @returns {Promise<{ origin: string, report: string[] }>} report: its log about missing parts
   */
  async serve(argv, observe, checkout) {
    this.signal.throwIfAborted();
    await this.#server?.close();
    const script = checkout === undefined ? SERVER : pathToFileURL(serverScript(checkout));
    this.#server = new Child(script, this.link.server.exec);
    const { format, complexity, server } = this.options;
    const options = {
      argv: [...FORMATS[format].argv, '--complexity', complexity, ...argv, ...server],
      observe,
    };
    const { port, report } = await this.#server.call('start', options);
    this.#port = port;
    return { origin: this.originAt(this.link), report };
  }

  /**
   * The server's origin as it is reached over a link.
   * @param {Link} link the lab's, or a branch of it
   */
  originAt(link) {
    return `http://${link.server.address}:${this.#port}`;
  }

  /**
   * The server's audio format.
   * @returns {Promise<import('../../public/shared/sound/audio-format.js').AudioFormat>}
   */
  format() {
    return this.server.call('format');
  }

  /**
   * Lets people join, one after the other.
   * @param {{ id: string, transport: ParticipantTransport, room: string, speaks?: boolean,
   *   phaseMs?: number, startFrame?: number, late?: Late }[]} people
   */
  async join(people) {
    for (const person of people) {
      this.signal.throwIfAborted();
      await this.clients.call('join', { speaks: true, ...person });
    }
  }

  /** @param {{ id: string }[]} people */
  async leave(people) {
    for (const { id } of people) await this.clients.call('leave', { id });
  }

  /**
   * Notes the packets of all participants after the warm-up.
   * @param {number} seconds
   * @param {{ sockets?: boolean }} [options] sockets: notes those of the participants' process too
   * @returns {Promise<{ server: any, people: any[], cpuPercent: number, sockets: any }>} the notes
   *   of both ends; sockets: null where they weren't noted or can't be seen
   */
  async measure(seconds, { sockets: notesSockets = false } = {}) {
    await this.wait(this.options.warmUp);
    await this.server.call('begin');
    await this.clients.call('note', { sockets: notesSockets });
    await this.wait(seconds);
    const { people, cpuPercent, latenessMs, sockets } = await this.clients.call('take');
    this.tellGenerator(latenessMs, cpuPercent);
    return { server: await this.server.call('collect'), people, cpuPercent, sockets };
  }

  /**
   * Notes the generator's lateness and CPU, for the report.
   * @param {readonly number[]} lateness of sending, against plan, in milliseconds
   * @param {number} cpu percent of a core
   */
  tellGenerator(lateness, cpu) {
    // The percentile of a whole run hides a short time.
    const isLate = isShort(quantile(sorted(lateness), 0.99), 0);
    if (lateness.length >= LEAST_PACKETS && isLate)
      this.folder.warn(disturbanceWarning(LATE_BLOCK));
    for (const ms of lateness) this.#latenessMs.push(ms);
    this.#cpuPercents.push(cpu);
    const ascending = sorted(this.#latenessMs);
    const latenessMs = {
      p50: quantile(ascending, 0.5),
      p95: quantile(ascending, 0.95),
      p99: quantile(ascending, 0.99),
      max: quantile(ascending, 1),
    };
    const cpuPercent = Math.max(...this.#cpuPercents);
    this.folder.setGenerator({
      cpuPercent,
      latenessMs,
      bottleneck: isShort(latenessMs.p99, cpuPercent),
    });
  }

  /**
   * True if a block that doesn't count may be measured again. The run's first one always may: a run
   * of one block would have nothing otherwise. Later ones may while the time for them lasts.
   * @param {number} fromMs  when its last try began, on the folder's clock; the next takes as long
   */
  mayRepeat(fromMs) {
    const repeatedMs = this.#repeatedMs + this.folder.elapsedMs - fromMs;
    if (this.#repeatedMs > 0 && repeatedMs > 1000 * REPEATS_SHARE * this.toldSeconds) {
      this.folder.warn(
        'Some blocks that did not count were not measured again: repeats take at most ' +
          `${100 * REPEATS_SHARE} % of the time that the run told.`,
      );
      return false;
    }
    this.#repeatedMs = repeatedMs;
    return true;
  }

  /** @param {number} seconds @returns {Promise<void>} rejects when the run is broken off */
  async wait(seconds) {
    await wait(seconds * 1000, undefined, { signal: this.signal });
  }

  /**
   * The order of the protocols in one repetition: each comes first as often as the others.
   * @param {number} repetition
   * @returns {ParticipantTransport[]}
   */
  turns(repetition) {
    const { transports } = this.options;
    return transports.map((_, i) => transports[(i + repetition) % transports.length]);
  }

  /** Seconds for which each protocol is measured in each repetition. */
  get blockSeconds() {
    return this.options.duration / this.options.repetitions;
  }

  /** Ends the lab's processes; later calls start new ones. Idempotent. */
  async close() {
    await this.#clients?.close();
    await this.#second?.close();
    await this.#crowd?.close();
    await this.#server?.close();
    this.#clients = this.#second = this.#crowd = this.#server = null;
  }
}

/**
 * The transports that this machine has; the others are left out by name. A run that needs one that
 * is missing says so when it begins.
 * @param {readonly ParticipantTransport[]} transports  as they were asked for
 * @param {(warning: string) => void} warn
 * @param {boolean} [hasEngine]
 * @returns {ParticipantTransport[]} all of them where none would be left
 */
export function transportsHere(transports, warn, hasEngine = isBuilt()) {
  const left = transports.filter((name) => hasEngine || name !== 'webtransport');
  if (left.length === 0 || left.length === transports.length) return [...transports];
  warn('Left out: webtransport. The native engine is not built.');
  return left;
}

/**
 * @param {ServerConfig} config
 * @param {ParticipantTransport[]} transports the needed transports
 * @param {string[]} report log of the server about missing parts
 * @throws {Error} when one is missing
 */
function checkTransports(config, transports, report) {
  const missing = transports.find(
    (transport) => !config.transports[transport === 'http1-per-request' ? 'http1' : transport],
  );
  if (missing) throw new Error(`the server has no ${missing}. ${report.join(' ')}`);
  return config;
}
