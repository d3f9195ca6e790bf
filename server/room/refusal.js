/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 */

import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';

/**
 * Tells a session that it can't join, and why, and ends it.
 * @param {Session} session
 * @param {ErrorCode} code
 */
export function refuse(session, code) {
  const { close, message } = errors[code];
  countRefusal('join', code);
  session.sendControl({ type: 'refused', code, message });
  session.close(close, message);
}
