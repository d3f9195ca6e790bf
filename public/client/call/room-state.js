/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { Joined } from './types.js'
 */

import { createAudioFormat } from '../../shared/sound/audio-format.js';
import {
  MAX_LISTED_SPEAKERS,
  MAX_REDUNDANCY,
  PacketType,
  VOICE_BIT,
} from '../../shared/wire/packet.js';

/** The most frames to a packet. */
const MAX_STRIDE = MAX_REDUNDANCY + 1;

/** The room, and one's own place in it, by the server's control messages. */
export class RoomState {
  /** @type {Record<string, any>} the server's welcome; the delay as it was told last */
  welcome = {};
  roster = new Roster();
  /** The resume token. @type {string | undefined} */
  token = undefined;
  /** The page's origin of the server, or of the node that has the room. */
  origin = '';
  /** The origins of the cluster's nodes; none without a cluster. @type {string[]} */
  nodes = [];
  /**
   * The server's last statistics of this participant's uplink.
   * @type {Record<string, unknown> | null}
   */
  stats = null;
  /**
   * The reason for which the server said that it would close.
   * @type {{ code: string, message: string } | null}
   */
  closing = null;

  /**
   * @param {Record<string, any>} message a control message of the server
   * @returns {boolean} whether anything about the people has changed
   */
  update(message) {
    const { type, resume, serverDelayMs } = message;
    if (type === 'welcome') {
      this.welcome = message;
      if (typeof resume === 'string') this.token = resume;
      this.#keepNodes(message.nodes);
    } else if (type === 'resume') {
      if (typeof resume === 'string') this.token = resume;
      this.#keepNodes(message.nodes);
    } else if (type === 'moved') {
      this.#keepNodes(message.nodes);
    } else if (type === 'room') {
      this.welcome = { ...this.welcome, rules: message };
    } else if (type === 'delay' && Number.isFinite(serverDelayMs)) {
      this.welcome = { ...this.welcome, serverDelayMs };
    } else if (type === 'stride' || (type === 'moderated' && message.action === 'role')) {
      const { stride = this.welcome.stride, may = this.welcome.may } = message;
      this.welcome = { ...this.welcome, stride, may };
    } else if (type === 'stats') {
      this.stats = message;
    } else if (type === 'closing') {
      this.closing = { code: String(message.code), message: String(message.message) };
    }
    return this.roster.update(message);
  }

  /** @param {unknown} nodes  as the server tells them */
  #keepNodes(nodes) {
    if (Array.isArray(nodes))
      this.nodes = nodes.flatMap((node) => (typeof node?.url === 'string' ? [node.url] : []));
  }

  /** @returns {AudioFormat} throws a RangeError when the server's can't be */
  readFormat() {
    const { sampleRate, channels, frameMs, opusFrames } = this.welcome.format ?? {};
    return createAudioFormat({ sampleRate, channels, frameMs, opusFrames });
  }

  /** How many frames there are to a packet of the server's: 1 to 3. */
  get stride() {
    const { stride } = this.welcome;
    return stride === 2 || stride === MAX_STRIDE ? stride : 1;
  }

  /** Whether this participant is one of the audience, and sends clock requests only. */
  get isLight() {
    return this.welcome.delivery === 'tick' && this.mayNotSpeak;
  }

  /** Whether this participant only listens, whatever the transport. */
  get mayNotSpeak() {
    const { may } = this.welcome;
    return Array.isArray(may) && may.includes('listen') && !may.includes('speak');
  }

  /** Whether silence may be left out: with `reply` each packet asks for its answer. */
  get allowsSilence() {
    return this.welcome.delivery === 'tick' && this.welcome.silenceSuppression === true;
  }

  /** Whether packets are for the server's mix alone: none is passed on, or asks for its answer. */
  get isMixed() {
    const { delivery, rules, e2e } = this.welcome;
    return delivery === 'tick' && (rules?.mode ?? 'mix') === 'mix' && !e2e;
  }

  /**
   * @param {string} leaveUrl
   * @returns {Joined}
   */
  joined(leaveUrl) {
    const { you, delivery, serverDelayMs } = this.welcome;
    return {
      you,
      format: this.readFormat(),
      delivery,
      serverDelayMs,
      resume: this.token ?? '',
      leaveUrl,
      origin: this.origin,
    };
  }
}

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} label      what to show: the name, with a number where another has it too
 * @property {string} transport
 * @property {boolean} muted     by themselves, by a moderator, or as a listener
 * @property {boolean} silenced  by a moderator: they can't undo it
 * @property {string} role       'moderator', 'speaker' or 'listener'
 * @property {number} hand       in the order in which they went up; 0 while it is down
 * @property {number} quality    of the connection: 0 unknown, 1 bad, 2 fair, 3 good
 * @property {boolean} recorded
 * @property {boolean} away      the connection is lost, the place is kept
 * @property {number} waitMs the delay that everybody has because of this person's sound, in
 *   milliseconds; 0 for most
 * @property {number} laterMs by how much this person alone is heard later, in milliseconds; 0 for
 *   most
 * @property {boolean} you
 */

