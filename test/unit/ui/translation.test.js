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
});
