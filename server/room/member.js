/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { Source } from '../source/source.js'
 * @import { ControlMessage, Session, SessionHandler } from '../transport/session.js'
 * @import { Allowances, Entrant, Grant, Permission, Role } from '../access/grants.js'
 *
 * @typedef {object} MemberRoom  what a member needs of its room
 * @property {(member: Member, frame: number, arrivalMs: number) => void} received
 *   the member's source has kept the packet of a frame
 * @property {(member: Member, message: unknown) => void} command
 * @property {(member: Member, left: boolean) => void} gone  the session has ended: left for good, or lost
 * @property {(member: Member) => void} ended  nothing comes any more; called once, before anything is freed
 * @property {(delivery: 'tick' | 'reply') => number} serverDelayMs  the room's
 * @property {(arrivalMs: number) => number} stallBefore  see TickScheduler
 * @property {number} mixedThrough  the last frame of the tick; -1 before it
 * @property {number} frameMs
 * @property {Readonly<Allowances>} allowances  who may do what
 * @property {() => number} clockNow  the monotonic clock, in milliseconds
 * @property {(arrivalMs: number) => number} sampleAt  the sample clock then
 */

import { errors } from '../../public/shared/errors.js';
import { CLOCK_REPLY_BYTES, Packet, PacketType, readPacket, silencePacket, writeClockReply } from '../../public/shared/packet.js';
import { refusalOf } from '../access/grants.js';
import { TokenBucket } from '../token-bucket.js';
import { isLeave } from './commands.js';
import { Quality } from './reports.js';

/** The most clock requests that are answered, a second. */
const MAX_CLOCK_REQUESTS = 50;

/** The most packets that are read: this many times the frames' rate, and as many seconds' worth at once, to catch up. */
const MAX_RATE = 3;
const MAX_BURST_SECONDS = 2;

/** The most control messages that are obeyed, a second: each is told to everybody. */
const MAX_CONTROL_MESSAGES = 20;

/** The smallest change of the server-side delay that is told, in milliseconds. */
const TOLD_CHANGE_MS = 1;

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/** The buffer of every answer to a clock request: sessions don't keep it. */
const clockReply = new Uint8Array(CLOCK_REPLY_BYTES);

/**
 * One participant of a room, and the handler of their session: who they are, what they may do, the source of what they
 * say and the listener for what they hear. A member knows nothing of mixing.
 * @implements {SessionHandler}
 */
