/** @import { NativePort } from './binding.js' */

/**
 * A reliable, ordered stream of a session. Writing never waits, and buffers are bounded in both
 * directions: a write without room is refused. A peer may send only as much as reading makes room
 * for.
 */
export class Stream {
  #native;
  #session;
  #release;
  #reads;
  #writes;
  #over = false;
  /** @type {number | null} */
  #resetCode = null;

  /**
   * @param {NativePort} native
   * @param {number} session
   * @param {number} id
   * @param {{ reads: boolean, writes: boolean }} sides
   * @param {(stream: Stream) => void} release called when nothing more can happen on it
   */
  constructor(native, session, id, { reads, writes }, release) {
    this.#native = native;
    this.#session = session;
    this.#reads = reads;
    this.#writes = writes;
    this.#release = release;
    this.id = id;
    /** True when it goes both ways. */
    this.bidi = reads && writes;
    /**
     * Called when there are bytes to read, or the end: read until 0 or null.
     * @type {(() => void) | null}
     */
    this.onReadable = null;
    /** Called when there is room again after a refused write. @type {(() => void) | null} */
    this.onWritable = null;
    /** Called when the peer stops reading. @type {((code: number) => void) | null} */
    this.onStopped = null;
  }

  /**
   * @param {Uint8Array} bytes filled from its start
   * @returns {number | null} bytes read; 0 when there are none yet; null at the end: see resetCode
   */
  read(bytes) {
    const count = this.#native.streamRead(this.#session, this.id, bytes);
    if (count > 0 || (count === 0 && !this.#over)) return count;
    if (count < -1 && this.#reads) this.#resetCode = -2 - count;
    this.#endReading();
    return null;
  }

  /** Code with which the peer reset its side, or null when it finished it. */
  get resetCode() {
    return this.#resetCode;
  }

  /**
   * @param {Uint8Array} bytes copied, all or none
   * @returns {boolean} false when there is no room now, or writing is over: see writable
   */
  write(bytes) {
    if (!this.#writes) return false;
    const written = this.#native.streamWrite(this.#session, this.id, bytes);
    if (written < 0) this.endWriting();
    return written === 1;
  }

  /** True when more may be written, now or later: the peer reads on, and the session is open. */
  get writable() {
    return this.#writes;
  }

  /** Finishes writing, in order. */
  finish() {
    this.#native.streamFinish(this.#session, this.id);
    this.endWriting();
  }

  /** Resets the written side. @param {number} code 32 bits, for the peer */
  reset(code) {
    this.#native.streamReset(this.#session, this.id, code);
    this.endWriting();
  }

  /** Asks the peer to stop writing. @param {number} code 32 bits, for the peer */
  stop(code) {
    this.#native.streamStop(this.#session, this.id, code);
    this.#endReading();
  }

  /** Called by the session at its end: the bytes that can be read now are the last. */
  end() {
    this.#over = true;
    this.#writes = false;
    if (this.#reads) this.onReadable?.();
  }

  /** Called by the session: nothing more can be written. */
  endWriting() {
    this.#writes = false;
    if (!this.#reads) this.#release(this);
  }

  /** Called by the session: the peer stopped this stream. @param {number} code */
  stopped(code) {
    this.endWriting();
    this.onStopped?.(code);
  }

  #endReading() {
    this.#reads = false;
    if (!this.#writes) this.#release(this);
  }
}
