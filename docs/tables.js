/**
 * Tables of pages that are written from the code: options, events of the log, and control messages
 * with their fields. Each table lies between two comments: `<!-- NAME: written by … -->` and
 * `<!-- end of NAME -->`.
 *
 * @import { CallExpression, Expression, ObjectExpression } from 'estree'
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Linter } from 'eslint';
import { z } from 'zod';
import { errors } from '../public/shared/errors.js';
import { CLIENT_MESSAGES } from '../public/shared/messages/client-messages.js';
import * as shared from '../public/shared/messages/fields.js';
import {
  clientSegmentMessage,
  recordingMessage,
} from '../public/shared/messages/segment-messages.js';
import { SERVER_MESSAGES } from '../public/shared/messages/server-messages.js';
import { fallbackText } from '../server/config/command-line.js';
import { rangeOf } from '../server/config/option-value.js';
import { OPTIONS } from '../server/config/options.js';

/** @typedef {Record<string, () => string>} Parts  Markdown by the part's name */

/** @param {string[][]} rows  the first has the heads of the columns */
export function tableOf([heads, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A page with its parts as the code has them.
 * @param {string} page
 * @param {Parts} parts
 * @throws {Error} when the page has no place for one of them
 */
export function withParts(page, parts) {
  let text = page;
  for (const [name, write] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name}: written by .* -->)[^]*?(<!-- end of ${name} -->)`);
    if (!place.test(text)) throw new Error(`the page has no place for "${name}"`);
    text = text.replace(place, (_, begin, end) => `${begin}\n\n${write()}\n\n${end}`);
  }
  return text;
}

/**
 * Writes the parts of a page where the calling module is what was started.
 * @param {string} module  its import.meta.url
 * @param {URL} page
 * @param {Parts} parts
 */
export function writeWhenStarted(module, page, parts) {
  if (module === pathToFileURL(process.argv[1] ?? '').href)
    writeFileSync(page, withParts(readFileSync(page, 'utf8'), parts));
}

/** The page that holds the options of the server. */
export const CONFIGURATION_PAGE = new URL('configuration.md', import.meta.url);

const configurationTable = () =>
  tableOf([
    ['option', 'allowed', 'default', 'environment', 'what it sets'],
    ...OPTIONS.map((option) => [
      `\`${option.name}\``,
      rangeOf(option) + (option.unit ? ` ${option.unit}` : ''),
      fallbackText(option),
      `\`${option.env}\``,
      option.description,
    ]),
  ]);

/** @type {Parts} */
export const CONFIGURATION_PARTS = { options: configurationTable };

const SERVER = fileURLToPath(new URL('../server/', import.meta.url));

/** Calls of a log, as eslint.config.js has them. */
const LOG_CALL =
  'CallExpression[callee.property.name=/^(error|warn|info|debug)$/]' +
  ':matches([callee.object.name="log"], [callee.object.property.name="log"])' +
  '[arguments.0.type="ObjectExpression"]';

/** Source with such a call. */
const HAS_LOG_CALL = /\blog\s*(?:\?\.|\.)\s*(?:error|warn|info|debug)\b/;

