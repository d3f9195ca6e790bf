/**
 * @import { Packet } from '../../public/shared/wire/packet.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { Source } from '../source/source.js'
 * @import { Session, Transport } from '../session/session.js'
 *
 * @typedef {{ transport: Transport, sessions: Session[] }} Group
 */

import {
  MAX_PACKET_BYTES,
  MAX_SENT_BYTES,
  Packet as VoicePacket,
  VOICE_BIT,
  LEVEL_MASK,
  writeVoiceHeader,
} from '../../public/shared/wire/packet.js';
import { Forwarding } from './forwarding.js';

/** Buffer of every packet: sessions don't keep it. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/** Views of its beginning, by length. @type {Uint8Array[]} */
const views = [];

/** Packet being written. */
const voice = new VoicePacket();

/**
 * Forwards each packet of a speaker on arrival, with the speaker's number in it, to everybody but
 * the speaker. On the tick it chooses the speakers, and sends silent bundles, which tell a client
 * that nothing else comes.
 */
export class PacketForwarding extends Forwarding {
  /** Newest packet of each source. @type {Map<Source, { frame: number, sequence: number }>} */
  #newest = new Map();
  /**
   * Sessions of everybody else, by speaker's id and transport. Made with the speaker's first
   * packet.
   * @type {Map<string, Group[]>}
   */
  #groups = new Map();

  /** @override @type {Forwarding['enter']} */
  enter(source, listener) {
    super.enter(source, listener);
    if (source) this.#newest.set(source, { frame: -1, sequence: 0 });
    if (listener && !listener.isLight && listener.delivery === 'tick') this.#catchUp(listener);
  }

  /** @override @type {Forwarding['takeEnding']} */
  takeEnding(source) {
    super.takeEnding(source);
    // No packet follows, so any consecutive numbers do.
    if (this.#newest.has(source))
      this.#newest.set(source, { frame: source.endsWith, sequence: source.endsWith & 0xffff });
  }

  /** @override @type {Forwarding['sourceEnded']} */
  sourceEnded(source) {
    super.sourceEnded(source);
    this.#newest.delete(source);
  }

  /** @override @type {Forwarding['release']} */
  release(source, listener) {
    super.release(source, listener);
    if (source) this.#newest.delete(source);
  }

  /** @override @type {Forwarding['received']} */
  received(source, frame, packet, bytes) {
    super.received(source, frame, packet, bytes);
    const newest = this.#newest.get(source);
    if (newest === undefined) return;
    if (frame > newest.frame) {
      newest.frame = frame;
      newest.sequence = packet.sequence;
    }
    if (this.speakers.admit(source, frame, packet.payloadBytes[0] > 0))
      this.#forward(source, packet, bytes);
  }

  /** @override @param {number} frame */
  tick(frame) {
    this.choose(frame);
    this.send(frame, false);
  }

  /** @param {Source} source @param {Packet} packet @param {Uint8Array} bytes */
  #forward(source, packet, bytes) {
    const length = this.#write(source.number, packet, bytes);
    if (length === 0) return;
    const view = (views[length] ??= out.subarray(0, length));
    const groups = this.#groups.get(source.id) ?? this.#gather(source.id);
    for (let g = 0; g < groups.length; g++) groups[g].transport.sendMany(groups[g].sessions, view);
  }

  /** @param {string} id  of a speaker */
  #gather(id) {
    /** @type {Group[]} */
    const groups = [];
    for (const { id: other, session } of this.listeners) {
      if (other === id) continue;
      const { transport } = session;
      let group = groups.find((known) => known.transport === transport);
      if (!group) groups.push((group = { transport, sessions: [] }));
      group.sessions.push(session);
    }
    this.#groups.set(id, groups);
    return groups;
  }

  /**
   * @param {number} number
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   * @returns {number} bytes of the voice packet; 0 if it doesn't fit
   */
  #write(number, packet, bytes) {
    voice.number = number;
    voice.level = packet.level;
    voice.voice = packet.voice;
    voice.sequence = packet.sequence;
    voice.frame = packet.frame;
    voice.redundancy = packet.redundancy;
    for (let r = 0; r <= packet.redundancy; r++) voice.payloadBytes[r] = packet.payloadBytes[r];
    let start = writeVoiceHeader(out, voice);
    let from = packet.payloadStart[packet.redundancy];
    let length = 0;
    for (let r = 0; r <= packet.redundancy; r++) length += packet.payloadBytes[r];
    if (start + length > MAX_SENT_BYTES) {
      // Repeats are dropped when the speaker's number, or an older client's packet, needs their
      // room.
      voice.redundancy = 0;
      start = writeVoiceHeader(out, voice);
      from = packet.payloadStart[0];
      length = packet.payloadBytes[0];
      if (start + length > MAX_PACKET_BYTES) return 0;
    }
    for (let i = 0; i < length; i++) out[start + i] = bytes[from + i];
    return start + length;
  }

  /**
   * Sends one listener the speakers' packets that the tick hasn't covered.
   * @param {Listener} listener
   */
  #catchUp(listener) {
    const { placed } = this.speakers;
    for (let i = 0; i < placed.length; i++) {
      const { source } = placed[i];
      const newest = this.#newest.get(source);
      if (newest === undefined || source.id === listener.id) continue;
      const offset = Math.round(source.offsetMs / source.format.frameMs);
      // Before the first tick all frames since the server's start would be looked for.
      const oldest = Math.max(0, newest.frame + 1 - source.packets.capacity);
      for (
        let frame = Math.max(oldest, this.mixedThrough + 1 - offset);
        frame <= newest.frame;
        frame++
      ) {
        if (source.has(frame + offset)) listener.session.send(this.#kept(source, frame, newest));
      }
    }
  }

  /**
   * @param {Source} source
   * @param {number} frame
   * @param {{ frame: number, sequence: number }} newest
   */
  #kept(source, frame, newest) {
    const { packets } = source;
    const length = packets.length(frame);
    voice.number = source.number;
    voice.level = packets.level(frame) & LEVEL_MASK;
    voice.voice = (packets.level(frame) & VOICE_BIT) !== 0;
    voice.sequence = (newest.sequence - (newest.frame - frame)) & 0xffff;
    voice.frame = frame;
    voice.redundancy = 0;
    const start = writeVoiceHeader(out, voice);
    if (start + length > MAX_PACKET_BYTES) return out.subarray(0, start);
    const { bytes } = packets;
    const from = packets.start(frame);
    for (let i = 0; i < length; i++) out[start + i] = bytes[from + i];
    return out.subarray(0, start + length);
  }

  /** @override @type {Forwarding['listenersChanged']} */
  listenersChanged() {
    super.listenersChanged();
    this.#groups.clear();
  }
}
