/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { MessageReaders } from '../connection/connection.js'
 * @import { Access, Joined, RoomView } from './types.js'
 * @import { PersonFields } from '../../shared/messages/fields.js'
 * @import { ServerMessage, ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { ServerMessageType } from '../../shared/messages/server-messages.js'
 *
 * @typedef {(message: ServerMessage) => void} Listener
 */

import { createAudioFormat } from '../../shared/sound/audio-format.js';
import { MAX_REDUNDANCY } from '../../shared/wire/packet.js';
import { readMessage } from '../connection/connection.js';
import { nodeOf } from '../connection/nodes.js';
import { EMPTY_ROOM } from './call-view.js';
import { accessOf, roleChange, rulesOf } from './access.js';
import { Roster } from './roster.js';

/** Most frames in a packet. */
const MAX_STRIDE = MAX_REDUNDANCY + 1;

/** Most chat messages kept here. */
const MAX_CHAT = 200;

let welcomes = 0;

/** The room's state, from the server's messages in one session. */
export class CallState {
  /** The server's welcome, with later changes; empty before it. */
  welcome = /** @type {ServerMessages['welcome']} */ (/** @type {unknown} */ ({}));
  /** @type {Readonly<RoomView>} */
  view = EMPTY_ROOM;
  roster = new Roster();
  /** The resume token. @type {string | undefined} */
  token = undefined;
  /** The page's origin of the server, or of the node that has the room. */
  origin = '';
  /** The origins of the cluster's nodes; none without a cluster. @type {string[]} */
  #nodes = [];
  /**
   * The server's last statistics of this participant's uplink.
   * @type {ServerMessages['stats'] | null}
   */
  stats = null;
  /**
   * The server's reason to close the connection.
   * @type {{ code: string, message: string } | null}
   */
  closing = null;
  #now;
  #readers = readersOf(this);
  /** @type {Partial<Record<ServerMessageType, Listener>>} */
  #listeners = {};

  /** @param {() => number} [now]  milliseconds since 1970, by the clock of High Resolution Time */
  constructor(now = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
  }

  /**
   * Calls `run` after each message of a type, which has been applied.
   * @template {ServerMessageType} T
   * @param {T} type
   * @param {(message: ServerMessages[T]) => void} run
   */
  on(type, run) {
    const earlier = this.#listeners[type];
    const next = /** @type {Listener} */ (run);
    this.#listeners[type] = (/** @type {ServerMessage} */ message) => {
      earlier?.(message);
      next(message);
    };
  }

  /**
   * @param {ServerMessage} message
   * @returns {Partial<RoomView>} the changed properties of the view
   */
  apply(message) {
    const changes = readMessage(message, this.#readers) ?? {};
    this.view = { ...this.view, ...changes };
    readMessage(message, this.#listeners);
    return changes;
  }

  /** @param {ServerMessages['welcome']} message */
  begin(message) {
    this.welcome = message;
    this.keepPlace(message);
    this.roster.begin(message);
    welcomes += 1;
    return {
      ...EMPTY_ROOM,
      ...this.roster.list(),
      session: welcomes,
      access: accessOf(message, this.#now()),
      chat: listOf(message.chat).slice(-MAX_CHAT),
      metronome: { beat: message.metronome ?? null, by: null },
      track: { track: message.track ?? null, by: null },
      recording: message.recording ?? null,
      canRecord: message.canRecord === true,
      isStereo: message.format?.channels === 2,
      node: nodeOf(message.nodes),
    };
  }

  /** @param {{ resume?: unknown, nodes?: unknown }} message with what reconnecting needs */
  keepPlace({ resume, nodes }) {
    if (typeof resume === 'string') this.token = resume;
    if (Array.isArray(nodes))
      this.#nodes = nodes.flatMap((node) => (typeof node?.url === 'string' ? [node.url] : []));
    return {};
  }

  /** @param {Partial<ServerMessages['welcome']>} changes of the welcome's fields */
  amend(changes) {
    this.welcome = { ...this.welcome, ...changes };
    return {};
  }

  /** @param {boolean} hasChanged true when the list of people is a new one */
  people(hasChanged) {
    return hasChanged ? this.roster.list() : {};
  }

  /** @param {Partial<Access> | null} change @returns {Partial<RoomView>} */
  access(change) {
    return change === null ? {} : { access: { ...this.view.access, ...change } };
  }

  /** @param {ServerMessages['moderated']} message an act of a moderator on this participant */
  moderated(message) {
    if (message.action !== 'role') return {};
    const { stride = this.welcome.stride, may = this.welcome.may } = message;
    this.amend({ stride, may });
    return this.access(roleChange(message));
  }

  /** @param {ServerMessages['room']} message */
  rules(message) {
    this.amend({ rules: message });
    return this.access({ rules: rulesOf(message, this.#now()) });
  }

  /**
   * The origins of the cluster's nodes, this session's node last; empty without a cluster.
   * @returns {string[]}
   */
  get nodes() {
    const nodes = this.#nodes;
    return nodes.length === 0 ? [] : [...nodes.filter((node) => node !== this.origin), this.origin];
  }

  /** @returns {AudioFormat} throws a RangeError for an impossible format */
  readFormat() {
    const { sampleRate, channels, frameMs, opusFrames } = this.welcome.format ?? {};
    return createAudioFormat({ sampleRate, channels, frameMs, opusFrames });
  }

  /**
   * @param {string} leaveUrl
   * @returns {Joined}
   */
  joined(leaveUrl) {
    const { you, delivery, serverDelayMs, pcm } = this.welcome;
    const { token: resume = '', origin } = this;
    const isLossless = pcm !== undefined && this.isMixed;
    return {
      ...{ you, format: this.readFormat(), delivery, serverDelayMs, isLossless },
      ...{ resume, leaveUrl, origin },
    };
  }

  /** Frames in a packet from the server: 1 to 3. */
  get stride() {
    const { stride } = this.welcome;
    return stride === 2 || stride === MAX_STRIDE ? stride : 1;
  }

  /** Number of earlier frames that packets repeat. @returns {'auto' | 0 | 1 | 2} */
  get redundancy() {
    const { redundancy } = this.welcome;
    return redundancy === 'auto' || redundancy === 1 || redundancy === 2 ? redundancy : 0;
  }

  /** True when this participant is one of the audience, and sends clock requests only. */
  get isLight() {
    return this.welcome.delivery === 'tick' && this.isListener;
  }

  /** True when this participant only listens, over any transport. */
  get isListener() {
    const { may } = this.welcome;
    return Array.isArray(may) && may.includes('listen') && !may.includes('speak');
  }

  /** True when silence may be left out: with `reply` each packet requests its answer. */
  get allowsSilence() {
    return this.welcome.delivery === 'tick' && this.welcome.silenceSuppression === true;
  }

  /** True when voices are forwarded: with `auto` that is unknown. */
  get isForwarded() {
    const { rules, e2e = false } = this.welcome;
    return e2e || rules?.mode === 'forward';
  }

  /** True when only the server's mix uses packets: none is forwarded or answered. */
  get isMixed() {
    const { delivery, rules, e2e } = this.welcome;
    return delivery === 'tick' && (rules?.mode ?? 'mix') === 'mix' && !e2e;
  }
}

/**
 * A reader for each message: keeps what the session needs, and returns the page's changes.
 * @param {CallState} state
 * @returns {MessageReaders<Partial<RoomView>>}
 */
const readersOf = (state) => ({
  lobby: () => state.access({ waiting: true }),
  welcome: (message) => state.begin(message),
  resume: (message) => state.keepPlace(message),
  moved: (message) => state.keepPlace(message),
  draining: () => ({ isDraining: true }),
  closing: ({ code, message }) => {
    state.closing = { code: String(code), message: String(message) };
    return {};
  },

  delay: ({ serverDelayMs }) =>
    Number.isFinite(serverDelayMs) ? state.amend({ serverDelayMs }) : {},
  stride: ({ stride }) => state.amend({ stride }),
  stats: (message) => {
    state.stats = message;
    return {};
  },

  people: (message) => state.people(state.roster.setPage(message)),
  joined: (message) => state.people(state.roster.set(peopleOf(message))),
  changed: (message) => {
    const changed = peopleOf(message);
    return {
      ...state.people(state.roster.set(changed)),
      ...state.access(ownChange(state, changed)),
    };
  },
  left: (message) =>
    state.people(state.roster.delete('ids' in message ? message.ids : [message.id])),
  listeners: ({ count }) => state.people(state.roster.setListeners(count)),
  qualities: ({ people }) => state.people(state.roster.setQualities(people)),
  waited: ({ people }) => state.people(state.roster.setWaited(people)),

  room: (message) => state.rules(message),
  moderated: (message) => state.moderated(message),
  stage: ({ key }) => state.access({ stage: String(key) }),
  'stream-key': ({ key }) => state.access({ streamKey: key === null ? null : String(key) }),
  knocks: ({ people }) => state.access({ knocks: listOf(people) }),
  hands: ({ count, people }) =>
    state.access({ hands: { count: Number(count) || 0, people: listOf(people) } }),
  audience: ({ find, count, people, next }) =>
    state.access({
      audience: {
        find: String(find ?? ''),
        count: Number(count) || 0,
        people: listOf(people),
        next: typeof next === 'string' ? next : null,
      },
    }),
  bans: ({ bans }) => state.access({ bans: listOf(bans) }),

  chat: ({ message }) => ({ chat: [...state.view.chat, message].slice(-MAX_CHAT) }),
  captions: ({ on, writer }) => ({
    captions: { on: on === true, writer: typeof writer === 'string' ? writer : null },
  }),
  recording: ({ recording = null }) => ({ recording }),
  metronome: ({ beat = null, by = null }) => ({ metronome: { beat, by } }),
  track: ({ track = null, by = null }) => ({ track: { track, by } }),
});

/** @param {CallState} state @param {readonly PersonFields[]} people after a change */
function ownChange({ view: { you, access } }, people) {
  const own = listOf(people).find((person) => person?.id === you);
  const silenced = Boolean(own?.silenced);
  return own && silenced !== access.silenced ? { silenced } : null;
}

/**
 * @param {ServerMessages['joined'] | ServerMessages['changed']} message of one person or several
 */
const peopleOf = (message) => ('people' in message ? message.people : [message.person]);

/** @template T @param {readonly T[] | undefined} list @returns {T[]} */
const listOf = (list) => (Array.isArray(list) ? list : []);
