/**
 * What the room knows of a connection, whatever protocol carries it. A transport makes sessions and
 * hands each one to the `accept` function that it was given; whoever accepts it sets its handler,
 * synchronously. From then on the transport calls the handler, and never after `closed`.
 *
 * @typedef {object} SessionHandler
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} packet
 *   a packet arrived. The bytes are valid during the call only. arrivalMs is on the server's
 *   monotonic clock (performance.now)
 * @property {(message: unknown) => void} control  a control message arrived, parsed from JSON
 * @property {(code: number, reason: string) => void} closed
 *   the session has ended, whoever ended it; called once
 *
 * @typedef {object} SessionStats
 * @property {number | null} rttMs       the transport's own estimate, in milliseconds
 * @property {number} lostPackets        that the transport knows of, towards the peer
 * @property {number} droppedOut         packets that were not sent: too big, or the way was blocked
 * @property {number} droppedIn          what arrived and was dropped: packets, since a queue was full; pings that weren't
 *   answered, since they were too many
 *
 * @typedef {object} Session
 * @property {Transport} transport
 * @property {string} peer               the other end's address and port, for people to read
 * @property {SessionHandler | null} handler
 * @property {(bytes: Uint8Array) => boolean} send
 *   sends one packet without waiting; false when it was dropped (and counted). The caller may reuse
 *   the bytes at once
 * @property {(message: object) => void} sendControl  sends a control message, reliably and in order
 * @property {(code: number, reason: string) => void} close  idempotent; code 0 is a normal end
 * @property {() => SessionStats} stats
 *
 * @typedef {object} Transport
 * @property {'webtransport' | 'websocket' | 'http1'} name
 * @property {string} [engine]           the HTTP/3 engine that serves it: 'native' or 'quiche'
 * @property {boolean} replyOnly         true where a packet to the peer can only answer one from it
 * @property {(sessions: Session[], bytes: Uint8Array) => void} sendMany
 *   sends one packet to many of this transport's sessions; the caller may reuse both arrays at once
 * @property {() => void} [poll]        hands over at once what has come, where that may wait to be read
 * @property {() => Promise<void>} close idempotent; closes every session
 *
 * @typedef {(session: Session) => void} Accept
 */

/** Control messages longer than this end the session, in bytes. */
export const MAX_CONTROL_BYTES = 16 * 1024;

/** A slow peer's unsent bytes above which packets to it are dropped, on transports that queue. */
export const MAX_QUEUED_BYTES = 64 * 1024;

/**
 * A peer that leaves so many bytes of control messages unread is as good as gone. The list of a full room's
 * people must fit, 1000 of up to 560 bytes, and what was written so far.
 */
export const MAX_STUCK_BYTES = 640 * 1024;

/**
 * The plain sendMany, for transports that have no better way.
 * @param {Session[]} sessions
 * @param {Uint8Array} bytes
 */
export function sendToEach(sessions, bytes) {
  for (let i = 0; i < sessions.length; i++) sessions[i].send(bytes);
}
