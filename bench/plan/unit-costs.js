/**
 * Costs of the parts of a server's work, fitted to measured rooms, for planning others.
 *
 * @typedef {object} RoomLoad  one kind of room
 * @property {number} people   including talkers
 * @property {number} talking
 * @property {number} [listeners] besides the people: they have no source, and share
 *   one stream
 * @property {number} [stride] number of frames in a listener's packet:
 *   1, 2 or 3
 *
 * @typedef {Record<Part, number>} Work  of a room, a second
 * @typedef {{ busy: number, loop: number }} Cost in percent of a core: of all threads, and of the
 *   one that mixes
 * @typedef {{ load: RoomLoad, rooms: number, cpuPercent: number, loopPercent: number }} Measured
 * @typedef {object} UnitCosts  in percent of a core for one a second
 * @property {Work} busy  of all threads together
 * @property {Work} loop  of the thread that mixes
 * @property {Cost} node  base cost of a node with rooms: timers, beats, clocks, and threads that
 *   cost more for each packet because they wake for little
 */

/** Frames a second: the server's default. */
const FRAMES = 50;

/**
 * Parts of the work whose cost is fitted. Incoming packets are none: each speaker and each silent
 * participant sends the same number, so their cost is in `voices` and `packetsOut`.
 * @typedef {'voices' | 'mixes' | 'packetsOut' | 'ticks'} Part
 */
/** @type {readonly Part[]} */
export const PARTS = Object.freeze(['voices', 'mixes', 'packetsOut', 'ticks']);

/** Names of the parts, in words. @type {Readonly<Record<Part, string>>} */
export const PART_WORDS = Object.freeze({
  voices: 'a frame of a speaker, received, decoded and added to the mix',
  mixes: 'a mix, limited and encoded',
  packetsOut: 'a packet that goes out, with the tenth of one that comes back',
  ticks: 'a frame of a room, whoever is in it',
});

/** Rounds of the fit, and the change of the costs below which it ends. */
const ROUNDS = 20_000;
const SETTLED = 1e-12;

/**
 * The work of a room.
 * @param {RoomLoad} load
 * @returns {Work} a second
 */
export function workOf({ people, talking, listeners = 0, stride = 1 }) {
  const silent = people - talking;
  const hasShared = silent + listeners > 0;
  return {
    voices: FRAMES * talking,
    // With one who talks there is nothing for that one to hear.
    mixes: talking === 0 ? 0 : FRAMES * ((hasShared ? 1 : 0) + (talking > 1 ? talking : 0)),
    packetsOut: FRAMES * (people + listeners / stride),
    ticks: FRAMES,
  };
}

/**
 * @param {UnitCosts} costs
 * @param {RoomLoad} load
 * @returns {Cost} cost of one room
 */
export function costOf({ busy, loop }, load) {
  const work = workOf(load);
  const sum = (/** @type {Work} */ unit) =>
    PARTS.reduce((all, part) => all + unit[part] * work[part], 0);
  return { busy: sum(busy), loop: sum(loop) };
}

/** Columns of a fit: the parts, and the node. */
const COLUMNS = PARTS.length + 1;

/**
 * Fits non-negative costs of the parts, and of a node, to measured cases, minimising the relative
 * error of each case.
 * @param {readonly Measured[]} measured each on a node of its own; more cases than there are costs,
 *   some of them small
 * @returns {UnitCosts}
 * @throws {RangeError} when there are fewer cases than costs
 */
export function fitCosts(measured) {
  if (measured.length < COLUMNS)
    throw new RangeError(`${measured.length} cases for ${COLUMNS} costs`);
  const busy = leastSquares(measured, ({ cpuPercent }) => cpuPercent);
  const loop = leastSquares(measured, ({ loopPercent }) => loopPercent);
  return {
    busy: partsOf(busy),
    loop: partsOf(loop),
    node: { busy: busy[PARTS.length], loop: loop[PARTS.length] },
  };
}

/** @param {number[]} costs @returns {Work} */
const partsOf = (costs) =>
  /** @type {Work} */ (Object.fromEntries(PARTS.map((part, j) => [part, costs[j]])));

/**
 * Least squares without negative coefficients, by coordinate descent (Franc, Hlaváč and Navara
 * 2005).
 * @param {readonly Measured[]} measured
 * @param {(one: Measured) => number} valueOf
 * @returns {number[]} by column
 */
function leastSquares(measured, valueOf) {
  // Each row is divided by its value, so the fit aims at 1.
  const rows = measured.map((one) => {
    const work = workOf(one.load);
    return [...PARTS.map((part) => work[part] * one.rooms), 1].map(
      (amount) => amount / valueOf(one),
    );
  });
  const costs = new Array(COLUMNS).fill(0);
  const squares = costs.map((_, j) => rows.reduce((sum, row) => sum + row[j] ** 2, 0));
  const rests = rows.map(() => -1);
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (let j = 0; j < costs.length; j++) {
      if (squares[j] === 0) continue;
      const slope = rows.reduce((sum, row, i) => sum + row[j] * rests[i], 0);
      const next = Math.max(0, costs[j] - slope / squares[j]);
      const change = next - costs[j];
      for (let i = 0; i < rows.length; i++) rests[i] += change * rows[i][j];
      costs[j] = next;
      moved = Math.max(moved, Math.abs(change) * Math.sqrt(squares[j]));
    }
    if (moved < SETTLED) break;
  }
  return costs;
}
