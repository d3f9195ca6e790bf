# shellcheck shell=bash
# Shared pieces of the scripts beside this file, which source it.
#
# Status of a script: 0 when all is as stated, 1 when a behaviour changed, 2 when something is
# missing. Everything that a script installs or writes lies in "$work" and goes with it.

set -euo pipefail

work=$(mktemp -d)
started=()

# Ends the processes that the script started, and removes its folder.
tidy() {
  local pid
  for pid in "${started[@]}"; do kill -- "-$pid" 2>>"$work/tidy.log" || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>>"$work/tidy.log" || true; done
  if [ -d "$work/go" ]; then chmod -R u+w "$work/go"; fi
  # A browser may still be writing its profile while it ends.
  rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }
}
trap tidy EXIT
trap 'exit 2' INT TERM

# Ends the script with status 2 and a sentence.
missing() {
  printf 'Missing: %s\n' "$*" >&2
  exit 2
}

# Checks that each command is there.
need() {
  local command
  for command in "$@"; do
    command -v "$command" >/dev/null || missing "the command $command."
  done
}

# Prints a TCP port that is free now.
free_port() {
  need python3
  python3 -c 'import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1])'
}

# Checks that a Debian package has the stated version: debian NAME VERSION.
debian() {
  local seen
  need dpkg-query
  seen=$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null) || seen=''
  [ -n "$seen" ] || missing "Debian's package $1 (seen with version $2)."
  printf 'version    %s %s\n' "$1" "$seen"
  [ "$seen" = "$2" ] || printf 'note       stated for %s %s\n' "$1" "$2"
}

# Starts a command in the background, in a process group that `tidy` ends: start LOG COMMAND.
start() {
  local log=$1
  shift
  setsid "$@" >"$log" 2>&1 </dev/null &
  started+=("$!")
}

# Waits up to 20 s until a line of a file matches: wait_for FILE PATTERN.
wait_for() {
  local tries
  for ((tries = 0; tries < 200; tries++)); do
    grep -qE -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.1
  done
  cat "$1" >&2 || true
  missing "a line with '$2' from a program that should have started."
}

# Sets the array `as`, a prefix for programs that don't run as root, and makes "$work/open", in
# which they may write.
unprivileged() {
  as=()
  mkdir -p "$work/open"
  [ "$(id -u)" = 0 ] || return 0
  need setpriv
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$work"
  chmod 777 "$work/open"
}

# Installs npm packages with exact versions: npm_install NAME@VERSION...
npm_install() {
  need node npm
  printf '{"type":"module","private":true}\n' >"$work/package.json"
  (cd "$work" && npm install --silent --no-audit --no-fund --save-exact "$@" >npm.log 2>&1) ||
    missing "the npm packages $*, which couldn't be installed."
  printf 'version    Node.js %s, %s\n' "$(node --version)" "$*"
}

# Installs PyPI packages with exact versions; their interpreter is "$work/venv/bin/python".
pip_install() {
  need python3
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet "$@"; } \
    >"$work/pip.log" 2>&1 || missing "the PyPI packages $*, which couldn't be installed."
  printf 'version    %s, %s\n' "$("$work/venv/bin/python" --version)" "$*"
}

# Builds "$work/main.rs" with the dependencies given as lines of Cargo.toml: cargo_build LINE...
# The program is "$work/target/release/finding".
cargo_build() {
  need cargo cc
  {
    printf '[package]\nname = "finding"\nversion = "0.0.0"\nedition = "2021"\n'
    printf '[[bin]]\nname = "finding"\npath = "main.rs"\n[dependencies]\n'
    printf '%s\n' "$@"
    printf '[profile.release]\nopt-level = 2\n'
  } >"$work/Cargo.toml"
  (cd "$work" && cargo build --release --quiet >cargo.log 2>&1) || {
    tail -n 30 "$work/cargo.log" >&2
    missing "a build of the crates $*."
  }
  printf 'version    %s' "$(cargo --version)"
  printf '%s\n' "$@" | sed -nE 's/^([a-z0-9-]+) = .*"=([0-9.]+)".*/, \1 \2/p' | tr -d '\n'
  printf '\n'
}

