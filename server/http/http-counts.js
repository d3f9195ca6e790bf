/**
 * Counts what clients do wrong over TCP, for whoever watches the server.
 *
 * @typedef {object} HttpCounts
 * @property {number} pipelined      connections ended for a request while one was unanswered
 * @property {number} limited        requests refused since their address or connection sent too many
 * @property {number} connections    connections refused since their address had or made too many
 * @property {number} hosts          requests refused for the host that they named
 * @property {number} malformed      connections ended for what isn't HTTP
 * @property {number} slow           connections ended since an answer was not taken in time
 */

/** @returns {HttpCounts} */
export const createHttpCounts = () => ({ pipelined: 0, limited: 0, connections: 0, hosts: 0, malformed: 0, slow: 0 });
