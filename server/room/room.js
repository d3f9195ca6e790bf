/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { Session } from '../transport/session.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 * @import { Member, MemberRoom } from './people/member.js'
 * @import { Entry } from './moderation/moderation.js'
 * @import { JoinWishes, RoomConfig, RoomOwner, RoomServices } from './room-config.js'
 * @import { RoomState, ToldState } from '../state/portable-state.js'
 */

import { BackingTrack } from '../clock/backing-track.js';
import { DelayControl } from '../clock/delay-control.js';
import { guardedClock } from '../clock/guarded-clock.js';
import { Metronome } from '../clock/metronome.js';
import { MixClock } from '../clock/mix-clock.js';
import { RoomCodec } from '../codec/room-codec.js';
import { stackOf } from '../log.js';
import { RoomRecording } from '../recording/room-recording.js';
import { refuse } from '../transport/session.js';
import { Casting } from './moderation/casting.js';
import { Chat } from './chat.js';
import { runCommand } from './commands.js';
import { MemberSound } from './people/member-sound.js';
import { Moderation, OPEN_ENTRY } from './moderation/moderation.js';
import { Leaving } from './entry/leaving.js';
import { Moving } from './entry/moving.js';
import { makeMember } from './entry/new-member.js';
import { Reports } from './reports/reports.js';
import { RoomDelay } from './room-delay.js';
import { openDelivery, RoomMode } from './room-mode.js';
import { RoomPace } from './room-pace.js';
import { restoreRoom, restoreTold } from './room-state.js';
import { ToldNodes } from './told-nodes.js';
import { RoomView } from './reports/room-view.js';
import { ID_GAP, Roster } from './people/roster.js';
import { welcomeOf } from './entry/welcome.js';

/** All rooms' loads are settled anew where a frame is mixed later than this, in milliseconds. */
const SETTLE_LATE_MS = 10;

/**
 * People who hear each other. The room owns its members, its clocks, its delivery, chat and
 * recording. What throws in its tick, reports, commands or timers ends this room with `internal`,
 * and no other hears of it.
 * @implements {MemberRoom}
 */
export class Room {
  #config;
  #services;
  #owner;
  #roster;
  #delay;
  #delivery;
  #parts;
  #reports;
  #sound;
  #leaving;
  #nodes;
  #closed = false;

