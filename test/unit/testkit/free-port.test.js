import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { freePort } from '../../../deploy/cluster-processes.js';
import { requireOrSkip } from '../../../testkit/skip.js';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

requireOrSkip(existsSync(RANGE), 'only Linux says which ports it assigns', () => false).it(
  'a free port is one that the system gives to nobody else in the meantime',
  async () => {
    const [first] = readFileSync(RANGE, 'utf8').split('\t').map(Number);
    const ports = await Promise.all(Array.from({ length: 20 }, freePort));
    expect(new Set(ports).size).toBe(20);
    expect(Math.max(...ports)).toBeLessThan(first);
  },
);