/** The page that holds the events of the log. */
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
        fields: fields.flatMap(fieldsOf),
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
function fieldsOf(property) {
  if (property.type !== 'SpreadElement') return [`\`${property.key.name}\``];
  const { properties } = property.argument.right ?? {};
  return properties ? properties.flatMap(fieldsOf) : ['…'];
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

/** @type {Parts} */
export const OPERATING_PARTS = { events: eventTable };

/** @typedef {z.core.JSONSchema.JSONSchema & { 'x-name'?: string }} Form  of a field or a message */

/** The page that holds the tables of messages. */
export const PROTOCOL_PAGE = new URL('protocol.md', import.meta.url);

/**
 * Forms that the tables name instead of spelling them out.
 * @type {z.core.$ZodRegistry<{ name: string }, z.core.$ZodType>}
 */
const named = z.registry();
for (const [schema, name] of /** @type {const} */ ([
  [shared.id, 'id'],
  [shared.person, 'person'],
  [shared.nodeAddress, 'node'],
  [shared.rules, 'rules'],
  [shared.chatMessage, 'chat message'],
  [shared.caption, 'caption'],
  [shared.recording, 'recording'],
  [shared.beat, 'beat'],
  [shared.track, 'track'],
  [shared.ban, 'ban'],
  [shared.groups, 'groups'],
]))
  named.add(schema, { name });

/** More choices than this are those of the registry of errors. */
const MOST_CHOICES = 20;

/** More fields than this have a table of their own. */
const MOST_IN_CELL = 4;

/** @param {z.ZodType} schema @param {'input' | 'output'} io @returns {Form} */
function formOf(schema, io) {
  /** @type {z.core.ToJSONSchemaParams['override']} */
  const override = ({ zodSchema, jsonSchema, path }) => {
    const name = named.get(zodSchema)?.name;
    if (name !== undefined && path.length > 0) jsonSchema['x-name'] = name;
  };
  return /** @type {Form} */ (z.toJSONSchema(schema, { io, override }));
}

const code = (/** @type {unknown} */ value) => `\`${value}\``;

const figure = (/** @type {number} */ value) =>
  String(value)
    .replace('-', '−')
    .replace(/\B(?=(\d{3})+$)/g, ' ');

/** Names a field, with a question mark where it may be missing. @param {Form} form */
const namesOf = ({ properties = {}, required = [] }) =>
  Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));

/** @param {Form} form @returns {string} allowed values of a field */
function allowed(form) {
  const text = bare(form);
  return form.default === undefined || form.default === ''
    ? text
    : `${text}; ${shown(form.default)} by default`;
}

/** @param {Form} form @returns {string} */
function bare(form) {
  if (form['x-name']) return form['x-name'];
  if (form.const !== undefined) return code(JSON.stringify(form.const));
  if (form.enum) return choices(form.enum);
  if (Array.isArray(form.type))
    return form.type.map((type) => bare({ ...form, type })).join(' or ');
  if (form.anyOf) return form.anyOf.map((one) => bare(/** @type {Form} */ (one))).join(' or ');
  switch (form.type) {
    case 'string':
      if (form.format) return 'ISO 8601';
      return form.maxLength === undefined ? 'text' : `text, at most ${figure(form.maxLength)}`;
    case 'number':
    case 'integer':
      return range(form);
    case 'boolean':
      return 'true, false';
    case 'array':
      return `list of ${several(bare(/** @type {Form} */ (form.items)))}`;
    case 'object':
      return form.properties ? code(`{${namesOf(form).join(', ')}}`) : 'numbers by name';
    default:
      return String(form.type);
  }
}

/** @param {string} one */
const several = (one) => (/^[a-z ]+$/.test(one) ? `${one}s` : one);

/** @param {unknown} value */
const shown = (value) => (typeof value === 'number' ? figure(value) : code(value));

/** @param {unknown[]} values */
const choices = (values) =>
  values.length > MOST_CHOICES ? 'a code of section 8' : values.map(shown).join(', ');

/** @param {Form} form  of a number */
function range({ type, minimum, maximum, exclusiveMinimum }) {
  const most = maximum === undefined || maximum > 1e15 ? null : figure(maximum);
  if (exclusiveMinimum !== undefined) return `above ${exclusiveMinimum}, at most ${most}`;
  if (minimum !== undefined && most !== null) return `${figure(minimum)} to ${most}`;
  return type === 'integer' ? 'whole number' : 'number';
}

/**
 * The fields of a message in a cell of a table.
 * @param {Form} form
 * @param {number} [most]  more of them have a table of their own
 * @returns {string}
 */
