/**
 * Writes a recording's mix as WebM: the same Opus packets, for browsers that play no Ogg. It is
 * made once, on request, with an index at its front, so that players can seek by range requests.
 */

import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { payloadSamples } from '../../public/shared/stream/codec.js';
import { GRANULE_RATE } from './ogg-opus.js';
import { OggOpusReader } from './ogg-reader.js';
import { MIX_FILE } from './recording.js';
import { cuesOf, WebmOpus } from './webm-opus.js';

export const WEBM_FILE = 'mix.webm';

/**
 * Sound of a cluster, in samples: the least that a player reads after seeking, and the most by
 * which `ffmpeg -c copy` cuts early. The index, which a player reads first, grows by some 22 bytes
 * per cluster: 40 kB per hour.
 */
const CLUSTER_SAMPLES = 2 * GRANULE_RATE;

/** Makes WebM files of recordings, one at a time, because each uses the full speed of the disk. */
export class WebmMaker {
  #events;
  /** Running jobs by recording's id. @type {Map<string, Promise<void>>} */
  #making = new Map();
  /** @type {Promise<void>} */
  #last = Promise.resolve();

  /**
   * @param {{ made: (id: string, bytes: number) => void, failed: (error: unknown) => void }} events
   */
  constructor(events) {
    this.#events = events;
  }

  /** Waits for the end of a recording's job. @param {string} id */
  async made(id) {
    await this.#making.get(id);
  }

  /**
   * @param {string} id
   * @param {string} root  directory of the recording
   * @returns {Promise<void>} settles when the file is made or has failed
   */
  make(id, root) {
    const underway = this.#making.get(id);
    if (underway) return underway;
    const { made, failed } = this.#events;
    this.#last = this.#last
      .then(async () => made(id, await writeWebm(join(root, MIX_FILE), join(root, WEBM_FILE))))
      .catch(failed)
      .finally(() => void this.#making.delete(id));
    this.#making.set(id, this.#last);
    return this.#last;
  }
}

/**
 * Writes a WebM file from the packets of an Ogg Opus file. It gets its name once it is whole.
 * @param {string} from  path of the Ogg file, which no longer grows
 * @param {string} to
 * @returns {Promise<number>} its bytes
 * @throws {import('./ogg-reader.js').OggError} if the file isn't Ogg Opus
 */
export async function writeWebm(from, to) {
  // The index precedes the clusters that it locates, so a first pass measures them and a second one
  // writes.
  /** @type {{ bytes: number, samples: number }[]} */
  const parts = [];
  let before = 0;
  const samples = await remux(from, {
    write: (part, through) => {
      parts.push({ bytes: part.length, samples: before });
      before = through;
    },
  });
  const [head, ...clusters] = parts;
  const cues = cuesOf(head.bytes, clusters);
  const file = await open(`${to}.new`, 'w', 0o600);
  try {
    /** @type {Uint8Array[]} */
    const waiting = [];
    let bytes = 0;
    const flush = async () => {
      for (const part of waiting.splice(0)) {
        for (const written of bytes === 0 ? [part, cues] : [part]) {
          await file.appendFile(written);
          bytes += written.length;
        }
      }
    };
    await remux(from, { samples, write: (part) => void waiting.push(part), page: flush });
    await flush();
    await file.close();
    await rename(`${to}.new`, to);
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(`${to}.new`, { force: true });
    throw error;
  }
}

/**
 * @param {string} path  of the Ogg file
 * @param {object} options
 * @param {number} [options.samples]  length of the sound
 * @param {(part: Uint8Array, samples: number) => void} options.write receives the head, then each
 *   cluster with the samples up to its end
 * @param {() => Promise<void>} [options.page]  called after each page
 * @returns {Promise<number>} samples of GRANULE_RATE, including the pre-skip
 */
async function remux(path, { samples = 0, write, page: after = async () => {} }) {
  const reader = await OggOpusReader.open(path);
  let through = 0;
  try {
    const webm = new WebmOpus({
      ...reader.head,
      samples,
      clusterSamples: CLUSTER_SAMPLES,
      write: (part) => write(part, through),
    });
    for (let page = await reader.next(); page !== null; page = await reader.next()) {
      for (const packet of page.packets) {
        webm.put(packet, 0, packet.length, payloadSamples(packet, 0, packet.length, GRANULE_RATE));
        through = webm.samples;
      }
      await after();
    }
    webm.end();
    return webm.samples;
  } finally {
    await reader.close();
  }
}
