/** The operator of a test's server. */
export const OPERATOR_TOKEN = 'token-of-the-operator';

/** The options that give a server this operator. */
export const WITH_OPERATOR = Object.freeze(['--operator-token', OPERATOR_TOKEN]);

/**
 * Asks the API as the operator.
 * @param {string} origin
 * @param {string} path below /api
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
export const asOperator = (origin, path, init = {}) =>
  fetch(`${origin}/api${path}`, {
    ...init,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...init.headers },
  });

/**
 * A room as the operator sees it.
 * @param {string} origin
 * @param {string} [room]
 * @returns {Promise<any>}
 */
export const roomOf = async (origin, room = 'lab') =>
  (await asOperator(origin, `/rooms/${room}`)).json();
