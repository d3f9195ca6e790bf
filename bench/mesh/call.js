/**
 * A call of some people, each in a separate process. Sound goes from peer to peer, through a
 * forwarder in the hub, or through aloud's server there, which mixes.
 *
 * @import { LinkEnd } from '../link/measure.js'
 * @import { CallNotes } from './notes.js'
 *
 * @typedef {{ client: LinkEnd, server: LinkEnd }} Leg  from a person to the hub
 * @typedef {{ name: string, leg: Leg, process: Child }} Person
 *
 * @typedef {object} Topology
 * @property {URL | null} hub                            the program in the hub
 * @property {() => Promise<string | null>} missing  requirement that this machine lacks, if any
 * @property {(people: Person[], hub: any) => Promise<(() => Promise<unknown>)>} prepare resolves to
 *   a function that connects them
 */

import { isBuilt } from '@aloud/native';
import { Child, sharedMs } from '../../testkit/participants/child.js';
import { SERVER } from '../participants/whole-server.js';
import { EVERY_MS } from '../ways/run.js';
import { missing } from '../ways/webrtc.js';

const PERSON = new URL('person-process.js', import.meta.url);
/** The forwarder's program, which runs in the hub. */
export const FORWARDER = new URL('forwarder-process.js', import.meta.url);

/** Time in which all must be connected, in milliseconds. */
const CONNECT_MS = 20_000;

/**
 * Redundancy would hide loss that WebRTC's packets show; shared, a mix is made when it is due and
 * not when it is asked for.
 */
const SERVER_OPTIONS = ['--delivery', 'tick', '--redundancy', '0'];

/** @type {Readonly<Record<string, Topology>>} */
export const TOPOLOGIES = Object.freeze({
  mesh: {
    hub: null,
    missing,
    async prepare(people) {
      await talk(people);
      const pairs = people.flatMap((a, i) => people.slice(i + 1).map((b) => ({ a, b })));
      return () =>
        Promise.all(
          pairs.map(({ a, b }) =>
            meet(a, { name: b.name, process: b.process, address: b.leg.client.address }),
          ),
        );
    },
  },
  forwarded: {
    hub: FORWARDER,
    missing,
    async prepare(people, hub) {
      await talk(people);
      return () =>
        Promise.all(
          people.map((person) =>
            meet(person, { name: 'forwarder', process: hub, address: person.leg.server.address }),
          ),
        );
    },
  },
  mixed: {
    hub: SERVER,
    missing: async () => (isBuilt() ? null : 'The native engine is not built.'),
    async prepare(people, hub) {
      const { port } = await hub.call('start', { argv: SERVER_OPTIONS, observe: 'mixes' });
      return () =>
        Promise.all(
          people.map(({ name, leg, process }) =>
            process.call('join', { name, origin: `http://${leg.server.address}:${port}` }),
          ),
        );
    },
  },
});

/**
 * Starts people who speak over WebRTC to later connections, with their frames' ends spread over a
 * frame's time.
 * @param {Person[]} people
 */
const talk = (people) =>
  Promise.all(
    people.map(({ name, process }, i) =>
      process.call('talk', { name, phaseMs: (i * EVERY_MS) / people.length }),
    ),
  );

/**
 * The most tries to connect two: one in some hundred finds that the library has no transport, and
 * stays so.
 */
const TRIES = 4;

/**
 * Connects a person. Offer and answer go beside the link.
 * @param {Person} person @param {{ name: string, process: Child, address: string }} other
 * @param {number} [tries]
 * @returns {Promise<void>}
 */
async function meet({ name, leg, process }, other, tries = TRIES) {
  try {
    const offer = await process.call('offer', { to: other.name, host: leg.client.address });
    const answer = await other.process.call('answer', { from: name, host: other.address, offer });
    await process.call('answered', { to: other.name, answer });
  } catch (error) {
    if (tries === 1 || !String(error).includes('without ICE transport')) throw error;
    await meet(/** @type {Person} */ ({ name, leg, process }), other, tries - 1);
  }
}

export class MeshCall {
  #people;
  #hub;
  #mixes;

  /** Time at which the people began to connect, on the machine's monotonic clock. */
  startMs = NaN;

  /**
   * @param {Person[]} people
   * @param {Child | null} hub
   * @param {boolean} mixes true if the hub does
   */
  constructor(people, hub, mixes) {
    this.#people = people;
    this.#hub = hub;
    this.#mixes = mixes;
  }

  /**
   * Starts the processes, and connects them.
   * @param {object} options
   * @param {string} options.topology
   * @param {readonly Leg[]} options.legs              one for each person
   * @param {readonly string[]} options.hub            command for a program in the hub
   * @param {readonly Uint8Array[]} options.payloads   of the speech, in a loop
   * @param {AbortSignal} options.signal
   * @returns {Promise<MeshCall>}
   */
  static async open({ topology, legs, hub: exec, payloads, signal }) {
    const { hub: script, prepare } = TOPOLOGIES[topology];
    const people = legs.map((leg, i) => ({
      name: String(i + 1),
      leg,
      process: new Child(PERSON, leg.client.exec),
    }));
    const hub = script && new Child(script, exec);
    const call = new MeshCall(people, hub, script === SERVER);
    try {
      // People don't all say the same at once.
      await Promise.all(
        people.map(({ process }, i) =>
          process.call('ready', {
            payloads: rotated(payloads, (i * payloads.length) / people.length),
          }),
        ),
      );
      const connect = await prepare(people, hub);
      signal.throwIfAborted();
      call.startMs = sharedMs(performance.now());
      await until(connect(), signal);
      return call;
    } catch (error) {
      await call.close();
      throw error;
    }
  }

  /** Largest number of people that the hub mixes now: a server whose mixes are late mixes fewer. */
  async places() {
    const room = this.#mixes ? await this.#hub?.call('room', { room: 'call' }) : null;
    return room ? room.mixing.places : Infinity;
  }

  /** Begins notes again. */
  async begin() {
    await Promise.all([
      ...this.#people.map(({ process }) => process.call('begin')),
      this.#hub?.call('begin'),
    ]);
  }

  /** The notes since begin(), or before it since the call began. @returns {Promise<CallNotes>} */
  async collect() {
    const [hub, ...people] = await Promise.all([
      this.#hub?.call('collect') ?? null,
      ...this.#people.map(async ({ name, process }) => ({
        name,
        ...(await process.call('collect')),
      })),
    ]);
    return { people, hub };
  }

  /** Ends the call and its processes. */
  async close() {
    await Promise.all(this.#people.map(({ process }) => process.close()));
    await this.#hub?.close();
  }
}

/** @param {readonly Uint8Array[]} payloads @param {number} by */
const rotated = (payloads, by) => [...payloads.slice(by), ...payloads.slice(0, by)];

/**
 * @param {Promise<unknown>} connected
 * @param {AbortSignal} signal
 * @throws {Error} when it takes too long, or is broken off
 */
async function until(connected, signal) {
  const over = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  const reason = () =>
    signal.aborted
      ? signal.reason
      : new Error(`not all were connected within ${CONNECT_MS / 1000} s`);
  await Promise.race([
    connected,
    new Promise((_, reject) =>
      over.addEventListener('abort', () => reject(reason()), { once: true }),
    ),
  ]);
}
