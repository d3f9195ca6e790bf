import { createHash } from 'node:crypto';

/** Minimum weight of a node: a full one is still chosen if there is no other. */
const MIN_WEIGHT = 0.01;

/** Steps of a weight, so that the order doesn't change with each person. */
const STEPS = 8;

/**
 * Orders nodes for a room: weighted rendezvous hashing (Schindelhauer and Schomaker 2005, the
 * logarithmic method). Nodes with the same view compute the same order. Each node comes first for a
 * share of rooms equal to its weight, and a node that leaves moves no other node's rooms.
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
