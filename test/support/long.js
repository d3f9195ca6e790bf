/**
 * True in `npm run test:long`. It runs after `npm test`, so a file with additional long tests runs
 * only those.
 */
export const isLong = Boolean(process.env.ALOUD_TEST_LONG);

/** True when a file runs its normal tests: in `npm run test:browsers` it runs both kinds. */
export const isShort = !isLong || Boolean(process.env.ALOUD_TEST_SHORT);

/**
 * @template T
 * @param {{ short: T, long: T }} values
 * @returns {T} the value of this run
 */
export const byLength = ({ short, long }) => (isLong ? long : short);
