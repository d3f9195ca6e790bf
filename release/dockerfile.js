/** Reads the Dockerfile and .dockerignore, as far as aloud's use Docker's syntax. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An instruction, such as `RUN`, with its options and the rest of its line.
 * @typedef {object} Instruction
 * @property {string} name
 * @property {Record<string, string>} options  such as `from` and `chown`
 * @property {string} text  the rest: one line
 *
 * A stage: what follows a FROM.
 * @typedef {object} Stage
 * @property {string} image  that it begins with
 * @property {string | null} as
 * @property {Instruction[]} instructions
 */

/**
 * @param {string} root  folder with the Dockerfile
 * @returns {Stage[]}
 * @throws {Error} if something comes before the first FROM
 */
export function readDockerfile(root) {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ');
  /** @type {Stage[]} */
  const stages = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, given, rest] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*?)\s*$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [image, , as = null] = rest.split(/\s+/);
      stages.push({ image, as, instructions: [] });
      continue;
    }
    if (stages.length === 0) throw new Error(`the Dockerfile begins with ${line}`);
    const options = Object.fromEntries(
      [...given.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    stages[stages.length - 1].instructions.push({ name, options, text: rest });
  }
  return stages;
}

/**
 * A list of arguments that an instruction has as JSON.
 * @param {Instruction} instruction  such as ENTRYPOINT
 * @returns {string[]}
 */
export const argumentsOf = ({ text }) => JSON.parse(text.slice(text.indexOf('[')));

/**
 * Variables that an ENV instruction sets, resolved by the given ones.
 * @param {Instruction} instruction
 * @param {Record<string, string | undefined>} env  the present ones
 * @returns {Record<string, string>}
 */
export const variablesOf = ({ text }, env) =>
  Object.fromEntries(
    [...text.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value.replace(/\$([A-Z_]+)/g, (_, other) => env[other] ?? ''),
    ]),
  );

/**
 * Sources and target of a COPY instruction.
 * @param {Instruction} instruction
 * @returns {{ sources: string[], target: string, intoFolder: boolean }} intoFolder: true if the
 *   target is the folder that files come into, false if it is the name of the copy
 */
export function copyOf({ text }) {
  const sources = text.split(/\s+/);
  const target = /** @type {string} */ (sources.pop());
  return { sources, target, intoFolder: sources.length > 1 || target.endsWith('/') };
}

/**
 * Returns a function that tells whether Docker leaves a file out of the build context.
 * @param {string} root  folder with the .dockerignore
 * @returns {(path: string) => boolean} path: relative to the root, with slashes
 */
export function readIgnored(root) {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, not, pattern] = /** @type {RegExpExecArray} */ (/^(!?)(.*)$/.exec(line));
      const source = pattern
        .replace(/[.+]/g, '\\$&')
        .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(.*/)?'));
      return { ignores: not === '', matches: new RegExp(`^${source}(/|$)`) };
    });
  // The last rule that matches decides.
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.ignores ?? false;
}
