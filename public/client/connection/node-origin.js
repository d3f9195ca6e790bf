/**
 * The origin of the node that has the room.
 * @param {unknown} nodes  as `welcome` tells them, that one first
 * @returns {string} '' without a cluster: the page's own server
 */
export const nodeOf = (nodes) =>
  Array.isArray(nodes) && typeof nodes[0]?.url === 'string' ? nodes[0].url : '';
