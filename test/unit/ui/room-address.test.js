import { describe, expect, it } from 'vitest';
import {
  CONNECTIONS,
  listenLink,
  readAddress,
  readRoomName,
  roomLink,
  roomPath,
  stageLink,
} from '../../../public/ui/green-room/room-address.js';
import { makeRoomName } from '../../../public/ui/green-room/room-name.js';

describe('room names', () => {
  it('are made of five of 256 words and five symbols, from the random bytes alone', () => {
    const make = (/** @type {number[]} */ ...bytes) => makeRoomName((array) => array.set(bytes));
    expect(make(0, 1, 255, 7, 7, 0, 1, 10, 31, 255)).toBe(
      'acorn-agate-winter-apricot-apricot-01azz',
    );
  });

  it('hold 65 random bits: no byte is lost or counted twice', () => {
    const words = new Set();
    const symbols = new Set();
    for (let byte = 0; byte < 256; byte++) {
      const name = makeRoomName((array) => array.fill(byte)).split('-');
      words.add(name[0]);
      symbols.add(name[5][0]);
    }
    // Five of each in a name.
    expect(5 * Math.log2(words.size) + 5 * Math.log2(symbols.size)).toBe(65);
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
    ['HTTPS://Example.org/R/Garden/', 'Garden'],
    ['https://example.org//r//garden//?listen', 'garden'],
    ['https://example.org/listen/garden', 'garden'],
    ['https://example.org/listen/garden.ogg/', 'garden'],
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
      listen: false,
    });
  });

  it.each(CONNECTIONS)('take the connection %s', (connection) => {
    expect(read(`/r/a?transport=${connection}`).transport).toBe(connection);
  });

  it.each(['/r/a?transport=udp', '/r/a?transport=', '/r/a'])(
    'take no connection from %s',
    (path) => {
      expect(read(path).transport).toBeNull();
    },
  );

  it.each(['/', '/r/', '/r/%20', '/rooms'])('name no room in %s', (path) => {
    expect(read(path).room).toBeNull();
  });

  it('can ask to listen and no more', () => {
    expect(
      ['/r/a?listen', '/r/a?listen=1', '/r/a?listen=off', '/r/a'].map((path) => read(path).listen),
    ).toEqual([true, true, false, false]);
    expect(listenLink({ origin: 'https://a', pathname: '/r/tea' })).toBe('https://a/r/tea?listen');
    expect(stageLink({ origin: 'https://a', pathname: '/r/tea' }, 'k-_')).toBe(
      'https://a/r/tea?stage#stage=k-_',
    );
  });

  it('can ask for the microphone as it is', () => {
    expect(read('/r/a?processing=off').processing).toBe(false);
  });

  it('carry a room’s key, which links include, unlike the token and one’s own name', () => {
    const url = {
      origin: 'https://call.example',
      pathname: '/r/tea',
      search: '?name=Ann',
      hash: '#e2e=KEY_-1&token=abc',
    };
    expect(readAddress(url).e2eKey).toBe('KEY_-1');
    expect(readAddress({ ...url, hash: '' }).e2eKey).toBe(undefined);
    expect(roomLink(url)).toBe('https://call.example/r/tea#e2e=KEY_-1');
    expect(roomLink({ ...url, hash: '#token=abc' })).toBe('https://call.example/r/tea');
    expect(roomLink({ ...url, pathname: '/R/tea/' })).toBe('https://call.example/r/tea#e2e=KEY_-1');
    expect(listenLink({ ...url, pathname: '/r/tea/' })).toBe('https://call.example/r/tea?listen');
  });

  it('of a room lead back to it', () => {
    expect(read(roomPath('a_B-9')).room).toBe('a_B-9');
  });
});