# Builds the Go program in "$work/main.go" with MODULE@VERSION...; the program is "$work/finding".
go_build() {
  need go
  (
    cd "$work"
    export GOPATH="$work/go" GOFLAGS=-modcacherw
    { go mod init finding && go get "$@" && go mod tidy && go build -o finding .; } >go.log 2>&1
  ) || {
    tail -n 30 "$work/go.log" >&2
    missing "a build of the Go modules $*."
  }
  printf 'version    %s, %s\n' "$(go version)" "$*"
}

# Runs the program that makes the claims, and ends with the script's status: judge COMMAND...
judge() {
  local status=0
  "$@" || status=$?
  case $status in
    0) printf 'All is as stated.\n' ;;
    10) printf 'The behaviour changed: see the lines above that begin with CHANGED.\n' && exit 1 ;;
    *) missing "a program that ran to its end (it ended with status $status)." ;;
  esac
}

# Claims of a Node program: claim(sentence, whether it holds, what was seen).
cat >"$work/claim.mjs" <<'END'
export function claim(sentence, holds, seen) {
  console.log(`${holds ? 'as stated ' : 'CHANGED   '} ${sentence}: ${seen}`);
  if (!holds) process.exitCode = 10;
}
END

# The same for Python; `finish` ends the program.
cat >"$work/claim.py" <<'END'
import sys

changed = False


def claim(sentence, holds, seen):
    global changed
    print(f"{'as stated ' if holds else 'CHANGED   '} {sentence}: {seen}", flush=True)
    changed = changed or not holds


def finish():
    sys.exit(10 if changed else 0)
END

# A voice-like sound, the same each time: vowels of a gliding pitch, noise, and pauses, about
# -23 dBFS. voice(samples, rate) gives a Float32Array.
cat >"$work/voice.mjs" <<'END'
const VOWELS = [[730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480]];

function resonator(hertz, rate) {
  const radius = Math.exp((-Math.PI * 80) / rate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hertz) / rate);
  let [last, before] = [0, 0];
  return (input) => {
    const output = input * (1 - radius) + turn * last - radius * radius * before;
    [before, last] = [last, output];
    return output;
  };
}

export function voice(samples, rate = 48_000) {
  const sound = new Float32Array(samples);
  let seed = 1;
  const noise = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  let phase = 0;
  let filters = [];
  for (let at = 0; at < samples; at++) {
    const syllable = Math.floor((at / rate) * 4);
    const within = (at / rate) * 4 - syllable;
    if (within * rate < 4) filters = VOWELS[syllable % 4].map((hertz) => resonator(hertz, rate));
    phase += (110 + 40 * Math.sin((at / rate) * 1.7) + 10 * (syllable % 3)) / rate;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    const loud = syllable % 6 === 5 ? 0 : Math.sin(Math.PI * within) ** 0.5;
    const source = within < 0.15 ? noise() * 0.3 : pulse * 4 + noise() * 0.01;
    sound[at] = loud * filters.reduce((sum, filter) => sum + filter(source), 0) + noise() * 1e-4;
  }
  const power = sound.reduce((sum, value) => sum + value * value, 0) / samples;
  return sound.map((value) => Math.max(-0.9, Math.min(0.9, (value * 0.07) / Math.sqrt(power))));
}
END

# Ogg Opus file of packets: oggOpus(packets, samples in each, { preSkip, channels }).
cat >"$work/ogg.mjs" <<'END'
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value >>> 0;
});

