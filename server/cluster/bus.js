/**
 * What nodes of a cluster say to each other over: subjects with messages that are JSON objects, or
 * bytes where sound is in them. A subject is a series of words with dots between; `*` stands for
 * any one word where it is subscribed to. Nothing is stored: a message reaches those who listen
 * when it is sent, or nobody.
 *
 * @typedef {'connecting' | 'connected' | 'lost'} BusState  connecting: never been connected yet
 *
 * @typedef {object} Bus
 * @property {BusState} state
 * @property {number} dropped  messages that were too long, or no JSON
 * @property {() => void} open  begins to connect, and goes on trying
 * @property {(subject: string, message: object) => void} publish into the void while there is no
 *   connection
 * @property {(subject: string, bytes: Uint8Array) => void} publishBytes as publish; the bytes are
 *   the bus's from then on
 * @property {(subject: string, handler: (message: unknown) => void) => () => void} subscribe
 *   answers what ends it
 * @property {(subject: string, handler: (bytes: Uint8Array) => void) => () => void} subscribeBytes
 *   as subscribe; the bytes are valid during the call
 * @property {(subject: string, handler: (message: unknown) => object | null | Promise<object |
 *   null>) => () => void} serve answers requests, but for those on which the handler gives null
 * @property {(subject: string, message: object, timeoutMs: number) => Promise<unknown>} request the
 *   first answer; NOBODY where nobody serves the subject, which is known at once; SILENCE where no
 *   answer came in time. Never rejects
 * @property {(run: () => void) => () => void} onChanged the way has changed or come back, and
 *   messages may have been lost on the one before; what is published now follows what was
 *   subscribed to before. Answers what ends it
 * @property {() => Promise<void>} close  idempotent
 */

/** The answer to a request that nobody serves. */
export const NOBODY = Symbol('nobody');

/** The answer to a request that was not answered in time, or that could not be sent. */
export const SILENCE = Symbol('silence');
