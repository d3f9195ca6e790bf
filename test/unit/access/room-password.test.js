import { describe, expect, it } from 'vitest';
import { PasswordTries, RoomPassword } from '../../../server/access/room-password.js';
import { FakeClock } from '../../fakes/fake-clock.js';

const right = async () => true;
const wrong = async () => false;

describe('RoomPassword', () => {
  it('knows its password, however its letters are composed', async () => {
    const password = new RoomPassword('caf\u00e9');
    expect(await password.is('cafe\u0301')).toBe(true);
    expect(await password.is('cafe')).toBe(false);
    expect(await password.is('')).toBe(false);
  });
});

describe('PasswordTries', () => {
  it('lets each network try ten times, and then every ten seconds', async () => {
    const clock = new FakeClock();
    const tries = new PasswordTries(clock);
    for (let i = 0; i < 10; i++) expect(await tries.run('192.0.2.1', wrong)).toBe('password-wrong');
    expect(await tries.run('192.0.2.1', right)).toBe('password-flood');
    expect(await tries.run('192.0.2.2', right)).toBe(null);
    expect(await tries.run(null, right)).toBe(null);
    clock.advance(10_000);
    expect(await tries.run('192.0.2.1', right)).toBe(null);
  });

  it('computes four at once', async () => {
    const tries = new PasswordTries(new FakeClock());
    /** @type {(() => void)[]} */
    const waiting = [];
    const slow = () => new Promise((/** @type {(value: boolean) => void} */ resolve) => waiting.push(() => resolve(true)));
    const running = ['a', 'b', 'c', 'd'].map((network) => tries.run(network, slow));
    expect(await tries.run('e', right)).toBe('password-flood');
    waiting.forEach((end) => end());
    expect(await Promise.all(running)).toEqual([null, null, null, null]);
    expect(await tries.run('e', right)).toBe(null);
  });
});
