import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { collectNotices, NOTICES } from '../../../release/notices.js';
import { canBuildNative, requireOrSkip } from '../../../testkit/skip.js';

const text = readFileSync(NOTICES, 'utf8');

it('the notices have the licence of libopus, and of what else is compiled into the addon', () => {
  expect(text).toMatch(/Xiph\.Org[\s\S]*Redistribution and use in source and binary forms/);
  for (const holder of ['Microsoft Corporation', 'Google Inc', 'The quinn Developers', 'Tokio'])
    expect(text, holder).toContain(holder);
});

requireOrSkip(
  spawnSync('cargo', ['--version']).status === 0,
  'there is no cargo',
  canBuildNative,
).it('the notices are of the crates in Cargo.lock (node release/notices.js writes them)', () => {
  expect(collectNotices()).toBe(text);
});
