/**
 * A session whose other end is the test: it keeps all sent messages and packets in order.
 * @import { Session, SessionHandler, Transport } from '../../server/session/session.js'
 */

import { prepareControl } from '../../server/session/session.js';
import { checkServerMessage } from '../support/server-message.js';

/** @param {Partial<Transport>} [options] @returns {Transport} */
export function fakeTransport(options = {}) {
  return {
    name: 'webtransport',
    replyOnly: false,
    sendMany: (sessions, bytes) => sessions.forEach((session) => session.send(bytes)),
    close: async () => {},
    ...options,
  };
}

/** @implements {Session} */
export class FakeSession {
  peer = '192.0.2.1:1';
  /** @type {SessionHandler | null} */
  handler = null;
  /** @type {Uint8Array[]} */
  packets = [];
  /** @type {any[]} */
  messages = [];
  /** @type {{ code: number, reason: string } | null} */
  closed = null;
  audioWaits = false;

  /** @param {Transport} [transport] @param {Session['log']} [log] */
  constructor(transport = fakeTransport(), log = { error: () => {} }) {
    this.transport = transport;
    this.log = log;
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    this.packets.push(bytes.slice());
    return true;
  }

  /** @param {object} message */
  sendControl(message) {
    const told = structuredClone(prepareControl(message).message);
    checkServerMessage(told);
    this.messages.push(told);
  }

  /** @param {number} code @param {string} reason */
  close(code, reason) {
    if (this.closed) return;
    this.closed = { code, reason };
    this.handler?.closed(code, reason);
  }

  /** @param {boolean} waits */
  holdAudio(waits) {
    this.audioWaits = waits;
  }

  stats() {
    return { rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 };
  }

  /** @returns {import('../../server/session/session.js').PathStats} */
  pathStats() {
    return this.stats();
  }

  /** The messages of one type. @param {string} type */
  told(type) {
    return this.messages.filter((message) => message.type === type);
  }
}
