/** @import { NativePort } from './binding.js' */

/**
 * A stream of a session: what is written arrives whole and in order. Writing never waits, and
 * buffers are bounded both ways: a write that finds no room is refused, and a peer may send no more
 * than what was read makes room for.
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
    /** Whether it goes both ways. */
    this.bidi = reads && writes;
    /** There is something to read, or the end: read until 0 or null. @type {(() => void) | null} */
    this.onReadable = null;
    /** There is room again after a refused write. @type {(() => void) | null} */
    this.onWritable = null;
    /** The peer wants no more of what is written. @type {((code: number) => void) | null} */
    this.onStopped = null;
  }

  /**
   * @param {Uint8Array} bytes filled from its start
   * @returns {number | null} bytes read; 0 when there are none now; null at the end: see resetCode
   */
  read(bytes) {
    const count = this.#native.streamRead(this.#session, this.id, bytes);
    if (count > 0 || (count === 0 && !this.#over)) return count;
    if (count < -1 && this.#reads) this.#resetCode = -2 - count;
    this.#endReading();
    return null;
  }

  /** The code with which the peer broke off what it wrote, or null when it finished it. */
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

  /** Whether more may be written, now or later: the peer wants it, and the session is open. */
  get writable() {
    return this.#writes;
  }

  /** Ends what is written, in order. */
  finish() {
    this.#native.streamFinish(this.#session, this.id);
    this.endWriting();
  }

  /** Breaks off what is written. @param {number} code 32 bits, for the peer */
  reset(code) {
    this.#native.streamReset(this.#session, this.id, code);
    this.endWriting();
  }

  /** Asks the peer to write no more. @param {number} code 32 bits, for the peer */
  stop(code) {
    this.#native.streamStop(this.#session, this.id, code);
    this.#endReading();
  }

  /** For the session: it has ended, so that nothing comes after what can be read now. */
  end() {
    this.#over = true;
    this.#writes = false;
    if (this.#reads) this.onReadable?.();
  }

  /** For the session: nothing more can be written. */
  endWriting() {
    this.#writes = false;
    if (!this.#reads) this.#release(this);
  }

  #endReading() {
    this.#reads = false;
    if (!this.#writes) this.#release(this);
  }
}
