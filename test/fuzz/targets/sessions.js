/**
 * Sessions of each transport with a room behind them, where somebody else hears. An input is a list
 * of what a client does: each entry's first byte says what, the rest are its bytes.
 *
 * @import { Target } from '../target.js'
 */

import { EventEmitter } from 'node:events';
import { Duplex, Readable } from 'node:stream';
import { readList } from '../../../public/shared/wire/packet-list.js';
import { createHttp1Transport } from '../../../server/transport/http1.js';
import { createWebSocketTransport } from '../../../server/transport/websocket.js';
import { NativeEngineSession } from '../../../server/transport/webtransport-native.js';
import { Conference } from '../../fakes/conference.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';
import { bytesOf, check } from '../target.js';
import { packets } from './audio-packets.js';
import { commands, joins, messages, moderation } from './control-lines.js';
import { listOf } from './packet-lists.js';
import { errorsTo } from '../../../testkit/log-lines.js';

/** The frames of the grid that pass after an input, and the inputs of one room. */
const FRAMES = 3;
const ROOM_LASTS = 50;

/** A join to the listener's room, and one to a room of one's own, whose moderator one is. */
const [JOIN] = joins;
const JOIN_ALONE = joins[joins.length - 1];

/** A room with a listener, in which many inputs come and go. */
class Room {
  /** @type {FakeSession} */
  #listener = new FakeSession();
  conference = new Conference({
    idleTimeoutMs: 600_000,
    maxParticipants: 100,
    maxPeople: 100,
    maxRooms: 100,
  });
  #inputs = 0;

  static async open() {
    const room = new Room();
    room.#listener = (await room.conference.join('Bob')).session;
    return room;
  }

  get log() {
    return errorsTo(this.conference.logged);
  }

  /** Lets time pass, and looks whether all is well. */
  check() {
    const { logged } = this.conference;
    this.conference.pass(FRAMES);
    check(logged.length === 0, `nothing is logged as an error, such as ${String(logged[0])}`);
    check(this.#listener.closed === null, 'another is still in the room');
    check(this.#listener.packets.length <= FRAMES + 1, 'another hears no more than there is');
    this.#listener.packets.length = 0;
    this.#listener.messages.length = 0;
    return (this.#inputs += 1) < ROOM_LASTS;
  }
}

/** @type {Room | null} */
let room = null;

/** @param {(room: Room) => void | Promise<void>} act */
async function inRoom(act) {
  room ??= await Room.open();
  const mine = room;
  try {
    await act(mine);
    if (!mine.check()) room = null;
  } catch (error) {
    room = null;
    throw error;
  }
}

/** Acts of a client: a datagram, a packet over TCP, a control line or part of it. */
const entry = (/** @type {number} */ what, /** @type {Uint8Array} */ bytes) =>
  Uint8Array.of(what, ...bytes);
const linesOf = (/** @type {string[]} */ texts) =>
  texts.map((text) => entry(1, bytesOf(`${text}\n`)));
const datagrams = packets.map((bytes) => entry(0, bytes));
const scripts = [
  listOf([...linesOf([JOIN]), ...datagrams]),
  listOf(linesOf([JOIN, ...commands])),
  listOf(linesOf([JOIN_ALONE, ...moderation])),
  ...moderation.map((text) =>
    listOf([...linesOf([JOIN_ALONE]), ...datagrams, ...linesOf([text, ...commands])]),
  ),
  listOf([...datagrams, ...linesOf(messages)]),
  listOf([
    entry(1, bytesOf(JOIN)),
    entry(1, bytesOf('\n')),
    datagrams[0],
    datagrams[1],
    entry(2, new Uint8Array(0)),
  ]),
];

/** Events of the native engine: datagrams, and a control stream in pieces. @type {Target} */
export const engineSessions = {
  name: 'engine-sessions',
  cost: 200,
  valid: scripts,
  run: (input) =>
    inRoom(({ conference, log }) => {
      const native = /** @type {any} */ ({
        id: 1,
        peer: '192.0.2.9:1',
        send: () => true,
        letWait() {},
        path: () => false,
        stats: () => null,
        close() {},
      });
      const session = new NativeEngineSession({
        transport: fakeTransport(),
        native,
        clock: conference.clock,
        log,
        onEnd() {},
      });
      session.offerTo(conference.arrivals.accept);
      /** @type {Uint8Array[]} */
      const waiting = [];
      const stream = {
        bidi: true,
        writable: true,
        write: () => true,
        stop() {},
        reset() {},
        onReadable() {},
        read(/** @type {Uint8Array} */ into) {
          const chunk = waiting.shift();
          if (!chunk) return 0;
          into.set(chunk.subarray(0, into.length));
          return Math.min(chunk.length, into.length);
        },
      };
      native.onStream(stream);
      readList(input, (what) => {
        if (what[0] === 0) native.onDatagram(what.slice(1), conference.clock.now());
        else if (what[0] === 2) native.onStream(stream);
        else waiting.push(what.slice(1));
        stream.onReadable();
      });
      native.onClosed(0, '', 'peer');
    }),
};

/**
 * A frame as clients send it (RFC 6455, section 5.2), masked with zeros.
 * @param {number} first
 * @param {Uint8Array} bytes
 */
function frame(first, bytes) {
  const length =
    bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >>> 8, bytes.length & 0xff];
  return Uint8Array.of(first, ...length, 0, 0, 0, 0, ...bytes);
}

const FRAME = {
  text: 0x81,
  binary: 0x82,
  close: 0x88,
  ping: 0x89,
  pong: 0x8a,
  begun: 0x01,
  goesOn: 0x80,
};
const frames = [
  frame(FRAME.text, bytesOf(JOIN)),
  ...packets.slice(0, 4).map((bytes) => frame(FRAME.binary, bytes)),
  ...commands.map((text) => frame(FRAME.text, bytesOf(text))),
  frame(FRAME.ping, bytesOf('1')),
  frame(FRAME.pong, bytesOf('1')),
  frame(FRAME.begun, bytesOf('{"type":')),
  frame(FRAME.goesOn, bytesOf('"leave"}')),
  frame(FRAME.close, Uint8Array.of(3, 0xe8)),
];
const joined = (/** @type {Uint8Array[]} */ list) =>
  Uint8Array.from(list.flatMap((bytes) => [...bytes]));

const moderated = joined(
  [JOIN_ALONE, ...moderation].map((text) => frame(FRAME.text, bytesOf(text))),
);

/** Bytes of a WebSocket, behind its handshake. @type {Target} */
export const webSockets = {
  name: 'websockets',
  cost: 400,
  valid: [
    joined(frames),
    joined(frames.slice(0, 5)),
    joined([frames[0], frames[1]]),
    moderated,
    ...frames,
  ],
  run: (input) =>
    inRoom(async ({ conference, log }) => {
      const server = new EventEmitter();
      const { accept } = conference.arrivals;
      const options = {
        accept,
        server: /** @type {any} */ (server),
        maxSessions: 10,
        idleTimeoutMs: 1000,
        log,
      };
      const transport = createWebSocketTransport({ ...options, clock: conference.clock });
      const socket = Object.assign(
        new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() }),
        {
          setTimeout() {},
          setNoDelay() {},
          remoteAddress: '192.0.2.9',
          remotePort: 1,
        },
      );
      const headers = {
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      };
      server.emit(
        'upgrade',
        { method: 'GET', url: '/session', headers, socket },
        socket,
        Buffer.alloc(0),
      );
      socket.push(Buffer.from(input));
      await new Promise((resolve) => void setImmediate(resolve));
      socket.destroy();
      await new Promise((resolve) => void socket.once('close', resolve));
      await transport.close();
    }),
};

