/** The control messages and their fields, from their schemas. */

import { z } from 'zod';
import { errors } from '../public/shared/errors.js';
import { CLIENT_MESSAGES } from '../public/shared/messages/client-messages.js';
import * as fields from '../public/shared/messages/fields.js';
import {
  clientSegmentMessage,
  recordingMessage,
} from '../public/shared/messages/segment-messages.js';
import { SERVER_MESSAGES } from '../public/shared/messages/server-messages.js';
import { tableOf, writeWhenStarted } from './generated.js';

/** @typedef {z.core.JSONSchema.JSONSchema & { 'x-name'?: string }} Form  of a field or a message */

/** The page that holds the tables. */
export const PROTOCOL_PAGE = new URL('protocol.md', import.meta.url);

/**
 * Forms that the tables name instead of spelling them out.
 * @type {z.core.$ZodRegistry<{ name: string }, z.core.$ZodType>}
 */
const named = z.registry();
for (const [schema, name] of /** @type {const} */ ([
  [fields.id, 'id'],
  [fields.person, 'person'],
  [fields.nodeAddress, 'node'],
  [fields.rules, 'rules'],
  [fields.chatMessage, 'chat message'],
  [fields.caption, 'caption'],
  [fields.recording, 'recording'],
  [fields.beat, 'beat'],
  [fields.track, 'track'],
  [fields.ban, 'ban'],
  [fields.groups, 'groups'],
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

/** @type {import('./generated.js').Parts} */
export const PROTOCOL_PARTS = {
  'messages of clients': clientTable,
  'messages of the server': serverTable,
  join: () => fieldTable(CLIENT_MESSAGES.join.fields, 'input'),
  welcome: () => fieldTable(SERVER_MESSAGES.welcome.fields, 'output'),
  report: () => fieldTable(CLIENT_MESSAGES.report.fields, 'input'),
  node: () => fieldTable(fields.nodeAddress, 'output'),
  person: () => fieldTable(fields.person, 'output'),
  refused: () => fieldTable(SERVER_MESSAGES.refused.fields, 'output'),
  'chat message': () => fieldTable(fields.chatMessage, 'output'),
  caption: () => fieldTable(CLIENT_MESSAGES.caption.fields, 'input'),
  'caption for readers': () => fieldTable(fields.caption, 'output'),
  recording: () => fieldTable(fields.recording, 'output'),
  moderate: () => optionTable(CLIENT_MESSAGES.moderate.fields, 'input'),
  moderated: () => optionTable(SERVER_MESSAGES.moderated.fields._zod.def.left, 'output'),
  rules: () => fieldTable(fields.rules, 'output'),
  groups: () => fieldTable(fields.groups, 'output'),
  bans: () => fieldTable(fields.ban, 'output'),
  stats: () => fieldTable(SERVER_MESSAGES.stats.fields, 'output'),
  track: () => optionTable(CLIENT_MESSAGES.track.fields, 'input'),
  'track in a room': () => fieldTable(fields.track, 'output'),
  beat: () => fieldTable(fields.beat, 'output'),
  'messages about segments': () => optionTable(clientSegmentMessage, 'input', 'type'),
  'a recording in segments': () => fieldTable(recordingMessage, 'output'),
  codes: codeTable,
};

writeWhenStarted(import.meta.url, PROTOCOL_PAGE, PROTOCOL_PARTS);
