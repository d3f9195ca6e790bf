import { mkdirSync, writeFileSync } from 'node:fs';

/** @typedef {import('vitest/reporters').Reporter} Reporter */

/** Where the run's last line is left for those who drive the tests from outside. */
export const SUMMARY_FILE = new URL('./output/summary.txt', import.meta.url);

/** So many of the slowest files are named. */
const SLOWEST = 8;

/**
 * Ends a run with its slowest files, so that it is seen what grows; with what failed before it passed, and what
 * was skipped, by name and reason; and with one plain line, `N passed, N failed`. A test file that can't be loaded counts as one failure.
 *
 * @implements {Reporter}
 */
export default class SummaryReporter {
  /** @param {(line: string) => void} [print] */
  constructor(print = console.log) {
    // Vitest hands over its reporter options when it makes the reporter itself.
    this.print = typeof print === 'function' ? print : console.log;
  }

  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandled errors outside any test
   */
  onTestRunEnd(modules, unhandled) {
    let passed = 0;
    let failed = unhandled.length;
    /** @type {string[]} */
    const skipped = [];
    /** @type {string[]} */
    const retried = [];
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed' && errors?.length) retried.push(`${nameOf(test)}: ${errors[0].message.split('\n')[0]}`);
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
        else skipped.push(nameOf(test));
      }
    }
    this.#tellSlowest(modules);
    this.#list('passed at another try', retried);
    this.#list('skipped', skipped);
    this.#write(`${passed} passed, ${failed} failed`);
  }

  /** @param {ReadonlyArray<import('vitest/node').TestModule>} modules */
  #tellSlowest(modules) {
    const files = modules.map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }));
    if (files.length < 2) return;
    this.print('\nThe slowest files, in seconds:');
    for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)) {
      this.print(`  ${(ms / 1000).toFixed(1).padStart(6)}  ${name}`);
    }
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
    mkdirSync(new URL('.', SUMMARY_FILE), { recursive: true });
    writeFileSync(SUMMARY_FILE, `${summary}\n`);
  }
}

/** @param {import('vitest/node').TestCase} test */
function nameOf(test) {
  const result = test.result();
  const note = 'note' in result && result.note ? ` (${result.note})` : '';
  return `${test.module.relativeModuleId} > ${test.fullName}${note}`;
}
