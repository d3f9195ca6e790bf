/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 */

import { errors } from '../../public/shared/errors.js';

/**
 * Tells a session that it isn't let in, and ends it.
 * @param {Session} session
 * @param {ErrorCode} code
 */
export function refuse(session, code) {
  const { close, message } = errors[code];
  session.sendControl({ type: 'refused', code, message });
  session.close(close, message);
}
