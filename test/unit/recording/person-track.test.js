import { expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { silenceOf } from '../../../server/recording/opus-packet.js';
import { PersonTrack } from '../../../server/recording/person-track.js';
import { Track } from '../../../server/recording/track.js';

const format = createAudioFormat({ sampleRate: 48_000, frameMs: 20 });

/** Frames by which a recording is written behind the present. */
const BEHIND = 100;

/**
 * A track of somebody who speaks all the time, and agrees after some frames.
 * @param {number} agreedFrame
 */
function trackOf(agreedFrame) {
  /** Samples of each packet in the file. @type {number[]} */
  const written = [];
  /** @type {any} */
  const ogg = {
    samples: 0,
    put(/** @type {[Uint8Array, number, number, number]} */ ...given) {
      written.push(given[3]);
      ogg.samples += given[3];
    },
    end: () => {},
  };
  const track = new Track(ogg, format);
  const payload = silenceOf(960);
  const packets = { has: () => true, start: () => 0, length: () => payload.length, bytes: payload };
  const decoder = {
    decode: (/** @type {[Uint8Array, number, number, Float32Array, number]} */ ...given) =>
      given[3].fill(0.5),
  };
  const person = new PersonTrack({
    person: { id: '1', label: 'Ann' },
    packets: /** @type {any} */ (packets),
    decoder: /** @type {any} */ (decoder),
    file: { end: () => {}, remove: () => {} },
    track,
    format,
    firstFrame: 0,
    agreedFrame,
  });
  return { person, track, written };
}

it('a person who agrees after six hours is heard from their first frame on', () => {
  const agreedFrame = (6 * 3600 * 1000) / format.frameMs;
  const { person, track } = trackOf(agreedFrame);
  const mix = new Float32Array(format.frameValues);
  for (let frame = agreedFrame - BEHIND; frame < agreedFrame; frame++) {
    person.write(frame, mix);
    expect(mix[0]).toBe(0);
  }
  person.write(agreedFrame, mix);
  expect([mix[0], track.frames]).toEqual([0.5, agreedFrame + 1]);
});

it('the time before consent is filled with as few packets as if it were filled at once', () => {
  const { person, written } = trackOf(BEHIND);
  const mix = new Float32Array(format.frameValues);
  for (let frame = 0; frame <= BEHIND; frame++) person.write(frame, mix);
  // 2 s are 16 packets of 120 ms, and four of 20 ms.
  expect(written).toEqual([...Array(16).fill(5760), ...Array(4).fill(960), 960]);
});