  /**
   * @param {string} name
   * @param {RoomConfig} config
   * @param {RoomServices} services
   * @param {RoomOwner} owner
   */
  constructor(name, config, services, owner) {
    const {
      format,
      phase,
      maxServerDelayMs: maxMs,
      serverDelayMs: setting,
      awayTimeoutMs: awayMs,
    } = config;
    const { frameMs, sampleRate, frameSamples } = format;
    const { wallNow = Date.now, observer, ticks, log, tokens, cluster } = services;
    this.name = name;
    /** The room's sample clock: apart from other rooms' by its phase. */
    this.sampleClock = services.sampleClock.behind(phase * frameMs);
    this.#config = config;
    this.#services = services;
    this.#owner = owner;
    const pace = new RoomPace(config, services, owner);
    const clock = guardedClock(services.clock, (error) => this.#fail('a timer', error));
    const { sampleClock, tell } = this;
    const roster = new Roster({
      clock,
      awayMs,
      room: name,
      tokens,
      cluster,
      settings: () => this.view.settings,
      onFreed: (member) => this.#leaving.freed(member),
      onTold: () => owner.changed(this),
      census: owner.census,
    });
    const delay = new DelayControl({ frameMs, sampleRate, setting, maxMs });
    const codec = new RoomCodec(services.codec, config, (line) =>
      this.#log.error(`room ${name}: ${line}`),
    );
    this.#sound = new MemberSound({ config, services, sampleClock, codec, mode: () => mode });
    const delivery = openDelivery(
      { config, clock, sampleClock, delay, rates: owner.totals.rates, observer },
      this.#sound,
    );
    const mode = new RoomMode({ config, roster, delivery });
    const chat = new Chat({ clock, wallNow, tell, before: cluster?.chatOf?.(name) });
    const metronome = new Metronome({ sampleClock, tell });
    const track = new BackingTrack({ sampleClock, clock, tracks: owner.tracks, tell });
    const recording = new RoomRecording({
      name,
      config,
      services,
      sampleClock,
      roster,
      load: pace.load,
    });
    const casting = (this.casting = new Casting({
      room: name,
      config,
      clock,
      owner,
      roster,
      sound: this.#sound,
      delivery,
      recording,
      cluster,
    }));
    /** What moderators and the operator do in this room. */
    const acts = {
      expel: (/** @type {Member} */ member, /** @type {ErrorCode} */ code) =>
        this.#leaving.expel(member, code),
      recast: (/** @type {Member} */ member) => casting.recast(member, true),
      resupply: casting.resupply.bind(casting),
      sendHome: casting.sendHome.bind(casting),
      end: () => this.#endForAll('room-ended'),
      changed: () => this.#nodes.changed(),
    };
    this.moderation = new Moderation({
      room: name,
      roster,
      bans: owner.bans,
      clock,
      log,
      mode,
      broadcast: config.broadcast,
      wallNow,
      acts,
      waited: () => this.#endWhereEmpty(),
    });
    const roomDelay = new RoomDelay({ control: delay, roster, stragglerMs: config.stragglerMs });
    /** The room's way to another node. */
    this.moving = new Moving({
      roster,
      clock,
      cluster,
      begun: () => this.#leave(),
      end: () => this.#endForAll('moved'),
    });
    this.#roster = roster;
    this.#delay = delay;
    this.#delivery = delivery;
    const tick = {
      mix: this.#tick.bind(this),
      failed: (/** @type {unknown} */ error) => this.#fail('its tick', error),
    };
    const mixClock = new MixClock({
      ticks,
      sampleClock,
      frameSamples,
      delaySamples: delay.delaySamples,
      load: pace.load,
      ...tick,
    });
    this.#parts = {
      config,
      roster,
      casting,
      delay,
      delivery,
      chat,
      metronome,
      track,
      recording,
      moderation: this.moderation,
      mode,
      roomDelay,
      mixClock,
      codec,
      pace,
      moving: this.moving,
    };
    const ends = {
      isClosed: () => this.#closed,
      emptied: () => this.#endWhereEmpty(),
      failed: (/** @type {unknown} */ error) => this.#fail('a departure', error),
    };
    this.#leaving = new Leaving({ parts: this.#parts, owner, name, log, ...ends });
    this.view = new RoomView(name, this.#parts);
    this.#nodes = new ToldNodes({
      cluster,
      room: name,
      state: () => this.view.told,
      failed: (error) => this.#fail('telling other nodes', error),
    });
    this.#reports = new Reports({
      room: name,
      clock,
      log,
      members: roster.present,
      visit: (member, now) => this.#visit(member, now),
      onRound: () => this.#endRound(),
      phase,
    });
  }

  get #log() {
    return this.#services.log;
  }

  /** How many people have a place in the room, with those who are away. */
  get size() {
    return this.#roster.size;
  }

  /** What the room costs. */
  get load() {
    return this.#parts.pace.load;
  }

  /** How many people are in the room, and how many places wait for those who are away. */
  get people() {
    return { present: this.#roster.here, away: this.#roster.waiting };
  }

  /**
   * What the room has left out since it began, because there was too much to do, and whether it
   * mixes fewer speakers now.
   */
  get overload() {
    return {
      skippedFrames: this.#parts.mixClock.skipped,
      shedReplies: this.#parts.pace.shedReplies,
      reduced: this.#parts.pace.reduced,
    };
  }

  /** The networks of those who are in the room. */
  get networks() {
    return [...this.#roster.present.values()].map(({ network }) => network);
  }

  /** Whether what is said is encrypted end to end. */
  get e2e() {
    return this.#config.e2e;
  }

  /** What older tokens of the room's places don't say. */
  get places() {
    return this.#roster.notes.export();
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
    return this.#parts.mixClock.running;
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

  /** The place that somebody had on another node. @param {string | undefined} token */
  takenPlace(token) {
    return this.#roster.taken(token);
  }

  /**
   * Lets somebody in, or back to their place, tells them who is there, and tells the others.
   * @param {Session} session
   * @param {string} name  checked already
   * @param {JoinWishes} [wishes]
   * @param {Entry} [entry]  with what they come
   * @returns {Member | ErrorCode | null} the code of the refusal, when there is one; null where
   *   they wait in the lobby
   */
  join(session, name, wishes = {}, entry = OPEN_ENTRY) {
    const before = this.#roster.holder(wishes.resume);
    if (this.size >= this.#config.maxParticipants && !before) return 'room-full';
    if (this.#closed) return 'server-closing';
    if (this.moving.begun) return 'moved';
    if (before && !this.#roster.mayReturn(wishes.resume)) return 'join-flood';
    const taken = before ? null : this.#roster.taken(wishes.resume);
    const admission = taken
      ? { grant: taken.grant, password: null, admitted: true, wasIn: true }
      : entry;
    const refusal =
      this.#parts.mode.refusal(session, wishes) ??
      (before ? null : this.moderation.refusal(session, admission));
    if (refusal === 'knock')
      return this.moderation.door.knock(session, name, () =>
        this.#admit(session, name, wishes, entry),
      );
    if (refusal !== null) return refusal;
    const cast = before || taken ? entry : this.moderation.cast(entry, wishes.stage);
    if (
      this.#parts.casting.isElsewhere(session, wishes, {
        before,
        grant: (taken ? admission : cast).grant,
        role: taken?.role,
        admitted: entry.admitted,
      })
    )
      return 'moved';
    const member = makeMember(
      { roster: this.#roster, sound: this.#sound, room: this },
      session,
      name,
      wishes,
      { entry: cast, before, taken },
    );
    if (typeof member === 'string') return member;
    this.#roster.enter(member, before || taken ? wishes.resume : undefined);
    if (taken) this.moderation.takenOver(member);
    if (before) this.#replace(before, member);
    this.#delivery.enter(member.source, member.listener);
    session.handler = member;
    this.moderation.entered(member, before === null);
    this.#parts.casting.recast(member, false);
    const token = this.#roster.tokenOf(member, before ? wishes.resume : undefined);
    member.tell(
      welcomeOf(this.name, this.#parts, member, {
        token,
        nameCut: wishes.nameCut,
        nodes: this.#services.cluster?.nodes(),
        atRelay: this.#sound.ratesAtRelay(session, member.listener),
      }),
    );
    this.moderation.welcomed(member, before === null);
    this.#parts.mode.review(this.clockNow());
    this.#roster.announce(member, before !== null && !before.isLight);
    if (member.delivery === 'tick') this.#parts.mixClock.start();
    this.#nodes.occupied();
    return member;
  }

  /**
   * Goes on where the room has ended with another thread: all its people are away.
   * @param {RoomState} state
   */
  restore(state) {
    restoreRoom(this, this.#parts, state);
    this.#nodes.occupied();
  }

  /** Goes on where another node had the room: its people may come. @param {ToldState} told */
  takeOver(told) {
    const { nextId } = told;
    restoreTold(this.#parts, { ...told, nextId: nextId && nextId + ID_GAP });
    this.moderation.succession.expect(this.#config.awayTimeoutMs);
  }

  /**
   * Lets somebody in who has waited in the lobby.
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Entry} entry
   */
  #admit(session, name, wishes, entry) {
    const joined = this.join(session, name, wishes, { ...entry, admitted: true });
    if (joined === 'moved') this.moving.sendOn(session);
    else if (typeof joined === 'string') refuse(session, joined);
  }

  /**
   * @param {Member} before  whose place another session has taken up
   * @param {Member} member  that session's
   */
  #replace(before, member) {
    this.#parts.casting.retire(before, member);
    this.#parts.recording.replaced(member);
  }

  /**
   * A member's source has kept the packet of a frame. In `reply` it is answered at once.
   * @param {Member} member
   * @param {number} frame
   * @param {number} arrivalMs
   * @param {Packet} packet  valid during the call, as its bytes are
   * @param {Uint8Array} bytes
   */
  received(member, frame, arrivalMs, packet, bytes) {
    const { source, listener } = member;
    if (source === null) return;
    if (this.#parts.roomDelay.observe(member, arrivalMs)) this.#followDelay();
    if (!this.ticks && this.#delay.advanceTo(this.sampleAt(arrivalMs), this.#delivery.sounding))
      this.#followDelay();
    this.#services.observer?.received(member, frame, arrivalMs);
    member.session.letAudioWait?.(
      this.ticks && member.delivery === 'tick' && this.#delivery.mode !== 'now',
    );
    this.#delivery.received(source, frame, packet, bytes);
    if (listener !== null && !listener.isLight && listener.delivery === 'reply')
      this.#reply(listener, frame);
  }

  /**
   * Answers a packet, unless there is more to mix than can be mixed and this room takes much of it.
   * @param {Listener} listener
   * @param {number} frame
   */
  #reply(listener, frame) {
    if (!this.#parts.pace.mayReply()) return;
    const startMs = this.clockNow();
    this.#delivery.reply(listener, frame);
    this.#parts.pace.load.add(this.clockNow() - startMs);
  }

  /**
   * @param {number} frame
   * @param {number} latenessMs
   */
  #tick(frame, latenessMs) {
    if (this.#parts.pace.ticked(latenessMs)) this.#delivery.setPlaces(this.#parts.pace.places);
    if (latenessMs > SETTLE_LATE_MS) this.#owner.settle();
    this.#services.observer?.ticked(frame, latenessMs);
    this.#delivery.tick(frame);
    if (this.#delay.advance(1, this.#delivery.sounding)) this.#followDelay();
  }

  /** Tells everybody who is in. @param {object} message */
  tell = (message) => this.#roster.tell(message);

  #followDelay() {
    this.#parts.mixClock.delaySamples = this.#delay.delaySamples;
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
   * Sets the room's server-side delay. D goes there within some frames: none is left out or
   * doubled.
   * @param {number | 'auto'} serverDelayMs  a number from 0 to the configuration's maxDelayMs
   */
  setDelay(serverDelayMs) {
    this.#delay.set(serverDelayMs);
    this.#roster.noteChange();
    this.#nodes.changed();
  }

  /**
   * A member's session has ended. Who left is out; the place of one who was lost waits. Idempotent.
   * @param {Member} member
   * @param {boolean} left
   */
  gone(member, left) {
    this.#leaving.gone(member, left);
  }

  /**
   * Stops the room's recording.
   * @param {string} by the label of whoever may
   * @returns {boolean} false when there is none
   */
  stopRecording(by) {
    return this.#parts.recording.stop(by);
  }

  #endWhereEmpty() {
    if (!this.#closed && this.size === 0 && !this.moderation.succession.waits)
      this.#owner.ended(this);
  }

  /** The room is another node's. */
  #leave() {
    this.#nodes.close();
    this.moderation.door.admitAll();
  }

  /** @param {ErrorCode} code */
  #endForAll(code) {
    this.close(code);
    this.#owner.ended(this);
  }

  /** @param {Member} member  whose session has ended, and who still has their figures */
  ended(member) {
    member.addTo(this.#parts.pace.totals.traffic);
    this.#owner.sessions.ended(
      this.clockNow() - member.sinceMs,
      () => this.#reports.endOf(member),
      member.network,
    );
  }

  /**
   * @param {Member} member
   * @param {number} now  on the monotonic clock
   * @returns {boolean} false when the member has gone
   */
  #visit(member, now) {
    if (now - member.lastHeardMs > this.#config.idleTimeoutMs) {
      this.#leaving.lose(member);
      return false;
    }
    member.endSecond(now);
    member.tellDelay();
    for (const message of this.#roster.announcements.batch) member.tell(message);
    this.#roster.renew(member, now);
    return true;
  }

  #endRound() {
    const now = this.clockNow();
    this.#owner.settle();
    this.#parts.roomDelay.review(now);
    this.#parts.mode.review(now);
    if (this.#roster.takeNews()) this.#nodes.changed();
    this.#roster.endRound(now, this.#delay.toldMs('tick'));
    for (const member of [...this.#roster.audience.idle(now - this.#config.idleTimeoutMs)])
      this.#leaving.lose(member);
    this.#delivery.redundancyChanged();
  }

  /** See RoomView.whole. */
  describe = () => this.view.whole();

  /**
   * Ends the room because of a mistake of the server's own. It is opened again as it was, with its
   * people away.
   * @param {string} where
   * @param {unknown} error
   */
  #fail(where, error) {
    if (this.#closed) return;
    this.#log.error(`room ${this.name} was ended, since ${where} failed: ${stackOf(error)}`);
    const state = this.#lastState();
    try {
      this.close('internal');
    } catch (second) {
      this.#log.error(`room ${this.name} could not be closed wholly: ${stackOf(second)}`);
    }
    this.#owner.failed(this, state);
  }

  /** The state of a room that fails; null where the fault is in it. */
  #lastState() {
    try {
      return this.moving.begun ? null : this.view.state();
    } catch (error) {
      this.#log.error(`room ${this.name} is forgotten: ${stackOf(error)}`);
      return null;
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
    this.#parts.mixClock.stop();
    for (const member of [...this.#roster.membersHere()]) this.#leaving.end(member, code);
    this.#parts.pace.totals.codecFaults += this.#parts.codec.faults;
    this.#parts.pace.totals.skippedFrames += this.#parts.mixClock.skipped;
    this.#roster.clear();
    this.#parts.track.close();
    this.moving.close();
    this.#nodes.close();
    this.moderation.close();
    this.#parts.recording.close();
    this.#delivery.close();
  }
}
