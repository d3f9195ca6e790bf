import { describe, expect, it } from 'vitest';
import {
  isListenersInvitation,
  nameOfInvitation,
  keepStage,
  roomOfInvitation,
  takeInvitation,
  takeStage,
} from '../../../public/ui/kit/invitation.js';

/** A tab at an address. @param {string} hash @param {Map<string, string>} [kept] */
function tab(hash, kept = new Map()) {
  /** @type {string[]} */
  const shown = [];
  const history = {
    replaceState: (/** @type {any} */ _, /** @type {string} */ __, /** @type {any} */ url) =>
      void shown.push(String(url)),
  };
  const storage = () => ({
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  });
  return {
    shown,
    kept,
    page: { location: { hash, pathname: '/r/tea', search: '?name=Ann' }, history, storage },
  };
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

  it('leaves a room’s key where it is', () => {
    const { shown, page } = tab('#token=abc&e2e=KEY_-1');
    expect(takeInvitation('tea', page)).toBe('abc');
    expect(shown).toEqual(['/r/tea?name=Ann#e2e=KEY_-1']);
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

describe('takeStage', () => {
  it('removes the stage key from the address, and uses the kept one until it is cleared', () => {
    const { shown, kept, page } = tab('#stage=KEY&token=abc');
    expect(takeStage('tea', page)).toBe('KEY');
    expect(shown).toEqual(['/r/tea?name=Ann#token=abc']);
    expect(takeStage('tea', tab('', kept).page)).toBe('KEY');
    expect(takeInvitation('tea', tab('', kept).page)).toBe(undefined);
    keepStage('tea', 'NEW', page);
    expect(takeStage('tea', tab('', kept).page)).toBe('NEW');
    keepStage('tea', '', page);
    expect(takeStage('tea', tab('', kept).page)).toBe(undefined);
  });
});

describe('roomOfInvitation', () => {
  const part = (/** @type {unknown} */ value) =>
    Buffer.from(JSON.stringify(value)).toString('base64url');

  it('reads the room, whatever else the token says', () => {
    // With these names the text has both of the characters that base64url has of its own.
    const claims = { name: 'Zoë ÿþ 👩‍💻??>>', video: { room: 'lab-1_x', roomJoin: true } };
    expect(part(claims)).toMatch(/-.*_|_.*-/);
    expect(roomOfInvitation(`${part({ alg: 'HS256' })}.${part(claims)}.c2ln`)).toBe('lab-1_x');
  });

  it.each([
    '',
    'abc',
    'a.b.c',
    `a.${part(null)}.c`,
    `a.${part({ video: {} })}.c`,
    `a.${part({ video: { room: 5 } })}.c`,
  ])('of "%s" is none', (token) => {
    expect(roomOfInvitation(token)).toBe(null);
  });
});

describe('isListenersInvitation', () => {
  const token = (/** @type {object} */ video) =>
    `x.${Buffer.from(JSON.stringify({ video })).toString('base64url')}.y`;

  it('is of who may not be heard, and is no moderator', () => {
    expect(
      [
        { canPublish: false },
        { canPublish: false, roomAdmin: true },
        { canPublish: true },
        {},
        null,
      ].map((video) => isListenersInvitation(token(/** @type {any} */ (video)))),
    ).toEqual([true, false, false, false, false]);
    expect([undefined, '', 'a.b.c'].map(isListenersInvitation)).toEqual([false, false, false]);
  });
});

describe('nameOfInvitation', () => {
  const token = (/** @type {object | null} */ claims) =>
    `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;

  it('is the name that the server shows, in any script, and none where the token has none', () => {
    expect(nameOfInvitation(token({ name: ' Zoë 👩‍💻 ', video: {} }))).toBe('Zoë 👩‍💻');
    expect(
      ['', 'a.b.c', undefined, token({ name: 5 }), token({}), token(null)].map(nameOfInvitation),
    ).toEqual(['', '', '', '', '', '']);
  });
});
