/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { Grant } from '../../state/grant.js'
 * @import { LightListener } from '../../mix/light-listener.js'
 * @import { Listener } from '../../mix/listener.js'
 * @import { Source } from '../../source/source.js'
 * @import { PersonState } from '../../state/portable-state.js'
 * @import { ControlMessage, Session, SessionHandler } from '../../session/session.js'
 * @import { Sound } from '../sound/sound.js'
 * @import { Past } from './standing.js'
 *
 * @typedef {object} MemberRoom  the room as a member knows it
 * @property {(member: Member, message: unknown) => boolean} command  obeys a control message; false
 *   when it did nothing
 * @property {(member: Member, left: boolean) => void} gone  the session has ended: left for good,
 *   or lost
 * @property {(member: Member) => void} ended  logs and counts an ended session; called once, before
 *   anything is freed
 * @property {(id: string) => Member | null} find  a member, present or away
 *
 * @typedef {Pick<Sound, 'received' | 'serverDelayMs' | 'delayWithoutMs' | 'stallBefore' |
 *   'mixedThrough' | 'frameMs' | 'clockNow' | 'sampleAt'>} MemberSound
 *   the room's sound as a member knows it
 */

import { errors } from '../../../public/shared/errors.js';
import { Packet, PacketType, readPacket, Stream } from '../../../public/shared/wire/packet.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from '../../clock/sample-clock.js';
import { countJoin, countRefusal, endOf } from '../../counts.js';
import { networkOfPeer } from '../../network-address.js';
import { TokenBucket } from '../../token-bucket.js';
import { isLeave } from '../commands.js';
import { MemberFigures } from './member-figures.js';
import { Standing } from './standing.js';

/**
 * Limit of packets that are read: this multiple of the frame rate, with as many seconds' worth at
 * once, to catch up.
 */
const MAX_RATE = 3;
const MAX_BURST_SECONDS = 2;

/** Most control messages handled in a second: each reaches everybody. */
const MAX_CONTROL_MESSAGES = 20;

/** Smallest change of the server-side delay that is sent, in milliseconds. */
const TOLD_CHANGE_MS = 1;

/** State of a person without an earlier session. */
const NEWCOMER = Object.freeze({
  hand: 0,
  group: 0,
  language: /** @type {string | null} */ (null),
});

/** Buffer that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * One participant of a room, and the handler of their session: identity, rights, the source of
 * their voice and the listener for what they hear. A member knows nothing of mixing.
 * @implements {SessionHandler}
 */
