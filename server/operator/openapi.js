/**
 * Describes the operator's API in OpenAPI 3.1, from the same table and schemas as the API itself.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Route } from './routes.js'
 */

import { z } from 'zod';
import { errors } from '../../public/shared/errors.js';
import { ROUTES } from './routes.js';
import { components, error } from './schemas.js';

/**
 * Refusals of every route (server/http/gate.js), of routes for the operator only, and of routes
 * with a body.
 */
const OF_GATE = /** @type {ErrorCode[]} */ (['host-not-allowed', 'too-many-requests']);
const OF_OPERATOR = /** @type {ErrorCode[]} */ (['operator-token', 'operator-off']);
const OF_BODY = /** @type {ErrorCode[]} */ (['bad-request', 'content-type', 'body-too-large']);
const OF_QUERY = /** @type {ErrorCode[]} */ (['bad-request']);

/** @param {string} id */
const uri = (id) => `#/components/schemas/${id}`;

/** @param {z.ZodType} schema @returns {object} a reference if the document names it */
function schemaOf(schema) {
  const id = components.get(schema)?.id;
  if (id) return { $ref: uri(id) };
  const { options } = /** @type {{ options?: z.ZodType[] }} */ (/** @type {unknown} */ (schema));
  if (!options) throw new TypeError('a schema of the API is to be named, or a union of named ones');
  return { anyOf: options.map(schemaOf) };
}

function componentSchemas() {
  const { schemas } = z.toJSONSchema(components, { uri, unrepresentable: 'throw' });
  return Object.fromEntries(
    Object.entries(/** @type {Record<string, Record<string, unknown>>} */ (schemas)).map(
      ([id, { $schema: _dialect, $id: _uri, ...schema }]) => [id, schema],
    ),
  );
}

/** @param {z.ZodType} schema */
const json = (schema) => ({ 'application/json': { schema: schemaOf(schema) } });

/** @param {Route} route */
function responsesOf({
  open,
  body,
  query,
  status = 200,
  answer,
  otherwise,
  refusals = [],
  summary,
}) {
  const codes = new Set([
    ...(open ? [] : OF_OPERATOR),
    ...(body ? OF_BODY : []),
    ...(query ? OF_QUERY : []),
    ...refusals,
    ...OF_GATE,
  ]);
  /** @type {Record<string, object>} */
  const responses = {
    [status]: { description: summary, ...(answer && { content: json(answer) }) },
  };
  if (otherwise && answer) responses[otherwise] = { description: summary, content: json(answer) };
  for (const code of codes) {
    const { status: refused } = errors[code];
    const before = /** @type {{ description?: string } | undefined} */ (responses[refused])
      ?.description;
    const description = before ? `${before}, \`${code}\`` : `\`${code}\``;
    responses[refused] = { description, content: json(error) };
  }
  return responses;
}

/** @param {Route} route */
function operationOf(route) {
  const { method, path, summary, open, body, query = [] } = route;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...query.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } })),
  ];
  const words = path
    .replace(/:(\w+)/g, 'by-$1')
    .split(/[/-]/)
    .filter(Boolean);
  return {
    operationId: [method, ...words]
      .map((word, i) => (i === 0 ? word : word[0].toUpperCase() + word.slice(1)))
      .join(''),
    summary,
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: responsesOf(route),
  };
}

/** @param {string} version  of the server */
export function describeApi(version) {
  /** @type {Record<string, Record<string, object>>} */
  const paths = {};
  for (const route of ROUTES) {
    const path = `/api${route.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: "aloud: the operator's API",
      version,
      description:
        'Every refusal has a code and a sentence. The token is that of --operator-token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ operator: [] }],
    paths,
    components: {
      securitySchemes: { operator: { type: 'http', scheme: 'bearer' } },
      schemas: componentSchemas(),
    },
  };
}
