/**
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Accept, Transport } from './session.js'
 */

import { Port } from '@aloud/native';
import { errors } from '../../public/shared/errors.js';
import { sendEach, sessionOpener } from './webtransport-native.js';

/**
 * WebTransport on a port of the native engine that another thread listens with: that thread decides
 * who may have a session here.
 * @implements {Transport}
 */
export class PortTransport {
  /** @readonly */
  name = 'webtransport';
  /** @readonly */
  engine = 'native';
  replyOnly = false;
  #port;

  /**
   * @param {object} options
   * @param {SharedEndpoint} options.endpoint
   * @param {Accept} options.accept
   * @param {number} options.maxSessions
   * @param {Carry | 'any'} options.carry
   * @param {Clock} options.clock
   * @param {Log} options.log
   */
  constructor({ endpoint, ...options }) {
    const { carry, log } = options;
    const { close: code, message: reason } = errors['room-reopened'];
    this.#port = Port.open(endpoint, {
      lastWords: { code, reason },
      onSession: sessionOpener({ transport: this, ...options }),
      onFault: (message) => log.error(`the native engine failed: ${message}`),
    });
    /** See NativeTransport. @type {Transport['sendMany']} */
    this.sendMany =
      carry === 'datagrams' ? /** @type {any} */ (this.#port.sendMany.bind(this.#port)) : sendEach;
    /** @type {Transport['createGroup']} */
    this.createGroup =
      carry === 'datagrams'
        ? /** @type {any} */ (this.#port.createGroup.bind(this.#port))
        : undefined;
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
}
