import { describe, expect, it } from 'vitest';
import {
  handsOutSound,
  listMicrophones,
  microphoneProblem,
  openMicrophone,
  soundOf,
} from '../../../../public/client/capture/microphone.js';
import { noticeText } from '../../../../public/texts.js';

describe('microphones', () => {
  it.each([
    ['NotAllowedError', 'microphone-refused'],
    ['NotFoundError', 'no-microphone'],
    ['OverconstrainedError', 'no-microphone'],
    ['NotReadableError', 'microphone-busy'],
    ['', 'microphone-busy'],
  ])('gives %s the code %s', (name, code) => {
    expect(microphoneProblem(Object.assign(new Error('x'), { name }))).toBe(code);
    expect(noticeText(code)).toMatch(/listen/);
  });

  it('asks for echo cancellation and the like unless told otherwise', async () => {
    /** @type {any[]} */
    const asked = [];
    const devices = /** @type {any} */ ({ getUserMedia: async (/** @type {any} */ wish) => asked.push(wish.audio) });
    await openMicrophone({}, devices);
    await openMicrophone({ deviceId: 'abc', echoCancellation: false }, devices);
    expect(asked[0]).toMatchObject({ echoCancellation: true, noiseSuppression: true, autoGainControl: true });
    expect(asked[0]).not.toHaveProperty('deviceId');
    expect(asked[1]).toMatchObject({ deviceId: { exact: 'abc' }, echoCancellation: false });
    expect(asked[1]).not.toHaveProperty('latency');
    await openMicrophone({ echoCancellation: false, noiseSuppression: false, autoGainControl: false }, devices);
    expect(asked[2]).toMatchObject({ latency: { ideal: 0 } });
  });

  it('lists the microphones alone, or none where the browser shows none', async () => {
    const all = [
      { kind: 'audioinput', deviceId: 'a', label: 'A' },
      { kind: 'videoinput', deviceId: 'b', label: 'B' },
    ];
    expect(await listMicrophones(/** @type {any} */ ({ enumerateDevices: async () => all }))).toEqual([
      { deviceId: 'a', label: 'A' },
    ]);
    expect(await listMicrophones(/** @type {any} */ (undefined))).toEqual([]);
  });
});

describe('soundOf', () => {
  class MediaStreamTrackProcessor {
    /** @param {{ track: object, maxBufferSize: number }} init */
    constructor(init) {
      this.readable = init;
    }
  }
  const streamOf = (/** @type {number | undefined} */ sampleRate) => {
    const track = { getSettings: () => ({ sampleRate }) };
    return { track, stream: /** @type {any} */ ({ getAudioTracks: () => [track] }) };
  };

  it('is the track\'s own where the browser hands it out, at the room\'s rate or a lower one', () => {
    for (const rate of [48_000, 44_100, 16_000]) {
      const { track, stream } = streamOf(rate);
      expect(handsOutSound(stream, 48_000, { MediaStreamTrackProcessor })).toBe(true);
      expect(soundOf(stream, { MediaStreamTrackProcessor })).toMatchObject({ track });
    }
  });

  it('is none in other browsers, at higher rates, and where the rate isn\'t told', () => {
    expect(handsOutSound(streamOf(48_000).stream, 48_000, {})).toBe(false);
    expect(handsOutSound(streamOf(96_000).stream, 48_000, { MediaStreamTrackProcessor })).toBe(false);
    expect(handsOutSound(streamOf(undefined).stream, 48_000, { MediaStreamTrackProcessor })).toBe(false);
    expect(handsOutSound(/** @type {any} */ ({ getAudioTracks: () => [] }), 48_000, { MediaStreamTrackProcessor })).toBe(false);
  });
});
