import { open, unlink } from 'node:fs/promises';

/**
 * A file that is appended to without anybody waiting: what is written waits in memory until the disk takes
 * it. Whoever writes bounds that, by `waiting`.
 */
export class RecordingFile {
  /** What is done with the file, one after the other. @type {Promise<unknown>} */
  #last;
  #ended = false;
  #removed = false;
  #failed = false;
  /** @type {import('node:fs/promises').FileHandle | null} */
  #handle = null;
  #onError;

  /**
   * @param {string} path where there is nothing yet
   * @param {(error: unknown) => void} onError called once: nothing more is written
   * @param {Promise<unknown>} [ready] when the file may be made
   */
  constructor(path, onError, ready = Promise.resolve()) {
    this.path = path;
    this.#last = ready;
    this.#onError = onError;
    /** What was written, with what still waits, in bytes. */
    this.bytes = 0;
    /** What waits for the disk, in bytes. */
    this.waiting = 0;
  }

  /** Settles when all that was asked for is done. */
  get settled() {
    return this.#last;
  }

  /** @param {Uint8Array} bytes kept: not to be changed */
  write(bytes) {
    if (this.#ended) return;
    this.bytes += bytes.length;
    this.waiting += bytes.length;
    this.#then(async () => {
      if (this.#removed || this.#failed) return;
      this.#handle ??= await open(this.path, 'wx', 0o600);
      await this.#handle.appendFile(bytes);
      this.waiting -= bytes.length;
    });
  }

  /** Closes the file when all is written. Idempotent. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#then(() => this.#close());
  }

  /** Deletes the file at once, with what waits. Idempotent. */
  remove() {
    if (this.#removed) return;
    this.#removed = true;
    this.waiting = 0;
    // Its name goes now, before what waits for the disk; what was being opened meanwhile goes after it.
    unlink(this.path).catch(() => {});
    this.end();
    this.#then(() => unlink(this.path).catch(() => {}));
  }

  async #close() {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  /** @param {() => Promise<void>} step */
  #then(step) {
    this.#last = this.#last.then(step).catch((error) => {
      if (this.#failed) return;
      this.#failed = true;
      this.#ended = true;
      this.waiting = 0;
      this.#onError(error);
      return this.#close().catch(() => {});
    });
  }
}
