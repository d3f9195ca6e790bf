/** What the library tells of; the numbers are those of src/events.rs. @enum {number} */
export const EventKind = Object.freeze({
  request: 1,
  opened: 2,
  closed: 3,
  connectFailed: 4,
  streamOpened: 5,
  streamReadable: 6,
  streamWritable: 7,
  streamStopped: 8,
  endpointClosed: 9,
});

/**
 * Why a session ended: this side closed it, the peer did, the peer was silent for the idle timeout,
 * or the connection broke.
 * @typedef {'local' | 'peer' | 'timeout' | 'lost'} CloseCause
 */

/** By the numbers of src/events.rs. @type {readonly CloseCause[]} */
export const CLOSE_CAUSES = Object.freeze(['lost', 'local', 'peer', 'timeout', 'lost']);
