import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { connectOverChannels, DataChannelConnection } from '../../plugin/page/data-channel.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const PATH = '/api/data-channels';

/** A data channel of the page's, whose other end is the test. */
class FakeChannel {
  readyState = 'open';
  bufferedAmount = 0;
  sent = /** @type {any[]} */ ([]);
  /** @type {(event: { data: any }) => void} */
  onmessage = () => {};
  onclose = () => {};

  /** @param {any} data */
  send(data) {
    this.sent.push(data);
  }

  close() {
    this.readyState = 'closed';
  }
}

/**
 * A run's wish for data channels, and a page that answers it.
 * @param {string | undefined} path
 */
function wish(path) {
  const clock = new FakeClock();
  const port = /** @type {any} */ ({ close: vi.fn() });
  const askPage = vi.fn(() => port);
  const connecting = connectOverChannels(path, {
    origin: 'http://localhost:1',
    clock,
    askPage,
    message: { type: 'join' },
    handler: { onPacket() {}, onControl() {}, onClosed() {} },
    prove: async () => {},
  });
  return { clock, port, askPage, connecting };
}

/** A connection. */
function connected() {
  const [control, packets] = [new FakeChannel(), new FakeChannel()];
  const connection = new DataChannelConnection(
    /** @type {any} */ (control),
    /** @type {any} */ (packets),
    () => 5,
  );
  const handler = { onPacket: vi.fn(), onControl: vi.fn(), onClosed: vi.fn() };
  connection.handler = handler;
  return { control, packets, connection, handler };
}

it('the page is asked for channels, over which the run joins', async () => {
  const { port, askPage, connecting } = wish(PATH);
  const [control, packets] = [new FakeChannel(), new FakeChannel()];
  port.onmessage({ data: { channels: [control, packets] } });
  await setImmediate();
  expect(askPage).toHaveBeenCalledWith('http://localhost:1/api/data-channels');
  expect(control.sent).toEqual(['{"type":"join"}']);
  control.onmessage({ data: '{"type":"welcome"}' });
  const connection = await connecting;
  connection.close();
  expect([control.readyState, packets.readyState]).toEqual(['closed', 'closed']);
  expect(port.close).toHaveBeenCalled();
});

it('a run receives the reason for getting none', async () => {
  await expect(wish(undefined).connecting).rejects.toMatchObject({ code: 'not-offered' });
  const { port, connecting } = wish(PATH);
  port.onmessage({
    data: { error: { code: 'server-full', message: errors['server-full'].message, refused: true } },
  });
  await expect(connecting).rejects.toMatchObject({ code: 'server-full', refused: true });
  const silent = wish(PATH);
  silent.clock.advance(5000);
  await expect(silent.connecting).rejects.toMatchObject({ code: 'no-answer' });
  expect(silent.clock.waiting).toBe(0);
});

it('packets and messages go on their channels, and what would wait is dropped and counted', () => {
  const { control, packets, connection, handler } = connected();
  expect(connection.send(Uint8Array.of(1))).toBe(true);
  packets.bufferedAmount = 8 * 1024 + 1;
  expect(connection.send(Uint8Array.of(2))).toBe(false);
  connection.sendControl({ type: 'leave' });
  packets.onmessage({ data: Uint8Array.of(7).buffer });
  control.onmessage({ data: '{"type":"told"}' });
  expect([packets.sent, control.sent]).toEqual([[Uint8Array.of(1)], ['{"type":"leave"}']]);
  expect(handler.onPacket).toHaveBeenCalledWith(Uint8Array.of(7), 5);
  expect(handler.onControl).toHaveBeenCalledWith({ type: 'told' });
  expect(connection.stats()).toEqual({ sent: 1, droppedOut: 1, received: 1 });
});

it.each([
  [
    'with its code',
    (/** @type {FakeChannel} */ { onmessage }) =>
      onmessage({
        data: JSON.stringify({
          type: 'closed',
          code: errors['idle-timeout'].close,
          reason: 'silent',
        }),
      }),
    'idle-timeout',
  ],
  [
    'when the channel is closed',
    (/** @type {FakeChannel} */ { onclose }) => onclose(),
    'connection-lost',
  ],
  [
    'at what is no message',
    (/** @type {FakeChannel} */ { onmessage }) => onmessage({ data: '{' }),
    'connection-lost',
  ],
])('a session ends %s, once', (_how, act, code) => {
  const { control, handler } = connected();
  act(control);
  control.onclose();
  expect(handler.onClosed.mock.calls).toEqual([[code, expect.any(String)]]);
});
