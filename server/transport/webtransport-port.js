/**
 * @import { NativeSession, SharedEndpoint } from '@aloud/native'
 * @import { Carry } from '../../public/shared/carry.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Accept, Transport } from './session.js'
 */

import { Port } from '@aloud/native';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { carryOf, NativeEngineSession, roomOf, sendEach } from './webtransport-native.js';

/**
 * WebTransport on a port of the native engine that another thread listens with: that thread decides who may have a session
 * here.
 * @implements {Transport}
 */
export class PortTransport {
  /** @readonly */
  name = 'webtransport';
  /** @readonly */
  engine = 'native';
  replyOnly = false;
  #options;
  #port;
  #sessions = 0;

  /**
   * @param {object} options
   * @param {SharedEndpoint} options.endpoint
   * @param {Accept} options.accept
   * @param {number} options.maxSessions
   * @param {Carry | 'any'} options.carry
   * @param {Clock} options.clock
   * @param {Log} options.log
   */
  constructor(options) {
    this.#options = options;
    const { endpoint, carry, log } = options;
    const { close: code, message: reason } = errors['room-reopened'];
    this.#port = Port.open(endpoint, {
      lastWords: { code, reason },
      onSession: (native) => this.#opened(native),
      onFault: (message) => log.error(`the native engine failed: ${message}`),
    });
    /** See NativeTransport. @type {Transport['sendMany']} */
    this.sendMany = carry === 'datagrams' ? /** @type {any} */ (this.#port.sendMany.bind(this.#port)) : sendEach;
    /** @type {Transport['createGroup']} */
    this.createGroup = carry === 'datagrams' ? /** @type {any} */ (this.#port.createGroup.bind(this.#port)) : undefined;
  }

  /** The number by which sessions are handed over. */
  get number() {
    return this.#port.number;
  }

  poll() {
    this.#port.poll();
  }

  async close() {
    const { close, message } = errors['server-closing'];
    this.#port.close(close, message);
  }

  /** @param {NativeSession} native */
  #opened(native) {
    const { accept, maxSessions, carry, clock, log } = this.#options;
    if (this.#sessions >= maxSessions) {
      const { close, message } = errors['server-full'];
      countRefusal('join', 'server-full');
      native.close(close, message);
      return;
    }
    this.#sessions += 1;
    const onEnd = () => void (this.#sessions -= 1);
    const query = native.request?.query ?? '';
    const session = new NativeEngineSession({ transport: this, carry: carryOf(carry, query), room: roomOf(query), native, clock, log, onEnd });
    session.offerTo(accept);
  }
}
