/**
 * A session over data channels. A worker can't make a peer connection: the page makes it, and hands
 * its channels over (peers.js).
 *
 * @import { AddedOptions } from '../../../public/lab/runs/protocol.js'
 * @import { PeerMessage } from './peers.js'
 *
 * @typedef {Pick<AddedOptions, 'origin' | 'clock' | 'askPage' | 'message' | 'handler' | 'asks' |
 *   'prove'>} ChannelOptions
 */

import { inTime } from '../../../public/shared/clock.js';
import { CLOSED } from './peers.js';
import { Connection, closeReason } from '../../../public/client/connection/connection.js';
import { ConnectionError } from '../../../public/shared/errors.js';
import { join } from '../../../public/client/connection/join.js';

/** The time in which the channels must open, in milliseconds. */
const OPEN_MS = 5000;

/** The unsent bytes above which packets are dropped, since they would arrive too late. */
const MAX_BUFFERED_BYTES = 8 * 1024;

/**
 * Connects to the server's peer and joins.
 * @param {string | undefined} path  where the server takes offers; undefined if it can't
 * @param {ChannelOptions} options  askPage: asks the page to connect, with the URL for its offer
 * @returns {Promise<Connection>} rejects with a ConnectionError
 */
export async function connectOverChannels(
  path,
  { origin, clock, askPage, message, handler, asks, prove },
) {
  if (!path || !askPage) throw new ConnectionError('not-offered', 'The server does not offer it.');
  const port = askPage(new URL(path, origin).href);
  const late = () =>
    new ConnectionError(
      'no-answer',
      `The server’s peer gave no answer within ${OPEN_MS / 1000} s.`,
    );
  try {
    const [control, packets] = await inTime(channelsFrom(port), OPEN_MS, late, clock);
    const connection = new DataChannelConnection(control, packets, clock.now);
    try {
      await join(connection, message, handler, clock, asks);
      await prove(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  } finally {
    port.close();
  }
}

/**
 * @param {MessagePort} port
 * @returns {Promise<RTCDataChannel[]>} both channels, once they are open
 */
function channelsFrom(port) {
  return new Promise((resolve, reject) => {
    port.onmessage = (/** @type {MessageEvent<PeerMessage>} */ { data: { channels, error } }) => {
      if (error) reject(new ConnectionError(error.code, error.message, error.refused));
      if (channels) void Promise.all(channels.map(whenOpen)).then(() => resolve(channels));
    };
  });
}

/** @param {RTCDataChannel} channel */
const whenOpen = (channel) =>
  new Promise((resolve) =>
    channel.readyState === 'open' ? resolve(null) : (channel.onopen = resolve),
  );

/** One packet a message on one channel, control messages as text on another. */
export class DataChannelConnection extends Connection {
  #control;
  #packets;

  /**
   * @param {RTCDataChannel} control
   * @param {RTCDataChannel} packets  both open
   * @param {() => number} now
   */
  constructor(control, packets, now) {
    super('datachannel');
    this.#control = control;
    this.#packets = packets;
    packets.binaryType = 'arraybuffer';
    packets.onmessage = ({ data }) => this.received(new Uint8Array(data), now());
    control.onmessage = ({ data }) => this.controlText(data);
    control.onclose = () => this.ended('connection-lost', 'The connection to the server was lost.');
  }

  /** @override @param {{ type: string, code: number, reason: string } | null} message */
  control(message) {
    if (message?.type !== CLOSED) return super.control(message);
    const { code, reason } = closeReason(message.code, message.reason);
    this.ended(code, reason);
  }

  /**
   * @override
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  send(bytes) {
    const canSend =
      !this.closed &&
      this.#packets.readyState === 'open' &&
      this.#packets.bufferedAmount <= MAX_BUFFERED_BYTES;
    if (canSend) this.#packets.send(bytes);
    return this.count(canSend);
  }

  /**
   * @override
   * @param {object} message
   */
  sendControl(message) {
    if (!this.closed && this.#control.readyState === 'open')
      this.#control.send(JSON.stringify(message));
  }

  /** @override */
  release() {
    // Earlier messages go out first.
    this.#control.close();
    this.#packets.close();
  }
}
