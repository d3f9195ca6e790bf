/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { NodeAddress } from '../cluster/messages.js'
 * @import { Session } from '../transport/session.js'
 * @import { Member } from './people/member.js'
 * @import { Entry } from './moderation/moderation.js'
 * @import { RoomState, Settings, ToldState } from '../state/portable-state.js'
 * @import { Cluster, Elsewhere, Fact, JoinWishes, RoomConfig, RoomOwner } from './room-config.js'
 * @import { RoomServices } from './room-config.js'
 */

import { ROOM_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import { Bans } from '../access/bans.js';
import { Tracks } from '../clock/backing-track.js';
import { LoadShares } from '../clock/load-shares.js';
import { KeyedBuckets } from '../keyed-buckets.js';
import { stackOf } from '../log.js';
import { networkOfPeer } from '../network-address.js';
import { Census } from './people/census.js';
import { Figures, RoomTotals } from './reports/figures.js';
import { OPEN_ENTRY } from './moderation/moderation.js';
import { Room } from './room.js';
import { amended } from './people/place-notes.js';
import { configFor, ROOM_DEFAULTS } from './room-config.js';
import { SessionLog } from './reports/session-log.js';
import { Turns } from './entry/turns.js';

/** The name of a mirror, as the one in it is told. */
const MIRROR_NAME = 'mirror';

/** The delay of a mirror, in milliseconds: one hears oneself after the sentence, not into it. */
const MIRROR_DELAY_MS = 2000;

/**
 * The server is busy where mixes are later than this, in milliseconds, and take more than this
 * share of a processor.
 */
const BUSY_LATE_MS = 20;
const BUSY_SHARE = 0.7;

/**
 * How many joins of one network are let in at once, a class, and the part of it that is let in each
 * second after.
 */
const NETWORK_JOINS = 100;
const JOINS_A_SECOND = 1 / 20;

/**
 * From this share of the people that there may be on, those who only listen are sent to other
 * nodes.
 */
const NEARLY_FULL = 0.8;

/** Multiples of the golden ratio are spread evenly modulo 1, so rooms' ticks don't coincide. */
const SPREAD = (Math.sqrt(5) - 1) / 2;

/** Where there is no other room host. @type {Elsewhere} */
const NOWHERE = Object.freeze({
  others: () => ({ present: 0, away: 0, rooms: 0 }),
  publish: () => {},
  tell: () => {},
  opened: () => {},
  changed: () => {},
  ended: () => {},
});

/** A cluster as a room sees it that no node is to know of. @type {Omit<Cluster, 'nodes'>} */
const NO_ROOMS = Object.freeze({
  ended: () => {},
  epochOf: () => 0,
  ruled: () => {},
  rulesOf: () => null,
  placesOf: () => [],
});

/** A room that fails within this after it was opened again is forgotten, in milliseconds. */
const FAILS_AGAIN_MS = 10_000;

/** All rooms of a room host: a room begins with its first member and ends with its last. */
export class Rooms {
  /** @type {Map<string, Room>} */
  #rooms = new Map();
  /**
   * Rooms that nobody else finds: of one, in which somebody hears themselves, and those that other
   * nodes have now.
   * @type {Set<Room>}
   */
  #mirrors = new Set();
  /** Time at which a room that had failed was opened again. @type {WeakMap<Room, number>} */
  #reopened = new WeakMap();
  #config;
  #services;
  #totals = new RoomTotals();
  #maxRooms;
  #maxPeople;
  /** How many rooms were ever opened. */
  #opened = 0;
  #elsewhere;
  #draining = false;
  #closed = false;
  #sessions;
  #shares;
  /** The sound of all rooms' backing tracks. */
  tracks = new Tracks();
  /** By network. */
  #joins;
  #census = new Census();
  #mirrorCensus = new Census();
  /** @type {RoomOwner} */
  #owner;

  /**
   * @param {object} options
   * @param {Omit<RoomConfig, keyof typeof ROOM_DEFAULTS> & Partial<RoomConfig>} options.config of a
   *   new room
   * @param {RoomServices} options.services
   * @param {number} options.maxRooms
   * @param {number} options.maxPeople in all rooms together; as many places may wait for people who
   *   are away
   * @param {number} [options.networkJoins]  joins of one network in a row
   * @param {Elsewhere} [options.elsewhere]  what other room hosts of the server have
   */
  constructor({
    config,
    services,
    maxRooms,
    maxPeople,
    networkJoins = NETWORK_JOINS,
    elsewhere = NOWHERE,
  }) {
    /** @type {RoomConfig} */
    this.#config = { ...ROOM_DEFAULTS, ...config };
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
      isNearlyFull: () => this.people >= NEARLY_FULL * this.#maxPeople,
      settle: () => this.#settle(),
      bans: new Bans(services.clock, elsewhere.tell),
      totals: this.#totals,
      tracks: this.tracks,
      census: this.#census,
    };
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

  /** How many people are in all rooms, and how many are away and may come back. */
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
   * Takes note of what holds for the rooms of all hosts, as another has told it.
   * @param {Fact} fact
   */
  heard(fact) {
    if (fact.type === 'join') this.#joins.take(fact.network, this.#services.clock.now());
    else if (fact.type === 'ban' || fact.type === 'unban') this.bans.heard(fact);
  }

  /** How many people there are in all rooms, without those who are away. */
  get people() {
    return this.#count().present;
  }

  /**
   * What the rooms hold, and how the server keeps up, for metrics. Skipped frames and replies are
   * counted of the rooms that there are now.
   */
  stats() {
    let [shedReplies, skippedFrames, reducedRooms] = [0, 0, 0];
    for (const { overload } of this.#all()) {
      shedReplies += overload.shedReplies;
      skippedFrames += overload.skippedFrames;
      reducedRooms += overload.reduced ? 1 : 0;
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
   * Whether there is more to mix than can be mixed: nobody is let in until those who are there are
   * heard in time.
   */
  get busy() {
    const { ticks, effort } = this.#services;
    // A machine that takes the processor away makes mixes late too, and nobody is to be blamed for
    // it.
    return ticks.lateMs > BUSY_LATE_MS && (effort?.share ?? 1) > BUSY_SHARE;
  }

  /** The bans of all rooms, open or not. */
  get bans() {
    return this.#owner.bans;
  }

  /** How many rooms there are. */
  get size() {
    return this.#rooms.size;
  }

  /**
   * The rooms that others can find, in the order in which they were opened.
   * @returns {Iterable<Room>}
   */
  values() {
    return this.#rooms.values();
  }

  /**
   * What stays of those who have gone. Of those who listen to other nodes' rooms here what happens
   * is counted in it at once.
   */
  get totals() {
    return this.#totals;
  }

  /**
   * The sums over all rooms. It costs some microseconds for each person, so it is for those who
   * look now and then.
   */
  figures() {
    const figures = new Figures(this.#totals);
    figures.rooms = this.#rooms.size;
    figures.mirrors = this.#mirrors.size;
    for (const room of this.#rooms.values()) room.view.addTo(figures);
    for (const room of this.#mirrors) room.view.addTo(figures);
    return figures;
  }

  /**
   * Lets somebody into a room, which is opened where there is none of that name. The member is the
   * session's handler from then on.
   * @param {string} roomName  checked already
   * @param {string} name  checked already
   * @param {Session} session
   * @param {JoinWishes} [wishes]
   * @param {Entry} [entry]  with what they come
   * @returns {Member | ErrorCode | null} null where they wait in the room's lobby
   */
  join(roomName, name, session, wishes = {}, entry = OPEN_ENTRY) {
    const isBack = this.keepsPlace(roomName, wishes);
    const taken = this.takenPlace(roomName, wishes);
    const refusal = isBack ? null : this.#refusal(session, taken !== null);
    if (refusal !== null) return refusal;
    if (taken?.settings.e2e && !wishes.e2e) return 'e2e-only';
    if (taken?.settings.e2e) this.#endPlain(roomName);
    const room = wishes.mirror
      ? this.#openMirror(wishes)
      : this.#open(roomName, wishes, taken?.settings);
    if (typeof room === 'string') return room;
    try {
      return room.join(session, name, wishes, entry);
    } finally {
      if (room.size === 0 && !room.moderation.succession.waits) this.#end(room);
      this.#elsewhere.publish(this.#count());
    }
  }

  /**
   * Whether somebody comes back to a place that is theirs.
   * @param {string} roomName
   * @param {JoinWishes} wishes
   */
  keepsPlace(roomName, { mirror, resume }) {
    return !mirror && (this.#rooms.get(roomName)?.keepsPlace(resume) ?? false);
  }

  /**
   * The place that somebody had on another node of the cluster, until just now.
   * @param {string} roomName
   * @param {JoinWishes} wishes
   */
  takenPlace(roomName, { mirror, resume }) {
    if (mirror) return null;
    const room = this.#rooms.get(roomName);
    if (room) return room.takenPlace(resume);
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
   * The place that somebody was given in a room of this cluster at some time, whether or not it is
   * theirs still.
   * @param {string} roomName
   * @param {JoinWishes} wishes
   */
  signedPlace(roomName, { resume }) {
    return this.#services.tokens?.read(resume, roomName) ?? null;
  }

  /**
   * @param {Session} session  of a newcomer
   * @param {boolean} isTaken  whether they had a place on another node
   * @returns {ErrorCode | null}
   */
  #refusal({ peer, transport }, isTaken) {
    if (this.#draining) return 'draining';
    // A whole room comes at once from a node that is gone.
    if (isTaken) return this.#isFull && !transport.isRelay ? 'server-full' : null;
    const network = networkOfPeer(peer);
    this.#elsewhere.tell({ type: 'join', network });
    if (this.#joins.take(network, this.#services.clock.now()) > 0) return 'join-flood';
    if (this.busy) return 'server-busy';
    // Those who are away count for nothing here: their places in their rooms are kept, and nobody
    // else is kept out.
    return this.#isFull && !transport.isRelay ? 'server-full' : null;
  }

  get #isFull() {
    return this.people + this.#elsewhere.others().present >= this.#maxPeople;
  }

  /**
   * @param {string} name
   * @param {JoinWishes} wishes  of the one who begins it
   * @param {Omit<Settings, 'serverDelayMs'>} [before] the room's on another node, by the token of
   *   somebody who was in it
   * @returns {Room | ErrorCode}
   */
  #open(name, wishes, before) {
    const existing = this.#rooms.get(name);
    if (existing) return existing;
    if (this.#closed) return 'server-closing';
    const { mode = this.#config.mode, e2e = false } = wishes;
    const told = this.#services.cluster?.rulesOf(name) ?? null;
    if (!told && this.#config.broadcast && (e2e || mode === 'forward')) return 'broadcast-mix';
    if (this.#count().rooms + this.#elsewhere.others().rooms >= this.#maxRooms)
      return 'too-many-rooms';
    const room = this.#newRoom(
      name,
      this.#asBefore(wishes, { ...before, ...withoutUnknown(told), e2e: told?.e2e || before?.e2e }),
    );
    if (typeof room === 'string') return room;
    if (told) room.takeOver(told);
    this.#add(room);
    return room;
  }

  /**
   * What a room is opened with that another node had.
   * @param {JoinWishes} wishes  of the one who begins it
   * @param {Partial<Settings>} before
   * @returns {JoinWishes}
   */
  #asBefore({ frameMs, channels, mode, e2e }, before) {
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
   * Ends a room that was opened plain by somebody who didn't know that it is encrypted.
   * @param {string} name
   */
  #endPlain(name) {
    const room = this.#rooms.get(name);
    if (!room || room.e2e) return;
    room.close('room-reopened');
    this.#rooms.delete(name);
    this.#elsewhere.ended(room);
  }

  /** @param {Room} room */
  #add(room) {
    this.#rooms.set(room.name, room);
    this.#elsewhere.opened(room);
  }

  /** Opens a room again that has ended with another thread. @param {RoomState} state */
  restore(state) {
    if (this.#closed || this.#rooms.has(state.name) || state.people.length === 0) return;
    const { frameMs, channels, mode, e2e } = state.told;
    const room = this.#newRoom(state.name, { frameMs, channels, mode, e2e });
    if (typeof room === 'string') return;
    room.restore(state);
    this.#add(room);
    this.#elsewhere.publish(this.#count());
  }

  /**
   * Opens a room that nobody else finds.
   * @param {JoinWishes} wishes
   * @returns {Room | ErrorCode}
   */
  #openMirror(wishes) {
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
    // No room of that name knows of it.
    const without = {
      observer: undefined,
      recordings: undefined,
      tokens: undefined,
      cluster: cluster && { ...NO_ROOMS, nodes: () => cluster.nodes() },
    };
    const room = this.#newRoom(MIRROR_NAME, wishes, own, without, {
      ...this.#owner,
      census: this.#mirrorCensus,
    });
    if (typeof room !== 'string') this.#mirrors.add(room);
    return room;
  }

  /**
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Partial<RoomConfig>} [own]  settings of its own
   * @param {Partial<RoomServices>} [without]
   * @param {RoomOwner} [owner]
   * @returns {Room | ErrorCode}
   */
  #newRoom(name, wishes, own, without, owner = this.#owner) {
    const phase = (this.#opened++ * SPREAD) % 1;
    const config = { ...configFor(this.#config, wishes, this.#services.codec), ...own, phase };
    try {
      return new Room(name, config, { ...this.#services, ...without }, owner);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /**
   * @param {Room} room that is empty, or has failed
   * @param {RoomState | null} [state] with which it goes on
   */
  #end(room, state = null) {
    const { name, places } = room;
    const isOpen = this.#rooms.get(name) === room;
    if (isOpen) this.#rooms.delete(name);
    else if (!this.#mirrors.delete(room)) return;
    room.close('server-closing');
    if (isOpen) {
      this.#elsewhere.ended(room);
      if (state && !this.#failsSoon(room)) this.#reopen(state);
      if (!this.#rooms.has(name)) this.#services.cluster?.ended(name, places);
    }
    this.#elsewhere.publish(this.#count());
  }

  /**
   * Whether a room fails soon after it was opened again: the fault may be in its state.
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
      this.#services.log.error(`room ${state.name} could not be opened again: ${stackOf(error)}`);
    }
  }

  /**
   * A room is another node's from now on: its people go there.
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

  /** Whether nobody new is let in. */
  get draining() {
    return this.#draining;
  }

  /**
   * Lets nobody new in from now on, and tells everybody.
   * @param {number} seconds  until the rooms are ended
   */
  drain(seconds) {
    this.#draining = true;
    for (const room of [...this.#all()])
      if (!room.moving.begun) room.tell({ type: 'draining', seconds });
  }

  /** Ends every room. Idempotent. */
  close() {
    this.#closed = true;
    for (const room of [...this.#all()]) room.close('server-closing');
    this.#rooms.clear();
    this.#mirrors.clear();
    this.#sessions.flush();
  }
}

/** @param {ToldState | null} told @returns {Partial<Settings>} what is known of its settings */
const withoutUnknown = (told) =>
  Object.fromEntries(Object.entries(told ?? {}).filter(([, value]) => value !== undefined));