/** Bodies of HTTP/1: the JSON that opens a session, and a list of packets. @type {Target} */
export const httpBodies = {
  name: 'http-bodies',
  cost: 200,
  valid: [
    joined([
      Uint8Array.of(0),
      listOf([...packets, ...messages.map((text) => entry(0x14, bytesOf(text)))]),
    ]),
    joined([Uint8Array.of(0), listOf(packets)]),
    ...joins.map((text) => entry(1, bytesOf(text))),
  ],
  run: (input) =>
    inRoom(async ({ conference, log }) => {
      const options = {
        maxSessions: 10,
        idleTimeoutMs: 1000,
        clock: conference.clock,
        log,
        randomToken: () => 'token',
      };
      const transport = createHttp1Transport({ accept: conference.arrivals.accept, ...options });
      const isOpening = input[0] === 1;
      await post(
        transport,
        '/api/sessions',
        'application/json',
        isOpening ? input.slice(1) : bytesOf(JOIN),
      );
      await post(
        transport,
        '/api/sessions/token/packets',
        'application/octet-stream',
        isOpening ? packets[0] : input.slice(1),
      );
      await transport.close();
    }),
};

/**
 * @param {ReturnType<typeof createHttp1Transport>} transport
 * @param {string} url
 * @param {string} type
 * @param {Uint8Array} body
 */
async function post(transport, url, type, body) {
  const headers = { 'content-type': type, 'content-length': String(body.length) };
  const socket = { remoteAddress: '192.0.2.9', remotePort: 1 };
  const request = Object.assign(Readable.from([Buffer.from(body)]), {
    url,
    method: 'POST',
    headers,
    socket,
  });
  const response = Object.assign(new EventEmitter(), {
    headersSent: false,
    destroyed: false,
    writableFinished: false,
    status: 0,
  });
  const answered = new Promise((resolve) => {
    Object.assign(response, {
      setHeader() {},
      writeHead(/** @type {number} */ status) {
        Object.assign(response, { status, headersSent: true });
      },
      end() {
        response.writableFinished = true;
        response.emit('close');
        resolve(undefined);
      },
    });
  });
  transport.handle(/** @type {any} */ (request), /** @type {any} */ (response), () =>
    check(false, 'the request is for it'),
  );
  await answered;
  check(response.status !== 0 && response.status !== 500, `a status, not ${response.status}`);
}
