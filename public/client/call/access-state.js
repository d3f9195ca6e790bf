/**
 * @typedef {object} Rules  of the room
 * @property {boolean} locked    nobody new may come in
 * @property {boolean} lobby     newcomers wait until a moderator lets them in
 * @property {boolean} password  newcomers must know a password
 * @property {'everybody' | 'moderators'} chat    who may write
 * @property {'everybody' | 'moderators'} record  who may record
 * @property {'mix' | 'forward' | 'auto'} mode    whether the room's sound is mixed, or forwarded
 * @property {boolean} broadcast  whoever comes without an invitation to the stage only listens
 * @property {number | null} liveSeconds for how long it had been live when the server told it; null
 *   where it isn't
 * @property {number | null} liveSince when that began, in milliseconds since 1970, by the clock of
 *   High Resolution Time; likewise
 *
 * @typedef {object} Access  what this participant may do, and the room's rules
 * @property {boolean} waiting   in the lobby, for somebody to let them in
 * @property {string} role       'moderator', 'speaker' or 'listener'
 * @property {string[]} may of 'speak', 'listen', 'chat', 'record', 'moderate', before the room's
 *   rules
 * @property {boolean} silenced  a moderator has muted this participant, who can't undo it
 * @property {Rules} rules
 * @property {string} stage the key of a broadcast's stage, which those on it are told; empty
 *   otherwise
 * @property {boolean} e2e       the room is encrypted end to end
 * @property {{ id: string, name: string }[]} knocks  who waits in the lobby; moderators are told
 * @property {Record<string, any>[]} bans  as asked for last
 * @property {{ count: number, people: { id: string, label: string }[] }} hands of those who only
 *   listen; moderators are told
 * @property {{ find: string, count: number, people: { id: string, label: string, hand: number }[],
 *   next: string | null }} audience those who only listen, as a moderator asked for last
 */

/** @type {Readonly<Rules>} */
const OPEN = Object.freeze({
  locked: false,
  lobby: false,
  password: false,
  chat: 'everybody',
  record: 'everybody',
  mode: 'mix',
  broadcast: false,
  liveSeconds: null,
  liveSince: null,
});

/** @type {Access['hands']} */
const NO_HANDS = Object.freeze({ count: 0, people: [] });
/** @type {Access['audience']} */
const NO_AUDIENCE = Object.freeze({ find: '', count: 0, people: [], next: null });

/** What a participant may do, by the server's control messages. */
export class AccessState {
  /** @type {Access} */
  state = {
    waiting: false,
    role: 'speaker',
    may: [],
    silenced: false,
    rules: OPEN,
    stage: '',
    e2e: false,
    knocks: [],
    bans: [],
    hands: NO_HANDS,
    audience: NO_AUDIENCE,
  };
  #you = '';
  #now;

  /** @param {() => number} [now]  milliseconds since 1970, by the clock of High Resolution Time */
  constructor(now = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
  }

  /**
   * @param {Record<string, any>} message  a control message of the server
   * @returns {boolean} whether anything has changed
   */
  update(message) {
    const change = this.#changeBy(message);
    if (change !== null) this.state = { ...this.state, ...change };
    return change !== null;
  }

  /**
   * @param {Record<string, any>} message
   * @returns {Partial<Access> | null}
   */
  #changeBy(message) {
    switch (message.type) {
      case 'lobby':
        return { waiting: true };
      case 'welcome':
        this.#you = String(message.you);
        return {
          ...this.#welcome(message),
          waiting: false,
          stage: '',
          knocks: [],
          hands: NO_HANDS,
          audience: NO_AUDIENCE,
        };
      case 'room':
        return { rules: readRules(message, this.#now()) };
      case 'stage':
        return { stage: String(message.key) };
      case 'knocks':
        return { knocks: Array.isArray(message.people) ? message.people : [] };
      case 'hands':
        return { hands: { count: Number(message.count) || 0, people: listOf(message.people) } };
      case 'audience':
        return { audience: readAudience(message) };
      case 'bans':
        return { bans: Array.isArray(message.bans) ? message.bans : [] };
      case 'moderated':
        // A new moderator is told who waits, if anybody does.
        return message.action === 'role'
          ? {
              ...readRole(message),
              knocks: [],
              hands: NO_HANDS,
              ...(message.role === 'listener' && { stage: '' }),
            }
          : null;
      case 'changed':
        return this.#own(
          listOf(message.people ?? [message.person]).find((person) => person?.id === this.#you),
        );
      default:
        return null;
    }
  }

  /** @param {Record<string, any>} message */
  #welcome(message) {
    const own = Array.isArray(message.people)
      ? message.people.find(({ id }) => id === this.#you)
      : null;
    return {
      ...readRole(message),
      rules: readRules(message.rules ?? {}, this.#now()),
      e2e: Boolean(message.e2e),
      silenced: Boolean(own?.silenced),
    };
  }

  /**
   * @param {{ silenced?: unknown } | undefined} person oneself, where anything about one has
   *   changed
   */
  #own(person) {
    if (!person || Boolean(person.silenced) === this.state.silenced) return null;
    return { silenced: Boolean(person.silenced) };
  }
}

/**
 * Whether one may do something now: by role and token, and by the room's rules.
 * @param {Access} access
 * @param {'speak' | 'chat' | 'record'} what
 */
export function mayNow({ may, role, rules }, what) {
  const who = what === 'speak' ? 'everybody' : rules[what];
  return may.includes(what) && (who === 'everybody' || role === 'moderator');
}

/** @param {unknown} people @returns {any[]} */
const listOf = (people) => (Array.isArray(people) ? people : []);

/** @param {Record<string, any>} message @returns {Access['audience']} */
function readAudience({ find, count, people, next }) {
  return {
    find: String(find ?? ''),
    count: Number(count) || 0,
    people: listOf(people),
    next: typeof next === 'string' ? next : null,
  };
}

/** @param {Record<string, any>} message */
function readRole({ role = 'speaker', may }) {
  return { role: String(role), may: Array.isArray(may) ? may.map(String) : [] };
}

/** @param {Record<string, any>} message @param {number} nowMs @returns {Rules} */
function readRules({ locked, lobby, password, chat, record, mode, broadcast, liveSeconds }, nowMs) {
  const isLive = Number.isFinite(liveSeconds);
  const who = (/** @type {unknown} */ value) =>
    value === 'moderators' ? 'moderators' : 'everybody';
  return {
    locked: Boolean(locked),
    lobby: Boolean(lobby),
    password: Boolean(password),
    chat: who(chat),
    record: who(record),
    mode: mode === 'forward' || mode === 'auto' ? mode : 'mix',
    broadcast: Boolean(broadcast),
    liveSeconds: isLive ? liveSeconds : null,
    liveSince: isLive ? nowMs - 1000 * liveSeconds : null,
  };
}
