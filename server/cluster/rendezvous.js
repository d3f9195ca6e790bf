import { createHash } from 'node:crypto';

/** The least weight of a node, so that a full one is still chosen where there is no other. */
const MIN_WEIGHT = 0.01;

/** Steps of a weight: a node's place in the order doesn't change with each person. */
const STEPS = 8;

/**
 * Orders nodes for a room: weighted rendezvous hashing (Schindelhauer and Schomaker 2005, the
 * logarithmic method). All who know the same nodes get the same order, each node comes first for a
 * share of the rooms that is its weight's, and a node that goes moves no room of another.
 * @template {{ id: string, weight: number }} N
 * @param {string} room
 * @param {readonly N[]} nodes  weight: free capacity, 0 to 1
 * @returns {N[]} the best first
 */
export function rendezvous(room, nodes) {
  const scored = nodes.map((node) => ({ node, score: score(room, node) }));
  scored.sort((a, b) => b.score - a.score || (a.node.id < b.node.id ? -1 : 1));
  return scored.map(({ node }) => node);
}

/** @param {string} room @param {{ id: string, weight: number }} node */
function score(room, { id, weight }) {
  const stepped = Math.max(MIN_WEIGHT, Math.ceil(weight * STEPS) / STEPS);
  const hash = createHash('sha256').update(`${room} ${id}`).digest().readUIntBE(0, 6);
  return -stepped / Math.log((hash + 1) / (2 ** 48 + 2));
}
