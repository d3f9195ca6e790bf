/** @import { Request, Response } from 'express' */

import { createHash, timingSafeEqual } from 'node:crypto';
import { answerError } from './body.js';

/**
 * Refuses a request that only the operator may make, where it isn't the operator's.
 * @param {Request<any>} request
 * @param {Response} response
 * @param {string | null} operatorToken null where nobody may
 * @returns {boolean} whether it was answered
 */
export function refuseOperator(request, response, operatorToken) {
  if (isOperator(request, operatorToken)) return false;
  if (operatorToken !== null) response.set('WWW-Authenticate', 'Bearer');
  answerError(response, operatorToken === null ? 'operator-off' : 'operator-token');
  return true;
}

/**
 * Compares tokens by hash, in a time that tells nothing of the token, nor of its length.
 * @param {Request<any>} request
 * @param {string | null} operatorToken null where nobody is the operator
 */
export function isOperator(request, operatorToken) {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  return (
    operatorToken !== null &&
    given !== undefined &&
    timingSafeEqual(sha256(given), sha256(operatorToken))
  );
}

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest();
