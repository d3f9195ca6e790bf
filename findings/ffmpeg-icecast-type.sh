#!/usr/bin/env bash
# ffmpeg tells an Icecast server audio/mpeg for Ogg Opus, and its body has no length and no chunks.
. "$(dirname "$0")/lib.sh"
need ffmpeg python3
debian ffmpeg 7:5.1.9-0+deb12u1

cat >"$work/main.py" <<'END'
import socket
import subprocess

from claim import claim, finish


def head_of(*options):
    """The head of the request by which ffmpeg begins to send, as {name: value}, and its body."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        port = server.getsockname()[1]
        sender = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=duration=2",
             "-c:a", "libopus", "-f", "ogg", *options, f"icecast://source:key@127.0.0.1:{port}/x"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peer, _ = server.accept()
        with peer:
            peer.settimeout(20)
            got = b""
            while b"\r\n\r\n" not in got:
                got += peer.recv(4096)
            lines = got.split(b"\r\n\r\n")[0].decode().split("\r\n")
            peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = peer.recv(4096)
        sender.kill()
        sender.wait()
    fields = dict(line.lower().split(": ", 1) for line in lines[1:])
    return lines[0], fields, body


first, plain, body = head_of()
claim("the type of Ogg Opus is audio/mpeg by default", plain["content-type"] == "audio/mpeg",
      f"{first}, {plain['content-type']}")
_, told, _ = head_of("-content_type", "audio/ogg")
claim("it is right with -content_type", told["content-type"] == "audio/ogg", told["content-type"])
framing = [name for name in ("content-length", "transfer-encoding") if name in plain]
claim("the body of its HTTP/1.1 request has neither a length nor chunks",
      framing == [] and first.endswith("HTTP/1.1"), f"{first}, {framing}")
claim("it waits for 100 Continue, and begins with the first page",
      plain.get("expect") == "100-continue" and body[:4] == b"OggS", f"{body[:4]!r}")
finish()
END
judge python3 "$work/main.py"
