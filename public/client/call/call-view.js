/** @import { Access, CallView, RoomView, Rules } from './types.js' */

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
  languages: [],
  groups: null,
});

/** @type {Access['hands']} */
export const NO_HANDS = Object.freeze({ count: 0, people: [] });
/** @type {Access['audience']} */
const NO_AUDIENCE = Object.freeze({ find: '', count: 0, people: [], next: null });

/** Before the welcome. @type {Readonly<Access>} */
export const NO_ACCESS = Object.freeze({
  waiting: false,
  role: 'speaker',
  may: [],
  silenced: false,
  rules: OPEN,
  stage: '',
  streamKey: null,
  e2e: false,
  knocks: [],
  bans: [],
  hands: NO_HANDS,
  audience: NO_AUDIENCE,
});

/** Before the welcome. @type {Readonly<RoomView>} */
export const EMPTY_ROOM = Object.freeze({
  session: 0,
  you: '',
  people: [],
  listeners: 0,
  access: NO_ACCESS,
  chat: [],
  metronome: { beat: null, by: null },
  track: { track: null, by: null },
  captions: { on: false, writer: null },
  recording: null,
  canRecord: false,
  isDraining: false,
  isStereo: false,
  node: '',
});

/** Before the call. @type {Readonly<CallView>} */
export const NO_CALL = Object.freeze({
  ...EMPTY_ROOM,
  state: 'idle',
  away: null,
  end: null,
  transport: null,
  joined: null,
  speakers: [],
  stats: null,
});

/**
 * Returns true when a participant may do something now: by role, token and the room's rules.
 * @param {Access} access
 * @param {'speak' | 'chat' | 'record'} what
 */
export function isAllowed({ may, role, rules }, what) {
  const who = what === 'speak' ? 'everybody' : rules[what];
  return may.includes(what) && (who === 'everybody' || role === 'moderator');
}
