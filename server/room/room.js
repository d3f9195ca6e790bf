/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Access } from '../access/access.js'
 * @import { Entrant } from '../access/grants.js'
 * @import { Session } from '../transport/session.js'
 * @import { CommandRoom } from './commands.js'
 * @import { Delivery } from './delivery.js'
 * @import { Member, MemberRoom } from './member.js'
 * @import { Knock } from './knocks.js'
 * @import { JoinWishes, RoomConfig, RoomServices } from './room-config.js'
 */

import { Stream } from '../../public/shared/packet.js';
import { DelayControl } from '../clock/delay-control.js';
import { guardedClock } from '../clock/guarded-clock.js';
import { MixClock } from '../clock/mix-clock.js';
import { TickLateness } from '../clock/tick-lateness.js';
import { RoomCodec } from '../codec/room-codec.js';
import { Mixing } from '../mix/mixing.js';
import { stackOf } from '../log.js';
import { RoomRecording } from '../recording/room-recording.js';
import { Chat } from './chat.js';
import { runCommand } from './commands.js';
import { MemberFactory } from './member-factory.js';
import { Moderation } from './moderation.js';
import { refuse } from './refuse.js';
import { Reports } from './reports.js';
import { Roster } from './roster.js';
import { welcomeOf } from './welcome.js';

/**
 * People who hear each other. The room owns its members, its clocks, its delivery, chat and recording. What throws in
 * its tick, reports, commands or timers ends this room with `internal`, and no other hears of it.
 * @implements {MemberRoom}
 */
export class Room {
  #config;
  #services;
  #onEnded;
  #roster;
  #delay;
  #delivery;
  #chat;
  #recording;
  /** @type {CommandRoom} */
  #parts;
  #tickLateness = new TickLateness();
  #mixClock;
  #reports;
  #codec;
  #members;
  #closed = false;

