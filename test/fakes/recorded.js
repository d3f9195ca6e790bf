/** Recordings on the disk in the server's layout, for tests of readers. */

import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { DESCRIPTION } from '../../server/recording/recording-directory.js';
import { OggOpus } from '../../server/recording/ogg-opus.js';
import { preSkipOf, Track } from '../../server/recording/track.js';

/** @import { Codec } from '../../public/shared/stream/codec.js' */

/**
 * An Ogg Opus file of sound.
 * @param {Codec} codec
 * @param {Float32Array} pcm at 48 kHz; repeated from its end
 * @param {number} seconds
 * @param {{ bitrate?: number, frameMs?: number }} [options]
 * @returns {Uint8Array[]} its pages
 */
export function oggOf(codec, pcm, seconds, { bitrate = 48_000, frameMs = 20 } = {}) {
  const format = createAudioFormat({ sampleRate: 48_000, frameMs });
  const encoder = codec.createEncoder({
    sampleRate: 48_000,
    frameSamples: format.frameSamples,
    bitrate,
  });
  const pages = /** @type {Uint8Array[]} */ ([]);
  const preSkip = preSkipOf(format);
  const track = new Track(
    new OggOpus({
      serial: 7,
      preSkip,
      sampleRate: 48_000,
      tags: {},
      write: (page) => void pages.push(page),
    }),
    format,
  );
  const out = new Uint8Array(1275);
  const frame = new Float32Array(format.frameSamples);
  // The first sample that players keep is the first of `pcm`.
  const frames = Math.ceil((seconds * 48_000 + preSkip) / format.frameSamples);
  for (let k = 0; k < frames; k++) {
    for (let i = 0; i < frame.length; i++) {
      const at = k * frame.length + i - preSkip + encoder.lookahead;
      frame[i] = at < 0 ? 0 : pcm[at % pcm.length];
    }
    track.put(out, 0, encoder.encode(frame, out, 0));
  }
  track.end();
  encoder.close();
  return pages;
}

/**
 * Writes a finished recording to the disk.
 * @param {string} directory of recordings
 * @param {{ room?: string, mix: Uint8Array, seconds: number, isPublic?: boolean, bitrate?: number,
 *   others?: Record<string, string> }} recording others: texts by file
 * @returns {Promise<string>} its id
 */
export async function putRecording(
  directory,
  { room = 'tea', mix, seconds, isPublic = false, bitrate, others = {} },
) {
  const id = randomBytes(16).toString('base64url');
  const at = new Date().toISOString();
  const files = [{ file: 'mix.opus', label: 'Everybody', person: null, seconds }];
  await mkdir(join(directory, id), { recursive: true });
  await writeFile(join(directory, id, 'mix.opus'), mix);
  for (const [name, text] of Object.entries(others))
    await writeFile(join(directory, id, name), text);
  await writeFile(
    join(directory, id, DESCRIPTION),
    JSON.stringify({ id, room, startedAt: at, stoppedAt: at, isPublic, bitrate, files }),
  );
  return id;
}
