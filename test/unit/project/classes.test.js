import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it('a class has a name of its own, apart from classes of tests', () => {
  const declaration = '^ *(export )?(default )?class [A-Z][A-Za-z0-9]*';
  const files = ['*.js', ':!test', ':!bench/test', ':!native/test'];
  const args = ['grep', '-hoE', declaration, '--', ...files];
  const lines = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const names = lines.map((line) => line.split(' ').at(-1));
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
