/**
 * Participants who join repeatedly while another one speaks: clients in a process, or the page's
 * own call in a browser.
 * @import { TransportName } from '../../public/client/connection/connection.js'
 * @import { Lab } from '../scenarios/lab.js'
 * @import { ConnectionKind } from './conditions.js'
 * @import { Part } from './steps.js'
 *
 * @typedef {object} Leg  compared case
 * @property {TransportName} transport
 * @property {ConnectionKind} connection
 *
 * @typedef {object} Setup  times from the beginning, in milliseconds; Infinity if never
 * @property {number} total   until the first sound
 * @property {number} joined  until the client reports it
 * @property {Partial<Record<Part, number>>} parts  of the total, if visible
 * @property {boolean | null} isResumed true if a TLS session was resumed; null if
 *   unknown
 *
 * @typedef {object} Joiner
 * @property {() => Promise<TransportName[]>} open starts the speaker; returns the
 *   available transports
 * @property {(leg: Leg) => Promise<void>} prepare
 * @property {(leg: Leg) => Promise<Setup>} join
 * @property {() => Promise<void>} leave
 * @property {() => Promise<{ latenessMs: number[], cpuPercent: number }>} load since the last call:
 *   lateness of the speaker, and CPU of the joiner
 * @property {() => Promise<void>} close
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CERTIFICATE_FILE,
  generateCertificate,
  KEY_FILE,
  writeCertificate,
} from '../../server/certificate/generate.js';
import { Child } from '../../testkit/participants/child.js';

const PROCESS = new URL('setup-process.js', import.meta.url);

const ROOM = 'setup';

/** Time in which something must be heard, in seconds; later counts as never. */
const PATIENCE_SECONDS = 15;
const QUICK_PATIENCE_SECONDS = 5;

/** @param {object} options of the run @returns {number} seconds */
export const patienceOf = (options) =>
  /** @type {{ quick?: boolean }} */ (options).quick ? QUICK_PATIENCE_SECONDS : PATIENCE_SECONDS;

/** Time between looks at a page's recording, in seconds. */
const LOOK_SECONDS = 0.2;

/**
 * Clients in a process at the client's end, over HTTPS as pages have it. The speaker is at the
 * server's end, so that the link carries nothing but a setup.
 * @implements {Joiner}
 */
export class ClientJoiner {
  #lab;
  #folder = '';
  /** @type {Child | null} */
  #speaker = null;
  /** @type {Child | null} */
  #listener = null;

  /** @param {Lab} lab */
  constructor(lab) {
    this.#lab = lab;
  }

  async open() {
    const { link, options, folder } = this.#lab;
    this.#folder = await mkdtemp(join(tmpdir(), 'aloud-setup-'));
    const [cert, key] = [CERTIFICATE_FILE, KEY_FILE].map((name) => join(this.#folder, name));
    writeCertificate(
      this.#folder,
      await generateCertificate({ hosts: [link.server.address], now: new Date() }),
    );
    const { origin, report } = await this.#lab.serve(['--cert', cert, '--key', key], 'nothing');
    const secure = origin.replace('http:', 'https:');
    const trusting = ['env', `NODE_EXTRA_CA_CERTS=${cert}`];
    this.#speaker = await startSpeaker(secure, [...link.server.exec, ...trusting]);
    this.#listener = new Child(PROCESS, [...link.client.exec, ...trusting]);
    const { transports } = await this.#listener.call('open', { origin: secure });
    const asked = /** @type {TransportName[]} */ (options.transports);
    const missing = asked.filter((transport) => !transports[transport]);
    if (missing.length > 0) folder.warn(`Left out: ${missing.join(', ')}. ${report.join(' ')}`);
    return asked.filter((transport) => !missing.includes(transport));
  }

  /** @param {string} name @param {object} [options] */
  #ask(name, options) {
    if (!this.#listener) throw new Error('open() comes first');
    return this.#listener.call(name, options);
  }

  /** @param {Leg} leg */
  prepare({ connection }) {
    return this.#ask('prepare', { connection });
  }

  /** @param {Leg} leg @returns {Promise<Setup>} */
  async join({ transport }) {
    const { listens = false } = /** @type {{ listens?: boolean }} */ (this.#lab.options);
    const { total, joined, isResumed, ...parts } = await this.#ask('join', {
      transport,
      room: ROOM,
      listens,
      patienceMs: 1000 * patienceOf(this.#lab.options),
    });
    return { total, joined, isResumed, parts };
  }

  leave() {
    return this.#ask('leave');
  }

  async load() {
    return {
      latenessMs: await this.#speaker?.call('lateness'),
      cpuPercent: await this.#ask('cpu'),
    };
  }

  async close() {
    await this.#listener?.close();
    await this.#speaker?.close();
    if (this.#folder) await rm(this.#folder, { recursive: true });
  }
}

/**
 * The page's own call in Chromium. The parts of its setup can't be seen from outside.
 * @implements {Joiner}
 */
export class PageJoiner {
  #lab;
  /** @type {Child | null} */
  #speaker = null;

  /** @param {Lab} lab */
  constructor(lab) {
    this.#lab = lab;
  }

  async open() {
    await this.#lab.startServer();
    this.#speaker = await startSpeaker(
      this.#lab.originAt(this.#lab.link),
      this.#lab.link.server.exec,
    );
    return /** @type {TransportName[]} */ (this.#lab.options.transports);
  }

  async prepare() {}

  /** @param {Leg} leg @returns {Promise<Setup>} */
  async join({ transport }) {
    const lab = this.#lab;
    const patience = patienceOf(lab.options);
    const { startMs, joinedMs } = await lab.clients.call('listen', {
      id: 'listener',
      transport,
      room: ROOM,
      speaks: false,
      recordSeconds: patience,
    });
    let soundMs = Infinity;
    for (let waited = 0; waited < patience && soundMs === Infinity; waited += LOOK_SECONDS) {
      await lab.wait(LOOK_SECONDS);
      const {
        samples,
        startMs: recordedMs,
        sampleRate,
      } = await lab.clients.call('recording', { id: 'listener' });
      const first = samples.findIndex((/** @type {number} */ value) => value !== 0);
      if (first >= 0) soundMs = recordedMs + (first * 1000) / sampleRate;
    }
    return { total: soundMs - startMs, joined: joinedMs - startMs, parts: {}, isResumed: null };
  }

  leave() {
    return this.#lab.clients.call('stopListening', { id: 'listener' });
  }

  async load() {
    const { cpuPercent } = await this.#lab.clients.call('take');
    return { latenessMs: await this.#speaker?.call('lateness'), cpuPercent };
  }

  async close() {
    await this.#speaker?.close();
  }
}

/** @param {string} origin @param {readonly string[]} exec */
async function startSpeaker(origin, exec) {
  const speaker = new Child(PROCESS, exec);
  try {
    await speaker.call('open', { origin });
    await speaker.call('speak', { room: ROOM });
    return speaker;
  } catch (error) {
    await speaker.close();
    throw error;
  }
}
