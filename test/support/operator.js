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
 * Asks the API as the operator, and reads the answer.
 * @param {string} origin
 * @param {string} method
 * @param {string} path below /api
 * @param {object} [body]
 * @returns {Promise<{ status: number, answer: any }>} answer: null without one
 */
export async function askOperator(origin, method, path, body) {
  const response = await asOperator(origin, path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    answer: response.status === 204 ? null : await response.json(),
  };
}

/**
 * A room as the operator sees it.
 * @param {string} origin
 * @param {string} [room]
 * @returns {Promise<any>}
 */
export const roomOf = async (origin, room = 'lab') =>
  (await asOperator(origin, `/rooms/${room}`)).json();

/**
 * A participant's statistics.
 * @param {string} origin
 * @param {string} name
 * @returns {Promise<any>}
 * @throws {Error} without the participant: a busy server may have refused them
 */
export async function statsOf(origin, name) {
  const { people = [] } = await roomOf(origin);
  const found = people.find((/** @type {any} */ person) => person.name === name);
  if (!found) throw new Error(`${name} is not in the room`);
  return found.stats;
}
