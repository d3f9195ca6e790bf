/**
 * Bounds and choices of the fields of messages. The schemas of messages, the page's fields and the
 * server's options use them.
 */

/** Largest piece of a recording from one's own device, in bytes: some 14 s of mono. */
export const MAX_OWN_PIECE_BYTES = 2_000_000;

/** Largest server-side delay, in milliseconds. */
export const MAX_SERVER_DELAY_MS = 2000;

/** Loudest volume that a listener may give a person, as a factor of amplitude. */
export const MAX_GAIN = 4;

/** Bit rates that Opus has, in bits a second (RFC 6716, section 2.1.1). */
export const LEAST_BITRATE = 6000;
export const MOST_BITRATE = 510_000;

/** Longest ban, in seconds: 30 days. */
export const MAX_BAN_SECONDS = 30 * 24 * 3600;

/** Longest password of a room, in characters. */
export const MAX_PASSWORD_LENGTH = 128;

/** Longest resume token, in characters: that of the longest name, label and identity. */
export const MAX_RESUME_LENGTH = 4096;

/** Longest title of what a participant plays, in characters; longer ones are cut. */
export const MAX_TITLE_LENGTH = 200;

/** Most groups of a room at once, and longest time before everybody comes back, in seconds. */
export const MAX_GROUPS = 20;
export const MAX_CALL_BACK_SECONDS = 600;

/** Most languages that a broadcast is interpreted into at once. */
export const MAX_LANGUAGES = 8;

/** Longest caption, in characters: some two lines of a phone. Sealed, it fits in one packet. */
export const MAX_CAPTION_LENGTH = 240;

/** Longest sealed caption, in characters of base64. */
export const MAX_SEALED_CAPTION = 1600;

/** Longest speech of one caption, in seconds. */
export const MAX_CAPTION_SECONDS = 60;

/** Settings of a room's mode. */
export const MODES = Object.freeze(/** @type {const} */ (['mix', 'forward', 'auto']));

/** @typedef {typeof MODES[number]} ModeSetting */

export const ROLES = Object.freeze(/** @type {const} */ (['moderator', 'speaker', 'listener']));

/** @typedef {typeof ROLES[number]} Role */

export const PERMISSIONS = Object.freeze(
  /** @type {const} */ (['speak', 'listen', 'chat', 'record', 'moderate']),
);

/** @typedef {typeof PERMISSIONS[number]} Permission */
