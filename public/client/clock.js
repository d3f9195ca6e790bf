/** @typedef {import('../shared/clock.js').Clock} Clock */

export { systemClock } from '../shared/clock.js';
