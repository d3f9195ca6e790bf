/* global AudioContext, document, MediaElementAudioSourceNode */
/**
 * A listener of Low-Latency HLS in a browser's page. hls.js plays, its output is recorded, and its
 * position is read every few milliseconds. For bench/hls/player.js, which serves this
 * file to the page.
 *
 * @typedef {{ atMs: number, mediaMs: number, level: number }} Look atMs: on performance.now();
 *   mediaMs: the place in the sound that is played; level: the rendition that it is of
 */

import Hls from '../../node_modules/hls.js/dist/hls.mjs';
import { SoundRecorder } from '../participants/page-sound.js';

/** Interval between readings of the position, in milliseconds. */
const LOOK_MS = 10;

/** Time in which the first sound must be there, in milliseconds. */
const START_MS = 20_000;

const page = /** @type {any} */ (globalThis);
const pass = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @type {Look[]} */
let looks = [];
/** Errors that hls.js reported, by their details. @type {Record<string, number>} */
const errors = {};
/** @type {SoundRecorder | null} */
let recorder = null;

/**
 * @param {{ url: string, dateMs: number, recordSeconds: number }} options dateMs: the date of the
 *   sound's first sample in playlists
 */
async function play({ url, dateMs, recordSeconds }) {
  const audio = /** @type {HTMLAudioElement} */ (document.querySelector('audio'));
  const context = new AudioContext({ sampleRate: 48_000, latencyHint: 'interactive' });
  await context.resume();
  const source = new MediaElementAudioSourceNode(context, { mediaElement: audio });
  source.connect(context.destination);
  recorder = new SoundRecorder(context, recordSeconds);
  await recorder.start(
    source,
    await (await fetch('/lab/testkit/participants/recorder-processor.js')).text(),
  );
  const hls = new Hls({ lowLatencyMode: true, enableWorker: false });
  let level = -1;
  hls.on(Hls.Events.FRAG_CHANGED, (_event, { frag }) => void (level = frag.level));
  hls.on(Hls.Events.ERROR, (_event, { details, fatal }) => {
    errors[details] = (errors[details] ?? 0) + 1;
    if (fatal) errors.fatal = (errors.fatal ?? 0) + 1;
  });
  hls.loadSource(url);
  hls.attachMedia(audio);
  await audio.play();
  for (
    const end = performance.now() + START_MS;
    audio.currentTime === 0 || hls.playingDate === null;
    await pass(LOOK_MS)
  ) {
    if (performance.now() > end) throw new Error(`hls.js plays nothing: ${JSON.stringify(errors)}`);
  }
  setInterval(() => {
    const date = hls.playingDate;
    if (date !== null)
      looks.push({ atMs: performance.now(), mediaMs: date.getTime() - dateMs, level });
  }, LOOK_MS);
  return {
    codec: hls.levels[0]?.audioCodec ?? '',
    levels: hls.levels.map(({ bitrate }) => bitrate),
  };
}

page.aloudHls = {
  play,
  begin: () => void (looks = []),
  take: () => ({ looks, errors, recording: recorder?.take() }),
};
