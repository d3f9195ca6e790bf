/** The package that `npm pack` makes, installed into an empty folder as by anybody. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '@aloud/native';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIBRARY, platformName } from '../../native/binding.js';
import { PLATFORMS, packageOf } from '../../native/platforms.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * The largest package, and the most that the files in it have, in bytes: 907 kB and 3.123 MB on
 * 2026-11-28, with code and without a build.
 */
const MAX_PACKED = 960_000;
const MAX_UNPACKED = 3_300_000;

/** @type {string} */
let packed;
/** @type {string} */
let folder;
/** @type {import('node:child_process').ChildProcess[]} */
let started;

/** Nothing of the run's own npm script or options reaches the commands. */
const environment = (/** @type {Record<string, string>} */ more = {}) => {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package|command)|ALOUD_|INIT_CWD)/.test(name),
  );
  return { ...Object.fromEntries(kept), XDG_STATE_HOME: join(folder ?? packed, 'state'), ...more };
};

/** @param {string[]} args @param {{ cwd: string, env?: Record<string, string> }} options */
const npm = (args, { cwd, env }) =>
  execFileSync('npm', args, { cwd, env: environment(env), encoding: 'utf8', stdio: 'pipe' });

/** @param {string} directory @returns {string} the package's path */
function pack(directory) {
  const [{ filename }] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', packed], { cwd: directory }),
  );
  return join(packed, filename);
}

/** The package with the library of this system, as a release has it. */
function packLibrary() {
  const name = platformName();
  const directory = join(packed, name);
  cpSync(join(ROOT, 'native', 'npm', name), directory, { recursive: true });
  copyFileSync(LIBRARY, join(directory, `aloud.${name}.node`));
  return pack(directory);
}

/**
 * @param {string[]} packages
 * @param {{ scripts?: boolean, env?: Record<string, string> }} [options]
 */
function install(packages, { scripts = false, env } = {}) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = [
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    ...(scripts ? ['--foreground-scripts'] : ['--ignore-scripts']),
  ];
  const { status, stdout, stderr } = spawnSync('npm', ['install', ...quiet, ...packages], {
    cwd: folder,
    env: environment(env),
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout + stderr;
}

/**
 * Starts the command, and waits until it has told what is on.
 * @returns {Promise<{ url: string, report: string }>}
 */
async function start() {
  const child = spawn('npx', ['--no-install', 'aloud', '--port', '0', '--h3-port', '0'], {
    cwd: folder,
    env: environment(),
    detached: true,
  });
  started.push(child);
  let report = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => (report += bytes));
  await expect.poll(() => report, { timeout: 30_000 }).toMatch(/WebSocket and HTTP\/1 are on/);
  return { url: /http:\/\/localhost:\d+/.exec(report)?.[0] ?? '', report };
}

