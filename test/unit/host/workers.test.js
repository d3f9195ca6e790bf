import { expect, it, vi } from 'vitest';
import { Workers } from '../../../server/host/workers.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { logTo } from '../../../testkit/log-lines.js';
import { FakeSession } from '../../fakes/fake-session.js';

it('a fault while a session is handed over to a worker ends nothing else', async () => {
  const lines = /** @type {string[]} */ ([]);
  const workers = new Workers(/** @type {any} */ ({}), 1, {
    clock: new FakeClock(),
    log: logTo(lines),
    tokens: /** @type {any} */ ({}),
  });
  const fail = async () => {
    throw new Error('on purpose');
  };
  /** @type {any} */ (workers.handles).push({ takeRequest: fail, takeSession: fail });
  const session = new FakeSession();
  const request = { query: 'room=tea', peer: session.peer };
  expect(workers.handOver(/** @type {any} */ (request))).toBe(true);
  workers.accept(session);
  session.handler?.control({ type: 'join', room: 'tea' });
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  for (const line of lines) expect(line).toMatch(/"session-failed","room":"tea".*on purpose/);
});
