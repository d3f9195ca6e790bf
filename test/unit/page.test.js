import { afterEach, describe, expect, it, vi } from 'vitest';
import { errors } from '../../public/shared/errors.js';
import { noticeText } from '../../public/texts.js';
import { CONNECTIONS, readAddress, roomPath } from '../../public/ui/address.js';
import { hue, initials } from '../../public/ui/avatar.js';
import { keepChoices, readChoices } from '../../public/ui/choices.js';
import { WORD_COUNT, makeRoomName, readRoomName } from '../../public/ui/room-name.js';

describe('room names', () => {
  it('are made of three of 256 words and six digits, from the random numbers alone', () => {
    expect(WORD_COUNT).toBe(256);
    const make = (/** @type {number[]} */ ...numbers) => makeRoomName((array) => array.set(numbers));
    expect(make(0, 1, 255, 7)).toBe('acorn-agate-winter-000007');
    expect(make(256, 257, 4294967295, 1_999_999)).toBe('acorn-agate-winter-999999');
  });

  it('are different each time, and good', () => {
    const names = new Set(Array.from({ length: 1000 }, () => makeRoomName()));
    expect(names.size).toBe(1000);
    for (const name of names) expect(readRoomName(name)).toBe(name);
  });

  it.each([
    ['garden', 'garden'],
    ['  My room ', 'My-room'],
    ['https://example.org/r/garden?name=Anna#top', 'garden'],
    ['example.org/r/a%2Db/', 'a-b'],
    ['/r/two%20words', 'two-words'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), null],
    ['', null],
    ['  ', null],
    ['café', null],
    ['a/b', null],
    ['<b>', null],
    ['/r/%E0%A4%A', null],
  ])('typed as %j mean %j', (typed, room) => {
    expect(readRoomName(typed)).toBe(room);
  });
});

describe('addresses', () => {
  const read = (/** @type {string} */ path) => readAddress(new URL(path, 'http://localhost'));

  it('fill in the form', () => {
    expect(read('/r/garden?name=Anna%20L&transport=http1')).toEqual({
      room: 'garden',
      name: 'Anna L',
      transport: 'http1',
      processing: true,
    });
  });

  it.each(CONNECTIONS)('take the connection %s', (connection) => {
    expect(read(`/r/a?transport=${connection}`).transport).toBe(connection);
  });

  it.each(['/r/a?transport=udp', '/r/a?transport=', '/r/a'])('take no connection from %s', (path) => {
    expect(read(path).transport).toBeNull();
  });

  it.each(['/', '/r/', '/r/%20', '/rooms'])('name no room in %s', (path) => {
    expect(read(path).room).toBeNull();
  });

  it('can ask for the microphone as it is', () => {
    expect(read('/r/a?processing=off').processing).toBe(false);
  });

  it('of a room lead back to it', () => {
    expect(read(roomPath('a_B-9')).room).toBe('a_B-9');
  });
});

describe('avatars', () => {
  it.each([
    ['Anna', 'A'],
    ['anna maria lund', 'AL'],
    ['a_very-long name', 'AN'],
    ['Ömer  Çelik ', 'ÖÇ'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧F'],
    ['李小龍', '李'],
    ['-_-', '?'],
    ['', '?'],
  ])('of %j say %j', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });

  it('have a hue of their own, always the same', () => {
    expect(hue('Anna')).toBe(hue('Anna'));
    const hues = ['Anna', 'Ben', 'Chloe', 'David', 'Emma', 'anna', ''].map(hue);
    expect(new Set(hues).size).toBe(hues.length);
    for (const degrees of hues) expect(degrees >= 0 && degrees < 360).toBe(true);
  });
});

describe('sentences', () => {
  it('are there for every code of the registry, and for codes of the page', () => {
    for (const [code, { message }] of Object.entries(errors)) expect(noticeText(code)).toBe(message);
    expect(noticeText('microphone-refused')).toMatch(/not allowed to use the microphone.*Allow it/);
  });

  it('hold the reason for which a connection failed', () => {
    expect(noticeText('connection-failed', 'It is off.')).toMatch(/^No connection came about. It is off. Check/);
    expect(noticeText('connection-failed')).toMatch(/could not be reached/);
  });

  it('come with an unknown code, or say that it is unknown', () => {
    expect(noticeText('new-code', 'A sentence from the server.')).toBe('A sentence from the server.');
    for (const code of ['new-code', 'constructor', '__proto__']) {
      expect(noticeText(code)).toMatch(/unexpected/);
    }
  });
});

describe('choices', () => {
  afterEach(() => vi.unstubAllGlobals());

  const storage = (/** @type {string | null} */ kept) => {
    const items = new Map([['aloud.choices', kept]]);
    vi.stubGlobal('localStorage', {
      getItem: (/** @type {string} */ key) => items.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value),
    });
  };

  it('are kept, each by itself', () => {
    storage(null);
    keepChoices({ name: 'Anna', transport: 'websocket' });
    keepChoices({ name: 'Ben' });
    expect(readChoices()).toEqual({ name: 'Ben', transport: 'websocket', microphone: undefined });
  });

  it.each(['{', 'null', '7', '[]', '{"name":{"a":1}}'])('are none when %s was kept', (kept) => {
    storage(kept);
    expect(readChoices()).toEqual({ name: undefined, transport: undefined, microphone: undefined });
  });

  it('are none where the browser keeps nothing', () => {
    vi.stubGlobal('localStorage', {
      getItem() {
        throw new Error('denied');
      },
      setItem() {
        throw new Error('denied');
      },
    });
    expect(() => keepChoices({ name: 'Anna' })).not.toThrow();
    expect(readChoices()).toEqual({});
  });
});