function inCell(form, most = MOST_IN_CELL) {
  const options = form.anyOf ?? form.oneOf;
  if (form.allOf || (options && options.length > 2)) return 'below';
  if (options) return options.map((one) => inCell(/** @type {Form} */ (one))).join(' or ');
  const { properties = {}, required = [] } = form;
  const names = Object.entries(properties);
  if (names.length > most) return 'below';
  return names
    .map(([name, of]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${code(name + mark)}: ${allowed(/** @type {Form} */ (of))}`;
    })
    .join('; ');
}

/** @param {Form} form @returns {string[][]} rows: field, what it may hold, meaning */
const fieldRows = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, form]) => [
    code(required.includes(name) ? name : `${name}?`),
    allowed(/** @type {Form} */ (form)),
    /** @type {Form} */ (form).description ?? '',
  ]);

/** @param {z.ZodType} schema @param {'input' | 'output'} io */
const fieldTable = (schema, io) =>
  tableOf([['field', 'holds', 'meaning'], ...fieldRows(formOf(schema, io))]);

/**
 * @param {z.ZodType} schema
 * @param {'input' | 'output'} io
 * @param {string} [by]  field that tells the options apart
 */
function optionTable(schema, io, by = 'action') {
  const options = /** @type {Form[]} */ (formOf(schema, io).oneOf ?? []);
  const rows = options.map(({ description = '', properties = {}, ...form }) => {
    const { [by]: choice, ...more } = properties;
    const of = /** @type {Form} */ (choice).const;
    return [code(of), inCell({ ...form, properties: more }, Infinity), description];
  });
  return tableOf([[code(by), 'fields', 'meaning'], ...rows]);
}

const clientTable = () =>
  tableOf([
    ['`type`', 'fields', 'needs', 'meaning'],
    ...Object.entries(CLIENT_MESSAGES).map(([type, { fields: schema, needs, meaning }]) => [
      code(type),
      inCell(formOf(schema, 'input')),
      needs === null ? '' : code(needs),
      meaning,
    ]),
  ]);

const serverTable = () =>
  tableOf([
    ['`type`', 'fields', 'meaning'],
    ...Object.entries(SERVER_MESSAGES).map(([type, { fields: schema, meaning }]) => [
      code(type),
      inCell(formOf(schema, 'output')),
      meaning,
    ]),
  ]);

const codeTable = () =>
  tableOf([
    ['code', 'close', 'HTTP', 'sentence'],
    ...Object.entries(errors).map(([name, { close, status, message }]) => [
      code(name),
      String(close),
      String(status),
      message,
    ]),
  ]);

/** @type {Parts} */
export const PROTOCOL_PARTS = {
  'messages of clients': clientTable,
  'messages of the server': serverTable,
  join: () => fieldTable(CLIENT_MESSAGES.join.fields, 'input'),
  welcome: () => fieldTable(SERVER_MESSAGES.welcome.fields, 'output'),
  report: () => fieldTable(CLIENT_MESSAGES.report.fields, 'input'),
  node: () => fieldTable(shared.nodeAddress, 'output'),
  person: () => fieldTable(shared.person, 'output'),
  refused: () => fieldTable(SERVER_MESSAGES.refused.fields, 'output'),
  'chat message': () => fieldTable(shared.chatMessage, 'output'),
  caption: () => fieldTable(CLIENT_MESSAGES.caption.fields, 'input'),
  'caption for readers': () => fieldTable(shared.caption, 'output'),
  recording: () => fieldTable(shared.recording, 'output'),
  moderate: () => optionTable(CLIENT_MESSAGES.moderate.fields, 'input'),
  moderated: () => optionTable(SERVER_MESSAGES.moderated.fields._zod.def.left, 'output'),
  rules: () => fieldTable(shared.rules, 'output'),
  groups: () => fieldTable(shared.groups, 'output'),
  bans: () => fieldTable(shared.ban, 'output'),
  stats: () => fieldTable(SERVER_MESSAGES.stats.fields, 'output'),
  track: () => optionTable(CLIENT_MESSAGES.track.fields, 'input'),
  'track in a room': () => fieldTable(shared.track, 'output'),
  beat: () => fieldTable(shared.beat, 'output'),
  'messages about segments': () => optionTable(clientSegmentMessage, 'input', 'type'),
  'a recording in segments': () => fieldTable(recordingMessage, 'output'),
  codes: codeTable,
};

writeWhenStarted(import.meta.url, CONFIGURATION_PAGE, CONFIGURATION_PARTS);
writeWhenStarted(import.meta.url, PROTOCOL_PAGE, PROTOCOL_PARTS);
writeWhenStarted(import.meta.url, OPERATING_PAGE, OPERATING_PARTS);
