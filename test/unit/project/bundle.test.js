import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { neededPackages } from '../../../release/bundle.js';

const read = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));

it('the packages that some need are found where Node.js finds them', () => {
  const locked = {
    'node_modules/a': { version: '1.0.0', dependencies: { b: '^1.0.0', c: '^2.0.0' } },
    'node_modules/b': { version: '1.0.0', dependencies: { c: '^1.0.0' } },
    'node_modules/c': { version: '1.0.0' },
    'node_modules/a/node_modules/c': { version: '2.0.0', dependencies: { b: '^1.0.0' } },
    'node_modules/d': { version: '1.0.0' },
  };
  expect(neededPackages(locked, ['a'])).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/c',
    'node_modules/b',
    'node_modules/c',
  ]);
  expect(() => neededPackages(locked, ['e'])).toThrow('e, which aloud needs, is not in the lock');
});

it('the packages that aloud needs are in the lock file, and none is for development', () => {
  const { packages } = read('package-lock.json');
  const names = Object.keys(read('package.json').dependencies).filter(
    (name) => !name.startsWith('@aloud/'),
  );
  const needed = neededPackages(packages, names);
  expect(needed.length).toBeGreaterThan(names.length);
  for (const path of needed) expect(packages[path].dev, path).toBeUndefined();
});
