import { describe, expect, it } from 'vitest';
import { addDevices, deviceDelaysOf } from '../../../../public/client/call/device-delays.js';
import { devicesSentence } from '../../../../public/ui/sound/sound-figures.js';

const streamOf = (/** @type {unknown} */ stats) =>
  /** @type {any} */ ({ getAudioTracks: () => [{ stats }] });
const contextOf = (/** @type {unknown} */ outputLatency) => /** @type {any} */ ({ outputLatency });

describe('the delays of devices', () => {
  it('are what the browser tells, in milliseconds', () => {
    expect(deviceDelaysOf(streamOf({ latency: 44.2 }), contextOf(0.035))).toEqual({
      microphoneMs: 44.2,
      speakerMs: 35,
    });
  });

  it.each([
    [undefined, undefined],
    [{ latency: 0 }, 0],
    [{ latency: NaN }, NaN],
    [{}, Infinity],
    [{ latency: '44' }, -0.1],
    [null, null],
  ])('are unknown where it tells %o and %o', (stats, outputLatency) => {
    expect(deviceDelaysOf(streamOf(stats), contextOf(outputLatency))).toEqual({
      microphoneMs: null,
      speakerMs: null,
    });
  });

  it('are unknown without a microphone, or a context', () => {
    expect(deviceDelaysOf(null, null)).toEqual({ microphoneMs: null, speakerMs: null });
    expect(
      deviceDelaysOf(/** @type {any} */ ({ getAudioTracks: () => [] }), contextOf(undefined)),
    ).toEqual({ microphoneMs: null, speakerMs: null });
  });

  it('are in the sum where they are known, and the sum says so', () => {
    const stats = () =>
      /** @type {any} */ ({
        delayMs: 120,
        delayParts: { frameMs: 20, serverDelayMs: 60, wayMs: 5, playoutMs: 25, outputMs: 10 },
      });
    const known = stats();
    addDevices(known, { microphoneMs: 12.4, speakerMs: 35 });
    expect(known).toMatchObject({
      delayMs: 155,
      microphoneMs: 12.4,
      delayParts: { speakerMs: 35 },
    });
    expect(devicesSentence(known)).toMatch(
      /speaker’s microphone .* not in it.*microphone adds 12 ms/,
    );
    const unknown = stats();
    addDevices(unknown, { microphoneMs: null, speakerMs: null });
    expect(unknown.delayMs).toBe(120);
    expect(devicesSentence(unknown)).toMatch(/^This is without sound cards: [^.]*\.$/);
    expect(devicesSentence(stats())).toBe(devicesSentence(unknown));
  });
});
