/** The lab's command with participants in a browser, and where there is none. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { chromiumPath, inBrowser } from '../../../testkit/browsers/browser.js';
import { undisturbed } from '../../../testkit/undisturbed.js';
import { MAIN, rttArguments } from '../lab-command.js';

/** Folders of a test's runs. @type {string[]} */
const folders = [];

async function removeFolders() {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
}
afterEach(removeFolders);

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-lab-'));
  folders.push(folder);
  return folder;
}

/** @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
const bench = (args, env = {}) =>
  promisify(execFile)(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });

inBrowser.describe("the lab's command with --browser", () => {
  it('measures round trips over each protocol', () =>
    undisturbed(async () => {
      const out = await temporaryFolder();
      const transports = ['webtransport', 'websocket', 'http1'];
      await bench([...rttArguments(out, transports, { warmUpSeconds: 0.5 }), '--browser']);
      const [name] = await readdir(out);
      const run = JSON.parse(await readFile(join(out, name, 'run.json'), 'utf8'));
      const { stdout } = await promisify(execFile)(String(chromiumPath), ['--version']);
      expect(stdout).toContain(run.environment.versions.chromium);
      expect(run).toMatchObject({ complete: true, options: { browser: true } });
      expect(run.generator.cpuPercent).toBeGreaterThan(1);
      const csv = (await readFile(join(out, name, 'samples-roundTrip.csv'), 'utf8'))
        .trim()
        .split('\n')
        .slice(1);
      for (const transport of transports) {
        const values = csv
          .filter((line) => line.startsWith(transport))
          .map((line) => Number(line.split(',')[4]));
        const answered = values.filter(Number.isFinite).sort((a, b) => a - b);
        expect(values.length, transport).toBeGreaterThan(180);
        expect(answered.length, transport).toBeGreaterThan(0.95 * values.length);
        expect(answered[0], transport).toBeGreaterThan(0);
        expect(answered[answered.length >> 1], transport).toBeLessThan(50);
      }
    }, removeFolders));
});

describe("the lab's command where there is no Chromium", () => {
  it('says so in one sentence, and measures nothing', async () => {
    const out = await temporaryFolder();
    const failed = bench(['rtt', '--browser', '--out', out], { CHROMIUM_PATH: '/nowhere' });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(/^bench: --browser needs Chromium, and there is none.*\n$/m),
    });
    expect(await readdir(out)).toEqual([]);
  });
});
