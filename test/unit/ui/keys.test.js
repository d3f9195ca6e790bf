import { describe, expect, it } from 'vitest';
import { keyAction } from '../../../public/ui/call/keys.js';

describe('keys', () => {
  const on = (/** @type {string[]} */ ...kinds) => ({
    closest: (/** @type {string} */ selector) =>
      kinds.some((kind) => selector.split(', ').some((one) => one.startsWith(kind))),
  });
  const press = (/** @type {string} */ key, /** @type {object} */ more = {}) =>
    keyAction({ key, target: on(), ...more });

  it('mute, raise the hand, open the chat, and let one talk', () => {
    expect(['m', 'M', 'h', 'c', ' ', 'x', 'Enter', 'constructor'].map((key) => press(key))).toEqual(
      ['mute', 'mute', 'hand', 'chat', 'talk', null, null, null],
    );
  });

  it('do nothing with a modifier, in an input method, and while somebody types', () => {
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'isComposing'])
      expect(press('m', { [modifier]: true })).toBeNull();
    for (const field of ['input', 'textarea', 'select', 'dialog'])
      expect(press('m', { target: on(field) })).toBeNull();
  });

  it('leave Space to a button that has the focus, and nothing else', () => {
    expect(press(' ', { target: on('button') })).toBeNull();
    expect(press('m', { target: on('button') })).toBe('mute');
  });
});
