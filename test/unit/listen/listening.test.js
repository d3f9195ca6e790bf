import { EventEmitter } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createListening } from '../../../server/listen/listening.js';
import { Member } from '../../../server/room/people/member.js';
import { MAX_QUEUED_BYTES } from '../../../server/session/session.js';
import { Conference, settle } from '../../fakes/conference.js';
import { readPages } from '../../fakes/ogg-file.js';

/** An answer whose reader the test is. */
class Answer extends EventEmitter {
  status = 0;
  /** @type {Record<string, any>} */
  headers = {};
  /** @type {Uint8Array[]} */
  parts = [];
  headersSent = false;
  destroyed = false;
  isOver = false;
  writableLength = 0;
  /** True when written bytes stay in the socket. */
  stalls = false;

  /** @param {string} name @param {string} value */
  setHeader(name, value) {
    this.headers[name] = value;
  }

  /** @param {number} status @param {object} headers */
  writeHead(status, headers) {
    this.status = status;
    Object.assign(this.headers, headers);
    this.headersSent = true;
  }

  /** @param {Uint8Array | string} bytes */
  write(bytes) {
    expect(this.isOver).toBe(false);
    this.parts.push(Buffer.from(bytes));
    if (this.stalls) this.writableLength += bytes.length;
  }

  /** @param {Uint8Array | string} [bytes] */
  end(bytes) {
    if (bytes) this.write(bytes);
    this.isOver = true;
    this.emit('close');
  }

  destroy() {
    this.destroyed = true;
    this.emit('close');
  }

  get text() {
    return Buffer.concat(this.parts).toString();
  }
}

/**
 * @param {Partial<Parameters<typeof createListening>[0]> & { conference?:
 *   ConstructorParameters<typeof Conference>[0] }} [options]
 */
function open({ conference: settings, ...more } = {}) {
  const conference = new Conference(settings);
  const { clock, rooms } = conference;
  /** @type {any[]} */
  const outlived = [];
  /** @type {import('../../../server/session/session.js').Session[]} */
  const sessions = [];
  const listening = createListening({
    accept: (session) => {
      sessions.push(session);
      conference.arrivals.accept(session);
    },
    rooms: {
      inRoom: async (name) => /** @type {any} */ (rooms.get(name)?.publicView ?? 'not-found'),
    },
    maxSessions: 5,
    outlives: (request) => void outlived.push(request),
    clock,
    log: /** @type {any} */ ({ error: (/** @type {string} */ line) => expect(line).toBe('') }),
    ...more,
  });
  onTestFinished(() => listening.close());
  /**
   * @param {string} url
   * @param {{ method?: string, authorization?: string, agent?: string, wanted?: string, icy?:
   *   string }} [how] wanted: what for, as browsers tell it; icy: asks for titles
   */
  const ask = async (url, { method = 'GET', authorization, agent, wanted, icy } = {}) => {
    const request = {
      url,
      method,
      headers: {
        authorization,
        'user-agent': agent,
        'sec-fetch-dest': wanted,
        'icy-metadata': icy,
      },
      socket: { remoteAddress: '192.0.2.9', remotePort: 4 },
    };
    const answer = new Answer();
    let isPassedOn = false;
    listening.handle(
      /** @type {any} */ (request),
      /** @type {any} */ (answer),
      () => (isPassedOn = true),
    );
    await settle();
    await settle();
    return Object.assign(answer, { isPassedOn });
  };
  return {
    conference,
    clock,
    listening,
    ask,
    outlived,
    sessions,
    room: () => rooms.get('lab')?.publicView,
  };
}

