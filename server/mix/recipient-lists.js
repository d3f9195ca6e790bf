/**
 * @import { Session, SessionGroup } from '../session/session.js'
 * @import { FrameStream } from './mix-stream.js'
 */

/**
 * Most lists of recipients to keep; beyond it all are rebuilt, without the lists of unused
 * transports.
 */
const MAX_LISTS = 20;

/**
 * Number of sessions from which a group of the transport costs JavaScript's thread less than
 * sending to each. To each and to a group it took 69 and 237 µs for 32 sessions, 163 and 112 for
 * 128, 2182 and 99 for 1000. Source: `node bench/native-datagrams.js --mode many|group --io-threads
 * 1 --sessions …`.
 */
export const MIN_GROUP = 128;

/**
 * Recipients of one stream, in lists that get the same bytes: by transport, redundancy and stride.
 */
export class RecipientLists {
  /** @type {Recipients[]} */
  #lists = [];

  /** Starts to gather all lists again. */
  begin() {
    if (this.#lists.length > MAX_LISTS) this.close();
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].sessions.length = 0;
  }

  /** @param {Session} session @param {number} redundancy @param {number} stride */
  add(session, redundancy, stride) {
    const { transport } = session;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.transport !== transport || list.redundancy !== redundancy || list.stride !== stride)
        continue;
      list.sessions.push(session);
      return;
    }
    this.#lists.push(new Recipients(session, redundancy, stride));
  }

  /** Marks the end of the gathering. */
  end() {
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].gathered();
  }

  /** @param {Pick<FrameStream, 'write'>} stream @param {number} frame */
  send(stream, frame) {
    let packet = null;
    let redundancy = -1;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.sessions.length === 0) continue;
      if (list.isRelay) {
        list.send(/** @type {FrameStream} */ (stream).writeStride(list.redundancy));
        packet = null;
        continue;
      }
      if (list.stride > 1) {
        // Only a mix has strides.
        const mix = /** @type {FrameStream} */ (stream);
        if (isDue(mix, frame, list.stride)) list.sendStride(mix);
        packet = null;
        continue;
      }
      if (packet === null || list.redundancy !== redundancy) packet = stream.write(list.redundancy);
      redundancy = list.redundancy;
      list.send(packet);
    }
  }

  /**
   * Sends the last unsent frames to recipients that don't get each frame's packet, because the next
   * frames are left out.
   * @param {FrameStream} mix
   * @param {number} frame that was encoded last
   */
  sendOpen(mix, frame) {
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.sessions.length === 0 || list.isRelay || isDue(mix, frame, list.stride)) continue;
      const before = frame % list.stride;
      list.sendStride(mix, before, before);
    }
  }

  /** Sends one packet to all. @param {Uint8Array} packet */
  sendPacket(packet) {
    for (let i = 0; i < this.#lists.length; i++)
      if (this.#lists[i].sessions.length > 0) this.#lists[i].send(packet);
  }

  /** Idempotent. */
  close() {
    for (const list of this.#lists) list.close();
    this.#lists.length = 0;
  }
}

/**
 * True when this frame's packet goes to recipients with this stride. That is so at the end of each
 * stride, at the end of sound, and in a silence with few packets.
 * @param {FrameStream} stream
 * @param {number} frame
 * @param {number} stride
 */
export const isDue = (stream, frame, stride) =>
  frame % stride === stride - 1 || stream.endsSound || stream.isSparse;

/**
 * Sessions that get the same bytes over the same transport; a large number of them share a group of
 * it.
 */
class Recipients {
  /** @type {Session[]} */
  sessions;
  /** @type {SessionGroup | null} */
  #group = null;

  /**
   * @param {Session} session first of the list
   * @param {number} redundancy
   * @param {number} stride
   */
  constructor(session, redundancy, stride) {
    this.sessions = [session];
    this.transport = session.transport;
    /** True for sessions of other nodes, which choose among the packets themselves. */
    this.isRelay = session.transport.isRelay === true;
    this.redundancy = redundancy;
    this.stride = stride;
  }

  /** Finishes the list: all sessions are known. */
  gathered() {
    const { sessions, transport } = this;
    if (sessions.length >= MIN_GROUP && transport.createGroup) {
      this.#group ??= transport.createGroup();
      if (this.#group.set(sessions)) return;
    }
    this.close();
  }

  /** @param {Uint8Array} packet */
  send(packet) {
    if (this.#group) this.#group.send(packet);
    else this.transport.sendMany(this.sessions, packet);
  }

  /**
   * Sends the frames of a stride. Frames without room in one packet, which happens at high bit
   * rates, go before it.
   * @param {FrameStream} stream
   * @param {number} [before] number of its frames before the last one
   * @param {number} [repeats] number of frames that go with the last one, if they fit
   */
  sendStride(stream, before = this.stride - 1, repeats = this.redundancy) {
    const left = stream.leavesOut(before);
    if (left > 0) this.send(stream.writeStride(left - 1, before - left + 1));
    this.send(stream.writeStride(left > 0 ? before - left : repeats));
  }

  /** Frees the group. Idempotent. */
  close() {
    this.#group?.close();
    this.#group = null;
  }
}
