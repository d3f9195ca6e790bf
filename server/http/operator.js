/**
 * @import { NextFunction, Request, Response } from 'express'
 * @import { Rooms } from '../room/rooms.js'
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { MAX_SERVER_DELAY_MS } from '../config/options.js';
import { answerError, answerJson, isOfType, readBody } from './body.js';

/** The longest body of an operator's request, in bytes. */
const MAX_BODY_BYTES = 1024;

const changeRequest = z.strictObject({
  serverDelayMs: z.union([z.literal('auto'), z.number().min(0).max(MAX_SERVER_DELAY_MS)]),
});

const ALLOWED = `The body is to be {"serverDelayMs": D}: "auto", or a number from 0 to ${MAX_SERVER_DELAY_MS} (ms).`;

/**
 * Lets the server's operator change a running room: PATCH /api/rooms/<room>.
 *
 * @param {object} options
 * @param {Pick<Rooms, 'get'>} options.rooms
 * @param {string | null} options.operatorToken null where nobody may
 * @param {(room: string) => void} [options.onChanged]
 * @returns {(request: Request<{ room: string }>, response: Response, next: NextFunction) => void}
 */
export function changeRoom({ rooms, operatorToken, onChanged = () => {} }) {
  return (request, response, next) => {
    if (refuseOperator(request, response, operatorToken)) return;
    if (!isOfType(request, 'application/json')) return answerError(response, 'content-type');
    readBody(request, MAX_BODY_BYTES, (body) => {
      try {
        change(rooms, request.params.room, body, response);
        onChanged(request.params.room);
      } catch (error) {
        next(error);
      }
    });
  };
}

/**
 * @param {Pick<Rooms, 'get'>} rooms
 * @param {string} name
 * @param {Buffer | null} body null when it is too large
 * @param {Response} response
 */
function change(rooms, name, body, response) {
  if (body === null) return answerError(response, 'body-too-large');
  const wanted = changeRequest.safeParse(parseJson(body));
  if (!wanted.success) return answerJson(response, 400, { code: 'bad-request', message: ALLOWED });
  const room = rooms.get(name);
  if (!room) return answerError(response, 'not-found');
  room.setDelay(wanted.data.serverDelayMs);
  answerJson(response, 200, room.describe());
}

/**
 * Refuses a request that only the operator may make, where it isn't the operator's.
 * @param {Request<any>} request
 * @param {Response} response
 * @param {string | null} operatorToken null where nobody may
 * @returns {boolean} whether it was answered
 */
export function refuseOperator(request, response, operatorToken) {
  if (operatorToken !== null && hasToken(request, operatorToken)) return false;
  if (operatorToken !== null) response.set('WWW-Authenticate', 'Bearer');
  answerError(response, operatorToken === null ? 'operator-off' : 'operator-token');
  return true;
}

/**
 * Compares tokens by hash, in a time that tells nothing of the token, nor of its length.
 * @param {Request<any>} request
 * @param {string} token
 */
function hasToken(request, token) {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(sha256(given), sha256(token));
}

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest();

/** @param {Buffer} body */
function parseJson(body) {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
