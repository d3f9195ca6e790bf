import { afterEach, expect, it, vi } from 'vitest';
import { TOPOLOGIES } from '../../mesh/call.js';
import { usableTopologies } from '../../scenarios/comparisons/mesh.js';
import { usableWays } from '../../scenarios/comparisons/grid.js';
import { ways } from '../../ways/way.js';

afterEach(() => void vi.restoreAllMocks());

/** A lab, and the warnings of its run. */
function lab() {
  /** @type {string[]} */
  const warnings = [];
  return {
    warnings,
    lab: /** @type {any} */ ({
      folder: { warn: (/** @type {string} */ warning) => warnings.push(warning) },
    }),
  };
}

const REASON = 'node-datachannel is not installed.';

it('a way that the machine lacks is left out by name, and the others are measured', async () => {
  vi.spyOn(ways.rtp, 'missing').mockResolvedValue(REASON);
  for (const name of ['datagrams', 'websocket'])
    vi.spyOn(ways[name], 'missing').mockResolvedValue(null);
  const { lab: here, warnings } = lab();
  expect(await usableWays(here, ['datagrams', 'rtp', 'websocket'])).toEqual([
    'datagrams',
    'websocket',
  ]);
  expect(warnings).toEqual([`Left out: rtp. ${REASON}`]);
  await expect(usableWays(here, ['rtp'])).rejects.toThrow('none of the ways can be had here');
});

it('so is a topology', async () => {
  vi.spyOn(TOPOLOGIES.mesh, 'missing').mockResolvedValue(REASON);
  vi.spyOn(TOPOLOGIES.forwarded, 'missing').mockResolvedValue(REASON);
  vi.spyOn(TOPOLOGIES.mixed, 'missing').mockResolvedValue(null);
  const { lab: here, warnings } = lab();
  expect(await usableTopologies(here)).toEqual(['mixed']);
  expect(warnings).toEqual([`Left out: mesh. ${REASON}`, `Left out: forwarded. ${REASON}`]);
});
