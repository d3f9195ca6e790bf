/**
 * The events of the server's log, read from its source.
 *
 * @import { CallExpression, Expression, ObjectExpression } from 'estree'
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import { tableOf, writeWhenStarted } from './generated.js';

const SERVER = fileURLToPath(new URL('../server/', import.meta.url));

/** Calls of a log, as eslint.config.js has them. */
const LOG_CALL =
  'CallExpression[callee.property.name=/^(error|warn|info|debug)$/]' +
  ':matches([callee.object.name="log"], [callee.object.property.name="log"])' +
  '[arguments.0.type="ObjectExpression"]';

/** Source with such a call. */
const HAS_LOG_CALL = /\blog\s*(?:\?\.|\.)\s*(?:error|warn|info|debug)\b/;

/** The page that holds the table. */
export const OPERATING_PAGE = new URL('operating.md', import.meta.url);

/** @typedef {{ event: string, level: string, message: string, fields: string[] }} Line */

/** @param {string} source of a file @returns {Line[]} */
function linesOf(source) {
  /** @type {Line[]} */
  const lines = [];
  // Parsing all files takes seconds, and few of them log.
  if (!HAS_LOG_CALL.test(source)) return lines;
  const create = () => ({
    [LOG_CALL]: (/** @type {CallExpression & { callee: any }} */ { callee, arguments: given }) => {
      const [event, ...fields] = /** @type {ObjectExpression} */ (given[0]).properties;
      lines.push({
        event: textOf(/** @type {any} */ (event).value),
        level: callee.property.name,
        message: textOf(/** @type {Expression} */ (given[1])),
        fields: fields.flatMap(namesOf),
      });
    },
  });
  new Linter().verify(source, [
    { plugins: { docs: { rules: { events: { create } } } }, rules: { 'docs/events': 'error' } },
  ]);
  return lines;
}

/**
 * The field of a property, or those of a spread that are known: `...(advice && { advice })`.
 * @param {any} property
 * @returns {string[]}
 */
function namesOf(property) {
  if (property.type !== 'SpreadElement') return [`\`${property.key.name}\``];
  const { properties } = property.argument.right ?? {};
  return properties ? properties.flatMap(namesOf) : ['…'];
}

/** @param {Expression} node a text, or two that are put together @returns {string} */
const textOf = (node) =>
  node.type === 'BinaryExpression'
    ? textOf(/** @type {Expression} */ (node.left)) + textOf(node.right)
    : String(/** @type {any} */ (node).value);

/** The table of events as Markdown, with a row for each event, level and message. */
export function eventTable() {
  const paths = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .sort();
  /** @type {Map<string, Line>} */
  const rows = new Map();
  for (const line of paths.flatMap((path) => linesOf(readFileSync(SERVER + path, 'utf8')))) {
    const key = `${line.event} ${line.level} ${line.message}`;
    const fields = [...new Set([...(rows.get(key)?.fields ?? []), ...line.fields])];
    rows.set(key, { ...line, fields });
  }
  const sorted = [...rows.keys()].sort().map((key) => /** @type {Line} */ (rows.get(key)));
  return tableOf([
    ['`event`', 'level', 'message', 'fields'],
    ...sorted.map(({ event, level, message, fields }) => [
      `\`${event}\``,
      level,
      message,
      fields.join(', '),
    ]),
  ]);
}

/** @type {import('./generated.js').Parts} */
export const OPERATING_PARTS = { events: eventTable };

writeWhenStarted(import.meta.url, OPERATING_PAGE, OPERATING_PARTS);
