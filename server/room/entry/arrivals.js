/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Place } from '../../access/resume-token.js'
 * @import { Admission, TokenVerifier } from '../../access/token.js'
 * @import { Directory } from '../../cluster/directory.js'
 * @import { Log } from '../../log.js'
 * @import { Session } from '../../transport/session.js'
 * @import { JoinMessage } from '../commands.js'
 * @import { Entry } from '../moderation/moderation.js'
 * @import { Elsewhere, Fact } from '../room-config.js'
 * @import { Rooms } from '../rooms.js'
 * @import { Cluster } from '../room-config.js'
 * @import { Relays } from '../../relay/relays.js'
 *
 * @typedef {Pick<Directory, 'isHere' | 'find'> & Partial<Pick<Cluster, 'nodes' | 'relayFor'>>}
 *   Nodes
 */

import { readName } from '../../../public/shared/text.js';
import { OPEN_GRANT } from '../../access/grant.js';
import { PasswordTries } from '../../access/password-tries.js';
import { KeyedBuckets } from '../../keyed-buckets.js';
import { stackOf } from '../../log.js';
import { networkOfPeer } from '../../network-address.js';
import { refuse } from '../../transport/session.js';
import { readJoin } from '../commands.js';
import { OPEN_ENTRY } from '../moderation/moderation.js';
import { moveTo } from './moving.js';
import { Turns } from './turns.js';

/** How long a session may take to ask to join, in milliseconds. */
const JOIN_TIMEOUT_MS = 10_000;

/** How many rooms of other nodes one network may look for: a burst, and then a second. */
const SEARCHES = Object.freeze({ atOnce: 200, perSecond: 10 });

/**
 * The place where sessions arrive: waits for each one's `join`, checks token and password, and
 * hands it to a room.
 */
export class Arrivals {
  #rooms;
  #clock;
  #log;
  #verifier;
  #tries;
  #turns;
  #directory;
  #relays;
  /** Rooms that are looked for, by network. */
  #searches = new KeyedBuckets(SEARCHES);

  /**
   * @param {object} options
   * @param {Rooms} options.rooms
   * @param {Clock} options.clock
   * @param {Pick<Log, 'error'>} options.log
   * @param {TokenVerifier | null} [options.verifier]  null where joining needs no token
   * @param {Pick<Elsewhere, 'tell'>} [options.elsewhere]  other room hosts of the server
   * @param {Nodes | null} [options.directory]  where rooms are; null where all are here
   * @param {Pick<Relays, 'take'> | null} [options.relays] rooms of other nodes for those who only
   *   listen
   */
  constructor({ rooms, clock, log, verifier = null, elsewhere, directory = null, relays = null }) {
    this.#rooms = rooms;
    this.#clock = clock;
    this.#log = log;
    this.#verifier = verifier;
    this.#directory = directory;
    this.#relays = relays;
    this.#tries = new PasswordTries(clock, elsewhere?.tell);
    this.#turns = new Turns(clock);
    /** @type {(session: Session) => void} */
    this.accept = (session) => this.#accept(session);
  }

  /** @param {Session} session */
  #accept(session) {
    const timer = this.#clock.setTimeout(() => refuse(session, 'join-timeout'), JOIN_TIMEOUT_MS);
    session.handler = {
      // Audio that overtakes its own join is of no use to anybody.
      packet: () => {},
      control: (message) => {
        this.#clock.clearTimeout(timer);
        // Messages that overtake the answer are of no use either.
        if (!this.#turns.isWaiting(session))
          this.#turns.take(session, () => this.#join(session, message));
      },
      closed: () => {
        this.#clock.clearTimeout(timer);
        this.#turns.forget(session);
      },
    };
  }

  /** Takes note of what another room host has told. @param {Fact} fact */
  heard(fact) {
    if (fact.type === 'password-try') this.#tries.heard(fact);
    else this.#rooms.heard(fact);
  }

  /** How many joins wait for their turn. */
  get waiting() {
    return this.#turns.waiting;
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  #join(session, message) {
    const wish = readJoin(message);
    if (typeof wish === 'string') return refuse(session, wish);
    // The session was brought to where that room is, and another may be elsewhere.
    if (session.room !== undefined && session.room !== wish.room)
      return refuse(session, 'bad-request');
    session.room = wish.room;
    if (this.#isElsewhere(wish))
      void this.#findFirst(session, wish, /** @type {Nodes} */ (this.#directory));
    else this.#admit(session, wish);
  }

  /** Whether the room isn't this node's, or is no longer. @param {JoinMessage} wish */
  #isElsewhere({ room, mirror }) {
    return this.#directory !== null && !mirror && !this.#directory.isHere(room);
  }

