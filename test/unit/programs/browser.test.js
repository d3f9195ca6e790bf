import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { join } from '../../../programs/browser.js';

/**
 * `npm run typecheck` fails if a call of the module lacks something that is declared. Its
 * addEventListener knows the events, and is narrower.
 *
 * @type {(call: import('../../../public/call.js').Call) =>
 *   Omit<import('../../../programs/browser.js').Call, 'addEventListener'>}
 */
const asDeclared = (call) => call;

const read = (/** @type {string} */ file) =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe('aloud/browser', () => {
  it.each(['tea', '/r/tea', 'ftp://talk.example/r/tea', 'javascript:0', ''])(
    'loads nothing for %j, which is no link',
    async (room) => {
      await expect(join({ room })).rejects.toThrow(/is no link of a room, such as/);
    },
  );

  it('declares the options that the module of the server reads', () => {
    const [, declared] = /interface JoinOptions \{\n([^]*?)^\}/m.exec(
      read('programs/browser.d.ts'),
    ) ?? ['', ''];
    const [, written] = /@typedef \{object\} JoinOptions\n([^]*?)\*\//.exec(
      read('public/aloud.js'),
    ) ?? ['', ''];
    const names = [...declared.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name);
    expect(names).toEqual(
      [...written.matchAll(/@property \{[^}]*\} \[?(\w+)/g)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(5);
  });

  it('declares no method that a call of the module lacks', () => {
    expect(asDeclared.length).toBe(1);
    const [, body] = /interface Call extends EventTarget \{\n([^]*?)^\}/m.exec(
      read('programs/browser.d.ts'),
    ) ?? ['', ''];
    const methods = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    expect(methods).toContain('setNearness');
    for (const name of methods)
      expect(read('public/call.js')).toMatch(new RegExp(`^  (async )?${name}\\(`, 'm'));
  });
});
