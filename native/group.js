/** @import { NativePort } from './binding.js' */

/**
 * Sessions that get the same datagrams. QUIC's threads send them, so that a datagram is one short
 * call, however many sessions there are. One that has ended is skipped, and not kept open by its
 * groups.
 */
export class SessionGroup {
  #native;
  #number;
  #ids = new Uint32Array(64);

  /**
   * @param {Pick<NativePort, 'groupSet' | 'groupSend'>} native
   * @param {number} number  that no other group of the port has had
   */
  constructor(native, number) {
    this.#native = native;
    this.#number = number;
  }

  /**
   * Replaces the group's sessions. Without any it takes nothing.
   * @param {readonly { id: number }[]} sessions  of the port
   * @returns {boolean} false where the port has too many groups: this one is as it was then
   */
  set(sessions) {
    const count = sessions.length;
    if (count > this.#ids.length) this.#ids = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) this.#ids[i] = sessions[i].id;
    return this.#native.groupSet(this.#number, this.#ids, count);
  }

  /**
   * Sends one datagram to all of them, soon and in order.
   * @param {Uint8Array} bytes  may be used again at once
   * @returns {number} how many they are
   */
  send(bytes) {
    return this.#native.groupSend(this.#number, bytes);
  }

  /** Idempotent. */
  close() {
    this.set([]);
  }
}
