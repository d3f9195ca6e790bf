import { expect, it } from 'vitest';
import { localNetworkPermission } from '../../../../public/client/connection/choose.js';

/** @param {string} href @param {string | null} state null: the browser doesn't know the name */
const scopeOf = (href, state) => ({
  location: { href },
  navigator: {
    permissions: {
      query: async (/** @type {{ name: string }} */ { name }) => {
        expect(name).toBe('local-network');
        if (state === null) throw new TypeError('unknown name');
        return { state };
      },
    },
  },
});

it.each([
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'prompt', 'prompt'],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'granted', 'granted'],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'denied', 'denied'],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', null, null],
  ['https://10.0.0.5', 'https://10.0.0.4/r/tea', 'prompt', null],
  ['https://b.example.org', 'https://call.example.org/r/tea', 'prompt', null],
  ['', 'https://call.example.org/r/tea', 'prompt', null],
])('a session to "%s" from %s, permission %s: is %s', async (url, href, state, told) => {
  expect(await localNetworkPermission(url, scopeOf(href, state))).toBe(told);
});

it('a program without permissions is never asked', async () => {
  expect(await localNetworkPermission('https://10.0.0.5', {})).toBeNull();
});
