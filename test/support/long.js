/**
 * Whether tests run as long as they can, as under `npm run test:all`, and not as long as they must. A test that has
 * something more to do then is listed in vitest.config.js.
 */
export const isLong = Boolean(process.env.ALOUD_TEST_LONG);

/**
 * @template T
 * @param {{ short: T, long: T }} values
 * @returns {T} that of this run
 */
export const byLength = ({ short, long }) => (isLong ? long : short);
