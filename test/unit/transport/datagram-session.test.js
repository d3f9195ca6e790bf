import { describe, expect, it, vi } from 'vitest';
import { DatagramSession } from '../../../server/transport/datagram-session.js';
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
  const native = { open: true, id: 1, peer: '192.0.2.1:1', close: () => (native.open = false) };
  const session = new DatagramSession(fakeTransport(), native, clock, { error: vi.fn() }, () => {});
  const heard = { messages: 0 };
  session.handler = { packet: () => {}, control: () => (heard.messages += 1), closed: () => {} };
  native.onStream(stream);
  return { clock, stream, native, heard };
}

describe('a session of the native engine', () => {
  it('is not read for a while when it floods its control stream', async () => {
    const { clock, stream, native, heard } = flooded('{}');
    stream.onReadable();
    expect(heard.messages).toBeLessThan(2000);
    const before = heard.messages;
    clock.advance(199);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBe(before);
    clock.advance(1);
    expect(heard.messages).toBeGreaterThan(before);
    native.open = false;
    const { reads } = stream;
    clock.advance(1000);
    expect([stream.reads, clock.waiting]).toEqual([reads, 0]);
  });

  it('lets others have their turn between long messages', async () => {
    const { stream, native, heard } = flooded(JSON.stringify('x'.repeat(2000)));
    stream.onReadable();
    expect(stream.reads).toBe(16);
    const before = heard.messages;
    await new Promise((resolve) => void setImmediate(resolve));
    expect(heard.messages).toBeGreaterThan(before);
    native.open = false;
  });
});
