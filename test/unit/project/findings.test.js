import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../../findings/', import.meta.url));

const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.sh') && name !== 'lib.sh');

it('the index has each finding once, and no other', () => {
  const rows = readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(/^\| `([\w.-]+\.sh)` \|/gm);
  expect([...rows].map(([, name]) => name).sort()).toEqual([...scripts].sort());
});

describe.each([...scripts, 'lib.sh'])('%s', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');

  it('is valid for bash', () => {
    execFileSync('bash', ['-n', join(FOLDER, name)]);
  });

  it('knows nothing of this project', () => {
    expect(text).not.toMatch(/aloud/i);
    expect(text).not.toMatch(/\/(home|work|tmp|root)\/\w/);
  });

  it('cleans up and judges through the shared pieces', () => {
    expect(text).toMatch(
      name === 'lib.sh' ? /trap tidy EXIT/ : /^\. "\$\(dirname "\$0"\)\/lib\.sh"$/m,
    );
    expect(text).toMatch(/^judge( |\(\))/m);
  });
});
