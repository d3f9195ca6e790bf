/**
 * A session over data channels, which only the lab has. A worker can't make a peer connection: the
 * page makes it, and hands its channels over (peers.js).
 *
 * @import { ConnectOptions } from '../../client/connection/choose.js'
 * @import { PeerMessage } from './peers.js'
 * @import { LabConfig } from './protocol.js'
 *
 * @typedef {Pick<ConnectOptions, 'origin' | 'clock' | 'message' | 'handler' | 'asks' | 'prove'> & {
 *   config: LabConfig, askPeer?: AskPeer }} ChannelOptions
 *
 * @typedef {(url: string) => MessagePort} AskPeer
 *   has the page connect to the server's peer; the port tells what comes of it
 */

import { inTime } from '../../shared/clock.js';
import { CLOSED } from './peers.js';
import { Connection, closeReason } from '../../client/connection/connection.js';
import { ConnectionError } from '../../shared/errors.js';
import { join } from '../../client/connection/join.js';

/** The time in which the channels must open, in milliseconds. */
const OPEN_MS = 5000;

/** The unsent bytes above which packets are dropped, since they would arrive too late. */
const MAX_BUFFERED_BYTES = 8 * 1024;

/**
 * Connects to the server's peer and joins.
 * @param {ChannelOptions} options
 * @returns {Promise<Connection>} rejects with a ConnectionError
 */
export async function connectOverChannels({
  config,
  origin,
  clock,
  askPeer,
  message,
  handler,
  asks,
  prove,
}) {
  const path = config.transports.datachannel?.path;
  if (!path || !askPeer) throw new ConnectionError('not-offered', 'The server does not offer it.');
  const port = askPeer(new URL(path, origin).href);
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
