import { afterEach, expect } from 'vitest';
import { takeProblems } from './room-page.js';

// Whatever else a test asks for: no page meets an error that the test hasn't brought about.
afterEach(() => expect(takeProblems()).toEqual([]));
