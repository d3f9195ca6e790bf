import { isDeepStrictEqual } from 'node:util';
import { SERVER_MESSAGES } from '../../public/shared/messages/server-messages.js';

/** @import { ServerMessageType } from '../../public/shared/messages/server-messages.js' */

/**
 * Checks that a message of the server has the form that the schema says, and no other field.
 * @param {unknown} message  as JSON carries it
 * @throws {Error} when it hasn't
 */
export function checkServerMessage(message) {
  const { type, ...fields } = JSON.parse(JSON.stringify(message));
  if (!Object.hasOwn(SERVER_MESSAGES, type)) throw new Error(`no message of the server: ${type}`);
  const form = SERVER_MESSAGES[/** @type {ServerMessageType} */ (type)].fields;
  const { error, data } = form.safeParse(fields);
  if (error) throw new Error(`a bad ${type}: ${error.message} ${JSON.stringify(fields)}`);
  if (!isDeepStrictEqual(data, fields))
    throw new Error(`a ${type} with unknown fields: ${JSON.stringify(fields)}`);
}
