#!/usr/bin/env bash
# WebCodecs' Opus: `application: 'audio'` is speech-coded in Chromium and ignored in Firefox, and
# the first timestamp after a pre-skip differs.
. "$(dirname "$0")/lib.sh"
browser_pieces

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open } from './browser.mjs';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

const sound = Array.from(voice(48_000 * 2));

const encode = (page, application) => page.evaluate(async (samples, app) => {
  const packets = [];
  let description = null;
  const encoder = new AudioEncoder({
    output: (chunk, metadata) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      packets.push(bytes);
      if (metadata?.decoderConfig?.description) description = metadata.decoderConfig.description;
    },
    error: () => {},
  });
  encoder.configure({ codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, bitrate: 48_000,
    opus: { application: app, signal: 'voice' } });
  for (let at = 0; at < samples.length; at += 960) {
    encoder.encode(new AudioData({ format: 'f32-planar', sampleRate: 48_000, numberOfChannels: 1,
      numberOfFrames: 960, timestamp: (at / 48_000) * 1e6,
      data: Float32Array.from(samples.slice(at, at + 960)) }));
  }
  await encoder.flush();
  const kinds = {};
  for (const [toc] of packets.slice(10)) kinds[toc >> 3] = (kinds[toc >> 3] ?? 0) + 1;
  const [most] = Object.entries(kinds).sort(([, one], [, other]) => other - one)[0];
  const view = description &&
    new DataView(description.buffer ?? description, description.byteOffset ?? 0);
  return { most: Number(most), preSkip: view ? view.getUint16(10, true) : null };
}, sound, application);

const decode = (page) => page.evaluate(async () => {
  const outputs = [];
  const decoder = new AudioDecoder({
    output: (data) => {
      outputs.push([data.timestamp, data.numberOfFrames]);
      data.close();
    },
    error: () => {},
  });
  const description = new Uint8Array([...new TextEncoder().encode('OpusHead'), 1, 1, 0, 15,
    0x80, 0xbb, 0, 0, 0, 0, 0]);
  decoder.configure({ codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description });
  for (let at = 0; at < 10; at++) {
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: at * 20_000,
      data: Uint8Array.of(31 << 3, 255, 254) }));
  }
  await decoder.flush();
  return outputs;
});

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const seen = {};
  for (const application of ['voip', 'audio', 'lowdelay']) {
    seen[application] = await encode(page, application);
  }
  const told = JSON.stringify(seen);
  if (name === 'chromium') {
    claim("chromium, 'audio' for a voice: hybrid packets (configuration 15) as with 'voip'",
      seen.audio.most === 15 && seen.voip.most === 15, told);
    claim("chromium, 'lowdelay': CELT, and a pre-skip of 120 in place of 312",
      seen.lowdelay.most === 31 && seen.lowdelay.preSkip === 120 && seen.voip.preSkip === 312,
      told);
  } else {
    const modes = new Set(Object.values(seen).map(({ most }) => most));
    claim("firefox ignores 'application'", modes.size === 1 &&
      seen.lowdelay.preSkip === seen.voip.preSkip, told);
  }
  const outputs = await decode(page);
  const frames = outputs.reduce((sum, [, count]) => sum + count, 0);
  claim(`${name}: a pre-skip of 3840 is trimmed from ten packets of 960`, frames === 5_760, frames);
  const first = name === 'chromium' ? 0 : 80_000;
  claim(`${name}: the first output's timestamp is ${first} us`, outputs[0][0] === first,
    JSON.stringify(outputs.slice(0, 3)));
  await close();
}
END
cd "$work"
judge node main.mjs
