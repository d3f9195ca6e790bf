import { describe, expect, it } from 'vitest';
import { addressOf, stageAddress } from '../../../public/listen/listen-address.js';

const read = (/** @type {string} */ path) => {
  const { pathname, search, hash } = new URL(path, 'https://a.example');
  return addressOf({ pathname, search, hash });
};

describe('the address of the listeners’ page', () => {
  it('names the room, however it is written', () => {
    expect(
      ['/r/tea', '/R/tea/?listen', '/r/green%20tea?listen', '/r/%zz'].map(
        (path) => read(path).room,
      ),
    ).toEqual(['tea', 'tea', 'green-tea', '']);
  });

  it('says whether it asks to listen, and whether it is in a frame', () => {
    const asked = ['/r/tea', '/r/tea?listen', '/r/tea?listen&embed', '/r/tea?embed'].map((path) => [
      read(path).asks,
      read(path).isEmbedded,
    ]);
    expect(asked).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it('may give a name, a connection and a key', () => {
    expect(read('/r/tea?name=Ann&transport=http1#e2e=KEY')).toMatchObject({
      name: 'Ann',
      transport: 'http1',
      e2eKey: 'KEY',
    });
    expect(read('/r/tea?transport=pigeon')).toMatchObject({
      name: '',
      transport: 'auto',
      e2eKey: undefined,
    });
  });

  it('becomes that of the stage for those who are invited to it, and for nobody else', () => {
    const location = { pathname: '/r/tea', search: '?name=Ann' };
    expect(stageAddress(location, {})).toBe(null);
    expect(stageAddress(location, { stage: 'KEY' })).toBe('/r/tea?name=Ann&stage=#stage=KEY');
    expect(stageAddress({ ...location, search: '' }, { token: 'a.b', stage: 'KEY' })).toBe(
      '/r/tea?stage=#token=a.b&stage=KEY',
    );
  });
});
