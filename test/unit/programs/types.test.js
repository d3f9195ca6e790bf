import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as client from '../../../programs/client.js';

/** `npm run typecheck` fails if the signatures differ. */
const { join } = /** @satisfies {typeof import('../../../programs/types.js')} */ (client);

const read = (/** @type {string} */ file) =>
  readFileSync(new URL(`../../../programs/${file}`, import.meta.url), 'utf8');
const types = read('types.d.ts');

/** @param {string} name @param {string} [declarations] @returns {string} an interface's content */
const bodyOf = (name, declarations = types) =>
  new RegExp(`^export interface ${name}\\b[^{]*\\{\n([^]*?)^\\}`, 'm').exec(declarations)?.[1] ??
  '';

/** Names of an interface's properties. @param {string} name */
const propertiesOf = (name) =>
  [...bodyOf(name).matchAll(/^ {2}(\w+)\??: /gm)].map(([, property]) => property).sort();

/** Names of an interface's properties and methods. @param {string} body */
const membersOf = (body) =>
  [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member);

describe('the types of aloud/client', () => {
  it('declare each export of the code, and no other', () => {
    const declared = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => name);
    expect(declared.sort()).toEqual(Object.keys(client).sort());
  });

  it('declare each option that join() reads, and no other', async () => {
    /** @type {Set<string>} */
    const asked = new Set();
    const url = 'http://127.0.0.1:1/r/tea';
    const get = (/** @type {any} */ all, /** @type {string} */ name) => (
      asked.add(name),
      all[name]
    );
    const options = new Proxy({ url }, { get });
    await expect(join(options)).rejects.toThrow();
    expect([...asked].sort()).toEqual(propertiesOf('JoinOptions'));
  });

  it('declare each event that a call emits, and no other', () => {
    const emits = read('client.js').match(/\bemit\(.*\)/g) ?? [];
    const names = emits.flatMap((call) => {
      const [name] = call.split(', ');
      return [...name.matchAll(/'(\w+)'/g)].map(([, event]) => event).filter((e) => e !== 'away');
    });
    expect([...new Set(names)].sort()).toEqual(propertiesOf('CallEvents'));
  });
});

describe('each name that is declared is on its page', () => {
  const browser = read('browser.d.ts');

  it.each([
    ['programs', ['JoinOptions', 'Call', 'CallEvents'].map((name) => bodyOf(name))],
    ['embedding', ['JoinOptions', 'Call', 'CallView'].map((name) => bodyOf(name, browser))],
  ])('docs/%s.md', (page, bodies) => {
    const text = read(`../docs/${page}.md`).replace(/```[^]*?```/g, '');
    const code = (text.match(/`[^`]+`/g) ?? []).join(' ');
    for (const body of bodies) expect(membersOf(body).length).toBeGreaterThan(5);
    for (const name of bodies.flatMap(membersOf))
      expect([name, new RegExp(`\\b${name}\\b`).test(code)]).toEqual([name, true]);
  });
});
