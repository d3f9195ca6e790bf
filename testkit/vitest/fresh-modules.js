import { afterAll, vi } from 'vitest';

// Unit test files share a process, since starting one for each takes as long as most of them: they
// share no modules and no globals.
vi.resetModules();
afterAll(() => void vi.unstubAllGlobals());
