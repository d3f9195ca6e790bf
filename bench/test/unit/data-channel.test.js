import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../../public/shared/wire/packet.js';
import { DataChannelTransport, openDataChannels } from '../../plugin/data-channel.js';
import { MAX_OFFER_BYTES } from '../../plugin/data-channel.js';
import { CLOSED, DESCRIPTION_TYPE } from '../../plugin/page/peers.js';
import { MAX_QUEUED_BYTES, MAX_STUCK_BYTES } from '../../../server/session/session.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 *
 * @typedef {Awaited<ReturnType<ReturnType<typeof setup>['session']>>} Made
 */

const OFFER =
  `a=mid:0\na=ice-ufrag:abcd\na=ice-pwd:${'p'.repeat(22)}\na=fingerprint:sha-256 ` +
  `${Array(32).fill('AB').join(':')}\na=sctp-port:5000\n`;

/** A channel of a library that keeps what is done to it. */
class FakeChannel {
  sent = /** @type {any[]} */ ([]);
  open = true;
  buffered = 0;
  /** @type {(data: any) => void} */
  say = () => {};
  closed = () => {};
  opens = () => {};

  /** @param {() => void} run */
  onOpen(run) {
    this.opens = run;
  }

  /** @param {(data: any) => void} run */
  onMessage(run) {
    this.say = run;
  }

  /** @param {() => void} run */
  onClosed(run) {
    this.closed = run;
  }

  bufferedAmount() {
    return this.buffered;
  }

  /** @param {any} data */
  sendMessage(data) {
    if (!this.open) throw new Error('the channel is closed');
    this.sent.push(data);
  }

  sendMessageBinary = this.sendMessage;
}

class FakeConnection {
  channels = /** @type {FakeChannel[]} */ ([]);
  isClosed = false;
  isDescribed = false;
  /** @type {(state: string) => void} */
  state = () => {};
  /** @type {(state: string) => void} */
  gathering = () => {};
  /** @type {(channel: FakeChannel) => void} */
  opened = () => {};

  /** @param {string} _name @param {object} config */
  constructor(_name, config) {
    this.config = config;
    connections.push(this);
  }

  createDataChannel() {
    this.channels.push(new FakeChannel());
    return this.channels[this.channels.length - 1];
  }

  /** @param {(state: string) => void} run */
  onStateChange(run) {
    this.state = run;
  }

  /** @param {(state: string) => void} run */
  onGatheringStateChange(run) {
    this.gathering = run;
  }

  /** @param {(channel: FakeChannel) => void} run */
  onDataChannel(run) {
    this.opened = run;
  }

  setRemoteDescription() {}

  setLocalDescription() {
    this.isDescribed = true;
    this.gathering('complete');
  }

  localDescription() {
    return this.isDescribed ? { sdp: 'the answer' } : null;
  }

  rtt() {
    return 12;
  }

  close() {
    this.isClosed = true;
  }

  /** Report of the library once all is closed. */
  tellClosed() {
    this.state('closed');
    for (const channel of this.channels) channel.closed();
  }
}

/** @type {FakeConnection[]} */
let connections = [];

