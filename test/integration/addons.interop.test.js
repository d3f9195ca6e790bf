/**
 * The addons that a release has for Linux on x64, built as the release builds them. The one for
 * glibc is loaded by this Node.js, the one for musl by a Node.js for musl, and a call is held.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probe } from '@aloud/native';
import { buildAddons, OLDEST_GLIBC } from '../../release/addons.js';
import { holdCall } from '../../release/call.js';
import { canInstallMuslNode, installMuslNode } from '../../release/musl-node.js';
import { packRelease } from '../../release/packages.js';
import { ALIKE, checkReport, startServer } from '../../release/steps.js';
import { canBuildOpus, requireOrSkip } from '../../testkit/skip.js';

const GLIBC = 'linux-x64-gnu';
const MUSL = 'linux-x64-musl';

/** Time for a build of some minutes, in milliseconds. */
const BUILD_MS = 1_800_000;

const hasVenv = spawnSync('python3', ['-m', 'venv', '--help']).status === 0;
const isLinux = process.platform === 'linux' && process.arch === 'x64';

requireOrSkip(
  isLinux && hasVenv && canBuildOpus(),
  'this is no Linux on x64, or cargo, a C compiler, cmake, make or Python with venv is missing',
).describe('the addon that a release has', () => {
  /** @type {string} */
  let folder;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'aloud-addons-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it(
    'for glibc loads here, with libopus, and with the oldest glibc that the docs name',
    async () => {
      const [addon] = buildAddons([GLIBC], join(folder, 'addons'));
      expect(await probe(addon)).toBeNull();
      expect(createRequire(import.meta.url)(addon).opusVersion()).toMatch(/^libopus 1\./);
      const names = readFileSync(addon, 'latin1').match(/GLIBC_2\.\d+/g) ?? [];
      const newest = Math.max(...names.map((name) => Number(name.split('.')[1])));
      expect(newest).toBeLessThanOrEqual(Number(OLDEST_GLIBC.split('.')[1]));
      expect(readFileSync('docs/installing.md', 'utf8')).toContain(`${OLDEST_GLIBC} or later`);
    },
    BUILD_MS,
  );

  requireOrSkip(canInstallMuslNode(), 'a Node.js for musl needs apt-get and Python with venv').it(
    'for musl holds a call in a Node.js for musl',
    async () => {
      const addons = join(folder, 'musl-addons');
      buildAddons([MUSL], addons);
      const { node, npm } = installMuslNode(join(folder, 'musl'));
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      symlinkSync(node, join(bin, 'node'));
      const env = {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        XDG_STATE_HOME: join(folder, 'state'),
      };
      const packages = packRelease({ out: join(folder, 'packages'), addons });
      const home = join(folder, 'home');
      mkdirSync(home);
      writeFileSync(join(home, 'package.json'), '{"private":true}');
      // npm takes this machine's ldd for its C library, so it has to be forced.
      const options = ['--force', '--no-audit', '--no-fund', '--prefer-offline', ...packages];
      const installed = spawnSync(node, [join(npm, 'bin', 'npm-cli.js'), 'install', ...options], {
        cwd: home,
        env,
        encoding: 'utf8',
      });
      expect(installed.status, installed.stderr).toBe(0);
      const aloud = join(home, 'node_modules', '.bin', 'aloud');
      const server = await startServer(aloud, [], { cwd: home, env });
      try {
        checkReport(server.report);
        expect(await holdCall({ aloud, url: server.url, folder, env })).toBeGreaterThan(ALIKE);
      } finally {
        await server.stop();
      }
    },
    BUILD_MS,
  );
});
