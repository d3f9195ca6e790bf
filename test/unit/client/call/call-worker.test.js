import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallWorker } from '../../../../public/client/call/call-worker.js';
import { LOAD_MS } from '../../../../public/shared/clock.js';
import { FakeClock } from '../../../fakes/fake-clock.js';

/** @type {any} */
let worker;

beforeEach(() => {
  vi.stubGlobal(
    'Worker',
    class {
      constructor() {
        worker = this;
      }

      postMessage() {}

      terminate() {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function setUp() {
  const clock = new FakeClock();
  /** @type {unknown[]} */
  const told = [];
  const call = new CallWorker(
    { message: (data) => told.push(data), failed: (code) => told.push(code) },
    clock,
  );
  return { call, clock, told };
}

it('a worker that does not load is not waited for for ever', () => {
  const { clock, told } = setUp();
  clock.advance(LOAD_MS - 1);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual(['no-worker']);
});

it.each([
  ['has said something', () => worker.onmessage({ data: 'joining' }), ['joining']],
  ['could not be loaded', () => worker.onerror({}), ['no-worker']],
  ['has thrown', () => worker.onerror({ message: 'a fault' }), ['unknown']],
])('a worker that %s is waited for no longer', (_what, happens, told) => {
  const all = setUp();
  happens();
  all.clock.advance(2 * LOAD_MS);
  expect(all.told).toEqual(told);
  expect(all.clock.waiting).toBe(0);
});

it('a worker that is left while it loads fails no more', async () => {
  const { call, clock, told } = setUp();
  const left = call.leave();
  worker.onmessage({ data: { type: 'ended' } });
  await left;
  clock.advance(2 * LOAD_MS);
  expect(told).toEqual([]);
});