function setup() {
  connections = [];
  const clock = new FakeClock();
  const handler = { packet: vi.fn(), control: vi.fn(), closed: vi.fn() };
  const sessions = /** @type {any[]} */ ([]);
  const accept = (/** @type {any} */ session) => {
    session.handler = handler;
    sessions.push(session);
  };
  const log = { error: vi.fn(), warn() {}, info() {}, debug() {} };
  const transport = new DataChannelTransport(
    /** @type {any} */ ({ PeerConnection: FakeConnection }),
    { accept, clock, log, maxSessions: 2, idleTimeoutMs: 8000 },
  );
  /**
   * @param {string} [body]
   * @param {string} [type]
   * @returns {Promise<{ status: number, text: string, code: ErrorCode }>}
   */
  const offer = async (body = OFFER, type = DESCRIPTION_TYPE) => {
    const socket = {
      remoteAddress: '192.0.2.1',
      remotePort: 5,
      localAddress: '::ffff:198.51.100.7',
    };
    const request = Object.assign(Readable.from([Buffer.from(body)]), {
      headers: { 'content-type': type },
      socket,
    });
    return new Promise((resolve) => {
      const response = {
        headersSent: false,
        destroyed: false,
        status: 0,
        writeHead(/** @type {number} */ status) {
          this.headersSent = true;
          this.status = status;
        },
        end(/** @type {string} */ text) {
          resolve({
            status: this.status,
            text,
            code: text.startsWith('{') ? JSON.parse(text).code : null,
          });
        },
      };
      transport.handle(/** @type {any} */ (request), /** @type {any} */ (response));
    });
  };
  /** A session, and what the library has of it. */
  const session = async () => {
    await offer();
    const connection = connections[connections.length - 1];
    const [control, packets] = connection.channels;
    return { session: sessions[sessions.length - 1], connection, control, packets };
  };
  return { clock, transport, handler, offer, session, sessions, log };
}

/**
 * @param {FakeChannel} control
 * @returns {number | undefined} close number at the peer
 */
const told = ({ sent }) =>
  sent.map((text) => JSON.parse(text)).find(({ type }) => type === CLOSED)?.code;

it('data channels are off by name where their library is not there', async () => {
  vi.doMock('node-datachannel', () => {
    throw new Error('no build for this machine');
  });
  try {
    const { transport, line } = await openDataChannels(/** @type {any} */ ({}));
    expect(transport).toBeNull();
    expect(line).toMatch(
      /^Data channels are off: the package node-datachannel .*\. To turn them on: npm install/,
    );
  } finally {
    vi.doUnmock('node-datachannel');
  }
});

describe('offers', () => {
  it('are answered, with the address alone at which they came', async () => {
    const { offer } = setup();
    expect(await offer()).toMatchObject({ status: 201, text: 'the answer' });
    expect(connections[0].config).toMatchObject({ iceServers: [], bindAddress: '198.51.100.7' });
  });

  it.each(
    /** @type {const} */ ([
      ['of another type', 'content-type', OFFER, 'text/plain'],
      ['that are too long', 'body-too-large', OFFER.padEnd(MAX_OFFER_BYTES + 1), DESCRIPTION_TYPE],
      ['that lack something', 'bad-request', OFFER.slice(9), DESCRIPTION_TYPE],
    ]),
  )('%s are refused, and make no peer: %s', async (_what, code, body, type) => {
    const { offer } = setup();
    expect(await offer(body, type)).toMatchObject({ status: errors[code].status, code });
    expect(connections).toEqual([]);
  });

  it('are accepted up to a peer limit, with closing peers up to twice that limit', async () => {
    const { offer, sessions, clock } = setup();
    const refused = { status: 503, code: 'server-full' };
    await offer();
    await offer();
    expect(await offer()).toMatchObject(refused);
    for (const session of sessions) session.close(0, 'left');
    await offer();
    await offer();
    for (const session of sessions) session.close(0, 'left');
    clock.advance(5000);
    expect(await offer()).toMatchObject(refused);
    connections[0].tellClosed();
    expect(await offer()).toMatchObject({ status: 201 });
  });

  it('are accepted up to a burst, then two a second', async () => {
    const { offer, clock } = setup();
    const come = async () => {
      const { status } = await offer();
      connections[connections.length - 1].tellClosed();
      return status;
    };
    for (let i = 0; i < 4; i++) expect(await come()).toBe(201);
    expect(await come()).toBe(429);
    clock.advance(500);
    expect(await come()).toBe(201);
    expect(await come()).toBe(429);
  });

  it('come too late while the server closes, which waits for peers to close', async () => {
    const { offer, session, transport } = setup();
    const { control, connection } = await session();
    const closing = transport.close();
    expect(await offer()).toMatchObject({ code: 'server-closing' });
    expect(told(control)).toBe(errors['server-closing'].close);
    control.closed();
    connection.tellClosed();
    await closing;
  });

  it('that the library doesn’t take end in an error, which is logged', async () => {
    const { offer, log } = setup();
    vi.spyOn(FakeConnection.prototype, 'setRemoteDescription').mockImplementationOnce(() => {
      throw new Error('no such address');
    });
    expect(await offer()).toMatchObject({ status: 500, code: 'internal' });
    expect(log.error).toHaveBeenCalledWith(
      expect.objectContaining({ error: expect.stringContaining('no such address') }),
      'session failed',
    );
    expect(connections[0].isClosed).toBe(true);
  });
});