function page(packets, granule, number, flags) {
  const segments = packets.flatMap(({ length }) =>
    [...new Array(Math.floor(length / 255)).fill(255), length % 255]);
  const bytes = Buffer.concat([Buffer.alloc(27), Buffer.from(segments), ...packets]);
  bytes.write('OggS');
  bytes[5] = flags;
  bytes.writeBigUInt64LE(BigInt(granule), 6);
  bytes.writeUInt32LE(1, 14);
  bytes.writeUInt32LE(number, 18);
  bytes[26] = segments.length;
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) ^ TABLE[(crc >>> 24) ^ byte]) >>> 0;
  bytes.writeUInt32LE(crc, 22);
  return bytes;
}

export function oggOpus(packets, samples, { preSkip = 0, channels = 1, inPage = 50, padding = 0 } = {}) {
  const head = Buffer.from('OpusHead\x01\0\0\0\0\0\0\0\0\0\0', 'latin1');
  head[9] = channels;
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(48_000, 12);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8 + padding)]);
  const pages = [page([head], 0, 0, 2), page([tags], 0, 1, 0)];
  for (let at = 0; at < packets.length; at += inPage) {
    const end = Math.min(packets.length, at + inPage);
    const last = end === packets.length ? 4 : 0;
    pages.push(page(packets.slice(at, end), end * samples, pages.length, last));
  }
  return Buffer.concat(pages);
}
END

# Opus packets of a sine with a click: clickPackets(seconds, sample of the click, in samples of the
# decoded sound without its pre-skip). The encoder's own delay of 120 samples is in the pre-skip.
cat >"$work/click.mjs" <<'END'
import { Application, createEncoder } from 'libopus-wasm';

export async function clickPackets(seconds, click, preSkip) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels: 1, bitrate: 128_000, complexity: 10,
  });
  const packets = [];
  for (let at = 0; at < seconds * 48_000 + preSkip; at += 960) {
    const frame = Float32Array.from({ length: 960 }, (_, index) => {
      const sample = at + index - (preSkip - 120);
      const quiet = 0.01 * Math.sin(sample * 0.05);
      return sample === click ? 0.9 : quiet;
    });
    packets.push(encoder.encodeFloat(frame).slice());
  }
  encoder.free();
  return packets;
}
END

# Starts "$work/source.mjs", which writes its port into source.port, and an Icecast that relays the
# mounts given from it; sets `port` to Icecast's: icecast_relay MOUNT...
icecast_relay() {
  local mount relays='' tries
  cd "$work"
  start "$work/source.log" node source.mjs
  for ((tries = 0; tries < 100; tries++)); do
    [ -s source.port ] && break
    sleep 0.1
  done
  [ -s source.port ] || missing "a source that starts."
  for mount in "$@"; do
    relays+="<relay><server>127.0.0.1</server><port>$(cat source.port)</port><mount>$mount</mount>
      <local-mount>$mount</local-mount><on-demand>0</on-demand></relay>"
  done
  port=$(free_port)
  cat >icecast.xml <<END
<icecast>
  <limits><clients>20</clients><sources>5</sources><queue-size>524288</queue-size>
    <burst-on-connect>0</burst-on-connect></limits>
  <authentication><source-password>finding</source-password><admin-user>admin</admin-user>
    <admin-password>finding</admin-password></authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>$port</port><bind-address>127.0.0.1</bind-address></listen-socket>
  $relays
  <paths><logdir>$work/open</logdir><webroot>/usr/share/icecast2/web</webroot>
    <adminroot>/usr/share/icecast2/admin</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel>
  </logging>
</icecast>
END
  unprivileged
  start "$work/icecast.log" "${as[@]}" icecast2 -c "$work/icecast.xml"
}

