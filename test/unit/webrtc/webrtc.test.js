import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebRtc, findWebRtc, MAX_PEERS, webRtcLine } from '../../../server/webrtc/webrtc.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { counted } from '../../../server/counts.js';
import { open as openPeers } from '../../../server/webrtc/peer.js';
import { ReceivedSound } from '../../../server/webrtc/received-sound.js';
import { Conference, settle } from '../../fakes/conference.js';

const OFFER = [
  ...['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111'],
  ...['a=mid:0', 'a=ice-ufrag:a', 'a=ice-pwd:b', 'a=rtpmap:111 opus/48000/2', ''],
].join('\r\n');

/** A connection of the library that the test drives. */
class FakePeerConnection {
  /** @type {FakePeerConnection[]} */
  static all = [];
  /** Reason for which the library refuses offers. @type {Error | null} */
  static refusal = null;
  isClosed = false;
  /** @type {(state: string) => void} */
  state = () => {};
  /** @type {(state: string) => void} */
  gathering = () => {};
  /** @type {(track: object) => void} */
  track = () => {};

  /** @param {string} _name @param {object} config */
  constructor(_name, config) {
    this.config = config;
    FakePeerConnection.all.push(this);
  }

  /** @param {(track: object) => void} call */
  onTrack(call) {
    this.track = call;
  }
  onDataChannel() {}
  /** @param {(state: string) => void} call */
  onStateChange(call) {
    this.state = call;
  }
  /** @param {(state: string) => void} call */
  onGatheringStateChange(call) {
    this.gathering = call;
  }
  setRemoteDescription() {
    if (FakePeerConnection.refusal) throw FakePeerConnection.refusal;
  }
  setLocalDescription() {
    queueMicrotask(() => this.gathering('complete'));
  }
  localDescription() {
    return { type: 'answer', sdp: 'v=0\r\nm=audio 9 x 111\r\na=rtpmap:111 opus/48000/2\r\n' };
  }
  rtt() {
    return -1;
  }
  close() {
    this.isClosed = true;
  }
}

const library = /** @type {any} */ ({
  PeerConnection: FakePeerConnection,
  RtcpReceivingSession: class {},
});

/** @param {any} fields  of a line of the log that no test expects */
const unexpected = (fields) => expect(fields).toBe(null);

/**
 * @param {{ load?: (() => Promise<any>) | null, onError?: (fields: any) => void, host?: string,
 *   resolve?: (name: string) => Promise<{ address: string }[]>,
 *   at?: import('../../../server/webrtc/webrtc.js').Place }} [options] host: by which the server is
 *   asked
 */
