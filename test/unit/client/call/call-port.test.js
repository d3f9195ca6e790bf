import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CallWorker } from '../../../../public/client/call/call-port.js';
import { LOAD_MS } from '../../../../public/shared/clock.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

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
    /** @type {any} */ ({ changed: (/** @type {unknown} */ changes) => told.push(changes) }),
    (code) => told.push(code),
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
  [
    'has said something',
    () => worker.onmessage({ data: { type: 'changed', detail: 'joining' } }),
    ['joining'],
  ],
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
  worker.onmessage({ data: { type: 'left', detail: null } });
  await left;
  clock.advance(2 * LOAD_MS);
  expect(told).toEqual([]);
});

it('a worker that the browser does not start fails as one that could not be loaded', async () => {
  vi.stubGlobal(
    'Worker',
    class {
      constructor() {
        throw new DOMException('denied by the Content Security Policy', 'SecurityError');
      }
    },
  );
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const { call, clock, told } = setUp();
  call.send('wake', null);
  await Promise.resolve();
  expect([told, clock.waiting]).toEqual([['no-worker'], 0]);
  expect(log).toHaveBeenCalledWith(expect.stringMatching(/starts no worker/), expect.anything());
});
