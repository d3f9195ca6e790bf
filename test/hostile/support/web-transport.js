/**
 * @import { NativeSession } from '@aloud/native'
 * @import { Target } from './attack-process.js'
 */

import { Endpoint } from '@aloud/native';
import { ControlLines, writeControlLine } from '../../../public/shared/wire/control.js';

/** The longest control message that is read, in bytes. */
const MAX_CONTROL_BYTES = 1024 * 1024;

/** The bytes that are read of a stream at once. */
const READ_BYTES = 16 * 1024;

/**
 * Opens WebTransport sessions that ask to join, as a program does that reads nothing but control
 * messages. All of them come from this machine's own address.
 */
export class JoiningsByWebTransport {
  #endpoint = new Endpoint({ ioThreads: 1 });
  #url;
  #certificateHashes;

  /**
   * @param {Pick<Target, 'host' | 'h3Port'>} target
   * @param {{ url: string, certificateHashes: string[] }} offered  as /api/config has it
   */
  constructor({ host, h3Port }, { url, certificateHashes }) {
    this.#url = `https://${host}:${h3Port}${url}`;
    this.#certificateHashes = certificateHashes;
  }

  /** @param {{ room: string, name?: string, frameMs?: number }} wish */
  join({ room, name = 'Eve', frameMs }) {
    const connecting = this.#endpoint.connect(this.#url, {
      certificateHashes: this.#certificateHashes,
    });
    return new JoiningByWebTransport(connecting, { type: 'join', version: 1, room, name, frameMs });
  }

  /** Ends all sessions. */
  close() {
    return this.#endpoint.close();
  }
}

/** One of them: see Joining, which is the same over WebSocket. */
class JoiningByWebTransport {
  /** @type {NativeSession | null} */
  #session = null;
  #left = false;
  /** Packets that came. */
  packets = 0;

  /**
   * @param {Promise<NativeSession>} connecting
   * @param {object} message  that joins
   */
  constructor(connecting, message) {
    /**
     * Settles with the first answer, 'welcome' or a code; '' where there was none.
     * @type {Promise<string>}
     */
    this.answer = connecting.then(
      (session) => this.#opened(session, message),
      () => '',
    );
  }

  /**
   * @param {NativeSession} session
   * @param {object} message
   * @returns {Promise<string>}
   */
  #opened(session, message) {
    this.#session = session;
    session.onDatagram = () => void (this.packets += 1);
    const stream = session.openStream();
    return new Promise((resolve) => {
      session.onClosed = () => resolve('');
      const onMessage = (/** @type {any} */ { type, code }) =>
        resolve(type === 'refused' ? code : type);
      const lines = new ControlLines({
        maxBytes: MAX_CONTROL_BYTES,
        onMessage,
        onError: () => resolve(''),
      });
      const bytes = new Uint8Array(READ_BYTES);
      if (!stream?.write(writeControlLine(message)) || this.#left) return void session.close();
      stream.onReadable = () => {
        for (let count = stream.read(bytes); count; count = stream.read(bytes))
          lines.push(bytes.subarray(0, count));
      };
    });
  }

  /** @param {Uint8Array} bytes @returns {boolean} true when the packet was sent */
  send(bytes) {
    return this.#session?.send(bytes) ?? false;
  }

  /** Leaves. */
  leave() {
    this.#left = true;
    this.#session?.close();
  }
}
