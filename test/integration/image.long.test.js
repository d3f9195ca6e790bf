/**
 * The steps of the Dockerfile, done in a folder: its copies, npm's packages without scripts, and
 * its entry point with its health check. Only the addon's build is left out, because the addon of
 * this machine stands in for it.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '@aloud/native';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIBRARY } from '../../native/binding.js';
import { freePort } from '../../deploy/cluster-processes.js';
import {
  argumentsOf,
  copyOf,
  readDockerfile,
  readIgnored,
  variablesOf,
} from '../../release/dockerfile.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [BUILD, { instructions }] = readDockerfile(ROOT);
const ALL = [...BUILD.instructions, ...instructions];

/** The copies from the build context. */
const COPIES = ALL.filter(({ name, options }) => name === 'COPY' && !options.from).map(copyOf);

/** Largest content of the image besides Node.js and Debian, in bytes: 45.2 MB on 2026-11-29. */
const MAX_CONTENT = 60_000_000;

const isIgnored = readIgnored(ROOT);

/** @type {string} */
let image;

beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), 'aloud-image-'));
  for (const { sources, target, intoFolder } of COPIES) {
    for (const source of sources) {
      const to = join(image, target.replace(/^\/aloud\//, ''), intoFolder ? basename(source) : '');
      cpSync(join(ROOT, source), to, {
        recursive: true,
        filter: (path) => path === join(ROOT, source) || !isIgnored(relative(ROOT, path)),
      });
    }
  }
  const run = ALL.find(({ name, text }) => name === 'RUN' && text.startsWith('npm ci'));
  const [, args] = /npm (ci [^&]+)/.exec(run?.text ?? '') ?? [];
  execFileSync('npm', [...args.trim().split(/\s+/), '--ignore-scripts', '--prefer-offline'], {
    cwd: image,
    stdio: 'pipe',
  });
  if (isBuilt()) copyFileSync(LIBRARY, join(image, 'native', 'aloud.node'));
});

afterAll(() => rmSync(image, { recursive: true }));

/** Size of a folder's files, in bytes. @param {string} folder */
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, String(name))))
    .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);

/** @param {string} name @returns {import('../../release/dockerfile.js').Instruction} */
const instructionOf = (name) =>
  /** @type {any} */ (instructions.find((instruction) => instruction.name === name));

/** Variables that the image sets, with its state in a folder. @param {string} state */
const environment = (state) =>
  Object.fromEntries(
    Object.entries(variablesOf(instructionOf('ENV'), {})).map(([name, value]) => [
      name,
      value.replace('/var/lib/aloud', state),
    ]),
  );

describe('the image', () => {
  it('gets from the context what it copies', () => {
    for (const source of COPIES.flatMap(({ sources }) => sources))
      expect(isIgnored(source), source).toBe(false);
    for (const path of ['certs/key.pem', 'server/key.pem', 'native/target/a', 'native/a.node'])
      expect(isIgnored(path), path).toBe(true);
  });

  it('holds what runs, and no tool of a build', () => {
    expect(readdirSync(image).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'bench',
      'deploy',
      'native',
      'node_modules',
      'package-lock.json',
      'package.json',
      'programs',
      'public',
      'server',
      'worklets',
    ]);
    for (const tool of ['eslint', 'typescript', 'vitest', 'playwright-core'])
      expect(readdirSync(join(image, 'node_modules'))).not.toContain(tool);
    const bytes = sizeOf(image);
    console.log(`content of the image beside Node.js: ${(bytes / 1e6).toFixed(1)} MB`);
    expect(bytes).toBeLessThan(MAX_CONTENT);
  });

  it('starts by its entry point, and is well by its health check', async () => {
    const state = mkdtempSync(join(tmpdir(), 'aloud-image-state-'));
    onTestFinished(() => rmSync(state, { recursive: true }));
    const [entry, check] = ['ENTRYPOINT', 'HEALTHCHECK'].map((name) =>
      argumentsOf(instructionOf(name))[1].replace('/aloud/', ''),
    );
    const port = String(await freePort());
    const env = { ...environment(state), PATH: '/nowhere', ALOUD_PORT: port, ALOUD_H3_PORT: '0' };
    const child = spawn(process.execPath, [join(image, entry)], { cwd: state, env });
    const ended = new Promise((resolve) => void child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGINT');
      await ended;
    });
    let report = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => (report += bytes));
    await expect.poll(() => report, { timeout: 30_000 }).toMatch(/WebSocket and HTTP\/1 are on/);
    if (isBuilt()) expect(report).toMatch(/WebTransport is on[^\n]*native/);
    const { status, stderr } = spawnSync(process.execPath, [join(image, check)], {
      cwd: state,
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  });
});
