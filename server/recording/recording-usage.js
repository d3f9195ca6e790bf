/**
 * How many times as much as is free on the disk one room's recordings may take, those that one
 * person with a token has started, and those that people without one have started from one network:
 * so nobody alone takes all of it, and what is free is shared among those who record.
 */
const SHARE = 4;

/**
 * Whose a recording is.
 * @typedef {object} RecordingOwner
 * @property {string} room
 * @property {string | null} identity the `sub` of the token of the person who started it; null
 *   without a token, and where that isn't known
 * @property {string | null} network of that person; null where that isn't known, or is this machine
 */

/**
 * The bytes of the recordings that there are: of all together, of each room, and of each person or
 * network.
 */
export class RecordingUsage {
  #limitBytes;
  #bytes = 0;
  /** By id. @type {Map<string, RecordingOwner & { bytes: number }>} */
  #recordings = new Map();
  /** By keysOf. @type {Map<string, number>} */
  #shares = new Map();

  /** @param {number} limitBytes  of all together */
  constructor(limitBytes) {
    this.#limitBytes = limitBytes;
  }

  /** The bytes of all recordings. */
  get bytes() {
    return this.#bytes;
  }

  /** How many recordings there are. */
  get count() {
    return this.#recordings.size;
  }

  /** The ids of the recordings. @returns {string[]} */
  get ids() {
    return [...this.#recordings.keys()];
  }

  /** @param {string} id @returns {RecordingOwner | undefined} */
  ownerOf(id) {
    return this.#recordings.get(id);
  }

  /** @param {string} id @returns {number} 0 where it isn't known */
  bytesOf(id) {
    return this.#recordings.get(id)?.bytes ?? 0;
  }

  /**
   * Says how much a recording takes.
   * @param {string} id
   * @param {RecordingOwner} owner
   * @param {number} bytes
   */
  set(id, { room, identity, network }, bytes) {
    this.remove(id);
    this.#recordings.set(id, { room, identity, network, bytes: 0 });
    this.add(id, bytes);
  }

  /**
   * @param {string} id
   * @param {number} bytes  less than 0 for deleted ones
   */
  add(id, bytes) {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return;
    recording.bytes += bytes;
    this.#bytes += bytes;
    for (const key of keysOf(recording))
      this.#shares.set(key, (this.#shares.get(key) ?? 0) + bytes);
  }

  /** Forgets a recording that has been deleted. @param {string} id */
  remove(id) {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return;
    this.add(id, -recording.bytes);
    this.#recordings.delete(id);
    for (const key of keysOf(recording)) if (this.#shares.get(key) === 0) this.#shares.delete(key);
  }

  /**
   * @param {RecordingOwner} owner
   * @returns {'recording-limit' | 'recording-share' | null} why no more may be recorded; null where
   *   it may
   */
  refusal(owner) {
    const free = this.#limitBytes - this.#bytes;
    if (free <= 0) return 'recording-limit';
    return keysOf(owner).some((key) => (this.#shares.get(key) ?? 0) > SHARE * free)
      ? 'recording-share'
      : null;
  }
}

/**
 * The shares that a recording counts for: its room's, and its person's where they have a token,
 * since a network may be a whole school, or else their network's.
 * @param {RecordingOwner} owner
 */
function keysOf({ room, identity, network }) {
  if (identity !== null) return [`room ${room}`, `person ${identity}`];
  return network === null ? [`room ${room}`] : [`room ${room}`, `network ${network}`];
}
