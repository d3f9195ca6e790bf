/** How long a browser may take to let a context run before the person is asked to press something, in milliseconds. */
const START_MS = 300;

const gestures = /** @type {const} */ (['pointerdown', 'keydown']);

/**
 * Keeps an audio context running: the system may stop it at any time, for a telephone call or a
 * device that went away, and the browser may want the person to press something first.
 */
export class RunningContext {
  #context;
  #on;
  #gestures;
  #hasRun = false;
  #isHeld = false;
  #closed = false;
  #gesture = () => void this.resume();
  #onState = () => void this.#changed();

  /**
   * @param {AudioContext} context
   * @param {object} on
   * @param {(code: 'sound-blocked' | 'sound-interrupted') => void} on.held  it stands still, and runs again
   *   by itself as soon as it may: at the latest with the next press
   * @param {(stopped: boolean) => void} on.runs  stopped: it had run before, and stood still
   * @param {EventTarget} [presses]  where presses are heard of
   */
  constructor(context, on, presses = globalThis) {
    this.#context = context;
    this.#on = on;
    this.#gestures = presses;
    context.addEventListener('statechange', this.#onState);
  }

  async #changed() {
    if (this.#closed) return;
    if (this.#context.state !== 'running') {
      this.#isHeld = true;
      if (this.#hasRun) await this.resume();
    } else {
      this.#listen(false);
      if (this.#isHeld) this.#on.runs(this.#hasRun);
      this.#isHeld = false;
      this.#hasRun = true;
    }
  }

  /** @returns {Promise<boolean>} whether it runs; otherwise it will with the next press */
  async resume() {
    if (this.#closed) return false;
    const started = this.#context.resume().then(
      () => true,
      () => false,
    );
    const isRunning = await Promise.race([started, afterMs(START_MS)]);
    if (this.#closed) return false;
    this.#listen(!isRunning);
    if (isRunning) return true;
    this.#isHeld = true;
    this.#on.held(/** @type {string} */ (this.#context.state) === 'interrupted' ? 'sound-interrupted' : 'sound-blocked');
    return false;
  }

  /** @param {boolean} waits for a press */
  #listen(waits) {
    for (const type of gestures) {
      if (waits) this.#gestures.addEventListener(type, this.#gesture);
      else this.#gestures.removeEventListener(type, this.#gesture);
    }
  }

  /** Lets it be. Idempotent. */
  close() {
    this.#closed = true;
    this.#context.removeEventListener('statechange', this.#onState);
    this.#listen(false);
  }
}

/**
 * @param {number} ms
 * @returns {Promise<boolean>} false, later
 */
const afterMs = (ms) => new Promise((resolve) => void setTimeout(() => resolve(false), ms));
