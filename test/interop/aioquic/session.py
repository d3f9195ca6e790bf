"""Opens a session, writes a line on a stream of it and sends a datagram, and prints as JSON what comes back:
session.py <url> <line> <datagram in hex>"""

import asyncio
import json
import ssl
import sys
from urllib.parse import urlsplit

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DatagramReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived

LIMIT_S = 10


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic, enable_webtransport=True)
        self.status = asyncio.get_running_loop().create_future()
        self.line = asyncio.get_running_loop().create_future()
        self.datagrams = asyncio.Queue()
        self.stream = None
        self.text = b""

    def quic_event_received(self, event):
        # What comes back on a stream that this side opened isn't known to aioquic as WebTransport's.
        if isinstance(event, StreamDataReceived) and event.stream_id == self.stream:
            self.text += event.data
            if b"\n" in self.text and not self.line.done():
                self.line.set_result(self.text.split(b"\n")[0].decode())
            return
        for received in self.http.handle_event(event):
            if isinstance(received, HeadersReceived):
                self.status.set_result(dict(received.headers)[b":status"].decode())
            elif isinstance(received, DatagramReceived):
                self.datagrams.put_nowait(received.data)


async def main(url, line, datagram):
    target = urlsplit(url)
    configuration = QuicConfiguration(
        is_client=True, alpn_protocols=H3_ALPN, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE
    )
    async with connect(target.hostname, target.port, configuration=configuration, create_protocol=Client) as client:
        request = client._quic.get_next_available_stream_id()
        client.http.send_headers(
            request,
            [
                (b":method", b"CONNECT"),
                (b":scheme", b"https"),
                (b":authority", target.netloc.encode()),
                (b":path", target.path.encode()),
                (b":protocol", b"webtransport"),
            ],
        )
        client.transmit()
        status = await client.status
        if status != "200":
            return {"refused": int(status)}
        client.stream = client.http.create_webtransport_stream(request)
        client._quic.send_stream_data(client.stream, line.encode() + b"\n")
        client.transmit()
        answer = await client.line
        client.http.send_datagram(request, bytes.fromhex(datagram))
        client.transmit()
        return {"line": answer, "datagram": (await client.datagrams.get()).hex()}


print(json.dumps(asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), LIMIT_S))))
