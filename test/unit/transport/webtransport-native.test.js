import { describe, expect, it, vi } from 'vitest';
import { NativeEngineSession } from '../../../server/transport/webtransport-native.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { fakeTransport } from '../../fakes/fake-session.js';

/** A session of an engine whose control stream has the same line again and again. @param {string} line */
function flooded(line) {
  const text = new TextEncoder().encode(`${line}\n`);
  const clock = new FakeClock();
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
  /** @type {any} */
  const native = { id: 1, peer: '192.0.2.1:1', close: () => {} };
  const session = new NativeEngineSession({ transport: fakeTransport(), native, clock, log: { error: vi.fn() }, onEnd: () => {} });
  const heard = { messages: 0 };
  session.handler = { packet: () => {}, control: () => (heard.messages += 1), closed: () => {} };
  native.onStream(stream);
  return { clock, stream, session, heard };
}

describe('a session of the native engine', () => {
  it('is not read for a while when it floods its control stream', async () => {
    const { clock, stream, session, heard } = flooded('{}');
    stream.onReadable();
    expect(heard.messages).toBeLessThan(2000);
    const before = heard.messages;
    clock.advance(199);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBe(before);
    clock.advance(1);
    expect(heard.messages).toBeGreaterThan(before);
    session.close(0, '');
    const { reads } = stream;
    clock.advance(1000);
    expect([stream.reads, clock.waiting]).toEqual([reads, 0]);
  });

  it('lets others have their turn between long messages', async () => {
    const { stream, session, heard } = flooded(JSON.stringify('x'.repeat(2000)));
    stream.onReadable();
    expect(stream.reads).toBe(16);
    const before = heard.messages;
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBeGreaterThan(before);
    session.close(0, '');
  });
});
