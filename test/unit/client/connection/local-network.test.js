import { expect, it } from 'vitest';
import { asksForLocalNetwork } from '../../../../public/client/connection/local-network.js';

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
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'prompt', true],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'granted', false],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', 'denied', false],
  ['https://10.0.0.5', 'https://call.example.org/r/tea', null, false],
  ['https://10.0.0.5', 'https://10.0.0.4/r/tea', 'prompt', false],
  ['https://b.example.org', 'https://call.example.org/r/tea', 'prompt', false],
])('a session to %s from %s, permission %s: asks is %s', async (url, href, state, asks) => {
  expect(await asksForLocalNetwork(url, scopeOf(href, state))).toBe(asks);
});

it('a program without permissions is never asked', async () => {
  expect(await asksForLocalNetwork('https://10.0.0.5', {})).toBe(false);
});
