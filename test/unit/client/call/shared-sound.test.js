import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  canShareTab,
  captureTab,
  SharedSound,
} from '../../../../public/client/call/shared-sound.js';
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

describe('a shared sound', () => {
  /** Messages to the worker, by their types. @type {string[]} */
  let sent = [];
  /** @type {Map<string, () => void>} */
  let listeners = new Map();
  /** @type {(data: object) => void} */
  let fromWorker = () => {};
  /** @type {{ state: string, resumed: number, closed: boolean }[]} */
  let contexts = [];

  beforeEach(() => {
    [sent, listeners, contexts] = [[], new Map(), []];
    vi.stubGlobal('MediaStream', class {});
    vi.stubGlobal(
      'Worker',
      class {
        onmessage = (/** @type {object} */ _event) => {};
        constructor() {
          fromWorker = (data) => this.onmessage({ data });
        }
        /** @param {{ type: string }} message */
        postMessage({ type }) {
          sent.push(type);
          if (type === 'leave') fromWorker({ type: 'left', detail: null });
        }
        terminate() {}
      },
    );
    vi.stubGlobal(
      'AudioContext',
      class {
        state = 'suspended';
        resumed = 0;
        closed = false;
        audioWorklet = { addModule: async () => {} };
        constructor() {
          contexts.push(this);
        }
        addEventListener() {}
        async resume() {
          this.resumed += 1;
        }
        async close() {
          this.closed = true;
        }
      },
    );
    vi.stubGlobal(
      'GainNode',
      class {
        connect() {}
      },
    );
    for (const name of ['MediaStreamAudioDestinationNode', 'AudioBufferSourceNode'])
      vi.stubGlobal(
        name,
        class {
          stream = { getAudioTracks: () => [] };
          connect() {}
          start() {}
        },
      );
    vi.stubGlobal('addEventListener', (/** @type {string} */ type, /** @type {any} */ run) =>
      listeners.set(type, run),
    );
    vi.stubGlobal('removeEventListener', (/** @type {string} */ type) => listeners.delete(type));
  });
  afterEach(() => vi.unstubAllGlobals());

  const joined = { you: 's', format: { sampleRate: 48_000, channels: 1, frameMs: 20 } };

  function open() {
    const on = { joined: vi.fn(), ended: vi.fn() };
    const support = { sharedArrayBuffer: true, audioWorklet: true };
    const shared = new SharedSound(
      /** @type {any} */ ({ origin: '', join: {} }),
      /** @type {any} */ ({}),
      /** @type {any} */ (support),
      on,
    );
    shared.start();
    return { shared, on };
  }

  it('that is stopped while it joins says nothing more, and opens no sound', async () => {
    const { shared, on } = open();
    shared.close();
    fromWorker({ type: 'changed', detail: { joined } });
    await new Promise((resolve) => setTimeout(resolve));
    expect([on.joined.mock.calls, contexts]).toEqual([[], []]);
  });

  it('comes back as soon as the network or the page does', async () => {
    const { shared } = open();
    fromWorker({ type: 'changed', detail: { joined } });
    await new Promise((resolve) => setTimeout(resolve));
    const [context] = contexts;
    const before = context.resumed;
    listeners.get('online')?.();
    expect(sent).toContain('wake');
    expect(context.resumed).toBe(before + 1);
    shared.close();
    expect([context.closed, listeners.size]).toEqual([true, 0]);
  });
});
