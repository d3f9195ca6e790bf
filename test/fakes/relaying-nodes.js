/**
 * Nodes of a cluster with rooms, on the test's network and clock: a full node relays people to
 * others.
 */

import { ResumeTokens } from '../../server/access/resume-token.js';
import { Cluster } from '../../server/cluster/cluster.js';
import { openRelays } from '../../server/relay/open-relays.js';
import { Arrivals } from '../../server/host/arrivals.js';
import { Conference, Person, settle } from './conference.js';
import { FakeNetwork } from './fake-bus.js';
import { FakeClock } from '../../testkit/fake-clock.js';
import { FakeSession } from './fake-session.js';

export class RelayingNodes {
  /** Address of the people who join. */
  peer = '127.0.0.1:9';
  clock = new FakeClock();
  network = new FakeNetwork(this.clock);

  /** @param {string} id @param {Record<string, any>} [options] of rooms, and maxSessions */
  add(id, { maxSessions = 1000, ...options } = {}) {
    const bus = this.network.join(id);
    const { clock } = this;
    const wallNow = () => 1_700_000_000_000 + clock.now();
    const log = {
      info: () => {},
      warn: () => {},
      error: (/** @type {any[]} */ ...line) => void node.errors.push(line),
      debug: () => {},
    };
    /** @type {Cluster} */
    const cluster = new Cluster({
      id,
      name: 'test',
      openBus: () => bus,
      clock,
      wallNow,
      log,
      rooms: () => relays.rooms,
      limits: { people: maxSessions },
      software: '0',
    });
    const tokens = new ResumeTokens({ key: 'the key', wallNow, awayMs: 30_000 });
    const conference = new Conference(
      {
        cluster: /** @type {any} */ (cluster),
        tokens,
        wallNow,
        relayFrom: 1,
        maxParticipants: 500,
        maxPeople: maxSessions,
        ...options,
      },
      clock,
    );
    const relays = openRelays(
      { sampleRate: conference.format.sampleRate, maxSessions },
      { cluster, clock, log: /** @type {any} */ (log), host: () => conference },
    );
    conference.arrivals = new Arrivals({
      rooms: conference.rooms,
      clock,
      log,
      roomsByNode: cluster,
      relays: relays.out,
    });
    const node = { id, bus, cluster, conference, relays, errors: /** @type {any[]} */ ([]) };
    relays.start();
    cluster.start({
      url: `http://${id}.example`,
      h3Port: 4433,
      certificateHashes: () => [],
      origins: [],
    });
    return node;
  }

  /**
   * Adds two nodes, one of which then owns the room `lab`.
   * @param {Record<string, any>} [options] of both, as for add
   */
  async addTwo(options) {
    const [a, b] = [this.add('a', options), this.add('b', options)];
    await this.pass(500);
    const asked = a.cluster.find('lab', { hold: true });
    await this.pass(50);
    await asked;
    const [home, other] = a.cluster.isHere('lab') ? [a, b] : [b, a];
    return { home, other };
  }

  /** @param {number} ms */
  async pass(ms) {
    for (let left = ms; left > 0; left -= 5) {
      this.clock.advance(Math.min(5, left));
      for (let i = 0; i < 8; i++) await null;
    }
  }

  /**
   * Joins at a node, and follows its redirections.
   * @param {ReturnType<RelayingNodes['add']>} node
   * @param {string} name
   * @param {Record<string, unknown>} [wishes]
   */
  async join(node, name, wishes = {}) {
    const session = new FakeSession(node.conference.transport);
    session.peer = this.peer;
    node.conference.arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: 'lab', name, ...wishes });
    await settle();
    for (let i = 0; i < 400 && session.messages.length === 0; i++) await this.pass(5);
    await settle();
    return new Person(node.conference, session);
  }

  /**
   * Makes somebody speak.
   * @param {Person} person
   * @param {number} from the first frame
   * @param {number} to the last plus one
   */
  async talk(person, from, to) {
    for (let frame = from; frame < to; frame++) {
      await person.speak(frame, 0.25, { level: 10, voice: true });
      await this.pass(20);
    }
  }
}
