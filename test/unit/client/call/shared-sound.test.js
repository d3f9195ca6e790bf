import { describe, expect, it, vi } from 'vitest';
import { canShareTab, captureTab } from '../../../../public/client/call/shared-sound.js';
import { noticeText } from '../../../../public/texts/texts.js';

const track = (/** @type {'audio' | 'video'} */ kind) => ({ kind, stop: vi.fn() });

/** A stream as getDisplayMedia() gives it. @param {ReturnType<typeof track>[]} tracks */
function streamOf(...tracks) {
  const of = (/** @type {string} */ kind) => tracks.filter((one) => one.kind === kind);
  return {
    getVideoTracks: () => of('video'),
    getAudioTracks: () => of('audio'),
    removeTrack: (/** @type {any} */ gone) => void tracks.splice(tracks.indexOf(gone), 1),
  };
}

describe('the sound of a tab', () => {
  it('can be shared where the browser captures sound, which Chromium alone does', () => {
    const devices = (/** @type {object} */ known, more = {}) =>
      /** @type {any} */ ({ getSupportedConstraints: () => known, ...more });
    const getDisplayMedia = () => {};
    expect(canShareTab(devices({ suppressLocalAudioPlayback: true }, { getDisplayMedia }))).toBe(
      true,
    );
    expect(canShareTab(devices({ suppressLocalAudioPlayback: true }))).toBe(false);
    expect(canShareTab(devices({}, { getDisplayMedia }))).toBe(false);
    expect(canShareTab(undefined)).toBe(false);
  });

  it('is captured in stereo, unprocessed, and without the picture', async () => {
    const [audio, video] = [track('audio'), track('video')];
    const getDisplayMedia = vi.fn(async () => /** @type {any} */ (streamOf(audio, video)));
    const stream = await captureTab({ getDisplayMedia });
    expect(getDisplayMedia).toHaveBeenCalledWith(
      expect.objectContaining({
        audio: expect.objectContaining({
          channelCount: { ideal: 2 },
          echoCancellation: false,
          noiseSuppression: false,
          autoGainControl: false,
        }),
        systemAudio: 'exclude',
        selfBrowserSurface: 'exclude',
      }),
    );
    expect(video.stop).toHaveBeenCalled();
    expect(audio.stop).not.toHaveBeenCalled();
    expect(stream?.getVideoTracks()).toEqual([]);
  });

  it('is none when the person chooses none, and a failure has a sentence', async () => {
    const refused = Object.assign(new Error('no'), { name: 'NotAllowedError' });
    expect(await captureTab({ getDisplayMedia: () => Promise.reject(refused) })).toBeNull();
    const silent = async () => /** @type {any} */ (streamOf(track('video')));
    await expect(captureTab({ getDisplayMedia: silent })).rejects.toMatchObject({
      code: 'share-silent',
    });
    const broken = () => Promise.reject(new TypeError('gone'));
    await expect(captureTab({ getDisplayMedia: broken })).rejects.toMatchObject({
      code: 'share-failed',
    });
    for (const code of ['share-silent', 'share-failed'])
      expect(noticeText(code)).not.toBe(noticeText('x'));
  });
});
