/**
 * Setups over loopback, in the lab's own processes: each transport with each kind of connection.
 */

import { isBuilt } from '@aloud/native';
import { expect, it } from 'vitest';
import { openLink } from '../../link/link.js';
import { setup } from '../../scenarios/comparisons/setup.js';
import { Lab } from '../../scenarios/lab.js';
import { PARTS } from '../../setup/steps.js';

/** @import { Sample } from '../../report/result.js' */

/** Replaces a run's folder, and keeps its calls. */
function notebook() {
  const samples = /** @type {Map<string, Sample[]>} */ (
    new Map(setup.quantities.map(({ name }) => [name, []]))
  );
  const warnings = /** @type {string[]} */ ([]);
  return {
    warnings,
    elapsedMs: 0,
    record: (/** @type {string} */ name, /** @type {Sample} */ sample) =>
      void samples.get(name)?.push(sample),
    samples: (/** @type {string} */ name) => samples.get(name) ?? [],
    warn: (/** @type {string} */ warning) => void warnings.push(warning),
    setGenerator: () => {},
  };
}

it('are timed in their parts, and what should be resumed or kept open is', async () => {
  const transports = [...(isBuilt() ? ['webtransport'] : []), 'websocket', 'http1'];
  const options = {
    transports,
    repetitions: 1,
    connections: 1,
    format: 'call',
    complexity: '8',
    server: [],
    seed: 1,
    asIs: true,
  };
  const folder = notebook();
  const link = await openLink({ profile: 'loopback' });
  const lab = new Lab(
    /** @type {any} */ ({
      options,
      link,
      folder,
      progress: () => {},
      signal: new AbortController().signal,
    }),
  );
  try {
    await setup.measure(lab);
  } finally {
    await lab.close();
  }
  const heard = folder.samples('firstSound');
  const kinds = heard.map(({ protocol, factors }) => `${protocol} ${factors?.connection}`);
  expect(kinds).toEqual([
    ...(isBuilt() ? ['webtransport new'] : []),
    'websocket new',
    'websocket resumed',
    'http1 new',
    'http1 resumed',
    'http1 kept',
  ]);
  expect(folder.warnings.filter((warning) => /resumed/.test(warning))).toEqual([]);
  for (const [i, { value, protocol, factors }] of heard.entries()) {
    const parts = PARTS.map((part) => folder.samples(part)[i].value);
    expect(value).toBeGreaterThan(0);
    expect(parts.reduce((sum, part) => sum + part)).toBeCloseTo(value, 6);
    for (const [j, part] of PARTS.entries()) {
      const isNone =
        protocol === 'http1' &&
        (part === 'session' || (part === 'connect' && factors?.connection === 'kept'));
      if (isNone) expect(parts[j], part).toBeGreaterThanOrEqual(0);
      else expect(parts[j], part).toBeGreaterThan(0);
    }
  }
  const { tables } = setup.result(folder, options);
  expect(tables.map(({ name }) => name)).toEqual([
    'asIsOrder',
    'asIsHeard',
    'asIsParts',
    'sentences',
  ]);
});
