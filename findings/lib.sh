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
  printf 'version    %s, %s\n' "$(cargo --version)" "$*"
}

# Builds the Go program in "$work/main.go" with MODULE@VERSION...; the program is "$work/finding".
go_build() {
  need go
  (
    cd "$work"
    export GOPATH="$work/go" GOFLAGS=-modcacherw
    { go mod init finding && go get "$@" && go build -o finding .; } >go.log 2>&1
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

export function oggOpus(packets, samples, { preSkip = 0, channels = 1, inPage = 50 } = {}) {
  const head = Buffer.from('OpusHead\x01\0\0\0\0\0\0\0\0\0\0', 'latin1');
  head[9] = channels;
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(48_000, 12);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
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
