import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadPlugin } from '../../../server/plugin.js';

/** @type {string[]} */
const folders = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** @param {string} text  of a module */
async function load(text) {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-plugin-'));
  folders.push(folder);
  const file = join(folder, 'plugin.mjs');
  await writeFile(file, text);
  return loadPlugin(file);
}

describe('a plugin', () => {
  it('is empty without a file', async () => {
    expect(await loadPlugin(null)).toEqual({});
  });

  it('has the parts that its file exports, and its path', async () => {
    const { room, file } = await load('export default { room: () => ({}) };');
    expect([typeof room, file?.endsWith('plugin.mjs')]).toEqual(['function', true]);
  });

  it.each([
    ['', /^--lab must be the file of a plugin; ".*": Invalid input/],
    ['export default { rooms: 1 };', /Unrecognized key/],
    ['export default { engine: 1 };', /its engine: must be a function/],
    ["export default { labModule: 'page.js' };", /its labModule: .*must start with/],
    [
      "export default { options: [{ name: 'port', key: 'port', env: 'A', type: 'integer' }] };",
      /its options: an option has this name already/,
    ],
  ])('is refused as %j', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });
});
