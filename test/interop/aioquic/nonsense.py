"""Speaks HTTP/3 badly, connection after connection, until its input ends, and prints as JSON what it did:
nonsense.py <host> <port>"""

import asyncio
import json
import random
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.buffer import encode_uint_var as varint
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated

AT_ONCE = 4
STREAMS = 12
LIMIT_S = 2

rng = random.Random(1)
counted = {"connections": 0, "closed": {}, "failed": 0}


class Client(QuicConnectionProtocol):
    over = None

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            code = str(event.error_code)
            counted["closed"][code] = counted["closed"].get(code, 0) + 1
            if self.over and not self.over.done():
                self.over.set_result(None)


def frame():
    kind = rng.choice([0, 1, 1, 1, 2, 3, 4, 5, 7, 13, 0x21, 0x41, 0x54, rng.getrandbits(20)])
    payload = rng.randbytes(rng.choice([0, 1, 8, 100, 1000, 17000]))
    length = rng.choice([len(payload), len(payload), len(payload) + 5, rng.getrandbits(40)])
    return varint(kind) + varint(length) + payload


async def one(host, port):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE)
    async with connect(host, port, configuration=configuration, create_protocol=Client) as client:
        counted["connections"] += 1
        client.over = asyncio.get_running_loop().create_future()
        if rng.random() < 0.7:
            stream = client._quic.get_next_available_stream_id(is_unidirectional=True)
            client._quic.send_stream_data(stream, varint(0) + varint(4) + varint(2) + varint(0x33) + varint(1))
        for _ in range(STREAMS):
            stream = client._quic.get_next_available_stream_id(is_unidirectional=rng.random() < 0.3)
            client._quic.send_stream_data(stream, b"".join(frame() for _ in range(rng.randrange(4))), end_stream=rng.random() < 0.5)
            if rng.random() < 0.3:
                client._quic.send_datagram_frame(rng.randbytes(rng.randrange(100)))
            client.transmit()
            await asyncio.sleep(0)
        try:
            await asyncio.wait_for(client.over, LIMIT_S)
        except asyncio.TimeoutError:
            pass


async def again(host, port, ended):
    while not ended.is_set():
        try:
            await asyncio.wait_for(one(host, port), 2 * LIMIT_S)
        except Exception:
            counted["failed"] += 1
            await asyncio.sleep(0.05)


async def main(host, port):
    ended = asyncio.Event()
    asyncio.get_running_loop().run_in_executor(None, sys.stdin.read).add_done_callback(lambda _: ended.set())
    await asyncio.gather(*(again(host, int(port), ended) for _ in range(AT_ONCE)))
    return counted


print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
