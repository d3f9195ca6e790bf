/**
 * Counts the connections over TCP that were ended for what their clients did, by reason, for
 * whoever watches the server. Requests that are refused with a code are counted by it:
 * server/counts.js.
 *
 * @typedef {object} HttpCounts
 * @property {number} pipelined      connections ended for a request while one was unanswered
 * @property {number} connections    connections refused since their address had or made too many
 * @property {number} malformed      connections ended for what isn't HTTP
 * @property {number} slow           connections ended since an answer was not taken in time
 */

/** @returns {HttpCounts} */
export const createHttpCounts = () => ({ pipelined: 0, connections: 0, malformed: 0, slow: 0 });
