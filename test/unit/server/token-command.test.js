import { describe, expect, it } from 'vitest';
import { TokenVerifier } from '../../../server/access/token.js';
import { ConfigError, InformationRequest } from '../../../server/errors/config-error.js';
import { tokenCommand } from '../../../server/token-command.js';

const SECRET = 'a-secret-of-at-least-32-characters';
const NOW = 1_800_000_000_000;
const keys = ['--keys', `main:${SECRET}`];
const run = (/** @type {string[]} */ argv, env = {}) => tokenCommand(argv, { env, now: NOW });
const verify = (/** @type {string} */ token, afterS = 0) =>
  new TokenVerifier(new Map([['main', SECRET]]), () => NOW + afterS * 1000).verify(token, 'tea');

describe('aloud token', () => {
  it('makes a token for so long, and the link with it', async () => {
    const { token, link, note } = await run([
      ...keys,
      '--room',
      'tea',
      '--name',
      'Ann',
      '--role',
      'moderator',
      '--ttl',
      '2h',
      '--identity',
      'ann',
    ]);
    expect(link).toBe(`http://localhost:8080/r/tea#token=${token}`);
    expect(note).toMatch(/put the server's address in place of http:\/\/localhost:8080/);
    expect(await verify(token, 7199)).toMatchObject({
      name: 'Ann',
      grant: { role: 'moderator', identity: 'ann' },
    });
    expect(await verify(token, 7206)).toBe('token-expired');
  });

  it('takes the server’s own options, from the environment too', async () => {
    const { link, note } = await run(
      [
        '--room',
        'tea',
        '--name',
        'Ann',
        '--domain',
        'call.example.org',
        '--acme-email',
        'a@example.org',
      ],
      { ALOUD_KEYS: keys[1] },
    );
    expect(link).toMatch(/^https:\/\/call\.example\.org\/r\/tea#token=[\w.-]+$/);
    expect(note).toBeNull();
  });

  it.each([
    [['--name', 'Ann'], '--room'],
    [['--room', 'tea'], '--name'],
    [['--room', 'a b', '--name', 'Ann'], '--room'],
    [['--room', 'tea', '--name', 'x'.repeat(41)], '--name'],
    [['--room', 'tea', '--name', 'Ann', '--role', 'king'], '--role'],
    [['--room', 'tea', '--name', 'Ann', '--ttl', 'soon'], '--ttl'],
    [['--room', 'tea', '--name', 'Ann', '--ttl', '0s'], '--ttl'],
    [['--room', 'tea', '--name', 'Ann', '--ttl', '999d'], '--ttl'],
    [['--room', 'tea', '--name', 'Ann', '--no-such'], '--no-such'],
  ])('says what is wrong with %j', async (argv, option) => {
    const error = await run([...argv, ...keys]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.option).toBe(option);
    expect(error.message).not.toContain(SECRET);
  });

  it('says all that it needs at once', async () => {
    await expect(run(keys)).rejects.toThrow(
      'aloud token needs --room and --name, as in: aloud token --room tea --name Ann',
    );
    await expect(run([...keys, '--room', 'tea'])).rejects.toThrow(
      /^aloud token needs --name, as in/,
    );
    await expect(
      run([...keys, '--room', 'tea', '--name', 'Ann', '--role', 'king']),
    ).rejects.toThrow('--role must be moderator, speaker or listener; it is "king".');
  });

  it('needs keys, and explains itself', async () => {
    await expect(run(['--room', 'tea', '--name', 'Ann'])).rejects.toMatchObject({
      option: '--keys',
    });
    await expect(run(['--help'])).rejects.toBeInstanceOf(InformationRequest);
  });
});
