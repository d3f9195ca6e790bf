/**
 * Measures the cost of segments on demand: processor time for a second of a recording's mix. One
 * case makes all rates of a broadcast, the other those of a mix recorded at 64 kb/s.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { createAudioFormat, RATES } from '../public/shared/sound/audio-format.js';
import { defaultEncoderSettings, MAX_OPUS_BYTES } from '../public/shared/stream/codec.js';
import { loadCodec } from '../server/codec/codec.js';
import { SegmentEncoder } from '../server/ondemand/segment-encoder.js';
import { ratesOf } from '../server/ondemand/segment-store.js';
import { OggOpus } from '../server/recording/ogg-opus.js';
import { Track } from '../server/recording/track.js';
import { wholeNumber } from './options.js';
import { readWav } from '../testkit/sound/wav.js';

const { seconds } = new Command('segments')
  .description("The processor time of making a second of a recording's mix into segments.")
  .option('--seconds <n>', 'of sound', wholeNumber(5, 3600), 60)
  .parse()
  .opts();

// That of the thread that makes them.
const codec = await loadCodec('libopus-wasm');

/** Records a voice that goes on. @returns {Promise<Buffer>} an Ogg Opus file */
async function mixOf() {
  const {
    channels: [speech],
  } = await readWav(new URL('../testkit/speech/speech-low.wav', import.meta.url));
  const format = createAudioFormat({});
  const { sampleRate, frameSamples } = format;
  const encoder = codec.createEncoder({ ...defaultEncoderSettings, sampleRate, frameSamples });
  /** @type {Uint8Array[]} */
  const pages = [];
  const track = new Track(
    new OggOpus({
      serial: 1,
      preSkip: encoder.lookahead,
      sampleRate,
      tags: {},
      write: (page) => void pages.push(page),
    }),
    format,
  );
  const payload = new Uint8Array(MAX_OPUS_BYTES);
  for (let at = 0; at < seconds * sampleRate; at += frameSamples) {
    const frame = Float32Array.from(
      { length: frameSamples },
      (_, i) => speech[(at + i) % speech.length],
    );
    track.put(payload, 0, encoder.encode(frame, payload, 0));
  }
  track.end();
  encoder.close();
  return Buffer.concat(pages);
}

const directory = await mkdtemp(join(tmpdir(), 'aloud-segments-'));
try {
  const mix = join(directory, 'mix.opus');
  await writeFile(mix, await mixOf());
  /** @type {Record<string, Record<string, number>>} */
  const rows = {};
  for (const rates of [RATES, ratesOf(64_000)]) {
    const encoder = await SegmentEncoder.open(codec, mix, directory, rates);
    await encoder.step(1, true);
    const [before, first] = [process.cpuUsage(), encoder.count];
    await encoder.step(Infinity, true);
    const { user, system } = process.cpuUsage(before);
    rows[`${rates.map((rate) => rate / 1000).join(', ')} kb/s`] = {
      'ms of a core for a second': Number(
        ((user + system) / 1000 / (encoder.count - first)).toFixed(1),
      ),
    };
    await encoder.close();
  }
  console.table(rows);
} finally {
  await rm(directory, { recursive: true, force: true });
}
