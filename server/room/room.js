/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Grant, Permission } from '../state/grant.js'
 * @import { Place } from '../access/resume-token.js'
 * @import { RoomState } from '../state/portable-state.js'
 * @import { Session } from '../session/session.js'
 * @import { MemberRoom } from './people/member.js'
 * @import { JoinRequest, RoomBase, RoomConfig, RoomEvents } from './room-config.js'
 * @import { RoomOwner, RoomServices } from './room-config.js'
 * @import { Entry } from './rules/rules.js'
 *
 * @typedef {RoomBase & { sound: Sound, record: RoomRecord, rules: Rules }} RoomParts
 *
 * @typedef {object} KnownPlace  earlier place of a joining person
 * @property {Member | null} before  its holder here until now
 * @property {Place | null} taken  the one that they had on another node
 *
 * @typedef {KnownPlace & { grant: Grant, permissions: ReadonlySet<Permission> }} Arrival  a person
 *   about to get a place
 */

import { EventEmitter } from 'node:events';
import { permissionsOf } from '../state/grant.js';
import { DelayControl } from '../clock/delay-control.js';
import { stackOf, withFields } from '../log.js';
import { guardedClock } from '../timers.js';
import { refuse } from '../session/session.js';
import { runCommand } from './commands.js';
import { Member } from './people/member.js';
import { People } from './people/people.js';
import { RoomRecord } from './record/record.js';
import { Reports } from './record/reports.js';
import { OPEN_ENTRY, Rules } from './rules/rules.js';
import { Moving } from './rules/succession.js';
import { RoomSettings } from './sound/mode.js';
import { Sound } from './sound/sound.js';
import { descriptionOf, publicViewOf, welcomeOf } from './view.js';

/**
 * Opens a room: makes its parts, each from those before it, and then the room from them.
 * @param {string} name
 * @param {RoomConfig} config
 * @param {RoomServices} allServices
 * @param {RoomOwner} owner
 * @throws {Error} with code 'codec-instances' when the codec can't mix one more room
 */
export function openRoom(name, config, allServices, owner) {
  // Every line of the room's log names it.
  const services = { ...allServices, log: withFields(allServices.log, { room: name }) };
  const { phase, maxServerDelayMs: maxMs, serverDelayMs: setting, awayTimeoutMs: awayMs } = config;
  const { frameMs, sampleRate } = config.format;
  const { cluster, tokens } = services;

  // Events come first: the parts report to the room by them, before there is one.
  /** @type {RoomEvents} */
  const events = new EventEmitter();
  const clock = guardedClock(services.clock, (error) => events.emit('fault', 'a timer', error));
  // Each room's ticks are at a phase of their own, so that not all rooms mix at once.
  const sampleClock = services.sampleClock.behind(phase * frameMs);

  // The settings stand in resume tokens, which people get, and the delay is one of them.
  const delay = new DelayControl({ frameMs, sampleRate, setting, maxMs });
  const settings = new RoomSettings(config, delay);

  // All other parts send messages to the people, or read the list of them.
  const { census } = owner;
  const own = { room: name, clock, events };
  const people = new People({ ...own, awayMs, settings, census, tokens, cluster });

  // Mode and delay follow the people.
  const shared = { ...own, config, services, owner, sampleClock, people };
  const sound = new Sound({ ...shared, delay, settings });

  // Recording and mixing share the room's load.
  const record = new RoomRecord({ ...shared, load: sound.pace.load });

  // Rules come last: they act on people, their sound, and their recording.
  const { recording, captions } = record;
  const rules = new Rules({ ...shared, settings, sound, recording, captions });
  return new Room({ ...shared, sound, record, rules });
}

/**
 * People who hear each other. Adds and removes members, and ends itself when anything in its tick,
 * reports, commands or timers throws: no other room notices.
 * @implements {MemberRoom}
 */
export class Room {
  #services;
  #owner;
  #log;
  #reports;
  #closed = false;

