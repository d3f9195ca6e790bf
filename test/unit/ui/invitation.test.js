import { describe, expect, it } from 'vitest';
import { takeInvitation } from '../../../public/ui/lobby/invitation.js';

/** A tab at an address. @param {string} hash @param {Map<string, string>} [kept] */
function tab(hash, kept = new Map()) {
  /** @type {string[]} */
  const shown = [];
  const history = { replaceState: (/** @type {any} */ _, /** @type {string} */ __, /** @type {any} */ url) => void shown.push(String(url)) };
  const storage = () => ({
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
  });
  return { shown, kept, page: { location: { hash, pathname: '/r/tea', search: '?name=Ann' }, history, storage } };
}

describe('takeInvitation', () => {
  it('takes the token out of the address, once, and keeps it for the tab', () => {
    const { shown, kept, page } = tab('#token=abc.def.ghi');
    expect(takeInvitation('tea', page)).toBe('abc.def.ghi');
    expect(shown).toEqual(['/r/tea?name=Ann']);
    const reloaded = tab('', kept);
    expect(takeInvitation('tea', reloaded.page)).toBe('abc.def.ghi');
    expect(reloaded.shown).toEqual([]);
    expect(takeInvitation('coffee', tab('', kept).page)).toBe(undefined);
  });

  it('leaves an address without one alone', () => {
    const { shown, page } = tab('#elsewhere');
    expect([takeInvitation('tea', page), shown]).toEqual([undefined, []]);
  });

  it('needs nothing of a browser that keeps nothing', () => {
    const { page } = tab('#token=abc');
    const storage = () => {
      throw new Error('SecurityError');
    };
    expect(takeInvitation('tea', { ...page, storage })).toBe('abc');
  });
});
