/** Upper limits of the lateness histogram's bins that are told, in milliseconds; the last bin has none. */
export const LATENESS_BINS_MS = Object.freeze([0, 5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 400]);
