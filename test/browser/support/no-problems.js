import { afterEach, expect } from 'vitest';
import { takeProblems } from './room-page.js';

// Whatever else a test asks for: no page meets an error that the test hasn't brought about.
afterEach(() => {
  const problems = takeProblems();
  expect(problems, `the pages met ${problems.join('; ')}`).toEqual([]);
});
