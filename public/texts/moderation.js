/**
 * Moderating: who may come in, and what a moderator does. What is in the panel Room alone is in
 * room-panel.js.
 */
export const moderationTexts = Object.freeze({
  waiting: 'Waiting to be let in…',
  roles: Object.freeze(
    /** @type {Record<string, string>} */ ({ moderator: 'moderator', listener: 'listener' }),
  ),
  mutedByModerator: 'muted by a moderator',
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
  ruleSigns: Object.freeze({ locked: 'locked', lobby: 'lobby on', password: 'password set' }),
  e2eSign: 'encrypted end to end',
  roomLocked: 'The room is locked.',
  roomUnlocked: 'The room is open again.',
  chatClosed: 'You may read, but not write here now. Raise your hand, or ask a moderator.',
  recordingClosed: 'You may not record here. A moderator may do it, or allow it.',
});
