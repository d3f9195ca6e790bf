import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { platformName } from '../../native/binding.js';
import { packRelease } from '../../release/packages.js';
import { startServer } from '../../release/steps.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The packages of a release, and an empty folder for each test of a file. */
export class Packages {
  /** Folder of the packages' files. */
  packed = '';
  /** Folder into which a test installs them. */
  folder = '';
  /**
   * Folders into which packages were installed, to be copied, by the packages' files.
   * @type {Map<string, string>}
   */
  #installed = new Map();
  /** @type {import('../../release/steps.js').Server[]} */
  #started = [];

  constructor() {
    beforeAll(() => {
      this.packed = mkdtempSync(join(tmpdir(), 'aloud-packed-'));
      packRelease({ out: this.packed });
    });
    afterAll(() => {
      for (const folder of [this.packed, ...this.#installed.values()])
        rmSync(folder, { recursive: true });
    });
    beforeEach(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'aloud-installed-'));
    });
    afterEach(async () => {
      await Promise.all(this.#started.splice(0).map(({ stop }) => stop('SIGKILL')));
      rmSync(this.folder, { recursive: true });
    });
  }

  /** @param {string} [part]  of the package's name, after aloud */
  file = (part = '') => join(this.packed, `aloud${part}-${version}.tgz`);

  /** The packages without any system's addon. */
  sources = () => [this.file(), this.file('-native')];

  /** The packages with this system's addon. */
  all = () => [...this.sources(), this.file(`-native-${platformName()}`)];

  /** Nothing of the run's own npm script or options reaches the commands. */
  environment(/** @type {Record<string, string>} */ more = {}) {
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(lifecycle|package|command)|ALOUD_|INIT_CWD)/.test(name),
    );
    return { ...Object.fromEntries(kept), XDG_STATE_HOME: join(this.folder, 'state'), ...more };
  }

  /**
   * Installs packages as npm 12 does by default: without any dependency's scripts. npm takes
   * seconds of a processor. So it installs the same packages once, and each test gets a copy.
   * @param {string[]} files
   */
  install(files) {
    const key = files.join();
    let folder = this.#installed.get(key);
    if (folder === undefined) {
      // The copies lie beside it, since npm notes relative paths to the packages.
      folder = mkdtempSync(join(tmpdir(), 'aloud-installed-'));
      this.#installByNpm(files, folder);
      this.#installed.set(key, folder);
    }
    cpSync(folder, this.folder, { recursive: true, verbatimSymlinks: true });
  }

  /** @param {string[]} files @param {string} folder */
  #installByNpm(files, folder) {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const { status, stderr } = spawnSync('npm', ['install', ...options, ...files], {
      cwd: folder,
      env: this.environment(),
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  }

  /** Starts the installed command, until the end of the test. */
  async start() {
    const server = await startServer('npx', ['--no-install', 'aloud'], {
      cwd: this.folder,
      env: this.environment(),
    });
    this.#started.push(server);
    return server;
  }
}
