#!/usr/bin/env bash
# murmurd's bandwidth limit spans a fixed number of packets, not a time: what is over the limit
# passes for seconds after a pause, and is then dropped in long gaps.
. "$(dirname "$0")/lib.sh"
need murmurd python3
debian mumble-server 1.3.4-4

port=$(free_port)
cat >"$work/murmur.ini" <<END
database=$work/open/murmur.sqlite
host=127.0.0.1
port=$port
logfile=
bonjour=False
registerName=
users=10
END
unprivileged
start "$work/murmurd.log" "${as[@]}" murmurd -fg -ini "$work/murmur.ini"
wait_for "$work/murmurd.log" 'Server listening'

cat >"$work/main.py" <<'END'
import socket
import ssl
import struct
import sys
import threading
import time

from claim import claim, finish

PORT = int(sys.argv[1])


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(value):
    """A whole number as voice packets have it, less than 2^21."""
    if value < 0x80:
        return bytes([value])
    if value < 0x4000:
        return bytes([0x80 | value >> 8, value & 0xFF])
    return bytes([0xC0 | value >> 16, value >> 8 & 0xFF, value & 0xFF])


def read_number(data, at):
    first = data[at]
    if first < 0x80:
        return first, at + 1
    if first < 0xC0:
        return (first & 0x3F) << 8 | data[at + 1], at + 2
    return (first & 0x1F) << 16 | data[at + 1] << 8 | data[at + 2], at + 3


class Client:
    def __init__(self, name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", PORT)))
        self.synced = threading.Event()
        self.heard = []
        self.lock = threading.Lock()
        self.send(0, b"\x08" + varint(0x010304))
        self.send(2, b"\x0a" + varint(len(name)) + name.encode() + b"\x28\x01")
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.ping, daemon=True).start()
        self.synced.wait(10)

    def send(self, kind, body):
        with self.lock:
            self.socket.sendall(struct.pack(">HI", kind, len(body)) + body)

    def ping(self):
        while True:
            time.sleep(5)
            self.send(3, b"\x08\x01")

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                sys.exit(0)
            data += part
        return data

    def read(self):
        while True:
            kind, length = struct.unpack(">HI", self.exactly(6))
            body = self.exactly(length)
            if kind == 5:
                self.synced.set()
            elif kind == 1 and body[0] >> 5 == 4:
                _, at = read_number(body, 1)
                self.heard.append(read_number(body, at)[0])

    def talk(self, first, count, each, size):
        begin = time.monotonic()
        for index in range(count):
            packet = bytes([4 << 5]) + number(first + index) + number(size) + bytes([252]) * size
            self.send(1, packet)
            time.sleep(max(0, begin + (index + 1) / each - time.monotonic()))


speaker, listener = Client("speaker"), Client("listener")
time.sleep(20)
speaker.talk(0, 1500, 100, 200)
time.sleep(1)
heard = listener.heard
runs = []
for sequence in heard:
    if runs and runs[-1][1] == sequence - 1:
        runs[-1][1] = sequence
    else:
        runs.append([sequence, sequence])
gaps = [after[0] - before[1] - 1 for before, after in zip(runs, runs[1:])]
claim("100 packets a second of 200 bytes, twice the default limit, all pass at first",
      runs[0][1] + 1 >= 300, f"{runs[0][1] + 1} packets, {(runs[0][1] + 1) / 100} s")
claim("then all are dropped for seconds, until the average of 360 is low enough",
      bool(gaps) and max(gaps) >= 300,
      f"{len(heard)} of 1500 heard, gaps of {gaps[:8]} packets")

time.sleep(20)
listener.heard = []
speaker.talk(3000, 1000, 50, 160)
time.sleep(1)
claim("50 a second of 160 bytes, 64 kbit/s of sound below a limit of 72, don't",
      800 <= len(listener.heard) < 990, f"{len(listener.heard)} of 1000")
finish()
END
cd "$work"
judge python3 main.py "$port"
