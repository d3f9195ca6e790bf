import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Uplink } from '../../../public/client/capture/uplink.js';
import { createIcecast } from '../../../server/ingest/icecast.js';
import { Conference, settle } from '../../fakes/conference.js';

/** @param {object} fields  of a line of the log that no test expects */
const unexpected = (fields) => expect(fields).toBe(null);

/** A room with a stream that has begun, and has sent no sound yet. */
async function open({ error = unexpected } = {}) {
  const conference = new Conference({ idleTimeoutMs: 1_000_000 });
  const { clock, rooms, codec } = conference;
  const ann = await conference.join('Ann');
  ann.session.handler?.control({ type: 'moderate', action: 'stream-key', on: true });
  const { key } = ann.session.told('stream-key')[0];
  const icecast = createIcecast({
    accept: conference.arrivals.accept,
    rooms: {
      inRoom: async (name) => /** @type {any} */ (rooms.get(name)?.publicView ?? 'not-found'),
    },
    codec: /** @type {any} */ (codec),
    maxSessions: 10,
    outlives: () => {},
    clock,
    log: /** @type {any} */ ({ error }),
  });
  const socket = Object.assign(new PassThrough(), {
    remoteAddress: '192.0.2.9',
    remotePort: 4,
    setTimeout: () => {},
  });
  onTestFinished(() => {
    socket.destroy();
    return icecast.close();
  });
  const headers = {
    authorization: `Basic ${Buffer.from(`source:${key}`).toString('base64')}`,
    'content-type': 'audio/ogg',
    'ice-name': 'Studio',
  };
  const request = Object.assign(new EventEmitter(), {
    ...{ method: 'PUT', url: '/listen/lab', headers, socket },
  });
  const response = {
    ...{ headersSent: false, destroyed: false, status: 0 },
    setHeader: () => {},
    writeHead(/** @type {number} */ status) {
      Object.assign(this, { status, headersSent: true });
    },
    flushHeaders: () => {},
    end: () => {},
  };
  icecast.handle(/** @type {any} */ (request), /** @type {any} */ (response), () => {});
  for (let turn = 0; turn < 100 && response.status === 0; turn++) await settle();
  expect(response.status).toBe(200);
  return {
    clock,
    people: () => [...(rooms.get('lab')?.people.present.values() ?? [])].map(({ name }) => name),
  };
}

it('a stream of Icecast ends after 10 s without sound', async () => {
  const { clock, people } = await open();
  clock.advance(9000);
  expect(people()).toEqual(['Ann', 'Studio']);
  clock.advance(2000);
  expect(people()).toEqual(['Ann']);
});

it('a stream of Icecast goes on while the server stands still', async () => {
  const { clock, people } = await open();
  clock.advance(5000);
  clock.stall(20_000);
  clock.advance(3000);
  expect(people()).toEqual(['Ann', 'Studio']);
  clock.advance(2000);
  expect(people()).toEqual(['Ann']);
});

it('a fault in a stream of Icecast ends that stream, and nothing else', async () => {
  const error = vi.fn();
  const { clock, people } = await open({ error });
  const capture = vi.spyOn(Uplink.prototype, 'capture').mockImplementation(() => {
    throw new Error('the encoder fails');
  });
  onTestFinished(() => capture.mockRestore());
  clock.advance(100);
  expect(people()).toEqual(['Ann']);
  expect(error.mock.calls).toMatchObject([[{ event: 'session-failed' }, 'session failed']]);
});
