/**
 * Builds and tries the Docker image without Docker. It does each instruction of the Dockerfile in a
 * folder as root directory, and lists what the image holds. Then it starts its entry point as its
 * user, asks its health check, holds a call with it, and stops it.
 *
 *     node release/image.js [--sbom FILE]
 *
 * Needs root and mmdebstrap. `--sbom` writes the image's SBOM, which needs Go, and some minutes to
 * build the program that makes it. Base images can't be fetched without Docker, so others stand
 * in: Debian's smallest system with Node.js from npm, and this machine's Rust 1.95.0. Each
 * instruction runs with mounts and processes of its own, which end with it.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { holdCall } from './call.js';
import { argumentsOf, copyOf, readDockerfile, readIgnored, variablesOf } from './dockerfile.js';
import { freePort } from '../deploy/cluster-processes.js';
import { ALIKE, checkReport, describeLoad, startProcess, Steps } from './steps.js';

/** @import { Instruction, Stage } from './dockerfile.js' */

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Makes SBOMs for Docker's builder too. */
const SYFT = 'github.com/anchore/syft/cmd/syft@v1.38.0';

const DEBIAN = 'bookworm';
const RUST = '1.95.0';

/** Identity of the user `node` in Node.js's images. */
const NODE_USER = 1000;

/** Variables and files by which this machine reaches registries. */
const NETWORK = /^(SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|CARGO_HTTP_\w+|https?_proxy|no_proxy)$/i;
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt'];

/** Programs of a build, which the image must not have. */
const BUILD_TOOLS = ['npm', 'npx', 'cargo', 'rustc', 'gcc', 'cc', 'cmake', 'make'];

