import { spawnSync } from 'node:child_process';
import { beforeEach } from 'vitest';
import { BROWSER, chromiumPath, isFirefox } from '../../../testkit/browsers/browser.js';
import { findFirefox } from '../../../testkit/browsers/firefox.js';

const program = isFirefox ? findFirefox() : chromiumPath;
const said = program ? String(spawnSync(program, ['--version']).stdout) : '';
const browser = `${BROWSER} ${/\d[\w.]*/.exec(said)?.[0] ?? ''}`.trim();

// The table of browsers has each test under the browser that it ran in; a test may say another.
beforeEach(({ task }) => void Object.assign(task.meta, { browser }));
