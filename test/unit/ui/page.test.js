import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONNECTIONS, readAddress, roomPath } from '../../../public/ui/lobby/room-address.js';
import { changesOf } from '../../../public/ui/people/person.js';
import { hue, initials } from '../../../public/ui/people/person.js';
import { defaultSwitches, keepChoices, readChoices, soundOf } from '../../../public/ui/settings/choices.js';
import { keyAction } from '../../../public/ui/call/keys.js';
import { NAME_ENTROPY, WORD_COUNT, makeRoomName, readRoomName } from '../../../public/ui/lobby/room-address.js';

describe('room names', () => {
  it('are made of five of 256 words and five symbols, from the random bytes alone', () => {
    expect(WORD_COUNT).toBe(256);
    const make = (/** @type {number[]} */ ...bytes) => makeRoomName((array) => array.set(bytes));
    expect(make(0, 1, 255, 7, 7, 0, 1, 10, 31, 255)).toBe('acorn-agate-winter-apricot-apricot-01azz');
  });

  it('hold 65 random bits: no byte is lost or counted twice', () => {
    expect(NAME_ENTROPY).toBe(65);
    const words = new Set();
    const symbols = new Set();
    for (let byte = 0; byte < 256; byte++) {
      const name = makeRoomName((array) => array.fill(byte)).split('-');
      words.add(name[0]);
      symbols.add(name[5][0]);
    }
    expect([words.size, symbols.size]).toEqual([256, 32]);
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
    expect(readChoices()).toEqual({ ...defaultSwitches, name: 'Ben', transport: 'websocket' });
  });

  it.each(['{', 'null', '7', '[]', '{"name":{"a":1}}'])('are none when %s was kept', (kept) => {
    storage(kept);
    expect(readChoices()).toEqual(defaultSwitches);
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
    expect(readChoices()).toEqual(defaultSwitches);
  });

  it('of switches are kept, and others than true and false are not believed', () => {
    storage('{"music":true,"sounds":0,"echoCancellation":"no"}');
    expect(readChoices()).toEqual({ ...defaultSwitches, music: true });
  });

  it('leave sound as it is for music, or where the address asks for it', () => {
    const on = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    const off = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    expect(soundOf(defaultSwitches)).toEqual({ ...on, bitrate: undefined, frameMs: undefined, application: 'low-delay' });
    expect(soundOf({ ...defaultSwitches, music: true })).toEqual({ ...off, bitrate: 96000, frameMs: undefined, application: 'low-delay' });
    expect(soundOf({ ...defaultSwitches, lowDelay: false }, false)).toEqual({ ...off, bitrate: undefined, frameMs: undefined, application: 'audio' });
    expect(soundOf({ ...defaultSwitches, noiseSuppression: false, highBitrate: true })).toMatchObject({
      ...on,
      noiseSuppression: false,
      bitrate: 96000,
    });
  });
});

describe('keys', () => {
  const on = (/** @type {string[]} */ ...kinds) => ({
    closest: (/** @type {string} */ selector) => kinds.some((kind) => selector.split(', ').some((one) => one.startsWith(kind))),
  });
  const press = (/** @type {string} */ key, /** @type {object} */ more = {}) => keyAction({ key, target: on(), ...more });

  it('mute, raise the hand, open the chat, and let one talk', () => {
    expect(['m', 'M', 'h', 'c', ' ', 'x', 'Enter', 'constructor'].map((key) => press(key))).toEqual([
      'mute', 'mute', 'hand', 'chat', 'talk', null, null, null,
    ]);
  });

  it('do nothing with a modifier, in an input method, and while somebody types', () => {
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'isComposing']) expect(press('m', { [modifier]: true })).toBeNull();
    for (const field of ['input', 'textarea', 'select', 'dialog']) expect(press('m', { target: on(field) })).toBeNull();
  });

  it('leave Space to a button that has the focus, and nothing else', () => {
    expect(press(' ', { target: on('button') })).toBeNull();
    expect(press('m', { target: on('button') })).toBe('mute');
  });
});

describe('announcements', () => {
  const anna = { id: '1', name: 'Anna', label: 'Anna', transport: 'websocket', muted: false, hand: 0, away: false };
  const ben = { ...anna, id: '2', name: 'Ben', label: 'Ben (2)' };

  it('tell who comes and who goes, by the name that tells them apart', () => {
    expect(changesOf([anna], [anna, ben], '1')).toEqual({ sentences: ['Ben (2) joined.'], came: 1, went: 0 });
    expect(changesOf([anna, ben], [anna], '1')).toEqual({ sentences: ['Ben (2) left.'], came: 0, went: 1 });
  });

  it('tell what changes about the others, and not about oneself', () => {
    const changed = { muted: true, hand: 1, away: true };
    const { sentences, came, went } = changesOf([anna, ben], [{ ...anna, ...changed }, { ...ben, ...changed }], '1');
    expect(sentences).toEqual(['Ben (2) lost the connection.', 'Ben (2) is muted.', 'Ben (2) raised a hand.']);
    expect(came + went).toBe(0);
    expect(changesOf([{ ...ben, ...changed }], [ben], '1').sentences).toHaveLength(3);
  });
});
