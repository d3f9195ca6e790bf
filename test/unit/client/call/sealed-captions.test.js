import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { SealedCaptions } from '../../../../public/client/call/sealed-captions.js';
import { MAX_CAPTION_LENGTH, MAX_SEALED_CAPTION } from '../../../../public/shared/limits.js';

const primitives = { ctr, expand, extract, hmac, sha256 };
const KEY = new Uint8Array(16).fill(3);
const open = (/** @type {string} */ id, key = KEY) => new SealedCaptions(primitives, key, id);

/** @param {SealedCaptions} ann @param {string} text @param {object} [more] */
const seal = (ann, text, more = {}) => ann.seal({ type: 'caption', text, lang: 'en', ...more });

/** As the server passes it on. @param {ReturnType<typeof seal>} message @param {object} [more] */
const passed = ({ person = '1', lang, final = true, sealed }, more = {}) => ({
  ...{ person, name: 'Ann', from: '1', lang, final, sealed },
  ...more,
});

describe('sealed captions', () => {
  it('are opened by others with the key, up to the longest text', () => {
    const [ann, ben] = [open('1'), open('2')];
    const longest = '𝄞'.repeat(MAX_CAPTION_LENGTH);
    for (const text of ['Hello', 'ünïcödé', longest]) {
      const message = seal(ann, text);
      expect(message).not.toHaveProperty('text');
      expect(String(message.sealed).length).toBeLessThanOrEqual(MAX_SEALED_CAPTION);
      expect(ben.open(passed(message))).toEqual({
        ...{ person: '1', name: 'Ann', from: '1', lang: 'en', final: true, text },
      });
    }
    expect(ben.open(passed(seal(ann, 'x'.repeat(999))))?.text).toHaveLength(MAX_CAPTION_LENGTH);
    expect(ben.open(passed(seal(ann, 'of another', { person: '9' })))?.person).toBe('9');
  });

  it('are ignored when repeated, changed, or sealed by another', () => {
    const [ann, ben] = [open('1'), open('2')];
    const first = passed(seal(ann, 'Hello'));
    expect(ben.open(first)?.text).toBe('Hello');
    expect(ben.open(first)).toBe(null);
    const second = passed(seal(ann, 'Hello'));
    for (const change of [{ lang: 'de' }, { person: '3' }, { final: false }, { from: '3' }])
      expect(ben.open({ ...second, ...change })).toBe(null);
    for (const sealed of ['', 'AAAA', '***', undefined, 'A'.repeat(MAX_SEALED_CAPTION + 4)])
      expect(ben.open({ ...second, sealed })).toBe(null);
    expect(open('2', new Uint8Array(16)).open(second)).toBe(null);
    expect(ben.open({ ...second, text: 'in clear' })?.text).toBe('Hello');
  });
});
