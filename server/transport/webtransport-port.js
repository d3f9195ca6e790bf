/**
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Accept, Transport } from '../session/session.js'
 * @import { NativeEngineSession } from './webtransport-native.js'
 */

import { Port } from '@aloud/native';
import { errors } from '../../public/shared/errors.js';
import { sendEach, sessionOpener } from './webtransport-native.js';

/**
 * WebTransport on a port of the native engine that another thread listens on: that thread admits
 * the sessions.
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
   * @param {typeof NativeEngineSession} [options.Session]  class of its sessions, of a plugin
   * @param {Clock} options.clock
   * @param {Log} options.log
   */
  constructor({ endpoint, ...options }) {
    const { Session, log } = options;
    const { close: code, message: reason } = errors['room-reopened'];
    this.#port = Port.open(endpoint, {
      lastWords: { code, reason },
      onSession: sessionOpener({ transport: this, ...options }),
      onFault: (message) =>
        log.error({ event: 'engine-failed', reason: message }, 'native engine failed'),
    });
    /** See NativeTransport. @type {Transport['sendMany']} */
    this.sendMany = Session
      ? sendEach
      : /** @type {Transport['sendMany']} */ (
          /** @type {unknown} */ (this.#port.sendMany.bind(this.#port))
        );
    /** @type {Transport['createGroup']} */
    this.createGroup = Session
      ? undefined
      : /** @type {Transport['createGroup']} */ (
          /** @type {unknown} */ (this.#port.createGroup.bind(this.#port))
        );
  }

  /** Number by which sessions are handed over. */
  get number() {
    return this.#port.number;
  }

  poll() {
    this.#port.poll();
  }

  /** @param {number} atMs */
  wakeAt(atMs) {
    this.#port.wakeAt(atMs);
  }

  cork() {
    this.#port.cork();
  }

  uncork() {
    this.#port.uncork();
  }

  async close() {
    const { close, message } = errors['server-closing'];
    this.#port.close(close, message);
  }
}
