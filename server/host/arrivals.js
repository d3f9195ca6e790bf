/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { ReadClientMessages } from '../../public/shared/messages/client-messages.js'
 * @import { Place } from '../access/resume-token.js'
 * @import { Admission, TokenVerifier } from '../access/token.js'
 * @import { RoomsByNode } from '../cluster/rooms-by-node.js'
 * @import { Log } from '../log.js'
 * @import { Relays } from '../relay/relays.js'
 * @import { Cluster, Elsewhere, Fact } from '../room/room-config.js'
 * @import { Entry } from '../room/rules/rules.js'
 * @import { Session } from '../session/session.js'
 * @import { Rooms } from './rooms.js'
 *
 * @typedef {Pick<RoomsByNode, 'isHere' | 'find'> & Partial<Pick<Cluster, 'nodes' | 'relayFor'>>}
 *   Nodes
 *
 * @typedef {ReadClientMessages['join'] & { type: 'join', nameCut: boolean }} JoinMessage  its name
 *   as it is kept; nameCut: true when it was longer
 */

import { readFields, typeOf } from '../../public/shared/messages/client-messages.js';
import { readName, roomNameError } from '../../public/shared/text.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { OPEN_GRANT, sharedGrant, STREAM_GRANT } from '../state/grant.js';
import { PasswordTries } from '../access/room-password.js';
import { stackOf } from '../log.js';
import { networkOfPeer } from '../network-address.js';
import { OPEN_ENTRY } from '../room/rules/rules.js';
import { Turns } from '../timers.js';
import { KeyedBuckets } from '../token-bucket.js';
import { moveTo, refuse } from '../session/session.js';

/** Time that a session may take to ask to join, in milliseconds. */
const JOIN_TIMEOUT_MS = 10_000;

/** Entry by a room's stream key. @type {Readonly<Entry>} */
const STREAM_ENTRY = Object.freeze({ grant: STREAM_GRANT, password: null, admitted: true });

/**
 * Interval between searches for the owner of a shared sound, in milliseconds, and the most
 * searches: the owner may still be coming from another node.
 */
const OWNER_LOOK_MS = 100;
const OWNER_LOOKS = 30;