  /** @param {RoomParts} parts */
  constructor({ room, config, services, owner, clock, events, people, sound, record, rules }) {
    this.name = room;
    this.config = config;
    this.people = people;
    this.sound = sound;
    this.record = record;
    this.rules = rules;
    this.#services = services;
    this.#owner = owner;
    this.#log = services.log;
    /** The room's move to another node. */
    this.moving = new Moving({ people, clock, cluster: services.cluster, rules, events });
    this.#reports = new Reports({
      room,
      clock,
      log: services.log,
      members: people.present,
      visit: (member, now) => this.#visit(member, now),
      onRound: (now) => this.#endRound(now),
      onStall: (lateMs, now) => {
        for (const member of people.membersHere()) member.forgive(lateMs, now);
        rules.lobby.forgive(lateMs, now);
      },
      phase: config.phase,
    });
    events.on('fault', (where, error) => this.#fail(where, error));
    events.on('changed', () => owner.changed(this));
    events.on('freed', (member) => this.#freed(member));
    events.on('removed', (member, code) => this.#expel(member, code));
    events.on('emptied', () => this.#endWhenEmpty());
    events.on('ended', (code) => this.#endForAll(code));
  }

  /** Number of places, of members present or away. */
  get size() {
    return this.people.size;
  }

  /** True when nobody has a place, or is expected from another node. */
  get isEmpty() {
    return this.people.size === 0 && !this.rules.succession.waits;
  }

  /** Cost of the room. */
  get load() {
    return this.sound.pace.load;
  }

  /** Networks of the room's people, which share the cost. */
  get networks() {
    return this.people.networks;
  }

  /**
   * Admits a newcomer, or returns a member to their place; sends them the room and announces them.
   * @param {Session} session
   * @param {string} name  checked already
   * @param {JoinRequest} [request]
   * @param {Entry} [entry]
   * @returns {Member | ErrorCode | null} the code of a refusal; null when they wait in the lobby
   */
  join(session, name, request = {}, entry = OPEN_ENTRY) {
    const place = this.#placeOf(request);
    const answer = this.#answerJoin(session, request, entry, place);
    if (answer === 'knock') return this.#knock(session, name, request, entry);
    if (answer !== null) return answer;
    const arrival = this.#arrivalOf(request, entry, place);
    const isExpected = entry.admitted === true || (place.before?.hears ?? null) !== null;
    if (this.rules.casting.isElsewhere(session, request, arrival.permissions, isExpected))
      return 'moved';
    // A newer shared sound takes the place of an older one, whose connection may be lost.
    const { owner } = arrival.grant;
    if (owner !== undefined) this.#endShared(owner, 'resumed-elsewhere');
    const member = this.#newMember(session, name, request, arrival);
    if (typeof member !== 'string') this.#enter(member, request, arrival);
    return member;
  }

  /** @param {JoinRequest} request @returns {KnownPlace} */
  #placeOf({ resume }) {
    const { places } = this.people;
    const before = places.holder(resume);
    return { before, taken: before ? null : places.taken(resume) };
  }

  /**
   * @param {Session} session
   * @param {JoinRequest} request
   * @param {Entry} entry
   * @param {KnownPlace} place
   * @returns {ErrorCode | 'knock' | null} null if they may come in now
   */
  #answerJoin(session, request, entry, { before, taken }) {
    const refusal =
      this.#refusal(before, request, entry) ?? this.sound.mode.refusal(session, request);
    return refusal ?? (before ? null : this.rules.refusal(session, entry, taken));
  }

  /**
   * Has a newcomer wait for a moderator.
   * @param {Session} session
   * @param {string} name
   * @param {JoinRequest} request
   * @param {Entry} entry
   */
  #knock(session, name, request, entry) {
    return this.rules.lobby.knock(session, name, () => this.#admit(session, name, request, entry));
  }

  /**
   * @param {JoinRequest} request
   * @param {Entry} entry
   * @param {KnownPlace} place
   * @returns {Arrival}
   */
  #arrivalOf(request, entry, { before, taken }) {
    const isKnown = before !== null || taken !== null;
    const cast = isKnown ? entry : this.rules.stage.cast(entry, request.stage);
    const grant = before?.grant ?? taken?.grant ?? cast.grant;
    const role = (before?.standing ?? taken)?.role ?? grant.role;
    return { before, taken, grant, permissions: permissionsOf(role, grant.withheld) };
  }

  /**
   * @param {Member | null} before
   * @param {JoinRequest} request
   * @param {Entry} entry
   * @returns {ErrorCode | null} why nobody can come in now
   */
  #refusal(before, { resume }, { grant }) {
    // A person with a shared sound is one participant.
    const isCounted = !before && grant.owner === undefined;
    if (isCounted && this.size - this.people.shared().length >= this.config.maxParticipants)
      return 'room-full';
    if (this.#closed) return 'server-closing';
    if (this.moving.begun) return 'moved';
    return before && !this.people.places.mayReturn(resume) ? 'join-flood' : null;
  }

  /**
   * Admits a person from the lobby, after a moderator's admission.
   * @param {Session} session
   * @param {string} name
   * @param {JoinRequest} request
   * @param {Entry} entry
   */
  #admit(session, name, request, entry) {
    // Somebody else may have taken the server's last place in the meantime.
    const isRefused = this.#owner.isFull() && !session.transport.isRelay && !this.moving.begun;
    const joined = isRefused
      ? 'server-full'
      : this.join(session, name, request, { ...entry, admitted: true });
    if (joined === 'moved') this.moving.sendOn(session);
    else if (typeof joined === 'string') refuse(session, joined);
  }

  /**
   * Makes a member of a newcomer, a returning member, or a member from another node.
   * @param {Session} session
   * @param {string} name
   * @param {JoinRequest} request
   * @param {Arrival} arrival
   * @returns {Member | 'server-full'}
   */
  #newMember(session, name, request, { before, taken, grant, permissions }) {
    const { sound } = this;
    const { places } = this.people;
    const id = before?.id ?? (taken ? places.takenId(taken.id) : places.nextId());
    const opened = sound.streams.open(id, session, request, before, permissions);
    if (opened === 'server-full') return opened;
    return new Member({
      id,
      name: (before ?? taken)?.name ?? name,
      // A newcomer's name may look like theirs by now.
      label: before?.label ?? places.labelFor(taken?.label ?? name),
      session,
      grant,
      ...opened,
      sound,
      room: this,
      past: before?.state() ?? taken,
    });
  }

  /**
   * Gives a member their place, sends them the room, and announces them.
   * @param {Member} member
   * @param {JoinRequest} request
   * @param {Arrival} arrival
   */
  #enter(member, request, { before, taken }) {
    const { people, sound, rules } = this;
    const { session } = member;
    const isNew = before === null;
    people.enter(member, before || taken ? request.resume : undefined);
    if (taken) rules.takenOver(member);
    rules.groups.entered(member, before);
    rules.interpreters.entered(member);
    // The old session leaves last, so that a language keeps its interpreter.
    if (before) rules.casting.retire(before, member);
    session.handler = member;
    rules.entered(member, isNew, taken !== null);
    const token = people.places.tokenOf(member, before ? request.resume : undefined);
    member.tell(
      welcomeOf(this, member, {
        token,
        nameCut: request.nameCut,
        nodes: this.#services.cluster?.nodes(),
        atRelay: sound.streams.ratesAtRelay(session, member.listener),
      }),
    );
    if (before) rules.groups.quiet(before);
    rules.welcomed(member, isNew);
    this.record.captions.welcomed(member);
    sound.welcomed(member);
    people.announce(member, before !== null && !before.isLight);
    this.record.recording.resume(member);
    if (isNew && !taken) this.#happened('participant_joined', member);
  }

  /**
   * Executes a member's command.
   * @param {Member} member
   * @param {unknown} message  as received
   * @returns {boolean} false when it did nothing
   */
  command(member, message) {
    try {
      return runCommand(this, member, message);
    } catch (error) {
      this.#fail('a command', error);
      return true;
    }
  }

  /**
   * Sets the room's server-side delay, which follows within some frames: none is left out or
   * doubled.
   * @param {number | 'auto'} serverDelayMs  a number from 0 to the configuration's maxDelayMs
   */
  setDelay(serverDelayMs) {
    this.sound.delay.set(serverDelayMs);
    this.#owner.changed(this);
    this.rules.changed();
  }

  /**
   * Removes a member whose session has ended. After a lost connection the place is kept.
   * Idempotent.
   * @param {Member} member
   * @param {boolean} left
   */
  gone(member, left) {
    const { people, sound } = this;
    member.close();
    if (this.#closed || !people.takeOut(member)) return;
    sound.leave(member);
    this.rules.groups.quiet(member);
    this.rules.interpreters.review();
    this.record.captions.gone(member);
    if (this.moving.gone(member)) return;
    // A program that sends a stream comes back as a new participant.
    const isFree = left || member.grant.isStream || !this.#keepsPlaceOf(member);
    if (isFree) people.free(member);
    else people.wait(member);
    this.#owner.departures.take(member, () => this.#announceDeparture(member, isFree));
  }

  /** @param {string} id @returns {Member | null} the member, present or away */
  find(id) {
    return this.people.find(id);
  }

  /** Removes a member's shared sound. @param {string} owner @param {ErrorCode} code */
  #endShared(owner, code) {
    for (const member of this.people.shared(owner)) this.#expel(member, code);
  }

  /** Keeps no place after a short visit. @param {Member} member */
  #keepsPlaceOf(member) {
    return member.heardForMs >= this.config.placeAfterMs && this.#owner.mayKeepPlace();
  }

  /** @param {Member} member @param {boolean} isFree  true when their place is free */
  #announceDeparture(member, isFree) {
    if (this.#closed) return;
    try {
      if (isFree) this.#freed(member);
      // A member who has returned in the meantime isn't announced as away.
      else if (this.people.find(member.id) === member && !member.isLight)
        this.people.changed(member);
    } catch (error) {
      this.#fail('a departure', error);
    }
  }

  /** Forgets a member whose place is free. @param {Member} member */
  #freed(member) {
    const { id, isLight } = member;
    if (!isLight) this.#endShared(id, 'removed');
    this.record.recording.left(member);
    this.rules.left(member);
    this.#happened('participant_left', member);
    if (!isLight) {
      this.people.announcements.left(id);
      this.sound.forget(id);
    }
    this.#endWhenEmpty();
  }

  /**
   * Removes a member for good.
   * @param {Member} member  present or away
   * @param {ErrorCode} code
   */
  #expel(member, code) {
    if (this.people.isHere(member)) {
      this.gone(member, true);
      this.#endSession(member, code);
    } else {
      this.people.free(member);
      this.#freed(member);
    }
  }

  /**
   * Notifies the operator's webhooks of a person; there are too many listeners.
   * @param {'participant_joined' | 'participant_left'} event
   * @param {Member} member
   */
  #happened(event, { isLight, id, name, grant: { identity } }) {
    if (isLight) return;
    this.#services.happened?.({ event, room: this.name, participant: { id, name, identity } });
  }

  /** Ends a session without signs of life. @param {Member} member */
  #lose(member) {
    member.end('idle-timeout');
    this.gone(member, false);
  }

  /**
   * Ends a member's session. A fault in it doesn't keep the others from being notified.
   * @param {Member} member
   * @param {ErrorCode} code
   */
  #endSession(member, code) {
    try {
      member.end(code);
    } catch (error) {
      this.#log.error(
        { event: 'session-not-ended', error: stackOf(error) },
        'session could not be ended',
      );
    }
  }

  /** Logs and counts a session that has ended. @param {Member} member */
  ended(member) {
    member.figures.addTo(this.#owner.totals.traffic);
    this.#owner.sessions.ended(
      member.visit.seconds * 1000,
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
    if (now - member.lastHeardMs > this.config.idleTimeoutMs) {
      this.#lose(member);
      return false;
    }
    member.figures.endSecond(now);
    member.tellDelay();
    for (const message of this.people.announcements.batch) member.tell(message);
    this.people.places.renew(member, now);
    return true;
  }

  /** @param {number} now  on the monotonic clock */
  #endRound(now) {
    const { people, sound } = this;
    this.#owner.settle();
    sound.review(now);
    this.rules.review();
    people.endRound(now, sound.delay.shownDelayMs('tick'));
    for (const member of [...people.audience.idle(now - this.config.idleTimeoutMs)])
      this.#lose(member);
    sound.delivery.redundancyChanged();
  }

  /** See publicViewOf. */
  get publicView() {
    return publicViewOf(this);
  }

  /** See descriptionOf. */
  describe() {
    return descriptionOf(this);
  }

  /** The room's portable state. @returns {RoomState} */
  state() {
    return {
      name: this.name,
      told: this.rules.state(),
      chat: this.record.chat.state(),
      people: this.people.state(),
    };
  }

  /**
   * Continues a room of another thread, whose people are all away.
   * @param {RoomState} state
   */
  restore({ told, chat, people }) {
    this.rules.restore(told);
    this.record.chat.restore(chat);
    const owner = { sound: this.sound, room: this };
    this.people.restore(people, (person) => Member.lost(person, owner));
    for (const member of this.people.places.holders()) this.rules.hands.moved(member);
    this.rules.occupied();
  }

  #endWhenEmpty() {
    if (!this.#closed && this.isEmpty) this.#owner.ended(this);
  }

  /** @param {ErrorCode} code */
  #endForAll(code) {
    this.close(code);
    this.#owner.ended(this);
  }

  /**
   * Ends the room because of a fault of the server's own. It is opened again as it was, with its
   * people away.
   * @param {string} where
   * @param {unknown} error
   */
  #fail(where, error) {
    if (this.#closed) return;
    this.#log.error(
      { event: 'room-failed', where, error: stackOf(error) },
      'room ended because a part of it failed',
    );
    const state = this.#lastState();
    try {
      this.close('internal');
    } catch (second) {
      this.#log.error(
        { event: 'room-not-closed', error: stackOf(second) },
        'room could not be closed completely',
      );
    }
    this.#owner.failed(this, state);
  }

  /** State of a room that fails; null when the fault is in it. */
  #lastState() {
    try {
      return this.moving.begun ? null : this.state();
    } catch (error) {
      this.#log.error(
        { event: 'room-forgotten', error: stackOf(error) },
        'state of a failed room could not be kept',
      );
      return null;
    }
  }

  /**
   * Ends the room for everybody. Idempotent.
   * @param {ErrorCode} code  for its people
   */
  close(code) {
    if (this.#closed) return;
    this.#closed = true;
    const { people, sound, record, rules } = this;
    this.#reports.stop();
    sound.mixClock.stop();
    for (const member of [...people.membersHere()]) this.#endSession(member, code);
    people.clear();
    this.moving.close();
    rules.close();
    record.close();
    sound.close();
  }
}
