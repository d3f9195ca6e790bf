import { expect, it, vi } from 'vitest';
import { EventKind } from '../../../native/binding.js';
import { NativeSession } from '../../../native/session.js';

/** @import { Stream } from '../../../native/stream.js' */

it('a callback that throws keeps no other stream, nor the session, from its end', () => {
  const native = /** @type {any} */ ({ stats: () => null });
  const session = new NativeSession(native, 1, '192.0.2.1:1', null);
  /** @type {Stream[]} */
  const streams = [];
  session.onStream = (stream) => void streams.push(stream);
  for (const id of [1, 2, 3])
    session.streamEvent(
      /** @type {any} */ ({ kind: EventKind.streamOpened, session: 1, stream: id, code: 1 }),
    );
  const [first, , third] = streams;
  first.onReadable = () => {
    throw new Error('the reader fails');
  };
  third.onReadable = vi.fn();
  session.onClosed = vi.fn();
  expect(() => session.end(7, 'bye', /** @type {any} */ ('peer'))).toThrow('the reader fails');
  expect(third.onReadable).toHaveBeenCalledOnce();
  expect(third.writable).toBe(false);
  expect(session.onClosed).toHaveBeenCalledExactlyOnceWith(7, 'bye', 'peer');
});