/** Rate at which one network may look for rooms of other nodes. */
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
  #roomsByNode;
  #relays;
  /** Rooms that are looked for, by network. */
  #searches = new KeyedBuckets(SEARCHES);

  /**
   * @param {object} options
   * @param {Rooms} options.rooms
   * @param {Clock} options.clock
   * @param {Pick<Log, 'error'>} options.log
   * @param {TokenVerifier | null} [options.verifier]  null if joining needs no token
   * @param {Pick<Elsewhere, 'tell'>} [options.elsewhere]  other room hosts of the server
   * @param {Nodes | null} [options.roomsByNode]  finds rooms; null when all are here
   * @param {Pick<Relays, 'take'> | null} [options.relays] rooms of other nodes, for listeners
   */
  constructor({
    rooms,
    clock,
    log,
    verifier = null,
    elsewhere,
    roomsByNode = null,
    relays = null,
  }) {
    this.#rooms = rooms;
    this.#clock = clock;
    this.#log = log;
    this.#verifier = verifier;
    this.#roomsByNode = roomsByNode;
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

  /** Applies a fact that another room host has reported. @param {Fact} fact */
  heard(fact) {
    if (fact.type === 'password-try') this.#tries.heard(fact);
    else this.#rooms.heard(fact);
  }

  /** Number of joins that wait for their turn. */
  get waiting() {
    return this.#turns.waiting;
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  #join(session, message) {
    const join = readJoin(message);
    if (typeof join === 'string') return refuse(session, join);
    // The session was brought to this room's host; another room may have another.
    if (session.room !== undefined && session.room !== join.room)
      return refuse(session, 'bad-request');
    session.room = join.room;
    if (this.#isElsewhere(join))
      void this.#findFirst(session, join, /** @type {Nodes} */ (this.#roomsByNode));
    else this.#admit(session, join);
  }

  /** True when the room isn't this node's, or no longer. @param {JoinMessage} join */
  #isElsewhere({ room, mirror }) {
    return this.#roomsByNode !== null && !mirror && !this.#roomsByNode.isHere(room);
  }

  /**
   * Checks the token of a participant whose room is on another node.
   * @param {JoinMessage} join
   * @returns {Promise<Admission | ErrorCode | null>} null if none is needed
   */
  async #admission(join) {
    return this.#verifier && opensRoom(join) ? this.#verifier.verify(join.token, join.room) : null;
  }

  /**
   * Looks for the room among the nodes of the cluster, and sends the session to the node that has
   * it.
   * @param {Session} session
   * @param {JoinMessage} join
   * @param {Pick<RoomsByNode, 'find'>} roomsByNode
   */
  async #findFirst(session, join, roomsByNode) {
    let isThere = true;
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isThere = false) };
    try {
      const taken = this.#rooms.takenPlace(join.room, join);
      // No room is opened on any node for a participant without a token or a place, nor for a
      // stream or a shared sound. The room's own node checks the rest.
      const place = taken ?? this.#rooms.signedPlace(join.room, join);
      // All people of a node that has died come back at once, perhaps from one network.
      if (place === null && this.#isSearchFlood(session)) return refuse(session, 'join-flood');
      const admission = place === null ? await this.#admission(join) : null;
      const found =
        typeof admission === 'string'
          ? admission
          : await roomsByNode.find(join.room, { hold: opensRoom(join), above: taken?.epoch });
      if (!isThere) return;
      if (typeof found === 'string') refuse(session, found);
      else if (found.node === null) this.#admit(session, join);
      else if (
        joinsAsListener(join, {
          admission: /** @type {Admission | null} */ (admission),
          place,
          isBroadcast: found.relayed?.broadcast,
        }) &&
        this.#relays?.take(session, join, found)
      )
        return;
      else moveTo(session, found.node);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /** @param {Session} session */
  #isSearchFlood({ peer }) {
    return this.#searches.take(networkOfPeer(peer), this.#clock.now()) > 0;
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} join  for a room that is here
   */
  #admit(session, join) {
    if (join.streamKey !== undefined) return this.#admitStream(session, join, join.streamKey);
    if (join.owner !== undefined) return this.#admitShared(session, join, join.owner);
    // A participant who resumes a place was checked when they got it: a call outlasts its token.
    const isBack =
      this.#rooms.keepsPlace(join.room, join) || this.#rooms.takenPlace(join.room, join) !== null;
    if (isBack || (this.#verifier === null && this.#passwordOf(join) === null))
      this.#enter(session, join, OPEN_ENTRY);
    else void this.#checkFirst(session, join);
  }

  /**
   * Admits a program by the room's stream key, which stands for token, password, lobby and stage.
   * @param {Session} session
   * @param {JoinMessage} join
   * @param {string} key
   */
  #admitStream(session, join, key) {
    const rules = this.#rooms.get(join.room)?.rules;
    const refusal = rules ? rules.streams.refusal(key) : 'not-found';
    if (!rules || refusal !== null) return refuse(session, refusal ?? 'not-found');
    this.#enter(session, { ...soundOnly(join), stage: rules.stage.key }, STREAM_ENTRY);
  }

  /**
   * Admits the shared sound of a person who is in the room. Their resume token proves that it is
   * theirs, and stands for all that they were admitted by.
   * @param {Session} session
   * @param {JoinMessage} join
   * @param {string} token
   * @param {number} [looks]  left for an owner who is still to come
   */
  #admitShared(session, join, token, looks = OWNER_LOOKS) {
    const room = this.#rooms.get(join.room);
    const owner = room?.people.places.holder(token) ?? null;
    if (!room || owner === null) {
      const isExpected = looks > 0 && this.#rooms.takenPlace(join.room, { resume: token }) !== null;
      return isExpected
        ? this.#awaitOwner(session, () => this.#admitShared(session, join, token, looks - 1))
        : refuse(session, 'not-found');
    }
    if (owner.grant.isStream || !owner.standing.permissions.has('speak'))
      return refuse(session, 'not-allowed');
    const entry = { grant: sharedGrant(owner.id), password: null, admitted: true };
    this.#enter(session, { ...soundOnly(join), stage: room.rules.stage.key }, entry);
  }

  /**
   * Has a shared sound wait, because it has come to the room's next node before its owner.
   * @param {Session} session
   * @param {() => void} look
   */
  #awaitOwner(session, look) {
    const timer = this.#clock.setTimeout(() => {
      try {
        look();
      } catch (error) {
        this.#failed(session, error);
      }
    }, OWNER_LOOK_MS);
    const closed = () => this.#clock.clearTimeout(timer);
    session.handler = { packet: () => {}, control: () => {}, closed };
  }

  /** @param {JoinMessage} join */
  #passwordOf({ room, mirror }) {
    return mirror ? null : (this.#rooms.get(room)?.rules.policy.password ?? null);
  }

  /**
   * Admits a session once its token and password are checked, unless it has ended by then.
   * @param {Session} session
   * @param {JoinMessage} join
   */
  async #checkFirst(session, join) {
    let isThere = true;
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isThere = false) };
    try {
      const checked = await this.#check(session, join);
      if (!isThere) return;
      if (typeof checked === 'string') refuse(session, checked);
      else if (this.#isElsewhere(join))
        await this.#findFirst(session, join, /** @type {Nodes} */ (this.#roomsByNode));
      else this.#enter(session, checked.join, checked.entry);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} join
   * @returns {Promise<{ join: JoinMessage, entry: Entry } | ErrorCode>}
   */
  async #check(session, join) {
    /** @type {Admission | ErrorCode} */
    let admission = { grant: OPEN_GRANT, name: null };
    if (this.#verifier)
      admission = await this.#verifier.verify(join.token, join.mirror ? null : join.room);
    if (typeof admission === 'string') return admission;
    const { grant } = admission;
    const named = withName(join, admission.name);
    if (typeof named === 'string') return named;
    const password = grant.role === 'moderator' ? null : this.#passwordOf(join);
    if (password !== null) {
      const given = join.password;
      if (given === undefined || given === '') return 'password-missing';
      const refusal = await this.#tries.run(networkOfPeer(session.peer), () => password.is(given));
      if (refusal !== null) return refusal;
    }
    return { join: named, entry: { grant, password } };
  }

  /**
   * @param {Session} session
   * @param {JoinMessage} join
   * @param {Entry} entry
   */
  #enter(session, { room, name, ...request }, entry) {
    try {
      const joined = this.#rooms.join(
        room,
        name,
        session,
        request,
        request.listen ? listening(entry) : entry,
      );
      if (joined === 'moved') this.#redirect(session, room);
      else if (typeof joined === 'string') refuse(session, joined);
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /**
   * Sends a person to the node of their place: a listener to another node, a person who came by a
   * relay to this one.
   * @param {Session} session
   * @param {string} room
   */
  #redirect(session, room) {
    const node = session.transport.isRelay
      ? this.#roomsByNode?.nodes?.()[0]
      : this.#roomsByNode?.relayFor?.(room);
    if (node) moveTo(session, node);
    else refuse(session, 'moved');
  }

  /**
   * @param {Session} session
   * @param {unknown} error
   */
  #failed(session, error) {
    this.#log.error(
      { event: 'join-failed', room: session.room, peer: session.peer, error: stackOf(error) },
      'join failed',
    );
    refuse(session, 'internal');
  }
}

