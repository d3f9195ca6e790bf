/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { LightListener } from '../../mix/light-listener.js'
 * @import { Listener } from '../../mix/listener.js'
 * @import { Source } from '../../source/source.js'
 * @import { Traffic } from '../../source/traffic.js'
 * @import { ControlMessage, Session, SessionHandler } from '../../transport/session.js'
 * @import { SessionStats } from '../../transport/session.js'
 * @import { Grant, Permission, Role } from '../../access/grant.js'
 * @import { PersonState } from '../../state/portable-state.js'
 *
 * @typedef {object} MemberRoom  what a member needs of its room
 * @property {(member: Member, frame: number, arrivalMs: number, packet: Packet, bytes: Uint8Array)
 *   => void} received the member's source has kept the packet of a frame; packet and bytes are
 *   valid during the call
 * @property {(member: Member, message: unknown) => void} command
 * @property {(member: Member, left: boolean) => void} gone the session has ended: left for good, or
 *   lost
 * @property {(member: Member) => void} ended nothing comes any more; called once, before anything
 *   is freed
 * @property {(delivery: 'tick' | 'reply') => number} serverDelayMs  the room's
 * @property {(arrivalMs: number) => number} stallBefore  see TickScheduler
 * @property {number} mixedThrough  the last frame of the tick; -1 before it
 * @property {number} frameMs
 * @property {() => number} clockNow  the monotonic clock, in milliseconds
 * @property {(arrivalMs: number) => number} sampleAt  the sample clock then
 */

import { errors } from '../../../public/shared/errors.js';
import { Packet, PacketType, readPacket, Stream } from '../../../public/shared/wire/packet.js';
import { permissionsOf } from '../../access/grant.js';
import { countJoin, countRefusal, endOf } from '../../counts.js';
import { networkOfPeer } from '../../network-address.js';
import { TokenBucket } from '../../token-bucket.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from './clock-answers.js';
import { ClientReport } from '../reports/client-report.js';
import { isLeave } from '../commands.js';
import { Quality } from '../reports/reports.js';

/**
 * The most packets that are read: this many times the frames' rate, and as many seconds' worth at
 * once, to catch up.
 */
const MAX_RATE = 3;
const MAX_BURST_SECONDS = 2;

/** The most control messages that are obeyed, a second: each is told to everybody. */
const MAX_CONTROL_MESSAGES = 20;

/** The smallest change of the server-side delay that is told, in milliseconds. */
const TOLD_CHANGE_MS = 1;

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * One participant of a room, and the handler of their session: who they are, what they may do, the
 * source of what they say and the listener for what they hear. A member knows nothing of mixing.
 * @implements {SessionHandler}
 */