# Pieces for pages in Chromium and Firefox, driven by puppeteer-core; further npm packages may be
# named: browser_pieces NAME@VERSION...
browser_pieces() {
  need chromium firefox-esr
  CHROMIUM=$(command -v chromium)
  FIREFOX=$(command -v firefox-esr)
  export CHROMIUM FIREFOX
  printf 'version    %s\n' "$("$CHROMIUM" --version 2>"$work/version.log")" \
    "$("$FIREFOX" --version 2>"$work/version.log")"
  npm_install puppeteer-core@24.30.0 "$@"

  # open(browser) gives a page on localhost, { page, close }, which has wait(ms) and
  # connect(server, path, options) for a session. servers() gives what the server told
  # of its ports, told() all lines since.
  cat >"$work/browser.mjs" <<'END'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import puppeteer from 'puppeteer-core';

export const BROWSERS = ['chromium', 'firefox'];

export const told = () =>
  readFileSync('server.log', 'utf8').split('\n').filter((line) => line[0] === '{').map(JSON.parse);

export const servers = () => Object.fromEntries(
  told().filter(({ event }) => event === 'ready').map((server) => [server.name, server]),
);

export async function open(browser, args = []) {
  const http = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Finding</title>');
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const chromium = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', ...args];
  const program = await puppeteer.launch({
    browser: browser === 'firefox' ? 'firefox' : 'chrome',
    executablePath: browser === 'firefox' ? process.env.FIREFOX : process.env.CHROMIUM,
    headless: true,
    userDataDir: `profile-${browser}-${Date.now()}`,
    args: browser === 'firefox' ? [] : chromium,
    ignoreDefaultArgs: browser === 'firefox' ? [] : ['--mute-audio'],
    extraPrefsFirefox: { 'media.autoplay.default': 0, 'media.navigator.permission.disabled': true },
    protocolTimeout: 120_000,
  });
  const page = await program.newPage();
  await page.goto(`http://localhost:${http.address().port}/`);
  await page.evaluate(() => {
    globalThis.wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    globalThis.connect = ({ port, digest }, path, options = {}) =>
      new WebTransport(`https://127.0.0.1:${port}${path}`, {
        serverCertificateHashes: [{ algorithm: 'sha-256', value: Uint8Array.from(digest) }],
        ...options,
      });
  });
  const close = async () => {
    await program.close();
    http.close();
    http.closeAllConnections();
  };
  return { page, close };
}
END
}

# A WebTransport server on aioquic, for webtransport_server.
server_pieces() {
  pip_install aioquic==1.7.2

  # Makes a certificate: makeCertificate(name, seconds until notBefore, seconds of validity). Both
  # ends are inclusive, so that the validity of RFC 5280 is a second more than their difference.
  cat >"$work/certificate.py" <<'END'
import datetime
import hashlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

KEYS = {
    "p256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "rsa": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ed25519": ed25519.Ed25519PrivateKey.generate,
}


def make_certificate(name, starts_in=-60, lasts=10 * 86400, kind="p256"):
    key = KEYS[kind]()
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    start += datetime.timedelta(seconds=starts_in)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(seconds=lasts))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .sign(key, None if kind == "ed25519" else hashes.SHA256())
    )
    with open(f"{name}-key.pem", "wb") as file:
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
    with open(f"{name}.pem", "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    return list(hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest())
END

  # Server of WebTransport sessions. A session's path says what it does: /send/COUNT/MS/SIZE sends
  # that many datagrams at that interval, /drain sends WT_DRAIN_SESSION after 500 ms. Datagrams of
  # the page are echoed as the four bytes of their length; a line of output tells each event.
  cat >"$work/server.py" <<'END'
import asyncio
import json
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DatagramReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, ProtocolNegotiated

from certificate import make_certificate


tickets = {}


def tell(**event):
    print(json.dumps(event), flush=True)


class Protocol(QuicConnectionProtocol):
    http = None

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic, enable_webtransport=True)
            tell(event="connection", connection=id(self))
        elif isinstance(event, HandshakeCompleted):
            tell(event="handshake", resumed=event.session_resumed)
        elif isinstance(event, ConnectionTerminated):
            self.http = None
        if self.http is None:
            return
        for http_event in self.http.handle_event(event):
            if isinstance(http_event, HeadersReceived):
                self.request(http_event)
            elif isinstance(http_event, DatagramReceived):
                number = int.from_bytes(http_event.data[:4], "big")
                tell(event="datagram", bytes=len(http_event.data), number=number)
                self.http.send_datagram(
                    http_event.stream_id, len(http_event.data).to_bytes(4, "big")
                )

    def request(self, event):
        headers = dict(event.headers)
        path = headers.get(b":path", b"/").decode()
        tell(event="session", path=path, connection=id(self))
        self.http.send_headers(
            event.stream_id, [(b":status", b"200"), (b"sec-webtransport-http3-draft", b"draft02")]
        )
        parts = path.split("/")[1:]
        if parts[0] == "send":
            asyncio.ensure_future(self.send(event.stream_id, *map(int, parts[1:])))
        elif parts[0] == "drain":
            asyncio.ensure_future(self.drain(event.stream_id))

    async def send(self, stream, count, interval, size):
        for number in range(count):
            if self.http is None:
                return
            self.http.send_datagram(stream, number.to_bytes(4, "big") + bytes(size - 4))
            self.transmit()
            if interval:
                await asyncio.sleep(interval / 1000)

    async def drain(self, stream):
        await asyncio.sleep(0.5)
        self.http.send_data(stream, bytes([0x80, 0x00, 0x78, 0xAE, 0x00]), end_stream=False)
        self.transmit()
        tell(event="drained")


