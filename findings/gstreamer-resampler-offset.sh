#!/usr/bin/env bash
# GStreamer's resampler moves sound by a seventh of a sample, and gives one sample less.
. "$(dirname "$0")/lib.sh"
need gst-launch-1.0 ffmpeg sox
debian gstreamer1.0-plugins-base 1.22.0-3+deb12u7
debian ffmpeg 7:5.1.9-0+deb12u1
debian sox 14.4.2+git20190427-3.5
pip_install numpy==2.3.5

cat >"$work/make.py" <<'END'
import numpy

# A band-limited click at sample 44100 of two seconds.
at = numpy.arange(88200) - 44100
window = numpy.where(abs(at) < 200, 0.5 + 0.5 * numpy.cos(numpy.pi * at / 200), 0)
click = numpy.sinc(at * 0.5) * window
(click * 0.8).astype("<f4").tofile("click.f32")
END
(cd "$work" && venv/bin/python make.py)
sox -t raw -r 44100 -e float -b 32 -c 1 "$work/click.f32" -b 32 -e float "$work/click.wav"

caps=audio/x-raw,format=F32LE,layout=interleaved,channels=1
gst-launch-1.0 -q filesrc location="$work/click.wav" ! wavparse ! audioconvert ! \
  "$caps,rate=44100" ! audioresample ! "$caps,rate=48000" ! \
  filesink location="$work/gstreamer.f32"
gst-launch-1.0 -q filesrc location="$work/click.wav" ! wavparse ! audioconvert ! \
  "$caps,rate=44100" ! audioresample quality=10 ! "$caps,rate=48000" ! \
  filesink location="$work/gstreamer10.f32"
ffmpeg -loglevel error -i "$work/click.wav" -ar 48000 -f f32le "$work/ffmpeg.f32"
sox "$work/click.wav" -t raw -e float -b 32 "$work/sox.f32" rate -v 48000

cat >"$work/main.py" <<'END'
import numpy

from claim import claim, finish


def peak(name):
    sound = numpy.fromfile(f"{name}.f32", "<f4").astype(float)
    top = int(numpy.argmax(sound))
    # The middle of the band-limited click, by the phase of its spectrum.
    part = sound[top - 512 : top + 512]
    spectrum = numpy.fft.rfft(numpy.roll(part, -512))
    bins = numpy.arange(8, 120)
    phase = numpy.unwrap(numpy.angle(spectrum[bins]))
    slope = numpy.polyfit(bins, phase, 1)[0]
    return top - slope * 1024 / (2 * numpy.pi), len(sound)


for name in ["ffmpeg", "sox"]:
    where, samples = peak(name)
    claim(f"{name}: at sample 48000 of 96000",
          abs(where - 48000) < 0.01 and abs(samples - 96000) <= 1, f"{where:.3f} of {samples}")
where, samples = peak("gstreamer")
claim("GStreamer: later by 0.14 of a sample, and a sample is missing",
      0.1 < where - 48000 < 0.17 and samples == 95999, f"{where:.3f} of {samples}")
where, samples = peak("gstreamer10")
claim("GStreamer with quality=10: a quarter of that, but the sample is missing too",
      0.01 < where - 48000 < 0.06 and samples == 95999, f"{where:.3f} of {samples}")
finish()
END
cd "$work"
judge venv/bin/python main.py
