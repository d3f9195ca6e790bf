/** How long a turn should be, in milliseconds: long enough to settle, short enough to meet the same network. */
const TURN_MS = 2000;

/** However short the run, each protocol has so many turns. */
const MIN_ROUNDS = 2;

/**
 * Who measures when: the protocols take turns, so that all meet the same changes of the network, and each
 * round begins with another one, so that none always follows the same.
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
    // Forwards and backwards by turns: else each would follow the same neighbour in every round.
    const order = round % 2 === 0 ? protocols : protocols.toReversed();
    const shift = Math.floor(round / 2) % protocols.length;
    for (let i = 0; i < order.length; i++) turns.push({ protocol: order[(i + shift) % order.length], ms, round });
  }
  return turns;
}

/**
 * The delays of a sweep.
 * @param {{ toMs: number, stepMs: number }} options
 * @returns {number[]} from 0 on, in milliseconds
 */
export function planDelays({ toMs, stepMs }) {
  return Array.from({ length: Math.floor(toMs / stepMs) + 1 }, (_, i) => i * stepMs);
}
