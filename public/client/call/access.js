/**
 * @import { GroupsFields, RulesFields } from '../../shared/messages/fields.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { Access, Groups, Rules } from './types.js'
 */

import { MAX_GROUPS, MAX_LANGUAGES } from '../../shared/limits.js';
import { NO_ACCESS, NO_HANDS } from './call-view.js';

/**
 * @param {ServerMessages['welcome']} welcome
 * @param {number} nowMs
 * @returns {Access}
 */
export function accessOf(welcome, nowMs) {
  const { you, people, rules = {}, e2e } = welcome;
  const own = Array.isArray(people) ? people.find(({ id }) => id === String(you)) : null;
  return {
    ...NO_ACCESS,
    ...readRole(welcome),
    rules: rulesOf(rules, nowMs),
    e2e: Boolean(e2e),
    silenced: Boolean(own?.silenced),
  };
}

/**
 * The change to another role. The server tells a new moderator about knocks, if there are any.
 * @param {ServerMessages['moderated'] & { action: 'role' }} message
 * @returns {Partial<Access>}
 */
export function roleChange(message) {
  const { role, may } = readRole(message);
  return {
    role,
    may,
    knocks: [],
    hands: NO_HANDS,
    streamKey: null,
    ...(role === 'listener' && { stage: '' }),
  };
}

/** @param {{ role?: unknown, may?: unknown }} message */
const readRole = ({ role = 'speaker', may }) => ({
  role: String(role),
  may: Array.isArray(may) ? may.map(String) : [],
});

/**
 * @param {Partial<RulesFields>} message
 * @param {number} nowMs  milliseconds since 1970, by the clock of High Resolution Time
 * @returns {Rules}
 */
export function rulesOf(message, nowMs) {
  const { locked, lobby, password, chat, record, mode, broadcast, liveSeconds } = message;
  const { groups, languages } = message;
  const live = typeof liveSeconds === 'number' && Number.isFinite(liveSeconds) ? liveSeconds : null;
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
    liveSeconds: live,
    liveSince: live === null ? null : nowMs - 1000 * live,
    languages: Array.isArray(languages) ? languages.map(String).slice(0, MAX_LANGUAGES) : [],
    groups: groups ? groupsOf(groups, nowMs) : null,
  };
}

/**
 * @param {Partial<GroupsFields>} groups
 * @param {number} nowMs  likewise
 * @returns {Groups}
 */
const groupsOf = ({ count, choose, secondsLeft, speaker }, nowMs) => ({
  count: Math.min(MAX_GROUPS, Math.max(0, Math.trunc(Number(count)) || 0)),
  choose: Boolean(choose),
  endsAt: typeof secondsLeft === 'number' ? nowMs + 1000 * secondsLeft : null,
  speaker: typeof speaker === 'string' ? speaker : null,
});
