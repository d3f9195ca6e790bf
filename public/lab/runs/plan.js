/**
 * Length of a turn, in milliseconds: long enough to settle, short enough for all protocols to meet
 * the same network.
 */
const TURN_MS = 2000;

/** Least number of turns per protocol, even in a short run. */
const MIN_ROUNDS = 2;

/**
 * Plans the turns of protocols: all of them meet the same changes of the network, and none always
 * follows the same one.
 *
 * @template {string} P
 * @param {readonly P[]} protocols at least one
 * @param {number} durationMs of all turns together
 * @returns {{ protocol: P, ms: number, round: number }[]}
 */
export function planTurns(protocols, durationMs) {
  if (protocols.length === 1) return [{ protocol: protocols[0], ms: durationMs, round: 0 }];
  const rounds = Math.max(MIN_ROUNDS, Math.round(durationMs / (protocols.length * TURN_MS)));
  const ms = durationMs / (protocols.length * rounds);
  const turns = [];
  for (let round = 0; round < rounds; round++) {
    // Every other round is reversed; otherwise each protocol would always follow the same
    // neighbour.
    const order = round % 2 === 0 ? protocols : protocols.toReversed();
    const shift = Math.floor(round / 2) % protocols.length;
    for (let i = 0; i < order.length; i++)
      turns.push({ protocol: order[(i + shift) % order.length], ms, round });
  }
  return turns;
}

/**
 * Plans the delays of a sweep.
 * @param {{ toMs: number, stepMs: number }} options
 * @returns {number[]} from 0 on, in milliseconds
 */
export function planDelays({ toMs, stepMs }) {
  return Array.from({ length: Math.floor(toMs / stepMs) + 1 }, (_, i) => i * stepMs);
}