async def main():
    kinds = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {"usual": {}}
    for name, options in kinds.items():
        digest = make_certificate(name, **options)
        configuration = QuicConfiguration(
            alpn_protocols=["h3"], is_client=False, max_datagram_frame_size=65536
        )
        configuration.load_cert_chain(f"{name}.pem", f"{name}-key.pem")
        server = await serve(
            "127.0.0.1",
            0,
            configuration=configuration,
            create_protocol=Protocol,
            session_ticket_fetcher=lambda label: tickets.pop(label, None),
            session_ticket_handler=lambda ticket: tickets.update({ticket.ticket: ticket}),
        )
        port = server._transport.get_extra_info("sockname")[1]
        tell(event="ready", name=name, port=port, digest=digest)
    tell(event="all ready")
    await asyncio.Event().wait()


asyncio.run(main())
END
}

# Pages and a server.
webtransport_pieces() {
  browser_pieces
  server_pieces
}

# Starts the server of server_pieces; its options are certificates by their names, in JSON.
webtransport_server() {
  (cd "$work" && printf '' >server.log)
  start "$work/server.log" env PYTHONPATH="$work" "$work/venv/bin/python" -u \
    -c "import os, sys; os.chdir(sys.argv.pop(1)); exec(open('server.py').read())" "$work" "$@"
  wait_for "$work/server.log" 'all ready'
}

# Starts a PulseAudio of the script's own with null sinks, each with the options given; programs
# that are started later use it. A sink's monitor is a source.
sound_server() {
  need pulseaudio pactl
  local -a modules=(-L "module-native-protocol-unix socket=$work/pulse.socket auth-anonymous=1")
  local sink
  for sink in "$@"; do modules+=(-L "module-null-sink $sink"); done
  export XDG_RUNTIME_DIR="$work/runtime" PULSE_SERVER="unix:$work/pulse.socket" HOME="$work"
  mkdir -p "$work/runtime"
  chmod 700 "$work/runtime"
  start "$work/pulse.log" pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no \
    "${modules[@]}"
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    pactl info >"$work/pactl.log" 2>&1 && return 0
    sleep 0.1
  done
  missing "a PulseAudio that starts."
}

