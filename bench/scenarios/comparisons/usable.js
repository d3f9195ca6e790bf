/** Chooses the ways or topologies that this machine has; the others are left out by name. */

/**
 * @param {{ folder: { warn: (warning: string) => void } }} lab
 * @param {Readonly<Record<string, { missing: () => Promise<string | null> }>>} all
 * @param {readonly string[]} names  of those that are asked for
 * @param {string} kind  of what they are, as in 'ways'
 * @returns {Promise<string[]>} the names of those that can be had
 * @throws {Error} where none can
 */
export async function usableOf({ folder }, all, names, kind) {
  const usable = [];
  for (const name of names) {
    const missing = await all[name].missing();
    if (missing) folder.warn(`Left out: ${name}. ${missing}`);
    else usable.push(name);
  }
  if (usable.length === 0) throw new Error(`none of the ${kind} can be had here`);
  return usable;
}
