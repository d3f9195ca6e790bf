"""Recognises English speech with PocketSphinx, whose package contains a model:

    python3 -m venv speech && speech/bin/pip install pocketsphinx==5.1.1

Reads 16-bit mono samples from stdin, at the rate in the first argument, in Hz: 8000, 16000, 32000
or 48000. Writes a line of JSON after each speech: {"text": ..., "final": true, "seconds": ...},
with its length. examples/write-captions.js starts one of these for each voice. A recogniser that
guesses while somebody speaks may write lines with "final": false before.
"""

import json
import sys

from pocketsphinx import Decoder, Endpointer, set_loglevel

# Longest speech that is recognised as a whole, in seconds.
MOST_SECONDS = 15


def recognise(decoder, rate, speech):
    # As a whole, the level and colour of the voice are known from the first word on.
    decoder.start_utt()
    decoder.process_raw(speech, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    if found and found.hypstr.strip():
        seconds = round(len(speech) / 2 / rate, 2)
        print(json.dumps({"text": found.hypstr.strip(), "final": True, "seconds": seconds}))
        sys.stdout.flush()


def main():
    rate = int(sys.argv[1])
    set_loglevel("FATAL")
    endpointer = Endpointer(sample_rate=rate)
    decoder = Decoder(samprate=rate)
    speech = b""
    while True:
        frame = sys.stdin.buffer.read(endpointer.frame_bytes)
        if len(frame) < endpointer.frame_bytes:
            break
        speech += endpointer.process(frame) or b""
        is_over = not endpointer.in_speech or len(speech) > MOST_SECONDS * rate * 2
        if speech and is_over:
            recognise(decoder, rate, speech)
            speech = b""
    if speech:
        recognise(decoder, rate, speech)


if __name__ == "__main__":
    main()
