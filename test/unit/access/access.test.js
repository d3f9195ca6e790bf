import { describe, expect, it } from 'vitest';
import { Access } from '../../../server/access/access.js';
import { FakeClock } from '../../fakes/fake-clock.js';

const PEER = '192.0.2.1:1';

/** @param {Access} access @param {string} text */
async function passwordOf(access, text) {
  const password = await access.newPassword(text);
  if (typeof password === 'string') throw new Error(password);
  return password;
}

describe('a room\'s password', () => {
  it('is told from others, however its letters are composed', async () => {
    const access = new Access({ clock: new FakeClock() });
    const password = await passwordOf(access, 'caf\u00e9');
    expect(await access.checkPassword(password, 'cafe\u0301', 'a')).toBe(null);
    expect(await access.checkPassword(password, 'cafe', 'a')).toBe('password-wrong');
    expect(await access.checkPassword(password, 'x'.repeat(129), 'a')).toBe('password-wrong');
    for (const none of [undefined, '']) expect(await access.checkPassword(password, none, 'a')).toBe('password-needed');
  });

  it('is hashed anew each time, and its text isn\'t kept', async () => {
    const access = new Access({ clock: new FakeClock() });
    const [one, other] = [await passwordOf(access, 'secret'), await passwordOf(access, 'secret')];
    expect(JSON.stringify([one, other])).not.toContain('secret');
    expect(await one.is('secret')).toBe(true);
    expect(await other.is('secret ')).toBe(false);
  });

  it('can be tried five times by each place, and then twice a minute', async () => {
    const clock = new FakeClock();
    const access = new Access({ clock });
    const password = await passwordOf(access, 'secret');
    for (let i = 0; i < 5; i++) expect(await access.checkPassword(password, `${i}`, 'a')).toBe('password-wrong');
    expect(await access.checkPassword(password, 'secret', 'a')).toBe('password-attempts');
    expect(await access.checkPassword(password, 'secret', 'b')).toBe(null);
    clock.advance(30_001);
    expect(await access.checkPassword(password, 'secret', 'a')).toBe(null);
  });

  it('is hashed for two at once, and others are told to wait', async () => {
    const access = new Access({ clock: new FakeClock() });
    const password = await passwordOf(access, 'secret');
    const tries = ['a', 'b', 'c', 'd'].map((place) => access.checkPassword(password, 'secret', place));
    expect(await Promise.all(tries)).toEqual([null, null, 'password-attempts', 'password-attempts']);
    expect(await access.checkPassword(password, 'secret', 'e')).toBe(null);
  });
});

describe('those who come to a server without keys', () => {
  it('are strangers, whatever token they bring', async () => {
    const access = new Access({ clock: new FakeClock() });
    expect(access.keyed).toBe(false);
    expect(await access.identify(PEER, { room: 'tea', token: 'x' })).toEqual(access.stranger(PEER));
    expect(access.stranger(PEER)).toMatchObject({ grant: null, identity: null, place: '192.0.2.1' });
  });
});
