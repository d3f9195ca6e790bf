/**
 * @import { NextFunction, Request, Response, Router } from 'express'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { By } from '../room/moderation/moderation.js'
 * @import { Parts, Route } from './routes.js'
 *
 * @typedef {(request: Request) => { remoteAddress?: string }} ClientOf tells who asks, behind a
 *   trusted proxy too
 */

import express from 'express';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { answerError, answerJson, isOfType, readBody } from '../http/body.js';
import { isOperator, refuseOperator } from '../http/operator-token.js';
import { OPERATOR } from '../room/moderation/moderation.js';
import { describeApi } from './openapi.js';
import { ROUTES } from './routes.js';

/** The longest body of an operator's request, in bytes. */
const MAX_BODY_BYTES = 1024;

/** The longest value in the query of an operator's request, in characters. */
const MAX_QUERY_VALUE = 64;

/**
 * Serves the operator's API, below /api.
 * @param {Parts & { operatorToken: string | null, version: string, log: Pick<Log, 'info' | 'warn'>,
 *   clientOf?: ClientOf }} options operatorToken: null where nobody has it
 * @returns {Router}
 */
export function createOperatorApi({
  operatorToken,
  version,
  log,
  clientOf = ({ socket }) => socket,
  ...parts
}) {
  const api = express.Router();
  for (const route of ROUTES)
    api[route.method](route.path, handlerOf(route, { operatorToken, log, clientOf, parts }));
  const document = JSON.stringify(describeApi(version));
  api.get('/openapi.json', (_request, response) => void response.type('json').send(document));
  return api;
}

/**
 * @param {Route} route
 * @param {{ operatorToken: string | null, log: Pick<Log, 'info' | 'warn'>, clientOf: ClientOf,
 *   parts: Parts }} options
 */
function handlerOf(route, { operatorToken, log, clientOf, parts }) {
  /** @param {Request<any>} request @param {Response} response @param {unknown} body */
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
    audit(log, route, { by, params: request.params, body });
    // Where nobody waits for the answer any more, it has closed already.
    if (route.after && response.closed) route.after(parts);
    else if (route.after) response.once('close', () => route.after?.(parts));
    const status =
      route.otherwise && route.isOtherwise?.(result) ? route.otherwise : (route.status ?? 200);
    if (result === undefined) response.status(status).end();
    else answerJson(response, status, result);
  };
  return (
    /** @type {Request<any>} */ request,
    /** @type {Response} */ response,
    /** @type {NextFunction} */ next,
  ) => {
    // Credentials of another kind are a proxy's.
    const isTried = /^Bearer( |$)/i.test(request.headers.authorization ?? '');
    const mustBe = !route.open || (route.open === 'less' && isTried);
    if (mustBe && refuseOperator(request, response, operatorToken)) {
      log.warn(
        `${request.method} ${request.baseUrl}${request.path} was refused: not the operator's token`,
        {
          event: 'operator-refused',
          peer: clientOf(request).remoteAddress,
        },
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
 * @param {Request<any>} request
 * @returns {Record<string, string> | null} the values of the query that the route takes; null where
 *   one can't be read
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
 * Reads a request's body as the route's schema has it, or answers why not.
 * @param {Route} route
 * @param {Request<any>} request
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
 * Logs what an operator has changed, and from where. What is done in a room by its moderation is
 * logged there.
 * @param {Pick<Log, 'info'>} log
 * @param {Route} route
 * @param {{ by: By, params: Record<string, string>, body: unknown }} asked
 */
function audit(log, { audit: what, audited = (change) => change }, { by, params, body }) {
  if (what === undefined) return;
  const fields = { event: 'moderation', by: by.id, peer: by.peer, ...params };
  const cause = { isLimited: false };
  if (body === undefined) return log.info(`the operator: ${what}`, fields, cause);
  const change = audited(body);
  if (change !== null) log.info(`the operator: ${what}`, { ...fields, change }, cause);
}

/** @param {Buffer} body */
function parseJson(body) {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