describe('a session on data channels', () => {
  it('ends within 8 s of the last packet heard, and its peer half a second later', async () => {
    const { session, clock, handler } = setup();
    const { connection, control, packets } = await session();
    clock.advance(5000);
    packets.say(Uint8Array.of(1));
    clock.advance(6000);
    expect(handler.closed).not.toHaveBeenCalled();
    clock.advance(1000);
    expect(handler.closed).toHaveBeenCalledWith(
      errors['idle-timeout'].close,
      errors['idle-timeout'].message,
    );
    expect(told(control)).toBe(errors['idle-timeout'].close);
    expect(connection.isClosed).toBe(false);
    clock.advance(500);
    expect(connection.isClosed).toBe(true);
  });

  it('tells a peer whose channel isn’t open yet that it ended, once it is open', async () => {
    const { session: made, clock } = setup();
    const { session, connection, control } = await made();
    control.open = false;
    session.close(errors['room-full'].close, 'full');
    clock.advance(499);
    expect(connection.isClosed).toBe(false);
    control.open = true;
    control.opens();
    expect(told(control)).toBe(errors['room-full'].close);
    clock.advance(1);
    expect(connection.isClosed).toBe(true);
  });

  it.each(
    /** @type {[string, ErrorCode, (made: Made) => void][]} */ ([
      ['a control channel without JSON', 'bad-request', ({ control }) => control.say('{')],
      [
        'a control channel with bytes',
        'bad-request',
        ({ control }) => control.say(Buffer.from('{}')),
      ],
      ['a packet channel with text', 'bad-request', ({ packets }) => packets.say('text')],
      [
        'a channel of the peer’s',
        'bad-request',
        ({ connection }) => connection.opened(new FakeChannel()),
      ],
      [
        'many packets',
        'too-many-requests',
        ({ packets }) =>
          Array(501)
            .fill(0)
            .forEach(() => packets.say(Uint8Array.of(1))),
      ],
      [
        'many messages',
        'too-many-requests',
        ({ control }) =>
          Array(501)
            .fill(0)
            .forEach(() => control.say('{}')),
      ],
      ['a connection that fails', 'session-lost', ({ connection }) => connection.state('failed')],
    ]),
  )('ends because of %s: %s', async (_what, code, act) => {
    const { session, handler } = setup();
    act(await session());
    expect(handler.closed.mock.calls).toEqual([[errors[code].close, errors[code].message]]);
  });

  it('drops and counts packets that are too long, queued, or for a closed channel', async () => {
    const made = await setup().session();
    const { packets } = made;
    expect(made.session.send(new Uint8Array(MAX_PACKET_BYTES))).toBe(true);
    expect(made.session.send(new Uint8Array(MAX_PACKET_BYTES + 1))).toBe(false);
    packets.buffered = MAX_QUEUED_BYTES + 1;
    expect(made.session.send(new Uint8Array(1))).toBe(false);
    packets.buffered = 0;
    packets.open = false;
    expect(made.session.send(new Uint8Array(1))).toBe(false);
    expect(packets.sent).toHaveLength(1);
    expect(made.session.stats()).toEqual({
      rttMs: 12,
      lostPackets: 0,
      droppedOut: 3,
      droppedIn: 0,
    });
  });

  it('ends where its control messages aren’t read', async () => {
    const { session, handler } = setup();
    const made = await session();
    made.control.buffered = MAX_STUCK_BYTES + 1;
    made.session.sendControl({ type: 'told' });
    expect(handler.closed).toHaveBeenCalledWith(
      errors['idle-timeout'].close,
      errors['idle-timeout'].message,
    );
  });
});