/** The people in the room, by the server's control messages. */
export class Roster {
  /** @type {Map<string, Person>} */
  #people = new Map();
  #you = '';
  #listeners = 0;
  /**
   * The place in the list of people from which on the server is to be asked for more; null where
   * all are known.
   * @type {string | null}
   */
  next = null;

  /**
   * @param {Record<string, any>} message a control message of the server
   * @returns {boolean} whether anything about the people has changed
   */
  update(message) {
    switch (message.type) {
      case 'welcome':
        this.#you = String(message.you);
        this.#people.clear();
        this.#setPage(message);
        this.#setWaited(message.waited);
        this.#setListeners(message.listeners);
        return true;
      case 'people':
        return this.#setPage(message);
      case 'joined':
      case 'changed':
        return this.#setAll(message.people ?? [message.person]);
      case 'left':
        return this.#deleteAll(message.ids ?? [message.id]);
      case 'listeners':
        return this.#setListeners(message.count);
      case 'qualities':
        return Array.isArray(message.people) && this.#setQualities(message.people);
      case 'waited':
        return this.#setWaited(message.people);
      default:
        return false;
    }
  }

  /** @param {Record<string, any>} message  a part of the list of people */
  #setPage({ people, next }) {
    this.next = typeof next === 'string' ? next : null;
    return this.#setAll(people);
  }

  /** @param {unknown} people  as the server describes them */
  #setAll(people) {
    let changed = false;
    if (Array.isArray(people)) for (const person of people) changed = this.#set(person) || changed;
    return changed;
  }

  /** @param {unknown} ids  of those who have left, or only listen from now on: one's own stays */
  #deleteAll(ids) {
    let changed = false;
    if (Array.isArray(ids))
      for (const id of ids)
        if (String(id) !== this.#you) changed = this.#people.delete(String(id)) || changed;
    return changed;
  }

  /** @param {unknown} count */
  #setListeners(count) {
    const before = this.#listeners;
    this.#listeners = Number(count) || 0;
    return this.#listeners !== before;
  }

  /** @param {any} person as the server describes one */
  #set(person) {
    if (typeof person?.id !== 'string') return false;
    const {
      id,
      name,
      label = name,
      transport,
      muted,
      silenced,
      role = 'speaker',
      hand,
      quality,
      recorded,
      away,
    } = person;
    this.#people.set(id, {
      id,
      name: String(name),
      label: String(label),
      transport: String(transport),
      muted: Boolean(muted),
      silenced: Boolean(silenced),
      role: String(role),
      hand: Number(hand) || 0,
      quality: Number(quality) || 0,
      recorded: Boolean(recorded),
      away: Boolean(away),
      waitMs: this.#people.get(id)?.waitMs ?? 0,
      laterMs: this.#people.get(id)?.laterMs ?? 0,
      you: id === this.#you,
    });
    return true;
  }

  /** @param {any[]} qualities */
  #setQualities(qualities) {
    let changed = false;
    for (const told of qualities) {
      const person = this.#people.get(String(told?.id));
      if (!person) continue;
      person.quality = Number(told.quality) || 0;
      changed = true;
    }
    return changed;
  }

  /**
   * @param {unknown} waited those whose sound comes late, so that all wait or they are heard later;
   *   nobody else any more
   */
  #setWaited(waited) {
    if (!Array.isArray(waited)) return false;
    for (const person of this.#people.values()) person.waitMs = person.laterMs = 0;
    for (const told of waited) {
      const person = this.#people.get(String(told?.id));
      if (!person) continue;
      person.laterMs = Number(told.offsetMs) || 0;
      person.waitMs = person.laterMs > 0 ? 0 : Number(told.delayMs) || 0;
    }
    return true;
  }

  /**
   * @param {number} number an id modulo 2^16, as packets have it
   * @returns {string | undefined} the id
   */
  idOf(number) {
    const id = String(number);
    if (this.#people.has(id)) return id;
    for (const longer of this.#people.keys())
      if ((Number(longer) & 0xffff) === number) return longer;
    return undefined;
  }

  /**
   * @returns {{ people: Person[], you: string, listeners: number }} in the order in which they
   *   came; how many only listen
   */
  list() {
    return { people: [...this.#people.values()], you: this.#you, listeners: this.#listeners };
  }
}

/**
 * The shortest interval at which speakers are told, in milliseconds, and where there is too little
 * time to draw them.
 */
const INTERVAL_MS = 100;
const SPARING_INTERVAL_MS = 1000;

/**
 * For how long what is said voice by voice isn't contradicted by a packet without voices, in
 * milliseconds.
 */
const VOICE_MS = 400;

/**
 * @typedef {object} HeardSpeaker
 * @property {string} id      the participant's
 * @property {number} level   in -dBov: 0, the loudest, to 127
 * @property {boolean} voice
 */

/** The people that are heard now, by the lists in the server's packets. */
export class HeardSpeakers {
  #tell;
  #idOf;
  #isShortOfTime;
  #ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  #levels = new Uint8Array(MAX_LISTED_SPEAKERS);
  #count = 0;
  #frame = -1;
  #isNew = false;
  #toldMs = -Infinity;
  /** When sound of a single voice came last. */
  #voiceMs = -Infinity;

  /**
   * @param {(speakers: HeardSpeaker[]) => void} tell  the loudest first; none in silence
   * @param {(number: number) => string | undefined} idOf  the participant with this id modulo 2^16
   * @param {() => boolean} [isShortOfTime]  whether the page gets too little processor time
   */
  constructor(tell, idOf, isShortOfTime = () => false) {
    this.#tell = tell;
    this.#idOf = idOf;
    this.#isShortOfTime = isShortOfTime;
  }

  /**
   * @param {Packet} packet an audio packet, a bundle or a voice packet, as read
   * @param {number} nowMs
   */
  receive(packet, nowMs) {
    if (packet.type === PacketType.voice) this.#takeVoice(packet, nowMs);
    else if (!this.#takeList(packet, nowMs)) return;
    if (
      !this.#isNew ||
      nowMs - this.#toldMs < (this.#isShortOfTime() ? SPARING_INTERVAL_MS : INTERVAL_MS)
    )
      return;
    this.#isNew = false;
    this.#toldMs = nowMs;
    this.#tell(this.#list());
  }

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   * @returns {boolean} false where it is of the past
   */
  #takeList(packet, nowMs) {
    // A packet that was overtaken is of the past.
    if (
      this.#frame >= 0 &&
      ((packet.frame - this.#frame) | 0) < 0 &&
      nowMs - this.#toldMs < 10 * INTERVAL_MS
    )
      return false;
    this.#frame = packet.frame;
    if (packet.speakers > 0) this.#take(packet);
    else if (packet.payloadBytes[0] === 0 && this.#count > 0 && nowMs - this.#voiceMs > VOICE_MS)
      this.#clear();
    return true;
  }

  /** @param {Packet} packet of one voice @param {number} nowMs */
  #takeVoice({ number, level, voice, payloadBytes }, nowMs) {
    let i = 0;
    while (i < this.#count && this.#ids[i] !== number) i += 1;
    this.#isNew = true;
    if (payloadBytes[0] === 0) {
      if (i === this.#count) return;
      this.#count -= 1;
      this.#ids[i] = this.#ids[this.#count];
      this.#levels[i] = this.#levels[this.#count];
      return;
    }
    this.#voiceMs = nowMs;
    if (i === MAX_LISTED_SPEAKERS) return;
    if (i === this.#count) this.#count += 1;
    this.#ids[i] = number;
    this.#levels[i] = level | (voice ? VOICE_BIT : 0);
  }

  /** @param {Packet} packet */
  #take({ speakers, speakerIds, speakerLevels }) {
    this.#count = speakers;
    for (let i = 0; i < speakers; i++) {
      this.#ids[i] = speakerIds[i];
      this.#levels[i] = speakerLevels[i];
    }
    this.#isNew = true;
  }

  #clear() {
    this.#count = 0;
    this.#isNew = true;
  }

  #list() {
    /** @type {HeardSpeaker[]} */
    const list = [];
    for (let i = 0; i < this.#count; i++) {
      const id = this.#idOf(this.#ids[i]);
      const level = this.#levels[i];
      if (id !== undefined)
        list.push({ id, level: level & ~VOICE_BIT, voice: (level & VOICE_BIT) !== 0 });
    }
    return list.sort((a, b) => a.level - b.level);
  }
}
