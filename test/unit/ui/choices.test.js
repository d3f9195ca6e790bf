import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  defaultSwitches,
  keepChoices,
  readChoices,
  soundOf,
} from '../../../public/ui/settings/choices.js';

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
    expect(soundOf(defaultSwitches)).toEqual({
      ...on,
      bitrate: undefined,
      frameMs: undefined,
      application: 'low-delay',
    });
    expect(soundOf({ ...defaultSwitches, music: true })).toEqual({
      ...off,
      bitrate: 96000,
      frameMs: undefined,
      application: 'low-delay',
    });
    expect(soundOf({ ...defaultSwitches, lowDelay: false }, false)).toEqual({
      ...off,
      bitrate: undefined,
      frameMs: undefined,
      application: 'audio',
    });
    expect(
      ['2.5', '20', '40', '', undefined].map(
        (frameMs) => soundOf({ ...defaultSwitches, frameMs }).frameMs,
      ),
    ).toEqual([2.5, 20, undefined, undefined, undefined]);
    expect(
      soundOf({ ...defaultSwitches, noiseSuppression: false, highBitrate: true }),
    ).toMatchObject({
      ...on,
      noiseSuppression: false,
      bitrate: 96000,
    });
  });
});