export class Member {
  #room;
  #sound;
  #packetRate;
  #clock = new ClockAnswers();
  #messagesSinceMs = -Infinity;
  #messages = 0;
  /** @type {number} */
  #lastHeardMs;
  #sinceMs;
  /** Reason of the session's end: 'left', or a code of the registry. */
  #why = 'left';
  #ended;
  /** Server-side delay of the last message, in milliseconds. */
  #announcedDelayMs = -1;
  /** True while the connection is lost and the place is kept. */
  away = false;
  /** Order of the raised hand among all that are up; 0 while it is down. */
  hand;
  /** Title of the member's sound, for everybody; empty without one. */
  title = '';
  /** Group that the member is in; 0 in the room. */
  group;
  /** Time of the last move from one group to another, on the monotonic clock. */
  movedMs = -Infinity;
  /** Tag of the language that the member interprets into; null for others. */
  language;
  /** Tag of the language that a listener has chosen; null for the floor. @type {string | null} */
  hears = null;
  /** True while the member is being recorded. */
  recorded = false;
  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {string} options.label  the name as it is shown, unique in the room
   * @param {Session} options.session
   * @param {Grant} options.grant  rights by token, or the open ones
   * @param {Source | null} options.source  null for a light member, or one without a session
   * @param {Listener | LightListener | null} options.listener  null for a member who only speaks
   * @param {MemberSound} options.sound
   * @param {MemberRoom} options.room
   * @param {Past | null} [options.past]
   * @param {{ isLight: boolean } | null} [options.lost] of a person whose session ended with
   *   another thread
   */
  constructor({
    id,
    name,
    label,
    session,
    grant,
    source,
    listener,
    sound,
    room,
    past = null,
    lost = null,
  }) {
    this.id = id;
    this.name = name;
    this.label = label;
    this.session = session;
    /** Network of the session, for limits; null for this machine. */
    this.network = networkOfPeer(session.peer);
    this.grant = grant;
    this.source = source;
    /** True for one of the audience: nothing is decoded, mixed or kept for them alone. */
    this.isLight = lost === null ? source === null : lost.isLight;
    this.#room = room;
    this.#sound = sound;
    this.standing = new Standing(grant, past);
    const { hand, group, language } = { ...NEWCOMER, ...past };
    this.hand = hand;
    this.group = group;
    this.language = language;
    const hears = this.standing.permissions.has('listen');
    // Nothing is mixed for a member who may not listen.
    if (!hears) listener?.close();
    this.listener = hears ? listener : null;
    this.#lastHeardMs = sound.clockNow();
    this.#sinceMs = this.#lastHeardMs - (past?.seconds ?? 0) * 1000;
    this.#ended = lost !== null;
    if (!this.#ended) countJoin();
    const perSecond = (MAX_RATE * 1000) / sound.frameMs + MAX_CLOCK_REQUESTS;
    this.#packetRate = new TokenBucket({ atOnce: MAX_BURST_SECONDS * perSecond, perSecond });
    this.figures = new MemberFigures(this, sound);
  }

  /**
   * Makes a member without a session, of a person on another thread that has ended.
   * @param {PersonState} person
   * @param {{ sound: MemberSound, room: MemberRoom }} owner
   */
  static lost(person, { sound, room }) {
    const { id, name, label, grant } = person;
    return new Member({
      id,
      name,
      label,
      session: lostSession(person),
      grant: { ...grant, withheld: new Set(grant.withheld) },
      source: null,
      listener: null,
      sound,
      room,
      past: person,
      lost: person,
    });
  }

  /** This member as plain data. @returns {Omit<PersonState, 'key'>} */
  state() {
    const { id, name, label, hand, standing, isLight, grant, session } = this;
    return {
      id,
      name,
      label,
      muted: standing.isMutedByChoice,
      silenced: standing.silenced,
      role: standing.role,
      hand,
      group: this.group,
      language: this.language,
      grant: { ...grant, withheld: [...grant.withheld] },
      isLight,
      peer: session.peer,
      transport: session.transport.name,
      seconds: this.visit.seconds,
    };
  }

  /** `tick`: this member is sent each mix; `reply`: each packet is answered. */
  get delivery() {
    return this.listener?.delivery ?? 'tick';
  }

  /** Bits of a sample, if this member sends and gets PCM. */
  get pcm() {
    return this.listener === null || this.listener.isLight ? undefined : this.listener.pcm;
  }

  /** Number of frames in a packet that this member is sent. */
  get stride() {
    return this.listener?.isLight ? this.listener.announcedStride : 1;
  }

  /** The `sub` of the token that the member came with; null without one. */
  get identity() {
    return this.grant.identity;
  }

  /**
   * Time of the last sign of life, on the monotonic clock; for a session at another node, the one
   * that its relay reports.
   */
  get lastHeardMs() {
    return this.session.transport.isRelay
      ? Math.max(this.session.heardMs ?? 0, this.#lastHeardMs)
      : this.#lastHeardMs;
  }

  /**
   * Leaves out time in which this process stood still: the member's packets weren't read.
   * @param {number} lateMs
   * @param {number} now  on the monotonic clock
   */
  forgive(lateMs, now) {
    this.#lastHeardMs = Math.min(now, this.lastHeardMs + lateMs);
  }

  /** Time from joining to the last packet, in milliseconds, with earlier sessions. */
  get heardForMs() {
    return this.lastHeardMs - this.#sinceMs;
  }

  /** Time in the room, in seconds, with earlier sessions, and the reason of the session's end. */
  get visit() {
    return { seconds: (this.#sound.clockNow() - this.#sinceMs) / 1000, why: this.#why };
  }

  /** True when the session is over. */
  get ended() {
    return this.#ended;
  }

  /**
   * Checks and counts a packet, answers a clock request, hands audio to the source.
   * @param {Uint8Array} bytes  valid during the call
   * @param {number} arrivalMs  on the monotonic clock
   */
  packet(bytes, arrivalMs) {
    if (this.#ended) return;
    this.#lastHeardMs = arrivalMs;
    if (this.#packetRate.take(arrivalMs) > 0) return this.figures.drop('flood');
    const reason = readPacket(bytes, packet);
    if (reason !== null) return this.figures.drop(reason);
    if (packet.type === PacketType.clockRequest) return this.#answerClock(arrivalMs);
    const { source } = this;
    if (packet.type !== PacketType.audio || source === null) return this.figures.drop('type');
    // Layers are the server's alone.
    if (packet.stream >= Stream.layers) return this.figures.drop('malformed');
    if (!this.standing.isHeard || this.#hasSilentOwner) this.#silencePacket();
    const sound = this.#sound;
    const frame = source.receive(
      packet,
      bytes,
      arrivalMs,
      sound.stallBefore(arrivalMs),
      sound.mixedThrough,
    );
    if (frame >= 0) sound.received(this, frame, arrivalMs, packet, bytes);
  }

  /** True for the shared sound of somebody who may not speak. */
  get #hasSilentOwner() {
    const { owner } = this.grant;
    if (owner === undefined) return false;
    const { silenced, permissions } = this.#room.find(owner)?.standing ?? {};
    return silenced === true || !permissions?.has('speak');
  }

  /** Makes silence of the packet that was read. It is answered as any other. */
  #silencePacket() {
    if (packet.payloadBytes[0] > 0) this.figures.drop('unheard');
    packet.silence();
  }

  /** @param {number} arrivalMs */
  #answerClock(arrivalMs) {
    if (!this.#clock.answer(this.session, packet.id, this.#sound.sampleAt(arrivalMs), arrivalMs))
      this.figures.drop('flood');
  }

  /** @param {unknown} message  as received */
  control(message) {
    // Reads only `leave` of a flood, because a message takes longer to parse than to send.
    const isRead = !this.#isFlood() || isLeave(message);
    if (!isRead || !this.#room.command(this, message)) this.figures.drop('control');
  }

  #isFlood() {
    const now = this.#sound.clockNow();
    if (now - this.#messagesSinceMs >= 1000) {
      this.#messagesSinceMs = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages > MAX_CONTROL_MESSAGES;
  }

  /** @param {number} code  0 is a normal end */
  closed(code) {
    this.#why = endOf(code);
    this.#room.gone(this, code === 0 || code === errors.removed.close);
  }

  /** @param {ServerMessage | ControlMessage} message  of the control protocol */
  tell(message) {
    this.session.sendControl(message);
  }

  /**
   * Tells the member that something can't be done.
   * @param {string} of  the type of the message that asked for it
   * @param {ErrorCode} code
   * @param {object} [more]  fields of the answer
   */
  refuse(of, code, more) {
    countRefusal('command', code);
    this.tell({ type: 'refused', of, code, message: errors[code].message, ...more });
  }

  /**
   * Makes the member light, or a person who is heard.
   * @param {{ source: Source | null, listener: Listener | LightListener }} sound
   */
  recast({ source, listener }) {
    this.source = source;
    this.listener = listener;
    this.isLight = source === null;
    // Its new streams are in the room.
    this.group = 0;
    this.language = null;
    this.hears = null;
  }

  /** Delay that this member hears with, in milliseconds. */
  get serverDelayMs() {
    return this.listener?.ownDelayMs ?? this.#sound.serverDelayMs(this.delivery);
  }

  /** Tells the server-side delay after a change, unless the member has a delay of its own. */
  tellDelay() {
    const { serverDelayMs } = this;
    if (
      typeof this.listener?.ownDelayMs === 'number' ||
      Math.abs(serverDelayMs - this.#announcedDelayMs) < TOLD_CHANGE_MS
    )
      return;
    this.#announcedDelayMs = serverDelayMs;
    this.tell({ type: 'delay', serverDelayMs });
  }

  /** Server-side delay for the welcome. */
  takeDelay() {
    return (this.#announcedDelayMs = this.serverDelayMs);
  }

  /** The member as others see it. */
  describe() {
    const { id, name, label, session, away, hand, recorded, title, group, language } = this;
    const { muted, silenced, role } = this.standing;
    const transport = session.transport.name;
    const { quality } = this.figures;
    const { owner } = this.grant;
    return {
      ...{ id, name, label, transport, muted, silenced, role, away, hand, quality, recorded },
      ...(title !== '' && { title }),
      ...(owner !== undefined && { owner }),
      ...(group > 0 && { group }),
      ...(language !== null && { language }),
    };
  }

  /**
   * Ends the session, and says why.
   * @param {ErrorCode} code
   */
  end(code) {
    const { close, message } = errors[code];
    this.#why = code;
    this.tell({ type: 'closing', code, message });
    this.session.close(close, message);
    this.close();
  }

  /**
   * Stops all sending. The session is the room's to close; the source belongs to the delivery,
   * which may still play it.
   */
  close() {
    if (this.#ended) return;
    this.#ended = true;
    try {
      this.#room.ended(this);
    } finally {
      this.listener?.close();
    }
  }
}

/**
 * Session from which nothing comes, and over which nothing is sent.
 * @param {PersonState} person
 * @returns {Session}
 */
function lostSession({ peer, transport: name }) {
  const stats = () => ({ rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 });
  return {
    transport: { name, replyOnly: false, sendMany: () => {}, close: async () => {} },
    peer,
    log: { error: () => {} },
    handler: null,
    send: () => false,
    sendControl: () => {},
    close: () => {},
    stats,
    pathStats: stats,
  };
}
