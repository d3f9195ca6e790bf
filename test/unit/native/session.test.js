import { afterEach, expect, it, vi } from 'vitest';
import { EventKind } from '../../../native/binding.js';
import { NativeSession } from '../../../native/session.js';
import { closeAll, collectThrown } from '../../../testkit/native.js';

/** @import { Stream } from '../../../native/stream.js' */

afterEach(closeAll);

it('callbacks that throw keep no other stream, nor the session, from its end', async () => {
  const native = /** @type {any} */ ({ stats: () => null });
  const session = new NativeSession(native, 1, '192.0.2.1:1', null);
  /** @type {Stream[]} */
  const streams = [];
  session.onStream = (stream) => void streams.push(stream);
  for (const id of [1, 2, 3])
    session.streamEvent(
      /** @type {any} */ ({ kind: EventKind.streamOpened, session: 1, stream: id, code: 1 }),
    );
  const [first, second, third] = streams;
  first.onReadable = () => {
    throw new Error('the first fails');
  };
  second.onReadable = () => {
    throw new Error('the second fails');
  };
  third.onReadable = vi.fn();
  session.onClosed = vi.fn();
  const thrown = collectThrown();
  session.end(7, 'bye', /** @type {any} */ ('peer'));
  expect(third.onReadable).toHaveBeenCalledOnce();
  expect(third.writable).toBe(false);
  expect(session.onClosed).toHaveBeenCalledExactlyOnceWith(7, 'bye', 'peer');
  await vi.waitFor(() => expect(thrown).toEqual(['the first fails', 'the second fails']));
});
