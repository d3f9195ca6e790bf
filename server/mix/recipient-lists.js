/**
 * @import { Session, SessionGroup } from '../transport/session.js'
 * @import { Carriage, LightListener } from './light-listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

import { RecentMix } from './recent-mix.js';

/** The most lists of recipients that are kept: beyond it those are dropped whose transport nobody has any more. */
const MAX_LISTS = 20;

/**
 * From this many sessions on a group of the transport takes JavaScript's thread less than one call that sends to each: a
 * sending call took 69 and 237 µs for 32 sessions, 163 and 112 for 128, 2182 and 99 for 1000
 * (node bench/native-datagrams.js --mode many|group --io-threads 1 --sessions …).
 */
export const MIN_GROUP = 128;

/** How many strides before the last one are sent again to those who get each packet thrice. */
const COPIES = 2;

/**
 * Those who get one stream, in lists of those who get the same bytes: by transport, redundancy, stride and carriage. What was
 * sent lately is kept where there may be light listeners.
 */
export class RecipientLists {
  /** @type {Recipients[]} */
  #lists = [];
  #recent = new RecentMix();

  /** How many frames there are to a packet of those that are kept; 0: none are. */
  keptStride = 0;

  /** All lists are gathered anew. */
  begin() {
    if (this.#lists.length > MAX_LISTS) this.#release();
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].sessions.length = 0;
  }

  /**
   * @param {Session} session
   * @param {number} redundancy
   * @param {number} stride
   * @param {Carriage} [carriage]  where it isn't `once` the stride is keptStride
   */
  add(session, redundancy, stride, carriage = 'once') {
    const { transport } = session;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.transport !== transport || list.redundancy !== redundancy || list.stride !== stride || list.carriage !== carriage) continue;
      list.sessions.push(session);
      return;
    }
    this.#lists.push(new Recipients(session, redundancy, stride, carriage));
  }

  /** All lists have been gathered. */
  end() {
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].gathered();
  }

  /**
   * @param {Pick<MixStream, 'write'>} stream
   * @param {number} frame
   */
  send(stream, frame) {
    let packet = null;
    let redundancy = -1;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.sessions.length === 0 || list.carriage !== 'once') continue;
      if (list.stride > 1) {
        // An audience hears a mix.
        const mix = /** @type {MixStream} */ (stream);
        if (isDue(mix, frame, list.stride)) list.sendStride(mix);
        packet = null;
        continue;
      }
      if (packet === null || list.redundancy !== redundancy) packet = stream.write(list.redundancy);
      redundancy = list.redundancy;
      list.send(packet);
    }
    // An audience hears a mix.
    if (this.keptStride > 0) this.#sendKept(/** @type {MixStream} */ (stream), frame);
  }

  /**
   * Keeps the frames of a stride, once it is over, and sends them to those who get each packet more than once, or surely.
   * @param {MixStream} mix
   * @param {number} frame
   */
  #sendKept(mix, frame) {
    if (!isDue(mix, frame, this.keptStride)) return;
    const recent = this.#recent;
    const before = this.keptStride - 1;
    const left = mix.leavesOut(before);
    if (left > 0) recent.put(frame, mix.writeStride(left - 1, before - left + 1));
    recent.put(frame, mix.writeStride(left > 0 ? before - left : before));
    for (let i = 0; i < this.#lists.length; i++) {
      const { sessions, carriage } = this.#lists[i];
      if (sessions.length === 0 || carriage === 'once') continue;
      // In silence most packets are left out: those before it are old.
      const count = recent.since(carriage === 'thrice' ? frame - COPIES * this.keptStride : frame);
      for (let back = count - 1; back >= 0; back--) this.#lists[i].send(recent.packet(back));
    }
  }

  /**
   * Sends a listener at once what was sent lately, the oldest first.
   * @param {LightListener} listener
   * @param {number} frames  how many
   */
  fill({ session, carriage }, frames) {
    const recent = this.#recent;
    if (recent.size === 0) return;
    for (let back = recent.since(recent.frame(0) - frames) - 1; back >= 0; back--) {
      if (carriage === 'surely') session.surely?.send(recent.packet(back));
      else session.send(recent.packet(back));
    }
  }

  #release() {
    for (const list of this.#lists) list.close();
    this.#lists.length = 0;
  }

  /** Idempotent. */
  close() {
    this.#release();
    this.#recent.clear();
  }
}

/**
 * Whether a frame's packet goes to those with this stride: the last frame's of each so many, the packet which says that
 * the sound has ended, unless one before it does, and each one in a silence of which most are left out.
 * @param {MixStream} stream
 * @param {number} frame
 * @param {number} stride
 */
export const isDue = (stream, frame, stride) => frame % stride === stride - 1 || stream.endsSound || stream.isSparse;

/** Sessions that get the same bytes over the same transport: in one group of it where they are many. */
class Recipients {
  /** @type {Session[]} */
  sessions;
  /** @type {SessionGroup | null} */
  #group = null;

  /**
   * @param {Session} session  the first
   * @param {number} redundancy
   * @param {number} stride
   * @param {Carriage} carriage
   */
  constructor(session, redundancy, stride, carriage) {
    this.sessions = [session];
    this.transport = session.transport;
    this.redundancy = redundancy;
    this.stride = stride;
    this.carriage = carriage;
  }

  /** All sessions are known. */
  gathered() {
    const { sessions, transport, carriage } = this;
    if (sessions.length >= MIN_GROUP && transport.createGroup && carriage !== 'surely') {
      this.#group ??= transport.createGroup();
      if (this.#group.set(sessions)) return;
    }
    this.close();
  }

  /** @param {Uint8Array} packet */
  send(packet) {
    if (this.#group) this.#group.send(packet);
    else if (this.carriage === 'surely') for (let i = 0; i < this.sessions.length; i++) this.sessions[i].surely?.send(packet);
    else this.transport.sendMany(this.sessions, packet);
  }

  /**
   * Sends the frames of a stride. Those that have no room in one packet, which happens at high bit rates, go before it.
   * @param {MixStream} stream
   */
  sendStride(stream) {
    const before = this.stride - 1;
    const left = stream.leavesOut(before);
    if (left > 0) this.send(stream.writeStride(left - 1, before - left + 1));
    this.send(stream.writeStride(left > 0 ? before - left : this.redundancy));
  }

  /** Gives the group back. Idempotent. */
  close() {
    this.#group?.close();
    this.#group = null;
  }
}
