import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallClient } from '../../../../public/client/call/call-client.js';
import { makeRoomKey } from '../../../../public/shared/links.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  Stream,
  writeAudioHeader,
} from '../../../../public/shared/wire/packet.js';
import { primitives as loadPrimitives } from '../../../../programs/scope.js';
import { Conference } from '../../../fakes/conference.js';
import { conferenceSockets } from '../../../fakes/conference-socket.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random as randomOf } from '../../../fakes/random.js';

const config = { transports: { websocket: { path: '/session' } } };
const origin = 'http://localhost';

/** @typedef {ConstructorParameters<typeof Conference>[0]} Conferences */

/** @param {Conference} conference @param {Parameters<typeof conferenceSockets>[1]} [link] */
function participant(conference, link, output = { waitMs: 0, gaps: 0, gapMs: 0 }) {
  const codec = new PcmCodec();
  /** @type {{ people: any[], stats: any[], ended: any[], transport: any[] }} */
  const events = { people: [], stats: [], ended: [], transport: [] };
  const client = new CallClient({
    codec,
    clock: conference.clock,
    output,
    reconnects: false,
    scope: { WebSocket: /** @type {any} */ (conferenceSockets(conference, link)) },
  });
  client.store.observe((_now, _before, { people, stats, end, transport }) => {
    if (people) events.people.push(people.map(({ name, muted, you }) => ({ name, muted, you })));
    if (stats) events.stats.push(stats);
    if (end) events.ended.push(end);
    if (transport) events.transport.push(transport);
  });
  return { client, codec, events };
}

/**
 * Lets time pass until a promise is settled.
 * @template T
 * @param {Conference} conference
 * @param {Promise<T>} promise
 */
async function passUntil(conference, promise) {
  const state = { settled: false };
  const done = () => {
    state.settled = true;
  };
  promise.then(done, done);
  for (let i = 0; i < 4000 && !state.settled; i++) {
    await setImmediate();
    conference.clock.advance(5);
  }
  return promise;
}

/**
 * @param {Conference} conference
 * @param {CallClient} client
 * @param {object} [wishes]
 * @param {object} [own]  wishes that the server isn't told
 */
const join = (conference, client, wishes, own) =>
  passUntil(
    conference,
    client.join({ join: { room: 'lab', name: 'Ada', ...wishes }, origin, config, ...own }),
  );

/**
 * A call of some seconds: one speaks a tone, the other listens.
 * @param {Conference} conference
 * @param {CallClient} speaker
 * @param {CallClient} listener
 * @param {number} seconds
 */
function talk(conference, speaker, listener, seconds) {
  const { format } = conference;
  const block = format.sampleRate / 100;
  const pcm = new Float32Array(block);
  const out = new Float32Array(block);
  const heard = [];
  let n = 0;
  for (let i = 0; i < seconds * 100; i++) {
    conference.clock.advance(10);
    for (let s = 0; s < block; s++)
      pcm[s] = 0.4 * Math.sin((2 * Math.PI * 150 * n++) / format.sampleRate);
    speaker.capture(pcm);
    listener.render(out);
    heard.push(...out);
  }
  return heard;
}

