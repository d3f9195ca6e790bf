import { describe, expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { prepareControl } from '../../../server/session/session.js';
import { NativeEngineSession } from '../../../server/transport/webtransport-native.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { fakeTransport } from '../../fakes/fake-session.js';

/** A session of an engine that keeps what is done to it. */
function session() {
  const native = {
    id: 1,
    peer: '192.0.2.1:1',
    closed: /** @type {unknown[][]} */ ([]),
    close: (/** @type {unknown[]} */ ...why) => void native.closed.push(why),
    onDatagram: (/** @type {Uint8Array} */ _bytes, /** @type {number} */ _arrivalMs) => {},
    onStream: (/** @type {any} */ _stream) => {},
    onClosed: (
      /** @type {number} */ _code,
      /** @type {string} */ _reason,
      /** @type {string} */ _cause,
    ) => {},
  };
  const clock = new FakeClock();
  const log = { error: vi.fn() };
  const onEnd = vi.fn();
  const made = new NativeEngineSession({
    transport: fakeTransport(),
    native: /** @type {any} */ (native),
    clock,
    log,
    onEnd,
  });
  const handler = { packet: vi.fn(), control: vi.fn(), closed: vi.fn() };
  made.handler = handler;
  return { native, clock, log, onEnd, session: made, handler };
}

/**
 * A session of an engine whose control stream has the same line again and again.
 * @param {string} line
 */
function flooded(line) {
  const text = new TextEncoder().encode(`${line}\n`);
  const stream = {
    bidi: true,
    reads: 0,
    onReadable: () => {},
    /** @param {Uint8Array} bytes */
    read: (bytes) => {
      stream.reads += 1;
      const count = bytes.length - (bytes.length % text.length);
      for (let i = 0; i < count; i++) bytes[i] = text[i % text.length];
      return count;
    },
  };
  const { native, clock, session: flood, handler } = session();
  const heard = { messages: 0 };
  handler.control.mockImplementation(() => (heard.messages += 1));
  native.onStream(stream);
  return { clock, stream, session: flood, heard };
}

describe('a session of the native engine', () => {
  it('is not read for a while when it floods its control stream', async () => {
    const { clock, stream, session: flood, heard } = flooded('{}');
    stream.onReadable();
    expect(heard.messages).toBeLessThan(2000);
    const before = heard.messages;
    clock.advance(199);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBe(before);
    clock.advance(1);
    expect(heard.messages).toBeGreaterThan(before);
    flood.close(0, '');
    const { reads } = stream;
    clock.advance(1000);
    expect([stream.reads, clock.waiting]).toEqual([reads, 0]);
  });

  it('lets others have their turn between long messages', async () => {
    const { stream, session: flood, heard } = flooded(JSON.stringify('x'.repeat(2000)));
    stream.onReadable();
    expect(stream.reads).toBe(16);
    const before = heard.messages;
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBeGreaterThan(before);
    flood.close(0, '');
  });

  it.each([
    [
      'is closed where the peer leaves its control messages unread',
      true,
      [[errors['idle-timeout'].close, errors['idle-timeout'].message]],
    ],
    ['waits for the peer’s own end where it takes no more of them', false, []],
  ])('%s', (_, writable, closed) => {
    const { native, session: stuck } = session();
    native.onStream({ bidi: true, write: () => false, writable });
    stuck.sendControl({ type: 'left', id: '1' });
    expect(native.closed).toEqual(closed);
  });

  it('ends alone when its handler throws, which is logged with its stack', () => {
    const { native, log, onEnd, handler } = session();
    handler.packet.mockImplementation(() => {
      throw new Error('a mistake');
    });
    native.onDatagram(Uint8Array.of(1), 5);
    native.onDatagram(Uint8Array.of(2), 6);
    expect(handler.packet).toHaveBeenCalledTimes(1);
    expect(log.error.mock.calls[0][0]).toMatchObject({
      event: 'session-failed',
      peer: '192.0.2.1:1',
      error: expect.stringMatching(/^Error: a mistake\n +at /),
    });
    expect(native.closed).toEqual([[errors.internal.close, errors.internal.message]]);
    expect(handler.closed.mock.calls).toEqual(native.closed);
    native.onClosed(errors.internal.close, '', 'local');
    expect([handler.closed.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 1]);
  });

  it('writes a prepared message once, whether its stream is there or not', () => {
    const message = { toJSON: vi.fn(() => ({ type: 'x' })) };
    const prepared = prepareControl(message);
    const lines = [session(), session()].flatMap(({ native, session: one }) => {
      const written = /** @type {Uint8Array[]} */ ([]);
      one.sendControl(prepared);
      native.onStream({
        bidi: true,
        write: (/** @type {Uint8Array} */ line) => written.push(line),
      });
      one.sendControl(prepared);
      return written;
    });
    expect(lines.map((line) => Buffer.from(line).toString())).toEqual(
      Array(4).fill('{"type":"x"}\n'),
    );
    expect(message.toJSON).toHaveBeenCalledTimes(1);
  });
});
