import { describe, expect, it } from 'vitest';
import { Translation } from '../../../public/ui/captions/translation.js';

describe('the translation of captions', () => {
  it('tries again after a failure: browsers load a language only after a press', async () => {
    let mayLoad = false;
    let created = 0;
    const Translator = {
      create: async () => {
        created += 1;
        if (!mayLoad) throw new DOMException('no press', 'NotAllowedError');
        return { translate: async (/** @type {string} */ text) => text.toUpperCase() };
      },
    };
    const translation = new Translation({ Translator });
    translation.target = 'de';
    expect(await translation.of('hello', 'en-US')).toBeNull();
    mayLoad = true;
    expect(await translation.of('hello', 'en-US')).toBe('HELLO');
    expect(await translation.of('again', 'en')).toBe('AGAIN');
    expect(created).toBe(2);
    expect(await translation.of('hallo', 'de-DE')).toBe('hallo');
  });

  it('keeps the order of what one language says, though a short caption is sooner', async () => {
    /** @type {(() => void)[]} */
    const finish = [];
    const translate = (/** @type {string} */ text) =>
      new Promise((resolve) => void finish.push(() => resolve(text.toUpperCase())));
    const translation = new Translation({
      Translator: { create: () => Promise.resolve({ translate }) },
    });
    translation.target = 'de';
    /** @type {(string | null)[]} */
    const told = [];
    for (const text of ['a long one', 'short'])
      void translation.of(text, 'en').then((translated) => told.push(translated));
    await expect.poll(() => finish.length).toBe(2);
    finish[1]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
    expect(await translation.of('deutsch', 'de')).toBe('deutsch');
    finish[0]();
    await expect.poll(() => told).toEqual(['A LONG ONE', 'SHORT']);
  });
});
