/**
 * Sentences about a moderator's act for the person concerned, by the `action` of `moderated`.
 */
export const moderatedTexts = Object.freeze({
  muted: (/** @type {string | null} */ by) =>
    `${by === null ? 'You are still muted by a moderator' : `${by} has muted you`}. Raise ` +
    'your hand to ask to speak.',
  'may-unmute': (/** @type {string | null} */ by) =>
    `${by} lets you speak again. Press Unmute when you want to.`,
  'hand-lowered': (/** @type {string | null} */ by) => `${by} has lowered your hand.`,
  role: (/** @type {string | null} */ by, /** @type {string} */ role) =>
    `${by === null ? 'You are now' : `${by} has made you`} ${roleNames[role] ?? 'a speaker'}.`,
});

/** The roles, in a sentence. @type {Readonly<Record<string, string>>} */
const roleNames = Object.freeze({
  moderator: 'a moderator of this room',
  speaker: 'a speaker. If you are muted, press Unmute to be heard',
  listener: 'a listener. You hear the others, and they don’t hear you',
});

/** The page while one waits to be let in. */
export const accessTexts = Object.freeze({
  waitingInLobby:
    'The moderators know that you are here. Stay on this page: you come in as soon as one of ' +
    'them lets you.',
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
  return text?.(operator ? 'The server’s operator' : (by ?? null), String(role)) ?? '';
}
