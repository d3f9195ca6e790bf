#!/usr/bin/env bash
# Each tool writes another length into a WAV on a pipe; three of four aren't 0xffffffff or 0.
. "$(dirname "$0")/lib.sh"
need sox ffmpeg gst-launch-1.0 arecord python3
debian sox 14.4.2+git20190427-3.5
debian ffmpeg 7:5.1.9-0+deb12u1
debian gstreamer1.0-plugins-good 1.22.0-5+deb12u4
debian alsa-utils 1.2.8-1

sox -n -r 48000 -b 16 -c 1 "$work/tone.wav" synth 1 sine 440 gain -12
sox "$work/tone.wav" -t raw - | sox -t raw -r 48000 -e signed -b 16 -c 1 - -t wav - \
  2>"$work/sox.log" | cat >"$work/sox.pipe"
sox "$work/tone.wav" -t wav - | cat >"$work/sox-known.pipe"
ffmpeg -loglevel error -i "$work/tone.wav" -f wav - | cat >"$work/ffmpeg.pipe"
gst-launch-1.0 -q filesrc location="$work/tone.wav" ! wavparse ! wavenc ! fdsink fd=1 \
  2>"$work/gst.log" | cat >"$work/gstreamer.pipe" || true
printf 'pcm.!default { type null }\n' >"$work/asound.conf"
{ timeout 2 env ALSA_CONFIG_PATH="/usr/share/alsa/alsa.conf:$work/asound.conf" \
  arecord -q -D null -f S16_LE -r 48000 -c 1 -t wav 2>"$work/arecord.log" || true; } |
  head -c 100000 >"$work/arecord.pipe" || true

cat >"$work/main.py" <<'END'
import os
import struct

from claim import claim, finish

folder = os.path.dirname(os.path.abspath(__file__))


def lengths(name):
    with open(f"{folder}/{name}.pipe", "rb") as file:
        data = file.read()
    if data[:4] != b"RIFF":
        return None, None, None, data
    riff = struct.unpack("<I", data[4:8])[0]
    at = 12
    while data[at : at + 4] != b"data":
        at += 8 + struct.unpack("<I", data[at + 4 : at + 8])[0]
    return riff, struct.unpack("<I", data[at + 4 : at + 8])[0], at + 8, data


def told(riff, size):
    return "no WAV" if riff is None else f"RIFF {riff:#x}, data {size:#x}"


riff, size, _, _ = lengths("sox")
claim("sox, length unknown: just below 2^31", size is not None and 0x7FFFE000 <= size < 2**31 - 1,
      told(riff, size))
riff, size, _, _ = lengths("sox-known")
claim("sox from a file: the true length, on a pipe too", size == 96000, told(riff, size))
riff, size, _, _ = lengths("ffmpeg")
claim("ffmpeg: all bits set", size == 0xFFFFFFFF, told(riff, size))
riff, size, start, data = lengths("gstreamer")
claim("GStreamer's wavenc: another number below 2^31", size == 0x7FFF0000, told(riff, size))
rest = data[start + 96000 :]
claim("GStreamer: another chunk behind the samples, inside the stated length",
      rest[:4] == b"LIST", f"{len(rest)} bytes, {rest[:4]!r}")
riff, size, _, _ = lengths("arecord")
claim("arecord: 2^31, above the largest signed number", size == 0x80000000, told(riff, size))
finish()
END
judge python3 "$work/main.py"