export class Member {
  #room;
  /** @type {Grant} */
  #grant;
  /** @type {Role} */
  #role;
  /** @type {ReadonlySet<Permission>} */
  #permissions;
  /** Whether a moderator has muted this member. */
  #silenced = false;
  /** Whether what this member says is heard at all. */
  #heard = true;
  #packetRate;
  #clock = new ClockAnswers();
  #messagesSinceMs = -Infinity;
  #messages = 0;
  /** @type {number} */
  #lastHeardMs;
  /** @type {number} */
  #sinceMs;
  /** Why the session ended: 'left', or a code of the registry. */
  #why = 'left';
  #muted = false;
  #hand = 0;
  #away = false;
  #ended = false;
  #recording = { agreed: false, recorded: false };
  /**
   * The quality of the connection as the others know it, and as it was measured last.
   * @type {number}
   */
  #quality = Quality.unknown;
  /** @type {number} */
  #measuredQuality = Quality.unknown;
  #report = new ClientReport();
  /** The server-side delay that the member was told last, in milliseconds. */
  #toldDelayMs = -1;
  /**
   * Packets and messages of a light member that weren't used, by reason.
   * @type {Map<string, number> | null}
   */
  #dropped = null;

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {string} options.label  the name as it is shown: unlike everybody else's in the room
   * @param {Session} options.session
   * @param {Grant} options.grant  what the member came with
   * @param {Source | null} options.source  null where the member is light, or restored
   * @param {Listener | LightListener | null} options.listener  null where the member only speaks
   * @param {MemberRoom} options.room
   * @param {Member | null} [options.before]  the same person's session before, whose choices stay
   * @param {PersonState | null} [options.state] of a person whose session has ended with another
   *   thread
   */
  constructor({
    id,
    name,
    label,
    session,
    grant,
    source,
    listener,
    room,
    before = null,
    state = null,
  }) {
    this.id = id;
    this.name = name;
    this.label = label;
    this.session = session;
    /** The network that the session comes from, for limits; null for this machine. */
    this.network = networkOfPeer(session.peer);
    this.source = source;
    /**
     * Whether this member only listens, and is one of the audience: nothing is decoded, mixed or
     * kept for them alone.
     */
    this.isLight = state?.isLight ?? source === null;
    this.#room = room;
    const past = before?.state() ??
      state ?? { role: grant.role, muted: false, silenced: false, hand: 0, seconds: 0 };
    this.#grant = before ? before.#grant : grant;
    this.#role = past.role;
    this.#permissions = permissionsOf(this.#role, this.#grant.withheld);
    this.#muted = past.muted;
    this.#silenced = past.silenced;
    this.#hand = past.hand;
    this.#hearOrNot();
    // Nothing is mixed for one who may not listen.
    if (!this.may('listen')) listener?.close();
    this.listener = this.may('listen') ? listener : null;
    this.#lastHeardMs = room.clockNow();
    this.#sinceMs = this.#lastHeardMs - past.seconds * 1000;
    this.#ended = state !== null;
    if (!this.#ended) countJoin();
    const perSecond = (MAX_RATE * 1000) / room.frameMs + MAX_CLOCK_REQUESTS;
    this.#packetRate = new TokenBucket({ atOnce: MAX_BURST_SECONDS * perSecond, perSecond });
    /** The transport's round trip, in milliseconds; null where it doesn't know it. */
    this.roundTripMs = () => session.pathStats().rttMs;
  }

  /** What is kept of this member elsewhere. @returns {Omit<PersonState, 'key'>} */
  state() {
    const {
      id,
      name,
      label,
      hand,
      role,
      silenced,
      session: { peer, transport },
    } = this;
    const grant = { ...this.#grant, withheld: [...this.#grant.withheld] };
    return {
      id,
      name,
      label,
      muted: this.#muted,
      silenced,
      role,
      hand,
      grant,
      isLight: this.isLight,
      peer,
      transport: transport.name,
      seconds: this.visit.seconds,
    };
  }

  /** `tick`: this member is sent each mix; `reply`: each packet is answered. */
  get delivery() {
    return this.listener?.delivery ?? 'tick';
  }

  /** How many frames there are to a packet of those that this member is sent. */
  get stride() {
    return this.listener?.isLight ? this.listener.toldStride : 1;
  }

  /** Whether nothing of this member is heard: by their own wish, a moderator's, or their role. */
  get muted() {
    return this.#muted || !this.#heard;
  }

  /** Whether a moderator has muted this member, who can't undo it. */
  get silenced() {
    return this.#silenced;
  }

  /** Whether a moderator has made a listener of this member. */
  get lowered() {
    return this.#role === 'listener' && this.#grant.role !== 'listener';
  }

  /** What the member came with. */
  get grant() {
    return this.#grant;
  }

  /** The `sub` of the token that the member came with; null without one. */
  get identity() {
    return this.#grant.identity;
  }

  get role() {
    return this.#role;
  }

  get permissions() {
    return this.#permissions;
  }

  /** Whether the place waits for its holder. */
  get away() {
    return this.#away;
  }

  /** The place of the raised hand in the order in which hands went up; 0 while it is down. */
  get hand() {
    return this.#hand;
  }

  /** One of Quality, as the others know it. */
  get quality() {
    return this.#quality;
  }

  /**
   * When anything was last heard from the session, on the monotonic clock: from one at another
   * node, what its relay tells.
   */
  get lastHeardMs() {
    return this.session.transport.isRelay
      ? Math.max(this.session.heardMs ?? 0, this.#lastHeardMs)
      : this.#lastHeardMs;
  }

  /**
   * How long after joining packets still came, in milliseconds; sessions before this one count too.
   */
  get heardForMs() {
    return this.lastHeardMs - this.#sinceMs;
  }

  /** When the member joined, on the monotonic clock. */
  get sinceMs() {
    return this.#sinceMs;
  }

  /** How long this session has been in the room, in seconds, and why it ended if it has. */
  get visit() {
    return { seconds: (this.#room.clockNow() - this.#sinceMs) / 1000, why: this.#why };
  }

  /** Whether nothing comes from the session any more. */
  get ended() {
    return this.#ended;
  }

  /** Whether this member wants to be recorded. */
  get agreed() {
    return this.#recording.agreed;
  }

  /** Whether this member is being recorded. */
  get recorded() {
    return this.#recording.recorded;
  }

  /** @param {Permission} permission */
  may(permission) {
    return this.#permissions.has(permission);
  }

  /**
   * Takes a packet as it comes: checks and counts it, answers a clock request, hands audio to the
   * source.
   * @param {Uint8Array} bytes  valid during the call
   * @param {number} arrivalMs  on the monotonic clock
   */
  packet(bytes, arrivalMs) {
    if (this.#ended) return;
    this.#lastHeardMs = arrivalMs;
    if (this.#packetRate.take(arrivalMs) > 0) return this.#drop('flood');
    const reason = readPacket(bytes, packet);
    if (reason !== null) return this.#drop(reason);
    if (packet.type === PacketType.clockRequest) return this.#answerClock(arrivalMs);
    const { source } = this;
    if (packet.type !== PacketType.audio || source === null) return this.#drop('type');
    // Layers are the server's alone.
    if (packet.stream >= Stream.layers) return this.#drop('malformed');
    if (!this.#heard) this.#silencePacket();
    const room = this.#room;
    const frame = source.receive(
      packet,
      bytes,
      arrivalMs,
      room.stallBefore(arrivalMs),
      room.mixedThrough,
    );
    if (frame >= 0) room.received(this, frame, arrivalMs, packet, bytes);
  }

  /**
   * Takes the sound out of the packet that was read. It counts as silence, so that it is answered
   * as any other.
   */
  #silencePacket() {
    if (packet.payloadBytes[0] > 0) this.#drop('unheard');
    packet.silence();
  }

  /** @param {Parameters<Source['drop']>[0]} reason */
  #drop(reason) {
    if (this.source !== null) this.source.drop(reason);
    else (this.#dropped ??= new Map()).set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** @param {number} arrivalMs */
  #answerClock(arrivalMs) {
    if (!this.#clock.answer(this.session, packet.id, this.#room.sampleAt(arrivalMs), arrivalMs))
      this.#drop('flood');
  }

  /** @param {unknown} message  as it came */
  control(message) {
    // A flood isn't looked at, but for its end: looking takes longer than sending.
    if (this.#isFlood() && !isLeave(message)) this.#drop('control');
    else this.#room.command(this, message);
  }

  #isFlood() {
    const now = this.#room.clockNow();
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

  /** Counts a control message that did nothing. */
  dropControl() {
    this.#drop('control');
  }

  /** @param {object | ControlMessage} message  of the control protocol */
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

  /** @param {boolean} muted @returns {boolean} whether that is a change */
  mute(muted) {
    const before = this.muted;
    this.#muted = muted;
    return this.muted !== before;
  }

  /**
   * @param {boolean} silenced whether the member can't unmute; where they can again, they are muted
   *   still
   */
  silence(silenced) {
    this.#muted = true;
    this.#silenced = silenced;
    this.#hearOrNot();
  }

  /** @param {Role} role  with which one who could not speak before is muted still */
  setRole(role) {
    if (!this.may('speak')) this.#muted = true;
    this.#role = role;
    this.#permissions = permissionsOf(role, this.#grant.withheld);
    this.#hearOrNot();
  }

  /**
   * Becomes light, or one who is heard.
   * @param {{ source: Source | null, listener: Listener | LightListener }} sound which this has
   *   from now on
   */
  recast({ source, listener }) {
    this.source = source;
    this.listener = listener;
    this.isLight = source === null;
  }

  /**
   * Makes the member what they were on another node.
   * @param {{ role: Role, muted: boolean, silenced: boolean, hand: number }} before
   */
  restore({ role, muted, silenced, hand }) {
    if (role !== this.#role) this.setRole(role);
    if (silenced) this.silence(true);
    [this.#muted, this.#hand] = [muted, hand];
  }

  #hearOrNot() {
    this.#heard = !this.#silenced && this.may('speak');
  }

  /** @param {number} hand  the place in the order of hands; 0 takes it down */
  raiseHand(hand) {
    this.#hand = hand;
  }

  /**
   * @param {boolean} agreed  whether the member wants to be recorded
   * @param {boolean} recorded  whether it is done
   */
  markRecorded(agreed, recorded) {
    this.#recording = { agreed, recorded };
  }

  /** The session was lost, and the place waits. */
  wait() {
    this.#away = true;
  }

  /** @param {Parameters<ClientReport['take']>[0]} report  of the client */
  takeReport(report) {
    this.#report.take(report);
    this.listener?.reportLoss(report.lostPercent, this.roundTripMs());
  }

  /** What the client told last. @returns {Pick<ClientReport, 'isWeak' | 'figures'>} */
  get report() {
    return this.#report;
  }

  /** @param {number} quality  one of Quality, as measured */
  rate(quality) {
    this.#measuredQuality = quality;
  }

  /**
   * Takes the measured quality for the one that others know.
   * @returns {boolean} whether that is a change
   */
  takeQuality() {
    const isChange = this.#quality !== this.#measuredQuality;
    this.#quality = this.#measuredQuality;
    return isChange;
  }

  /** The delay that this member hears with, in milliseconds. */
  get serverDelayMs() {
    return this.listener?.ownDelayMs ?? this.#room.serverDelayMs(this.delivery);
  }

  /** Tells the server-side delay where it has changed, unless the member has one of its own. */
  tellDelay() {
    const { serverDelayMs } = this;
    if (
      typeof this.listener?.ownDelayMs === 'number' ||
      Math.abs(serverDelayMs - this.#toldDelayMs) < TOLD_CHANGE_MS
    )
      return;
    this.#toldDelayMs = serverDelayMs;
    this.tell({ type: 'delay', serverDelayMs });
  }

  /** The server-side delay, which the member is being told. */
  takeDelay() {
    return (this.#toldDelayMs = this.serverDelayMs);
  }

  /** Ends a second of the statistics. @param {number} nowMs  on the monotonic clock */
  endSecond(nowMs) {
    if (!this.listener?.isLight) this.listener?.endSecond(this.#room.sampleAt(nowMs));
    this.source?.endSecond(nowMs, this.roundTripMs());
  }

  /** The figures of the member's packets and of its hearing, with those that the client told. */
  stats() {
    const { droppedOut, rttMs: roundTripMs } = this.session.pathStats();
    const { serverDelayMs } = this;
    // A spread copy of so many fields costs several times as much as they do.
    const received = /** @type {ReturnType<Source['stats']>} */ (this.source?.stats() ?? {});
    const offsetMs = this.source?.offsetMs ?? 0;
    const stats = Object.assign(received, this.#report.figures, {
      droppedOut,
      roundTripMs,
      serverDelayMs,
      offsetMs,
    });
    return Object.assign(stats, this.listener?.isLight ? null : this.listener?.stats());
  }

  /**
   * Adds the figures of the member's packets to a sum.
   * @param {Traffic} traffic
   * @param {SessionStats} [stats]  of the session
   */
  addTo(traffic, { droppedOut, droppedIn, lostPackets } = this.session.stats()) {
    this.source?.addTo(traffic);
    for (const [reason, count] of this.#dropped ?? []) traffic.drop(reason, count);
    traffic.unsent += droppedOut;
    traffic.lostOut += lostPackets;
    traffic.drop('queue', droppedIn);
  }

  /** The member as others are told of it. */
  describe() {
    const { id, name, label, session } = this;
    return {
      ...{ id, name, label },
      transport: session.transport.name,
      muted: this.muted,
      silenced: this.#silenced,
      role: this.#role,
      away: this.#away,
      hand: this.#hand,
      quality: this.#quality,
      recorded: this.recorded,
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
   * Nothing is sent any more. The session is the room's to close; the source the delivery's, which
   * may go on with it.
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
