import { describe, expect, it } from 'vitest';
import { findSupport } from '../../../../public/client/connection/support.js';
import { failureTexts } from '../../../../public/texts/texts.js';

describe('findSupport', () => {
  const full = {
    isSecureContext: true,
    crossOriginIsolated: true,
    SharedArrayBuffer,
    AudioContext: class {},
    AudioWorkletNode: class {},
    WebTransport: class {},
    Worker: class {},
    WebAssembly,
    navigator: { mediaDevices: { getUserMedia: () => {} } },
  };
  const codesOf = (/** @type {object} */ lacking) => findSupport({ ...full, ...lacking }).problems;

  it('finds nothing wrong with a current browser', () => {
    expect(findSupport(full)).toMatchObject({
      microphone: true,
      webTransport: true,
      audio: true,
      problems: [],
    });
  });

  it('has a microphone without shared memory too', () => {
    for (const lacking of [{ SharedArrayBuffer: undefined }, { crossOriginIsolated: false }]) {
      expect(findSupport({ ...full, ...lacking })).toMatchObject({
        microphone: true,
        sharedArrayBuffer: false,
        problems: [],
      });
    }
  });

  it('says what is missing, and what to do', () => {
    expect(codesOf({ WebTransport: undefined })).toEqual(['no-webtransport']);
    expect(codesOf({ AudioWorkletNode: undefined })).toEqual(['no-audio-worklet']);
    expect(codesOf({ isSecureContext: false, navigator: {}, AudioWorkletNode: undefined })).toEqual(
      ['microphone-insecure'],
    );
    expect(codesOf({ WebAssembly: undefined })).toEqual(['no-audio']);
    for (const lacking of [
      { AudioWorkletNode: undefined },
      { navigator: {} },
      { AudioContext: undefined },
    ]) {
      const { microphone, problems } = findSupport({ ...full, ...lacking });
      expect(microphone).toBe(false);
      for (const code of problems) expect(failureTexts).toHaveProperty(code);
    }
  });
});
