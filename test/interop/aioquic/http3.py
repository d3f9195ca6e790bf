"""Speaks HTTP/3 frame by frame, well or badly, and prints as JSON what the server made of it:
http3.py <host> <port> <case>"""

import asyncio
import json
import ssl
import sys

import pylsqpack
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.buffer import Buffer, encode_uint_var as varint
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StopSendingReceived, StreamDataReceived, StreamReset

LIMIT_S = 8

DATA, HEADERS, SETTINGS, GOAWAY = 0, 1, 4, 7
DATAGRAMS = {0x33: 1}


def frame(kind, payload=b""):
    return varint(kind) + varint(len(payload)) + payload


def settings(pairs):
    return frame(SETTINGS, b"".join(varint(name) + varint(value) for name, value in pairs))


def headers(fields):
    encoder = pylsqpack.Encoder()
    _, section = encoder.encode(0, [(name.encode(), value.encode()) for name, value in fields])
    return frame(HEADERS, section)


def get(path, *more):
    return [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", path), *more]


def session(path="/session", protocol="webtransport"):
    return [(":method", "CONNECT"), *get(path)[1:], (":protocol", protocol)]


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.answers = {}
        self.received = {}
        self.over = asyncio.get_running_loop().create_future()

    def answer(self, stream):
        return self.answers.setdefault(stream, asyncio.get_running_loop().create_future())

    def tell(self, stream, **what):
        if not self.answer(stream).done():
            self.answer(stream).set_result(what)

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            closed = {"closed": event.error_code}
            self.over.set_result(closed)
            for stream in self.answers:
                self.tell(stream, **closed)
        elif isinstance(event, (StreamReset, StopSendingReceived)):
            if event.error_code != 0x100:
                self.tell(event.stream_id, reset=event.error_code)
        elif isinstance(event, StreamDataReceived) and event.stream_id % 4 == 0:
            bytes_ = self.received[event.stream_id] = self.received.get(event.stream_id, b"") + event.data
            self.read(event.stream_id, bytes_)

    def read(self, stream, bytes_):
        buffer = Buffer(data=bytes_)
        try:
            kind, length = buffer.pull_uint_var(), buffer.pull_uint_var()
            section = buffer.pull_bytes(length)
        except Exception:
            return
        assert kind == HEADERS
        _, fields = pylsqpack.Decoder(0, 0).feed_header(stream, section)
        fields = {name.decode(): value.decode() for name, value in fields}
        self.tell(stream, status=int(fields[":status"]), allow=fields.get("allow"))

    def stream(self, bytes_, uni=False, end=False):
        stream = self._quic.get_next_available_stream_id(is_unidirectional=uni)
        if not uni:
            self.answer(stream)
        self._quic.send_stream_data(stream, bytes_, end_stream=end)
        self.transmit()
        return stream

    def control(self, pairs=DATAGRAMS.items(), then=b"", end=False):
        return self.stream(varint(0) + settings(pairs) + then, uni=True, end=end)

    async def ask(self, bytes_, end=True):
        return await self.answer(self.stream(bytes_, end=end))

    async def ended(self):
        return await asyncio.shield(self.over)


async def one(client, bytes_, end=True):
    client.control()
    return await client.ask(bytes_, end)


async def many(client):
    client.control()
    for _ in range(40):
        client.stream(headers(get("/")), end=True)
    return await client.ended()


async def two_sessions(client):
    client.control()
    first = await client.ask(headers(session()), end=False)
    second = await client.ask(headers(session()), end=False)
    return {"first": first, "second": second}


async def session_behind_others(client):
    client.control()
    answers = [await client.ask(headers(get(path))) for path in ("/", "/nothing")]
    client.stream(varint(0x21) + b"unknown", uni=True)
    client.stream(varint(2), uni=True)
    client.stream(varint(3), uni=True)
    opened = await client.ask(headers(session()), end=False)
    return {"others": [answer["status"] for answer in answers], "session": opened}


async def settings_later(client):
    """A request that overtakes the SETTINGS, as packets may."""
    stream = client.stream(headers(session()))
    await asyncio.sleep(0.2)
    client.stream(varint(2), uni=True)
    client.control()
    return await client.answer(stream)


async def bad_control(client, bytes_, end=False):
    client.stream(bytes_, uni=True, end=end)
    return await client.ended()


CONTROL = varint(0) + settings(DATAGRAMS.items())

CASES = {
    "get": lambda client: one(client, headers(get("/session"))),
    "get elsewhere": lambda client: one(client, headers(get("/nothing?a=b"))),
    "post": lambda client: one(client, headers([(":method", "POST"), *get("/session")[1:]]) + frame(DATA, b"x" * 20_000)),
    "large headers": lambda client: one(client, headers(get("/session", *((f"x-{i}", "v" * 1000) for i in range(17))))),
    "large session": lambda client: one(client, headers([*session(), ("x-large", "v" * 17 * 1024)]), end=False),
    "websocket": lambda client: one(client, headers(session(protocol="websocket")), end=False),
    "session": lambda client: one(client, headers(session()), end=False),
    "session of later drafts": lambda client: one(client, headers(session(protocol="webtransport-h3")), end=False),
    "session elsewhere": lambda client: one(client, headers(session("/nothing")), end=False),
    "foreign origin": lambda client: one(client, headers([*session(), ("origin", "https://foreign.example")]), end=False),
    "two sessions": two_sessions,
    "session behind others": session_behind_others,
    "settings later": settings_later,
    "no datagrams": lambda client: bad_session(client, {}),
    "many": many,
    "unfinished": lambda client: one(client, b""),
    "malformed": lambda client: one(client, headers(get("/session", ("connection", "close")))),
    "no path": lambda client: one(client, headers(get("/session")[:3])),
    "data first": lambda client: one(client, frame(DATA, b"x") + headers(get("/"))),
    "settings in a request": lambda client: one(client, settings([]) + headers(get("/"))),
    "frame of http/2": lambda client: one(client, frame(6, b"12345678")),
    "cut off": lambda client: one(client, headers(get("/"))[:-1]),
    "not qpack": lambda client: one(client, frame(HEADERS, b"\x00\x00\x80")),
    "stream of no session": lambda client: one(client, varint(0x41) + varint(3) + b"x"),
    "push": lambda client: bad_control(client, varint(1) + varint(0)),
    "no settings": lambda client: bad_control(client, varint(0) + frame(GOAWAY, b"\0")),
    "settings twice": lambda client: bad_control(client, CONTROL + settings([])),
    "a setting twice": lambda client: bad_control(client, varint(0) + settings([(0x33, 1), (0x33, 1)])),
    "large settings": lambda client: bad_control(client, varint(0) + varint(SETTINGS) + varint(5000)),
    "control ends": lambda client: bad_control(client, CONTROL, end=True),
    "second control": lambda client: second_control(client),
}


async def bad_session(client, pairs):
    client.control(pairs.items())
    client.stream(headers(session()))
    return await client.ended()


async def second_control(client):
    client.control()
    return await bad_control(client, CONTROL)


async def main(host, port, case):
    configuration = QuicConfiguration(
        is_client=True, alpn_protocols=H3_ALPN, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE
    )
    async with connect(host, int(port), configuration=configuration, create_protocol=Client) as client:
        return await asyncio.wait_for(CASES[case](client), LIMIT_S)


print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
