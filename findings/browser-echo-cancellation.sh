#!/usr/bin/env bash
# Echo cancellation takes out what the page itself plays, without any peer connection; Chromium's
# 'remote-only' doesn't.
. "$(dirname "$0")/lib.sh"
browser_pieces
sound_server 'sink_name=played channels=2 rate=48000'
pactl set-default-sink played
pactl load-module module-remap-source master=played.monitor source_name=microphone \
  >"$work/remap.log"
pactl set-default-source microphone

cat >"$work/main.mjs" <<'END'
import { open } from './browser.mjs';
import { claim } from './claim.mjs';

const { page, close } = await open('chromium', ['--use-fake-ui-for-media-stream']);
const level = (mode) => page.evaluate(async (echoCancellation) => {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation, autoGainControl: false, noiseSuppression: false },
  });
  const context = new AudioContext({ sampleRate: 48_000 });
  await context.resume();
  // Noise in bursts, as a voice is.
  const noise = new AudioBuffer({ length: 96_000, sampleRate: 48_000 });
  const samples = noise.getChannelData(0);
  let low = 0;
  for (let at = 0; at < samples.length; at++) {
    low = 0.8 * low + 0.2 * (Math.random() * 2 - 1);
    samples[at] = low * 0.5 * Math.abs(Math.sin(at / 4_000));
  }
  const player = new AudioBufferSourceNode(context, { buffer: noise, loop: true });
  player.connect(context.destination);
  player.start();
  const analyser = new AnalyserNode(context, { fftSize: 32_768 });
  context.createMediaStreamSource(stream).connect(analyser);
  await wait(10_000);
  const levels = [];
  for (let look = 0; look < 8; look++) {
    await wait(500);
    const sound = new Float32Array(32_768);
    analyser.getFloatTimeDomainData(sound);
    const power = sound.reduce((sum, value) => sum + value * value, 1e-9) / sound.length;
    levels.push(10 * Math.log10(power));
  }
  const [track] = stream.getAudioTracks();
  const settings = track.getSettings().echoCancellation;
  const modes = track.getCapabilities().echoCancellation;
  track.stop();
  await context.close();
  return { level: Math.round(levels.sort((one, other) => one - other)[4]), settings, modes };
}, mode);

const off = await level(false);
claim('none: the page hears itself', off.level > -40, `${off.level} dBFS`);
const on = await level(true);
claim('true: what the page plays is gone by 15 dB and more', on.level < off.level - 15,
  `${on.level} dBFS`);
const remote = await level('remote-only');
claim("'remote-only': nothing is taken out", Math.abs(remote.level - off.level) < 5,
  `${remote.level} dBFS`);
const all = await level('all');
claim("'all' is no error and reads back true; the modes listed don't have it",
  all.settings === true && !all.modes.includes('all'), `${all.settings}, of ${all.modes}`);
await close();
END
cd "$work"
judge node main.mjs
