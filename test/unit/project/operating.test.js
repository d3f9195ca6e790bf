/** docs/operating.md and docs/deploying.md beside what the server really has. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OLD_OPTIONS } from '../../../server/config/old-options.js';
import { METRIC_NAMES } from '../../../server/operator/metrics.js';
import { ROUTES } from '../../../server/operator/routes.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';

const read = (/** @type {string} */ path) =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const PAGE = read('docs/operating.md');

/** @param {string} heading @returns {string} text below it */
const section = (heading) => PAGE.split(`\n## ${heading}\n`)[1].split('\n## ')[0];

/** Cells of the tables' rows. @param {string} text */
const rowsOf = (text) =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split('|').map((cell) => cell.trim()));

/** @param {string} text @returns {string[]} names of aloud's own metrics in it */
const metricsIn = (text) => text.match(/\baloud_\w+/g) ?? [];

describe('the metrics of docs/operating.md', () => {
  it('are all that there are, each in one row', () => {
    const named = rowsOf(section('Metrics')).flatMap(([names]) => metricsIn(names));
    const whole = METRIC_NAMES.map((name) => name.replace(/(?<=_seconds)_(bucket|sum|count)$/, ''));
    expect(named.toSorted()).toEqual([...new Set(whole)].toSorted());
  });

  it('that alarms ask for are there', () => {
    const [, alarms] = /```yaml\n(- alert:[^]*?)```/.exec(section('Metrics')) ?? ['', ''];
    const asked = metricsIn(alarms);
    expect(asked.length).toBeGreaterThan(5);
    for (const name of asked) expect(METRIC_NAMES).toContain(name);
  });
});

/** Requests of a cell: `POST`, `DELETE /api/a` are two. @param {string} cell */
function requestsOf(cell) {
  /** @type {string[]} */
  let methods = [];
  return [...cell.matchAll(/`([A-Z]+)(?: ([^`]+))?`/g)].flatMap(([, method, path]) => {
    methods.push(method);
    if (path === undefined) return [];
    const requests = methods.map((each) => `${each} ${path}`);
    methods = [];
    return requests;
  });
}

it('the API of docs/operating.md has each request, with its query and its need of a token', () => {
  const [, rows] = /\n\n(\| request [^]*?)\n\n/.exec(section('The API')) ?? ['', ''];
  const listed = rowsOf(rows).flatMap(([cell, , token]) =>
    requestsOf(cell).map((request) => `${request} ${token}`),
  );
  /** @type {Record<string, string>} */
  const needs = { none: 'yes', all: 'no', less: '' };
  const served = ROUTES.map(({ method, path, query, open = 'none' }) => {
    const asked = query ? `?${query.map((name) => `${name}=`).join('&')}` : '';
    const place = `/api${path.replace(/:(\w+)/g, '<$1>')}${asked}`;
    return `${method.toUpperCase()} ${place} ${needs[open]}`;
  });
  expect(listed.toSorted()).toEqual(served.toSorted());
});

it.each(OLD_OPTIONS)('the old option $row.name is in docs/operating.md', ({ row }) => {
  const old = rowsOf(section('Old options')).flatMap(([spelling]) => spelling.split(/[ `,]+/));
  expect(old).toContain(`--${row.name}`);
});

it('the webhooks of docs/operating.md are all that are sent', () => {
  const [, type] = /@typedef \{([^}]*)\} Occasion/.exec(read('server/webhooks/webhooks.js')) ?? [];
  const sent = (type.match(/\w+_\w+/g) ?? []).toSorted();
  expect(sent.length).toBeGreaterThan(5);
  const listed = rowsOf(section('Webhooks')).flatMap(([names]) => names.match(/\w+_\w+/g) ?? []);
  expect(listed.toSorted()).toEqual(sent);
});

it('a line of the log in docs/deploying.md is one that the server writes', () => {
  const line = /^ *\S+Z (error|warn|info) (.*?) event="([\w-]+)"/m;
  const [, level, message, event] = line.exec(read('docs/deploying.md')) ?? [];
  expect(PAGE).toContain(`| \`${event}\` | ${level} | ${message} |`);
});

requireOrSkip(spawnSync('jq', ['--version']).status === 0, 'there is no jq', ofTheMachine).it(
  'the filter of the log in docs/operating.md finds its lines among the others of a journal',
  () => {
    const [, options, filter] = /\| jq (-\w+ )?'([^']+)'$/m.exec(PAGE) ?? [];
    const wanted = { event: 'session-end', room: 'tea', name: 'Ann' };
    const input = [
      'Started aloud.service - aloud, audio conferencing over HTTP/3.',
      'aloud is at https://call.example.org',
      JSON.stringify(wanted),
      JSON.stringify({ ...wanted, room: 'lab' }),
      '12 is a number',
    ].join('\n');
    const args = [...(options ? [options.trim()] : []), '--compact-output', filter];
    const { stdout, stderr } = spawnSync('jq', args, { input, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${JSON.stringify(wanted)}\n`, '']);
  },
);
