/**
 * How near a listener is to whoever speaks: the nearer, the less time there is for what is lost or
 * late to come after all.
 */
export const NEARNESS = Object.freeze(/** @type {const} */ (['conversation', 'near', 'steady']));

/** @typedef {typeof NEARNESS[number]} Nearness */

/**
 * The longest time that a `near` listener is behind the speaker, the way of packets not counted, in
 * milliseconds.
 */
export const NEAR_MS = 250;

/** The time that sound waits at a `steady` listener for what is lost or late, in milliseconds. */
export const STEADY_MS = 1500;
