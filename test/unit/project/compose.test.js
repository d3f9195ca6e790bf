/** The files for Docker Compose: what an operator writes into .env reaches the server. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (/** @type {string} */ path) =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe.each(['compose.yaml', 'compose.cluster.yaml'])('%s', (path) => {
  // Parts of the file that build the image: a service, or what services share.
  const parts = read(path)
    .split(/^(?=\S)|^ {2}(?=\w+:$)/m)
    .filter((part) => /^ +image: aloud$/m.test(part));

  it('hands all options in .env to the server, and not only those that it names', () => {
    expect(parts.length).toBe(1);
    expect(parts[0]).toMatch(/^ +env_file: \.env$/m);
  });
});

it('git ignores the secrets of both', () => {
  const ignored = read('.gitignore').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['/.env', '/tls/']));
});
