#!/usr/bin/env bash
# Chromium's echo cancellation makes two equal channels of a stereo microphone and still says 2;
# Firefox keeps them apart. Without processing, the length of captured pieces differs too.
. "$(dirname "$0")/lib.sh"
browser_pieces
need sox
sound_server 'sink_name=played channels=2 rate=48000 channel_map=front-left,front-right'
sox -n -r 48000 -c 2 "$work/sides.wav" synth 90 sine 500 sine 900 gain -12
start "$work/paplay.log" paplay --device=played "$work/sides.wav"
# Chromium lists no monitors.
pactl load-module module-remap-source master=played.monitor source_name=microphone channels=2 \
  channel_map=front-left,front-right master_channel_map=front-left,front-right >"$work/remap.log"
pactl set-default-source microphone

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open } from './browser.mjs';
import { claim } from './claim.mjs';

const capture = (page, constraints) => page.evaluate(async (audio) => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio });
  const [track] = stream.getAudioTracks();
  const context = new AudioContext({ sampleRate: 48_000 });
  await context.resume();
  const source = context.createMediaStreamSource(stream);
  const splitter = context.createChannelSplitter(2);
  source.connect(splitter);
  const sides = [0, 1].map((channel) => {
    const analyser = new AnalyserNode(context, { fftSize: 4_096, smoothingTimeConstant: 0 });
    splitter.connect(analyser, channel);
    return analyser;
  });
  await wait(2_000);
  // Level of the left side's sine in the left channel against that in the right, in dB.
  const level = (analyser) => {
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const at = Math.round((500 * 4_096) / 48_000);
    return Math.max(...bins.subarray(at - 2, at + 3));
  };
  // The clearest of several looks: a busy machine tears holes into the sound.
  let apart = 0;
  for (let look = 0; look < 10; look++) {
    await wait(300);
    const [left, right] = sides.map(level);
    if (left > -60) apart = Math.max(apart, Math.round(left - right));
  }
  let pieces = null;
  if ('MediaStreamTrackProcessor' in globalThis) {
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
    for (let count = 0; count < 20; count++) {
      const { value } = await reader.read();
      pieces = [value.numberOfFrames, value.sampleRate, value.numberOfChannels];
      value.close();
    }
    reader.cancel();
  }
  const { channelCount } = track.getSettings();
  track.stop();
  await context.close();
  return { channelCount, apart, pieces };
}, constraints);

const PLAIN = { autoGainControl: false, noiseSuppression: false };
for (const name of BROWSERS) {
  const { page, close } = await open(name, ['--use-fake-ui-for-media-stream']);
  const take = (echoCancellation, ideal) =>
    capture(page, { ...PLAIN, echoCancellation, channelCount: { ideal } });
  const cancelled = await take(true, 2);
  const plain = await take(false, 2);
  const one = await take(false, 1);
  const told = ({ channelCount, apart }) =>
    `${channelCount} channels by settings, ${apart} dB apart`;
  claim(`${name}, no processing: two sides`, plain.apart > 30, told(plain));
  if (name === 'chromium') {
    claim('chromium, echo cancellation: settings say 2, both are the same',
      cancelled.channelCount === 2 && Math.abs(cancelled.apart) <= 1, told(cancelled));
    claim('chromium, no processing, one channel asked for: 2 all the same', one.channelCount === 2,
      told(one));
    claim('chromium, no processing: pieces of 1024 frames', plain.pieces[0] === 1_024,
      plain.pieces);
    claim('chromium, echo cancellation: pieces of 480', cancelled.pieces[0] === 480,
      cancelled.pieces);
  } else {
    claim('firefox, echo cancellation: two sides all the same', cancelled.apart > 30,
      told(cancelled));
    claim('firefox, no processing, one channel asked for: 1', one.channelCount === 1, told(one));
  }
  await close();
}
END
cd "$work"
judge node main.mjs
