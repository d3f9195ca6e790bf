import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../../native/src/', import.meta.url));

/** Files of the Rust engine, and the files that each imports. */
function imports() {
  const names = readdirSync(SOURCES, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.rs'));
  const modules = new Map(
    names.map((name) => [
      name
        .replace(/\.rs$/, '')
        .replace(/\/mod$/, '')
        .replaceAll('/', '::'),
      name,
    ]),
  );
  const nameOf = (/** @type {string} */ path) => {
    const parts = path.split('::');
    while (parts.length > 0 && !modules.has(parts.join('::'))) parts.pop();
    return parts.join('::');
  };
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const [module, name] of modules) {
    const [text] = readFileSync(`${SOURCES}${name}`, 'utf8').split('#[cfg(test)]\nmod tests');
    const paths = [...text.matchAll(/^use crate::([\w:]+)(?:::\{([^}]*)\})?;/gms)].flatMap(
      ([, path, list]) =>
        list ? list.split(',').map((item) => `${path}::${item.trim().split(/\s|:/)[0]}`) : [path],
    );
    found.set(
      module,
      new Set(paths.map(nameOf).filter((other) => other !== '' && other !== module)),
    );
  }
  return found;
}

it('the files of the Rust engine import each other in no circle', () => {
  const found = imports();
  expect(found.size).toBeGreaterThan(20);
  expect(found.get('server')).toContain('acceptor');
  const done = new Set();
  const visit = (/** @type {string} */ module, /** @type {string[]} */ way) => {
    expect(way, 'a circle').not.toContain(module);
    if (done.has(module)) return;
    for (const other of found.get(module) ?? []) visit(other, [...way, module]);
    done.add(module);
  };
  for (const module of found.keys()) visit(module, []);
});
