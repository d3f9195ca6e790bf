/** The steps of docs/installing.md for systemd. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { packRelease } from '../../release/packages.js';
import { ofTheMachine, requireOrSkip } from '../../testkit/skip.js';

const PAGE = readFileSync(
  fileURLToPath(new URL('../../docs/installing.md', import.meta.url)),
  'utf8',
);

requireOrSkip(
  spawnSync('systemd-analyze', ['--version']).status === 0,
  'there is no systemd-analyze',
  ofTheMachine,
).it('the lines for systemd bring a unit that systemd accepts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloud-systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const packages = packRelease({ out: join(folder, 'packages') });
  const prefix = join(folder, 'prefix');
  const [, block] = /^## systemd\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(PAGE) ?? [];
  const steps = block
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .replace('aloud', line.startsWith('npm') ? packages.join(' ') : 'aloud')
        .replaceAll('/etc/systemd/system/', `${folder}/`),
    );
  const env = {
    ...process.env,
    npm_config_prefix: prefix,
    npm_config_prefer_offline: 'true',
    npm_config_ignore_scripts: 'true',
  };
  for (const step of steps) {
    const { status, stderr } = spawnSync('sh', ['-c', step], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect([step, status], stderr).toEqual([step, 0]);
  }
  expect(existsSync(join(prefix, 'bin', 'aloud'))).toBe(true);
  const unit = join(folder, 'aloud.service');
  // systemd looks for the command in its own path.
  writeFileSync(
    unit,
    readFileSync(unit, 'utf8').replace('/usr/bin/env aloud', '/usr/bin/env true'),
  );
  execFileSync('systemd-analyze', ['verify', '--man=no', unit], { stdio: 'pipe' });
});