describe('CallClient', () => {
  /** @type {[Conferences, number][]} */
  const calls = [
    [{}, 0],
    [{ delivery: 'reply' }, 0],
    [{}, 12],
    [{ sampleRate: 8000, frameMs: 80, opusFrames: 8 }, 0],
    [{ frameMs: 10, delivery: 'reply' }, 5],
  ];
  it.each(calls)(
    'carries a voice from one to the other whole (%o, %i ms on the way)',
    async (settings, wayMs) => {
      const link = { delayMs: () => wayMs };
      const conference = new Conference(settings);
      const ada = participant(conference, link);
      const ben = participant(conference, link);
      const joined = await join(conference, ada.client);
      await join(conference, ben.client, { name: 'Ben' });
      expect(joined.format).toEqual(conference.format);

      talk(conference, ada.client, ben.client, 2);
      const heard = talk(conference, ada.client, ben.client, 3);
      const power = heard.reduce((sum, sample) => sum + sample * sample, 0) / heard.length;
      expect(power).toBeGreaterThan(0.95 * 0.08);
      expect(power).toBeLessThan(1.05 * 0.08);
      const { playout, uplink, client } = /** @type {any} */ (ben.client.stats()).detail;
      expect(playout).toMatchObject({ late: 0, lost: 0, garbage: 0, strange: 0 });
      expect(playout.receivedPercent).toBe(100);
      expect(playout.delayMs).toBeLessThanOrEqual(conference.format.frameMs + 5);
      expect(client.dropped).toBe(0);
      expect(client.clockErrorMs).toBeLessThan(13);
      // A listener still sends a packet for each frame.
      expect(uplink.sent).toBeGreaterThan(4500 / conference.format.frameMs);
      expect(uplink.silent).toBe(uplink.sent);
      const sent = /** @type {any} */ (ada.client.stats()).detail;
      expect(sent.server.receivedPercent).toBe(100);
      // The server shows what only the client knows.
      const shown = conference.rooms
        .get('lab')
        ?.describe()
        .people.find(({ name }) => name === 'Ben')?.stats;
      expect(shown).toMatchObject({
        downLostPercent: 0,
        driftPpm: expect.closeTo(playout.driftPpm, -2),
      });
      expect(Math.abs(Number(shown?.playoutDelayMs) - playout.delayMs)).toBeLessThan(25);
      expect(
        Math.abs(Number(shown?.soundLatencyMs) - Number(ben.client.stats()?.delayMs)),
      ).toBeLessThan(25);
      expect(sent.server.dropped.early + sent.server.dropped.past + sent.server.duplicate).toBe(0);
      ada.client.leave();
      ben.client.leave();
      expect([ada.codec.open, ben.codec.open]).toEqual([0, 0]);
      conference.clock.advance(60_000);
      expect(conference.clock.waiting).toBe(0);
    },
  );

  it.each([
    ['two frames to a packet where it has too little time', {}, true],
    ['one where each asks for an answer', { delivery: 'reply' }, false],
    ['one where others wait for each as it comes', { mode: 'forward' }, false],
  ])('sends %s', async (_, settings, packs) => {
    const conference = new Conference(/** @type {Conferences} */ (settings));
    const output = { waitMs: 0, gaps: 0, gapMs: 0 };
    const ada = participant(conference, undefined, output);
    const ben = participant(conference);
    await join(conference, ada.client);
    await join(conference, ben.client, { name: 'Ben' });
    talk(conference, ada.client, ben.client, 6);
    for (let second = 0; second < 8; second++) {
      output.gaps += 1;
      talk(conference, ada.client, ben.client, 1);
    }
    const before = /** @type {any} */ (ada.client.stats()).detail.uplink;
    const heard = talk(conference, ada.client, ben.client, 1);
    const { uplink, server } = /** @type {any} */ (ada.client.stats()).detail;
    expect(Math.abs(uplink.sent - before.sent - (packs ? 25 : 50))).toBeLessThan(2);
    expect(uplink.packed > 0).toBe(packs);
    expect(server.recovered + server.late).toBeLessThan(5);
    const power = heard.reduce((sum, sample) => sum + sample * sample, 0) / heard.length;
    expect(power).toBeGreaterThan(0.95 * 0.08);
    ada.client.leave();
    ben.client.leave();
  });

  it('takes up again after its sound stood still for a minute, as in a suspended tab', async () => {
    const conference = new Conference();
    const ada = participant(conference);
    const ben = participant(conference);
    await join(conference, ada.client);
    await join(conference, ben.client, { name: 'Ben' });
    talk(conference, ada.client, ben.client, 3);
    conference.clock.advance(60_000);
    talk(conference, ada.client, ben.client, 2);
    const heard = talk(conference, ada.client, ben.client, 3);
    const power = heard.reduce((sum, sample) => sum + sample * sample, 0) / heard.length;
    expect(power).toBeGreaterThan(0.95 * 0.08);
    const { playout, uplink, client } = /** @type {any} */ (ben.client.stats()).detail;
    expect(playout.delayMs).toBeLessThan(30);
    expect([playout.driftPpm, uplink.driftPpm, client.driftPpm].every(Number.isFinite)).toBe(true);
    expect(client.clockJumps).toBe(0);
    ada.client.leave();
    ben.client.leave();
  });

  it('knows by its sound card that it has too little time', async () => {
    const conference = new Conference();
    const output = { waitMs: 0, gaps: 0, gapMs: 0 };
    const { client, events } = participant(conference, undefined, output);
    await join(conference, client);
    const isShort = (/** @type {number} */ seconds, /** @type {number} */ gaps) => {
      for (let i = 0; i < seconds; i++) {
        output.gaps += gaps;
        for (let k = 0; k < 100; k++) conference.clock.advance(10);
      }
      return events.stats.at(-1).detail.client.isShortOfTime;
    };
    expect(isShort(8, 0)).toBe(false);
    expect(isShort(5, 3)).toBe(true);
    expect(isShort(8, 0)).toBe(false);
    client.leave();
  });

  it('bears loss and jitter both ways', async () => {
    const random = randomOf(9);
    const link = { delayMs: () => 5 + 20 * random(), loses: () => random() < 0.02 };
    const conference = new Conference();
    const ada = participant(conference, link);
    const ben = participant(conference, link);
    await join(conference, ada.client);
    await join(conference, ben.client, { name: 'Ben' });
    const heard = talk(conference, ada.client, ben.client, 20);
    const { playout } = /** @type {any} */ (ben.client.stats()).detail;
    expect(playout.lost).toBeGreaterThan(5);
    expect(playout.recovered).toBeGreaterThan(0.8 * playout.lost);
    expect(playout.receivedPercent).toBeGreaterThan(99);
    expect(playout.delayMs).toBeLessThan(95);
    expect(heard.every((sample) => Math.abs(sample) <= 1)).toBe(true);
    ada.client.leave();
    ben.client.leave();
  });

  it('tells who is there, who is muted, and who has left', async () => {
    const conference = new Conference();
    const ada = participant(conference);
    const ben = participant(conference);
    await join(conference, ada.client);
    await join(conference, ben.client, { name: 'Ben' }, { muted: true });
    conference.clock.advance(5);
    expect(ada.events.people.at(-1)).toEqual([
      { name: 'Ada', muted: false, you: true },
      { name: 'Ben', muted: true, you: false },
    ]);
    ben.client.change({ muted: false });
    conference.clock.advance(5);
    expect(ben.events.people.at(-1)?.every((/** @type {any} */ { muted }) => !muted)).toBe(true);
    ben.client.leave();
    conference.clock.advance(5);
    expect(ada.events.people.at(-1)).toHaveLength(1);
    expect(ben.events.ended).toEqual([{ code: 'left', message: '' }]);
    ada.client.leave();
  });

  it('tells its statistics each second', async () => {
    const conference = new Conference();
    const ada = participant(conference, { delayMs: () => 10 });
    await join(conference, ada.client);
    const { length } = ada.events.stats;
    conference.clock.advance(3000);
    expect(ada.events.stats.length).toBe(length + 3);
    const stats = ada.events.stats.at(-1);
    expect(stats.transport).toBe('websocket');
    expect(stats.roundTripMs).toBeCloseTo(20);
    expect(stats.delayMs).toBeGreaterThanOrEqual(20 + 60 + 10);
    expect(stats.detail.server.type).toBe('stats');
    ada.client.leave();
    expect(ada.client.stats()).toBeNull();
  });

  it('tells why the server ended it, once, and lets go of everything', async () => {
    const conference = new Conference();
    const ada = participant(conference);
    await join(conference, ada.client);
    conference.rooms.close();
    conference.clock.advance(10);
    expect(ada.events.ended).toEqual([
      { code: 'server-closing', message: expect.stringMatching(/shutting down/) },
    ]);
    const out = new Float32Array(100).fill(1);
    ada.client.render(out);
    expect(out.every((sample) => sample === 0)).toBe(true);
    ada.client.capture(out);
    ada.client.leave();
    expect(ada.codec.open).toBe(0);
    conference.clock.advance(60_000);
    expect(conference.clock.waiting).toBe(0);
  });

  it('is refused with the server’s code', async () => {
    const conference = new Conference({ maxParticipants: 1 });
    const ada = participant(conference);
    const ben = participant(conference);
    await join(conference, ada.client);
    await expect(join(conference, ben.client, { name: 'Ben' })).rejects.toMatchObject({
      code: 'room-full',
    });
    await expect(
      join(conference, participant(conference).client, { room: 'no room' }),
    ).rejects.toMatchObject({
      code: 'room-name',
    });
    ada.client.leave();
  });

  it('plays from the first reply on, and sends when eight have told the time', async () => {
    const conference = new Conference();
    const ada = participant(conference);
    const ben = participant(conference, { delayMs: () => 50 });
    await join(conference, ada.client);
    talk(conference, ada.client, ben.client, 2);
    await join(conference, ben.client, { name: 'Ben' });
    const joinedMs = conference.clock.now();
    ben.client.change({ muted: true });
    const heard = talk(conference, ada.client, ben.client, 0.15);
    expect(ben.client.speaks).toBe(false);
    expect(Math.max(...heard)).toBeGreaterThan(0.1);
    while (!ben.client.speaks) conference.clock.advance(5);
    expect(conference.clock.now() - joinedMs).toBeLessThanOrEqual(7 * 25);
    conference.clock.advance(200);
    const { detail } = /** @type {any} */ (ben.client.stats());
    expect(detail.uplink.sent).toBeGreaterThan(0);
    expect(detail.uplink.silent).toBe(detail.uplink.sent);
  });

  it('plays to a listener what came while it joined, from the packet’s first frame', async () => {
    const conference = new Conference();
    const { client: ada } = participant(conference);
    const { client: ben } = participant(conference, { delayMs: () => 25 });
    await join(conference, ada);
    talk(conference, ada, ben, 2);
    const state = { joined: false };
    const joining = ben
      .join({ join: { room: 'lab', name: 'Ben', listen: true }, origin, config })
      .then(() => void (state.joined = true));
    for (let i = 0; i < 100 && !state.joined; i++) {
      await setImmediate();
      talk(conference, ada, ben, 0.01);
    }
    await joining;
    const heard = talk(conference, ada, ben, 0.2);
    expect(
      heard.findIndex((value) => Math.abs(value) > 0.01) / conference.format.sampleRate,
    ).toBeLessThan(0.05);
    talk(conference, ada, ben, 3);
    const { playout } = /** @type {any} */ (ben.stats()).detail;
    expect(playout).toMatchObject({ concealed: 0, underruns: 0, late: 0, lost: 0, strange: 0 });
  });

  it('is as near as asked while only listening, and says by the clock how late it is', async () => {
    const conference = new Conference({ silenceSuppression: true });
    const ada = participant(conference, { delayMs: () => 10 });
    const [lea, max] = [
      participant(conference, { delayMs: () => 10 }),
      participant(conference, { delayMs: () => 10 }),
    ];
    await join(conference, ada.client);
    await join(conference, max.client, { name: 'Max', listen: true });
    talk(conference, ada.client, max.client, 1.8);
    await join(conference, lea.client, { name: 'Lea', listen: true, nearness: 'steady' });
    talk(conference, ada.client, lea.client, 1);
    const stats = () => /** @type {any} */ (lea.client.stats());
    expect(stats()).toMatchObject({
      nearness: 'steady',
      detail: { playout: { concealed: 0, lost: 0 } },
    });
    // The room's delay is 60 ms, the way 10 ms, a frame 20 ms.
    expect(Math.abs(stats().behindMs - 1590)).toBeLessThan(30);
    lea.client.change({ nearness: 'near' });
    talk(conference, ada.client, lea.client, 7);
    expect(stats()).toMatchObject({
      nearness: 'near',
      detail: { playout: { concealed: 0, lost: 0 } },
    });
    expect(stats().behindMs).toBeGreaterThan(200);
    expect(stats().behindMs).toBeLessThan(260);
    const place = conference.rooms.get('lab')?.describe();
    expect(place).toMatchObject({ listeners: 2 });
    lea.client.change({ nearness: 'conversation' });
    expect(stats()).toMatchObject({
      nearness: 'conversation',
      detail: { playout: { wantedMs: expect.closeTo(42, -2) } },
    });
    for (const { client } of [ada, lea, max]) client.leave();
  });

  /** @type {[Conferences][]} */
  const deliveries = [[{}], [{ delivery: 'reply' }], [{ mode: 'forward' }]];
  it.each(deliveries)('goes on when the number of a frame passes 2^32 (%o)', async (settings) => {
    const conference = new Conference(settings);
    conference.clock.stall(2 ** 32 * conference.format.frameMs - 3000);
    const [ada, lea, max] = [1, 2, 3].map(() => participant(conference, { delayMs: () => 10 }));
    await join(conference, ada.client);
    await join(conference, lea.client, { name: 'Lea' });
    talk(conference, ada.client, lea.client, 6);
    await join(conference, max.client, { name: 'Max' });
    talk(conference, ada.client, max.client, 2);
    for (const { client } of [lea, max]) {
      const { behindMs, detail } = /** @type {any} */ (client.stats());
      expect(detail.playout).toMatchObject({ lost: 0, strange: 0 });
      expect(detail.playout.played).toBeGreaterThan(20);
      expect(Math.abs(behindMs ?? 0)).toBeLessThan(10_000);
    }
    for (const { client } of [ada, lea, max]) client.leave();
  });

  it('plays no server mix under end-to-end encryption, not even while it joins', async () => {
    const conference = new Conference();
    /** @type {any} */
    let socket = null;
    class Socket extends conferenceSockets(conference) {
      constructor() {
        super();
        socket = this;
      }
    }
    const packet = Object.assign(new Packet(), {
      redundancy: 0,
      sequence: 1,
      frame: 100,
      stream: Stream.fullMix,
      level: 20,
    });
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    bytes.fill(1, writeAudioHeader(bytes, packet), 60);
    let came = 0;
    const primitives = async () => {
      socket.onmessage({ data: bytes.slice(0, 60).buffer });
      came += 1;
      return loadPrimitives();
    };
    const client = new CallClient({
      codec: new PcmCodec(),
      clock: conference.clock,
      scope: { WebSocket: /** @type {any} */ (Socket) },
      primitives,
    });
    await join(conference, client, { mode: 'forward' }, { e2eKey: makeRoomKey() });
    expect([came, client.stats()?.detail.playout.received]).toEqual([1, 0]);
    client.leave();
  });

  it('does not take a connection over which no packet comes', async () => {
    const conference = new Conference();
    const ada = participant(conference, { silent: true });
    await expect(join(conference, ada.client)).rejects.toMatchObject({
      code: 'connection-failed',
      message: expect.stringMatching(/no packet came through/),
    });
    expect(ada.codec.open).toBe(0);
    expect(ada.events.transport).toEqual([]);
  });

  it('can be left while it joins', async () => {
    const conference = new Conference();
    const ada = participant(conference, { delayMs: () => 20 });
    const joining = ada.client.join({ join: { room: 'lab', name: 'Ada' }, origin, config });
    joining.catch(() => {});
    for (let i = 0; i < 5; i++) {
      await setImmediate();
      conference.clock.advance(5);
    }
    ada.client.leave();
    await expect(passUntil(conference, joining)).rejects.toMatchObject({ code: 'connection-lost' });
    expect(ada.codec.open).toBe(0);
    conference.clock.advance(60_000);
    expect(conference.clock.waiting).toBe(0);
  });

  it('joins once: a second time is refused, and changes nothing', async () => {
    const conference = new Conference();
    const ada = participant(conference);
    const options = { join: { room: 'lab', name: 'Ada' }, origin, config };
    const [first, second] = [ada.client.join(options), ada.client.join(options)];
    second.catch(() => {});
    await passUntil(conference, first);
    await expect(second).rejects.toThrow('this call is connecting: make a new one');
    await expect(ada.client.join(options)).rejects.toThrow('this call is joined');
    expect([ada.client.state, conference.rooms.people]).toEqual(['joined', 1]);
    ada.client.leave();
    await expect(ada.client.join(options)).rejects.toThrow('this call is ended');
    expect([ada.codec.open, conference.rooms.people]).toEqual([0, 0]);
  });

  it.each([
    ['never comes', () => new Promise(() => {}), /longer than 20 s/],
    ['is broken', () => Promise.reject(new Error('no such file')), /no such file/],
  ])('does not wait for ever for a codec that %s', async (_what, load, why) => {
    const conference = new Conference();
    const codec = /** @type {Promise<any>} */ (load());
    codec.catch(() => {});
    const client = new CallClient({
      codec,
      clock: conference.clock,
      scope: { WebSocket: /** @type {any} */ (conferenceSockets(conference)) },
    });
    const joining = client.join({ join: { room: 'lab', name: 'Ada' }, origin, config });
    joining.catch(() => {});
    for (let i = 0; i < 50; i++) {
      await setImmediate();
      conference.clock.advance(500);
    }
    await expect(joining).rejects.toMatchObject({
      code: 'no-worker',
      message: expect.stringMatching(why),
    });
    expect(conference.rooms.people).toBe(0);
  });

  it.each([
    ['never comes', () => new Promise(() => {}), /longer than 20 s/],
    ['is broken', () => Promise.reject(new Error('no such file')), /no such file/],
  ])('does not wait for ever for an encryption that %s', async (_what, load, why) => {
    const conference = new Conference();
    const client = new CallClient({
      codec: new PcmCodec(),
      clock: conference.clock,
      scope: { WebSocket: /** @type {any} */ (conferenceSockets(conference)) },
      primitives: /** @type {any} */ (load),
    });
    const e2eKey = makeRoomKey();
    const joining = client.join({ join: { room: 'lab', name: 'Ada' }, origin, config, e2eKey });
    joining.catch(() => {});
    for (let i = 0; i < 50; i++) {
      await setImmediate();
      conference.clock.advance(500);
    }
    expect(client.store.value.end).toMatchObject({
      code: 'no-worker',
      message: expect.stringMatching(why),
    });
    expect(conference.rooms.people).toBe(0);
  });

  it('drops what is no packet, and minds no nonsense of the server', async () => {
    const conference = new Conference();
    const sockets = conferenceSockets(conference);
    /** @type {any} */
    let socket;
    const scope = {
      WebSocket: /** @type {any} */ (
        class extends sockets {
          constructor() {
            super();
            socket = this;
          }
        }
      ),
    };
    const client = new CallClient({ codec: new PcmCodec(), clock: conference.clock, scope });
    await join(conference, client);
    const random = randomOf(4);
    for (let i = 0; i < 500; i++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256);
      socket.onmessage({ data: bytes.buffer });
    }
    for (const message of [
      null,
      7,
      [],
      {},
      { type: 'joined' },
      { type: 'changed', person: { id: 3 } },
      { type: 'left' },
    ]) {
      socket.onmessage({ data: JSON.stringify(message) });
    }
    const out = new Float32Array(480);
    for (let i = 0; i < 100; i++) {
      conference.clock.advance(10);
      client.render(out);
      expect(out.every((sample) => Math.abs(sample) <= 1)).toBe(true);
    }
    const { detail } = /** @type {any} */ (client.stats());
    expect(detail.client.dropped).toBeGreaterThan(400);
    client.leave();
  });
});