async function open({
  load = async () => library,
  onError = unexpected,
  host = '192.0.2.1:8080',
  resolve,
  at = { address: null, port: 0 },
} = {}) {
  FakePeerConnection.all = [];
  FakePeerConnection.refusal = null;
  const conference = new Conference({ idleTimeoutMs: 1_000_000, maxParticipants: 100 });
  const { clock, rooms, codec } = conference;
  const ann = await conference.join('Ann');
  ann.session.handler?.control({ type: 'moderate', action: 'stream-key', on: true });
  const { key } = ann.session.told('stream-key')[0];
  const webrtc = createWebRtc({
    accept: conference.arrivals.accept,
    rooms: {
      inRoom: async (name) => /** @type {any} */ (rooms.get(name)?.publicView ?? 'not-found'),
    },
    ...{ codec: /** @type {any} */ (codec), at: () => at, load, clock, resolve },
    log: /** @type {any} */ ({ error: onError }),
  });
  onTestFinished(() => webrtc.close());
  /**
   * @param {string} method
   * @param {string} url
   * @param {{ body?: string, type?: string, token?: string, from?: string }} [how]
   */
  const ask = async (
    method,
    url,
    { body = OFFER, type = 'application/sdp', token, from = '192.0.2.9' } = {},
  ) => {
    const headers = {
      host,
      'content-type': type,
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const socket = { remoteAddress: from, remotePort: 4 };
    const request = Object.assign(new EventEmitter(), { method, url, headers, socket });
    const answer = { status: 0, headers: /** @type {any} */ ({}), text: '', isPassedOn: false };
    const response = {
      headersSent: false,
      destroyed: false,
      setHeader: (/** @type {string} */ name, /** @type {any} */ value) =>
        void (answer.headers[name] = value),
      writeHead(/** @type {number} */ status, /** @type {object} */ more) {
        answer.status = status;
        Object.assign(answer.headers, more);
        this.headersSent = true;
      },
      end: (/** @type {string} */ text = '') => void (answer.text = String(text)),
    };
    webrtc.handle(/** @type {any} */ (request), /** @type {any} */ (response), () => {
      answer.isPassedOn = true;
    });
    request.emit('data', Buffer.from(body));
    request.emit('end');
    // The first decoder takes a while to load.
    const until = performance.now() + 10_000;
    while (answer.status === 0 && !answer.isPassedOn && performance.now() < until) await settle();
    return answer;
  };
  const people = () => [...(rooms.get('lab')?.people.present.values() ?? [])].map((p) => p.name);
  return { conference, clock, ann, key, ask, people, room: () => rooms.get('lab')?.publicView };
}

describe('WHIP', () => {
  it('answers an offer with an address, which DELETE ends', async () => {
    const { key, ask, people } = await open();
    const made = await ask('POST', '/whip/lab?name=OBS', { token: key });
    expect(made.status).toBe(201);
    expect(made.headers).toMatchObject({
      'Content-Type': 'application/sdp',
      'Access-Control-Allow-Origin': '*',
      Location: expect.stringMatching(/^\/whip\/lab\/[\w-]{22}$/),
    });
    expect(people()).toEqual(['Ann', 'OBS']);
    const { Location } = made.headers;
    expect((await ask('PATCH', Location)).status).toBe(405);
    expect((await ask('POST', Location)).status).toBe(405);
    expect((await ask('DELETE', Location)).status).toBe(200);
    expect(people()).toEqual(['Ann']);
    expect(FakePeerConnection.all[0].isClosed).toBe(true);
    expect((await ask('DELETE', Location)).status).toBe(404);
  });

  it('tells pages of other origins that PATCH is answered, if with 405', async () => {
    const { ask } = await open();
    const { headers } = await ask('OPTIONS', '/whip/lab');
    expect(headers['Access-Control-Allow-Methods'].split(', ')).toContain('PATCH');
  });

  it.each([
    [{ address: null, port: 0 }, {}],
    [{ address: '192.0.2.1', port: 0 }, { bindAddress: '192.0.2.1' }],
    [
      { address: null, port: 8080 },
      { portRangeBegin: 8080, portRangeEnd: 8080 },
    ],
  ])('is at the page’s address and port: %o', async (at, expected) => {
    const { key, ask } = await open({ at });
    await ask('POST', '/whip/lab', { token: key });
    const { config } = FakePeerConnection.all[0];
    expect(config).toMatchObject(expected);
    expect('bindAddress' in config).toBe(at.address !== null);
  });

  it('has a timer only while a session is open', async () => {
    const idle = new FakeClock();
    createWebRtc(/** @type {any} */ ({ clock: idle, load: null }));
    expect(idle.waiting).toBe(0);
    const { clock, key, ask } = await open();
    const before = clock.waiting;
    const { headers } = await ask('POST', '/whip/lab', { token: key });
    expect(clock.waiting).toBeGreaterThan(before);
    await ask('DELETE', headers.Location);
    clock.advance(2000);
    expect(clock.waiting).toBe(before);
  });

  it('refuses with a sentence, and counts', async () => {
    const { key, ask } = await open();
    const count = () => counted().refusals.reduce((sum, { count: times }) => sum + times, 0);
    const before = count();
    for (const [status, url, how] of /** @type {const} */ ([
      [401, '/whip/lab', {}],
      [401, '/whip/lab', { token: 'wrong' }],
      [404, '/whip/nobody', { token: key }],
      [415, '/whip/lab', { token: key, type: 'text/plain' }],
      [400, '/whip/lab', { token: key, body: 'hello' }],
      [406, '/whip/lab', { token: key, body: OFFER.replace('opus', 'PCMU') }],
      [413, '/whip/lab', { token: key, body: 'x'.repeat(70_000) }],
    ])) {
      const { status: answered, text } = await ask('POST', url, how);
      expect([answered, text.length > 20]).toEqual([status, true]);
    }
    expect(count() - before).toBe(7);
    expect((await ask('GET', '/whip/lab')).status).toBe(405);
    expect((await ask('OPTIONS', '/whip/lab')).headers).toMatchObject({
      'Accept-Post': 'application/sdp',
    });
    expect((await ask('POST', '/listen/lab')).isPassedOn).toBe(true);
    expect(FakePeerConnection.all.length).toBe(0);
    await ask('POST', '/whip/lab', { token: key });
    expect((await ask('POST', '/whip/lab', { token: key })).status).toBe(409);
  });

  it('says what to install where the library is missing', async () => {
    const { key, ask, people } = await open({ load: null });
    const { status, text } = await ask('POST', '/whip/lab', { token: key });
    expect(status).toBe(501);
    expect(text).toContain('node-datachannel');
    expect(people()).toEqual(['Ann']);
  });

  it('ends a peer that never connects, one that fails, and one that sends no sound', async () => {
    const { clock, key, ask, people } = await open();
    const send = () => ask('POST', '/whip/lab?name=OBS', { token: key });
    await send();
    clock.advance(9000);
    expect(people()).toEqual(['Ann', 'OBS']);
    clock.advance(2000);
    expect(people()).toEqual(['Ann']);
    await send();
    FakePeerConnection.all[1].state('failed');
    expect(people()).toEqual(['Ann']);
  });

  it('keeps a peer while the server stands still', async () => {
    const { clock, key, ask, people } = await open();
    await ask('POST', '/whip/lab?name=OBS', { token: key });
    FakePeerConnection.all[0].state('connected');
    clock.advance(5000);
    clock.stall(20_000);
    clock.advance(4000);
    expect(people()).toEqual(['Ann', 'OBS']);
    clock.advance(2000);
    expect(people()).toEqual(['Ann']);
  });

  it('takes sound from the track of Opus, though one of video comes before it', async () => {
    const { key, ask } = await open();
    await ask('POST', '/whip/lab', { token: key });
    const [video, sound] = ['1', '0'].map((mid) => ({
      isClosed: false,
      hasReader: false,
      mid: () => mid,
      setMediaHandler() {},
      onMessage() {
        this.hasReader = true;
      },
      onClosed() {},
      close() {
        this.isClosed = true;
      },
    }));
    for (const track of [video, sound]) FakePeerConnection.all[0].track(track);
    expect(video).toMatchObject({ isClosed: true, hasReader: false });
    expect(sound).toMatchObject({ isClosed: false, hasReader: true });
  });

  it('ends a peer over whose sound the server fails, and nothing else', async () => {
    const onError = vi.fn();
    const { key, ask, people } = await open({ onError });
    await ask('POST', '/whip/lab?name=OBS', { token: key });
    let receive = (/** @type {Uint8Array} */ _bytes) => {};
    FakePeerConnection.all[0].track({
      mid: () => '0',
      setMediaHandler() {},
      onMessage: (/** @type {typeof receive} */ run) => void (receive = run),
      onClosed() {},
      close() {},
    });
    const take = vi.spyOn(ReceivedSound.prototype, 'take').mockImplementation(() => {
      throw new Error('the decoder fails');
    });
    onTestFinished(() => take.mockRestore());
    receive(Buffer.alloc(20));
    expect(people()).toEqual(['Ann']);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ event: 'session-failed' }),
      'session failed',
    );
    expect(FakePeerConnection.all[0].isClosed).toBe(true);
  });

  it('keeps a peer that has ended until the library has closed it, no longer', async () => {
    const { key, ask } = await open();
    const before = openPeers.size;
    await ask('POST', '/whip/lab', { token: key });
    const [{ state }] = FakePeerConnection.all;
    state('failed');
    expect(openPeers.size).toBe(before + 1);
    // The library has queued it for the function that it was given before close().
    state('closed');
    expect(openPeers.size).toBe(before);
  });

  it('answers without the addresses of its name if nobody tells them in time', async () => {
    /** @type {string[]} */
    const asked = [];
    const resolve = (/** @type {string} */ name) => {
      asked.push(name);
      return new Promise(() => {});
    };
    const { clock, key, ask } = await open({ host: 'studio.local:8080', resolve });
    const answer = ask('POST', '/whip/lab', { token: key });
    await vi.waitFor(() => expect(asked).toEqual(['studio.local']));
    clock.advance(1000);
    expect((await answer).status).toBe(201);
  });

  it('leaves nobody in the room for an offer that the library refuses', async () => {
    const { ask, key, people, room } = await open();
    FakePeerConnection.refusal = new Error('Remote description has no ICE user fragment');
    for (const [url, how] of /** @type {const} */ ([
      ['/whep/lab', {}],
      ['/whip/lab', { token: key }],
    ])) {
      expect((await ask('POST', url, how)).status).toBe(400);
      expect([people(), room()]).toMatchObject([['Ann'], { present: 1, listeners: 0 }]);
    }
    expect(FakePeerConnection.all.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it('leaves nobody in the room after a fault of the library, and logs it', async () => {
    const PeerConnection = class {
      constructor() {
        throw new Error('the port is in use');
      }
    };
    /** @type {string[]} */
    const logged = [];
    const { ask, people, room } = await open({
      load: async () => ({ ...library, PeerConnection }),
      onError: ({ event }) => logged.push(event),
    });
    expect((await ask('POST', '/whep/lab')).status).toBe(500);
    expect([people(), room()]).toMatchObject([['Ann'], { present: 1, listeners: 0 }]);
    expect(logged).toEqual(['session-failed']);
  });
});

it('the report of the start says whether WebRTC is on, or what turns it on', () => {
  expect(webRtcLine(true, 8080)).toMatch(/is on, at UDP port 8080/);
  expect(webRtcLine(false, 8080)).toMatch(/is off.*--webrtc/);
});

it('a server that is told to have WebRTC doesn’t start without the library', () => {
  const find = () => {
    throw new Error('not installed');
  };
  const { peerDependencies } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  const wanted = peerDependencies['node-datachannel'].replace('^', '');
  expect(() => findWebRtc(find)).toThrow(
    '--webrtc needs the package node-datachannel beside aloud: ' +
      `npm install node-datachannel@${wanted}, with --global if aloud was installed so`,
  );
});

describe('WHEP', () => {
  it('makes a listener of each peer, up to a number and a rate of its network', async () => {
    const { clock, ask, room } = await open();
    expect((await ask('POST', '/whep/lab')).status).toBe(201);
    expect(room()).toMatchObject({ present: 2, listeners: 1 });
    let last = 201;
    for (let i = 0; i < 25; i++) last = (await ask('POST', '/whep/lab')).status;
    expect(last).toBe(429);
    expect(await ask('POST', '/whep/lab', { from: '192.0.2.10' })).toMatchObject({ status: 201 });
    expect(MAX_PEERS).toBeLessThanOrEqual(100);
    // None of them has connected.
    clock.advance(16_000);
    expect(room()).toMatchObject({ present: 1, listeners: 0 });
    expect(FakePeerConnection.all.every(({ isClosed }) => isClosed)).toBe(true);
  });
});