# Lines of Cargo.toml for quinn, and "$work/pair.rs" with two endpoints in one process and a
# forwarder between them that delays packets and can change its port: quinn_pieces.
quinn_pieces() {
  need openssl
  quinn=(
    'quinn = { version = "=0.11.12", default-features = false, features = [
      "runtime-tokio", "rustls-ring"] }'
    'quinn-proto = { version = "=0.11.19", default-features = false }'
    'rustls = { version = "=0.23.46", default-features = false, features = ["ring", "std"] }'
    'tokio = { version = "=1.54.1", features = ["rt", "macros", "time", "net", "sync"] }'
    'bytes = "=1.12.1"'
  )
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 10 \
    -subj /CN=localhost -addext basicConstraints=critical,CA:FALSE \
    -addext subjectAltName=DNS:localhost -keyout "$work/key.pem" -out "$work/cert.pem" \
    2>"$work/openssl.log"
  openssl pkcs8 -topk8 -nocrypt -in "$work/key.pem" -outform der -out "$work/key.der"
  openssl x509 -in "$work/cert.pem" -outform der -out "$work/cert.der"
  cat >"$work/pair.rs" <<'END'
#![allow(dead_code)]
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig, TransportConfig};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;

static CERT: &[u8] = include_bytes!("cert.der");
static KEY: &[u8] = include_bytes!("key.der");

/// Two ends of a connection, and what keeps them.
pub struct Pair {
    pub server: Connection,
    pub client: Connection,
    pub move_port: Arc<AtomicBool>,
    _endpoints: (Endpoint, Endpoint),
}

/// Connects over IPv4 and a forwarder that delays each packet by `delay`; the server's socket is
/// bound to `bind`.
pub async fn connect(
    bind: &str,
    delay: Duration,
    server: TransportConfig,
    client: TransportConfig,
) -> Pair {
    let chain = vec![CertificateDer::from(CERT)];
    let key = PrivateKeyDer::try_from(KEY).unwrap();
    let mut config = ServerConfig::with_single_cert(chain, key).unwrap();
    config.transport_config(Arc::new(server));
    let listening = Endpoint::server(config, bind.parse().unwrap()).unwrap();
    let port = listening.local_addr().unwrap().port();
    let move_port = Arc::new(AtomicBool::new(false));
    let near = forward(SocketAddr::from(([127, 0, 0, 1], port)), delay, move_port.clone()).await;

    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(CERT)).unwrap();
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots)).unwrap();
    config.transport_config(Arc::new(client));
    let mut dialing = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
    dialing.set_default_client_config(config);
    let connecting = dialing.connect(near, "localhost").unwrap();
    let accepting = async { listening.accept().await.unwrap().await.unwrap() };
    let (client, server) = tokio::join!(async { connecting.await.unwrap() }, accepting);
    Pair { server, client, move_port, _endpoints: (listening, dialing) }
}

/// Forwards packets between the last sender to the returned address and `far`.
async fn forward(far: SocketAddr, delay: Duration, move_port: Arc<AtomicBool>) -> SocketAddr {
    let near = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let address = near.local_addr().unwrap();
    tokio::spawn(async move {
        let mut up = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let mut peer = None;
        let (mut one, mut other) = (vec![0; 65_536], vec![0; 65_536]);
        loop {
            tokio::select! {
                Ok((length, from)) = near.recv_from(&mut one) => {
                    peer = Some(from);
                    if move_port.swap(false, Ordering::SeqCst) {
                        up = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                    }
                    later(up.clone(), far, one[..length].to_vec(), delay);
                }
                Ok((length, _)) = up.recv_from(&mut other) => {
                    if let Some(to) = peer {
                        later(near.clone(), to, other[..length].to_vec(), delay);
                    }
                }
            }
        }
    });
    address
}

fn later(socket: Arc<UdpSocket>, to: SocketAddr, bytes: Vec<u8>, delay: Duration) {
    tokio::spawn(async move {
        tokio::time::sleep(delay).await;
        let _ = socket.send_to(&bytes, to).await;
    });
}

/// Prints whether a statement holds.
pub fn claim(changed: &mut bool, sentence: &str, holds: bool, seen: String) {
    println!("{} {sentence}: {seen}", if holds { "as stated " } else { "CHANGED   " });
    *changed |= !holds;
}
END
}
