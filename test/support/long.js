/**
 * Whether the tests are those of `npm run test:long`. They come after those of `npm test`, so a
 * file that has something more to do then, and is listed in vitest.config.js, does that alone.
 */
export const isLong = Boolean(process.env.ALOUD_TEST_LONG);

/**
 * Whether a file does what it does in `npm test`: in `npm run test:browsers`, which nothing comes
 * before, it does both.
 */
export const isShort = !isLong || Boolean(process.env.ALOUD_TEST_SHORT);

/**
 * @template T
 * @param {{ short: T, long: T }} values
 * @returns {T} that of this run
 */
export const byLength = ({ short, long }) => (isLong ? long : short);
