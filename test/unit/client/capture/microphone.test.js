import { describe, expect, it } from 'vitest';
import {
  canReadTrack,
  mixesSides,
  listMicrophones,
  microphoneProblem,
  openMicrophone,
  soundOf,
} from '../../../../public/client/capture/microphone.js';
import { noticeText } from '../../../../public/texts/texts.js';

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
    const devices = /** @type {any} */ ({
      getUserMedia: async (/** @type {any} */ wish) =>
        asked.push(wish.audio) && { getAudioTracks: () => [] },
    });
    await openMicrophone({}, devices);
    await openMicrophone({ deviceId: 'abc', echoCancellation: false }, devices);
    expect(asked[0]).toMatchObject({
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
    });
    expect(asked[0]).not.toHaveProperty('deviceId');
    expect(asked[1]).toMatchObject({ deviceId: { exact: 'abc' }, echoCancellation: false });
    expect(asked[1]).not.toHaveProperty('latency');
    await openMicrophone(
      { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      devices,
    );
    expect(asked[2]).toMatchObject({ latency: { ideal: 0 } });
  });

  describe('that are as they are', () => {
    const off = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };

    /**
     * @param {{ latency?: number | null, quickLatency?: number, modes?: unknown[] | null, fails?:
     *   boolean }} browser
     */
    function setUp({
      latency = 0.0232,
      quickLatency = 0.01,
      modes = [true, false, 'remote-only'],
      fails = false,
    }) {
      /** @type {any[]} */
      const opened = [];
      const getUserMedia = async (/** @type {any} */ { audio }) => {
        if (fails && opened.length > 0) throw new Error('busy');
        const isQuick = audio.echoCancellation === 'remote-only';
        const settings = {
          deviceId: 'abc',
          latency: isQuick ? quickLatency : latency,
          echoCancellation: audio.echoCancellation,
        };
        const track = {
          isOn: true,
          audio,
          stop: () => void (track.isOn = false),
          getSettings: () => settings,
          getCapabilities: () => ({ echoCancellation: modes }),
        };
        const stream = { track, getTracks: () => [track], getAudioTracks: () => [track] };
        opened.push(stream);
        return stream;
      };
      return { devices: /** @type {any} */ ({ getUserMedia }), opened };
    }

    it('are reopened in short pieces, with the same sound, if Chromium has long ones', async () => {
      const { devices, opened } = setUp({});
      expect(await openMicrophone(off, devices)).toBe(opened[1]);
      expect(opened[1].track.audio).toMatchObject({
        ...off,
        echoCancellation: 'remote-only',
        deviceId: { exact: 'abc' },
      });
      expect(opened.map(({ track }) => track.isOn)).toEqual([false, true]);
    });

    it.each([
      ['their pieces are short', { latency: 0.01 }, {}, 1],
      ['the browser knows no such way, as Firefox', { modes: [true, false] }, {}, 1],
      ['it tells nothing', { latency: null, modes: null }, {}, 1],
      [
        'both sides are wanted, which it would make one of',
        {},
        { channels: /** @type {const} */ (2) },
        1,
      ],
      ['a voice is processed anyway', {}, { autoGainControl: true }, 1],
      ['that is no sooner', { quickLatency: 0.0232 }, {}, 2],
      ['there can be no second one', { fails: true }, {}, 1],
    ])('stay as they were opened where %s', async (_, browser, wish, count) => {
      const { devices, opened } = setUp(browser);
      expect(await openMicrophone({ ...off, ...wish }, devices)).toBe(opened[0]);
      expect(opened.map(({ track }) => track.isOn)).toEqual([true, false].slice(0, count));
    });

    it('keep their sides apart, and processed ones in Firefox do too', async () => {
      const voice = { channels: /** @type {const} */ (2), noiseSuppression: true };
      const sides = async (/** @type {object} */ browser, /** @type {object} */ wish) =>
        mixesSides(await openMicrophone({ ...off, ...wish }, setUp(browser).devices));
      expect(await sides({}, { channels: 2 })).toBe(false);
      expect(await sides({}, { ...voice, echoCancellation: true })).toBe(true);
      expect(await sides({ modes: null }, { ...voice, echoCancellation: true })).toBe(false);
    });
  });

  it('lists the microphones alone, or none where the browser shows none', async () => {
    const all = [
      { kind: 'audioinput', deviceId: 'a', label: 'A' },
      { kind: 'videoinput', deviceId: 'b', label: 'B' },
    ];
    expect(
      await listMicrophones(/** @type {any} */ ({ enumerateDevices: async () => all })),
    ).toEqual([{ deviceId: 'a', label: 'A' }]);
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

  it("is the track's own where the browser hands it out, at the room's rate or a lower one", () => {
    for (const rate of [48_000, 44_100, 16_000]) {
      const { track, stream } = streamOf(rate);
      expect(canReadTrack(stream, 48_000, { MediaStreamTrackProcessor })).toBe(true);
      expect(soundOf(stream, { MediaStreamTrackProcessor })).toMatchObject({ track });
    }
  });

  it("is none in other browsers, at higher rates, and where the rate isn't told", () => {
    expect(canReadTrack(streamOf(48_000).stream, 48_000, {})).toBe(false);
    expect(canReadTrack(streamOf(96_000).stream, 48_000, { MediaStreamTrackProcessor })).toBe(
      false,
    );
    expect(canReadTrack(streamOf(undefined).stream, 48_000, { MediaStreamTrackProcessor })).toBe(
      false,
    );
    expect(
      canReadTrack(/** @type {any} */ ({ getAudioTracks: () => [] }), 48_000, {
        MediaStreamTrackProcessor,
      }),
    ).toBe(false);
  });
});
