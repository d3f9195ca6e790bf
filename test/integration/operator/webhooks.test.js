import { createServer as createHttpServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookReceiver } from 'livekit-server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { loadCodec } from '../../../server/codec/codec.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { Headless } from '../../../testkit/participants/headless.js';
import { asOperator, WITH_OPERATOR } from '../../support/operator.js';

const SECRET = 'a-secret-of-at-least-thirty-two-characters';
const codec = await loadCodec('libopus-wasm');

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** An operator's own service, which checks and keeps the events. */
async function openReceiver() {
  const receiver = new WebhookReceiver('hooks', SECRET);
  /** @type {any[]} */
  const events = [];
  const server = createHttpServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    await receiver.receive(body, request.headers.authorization);
    events.push(JSON.parse(body));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { events, url: `http://hooks:${SECRET}@127.0.0.1:${port}/events` };
}

/** @param {any} event  @returns the event in a few words */
const inShort = ({ event, room, participant, recording }) =>
  [event, room.name, participant?.name, recording && 'with its id'].filter(Boolean).join(' ');

describe.each([0, 1])('webhooks, with %i worker threads', (workers) => {
  it('get who comes and goes, recordings, broadcasts, and the ends of rooms', async () => {
    const { events, url } = await openReceiver();
    const directory = await mkdtemp(join(tmpdir(), 'webhooks-'));
    open.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
    const options = ['--webhook', url, '--recording-dir', directory, ...WITH_OPERATOR];
    const server = await startServer('--workers', String(workers), ...options);
    open.push(() => server.close());
    const join_ = async (/** @type {string} */ name) => {
      const person = new Headless({ codec });
      open.push(() => person.close());
      const wishes = /** @type {const} */ ({ room: 'tea', transport: 'websocket' });
      await person.join(/** @type {any} */ ({ origin: server.url, name, ...wishes }));
      return person;
    };
    const until = (/** @type {string} */ last) =>
      vi.waitFor(() => expect(events.map(inShort)).toContain(last));

    const ann = await join_('Ann');
    const bob = await join_('Bob');
    ann.sendControl({ type: 'record', on: true });
    await vi.waitFor(() =>
      expect(ann.controls).toContainEqual(expect.objectContaining({ type: 'recording' })),
    );
    ann.sendControl({ type: 'record', on: false });
    await until('recording_ready tea with its id');
    await bob.close();
    await until('participant_left tea Bob');
    const broadcast = (/** @type {boolean} */ on) =>
      asOperator(server.url, '/rooms/tea', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ broadcast: on }),
      });
    expect((await broadcast(true)).status).toBe(200);
    expect((await broadcast(true)).status).toBe(200);
    expect((await broadcast(false)).status).toBe(200);
    await ann.close();
    await until('room_finished tea');
    expect(events.map(inShort)).toEqual([
      'room_started tea',
      'participant_joined tea Ann',
      'participant_joined tea Bob',
      'recording_ready tea with its id',
      'participant_left tea Bob',
      'broadcast_started tea',
      'broadcast_finished tea',
      'participant_left tea Ann',
      'room_finished tea',
    ]);
    const status = async () => (await (await asOperator(server.url, '/status')).json()).webhooks;
    // The last event counts once the server has the answer to it.
    await expect.poll(status).toEqual([
      {
        url: url.replace(`hooks:${SECRET}@`, ''),
        delivered: 9,
        retried: 0,
        dropped: 0,
        waiting: 0,
        problem: null,
      },
    ]);
    const { recording } = events.find(({ event }) => event === 'recording_ready');
    expect((await fetch(`${server.url}/api/recordings/${recording.id}`)).status).toBe(200);
  });

  it('get the end of a room that ends with the server', async () => {
    const { events, url } = await openReceiver();
    const server = await startServer('--workers', String(workers), '--webhook', url);
    const person = new Headless({ codec });
    open.push(() => person.close());
    await person.join(
      /** @type {any} */ ({ origin: server.url, room: 'tea', name: 'Ann', transport: 'websocket' }),
    );
    await server.close();
    expect(events.map(inShort)).toEqual([
      'room_started tea',
      'participant_joined tea Ann',
      'room_finished tea',
    ]);
  });
});

it('webhooks get the end of a room that can’t be reopened after its worker’s end', async () => {
  const { events, url } = await openReceiver();
  const server = await startServer('--workers', '1', '--webhook', url);
  open.push(() => server.close());
  const ann = new Headless({ codec });
  open.push(() => ann.close());
  const where = /** @type {const} */ ({ room: 'tea', transport: 'websocket' });
  await ann.join(/** @type {any} */ ({ origin: server.url, name: 'Ann', ...where }));
  ann.sendControl({ type: 'moderate', action: 'stream-key', on: true });
  const told = () => ann.controls.find(({ type }) => type === 'stream-key')?.key;
  await vi.waitFor(() => expect(told()).toBeDefined());
  // A program keeps no place.
  const program = new WebSocket(`${server.url.replace('http', 'ws')}/session`);
  open.push(() => program.close());
  await once(program, 'open');
  const wish = { type: 'join', version: 1, room: 'tea', name: 'OBS', streamKey: told() };
  program.send(JSON.stringify(wish));
  const until = (/** @type {string} */ last) =>
    vi.waitFor(() => expect(events.map(inShort)).toContain(last));
  await until('participant_joined tea OBS');
  ann.sendControl({ type: 'leave' });
  await until('participant_left tea Ann');
  // States are kept within a quarter of a second, and nothing tells when.
  await new Promise((resolve) => void setTimeout(resolve, 2000));
  await server.workers?.endWorkerOf('tea');
  await until('room_finished tea');
  expect(events.filter(({ event }) => event.startsWith('room_')).map(inShort)).toEqual([
    'room_started tea',
    'room_finished tea',
  ]);
});
