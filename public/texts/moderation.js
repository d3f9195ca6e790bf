import { translated, translationOf } from './language.js';

const own = await translationOf('moderation');

/**
 * Moderating: who may come in, and what a moderator does. What is in the panel Room alone is in
 * room-panel.js.
 */
export const moderationTexts = translated(own.moderationTexts, {
  waiting: 'Waiting to be let in…',
  waitingInLobby:
    'The moderators know that you are here. Stay on this page: you come in as soon as one of ' +
    'them lets you.',
  roles: /** @type {Record<string, string>} */ ({ moderator: 'moderator', listener: 'listener' }),
  mutedByModerator: 'muted by a moderator',
  ofGroup: (/** @type {number} */ group) => `group ${group}`,
  interprets: (/** @type {string} */ language) => `interprets into ${language}`,
  nowModerates: (/** @type {string} */ name) => `${name} is a moderator now.`,
  cannotSpeak:
    'You are a listener here, and nobody hears you. Raise your hand to ask a moderator to let ' +
    'you speak.',
  onStage: 'You are on stage, and muted. Press Unmute to be heard.',
  moderate: 'Moderate…',
  lowerTheirHand: 'Lower their hand',
  handsUp: (/** @type {number} */ count) => `${count} listeners have raised their hand.`,
  moreHands: (/** @type {number} */ count) => (count === 1 ? 'and one more' : `and ${count} more`),
  letSpeak: 'Let speak',
  letSpeakName: (/** @type {string} */ name) => `Let speak: ${name}`,
  lowerHandOf: (/** @type {string} */ name) => `Lower their hand: ${name}`,
  roomPanel: 'Room',
  knocked: (/** @type {string[]} */ names) =>
    `${names.join(', ')} ${names.length === 1 ? 'wants' : 'want'} to come in.`,
  letIn: 'Let in',
  turnAway: 'Turn away',
  letInName: (/** @type {string} */ name) => `Let in ${name}`,
  turnAwayName: (/** @type {string} */ name) => `Turn away ${name}`,
  ruleSigns: { locked: 'locked', lobby: 'lobby on', password: 'password set' },
  e2eSign: 'encrypted end to end',
  roomLocked: 'The room is locked.',
  roomUnlocked: 'The room is open again.',
  chatClosed: 'You may read, but not write here now. Raise your hand, or ask a moderator.',
  recordingClosed: 'You may not record here. A moderator may do it, or allow it.',
});

/**
 * Sentences about a moderator's act for the person concerned, by the `action` of `moderated`.
 */
export const moderatedTexts = translated(own.moderatedTexts, {
  muted: (/** @type {string | null} */ by) =>
    `${by === null ? 'You are still muted by a moderator' : `${by} has muted you`}. Raise ` +
    'your hand to ask to speak.',
  'may-unmute': (/** @type {string | null} */ by) =>
    `${by} lets you speak again. Press Unmute when you want to.`,
  'hand-lowered': (/** @type {string | null} */ by) => `${by} has lowered your hand.`,
  role: (/** @type {string | null} */ by, /** @type {string} */ role) =>
    `${by === null ? 'You are now' : `${by} has made you`} ${roleNames[role] ?? 'a speaker'}.`,
});

/** People who moderate from outside the room, at the beginning of a sentence. */
export const moderators = translated(own.moderators, { operator: 'The server’s operator' });

/** The roles, in a sentence. @type {Readonly<Record<string, string>>} */
const roleNames = Object.freeze({
  moderator: 'a moderator of this room',
  speaker: 'a speaker. If you are muted, press Unmute to be heard',
  listener: 'a listener. You hear the others, and they don’t hear you',
});

/**
 * The sentence for the person that a moderator's act concerns.
 * @param {{ action: string, by?: string | null, operator?: boolean, role?: string }} message
 *   a `moderated`
 * @returns {string} empty for an act that the page doesn't know
 */
export function moderatedText({ action, by, operator, role }) {
  const text = Object.hasOwn(moderatedTexts, action)
    ? moderatedTexts[/** @type {keyof typeof moderatedTexts} */ (action)]
    : null;
  return text?.(operator ? moderators.operator : (by ?? null), String(role)) ?? '';
}