/** Root directory of a stage, with what its instructions have set. */
class Root {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.user = 'root';
    this.workdir = '/';
    /** @type {Record<string, string>} */
    this.env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  }

  /**
   * The command that runs another one in this root directory.
   * @param {string[]} command
   * @param {Record<string, string>} [more]  further variables
   * @returns {{ program: string, args: string[], env: Record<string, string> }}
   */
  command(command, more = {}) {
    const inside =
      'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && ' +
      'user=$1 && shift && exec chroot --userspec="$user" "$0" sh -c \'cd "$0" && exec "$@"\' "$@"';
    return {
      program: 'unshare',
      args: [
        ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', inside, this.folder],
        ...[`${this.user}:${this.user}`, this.workdir, ...command],
      ],
      env: { ...this.env, HOME: this.user === 'root' ? '/root' : `/home/${this.user}`, ...more },
    };
  }

  /** @param {string[]} command @returns {string} standard output */
  run(command) {
    const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
    const { program, args, env } = this.command(
      command,
      /** @type {Record<string, string>} */ (Object.fromEntries(network)),
    );
    const { status, stdout, stderr } = spawnSync(program, args, {
      env,
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  }

  /** @param {string} path  as an instruction has it @returns {string} path on this machine */
  path(path) {
    return join(this.folder, resolve(this.workdir, path));
  }
}

/**
 * Makes what stands in for Node.js's image: Debian, Node.js and npm, and the user `node`.
 * @param {string} folder
 * @param {string} image  its name
 */
function makeNodeImage(folder, image) {
  const [, major] = /^node:(\d+)-/.exec(image) ?? [];
  execFileSync('mmdebstrap', ['--variant=minbase', '--quiet', DEBIAN, folder], {
    stdio: 'inherit',
  });
  for (const file of NETWORK_FILES) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  const modules = join(folder, 'usr', 'local', 'lib', 'node_modules');
  const scratch = join(folder, 'tmp', 'node');
  mkdirSync(scratch);
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(scratch, 'package.json'), JSON.stringify(manifest));
  const options = ['--no-audit', '--no-fund', `node@${major}`, 'npm@11'];
  execFileSync('npm', ['install', ...options], { cwd: scratch, stdio: 'pipe' });
  mkdirSync(modules, { recursive: true });
  cpSync(join(scratch, 'node_modules', 'npm'), join(modules, 'npm'), { recursive: true });
  const bin = join(folder, 'usr', 'local', 'bin');
  copyFileSync(join(scratch, 'node_modules', 'node', 'bin', 'node'), join(bin, 'node'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
  rmSync(scratch, { recursive: true });
  const root = new Root(folder);
  root.run(['groupadd', '--gid', String(NODE_USER), 'node']);
  const user = ['--uid', String(NODE_USER), '--gid', 'node', '--create-home', 'node'];
  root.run(['useradd', ...user]);
}

/**
 * Makes what stands in for Rust's image, of this machine's rustup.
 * @param {string} folder
 */
function makeRustImage(folder) {
  const home = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup');
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin');
  const toolchain = `${RUST}-x86_64-unknown-linux-gnu`;
  const from = join(home, 'toolchains', toolchain);
  if (!existsSync(from)) throw new Error(`rustup toolchain install ${RUST}`);
  const cargo = join(folder, 'usr', 'local', 'cargo', 'bin');
  const rustup = join(folder, 'usr', 'local', 'rustup');
  for (const name of ['cargo', 'rustc', 'rustup'])
    cpSync(join(bin, name), join(cargo, name), { verbatimSymlinks: true });
  cpSync(from, join(rustup, 'toolchains', toolchain), {
    recursive: true,
    // The smallest profile: no manuals, and no other system's library.
    filter: (path) => !/share\/(doc|man)$|rustlib\/(?!x86_64-unknown-linux-gnu)\w+-\w+-/.test(path),
  });
  const settings = `version = "12"\ndefault_toolchain = "${toolchain}"\nprofile = "minimal"\n`;
  writeFileSync(join(rustup, 'settings.toml'), settings);
}

/** Stages and images, by name. */
class Images {
  #scratch;

  /** @type {Map<string, string>} root directory by the image's or the stage's name */
  #folders = new Map();

  /** @param {string} scratch */
  constructor(scratch) {
    this.#scratch = scratch;
  }

  /** @param {string} name @param {string} folder */
  add(name, folder) {
    this.#folders.set(name, folder);
  }

  /**
   * Returns the root directory of an image or a stage, and makes a stand-in for an image first.
   * @param {string} name
   */
  folderOf(name) {
    const known = this.#folders.get(name);
    if (known !== undefined) return known;
    const folder = join(this.#scratch, `image-${this.#folders.size}`);
    if (name.startsWith('node:')) makeNodeImage(folder, name);
    else if (name.startsWith('rust:')) makeRustImage(folder);
    else throw new Error(`nothing stands in for the image ${name}`);
    this.add(name, folder);
    return folder;
  }
}

/**
 * Copies as COPY does, as root.
 * @param {Instruction} instruction
 * @param {Root} root
 * @param {Images} images
 */
function copy(instruction, root, images) {
  const { sources, target, intoFolder } = copyOf(instruction);
  const { from } = instruction.options;
  const isIgnored = readIgnored(ROOT);
  const base = from === undefined ? ROOT : images.folderOf(from);
  for (const source of sources) {
    const path = join(base, source);
    if (from === undefined && isIgnored(source.replace(/^\.\//, '')))
      throw new Error(`.dockerignore leaves ${source} out`);
    const to = root.path(intoFolder ? join(target, basename(source)) : target);
    cpSync(path, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (each) =>
        from !== undefined ||
        each === path ||
        !isIgnored(relative(ROOT, each).split(sep).join('/')),
    });
    execFileSync('chown', ['--recursive', '0:0', to]);
  }
}

/**
 * Carries out an instruction.
 * @param {Instruction} instruction
 * @param {Root} root
 * @param {Images} images
 */
function carryOut(instruction, root, images) {
  const { name, text } = instruction;
  if (name === 'ENV') Object.assign(root.env, variablesOf(instruction, root.env));
  else if (name === 'RUN') root.run(['sh', '-c', text]);
  else if (name === 'COPY') copy(instruction, root, images);
  else if (name === 'USER') root.user = text;
  else if (name === 'WORKDIR') {
    root.workdir = resolve(root.workdir, text);
    mkdirSync(join(root.folder, root.workdir), { recursive: true });
  }
}

/**
 * Builds a stage.
 * @param {Stage} stage
 * @param {string} folder  its root directory, not there yet
 * @param {Images} images
 * @param {Steps} steps
 * @returns {Promise<Root>}
 */
async function build({ image, as, instructions }, folder, images, steps) {
  await steps.run(`FROM ${image.split('@')[0]}${as ? ` AS ${as}` : ''}`, () => {
    execFileSync('cp', ['--archive', '--reflink=auto', images.folderOf(image), folder]);
  });
  if (as) images.add(as, folder);
  const root = new Root(folder);
  for (const instruction of instructions) {
    const { name, text } = instruction;
    await steps.run(`${name} ${text.replace(/\s+/g, ' ')}`.slice(0, 80), () =>
      carryOut(instruction, root, images),
    );
  }
  return root;
}

/**
 * Prints the sizes of the image's folders.
 * @param {Root} root
 * @throws {Error} if a tool of a build is there
 */
function list(root) {
  const folders = ['/', '/usr', '/usr/local', '/aloud', '/aloud/node_modules', '/aloud/native'];
  for (const folder of folders) {
    const [bytes] = execFileSync('du', ['--summarize', '--bytes', root.path(folder)], {
      encoding: 'utf8',
    }).split('\t');
    console.log(`${(Number(bytes) / 1e6).toFixed(1).padStart(9)} MB  ${folder}`);
  }
  const found = BUILD_TOOLS.filter((tool) =>
    root.env.PATH.split(':').some((folder) => existsSync(join(root.folder, folder, tool))),
  );
  if (found.length > 0) throw new Error(`the image has ${found.join(', ')}`);
}

/**
 * Writes the list of what the image holds, in the format of SPDX, as Docker's builder does.
 * @param {Root} root
 * @param {string} file
 */
function writeSbom(root, file) {
  const args = ['run', SYFT, 'scan', `dir:${root.folder}`, '--output', `spdx-json=${file}`];
  execFileSync('go', [...args, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  /** @type {{ packages: { externalRefs?: { referenceLocator: string }[] }[] }} */
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { externalRefs = [] } of packages) {
    const locators = externalRefs.map(({ referenceLocator }) => referenceLocator);
    const [, kind] =
      /^pkg:(\w+)\//.exec(locators.find((each) => each.startsWith('pkg:')) ?? '') ?? [];
    if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const parts = Object.entries(counts).map(([kind, count]) => `${count} of ${kind}`);
  console.log(`          packages in the SBOM: ${parts.join(', ')}`);
  for (const kind of ['deb', 'npm'])
    if (!counts[kind]) throw new Error(`the SBOM has no packages of ${kind}`);
}

/**
 * Starts the image's entry point, asks its health check, holds a call, and stops it.
 * @param {Root} root
 * @param {Stage} stage
 * @param {Steps} steps
 * @param {string} scratch
 */
async function tryImage(root, { instructions }, steps, scratch) {
  /** @param {string} name */
  const of = (name) => /** @type {Instruction} */ (instructions.find((each) => each.name === name));
  const env = { ALOUD_PORT: String(await freePort()), ALOUD_H3_PORT: '0' };
  const entry = root.command(argumentsOf(of('ENTRYPOINT')), env);
  const server = await steps.run('the entry point to a page that answers', () =>
    startProcess(entry.program, entry.args, { cwd: scratch, env: entry.env }),
  );
  try {
    checkReport(server.report);
    await steps.run('the health check', () => {
      const { program, args, env: variables } = root.command(argumentsOf(of('HEALTHCHECK')), env);
      execFileSync(program, args, { env: variables, stdio: 'pipe' });
    });
    const aloud = join(ROOT, 'server', 'main.js');
    const alike = await steps.run('a call of two programs over WebTransport', () =>
      holdCall({ aloud, url: server.url, folder: scratch, env: process.env }),
    );
    if (alike < ALIKE) throw new Error('what was heard is not what was said');
  } finally {
    const signal = /** @type {NodeJS.Signals} */ (of('STOPSIGNAL').text);
    await steps.run(`its end, by ${signal}`, () => server.stop(signal));
  }
}

/** @param {string} scratch */
async function rehearseImage(scratch) {
  const { values } = parseArgs({ options: { sbom: { type: 'string' } } });
  if (process.getuid?.() !== 0) throw new Error('only root can run a folder as root directory');
  console.log(describeLoad());
  const steps = new Steps();
  const images = new Images(scratch);
  const stages = readDockerfile(ROOT);
  /** @type {Root | undefined} */
  let root;
  for (const [i, stage] of stages.entries())
    root = await build(stage, join(scratch, `stage-${i}`), images, steps);
  if (root === undefined) throw new Error('the Dockerfile has no stage');
  list(root);
  await tryImage(root, stages[stages.length - 1], steps, scratch);
  const { sbom } = values;
  if (sbom !== undefined) {
    const image = root;
    await steps.run('SBOM', () => writeSbom(image, resolve(sbom)));
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'aloud-image-'));
try {
  await rehearseImage(scratch);
} finally {
  rmSync(scratch, { recursive: true });
}
