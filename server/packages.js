import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** aloud's own directory. */
const HOME = fileURLToPath(new URL('..', import.meta.url));

/** aloud's own version. @type {{ version: string }} */
export const { version: VERSION } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'));

/**
 * Finds the directory of a dependency, beside aloud or below it, as npm installed it. Its files may
 * be ones that the package doesn't export.
 * @param {string} name
 * @returns {string}
 */
export function packageDirectory(name) {
  for (const directory of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const found = join(directory, name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  throw new Error(`the package ${name} is not installed: npm install puts it there`);
}

/**
 * Default directory for the server's files: aloud's own, or for an installed package the user's,
 * since the next version replaces the package's.
 * @param {{ home?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function stateDirectory({ home = HOME, env = process.env } = {}) {
  if (!home.split(sep).includes('node_modules')) return home;
  const base = env.XDG_STATE_HOME;
  return join(base && isAbsolute(base) ? base : join(homedir(), '.local', 'state'), 'aloud');
}
