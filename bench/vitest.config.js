import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { REAL_TIME } from '../vitest.config.js';

/**
 * The lab's own tests, from this folder: `npm test --workspace bench`. The projects run one after
 * another.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    reporters: ['default', '../testkit/vitest/reporter.js'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.js'],
          testTimeout: 60_000,
          isolate: false,
          // Vitest leaves one processor to itself otherwise: of two, that is half.
          maxWorkers: '100%',
          setupFiles: ['../testkit/vitest/fresh-modules.js'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'integration',
          include: ['test/integration/**/*.test.js'],
          isolate: false,
          testTimeout: 240_000,
          // These tests wait more than they compute.
          maxWorkers: 4,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'browser',
          include: ['test/browser/**/*.test.js'],
          isolate: false,
          testTimeout: 240_000,
          // A browser stands still now and then; the end of the run names each second try.
          retry: 1,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
