import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @import { Reporter } from 'vitest/reporters'
 * @import { TestCase, TestModule, Vitest } from 'vitest/node'
 */

/** The number of slowest files, and of slowest tests, that are listed. */
const SLOWEST = 10;

const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(1).padStart(7);

/**
 * Ends a run with a summary: time by part, tests that passed at another try, measurements repeated
 * for a disturbed machine, skipped tests with reasons. Failures follow, a line each, to be found at
 * the end of a long log. The last line is plain, `N passed, N failed`. A test file that can't be
 * loaded counts as one failure.
 *
 * @implements {Reporter}
 */
export default class SummaryReporter {
  /**
   * Start of each project's first file, and end of its last one.
   * @type {Map<string, { from: number, to: number }>}
   */
  #spans = new Map();

  /** @param {(line: string) => void} [print] */
  constructor(print = console.log) {
    // Vitest hands over its reporter options when it makes the reporter itself.
    this.print = typeof print === 'function' ? print : console.log;
  }

  /** The file with the run's last line, for programs that run the tests. */
  #summaryFile = '';

  /** @param {Vitest} vitest */
  onInit({ config }) {
    this.#summaryFile = join(config.root, 'test/output/summary.txt');
  }

  /** @param {TestModule} module */
  onTestModuleQueued(module) {
    this.#reach(module);
  }

  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    this.#reach(module);
  }

  /**
   * @param {ReadonlyArray<TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandled errors outside any test
   */
  onTestRunEnd(modules, unhandled) {
    let passed = 0;
    /** @type {string[]} */
    const skipped = [];
    const failures = unhandled.map((error) => firstLine(error));
    /** @type {string[]} */
    const retried = [];
    /** @type {string[]} */
    const measuredAgain = [];
    for (const module of modules) {
      for (const error of [
        ...module.errors(),
        ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
      ]) {
        failures.push(`${module.relativeModuleId}: ${firstLine(error)}`);
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed' && errors?.length)
          retried.push(`${nameOf(test)}: ${firstLine(errors[0])}`);
        for (const note of /** @type {any} */ (test.meta()).measuredAgain ?? [])
          measuredAgain.push(`${nameOf(test)}: ${note}`);
        if (state === 'passed') passed++;
        else if (state === 'failed') failures.push(`${nameOf(test)}: ${firstLine(errors?.[0])}`);
        else skipped.push(nameOf(test));
      }
    }
    this.#printTimes(modules);
    this.#list('passed at another try', retried);
    this.#list('measured again', measuredAgain);
    this.#list('skipped', skipped);
    this.#list('failed', failures);
    this.#write(`${passed} passed, ${failures.length} failed`);
  }

  /** @param {TestModule} module */
  #reach({ project }) {
    const nowMs = performance.now();
    const span = this.#spans.get(project.name) ?? { from: nowMs, to: nowMs };
    this.#spans.set(project.name, { ...span, to: nowMs });
  }

  /** @param {ReadonlyArray<TestModule>} modules */
  #printTimes(modules) {
    if (modules.length < 2) return;
    this.print('\nSeconds from the first file to the last, and of all files together:');
    for (const [name, { from, to }] of this.#spans) {
      const files = modules.filter(({ project }) => project.name === name);
      const sum = files.reduce((total, file) => total + file.diagnostic().duration, 0);
      this.print(`${seconds(to - from)} ${seconds(sum)}  ${name}, ${files.length} files`);
    }
    this.#printSlowest(
      'files',
      modules.map((module) => ({
        name: module.relativeModuleId,
        ms: module.diagnostic().duration,
      })),
    );
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    this.#printSlowest(
      'tests',
      tests.map((test) => ({ name: nameOf(test), ms: test.diagnostic()?.duration ?? 0 })),
    );
  }

  /** @param {string} what @param {{ name: string, ms: number }[]} all */
  #printSlowest(what, all) {
    this.print(`\nThe slowest ${what}, in seconds:`);
    for (const { name, ms } of all.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
      this.print(`${seconds(ms)}  ${name}`);
  }

  /**
   * @param {string} what
   * @param {string[]} tests
   */
  #list(what, tests) {
    if (tests.length === 0) return;
    this.print(`\n${tests.length} ${what}:`);
    for (const test of tests) this.print(`  ${test}`);
  }

  /** @param {string} summary */
  #write(summary) {
    this.print(`\n${summary}`);
    mkdirSync(dirname(this.#summaryFile), { recursive: true });
    writeFileSync(this.#summaryFile, `${summary}\n`);
  }
}

/** @param {unknown} error */
const firstLine = (error) => String(/** @type {any} */ (error)?.message ?? error).split('\n')[0];

/** @param {TestCase} test */
function nameOf(test) {
  const result = test.result();
  const note = 'note' in result && result.note ? ` (${result.note})` : '';
  return `${test.module.relativeModuleId} > ${test.fullName}${note}`;
}
