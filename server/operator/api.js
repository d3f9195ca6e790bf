/**
 * @import { IncomingMessage } from 'node:http'
 * @import { NextFunction, Request, Response, Router } from 'express'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { By } from '../room/rules/moderation.js'
 * @import { Parts, Route } from './routes.js'
 *
 * @typedef {(request: Request) => { remoteAddress?: string }} ClientOf finds the client of a
 *   request, also behind a trusted proxy
 */

import express from 'express';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { answerError, answerJson, isOfType, parseJson, readBody } from '../request/body.js';
import { OPERATOR } from '../state/grant.js';
import { describeApi } from './openapi.js';
import { ROUTES } from './routes.js';
import { createHash, timingSafeEqual } from 'node:crypto';

/** Maximum length of a request body, in bytes. */
const MAX_BODY_BYTES = 1024;

/** Maximum length of a value in a query, in characters. */
const MAX_QUERY_VALUE = 64;

/**
 * Serves the operator's API, below /api.
 * @param {Parts & { operatorToken: string | null, log: Pick<Log, 'info' | 'warn'>, clientOf?:
 *   ClientOf }} options operatorToken: null if there is no operator
 * @returns {Router}
 */
export function createOperatorApi({
  operatorToken,
  log,
  clientOf = ({ socket }) => socket,
  ...parts
}) {
  const api = express.Router();
  for (const route of ROUTES)
    api[route.method](route.path, handlerOf(route, { operatorToken, log, clientOf, parts }));
  const document = JSON.stringify(describeApi(parts.version));
  api.get('/openapi.json', (_request, response) => void response.type('json').send(document));
  return api;
}

/**
 * @param {Route} route
 * @param {{ operatorToken: string | null, log: Pick<Log, 'info' | 'warn'>, clientOf: ClientOf,
 *   parts: Parts }} options
 */
function handlerOf(route, { operatorToken, log, clientOf, parts }) {
  /**
   * @param {Request<Record<string, string>>} request
   * @param {Response} response
   * @param {unknown} body
   */
  const run = async (request, response, body) => {
    const known = isOperator(request, operatorToken);
    /** @type {By} */
    const by = { ...OPERATOR, peer: clientOf(request).remoteAddress };
    const query = queryOf(route, request);
    if (query === null) return answerError(response, 'bad-request');
    const result = await route.run(parts, {
      params: request.params,
      query,
      body,
      isOperator: known,
      by,
    });
    if (typeof result === 'string') return answerError(response, /** @type {ErrorCode} */ (result));
    audit(log, route, {
      by,
      params: request.params,
      body: /** @type {Record<string, unknown>} */ (body),
    });
    // When the client didn't wait for the answer, it is closed already.
    if (route.after && response.closed) route.after(parts);
    else if (route.after) response.once('close', () => route.after?.(parts));
    const status =
      route.otherwise && route.isOtherwise?.(/** @type {object} */ (result))
        ? route.otherwise
        : (route.status ?? 200);
    if (result === undefined) response.status(status).end();
    else answerJson(response, status, result);
  };
  return (
    /** @type {Request<Record<string, string>>} */ request,
    /** @type {Response} */ response,
    /** @type {NextFunction} */ next,
  ) => {
    // Credentials of other schemes belong to a proxy.
    const isTried = /^Bearer( |$)/i.test(request.headers.authorization ?? '');
    const mustBe = !route.open || (route.open === 'less' && isTried);
    if (mustBe && refuseOperator(request, response, operatorToken)) {
      log.warn(
        {
          event: 'operator-refused',
          method: request.method,
          path: request.baseUrl + request.path,
          peer: clientOf(request).remoteAddress,
        },
        "request refused: not the operator's token",
      );
      return;
    }
    if (route.body)
      readChecked(route, request, response, (body) => run(request, response, body).catch(next));
    else run(request, response, undefined).catch(next);
  };
}

/**
 * @param {Route} route
 * @param {Request<Record<string, string>>} request
 * @returns {Record<string, string> | null} the route's query values; null if one is unreadable
 */
function queryOf({ query: names = [] }, request) {
  /** @type {Record<string, string>} */
  const query = {};
  for (const name of names) {
    const value = request.query[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > MAX_QUERY_VALUE) return null;
    query[name] = value;
  }
  return query;
}

/**
 * Reads a request's body by the route's schema, or answers with the reason for a failure.
 * @param {Route} route
 * @param {Request<Record<string, string>>} request
 * @param {Response} response
 * @param {(body: unknown) => void} onBody
 */
function readChecked({ body: schema, allowed = '' }, request, response, onBody) {
  if (!isOfType(request, 'application/json')) return answerError(response, 'content-type');
  readBody(request, MAX_BODY_BYTES, (bytes) => {
    if (bytes === null) return answerError(response, 'body-too-large');
    const parsed = schema?.safeParse(parseJson(bytes));
    if (parsed?.success) return onBody(parsed.data);
    countRefusal('http', 'bad-request');
    answerJson(response, errors['bad-request'].status, { code: 'bad-request', message: allowed });
  });
}

/**
 * Logs an operator's change and its source. Moderation is logged by its room.
 * @param {Pick<Log, 'info'>} log
 * @param {Route} route
 * @param {{ by: By, params: Record<string, string>, body?: Record<string, unknown> }} asked
 */
function audit(log, { audit: action, audited = (change) => change }, { by, params, body }) {
  if (action === undefined) return;
  const change = body === undefined ? undefined : audited(body);
  if (change === null) return;
  log.info(
    { event: 'moderation', action, by: by.id, peer: by.peer, ...params, ...(change && { change }) },
    'moderated',
    { isLimited: false },
  );
}

/**
 * Refuses a request that only the operator may make.
 * @param {IncomingMessage} request
 * @param {Response} response
 * @param {string | null} operatorToken  null if nobody may
 * @returns {boolean} true if it was refused
 */
function refuseOperator(request, response, operatorToken) {
  if (isOperator(request, operatorToken)) return false;
  answerError(response, operatorToken === null ? 'operator-off' : 'operator-token');
  return true;
}

/**
 * Compares tokens by hash, in a time independent of the token and its length.
 * @param {IncomingMessage} request
 * @param {string | null} operatorToken  null if there is no operator
 */
function isOperator(request, operatorToken) {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  return (
    operatorToken !== null &&
    given !== undefined &&
    timingSafeEqual(sha256(given), sha256(operatorToken))
  );
}

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest();