  /**
   * @param {string} name
   * @param {RoomConfig} config
   * @param {RoomServices & { access: Access }} services
   * @param {(room: Room) => void} onEnded  called when the last member has gone, or the room has failed
   */
  constructor(name, config, services, onEnded) {
    const { format, phase, maxServerDelayMs: maxMs, serverDelayMs: setting, awayTimeoutMs: awayMs } = config;
    const { frameMs, sampleRate, frameSamples } = format;
    const { wallNow = Date.now, observer, ticks, log } = services;
    this.name = name;
    /** The room's sample clock: apart from other rooms' by its phase. */
    this.sampleClock = services.sampleClock.behind(phase * frameMs);
    this.#config = config;
    this.#services = services;
    this.#onEnded = onEnded;
    const clock = guardedClock(services.clock, (error) => this.#fail('a timer', error));
    const { sampleClock } = this;
    const roster = new Roster({ clock, awayMs, onFreed: (member) => this.#left(member) });
    const delay = new DelayControl({ frameMs, sampleRate, setting, maxMs });
    this.#codec = new RoomCodec(services.codec, config, (line) => this.#log.error(`room ${name}: ${line}`));
    this.#members = new MemberFactory({ room: this, config, services, codec: this.#codec, roster });
    const shared = this.#members.newStream(Stream.fullMix, 'the shared stream', config.silenceSuppression);
    /** @type {Delivery} */
    const delivery = new Mixing({ config, clock, sampleClock, delay, shared, observer });
    const chat = new Chat({ clock, wallNow, tell: (message) => roster.tell(message) });
    const recording = new RoomRecording({ name, config, services, sampleClock, roster });
    /** What moderators do, and who may come in. */
    this.moderation = new Moderation({ name, roster, access: services.access, clock, log, room: this.#moderated() });
    this.#parts = { config, roster, delay, delivery, chat, recording, moderation: this.moderation };
    this.#roster = roster;
    this.#delay = delay;
    this.#delivery = delivery;
    this.#chat = chat;
    this.#recording = recording;
    this.#mixClock = new MixClock({
      ticks,
      sampleClock,
      frameSamples,
      delaySamples: delay.delaySamples,
      mix: this.#tick.bind(this),
      failed: (error) => this.#fail('its tick', error),
    });
    const visit = (/** @type {Member} */ member, /** @type {number} */ now) => this.#visit(member, now);
    const members = roster.present;
    this.#reports = new Reports({ room: name, clock, log, members, visit, onRound: () => this.#endRound(), phase });
  }

  get #log() {
    return this.#services.log;
  }

  /** Who may do what. */
  get allowances() {
    return this.moderation.allowances;
  }

  /** What moderation does to the room. */
  #moderated() {
    return {
      letIn: (/** @type {Knock} */ { session, name, wishes, entrant }) => {
        const joined = this.#enter(session, name, wishes, entrant);
        if (typeof joined === 'string') refuse(session, joined);
      },
      expel: (/** @type {Member} */ member, /** @type {ErrorCode} */ code) => this.#expel(member, code),
      end: (/** @type {ErrorCode} */ code) => {
        this.close(code);
        this.#onEnded(this);
      },
    };
  }

  /** How many people have a place in the room, with those who are away. */
  get size() {
    return this.#roster.size;
  }

  get frameMs() {
    return this.#config.format.frameMs;
  }

  /** The last frame that the tick has mixed; -1 before it. */
  get mixedThrough() {
    return this.#delivery.mixedThrough;
  }

  /** Whether frames are mixed on the tick now. */
  get ticks() {
    return this.#mixClock.running;
  }

  clockNow() {
    return this.#services.clock.now();
  }

  /** @param {number} arrivalMs  on the monotonic clock */
  sampleAt(arrivalMs) {
    return this.sampleClock.at(arrivalMs);
  }

  /** @param {number} arrivalMs  on the monotonic clock */
  stallBefore(arrivalMs) {
    return this.#services.ticks.stallBefore(arrivalMs);
  }

  /** @param {'tick' | 'reply'} delivery */
  serverDelayMs(delivery) {
    return this.#delay.toldMs(delivery);
  }

  /**
   * @param {string | undefined} token
   * @returns {boolean} whether it is that of a place in this room
   */
  keepsPlace(token) {
    return this.#roster.holder(token) !== null;
  }

  /**
   * Lets somebody in, or back to their place, or has them wait in the lobby.
   * @param {Session} session
   * @param {string} name  checked already
   * @param {JoinWishes} wishes
   * @param {Entrant} entrant  of whom one who comes back needs to be nobody in particular
   * @returns {Member | Knock | ErrorCode} the code of the refusal, when there is one
   */
  join(session, name, wishes, entrant) {
    if (!this.keepsPlace(wishes.resume)) {
      const refusal = this.moderation.refusal(entrant);
      if (refusal) return refusal;
      if (this.moderation.mustKnock(entrant)) return this.moderation.knock(session, name, wishes, entrant);
    }
    return this.#enter(session, name, wishes, entrant);
  }

  /**
   * Lets somebody in, tells them who is there, and tells the others.
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Entrant} entrant
   * @returns {Member | ErrorCode}
   */
  #enter(session, name, wishes, entrant) {
    const before = this.#roster.holder(wishes.resume);
    if (this.size >= this.#config.maxParticipants && !before) return 'room-full';
    if (this.#closed) return 'server-closing';
    let member;
    try {
      member = this.#members.create(session, name, wishes, entrant, before);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
    const token = this.#roster.enter(member, before ? wishes.resume : undefined);
    if (before) this.#replace(before, member);
    this.#delivery.enter(member.source, member.listener);
    session.handler = member;
    this.#welcome(member, token, wishes);
    this.#roster.tell({ type: before ? 'changed' : 'joined', person: member.describe() }, member);
    if (member.delivery === 'tick') this.#mixClock.start();
    return member;
  }

  /**
   * @param {Member} before  whose place another session has taken up
   * @param {Member} member  that session's
   */
  #replace(before, member) {
    before.end('resumed-elsewhere');
    this.#delivery.leave(before.source, before.listener);
    this.#recording.replaced(member);
  }

  /**
   * @param {Member} member
   * @param {string} token  of its place
   * @param {JoinWishes} wishes
   */
  #welcome(member, token, { nameCut }) {
    const people = this.#roster.everybody.map((person) => person.describe());
    const { history: chat } = this.#chat;
    const { offered: canRecord, state: recording } = this.#recording;
    const { rules, knocks } = this.moderation;
    member.tell({
      ...welcomeOf(member, this.#config),
      people,
      room: this.name,
      chat,
      canRecord,
      recording,
      resume: token,
      rules,
      ...(member.role === 'moderator' && { knocks }),
      ...(nameCut && { nameCut }),
    });
  }

  /**
   * A member's source has kept the packet of a frame. In `reply` it is answered at once.
   * @param {Member} member
   * @param {number} frame
   * @param {number} arrivalMs
   */
  received(member, frame, arrivalMs) {
    const { source, listener } = member;
    if (source === null) return;
    // Nobody need wait for one who isn't heard.
    if (!member.muted && this.#delay.observe(source.lateness, arrivalMs, member.roundTripMs)) this.#followDelay();
    if (!this.ticks && this.#delay.advanceTo(this.sampleAt(arrivalMs), this.#delivery.sounding)) this.#followDelay();
    this.#services.observer?.received(member, frame, arrivalMs);
    this.#delivery.received(source);
    if (listener?.delivery === 'reply') this.#delivery.reply(listener, frame);
  }

  /**
   * @param {number} frame
   * @param {number} latenessMs
   */
  #tick(frame, latenessMs) {
    this.#tickLateness.add(latenessMs);
    this.#services.observer?.ticked(frame, latenessMs);
    this.#delivery.tick(frame);
    if (this.#delay.advance(1, this.#delivery.sounding)) this.#followDelay();
  }

  #followDelay() {
    this.#mixClock.delaySamples = this.#delay.delaySamples;
  }

  /**
   * Does what a member asks for.
   * @param {Member} member
   * @param {unknown} message  as it came
   */
  command(member, message) {
    try {
      if (!runCommand(this.#parts, member, message)) member.dropControl();
    } catch (error) {
      this.#fail('a command', error);
    }
  }

  /**
   * Sets the room's server-side delay. D goes there within some frames: none is left out or doubled.
   * @param {number | 'auto'} serverDelayMs  a number from 0 to the configuration's maxDelayMs
   */
  setDelay(serverDelayMs) {
    this.#delay.set(serverDelayMs);
  }

  /**
   * A member's session has ended. Who left is out; the place of one who was lost waits. Idempotent.
   * @param {Member} member
   * @param {boolean} left
   */
  gone(member, left) {
    member.close();
    if (this.#closed || !this.#roster.takeOut(member)) return;
    this.#delivery.leave(member.source, member.listener);
    const { present } = this.#roster;
    if (![...present.values()].some(({ delivery }) => delivery === 'tick')) this.#mixClock.stop();
    if (left) this.#free(member);
    else {
      member.wait();
      this.#roster.wait(member);
      this.#roster.changed(member);
    }
  }

  /**
   * Ends a member's session and frees the place, also of one who is away.
   * @param {Member} member
   * @param {ErrorCode} code  what they are told
   */
  #expel(member, code) {
    this.#end(member, code);
    this.gone(member, true);
    if (this.#roster.find(member.id) === member) this.#free(member);
  }

  /** @param {Member} member */
  #free(member) {
    this.#roster.free(member);
    this.#left(member);
  }

  /** @param {Member} member  whose place is free from now on */
  #left(member) {
    this.#recording.left(member);
    this.#chat.forget(member.id);
    this.#roster.tell({ type: 'left', id: member.id });
    this.#delivery.afterDraining(member.id, () => this.#forgetVolumes(member.id));
    this.moderation.left();
    if (this.size > 0) return;
    this.moderation.close('room-ended');
    this.#onEnded(this);
  }

  /** @param {string} id  of a member of whom nothing is to be heard any more */
  #forgetVolumes(id) {
    for (const { listener } of this.#roster.everybody) listener?.volumes.forget(id);
    this.#delivery.listenersChanged();
  }

  /** @param {Member} member  whose session has ended, and who still has their figures */
  ended(member) {
    this.#reports.logEnd(member);
  }

  /**
   * @param {Member} member
   * @param {number} now  on the monotonic clock
   * @returns {boolean} false when the member has gone
   */
  #visit(member, now) {
    if (now - member.lastHeardMs > this.#config.idleTimeoutMs) {
      member.end('idle-timeout');
      this.gone(member, false);
      return false;
    }
    member.endSecond(now);
    member.tellDelay();
    return true;
  }

  #endRound() {
    this.#delay.review(this.#heardLateness());
    this.#delivery.redundancyChanged();
  }

  *#heardLateness() {
    for (const { muted, source } of this.#roster.present.values()) if (!muted && source) yield source.lateness;
  }

  /** The answer to GET /api/rooms/<room>: the people, and how each is received. */
  describe() {
    const { serverDelayMs, ...delay } = this.#delay.describe();
    return {
      room: this.name,
      delivery: this.#config.delivery,
      serverDelayMs,
      delay: { ...delay, targetPercent: this.#config.receivedTarget },
      skippedFrames: this.#mixClock.skipped,
      codecFaults: this.#codec.faults,
      mixing: this.#tickLateness.describe(),
      people: [...this.#roster.present.values()].map((member) => ({
        ...member.describe(),
        delivery: member.delivery,
        stats: { ...member.stats(), transport: member.session.stats() },
      })),
    };
  }

  /**
   * Ends the room because of a mistake of the server's own.
   * @param {string} where
   * @param {unknown} error
   */
  #fail(where, error) {
    if (this.#closed) return;
    this.#log.error(`room ${this.name} was ended, since ${where} failed: ${stackOf(error)}`);
    try {
      this.close('internal');
    } catch (second) {
      this.#log.error(`room ${this.name} could not be closed wholly: ${stackOf(second)}`);
    }
    this.#onEnded(this);
  }

  /**
   * Ends a member's session. A fault in it keeps no other from being told.
   * @param {Member} member
   * @param {ErrorCode} code
   */
  #end(member, code) {
    try {
      member.end(code);
    } catch (error) {
      this.#log.error(`room ${this.name}: a session could not be ended: ${stackOf(error)}`);
    }
  }

  /**
   * Ends the room for everybody. Idempotent.
   * @param {ErrorCode} code  what its people are told
   */
  close(code) {
    if (this.#closed) return;
    this.#closed = true;
    this.#reports.stop();
    this.#mixClock.stop();
    for (const member of [...this.#roster.present.values()]) this.#end(member, code);
    this.#roster.clear();
    this.moderation.close(code);
    this.#recording.close();
    this.#delivery.close();
  }
}