export class Member {
  #room;
  #grant;
  /** @type {Role} */
  #role;
  /** Whether a moderator has muted this member. */
  #silenced = false;
  /** Whether sound of this member is left out, whatever they send. */
  #unheard = false;
  #packetRate;
  #clockRequests = new TokenBucket({ atOnce: MAX_CLOCK_REQUESTS, perSecond: MAX_CLOCK_REQUESTS });
  #messagesSinceMs = -Infinity;
  #messages = 0;
  #lastHeardMs;
  #muted = false;
  #hand = 0;
  #away = false;
  #ended = false;
  #recording = { agreed: false, recorded: false };
  /** The quality of the connection as the others know it, and as it was measured last. @type {number} */
  #quality = Quality.unknown;
  /** @type {number} */
  #measuredQuality = Quality.unknown;
  /** The client's own figures of the way down and of its sound cards; null before they are told. */
  #reported = {
    downLostPercent: /** @type {number | null} */ (null),
    playoutDelayMs: /** @type {number | null} */ (null),
    soundLatencyMs: /** @type {number | null} */ (null),
    driftPpm: /** @type {number | null} */ (null),
  };
  /** The server-side delay that the member was told last, in milliseconds. */
  #toldDelayMs = -1;

  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.name
   * @param {string} options.label  the name as it is shown: unlike everybody else's in the room
   * @param {Session} options.session
   * @param {Grant} options.grant  what the member came with
   * @param {Entrant} options.entrant  who they are, for a ban
   * @param {Source | null} options.source  null where the member only listens
   * @param {Listener | null} options.listener  null where the member only speaks
   * @param {MemberRoom} options.room
   * @param {Member | null} [options.before]  the same person's session before, whose choices stay
   */
  constructor({ id, name, label, session, grant, entrant, source, listener, room, before = null }) {
    this.id = id;
    this.name = name;
    this.label = label;
    this.session = session;
    this.source = source;
    this.listener = listener;
    this.#room = room;
    this.entrant = entrant;
    this.#grant = grant;
    this.#role = grant.role;
    this.#lastHeardMs = room.clockNow();
    const perSecond = (MAX_RATE * 1000) / room.frameMs + MAX_CLOCK_REQUESTS;
    this.#packetRate = new TokenBucket({ atOnce: MAX_BURST_SECONDS * perSecond, perSecond });
    /** The transport's round trip, in milliseconds; null where it doesn't know it. */
    this.roundTripMs = () => session.stats().rttMs;
    if (before !== null) {
      this.#muted = before.#muted;
      this.#hand = before.#hand;
      this.#role = before.#role;
      this.#silenced = before.#silenced;
    }
    this.#followStanding();
  }

  /** What the member came with. */
  get grant() {
    return this.#grant;
  }

  get role() {
    return this.#role;
  }

  /** `tick`: this member is sent each mix; `reply`: each packet is answered. */
  get delivery() {
    return this.listener?.delivery ?? 'tick';
  }

  get muted() {
    return this.#muted;
  }

  /** The place of the raised hand in the order in which hands went up; 0 while it is down. */
  get hand() {
    return this.#hand;
  }

  /** One of Quality, as the others know it. */
  get quality() {
    return this.#quality;
  }

  /** When anything was last heard from the session, on the monotonic clock. */
  get lastHeardMs() {
    return this.#lastHeardMs;
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

  /**
   * Says why the member may not do something.
   * @param {Permission} permission
   * @returns {ErrorCode | null} null where they may
   */
  refusal(permission) {
    const { without } = this.#grant;
    return refusalOf({ role: this.#role, without, silenced: this.#silenced, allowances: this.#room.allowances }, permission);
  }

  /** @param {Role} role */
  become(role) {
    this.#role = role;
    this.#followStanding();
  }

  /**
   * Mutes the member, or allows them to speak again: then they are muted until they unmute themselves.
   * @param {boolean} silenced
   * @returns {boolean} whether that is a change
   */
  silence(silenced) {
    const isChange = this.#silenced !== silenced;
    this.#silenced = silenced;
    this.#followStanding();
    return isChange;
  }

  #followStanding() {
    this.#unheard = this.refusal('speak') !== null;
    if (this.#unheard) this.#muted = true;
  }

  /**
   * Takes a packet as it comes: checks and counts it, answers a clock request, hands audio to the source.
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
    if (this.#unheard) silencePacket(packet);
    const room = this.#room;
    const frame = source.receive(packet, bytes, arrivalMs, room.stallBefore(arrivalMs), room.mixedThrough);
    if (frame >= 0) room.received(this, frame, arrivalMs);
  }

  /** @param {Parameters<Source['drop']>[0]} reason */
  #drop(reason) {
    this.source?.drop(reason);
  }

  /** @param {number} arrivalMs */
  #answerClock(arrivalMs) {
    if (this.#clockRequests.take(arrivalMs) > 0) return this.#drop('flood');
    writeClockReply(clockReply, packet.id, Math.max(0, this.#room.sampleAt(arrivalMs)));
    this.session.send(clockReply);
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
    this.#room.gone(this, code === 0);
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
    this.tell({ type: 'refused', of, code, message: errors[code].message, ...more });
  }

  /** @param {boolean} muted @returns {boolean} whether that is a change */
  mute(muted) {
    const isChange = this.#muted !== muted;
    this.#muted = muted;
    return isChange;
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

  /**
   * Takes what the client tells; what it leaves out stays as it was.
   * @param {{ lostPercent: number, playoutDelayMs?: number, soundLatencyMs?: number, driftPpm?: number }} report
   */
  takeReport({ lostPercent, playoutDelayMs, soundLatencyMs, driftPpm }) {
    const reported = this.#reported;
    reported.downLostPercent = lostPercent;
    reported.playoutDelayMs = playoutDelayMs ?? reported.playoutDelayMs;
    reported.soundLatencyMs = soundLatencyMs ?? reported.soundLatencyMs;
    reported.driftPpm = driftPpm ?? reported.driftPpm;
    this.listener?.reportLoss(lostPercent);
  }

  /** @param {number} quality  one of Quality, as measured */
  rate(quality) {
    this.#measuredQuality = quality;
  }

  /** Takes the measured quality for the one that others know. @returns {boolean} whether that is a change */
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
    if (typeof this.listener?.ownDelayMs === 'number' || Math.abs(serverDelayMs - this.#toldDelayMs) < TOLD_CHANGE_MS) return;
    this.#toldDelayMs = serverDelayMs;
    this.tell({ type: 'delay', serverDelayMs });
  }

  /** The server-side delay, which the member is being told. */
  takeDelay() {
    return (this.#toldDelayMs = this.serverDelayMs);
  }

  /** Ends a second of the statistics. @param {number} nowMs  on the monotonic clock */
  endSecond(nowMs) {
    this.listener?.endSecond(this.#room.sampleAt(nowMs));
    this.source?.endSecond(nowMs, this.roundTripMs());
  }

  /** The figures of the member's packets and of its hearing, with those that the client told. */
  stats() {
    const { droppedOut, rttMs: roundTripMs } = this.session.stats();
    const { serverDelayMs } = this;
    // A spread copy of so many fields costs several times as much as they do.
    const received = /** @type {ReturnType<Source['stats']>} */ (this.source?.stats() ?? {});
    const stats = Object.assign(received, this.#reported, { droppedOut, roundTripMs, serverDelayMs });
    return Object.assign(stats, this.listener?.stats());
  }

  /** The member as others are told of it. */
  describe() {
    const { id, name, label, session } = this;
    const { transport } = session;
    return {
      id,
      name,
      label,
      transport: transport.name,
      muted: this.#muted,
      away: this.#away,
      hand: this.#hand,
      quality: this.#quality,
      recorded: this.recorded,
      role: this.#role,
      silenced: this.#silenced,
    };
  }

  /**
   * Ends the session, and says why.
   * @param {ErrorCode} code
   */
  end(code) {
    const { close, message } = errors[code];
    this.tell({ type: 'closing', code, message });
    this.session.close(close, message);
    this.close();
  }

  /** Nothing is sent any more. The session is the room's to close; the source the delivery's, which may go on with it. */
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