/** @param {string} url @param {string} path */
async function sizeOf(url, path) {
  const answer = await fetch(`${url}${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.arrayBuffer()).byteLength;
}

/** Fetches what a page needs of each directory. @param {string} url */
async function fetchPage(url) {
  expect(await (await fetch(`${url}/r/tea`)).text()).toMatch(/<title>/);
  const files = [
    '/public/app.js',
    '/worklets/playback-processor.js',
    '/vendor/libopus-wasm/generated/libopus.generated.mjs',
    '/vendor/uplot/uPlot.esm.js',
    '/vendor/uqr/index.mjs',
  ];
  for (const file of files) expect(await sizeOf(url, file)).toBeGreaterThan(500);
}

beforeAll(() => {
  packed = mkdtempSync(join(tmpdir(), 'aloud-packed-'));
  pack(ROOT);
});

afterAll(() => rmSync(packed, { recursive: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aloud-installed-'));
  started = [];
});

afterEach(async () => {
  for (const { pid, exitCode } of started)
    if (pid && exitCode === null) process.kill(-pid, 'SIGKILL');
  await Promise.all(
    started.map(
      (child) => child.exitCode ?? new Promise((resolve) => void child.once('close', resolve)),
    ),
  );
  rmSync(folder, { recursive: true });
});

const aloud = () => join(packed, `aloud-${OWN.version}.tgz`);

describe('the package', () => {
  it('holds what runs alone, and is small', () => {
    const files = execFileSync('tar', ['tzf', aloud()], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((name) => name.replace('package/', ''));
    const places = new Set(
      files.map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('node_modules') ? 3 : 1)
          .join('/'),
      ),
    );
    expect([...places].toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'deploy',
      'node_modules/@aloud/native',
      'package.json',
      'programs',
      'public',
      'server',
      'worklets',
    ]);
    const native = files
      .filter((name) => name.startsWith('node_modules/'))
      .map((name) => name.split('/')[3]);
    expect(new Set(native)).toContain('Cargo.lock');
    expect(files.filter((name) => /\.(node|tgz|pem|rs~)$|\/target\/|\/test\//.test(name))).toEqual(
      [],
    );
    expect(statSync(aloud()).size).toBeLessThan(MAX_PACKED);
    mkdirSync(join(folder, 'unpacked'));
    execFileSync('tar', ['xzf', aloud(), '-C', join(folder, 'unpacked')]);
    const all = /** @type {string[]} */ (
      readdirSync(join(folder, 'unpacked'), { recursive: true })
    ).map((name) => statSync(join(folder, 'unpacked', name)));
    // The size of a directory depends on the file system.
    expect(all.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)).toBeLessThan(
      MAX_UNPACKED,
    );
  });

  it('runs without the addon, says how to build it, and writes outside the package', async () => {
    install([aloud()]);
    const { url, report } = await start();
    expect(report).toMatch(/WebTransport is off: .*npm rebuild aloud/);
    await fetchPage(url);
    expect(existsSync(join(folder, 'state', 'aloud', 'certs', 'certificate.pem'))).toBe(true);
    expect(existsSync(join(folder, 'node_modules', 'aloud', 'certs'))).toBe(false);
  });

  it('says in one sentence at its installation what is missing to build the addon', () => {
    // Node and npm's own tools are there, and neither cargo nor a compiler.
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const tool of ['npm', 'sh', 'env'])
      execFileSync('ln', [
        '-s',
        execFileSync('which', [tool], { encoding: 'utf8' }).trim(),
        join(bin, tool),
      ]);
    execFileSync('ln', ['-s', process.execPath, join(bin, 'node')]);
    const told = install([aloud()], {
      scripts: true,
      env: { PATH: [bin, '/nowhere'].join(delimiter) },
    });
    const line = told.split('\n').filter((text) => text.includes('was not built'));
    expect(line).toEqual([
      expect.stringMatching(
        /^The native HTTP\/3 engine was not built: this machine lacks cargo .*The server goes on with its other engines\.$/,
      ),
    ]);
  });
});

requireOrSkip(
  isBuilt() && existsSync(LIBRARY),
  'the native engine is not built',
  canBuildNative,
).describe('the package of this system', () => {
  it('brings the addon, and nothing is built', async () => {
    const told = install([aloud(), packLibrary()], { scripts: true });
    expect(told).not.toMatch(/building the native/);
    const { url, report } = await start();
    expect(report).toMatch(/WebTransport is on[^\n]*native/);
    expect(report).toMatch(/Opus codec is native/);
    await fetchPage(url);
  });
});

requireOrSkip(
  process.env.ALOUD_TEST_BUILD === '1' && canBuildNative(),
  'builds the addon anew, for minutes: set ALOUD_TEST_BUILD=1',
  () => false,
).describe('where there are cargo and a C compiler', () => {
  it('the command that the server names, also run on install, builds the addon', async () => {
    install([aloud()]);
    // Builds of the dependencies are reused: this is about the package's own files.
    const env = environment({ CARGO_TARGET_DIR: join(ROOT, 'native', 'target') });
    const options = /** @type {const} */ ({ cwd: folder, env, encoding: 'utf8' });
    const { status, stdout, stderr } = spawnSync(
      'npm',
      ['rebuild', 'aloud', '--foreground-scripts'],
      options,
    );
    expect(status, stderr).toBe(0);
    expect(stdout + stderr).toMatch(/building the native HTTP\/3 engine/);
    const { report } = await start();
    expect(report).toMatch(/WebTransport is on[^\n]*native/);
  }, 600_000);
});

describe('the packages of the systems', () => {
  it.each(PLATFORMS.map((platform) => [platform.name, platform]))(
    '%s is of this version',
    (name, platform) => {
      const path = join(ROOT, 'native', 'npm', String(name), 'package.json');
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(
        packageOf(/** @type {any} */ (platform), OWN.version),
      );
    },
  );
});
