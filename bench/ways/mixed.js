/**
 * WebTransport sessions that carry messages beside the sound, each of the two in datagrams or on a
 * stream. The receiver takes both from wherever they come. Packets go over the native engine
 * itself: the product's connection has one way for packets, and its control stream for all else.
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { OnPacket, Way } from './way.js'
 *
 * @typedef {'datagrams' | 'stream'} Channel
 * @typedef {(bytes: Uint8Array) => unknown} Write
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { PacketReader, withLength } from '../../public/shared/wire/stream-packets.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { MAX_STUCK_BYTES } from '../../server/session/session.js';
import { cutMessage, MessageParts } from './messages.js';

/** The first byte of a packet. */
export const SOUND = 0;
const PART = 1;

/** Buffer limit of the server's own transport, so that a long message isn't refused. */
export const SETTINGS = Object.freeze({ streamBufferBytes: MAX_STUCK_BYTES });

/**
 * Bytes of datagrams that may wait where messages go in them, of which one of 16 KiB is handed over
 * at once.
 */
const MESSAGES_WAIT_BYTES = 32 * 1024;

const READ_BYTES = 4 * 1024;

/**
 * @param {Channel} sound
 * @param {Channel | 'same'} messages  'same': on the stream that the sound is on
 * @returns {Way}
 */
export const mixed = (sound, messages) => ({
  missing: async () => (isBuilt() ? null : 'The native engine is not built.'),
  receive: (options) => receive(options, settingsOf(messages)),

  async connect({ peer, invitation }) {
    const { port, hash } = JSON.parse(invitation);
    const endpoint = new Endpoint({ ...settingsOf(messages), ioThreads: 1 });
    const session = await endpoint.connect(`https://${peer}:${port}/`, {
      certificateHashes: [hash],
    });
    const writeSound = writeTo(session, sound);
    const writePart = messages === 'same' ? writeSound : writeTo(session, messages);
    let next = 0;
    return {
      send: (bytes) => void writeSound(ofKind(SOUND, bytes)),
      sendMessage(bytes) {
        for (const part of cutMessage(bytes, next++)) writePart(ofKind(PART, part));
      },
      close: () => endpoint.close(),
    };
  },
});

/** @param {Channel | 'same'} messages */
const settingsOf = (messages) =>
  messages === 'datagrams' ? { ...SETTINGS, sendQueueBytes: MESSAGES_WAIT_BYTES } : SETTINGS;

/**
 * @param {Parameters<Way['receive']>[0]} options
 * @param {Partial<import('@aloud/native').EndpointSettings>} settings
 * @returns {ReturnType<Way['receive']>}
 */
export async function receive({ host, onPacket, onMessage }, settings) {
  const { hash, ...certificate } = await generateCertificate({ hosts: [host], now: new Date() });
  const endpoint = new Endpoint(settings);
  const { port } = await endpoint.listen({
    ...certificate,
    host,
    port: 0,
    onRequest: (request) => request.accept(),
    onSession(session) {
      const parts = new MessageParts(onMessage);
      const take = (/** @type {Uint8Array} */ bytes) =>
        bytes[0] === SOUND ? onPacket(bytes.subarray(1)) : parts.take(bytes.subarray(1));
      session.onDatagram = take;
      session.onStream = (stream) => readPackets(stream, take);
    },
  });
  return { invitation: JSON.stringify({ port, hash }), close: () => endpoint.close() };
}

/** @param {NativeSession} session @param {Channel} channel @returns {Write} */
function writeTo(session, channel) {
  if (channel === 'datagrams') return (bytes) => session.send(bytes);
  const stream = session.openStream({ bidi: false });
  return (bytes) => stream?.write(withLength(bytes));
}

/** @param {Stream} stream @param {OnPacket} take */
function readPackets(stream, take) {
  const chunk = new Uint8Array(READ_BYTES);
  const reader = new PacketReader(take);
  stream.onReadable = () => {
    for (let count = stream.read(chunk); count; count = stream.read(chunk))
      reader.push(chunk.subarray(0, count));
  };
  stream.onReadable();
}

/** @param {number} kind @param {Uint8Array} bytes */
export function ofKind(kind, bytes) {
  const packet = new Uint8Array(1 + bytes.length);
  packet[0] = kind;
  packet.set(bytes, 1);
  return packet;
}
