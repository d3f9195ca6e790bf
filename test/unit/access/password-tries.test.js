import { describe, expect, it } from 'vitest';
import { PasswordTries } from '../../../server/access/room-password.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const right = async () => true;
const wrong = async () => false;

/** Checks that are over when the test says so. */
class Checks {
  /** @type {((isRight: boolean) => void)[]} */
  running = [];
  most = 0;
  began = 0;

  check = () =>
    new Promise((/** @type {(isRight: boolean) => void} */ resolve) => {
      this.running.push(resolve);
      this.began += 1;
      this.most = Math.max(this.most, this.running.length);
    });

  /** Ends the running tries, and later ones. @param {boolean} isRight */
  async endAll(isRight) {
    await turn();
    while (this.running.length > 0) {
      this.running.shift()?.(isRight);
      await turn();
    }
  }
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** @param {(string | null)[]} outcomes */
const countOf = (outcomes) =>
  Object.fromEntries(
    [null, 'password-wrong', 'password-flood'].map((code) => [
      String(code),
      outcomes.filter((one) => one === code).length,
    ]),
  );

/**
 * Room hosts on several threads, which tell each other.
 * @param {FakeClock} clock
 * @param {number} count
 */
function threads(clock, count) {
  /** @type {PasswordTries[]} */
  const all = [];
  for (let i = 0; i < count; i++) {
    all.push(
      new PasswordTries(clock, (change) =>
        all.forEach((other, j) => void (j !== i && other.heard(change))),
      ),
    );
  }
  return all;
}

describe('PasswordTries', () => {
  it('lets each network be wrong ten times, and then every ten seconds', async () => {
    const clock = new FakeClock();
    const tries = new PasswordTries(clock);
    for (let i = 0; i < 10; i++) expect(await tries.run('192.0.2.1', wrong)).toBe('password-wrong');
    expect(await tries.run('192.0.2.1', right)).toBe('password-flood');
    expect(await tries.run('192.0.2.2', right)).toBe(null);
    expect(await tries.run(null, right)).toBe(null);
    clock.advance(10_000);
    expect(await tries.run('192.0.2.1', right)).toBe(null);
    expect(await tries.run('192.0.2.1', wrong)).toBe('password-wrong');
    expect(await tries.run('192.0.2.1', right)).toBe('password-flood');
  });

  it('counts no right one: 100 people at one address get in, four checked at a time', async () => {
    const tries = new PasswordTries(new FakeClock());
    const checks = new Checks();
    const people = Array.from({ length: 100 }, () => tries.run('192.0.2.1', checks.check));
    await checks.endAll(true);
    expect(countOf(await Promise.all(people))).toEqual({
      null: 100,
      'password-wrong': 0,
      'password-flood': 0,
    });
    expect(checks.most).toBe(4);
    for (let i = 0; i < 20; i++) expect(await tries.run('192.0.2.1', right)).toBe(null);
  });

  it('counts guesses that are made at once, whatever else proves right', async () => {
    const tries = new PasswordTries(new FakeClock());
    const checks = new Checks();
    const guesses = Array.from({ length: 150 }, () => tries.run('192.0.2.1', checks.check));
    await checks.endAll(false);
    expect(countOf(await Promise.all(guesses))).toEqual({
      null: 0,
      'password-wrong': 10,
      'password-flood': 140,
    });
    expect(checks.began).toBe(10);
    // Another network isn't held up by them.
    expect(await tries.run('192.0.2.2', right)).toBe(null);
  });

  it('counts a check that fails as wrong', async () => {
    const tries = new PasswordTries(new FakeClock());
    const failing = async () => {
      throw new Error('no memory');
    };
    for (let i = 0; i < 10; i++) await expect(tries.run('a', failing)).rejects.toThrow('no memory');
    expect(await tries.run('a', right)).toBe('password-flood');
  });

  it('bounds the checks of a network, running and waiting', async () => {
    const clock = new FakeClock();
    const tries = new PasswordTries(clock);
    const outcomes = [];
    for (let i = 0; i < 205; i++) outcomes.push(await tries.run('192.0.2.1', right));
    expect(countOf(outcomes)).toEqual({ null: 200, 'password-wrong': 0, 'password-flood': 5 });
    clock.advance(1000);
    expect(await tries.run('192.0.2.1', right)).toBe(null);
    const checks = new Checks();
    const many = Array.from({ length: 300 }, (_, i) => tries.run(`network ${i}`, checks.check));
    await checks.endAll(true);
    expect(countOf(await Promise.all(many))).toEqual({
      null: 260,
      'password-wrong': 0,
      'password-flood': 40,
    });
  });
});

describe('PasswordTries on several threads', () => {
  it('have ten wrong ones together', async () => {
    const clock = new FakeClock();
    const [one, other] = threads(clock, 2);
    for (let i = 0; i < 5; i++) {
      expect(await one.run('a', wrong)).toBe('password-wrong');
      expect(await other.run('a', wrong)).toBe('password-wrong');
    }
    expect([await one.run('a', right), await other.run('a', right)]).toEqual([
      'password-flood',
      'password-flood',
    ]);
  });

  it('count no right one of another, and give nothing for it either', async () => {
    const clock = new FakeClock();
    const [one, other] = threads(clock, 2);
    for (let i = 0; i < 50; i++) expect(await one.run('a', right)).toBe(null);
    for (let i = 0; i < 10; i++) {
      expect(await other.run('a', wrong)).toBe('password-wrong');
      // Knowing one room's password gives no more tries at another's.
      expect(await one.run('a', right)).toBe(i < 9 ? null : 'password-flood');
    }
    expect(await other.run('a', right)).toBe('password-flood');
  });

  it('let all people in who come at once, wherever their rooms are', async () => {
    const clock = new FakeClock();
    const hosts = threads(clock, 4);
    const checks = new Checks();
    const people = Array.from({ length: 60 }, (_, i) => hosts[i % 4].run('a', checks.check));
    await checks.endAll(true);
    expect(countOf(await Promise.all(people))).toEqual({
      null: 60,
      'password-wrong': 0,
      'password-flood': 0,
    });
  });

  it('wait for none that has ended', async () => {
    const clock = new FakeClock();
    const tries = new PasswordTries(clock);
    for (let i = 0; i < 10; i++)
      tries.heard({ type: 'password-try', network: 'a', outcome: 'pending' });
    clock.advance(5001);
    expect(await tries.run('a', right)).toBe('password-flood');
    clock.advance(10_000);
    expect(await tries.run('a', right)).toBe(null);
  });

  it('wait no longer for one that ends while they wait', async () => {
    const clock = new FakeClock();
    const tries = new PasswordTries(clock);
    const begin = () => tries.heard({ type: 'password-try', network: 'a', outcome: 'pending' });
    for (let i = 0; i < 10; i++) begin();
    const waiting = tries.run('a', right);
    clock.advance(1000);
    begin();
    clock.advance(5000);
    clock.advance(5000);
    expect(await Promise.race([waiting, turn().then(() => 'waits')])).toBe('password-flood');
  });
});
