import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HttpPlayer } from '../../../public/recordings/http-player.js';

/** An audio element (HTML standard, "media elements") whose file loads when the test says so. */
class FakeAudio extends EventTarget {
  HAVE_METADATA = 1;
  HAVE_FUTURE_DATA = 3;
  readyState = 0;
  duration = NaN;
  currentTime = 0;
  paused = true;
  ended = false;
  error = null;
  playbackRate = 1;
  loads = 0;
  /** @type {((error: Error) => void)[]} */
  #pending = [];

  canPlayType = () => 'probably';

  set src(/** @type {string} */ _url) {
    this.loads += 1;
    this.readyState = 0;
    this.duration = NaN;
    this.#abort();
  }

  play() {
    this.paused = false;
    return new Promise((_resolve, reject) => void this.#pending.push(reject));
  }

  pause() {
    this.paused = true;
    this.#abort();
  }

  #abort() {
    this.fail('AbortError');
  }

  /** @param {string} name */
  fail(name) {
    for (const reject of this.#pending.splice(0))
      reject(Object.assign(new Error('interrupted'), { name }));
  }

  /** @param {number} duration */
  loaded(duration) {
    Object.assign(this, { readyState: 4, duration });
    this.dispatchEvent(new Event('loadedmetadata'));
  }
}

/** @type {FakeAudio} */
let audio;

beforeEach(() =>
  vi.stubGlobal(
    'Audio',
    class extends FakeAudio {
      constructor() {
        super();
        // The first one plays; another asks for what the browser can play.
        audio ??= this;
      }
    },
  ),
);
afterEach(() => {
  vi.unstubAllGlobals();
  audio = /** @type {any} */ (undefined);
});

function open() {
  /** @type {unknown[]} */
  const failures = [];
  const failed = (/** @type {unknown} */ error) => void failures.push(error);
  const player = new HttpPlayer('/api/recordings/x', 60, { changed() {}, failed });
  return { player, failures };
}

it('a pause before the file has come is no failure', async () => {
  const { player } = open();
  const playing = player.play();
  player.pause();
  await expect(playing).resolves.toBeUndefined();
});

it('a jump beyond the loaded sound loads the file again, and is no failure', async () => {
  const { player, failures } = open();
  audio.loaded(30);
  const playing = player.play();
  player.seek(50);
  player.seek(55);
  await expect(playing).resolves.toBeUndefined();
  expect([audio.loads, audio.paused, player.seconds, failures]).toEqual([2, false, 55, []]);
});

it('sound that the browser holds back, or can’t play, is a failure', async () => {
  const { player, failures } = open();
  audio.loaded(30);
  const playing = player.play();
  audio.fail('NotAllowedError');
  await expect(playing).rejects.toThrow('interrupted');
  void player.play().catch(() => {});
  player.seek(50);
  audio.fail('NotSupportedError');
  await vi.waitFor(() => expect(failures).toHaveLength(1));
});