  /**
   * Looks for the room among the nodes of the cluster, and sends the session there where another
   * one has it.
   * @param {Session} session
   * @param {JoinMessage} wish
   * @param {Pick<Directory, 'find'>} directory
   */
  async #findFirst(session, wish, directory) {
    if (this.#searches.take(networkOfPeer(session.peer), this.#clock.now()) > 0)
      return refuse(session, 'join-flood');
    let isThere = true;
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isThere = false) };
    try {
      const taken = this.#rooms.takenPlace(wish.room, wish);
      // Who has no token, and was never let in, has no room opened on any node. All else the room's
      // own node checks.
      const place = taken ?? this.#rooms.signedPlace(wish.room, wish);
      const admission =
        this.#verifier && place === null
          ? await this.#verifier.verify(wish.token, wish.room)
          : null;
      const found =
        typeof admission === 'string'
          ? admission
          : await directory.find(wish.room, { hold: true, above: taken?.epoch });
      if (!isThere) return;
      if (typeof found === 'string') refuse(session, found);
      else if (found.node === null) this.#admit(session, wish);
      else if (
        onlyListens(wish, {
          admission: /** @type {Admission | null} */ (admission),
          place,
          isBroadcast: found.relayed?.broadcast,
        }) &&
        this.#relays?.take(session, wish, found)
      )
        return;
      else moveTo(session, found.node);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} wish  for a room that is here
   */
  #admit(session, wish) {
    // Whoever comes back to their place was checked when they got it: a call outlasts its token.
    const isBack =
      this.#rooms.keepsPlace(wish.room, wish) || this.#rooms.takenPlace(wish.room, wish) !== null;
    if (isBack || (this.#verifier === null && this.#passwordOf(wish) === null))
      this.#enter(session, wish, OPEN_ENTRY);
    else void this.#checkFirst(session, wish);
  }

  /** @param {JoinMessage} wish */
  #passwordOf({ room, mirror }) {
    return mirror ? null : (this.#rooms.get(room)?.moderation.password ?? null);
  }

  /**
   * Lets a session in once its token and its password are checked, unless it has ended meanwhile.
   * @param {Session} session
   * @param {JoinMessage} wish
   */
  async #checkFirst(session, wish) {
    let isThere = true;
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isThere = false) };
    try {
      const checked = await this.#check(session, wish);
      if (!isThere) return;
      if (typeof checked === 'string') refuse(session, checked);
      else if (this.#isElsewhere(wish))
        await this.#findFirst(session, wish, /** @type {Nodes} */ (this.#directory));
      else this.#enter(session, checked.wish, checked.entry);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} wish
   * @returns {Promise<{ wish: JoinMessage, entry: Entry } | ErrorCode>}
   */
  async #check(session, wish) {
    /** @type {Admission | ErrorCode} */
    let admission = { grant: OPEN_GRANT, name: null };
    if (this.#verifier)
      admission = await this.#verifier.verify(wish.token, wish.mirror ? null : wish.room);
    if (typeof admission === 'string') return admission;
    const { grant } = admission;
    const named = withName(wish, admission.name);
    if (typeof named === 'string') return named;
    const password = grant.role === 'moderator' ? null : this.#passwordOf(wish);
    if (password !== null) {
      const given = wish.password;
      if (given === undefined || given === '') return 'password-missing';
      const refusal = await this.#tries.run(networkOfPeer(session.peer), () => password.is(given));
      if (refusal !== null) return refusal;
    }
    return { wish: named, entry: { grant, password } };
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} wish
   * @param {Entry} entry
   */
  #enter(session, { room, name, ...wishes }, entry) {
    try {
      const joined = this.#rooms.join(
        room,
        name,
        session,
        wishes,
        wishes.listen ? listening(entry) : entry,
      );
      if (joined === 'moved') this.#sendOn(session, room);
      else if (typeof joined === 'string') refuse(session, joined);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * Sends somebody to where their place is: to another node one who only listens, to this one who
   * came by another.
   * @param {Session} session
   * @param {string} room
   */
  #sendOn(session, room) {
    const node = session.transport.isRelay
      ? this.#directory?.nodes?.()[0]
      : this.#directory?.relayFor?.(room);
    if (node) moveTo(session, node);
    else refuse(session, 'moved');
  }

  /**
   * @param {Session} session
   * @param {unknown} error
   */
  #failed(session, error) {
    this.#log.error(`a participant could not join: ${stackOf(error)}`);
    refuse(session, 'internal');
  }
}

/**
 * Whether somebody only listens, as far as is known before they have joined: their room's home
 * knows for certain.
 * @param {JoinMessage} wish
 * @param {{ admission: Admission | null, place: Place | null, isBroadcast?: boolean }} known
 *   admission: where there are tokens; place: the one that they had
 */
function onlyListens({ listen, stage }, { admission, place, isBroadcast = false }) {
  if (place) return place.role === 'listener';
  return (
    listen === true ||
    admission?.grant.role === 'listener' ||
    (admission === null && isBroadcast && stage === undefined)
  );
}

/**
 * Who wants to listen and no more is a listener, whatever else they might be.
 * @param {Entry} entry
 * @returns {Entry}
 */
const listening = (entry) => ({ ...entry, grant: { ...entry.grant, role: 'listener' } });

/**
 * The wish with the name of the token, where it has one: nobody calls themselves otherwise than
 * they were invited.
 * @param {JoinMessage} wish
 * @param {string | null} text  the token's name
 * @returns {JoinMessage | ErrorCode}
 */
function withName(wish, text) {
  if (text === null || text === '') return wish;
  const { name, isCut: nameCut, error } = readName(text);
  return error ?? { ...wish, name, nameCut };
}
