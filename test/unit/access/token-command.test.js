import { describe, expect, it } from 'vitest';
import { tokenCommand } from '../../../server/access/token-command.js';
import { Tokens } from '../../../server/access/tokens.js';

const KEYS = ['one', 'two'].map((id) => `${id}:${id}-and-a-secret-of-more-than-32-characters`);
const wallNow = () => 1_700_000_000_000;
const run = (/** @type {string[]} */ ...argv) => tokenCommand({ argv, env: { ALOUD_KEYS: KEYS.join(',') }, wallNow });
const who = ['--room', 'tea', '--name', 'Ann'];

describe('aloud token', () => {
  it('prints a token, and nothing else, that the server with these keys reads', async () => {
    const printed = await run(...who);
    expect(printed).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const bearer = await new Tokens(KEYS, wallNow).read(printed.trim(), 'tea');
    expect(bearer).toMatchObject({ name: 'Ann', identity: { issuer: 'one', subject: 'Ann' }, grant: { role: 'speaker' } });
  });

  it('takes role, identity, time and key', async () => {
    const printed = await run(...who, '--role', 'moderator', '--identity', 'ann@example.org', '--ttl', '30m', '--key', 'two');
    const after = (/** @type {number} */ minutes) => new Tokens(KEYS, () => wallNow() + minutes * 60_000).read(printed.trim(), 'tea');
    expect(await after(29)).toMatchObject({ identity: { issuer: 'two', subject: 'ann@example.org' }, grant: { role: 'moderator' } });
    expect(await after(31)).toBe('token-expired');
  });

  it.each([
    [['--name', 'Ann'], '--room: missing; --help says what it is'],
    [['--room', 'tea'], '--name: missing; --help says what it is'],
    [['--room', 'a b', '--name', 'Ann'], '--room: "a b": allowed is 1 to 64 letters, digits, "-" or "_"'],
    [['--room', 'tea', '--name', ' '], '--name: " ": allowed is 1 to 40 characters, none of them a control character'],
    [[...who, '--role', 'king'], '--role: allowed is moderator, speaker, listener'],
    [[...who, '--ttl', '0h'], '--ttl: "0h": allowed is a whole number with s, m, h or d, such as 30m or 6h'],
    [[...who, '--ttl', 'soon'], '--ttl: "soon": allowed is a whole number with s, m, h or d, such as 30m or 6h'],
    [[...who, '--key', 'three'], '--key: "three": allowed is one, two'],
    [[...who, '--identity', ''], '--identity: "": allowed is at least one character'],
    [[...who, '--rome', 'x'], '--rome: there is no such option; did you mean --role?'],
    [[...who, 'stray'], 'stray: there is no such option; --help lists them all'],
  ])('%j is refused', async (argv, message) => {
    await expect(run(...argv)).rejects.toThrow(expect.objectContaining({ message, name: 'ConfigError' }));
  });

  it('needs the keys', async () => {
    await expect(tokenCommand({ argv: who, env: {} })).rejects.toThrow(/^--keys: missing; allowed is/);
  });

  it('says what its options are', async () => {
    await expect(run('--help')).rejects.toThrow(expect.objectContaining({ text: expect.stringContaining('--room <room>') }));
  });
});
