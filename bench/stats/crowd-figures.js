/** Figures that are computed from a crowd's notes. */

const CASE = new RegExp(
  [
    /^(?:(\d{1,4})x)?(\d{1,4})\/(\d{1,4})(?:k(\d{1,4}))?/,
    /(?:c(\d|10|auto))?(?:f(2\.5|5|10|20|40|60))?(t)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/**
 * @param {string} name such as '50x10/2': 50 rooms of 10 with two talkers each. In '50/50k20' one
 *   room of 50 all talk, and 20 at most are mixed. Others set the complexity of Opus, '50/50c0' and
 *   '50/50cauto', or the frame length, '25/25f2.5'. In '50/50t' all packets of a frame leave
 *   together
 * @returns {{ rooms: number, people: number, talking: number, mixed: number | null, complexity:
 *   string | null, frameMs: number | null, together: boolean }}
 * @throws {TypeError} with the reason
 */
export function parseCase(name) {
  const found = CASE.exec(name);
  if (!found)
    throw new TypeError(`'${name}' is not like 500/3, 50x10/2, 50/50k20, 50/50cauto or 25/25f2.5`);
  const [rooms, people, talking] = [found[1] ?? '1', found[2], found[3]].map(Number);
  if (rooms < 1 || people < 1 || people > 1000 || rooms * people > 2000)
    throw new TypeError(`'${name}': 1 to 1000 people in a room, 2000 in all`);
  if (talking > people) throw new TypeError(`'${name}': more talk than there are`);
  return {
    rooms,
    people,
    talking,
    mixed: found[4] === undefined ? null : Number(found[4]),
    complexity: found[5] ?? null,
    frameMs: found[6] === undefined ? null : Number(found[6]),
    together: found[7] !== undefined,
  };
}

/**
 * @typedef {{ name: string, stats: { received: number, late: number, lost: number, recovered:
 *   number } }} Counted
 *
 * The share of the frames sent between two counts that were in time, recovered ones included.
 * @param {readonly Counted[]} before
 * @param {readonly Counted[]} after
 * @returns {{ id: string, percent: number }[]} shares of the talkers, who sent more than half as
 *   many frames as the most active
 */
export function receivedShares(before, after) {
  const earlier = new Map(before.map(({ name, stats }) => [name, stats]));
  const all = after.map(({ name, stats }) => {
    const since = earlier.get(name) ?? { received: 0, late: 0, lost: 0, recovered: 0 };
    const sent =
      stats.received + stats.late + stats.lost - since.received - since.late - since.lost;
    return {
      id: name,
      sent,
      inTime: Math.min(sent, stats.received + stats.recovered - since.received - since.recovered),
    };
  });
  const most = Math.max(0, ...all.map(({ sent }) => sent));
  return all
    .filter(({ sent }) => sent > most / 2)
    .map(({ id, sent, inTime }) => ({ id, percent: (100 * inTime) / sent }));
}

/**
 * The time from when each frame was due to be mixed to the arrival of its packet at the watched
 * members.
 * @param {readonly { frame: number, atMs: number }[]} due
 * @param {readonly { arrivals: readonly { frame: number, atMs: number }[] }[]} people frames modulo
 *   2^32
 * @returns {number[]} milliseconds
 */
export function addedMs(due, people) {
  const dueMs = new Map(due.map(({ frame, atMs }) => [frame >>> 0, atMs]));
  return people.flatMap(({ arrivals }) =>
    arrivals
      .filter(({ frame }) => dueMs.has(frame))
      .map(({ frame, atMs }) => atMs - /** @type {number} */ (dueMs.get(frame))),
  );
}

/**
 * @typedef {{ mixCpuMs: number, ticks: { count: number, bins: { upToMs: number, count: number }[] }
 *   }} State of one thread
 */

/**
 * Lateness of all workers' ticks from their histograms, spread evenly within a bin.
 * @param {State[]} before @param {State[]} after
 * @returns {number[]} in milliseconds
 */
export function latenessOf(before, after) {
  const sum = (/** @type {State[]} */ states, /** @type {number} */ bin) =>
    states.reduce((count, { ticks: { bins } }) => count + (bins[bin]?.count ?? 0), 0);
  const bounds = after[0].ticks.bins.map(({ upToMs }) => upToMs);
  const upTo = bounds.map((_, bin) => sum(after, bin) - sum(before, bin));
  const all =
    after.reduce((count, { ticks }) => count + ticks.count, 0) -
    before.reduce((count, { ticks }) => count + ticks.count, 0);
  return [...upTo, all].flatMap((count, bin) => {
    const inBin = count - (upTo[bin - 1] ?? 0);
    const [from, to] = [bounds[bin - 1] ?? 0, bounds[bin] ?? 2 * bounds[bounds.length - 1]];
    return Array.from({ length: inBin }, (_, i) => from + ((to - from) * (i + 0.5)) / inBin);
  });
}

/**
 * The processor time of the busiest worker, in percent.
 * @param {State[]} before
 * @param {State[]} after
 * @param {number} seconds
 */
export const busiestPercent = (before, after, seconds) =>
  Math.max(
    ...after
      .slice(1)
      .map(({ mixCpuMs }, i) => (mixCpuMs - before[i + 1].mixCpuMs) / (10 * seconds)),
  );