/**
 * True for a participant who may open a room. A stream and a shared sound need one that is there.
 * @param {JoinMessage} join
 */
const opensRoom = ({ streamKey, owner }) => streamKey === undefined && owner === undefined;

/**
 * Wishes of a member who only sends sound.
 * @param {JoinMessage} join
 * @returns {JoinMessage}
 */
const soundOnly = ({ e2e, name, nameCut, room, type, version }) => ({
  ...{ e2e, name, nameCut, room, type, version },
});

/**
 * @param {unknown} message  the first that a session sent
 * @returns {JoinMessage | ErrorCode} the code when it isn't a good join
 */
export function readJoin(message) {
  const type = typeOf(message);
  const join = type === 'join' ? readFields(type, message) : null;
  if (type !== 'join' || join === null) {
    const { version } = /** @type {{ version?: unknown }} */ (message ?? {});
    return typeof version === 'number' && version !== CONTROL_VERSION
      ? 'protocol-version'
      : 'bad-request';
  }
  const { name, isCut: nameCut, error } = readName(join.name);
  const fault = (join.mirror ? null : roomNameError(join.room)) ?? error;
  return fault ?? { ...join, type, name, nameCut };
}

/**
 * True when a participant only listens, as far as is known before the join. The room's owner knows
 * for certain.
 * @param {JoinMessage} join
 * @param {{ admission: Admission | null, place: Place | null, isBroadcast?: boolean }} known
 *   admission: null without tokens; place: their earlier one
 */
function joinsAsListener({ listen, stage }, { admission, place, isBroadcast = false }) {
  if (place) return place.role === 'listener';
  return (
    listen === true ||
    admission?.grant.role === 'listener' ||
    (admission === null && isBroadcast && stage === undefined)
  );
}

/**
 * An entry with the role of a listener, for a participant who only wants to listen.
 * @param {Entry} entry
 * @returns {Entry}
 */
const listening = (entry) => ({ ...entry, grant: { ...entry.grant, role: 'listener' } });

/**
 * The join with the token's name, if it has one: nobody takes another name than the invited one.
 * @param {JoinMessage} join
 * @param {string | null} text  the token's name
 * @returns {JoinMessage | ErrorCode}
 */
function withName(join, text) {
  if (text === null || text === '') return join;
  const { name, isCut: nameCut, error } = readName(text);
  return error ?? { ...join, name, nameCut };
}
