/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { BanChange } from '../access/bans.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Member } from '../room/people/member.js'
 * @import { Cluster, Elsewhere, Fact, JoinRequest, RoomConfig, RoomOwner, RoomServices }
 *   from '../room/room-config.js'
 * @import { Room } from '../room/room.js'
 * @import { Entry } from '../room/rules/rules.js'
 * @import { RoomState, Settings, KnownState } from '../state/portable-state.js'
 * @import { Session } from '../session/session.js'
 */

import { ROOM_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import { Bans, newBanId } from '../access/bans.js';
import { Tracks } from '../clock/backing-track.js';
import { LoadShares } from '../clock/load-shares.js';
import { stackOf } from '../log.js';
import { networkOfPeer } from '../network-address.js';
import { Census } from '../room/people/people.js';
import { amended } from '../room/people/places.js';
import { SessionLog } from '../room/record/reports.js';
import { configFor } from '../room/room-config.js';
import { openRoom } from '../room/room.js';
import { OPEN_ENTRY } from '../room/rules/rules.js';
import { Turns } from '../timers.js';
import { KeyedBuckets } from '../token-bucket.js';
import { Figures, RoomTotals } from './figures.js';

/** Name of a mirror, as the person in it sees it. */
const MIRROR_NAME = 'mirror';

/** Delay of a mirror, in milliseconds: people hear a sentence after its end, not during it. */
const MIRROR_DELAY_MS = 2000;

/**
 * Limits of a busy server: lateness of mixes, in milliseconds, and their share of a processor. It
 * is busy above both.
 */
const BUSY_LATE_MS = 20;
const BUSY_SHARE = 0.7;

/** Joins of one network at once, enough for a class, and the part of them in each second after. */
const NETWORK_JOINS = 100;
const JOINS_A_SECOND = 1 / 20;

/** Share of the limit of people above which listeners are sent to other nodes. */
const NEARLY_FULL = 0.8;

/** Golden ratio, whose multiples are spread evenly modulo 1: no two rooms tick at once. */
const SPREAD = (Math.sqrt(5) - 1) / 2;

/** Other room hosts of a server with one. @type {Elsewhere} */
const NOWHERE = Object.freeze({
  others: () => ({ present: 0, away: 0, rooms: 0 }),
  publish: () => {},
  tell: () => {},
  opened: () => {},
  changed: () => {},
  ended: () => {},
});

/** Cluster of a room that no other node knows. @type {Omit<Cluster, 'nodes'>} */
const NO_ROOMS = Object.freeze({
  ended: () => {},
  epochOf: () => 0,
  ruled: () => {},
  rulesOf: () => null,
  placesOf: () => [],
});

/** Time after a reopening within which a second failure is final, in milliseconds. */
const FAILS_AGAIN_MS = 10_000;

/** All rooms of a room host: a room begins with its first member and ends with its last. */
export class Rooms {
  /** @type {Map<string, Room>} */
  #rooms = new Map();
  /**
   * Rooms that nobody finds by name: mirrors, in which one person hears themselves, and rooms that
   * have moved to another node.
   * @type {Set<Room>}
   */
  #mirrors = new Set();
  /** Time of reopening of rooms that had failed. @type {WeakMap<Room, number>} */
  #reopened = new WeakMap();
  #config;
  #services;
  #totals = new RoomTotals();
  #maxRooms;
  #maxPeople;
  /** Number of rooms that were ever opened. */
  #opened = 0;
  #elsewhere;
  #draining = false;
  #closed = false;
  #sessions;
  #shares;
  /** Backing tracks of all rooms. */
  tracks = new Tracks();
  /** By network. */
  #joins;
  #census = new Census();
  #mirrorCensus = new Census();
  /** @type {RoomOwner} */
  #owner;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config  of a new room
   * @param {RoomServices} options.services
   * @param {number} options.maxRooms
   * @param {number} options.maxPeople in all rooms together; as many places are kept for
   *   absent people
   * @param {number} [options.networkJoins]  joins of one network in a row
   * @param {Elsewhere} [options.elsewhere]  other room hosts of the server
   */
  constructor({
    config,
    services,
    maxRooms,
    maxPeople,
    networkJoins = NETWORK_JOINS,
    elsewhere = NOWHERE,
  }) {
    this.#config = config;
    this.#services = services;
    this.#shares = new LoadShares(services.cpuMs);
    this.#maxRooms = maxRooms;
    this.#maxPeople = maxPeople;
    this.#joins = new KeyedBuckets({
      atOnce: networkJoins,
      perSecond: networkJoins * JOINS_A_SECOND,
    });
    this.#elsewhere = elsewhere;
    this.#sessions = new SessionLog(services);
    this.#owner = {
      ended: (room) => this.#end(room),
      failed: (room, state) => this.#end(room, state),
      changed: (room) => {
        if (this.#rooms.get(room.name) === room) elsewhere.changed(room);
      },
      departures: new Turns(services.clock),
      mayKeepPlace: () => this.#count().away + elsewhere.others().away < this.#maxPeople,
      sessions: this.#sessions,
      isBusy: () => this.busy,
      isFull: () => this.#isFull,
      isNearlyFull: () => this.people >= NEARLY_FULL * this.#maxPeople,
      settle: () => this.#settle(),
      bans: this.#openBans(),
      totals: this.#totals,
      tracks: this.tracks,
      census: this.#census,
    };
  }

  #openBans() {
    const { clock, cluster } = this.#services;
    const tell = (/** @type {BanChange} */ change) => {
      this.#elsewhere.tell(change);
      cluster?.banned?.(change);
    };
    return new Bans(clock, tell, cluster ? newBanId : undefined);
  }

  /**
   * @param {string} name
   * @returns {Room | undefined}
   */
  get(name) {
    return this.#rooms.get(name);
  }

  *#all() {
    yield* this.#rooms.values();
    yield* this.#mirrors;
  }

  /** Number of people present and away, and of rooms. */
  #count() {
    const { present, away, rooms } = this.#census;
    const alone = this.#mirrorCensus;
    return {
      present: present + alone.present,
      away: away + alone.away,
      rooms,
      mirrors: this.#mirrors.size,
    };
  }

  #settle() {
    this.#shares.settle(this.#services.clock.now(), this.#all());
    this.#elsewhere.publish(this.#count());
  }

  /**
   * Applies a fact that another host has reported.
   * @param {Fact} fact
   */
  heard(fact) {
    if (fact.type === 'join') this.#joins.take(fact.network, this.#services.clock.now());
    else if (fact.type === 'ban' || fact.type === 'unban') this.bans.heard(fact);
  }

  /** Number of people present in all rooms. */
  get people() {
    return this.#count().present;
  }

  /**
   * Contents and load of the rooms, for metrics. Skipped frames and replies are those of the rooms
   * that are open.
   */
  stats() {
    let [shedReplies, skippedFrames, reducedRooms] = [0, 0, 0];
    for (const { sound } of this.#all()) {
      shedReplies += sound.pace.shedReplies;
      skippedFrames += sound.mixClock.skipped;
      reducedRooms += sound.pace.reduced ? 1 : 0;
    }
    const { present: people, away, rooms, mirrors } = this.#count();
    const { lateMs } = this.#services.ticks;
    const load = {
      lateMs,
      busy: this.busy,
      processorShare: this.#services.effort?.share ?? null,
      reducedRooms,
    };
    return {
      rooms,
      mirrors,
      people,
      away,
      shortVisits: this.#sessions.short,
      load: { ...load, skippedFrames, shedReplies },
    };
  }

  /**
   * True when there is more to mix than can be mixed: nobody is let in until mixes are on time
   * again.
   */
  get busy() {
    const { ticks, effort } = this.#services;
    // Mixes are also late when other processes take the processor: then joins do no harm.
    return ticks.lateMs > BUSY_LATE_MS && (effort?.share ?? 1) > BUSY_SHARE;
  }

  /** The bans of all rooms, open or not. */
  get bans() {
    return this.#owner.bans;
  }

  /** Number of rooms, without mirrors. */
  get size() {
    return this.#rooms.size;
  }

  /** Rooms that can be found by name, in the order of opening. @returns {Iterable<Room>} */
  values() {
    return this.#rooms.values();
  }

  /**
   * Figures of rooms and people that have gone. Listeners to rooms of other nodes count at once.
   */
  get totals() {
    return this.#totals;
  }

  /**
   * Sums over all rooms. They cost some microseconds for each person, so ask now and then only.
   */
  figures() {
    const figures = new Figures(this.#totals);
    figures.rooms = this.#rooms.size;
    figures.mirrors = this.#mirrors.size;
    for (const room of this.#all()) figures.add(room);
    return figures;
  }

  /**
   * Admits a person to a room, and opens it first if there is none of that name. The member is the
   * session's handler from then on.
   * @param {string} roomName  checked already
   * @param {string} name  checked already
   * @param {Session} session
   * @param {JoinRequest} [request]
   * @param {Entry} [entry]
   * @returns {Member | ErrorCode | null} null when they wait in the room's lobby
   */
  join(roomName, name, session, request = {}, entry = OPEN_ENTRY) {
    const isBack = this.keepsPlace(roomName, request);
    const taken = this.takenPlace(roomName, request);
    const refusal = isBack ? null : this.#refusal(session, taken !== null);
    if (refusal !== null) return refusal;
    if (taken?.settings.e2e && !request.e2e) return 'e2e-only';
    const isReplaced = taken?.settings.e2e === true && this.#endPlain(roomName);
    const room = request.mirror
      ? this.#openMirror(request)
      : this.#open(roomName, request, taken?.settings, isReplaced);
    if (typeof room === 'string') return room;
    try {
      return room.join(session, name, request, entry);
    } finally {
      if (room.isEmpty) this.#end(room);
      this.#elsewhere.publish(this.#count());
    }
  }

  /**
   * True when a person returns to their own place.
   * @param {string} roomName
   * @param {JoinRequest} request
   */
  keepsPlace(roomName, { mirror, resume }) {
    const room = mirror ? undefined : this.#rooms.get(roomName);
    return (room?.people.places.holder(resume) ?? null) !== null;
  }

  /**
   * Place of a person on another node of the cluster, until just now.
   * @param {string} roomName
   * @param {JoinRequest} request
   */
  takenPlace(roomName, { mirror, resume }) {
    if (mirror) return null;
    const room = this.#rooms.get(roomName);
    if (room) return room.people.places.taken(resume);
    const { tokens, cluster } = this.#services;
    const place = tokens?.readTaken(resume, roomName, cluster?.epochOf(roomName) ?? 0) ?? null;
    return (
      place &&
      amended(
        place,
        cluster?.placesOf(roomName).find(({ key }) => key === place.key),
      )
    );
  }

  /**
   * Place that a person once got in a room of this cluster. It may be free by now.
   * @param {string} roomName
   * @param {JoinRequest} request
   */
  signedPlace(roomName, { resume }) {
    return this.#services.tokens?.read(resume, roomName) ?? null;
  }

  /**
   * @param {Session} session  of a newcomer
   * @param {boolean} isTaken  true when they had a place on another node
   * @returns {ErrorCode | null}
   */
  #refusal({ peer, transport }, isTaken) {
    if (this.#draining) return 'draining';
    // All people of a failed node's room come at once.
    if (isTaken) return this.#isFull && !transport.isRelay ? 'server-full' : null;
    const network = networkOfPeer(peer);
    this.#elsewhere.tell({ type: 'join', network });
    if (this.#joins.take(network, this.#services.clock.now()) > 0) return 'join-flood';
    if (this.busy) return 'server-busy';
    // Absent people don't count: their places in their rooms are kept, and keep nobody else out.
    return this.#isFull && !transport.isRelay ? 'server-full' : null;
  }

  get #isFull() {
    return this.people + this.#elsewhere.others().present >= this.#maxPeople;
  }

  /** State of a room that another node has told. @param {string} name */
  #toldOf(name) {
    return this.#services.cluster?.rulesOf(name) ?? null;
  }

  /**
   * @param {string} name
   * @param {JoinRequest} request  of its first participant
   * @param {Partial<Settings>} [before] the room's on another node, by the token of a person who
   *   was in it
   * @param {boolean} [isReplaced]  true after another room of that name has ended here
   * @returns {Room | ErrorCode}
   */
  #open(name, request, before = {}, isReplaced = false) {
    const existing = this.#rooms.get(name);
    if (existing) return existing;
    // The state that is known then is the ended room's.
    const told = isReplaced ? null : this.#toldOf(name);
    const refusal = this.#openRefusal(request, told !== null || isReplaced);
    if (refusal !== null) return refusal;
    const settings = { ...before, ...definedOf(told), e2e: told?.e2e || before.e2e };
    const room = this.#newRoom(name, this.#asPreviously(request, settings));
    if (typeof room === 'string') return room;
    if (told) room.rules.takeOver(told);
    else if (isReplaced) room.rules.succession.expect(room.config.awayTimeoutMs);
    if (!told || isReplaced) this.#services.happened?.({ event: 'room_started', room: name });
    this.#add(room);
    return room;
  }

  /**
   * @param {JoinRequest} request
   * @param {boolean} isKnown  true when another node had the room
   * @returns {ErrorCode | null} why no room can be opened
   */
  #openRefusal({ mode = this.#config.mode, e2e = false }, isKnown) {
    if (this.#closed) return 'server-closing';
    const mixes = mode !== 'forward' && !e2e;
    if (!isKnown && this.#config.broadcast && !mixes) return 'broadcast-mix';
    const rooms = this.#count().rooms + this.#elsewhere.others().rooms;
    return rooms >= this.#maxRooms ? 'too-many-rooms' : null;
  }

  /**
   * Wishes for a room that another node had.
   * @param {JoinRequest} request  of its first participant here
   * @param {Partial<Settings>} before
   * @returns {JoinRequest}
   */
  #asPreviously({ frameMs, channels, mode, e2e }, before) {
    const isPossible =
      before.frameMs === this.#config.format.frameMs ||
      ROOM_FRAME_MS.some((ms) => ms === before.frameMs);
    return {
      frameMs: isPossible ? before.frameMs : frameMs,
      channels: before.channels ?? channels,
      mode: before.mode ?? mode,
      e2e: before.e2e ?? e2e,
    };
  }

  /**
   * Ends a room that was opened unencrypted by a person who didn't know that it is encrypted.
   * @param {string} name
   * @returns {boolean} false if there is no such room
   */
  #endPlain(name) {
    const room = this.#rooms.get(name);
    if (!room || room.config.e2e) return false;
    room.rules.moderation.liftBans();
    room.close('room-reopened');
    this.#rooms.delete(name);
    this.#elsewhere.ended(room);
    this.#finished(room);
    return true;
  }

  /** Notifies the operator's webhooks of a room that has ended. @param {Room} room */
  #finished({ name: room, rules }) {
    if (rules.stage.isLive) this.#services.happened?.({ event: 'broadcast_finished', room });
    this.#services.happened?.({ event: 'room_finished', room });
  }

  /** @param {Room} room */
  #add(room) {
    this.#rooms.set(room.name, room);
    this.#elsewhere.opened(room);
  }

  /** Reopens a room that has ended with another thread. @param {RoomState} state */
  restore(state) {
    if (this.#closed || this.#rooms.has(state.name) || state.people.length === 0) return;
    const { frameMs, channels, mode, e2e } = state.told;
    const room = this.#newRoom(state.name, { frameMs, channels, mode, e2e });
    if (typeof room === 'string') return;
    try {
      room.restore(state);
    } catch (error) {
      room.close('internal');
      throw error;
    }
    this.#add(room);
    this.#elsewhere.publish(this.#count());
  }

  /**
   * Opens a room for one person, who hears themselves.
   * @param {JoinRequest} request
   * @returns {Room | ErrorCode}
   */
  #openMirror(request) {
    if (this.#closed) return 'server-closing';
    const own = {
      mode: /** @type {const} */ ('mix'),
      broadcast: false,
      e2e: false,
      echo: true,
      serverDelayMs: MIRROR_DELAY_MS,
      maxParticipants: 1,
      awayTimeoutMs: 0,
    };
    const { cluster } = this.#services;
    // Nothing outside knows of it.
    const without = {
      observer: undefined,
      recordings: undefined,
      tokens: undefined,
      happened: undefined,
      cluster: cluster && { ...NO_ROOMS, nodes: () => cluster.nodes() },
    };
    const room = this.#newRoom(MIRROR_NAME, request, own, without, {
      ...this.#owner,
      census: this.#mirrorCensus,
      // Everybody moderates their mirror, and its name may be that of a room.
      bans: new Bans(this.#services.clock),
    });
    if (typeof room !== 'string') this.#mirrors.add(room);
    return room;
  }

  /**
   * @param {string} name
   * @param {JoinRequest} request
   * @param {Partial<RoomConfig>} [own]  settings of its own
   * @param {Partial<RoomServices>} [without]
   * @param {RoomOwner} [owner]
   * @returns {Room | ErrorCode}
   */
  #newRoom(name, request, own, without, owner = this.#owner) {
    const phase = (this.#opened++ * SPREAD) % 1;
    const config = { ...configFor(this.#config, request, this.#services.codec), ...own, phase };
    try {
      return openRoom(name, config, { ...this.#services, ...without }, owner);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /**
   * @param {Room} room that is empty, or has failed
   * @param {RoomState | null} [state] with which it is reopened
   */
  #end(room, state = null) {
    const { name } = room;
    const places = room.people.places.notes.export();
    const isOpen = this.#rooms.get(name) === room;
    if (isOpen) this.#rooms.delete(name);
    else if (!this.#mirrors.delete(room)) return;
    room.close('server-closing');
    if (isOpen) {
      this.#elsewhere.ended(room);
      if (state && !this.#failsSoon(room)) this.#reopen(state);
      if (!this.#rooms.has(name)) {
        this.#services.cluster?.ended(name, places);
        this.#finished(room);
      }
    }
    this.#elsewhere.publish(this.#count());
  }

  /**
   * True for a room that fails soon after it was reopened: the fault may be in its state.
   * @param {Room} room
   */
  #failsSoon(room) {
    const reopenedMs = this.#reopened.get(room) ?? -Infinity;
    return this.#services.clock.now() - reopenedMs < FAILS_AGAIN_MS;
  }

  /** @param {RoomState} state  of a room that has failed */
  #reopen(state) {
    try {
      this.restore(state);
      const room = this.#rooms.get(state.name);
      if (room) this.#reopened.set(room, this.#services.clock.now());
    } catch (error) {
      this.#services.log.error(
        { event: 'room-not-reopened', room: state.name, error: stackOf(error) },
        'room could not be reopened',
      );
    }
  }

  /**
   * Moves a room's people to another node.
   * @param {string} name
   * @param {NodeAddress | null} node
   */
  move(name, node) {
    const room = this.#rooms.get(name);
    if (!room) return;
    this.#rooms.delete(name);
    this.#mirrors.add(room);
    room.moving.begin(node);
  }

  /** True when nobody new is let in. */
  get draining() {
    return this.#draining;
  }

  /**
   * Refuses newcomers from now on, and tells everybody.
   * @param {number} seconds  until the rooms are ended
   */
  drain(seconds) {
    this.#draining = true;
    for (const room of [...this.#all()])
      if (!room.moving.begun) room.people.tell({ type: 'draining', seconds });
  }

  /** Ends every room. Idempotent. */
  close() {
    this.#closed = true;
    for (const room of [...this.#all()]) room.close('server-closing');
    for (const room of this.#rooms.values()) this.#finished(room);
    this.#rooms.clear();
    this.#mirrors.clear();
    this.#sessions.flush();
  }
}

/** @param {KnownState | null} told @returns {Partial<Settings>} its known settings */
const definedOf = (told) =>
  Object.fromEntries(Object.entries(told ?? {}).filter(([, value]) => value !== undefined));
