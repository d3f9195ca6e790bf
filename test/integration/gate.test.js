import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

const TESTS = `
import { expect, it } from 'vitest';
import { requireOrSkip } from '../../../testkit/skip.js';
it('holds', () => expect(1).toBe(1));
let tries = 0;
it('is unlucky', { retry: 1 }, () => expect(++tries).toBe(2));
it('leaves', ({ skip }) => skip('no sound card'));
requireOrSkip(true, 'never said').it('is there', () => {});
requireOrSkip(false, 'Chromium is not installed').it('opens a page', () => {});
requireOrSkip(false, 'no compiler').describe('the addon', () => it('is never reached', () => {}));
requireOrSkip(false, 'no rights', () => false).it('makes a network', () => {});
`;

/** @type {string} */
let directory;

/** @param {string} ci */
async function runTests(ci) {
  const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', root));
  const options = [
    '--root',
    directory,
    '--reporter',
    fileURLToPath(new URL('testkit/vitest/reporter.js', root)),
  ];
  const env = { ...process.env, CI: ci };
  try {
    const { stdout } = await run(process.execPath, [vitest, 'run', ...options], {
      env,
      cwd: directory,
    });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout } = /** @type {{ code: number, stdout: string }} */ (error);
    return { code, stdout };
  }
}

beforeAll(async () => {
  directory = await mkdtemp(fileURLToPath(new URL('test/integration/tmp-', root)));
  await writeFile(
    `${directory}/vitest.config.js`,
    "export default { test: { include: ['*.case.js'] } };\n",
  );
  await writeFile(`${directory}/gate.case.js`, TESTS);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the test run', () => {
  it('names what it skipped or tried twice, and ends with one plain line', async () => {
    const { code, stdout } = await runTests('');
    expect(stdout).toContain('1 passed at another try:');
    expect(stdout).toContain('gate.case.js > is unlucky: expected 1 to be 2');
    expect(stdout).toContain('4 skipped:');
    expect(stdout).toContain('gate.case.js > leaves (no sound card)');
    expect(stdout).toContain('opens a page (Chromium is not installed)');
    expect(stdout).toContain('the addon (no compiler)');
    expect(stdout.trimEnd()).toMatch(/\n3 passed, 0 failed$/);
    expect(code).toBe(0);
  });

  it('fails under CI=true for what is missing and could be there', async () => {
    const { code, stdout } = await runTests('true');
    expect(stdout).toContain('makes a network (no rights)');
    expect(stdout.trimEnd()).toMatch(/\n3 passed, 2 failed$/);
    expect(code).toBe(1);
  });

  it('counts a test file that cannot be loaded as a failure', async () => {
    await writeFile(`${directory}/broken.case.js`, "import 'aloud-has-no-such-module';\n");
    const { code, stdout } = await runTests('');
    await rm(`${directory}/broken.case.js`);
    expect(stdout.trimEnd()).toMatch(/\n3 passed, 1 failed$/);
    expect(code).toBe(1);
  });
});
