/**
 * Buses of a network under a test's control: it can be partitioned, nodes can die or stall, and
 * messages take time. Everything happens on the test's clock.
 * @import { Bus, BusState } from '../../server/bus/bus.js'
 * @import { FakeClock } from '../../testkit/fake-clock.js'
 */

import { NOBODY, SILENCE } from '../../server/bus/bus.js';

export class FakeNetwork {
  /** @type {FakeBus[]} */
  #buses = [];

  /** @param {FakeClock} clock @param {() => number} [delayMs] of one message */
  constructor(clock, delayMs = () => 1) {
    this.clock = clock;
    this.delayMs = delayMs;
  }

  /** @param {string} name @returns {FakeBus} */
  join(name) {
    const bus = new FakeBus(this, name);
    this.#buses.push(bus);
    return bus;
  }

  /** Buses reachable from a bus, itself included. @param {FakeBus} from */
  reached(from) {
    return this.#buses.filter((bus) => !bus.dead && !from.dead && bus.part === from.part);
  }
}

/** @implements {Bus} */
export class FakeBus {
  #network;
  /**
   * @type {Set<{ pattern: RegExp, run: (message: unknown) => object | null | void | Promise<object
   * | null>, serves: boolean }>}
   */
  #listeners = new Set();
  /** Deliveries while the node stalled. @type {(() => void)[]} */
  #stalled = [];
  #isStill = false;
  /** @type {BusState} */
  state = 'connected';
  /** Partition of the network. */
  part = 0;
  dead = false;
  sent = 0;
  /** Bytes published as sound. */
  sentBytes = 0;
  dropped = 0;

  /** @param {FakeNetwork} network @param {string} name */
  constructor(network, name) {
    this.#network = network;
    this.name = name;
  }

  open() {}

  get isStill() {
    return this.#isStill;
  }

  /** @param {boolean} isStill true while the node stalls: deliveries wait */
  stand(isStill) {
    this.#isStill = isStill;
    if (!isStill) for (const run of this.#stalled.splice(0)) run();
  }

  /** Delivers to the node after the delay. @param {() => void} run */
  deliver(run) {
    this.#network.clock.setTimeout(() => {
      if (this.dead) return;
      if (this.#isStill) this.#stalled.push(run);
      else run();
    }, this.#network.delayMs());
  }

  /** @param {string} subject @param {Uint8Array} bytes */
  publishBytes(subject, bytes) {
    if (this.dead || this.state !== 'connected') return;
    this.sent += 1;
    this.sentBytes += bytes.length;
    for (const bus of this.#network.reached(this)) {
      if (bus !== this)
        for (const listener of bus.#matching(subject))
          bus.deliver(() => void (bus.#listeners.has(listener) && listener.run(bytes)));
    }
  }

  /** @param {string} subject @param {object} message */
  publish(subject, message) {
    if (this.dead || this.state !== 'connected') return;
    this.sent += 1;
    const text = JSON.stringify(message);
    for (const bus of this.#network.reached(this)) {
      if (bus !== this)
        for (const listener of bus.#matching(subject))
          bus.deliver(() => void (bus.#listeners.has(listener) && listener.run(JSON.parse(text))));
    }
  }

  /** @param {string} subject */
  #matching(subject) {
    return [...this.#listeners].filter(({ pattern }) => pattern.test(subject));
  }

  /** @param {string} subject @param {(message: unknown) => void} handler */
  subscribe(subject, handler) {
    return this.#listen(subject, handler, false);
  }

  /** @param {string} subject @param {(bytes: Uint8Array) => void} handler */
  subscribeBytes(subject, handler) {
    return this.#listen(subject, /** @type {any} */ (handler), false);
  }

  /**
   * @param {string} subject
   * @param {(message: unknown) => object | null | Promise<object | null>} handler
   */
  serve(subject, handler) {
    return this.#listen(subject, handler, true);
  }

  /**
   * @param {string} subject
   * @param {(message: unknown) => object | null | void | Promise<object | null>} run
   * @param {boolean} serves
   */
  #listen(subject, run, serves) {
    const pattern = new RegExp(`^${subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`);
    const listener = { pattern, run, serves };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @type {Set<() => void>} */
  #onChanged = new Set();

  /** @param {() => void} run */
  onChanged(run) {
    this.#onChanged.add(run);
    return () => void this.#onChanged.delete(run);
  }

  /** Notifies of a changed path. */
  change() {
    for (const run of [...this.#onChanged]) run();
  }

  /**
   * @param {string} subject
   * @param {object} message
   * @param {number} timeoutMs
   * @returns {Promise<unknown>}
   */
  request(subject, message, timeoutMs) {
    const { clock } = this.#network;
    return new Promise((resolve) => {
      if (this.dead || this.state !== 'connected') return resolve(SILENCE);
      const timer = clock.setTimeout(() => this.deliver(() => resolve(SILENCE)), timeoutMs);
      const answered = (/** @type {unknown} */ answer) => {
        clock.clearTimeout(timer);
        resolve(answer);
      };
      let asked = 0;
      for (const bus of this.#network.reached(this)) {
        if (bus === this) continue;
        for (const listener of bus.#matching(subject)) {
          if (!listener.serves) continue;
          asked += 1;
          bus.deliver(() => {
            const answer = bus.#listeners.has(listener)
              ? listener.run(JSON.parse(JSON.stringify(message)))
              : null;
            const respond = (/** @type {object | null | void} */ value) =>
              void (
                value &&
                this.part === bus.part &&
                this.deliver(() => answered(JSON.parse(JSON.stringify(value))))
              );
            if (answer instanceof Promise) void answer.then(respond);
            else respond(answer);
          });
        }
      }
      if (asked === 0) this.deliver(() => answered(NOBODY));
    });
  }

  async close() {
    this.dead = true;
  }
}
