/**
 * Connects the nodes of a cluster: subjects carry JSON objects, or bytes for sound. A subject is a
 * series of words separated by dots; in a subscription `*` matches any one word. Nothing is
 * stored: a message reaches the subscribers of that moment only.
 *
 * @typedef {'connecting' | 'connected' | 'lost'} BusState  connecting: not connected yet since the
 *   start
 *
 * @typedef {object} Bus
 * @property {BusState} state
 * @property {number} dropped  messages that were too long or not JSON
 * @property {() => void} open  starts to connect, and retries
 * @property {(subject: string, message: object) => void} publish discards the message while
 *   disconnected
 * @property {(subject: string, bytes: Uint8Array) => void} publishBytes as publish; the bus owns
 *   the bytes afterwards
 * @property {(subject: string, handler: (message: unknown) => void) => () => void} subscribe
 *   returns the unsubscribe function
 * @property {(subject: string, handler: (bytes: Uint8Array) => void) => () => void} subscribeBytes
 *   as subscribe; the bytes are valid during the call
 * @property {(subject: string, handler: (message: unknown) => object | null | Promise<object |
 *   null>) => () => void} serve answers requests unless the handler returns null
 * @property {(subject: string, message: object, timeoutMs: number) => Promise<unknown>} request
 *   resolves to the first answer, to NOBODY at once if nobody serves the subject, or to SILENCE
 *   after the timeout. Never rejects
 * @property {(run: () => void) => () => void} onChanged runs when the connection has changed or
 *   come back: earlier messages may be lost, and all subscriptions are in place again. Returns the
 *   unsubscribe function
 * @property {() => Promise<void>} close  idempotent
 */

export const NOBODY = Symbol('nobody');

/** The answer to a request that timed out or could not be sent. */
export const SILENCE = Symbol('silence');

/** Silence after which a node counts as dead, in milliseconds. */
export const ALIVE_MS = 1000;