describe('GET /listen/<room>', () => {
  it('is a file that goes on until the room ends, of one of the audience', async () => {
    const { conference, clock, ask, room, outlived } = open();
    await conference.join('Ann');
    const answer = await ask('/listen/lab');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'Content-Type': 'audio/ogg',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    expect(room()).toMatchObject({ present: 2, listeners: 1 });
    expect(outlived.length).toBe(1);
    clock.advance(3000);
    conference.rooms.close();
    expect(answer.isOver).toBe(true);
    const pages = readPages(Buffer.concat(answer.parts));
    expect(pages.at(-1)?.type).toBe(4);
    // Nobody spoke: 3 s, less what is still waited for.
    expect(pages.at(-1)?.granule).toBeGreaterThan(2 * 48_000);
  });

  it('has what the room plays as titles, in the way that its player asks for', async () => {
    const { conference, clock, ask } = open({ conference: { idleTimeoutMs: 1_000_000 } });
    const ann = await conference.join('Ann');
    const readers = {
      plain: await ask('/listen/lab'),
      icy: await ask('/listen/lab.webm', { icy: '1' }),
      browser: await ask('/listen/lab', { wanted: 'audio' }),
      relay: await ask('/listen/lab', { icy: '1', agent: 'Icecast 2.4.4' }),
    };
    clock.advance(2000);
    ann.session.handler?.control({ type: 'title', title: 'A song' });
    clock.advance(8000);
    conference.rooms.close();
    const whole = (/** @type {Answer} */ { parts }) => Buffer.concat(parts);
    const pages = readPages(whole(readers.plain));
    expect(pages.filter(({ type }) => type === 2).length).toBe(2);
    expect(whole(readers.plain).toString('latin1')).toMatch(/TITLE=lab.*TITLE=A song/s);
    expect(readers.icy.headers).toMatchObject({ 'icy-metaint': 16_000, 'icy-name': 'lab' });
    expect(readers.plain.headers).not.toHaveProperty('icy-metaint');
    expect(readers.relay.headers).not.toHaveProperty('icy-metaint');
    // Browsers stop at the end of a link.
    const first = readPages(whole(readers.browser)).filter(({ type }) => type === 2);
    expect(first.length).toBe(1);
  });

  it('stays though its reader sends nothing, and leaves when they go', async () => {
    const { conference, clock, ask, room } = open({ conference: { idleTimeoutMs: 1000 } });
    const ann = await conference.join('Ann');
    const answer = await ask('/listen/lab.webm');
    expect(answer.headers['Content-Type']).toBe('audio/webm');
    for (let i = 0; i < 20; i++) {
      clock.advance(250);
      ann.session.handler?.packet(Uint8Array.of(0x12, 0, 0, 1), clock.now());
    }
    expect(room()).toMatchObject({ listeners: 1 });
    answer.destroy();
    expect(room()).toMatchObject({ listeners: 0 });
  });

  it('ends for a reader who takes nothing, once 64 KiB wait, and for nobody else', async () => {
    const { conference, clock, ask, room } = open();
    await conference.join('Ann');
    const [slow, other] = [await ask('/listen/lab'), await ask('/listen/lab')];
    slow.stalls = true;
    slow.writableLength = MAX_QUEUED_BYTES - 100;
    clock.advance(2000);
    expect(slow.destroyed).toBe(true);
    expect([other.destroyed, other.isOver]).toEqual([false, false]);
    expect(room()).toMatchObject({ listeners: 1 });
  });

  it('ends for a reader whose file has a fault, and for nobody else', async () => {
    /** @type {any[]} */
    const errors = [];
    const log = /** @type {any} */ ({ error: (/** @type {any} */ line) => errors.push(line) });
    const { conference, clock, ask, sessions, room } = open({ log });
    const ann = await conference.join('Ann');
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await ask('/listen/lab'));
    const fault = () => {
      throw new Error('the file fails');
    };
    answers[0].write = fault;
    const [{ transport }] = sessions;
    for (let frame = 0; frame < 20; frame++)
      transport.sendMany(sessions, await ann.packet(frame, 0.5));
    expect(answers.map(({ isOver }) => isOver)).toEqual([true, false, false]);
    answers[1].write = fault;
    clock.advance(2000);
    expect(answers.map(({ isOver }) => isOver)).toEqual([true, true, false]);
    expect(errors).toMatchObject([{ event: 'session-failed' }, { event: 'session-failed' }]);
    expect([conference.logged, room()?.listeners]).toEqual([[], 1]);
  });

  it('leaves out packets for a slow reader, and tells the room', async () => {
    const { conference, ask, sessions } = open();
    const ann = await conference.join('Ann');
    const answer = await ask('/listen/lab');
    const [session] = sessions;
    const send = async (/** @type {number} */ frame) =>
      session.transport.sendMany([session], await ann.packet(frame, 0.5));
    await send(10);
    expect(session.stats().droppedOut).toBe(0);
    answer.writableLength = MAX_QUEUED_BYTES / 2;
    await send(11);
    expect(session.stats().droppedOut).toBe(1);
    expect(answer.isOver || answer.destroyed).toBe(false);
  });

  it('asks for the bit rate that the link says, once it is in', async () => {
    const { conference, ask } = open();
    await conference.join('Ann');
    expect((await ask('/listen/lab?rate=fast')).status).toBe(400);
    const asked = vi.spyOn(Member.prototype, 'control');
    onTestFinished(() => asked.mockRestore());
    await ask('/listen/lab?rate=32');
    expect(asked).toHaveBeenCalledWith({ type: 'rate', bitsPerSecond: 32_000 });
  });

  it('has the lowest rate for a lower one than there is, and not the highest', async () => {
    const { conference, ask } = open();
    await conference.join('Ann');
    const asked = vi.spyOn(Member.prototype, 'control');
    onTestFinished(() => asked.mockRestore());
    for (const rate of [0, 5, 999]) await ask(`/listen/lab?rate=${rate}`);
    const rates = asked.mock.calls.flatMap(([message]) => {
      const { type, bitsPerSecond } = /** @type {any} */ (message);
      return type === 'rate' ? [bitsPerSecond] : [];
    });
    expect(rates).toEqual([6000, 6000, 510_000]);
  });

  it('is padded for a media element and for VLC, unless a bit rate is asked for', async () => {
    const { conference, clock, ask } = open({ maxSessions: 10 });
    await conference.join('Ann');
    const bytesOf = async (
      /** @type {string} */ url,
      /** @type {Parameters<typeof ask>[1]} */ how,
    ) => {
      const answer = await ask(url, how);
      expect(answer.status).toBe(200);
      for (let i = 0; i < 20; i++) clock.advance(100);
      return Buffer.concat(answer.parts).length;
    };
    const agent = 'Mozilla/5.0';
    for (const how of [
      { agent },
      { agent, wanted: 'audio' },
      { wanted: 'video' },
      { agent: 'VLC/3.0.24 LibVLC/3.0.24' },
    ])
      expect(await bytesOf('/listen/lab', how)).toBeGreaterThan(80_000);
    const plain = /** @type {const} */ ([
      ['/listen/lab', {}],
      ['/listen/lab', { agent: 'Lavf/59.27.100' }],
      ['/listen/lab', { agent, wanted: 'empty' }],
      ['/listen/lab?rate=32', { agent, wanted: 'audio' }],
    ]);
    for (const [url, how] of plain) expect(await bytesOf(url, how)).toBeLessThan(4000);
  });

  it('says where nobody is, and when to try again', async () => {
    const { ask, room } = open();
    const answer = await ask('/listen/lab');
    expect([answer.status, answer.headers['Retry-After']]).toEqual([404, '5']);
    expect(answer.text).toMatch(/^Nobody is in this room/);
    expect(room()).toBe(undefined);
  });

  it('refuses as a join is refused, in a sentence', async () => {
    const { conference, ask } = open({ conference: { maxParticipants: 1 } });
    await conference.join('Ann');
    const full = await ask('/listen/lab');
    expect([full.status, full.headers['Retry-After'], full.headers['Content-Type']]).toEqual([
      503,
      '5',
      'text/plain; charset=utf-8',
    ]);
    expect(full.text).toMatch(/^The room is full/);
    expect((await ask('/listen/a%20b')).status).toBe(400);
  });

  it('refuses where the server can not mix', async () => {
    const { conference, ask } = open();
    await conference.join('Ann', { e2e: true, mode: 'forward' });
    const answer = await ask('/listen/lab');
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringMatching(/^This room is encrypted end to end/),
    ]);
  });

  it('refuses if the reader would need to be let in or to know a password', async () => {
    const { conference, ask } = open();
    await conference.join('Ann');
    conference.rooms.get('lab')?.rules.moderation.lobby(true, { id: '1', label: 'Ann' });
    expect((await ask('/listen/lab')).status).toBe(403);
    expect(conference.rooms.get('lab')?.rules.lobby.waiting).toEqual([]);
    conference.rooms.get('lab')?.rules.moderation.lobby(false, { id: '1', label: 'Ann' });
    conference.rooms.get('lab')?.rules.moderation.setPassword('abc-def', { id: '1', label: 'Ann' });
    const answer = await ask('/listen/lab');
    expect([answer.status, answer.text]).toEqual([401, 'The room has a password.\n']);
  });

  it('accepts readers up to its limit', async () => {
    const { conference, ask } = open({ maxSessions: 1 });
    await conference.join('Ann');
    await ask('/listen/lab');
    expect((await ask('/listen/lab')).status).toBe(503);
  });

  it('answers HEAD with the headers of GET, without joining', async () => {
    const { conference, ask, sessions } = open();
    expect((await ask('/listen/lab', { method: 'HEAD' })).status).toBe(404);
    await conference.join('Ann');
    const answer = await ask('/listen/lab.webm', { method: 'HEAD' });
    expect([answer.status, answer.parts.length, answer.isOver]).toEqual([200, 0, true]);
    expect(sessions).toEqual([]);
    expect(answer.headers).toEqual((await ask('/listen/lab.webm')).headers);
  });

  it('sends readers to the node of a cluster that has the room', async () => {
    const node = { id: 'b', url: 'https://b.example', h3Port: 443, certificateHashes: [] };
    const { ask } = open({ cluster: { find: async () => ({ node }) } });
    const answer = await ask('/listen/lab.ogg?token=a.b.c');
    expect([answer.status, answer.headers.Location]).toEqual([
      307,
      'https://b.example/listen/lab.ogg?token=a.b.c',
    ]);
  });

  it('has readers hear a room here that this node relays', async () => {
    const node = { id: 'b', url: 'https://b.example', h3Port: 443, certificateHashes: [] };
    /** @type {any[]} */
    const asked = [];
    const { ask } = open({
      cluster: { find: async () => ({ node, relayed: { epoch: 1, broadcast: true } }) },
      accept: (session) =>
        void (session.handler = {
          packet: () => {},
          control: (message) => void asked.push(message),
          closed: () => {},
        }),
    });
    expect((await ask('/listen/lab')).status).toBe(0);
    expect(asked).toMatchObject([{ type: 'join', room: 'lab', listen: true }]);
  });

  it('leaves other paths and methods to others', async () => {
    const { ask } = open();
    for (const url of [
      '/',
      '//',
      '//evil.example/listen/lab',
      '/listen',
      '/listen/',
      '/listen/lab.mp3',
      '/listen/lab/more',
      '/r/lab',
    ])
      expect((await ask(url)).isPassedOn, url).toBe(true);
    expect((await ask('/listen/lab', { method: 'POST' })).isPassedOn).toBe(true);
  });
});
