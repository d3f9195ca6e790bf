/**
 * Largest ratio of a share to the unused part of the limit. Shares are the recordings of one room,
 * of one identified person, and of unidentified people from one network. So nobody takes the whole
 * disk.
 */
const SHARE = 4;

/**
 * Owner of a recording.
 * @typedef {object} RecordingOwner
 * @property {string} room
 * @property {string | null} identity `sub` in the token of the person who started it; null without
 *   a token or if unknown
 * @property {string | null} network of that person; null if unknown or this machine
 */

/** Counts bytes of recordings: in total, per room, and per person or network. */
export class RecordingUsage {
  #limitBytes;
  #bytes = 0;
  /** By id. @type {Map<string, RecordingOwner & { bytes: number }>} */
  #recordings = new Map();
  /** By key, see keysOf. @type {Map<string, number>} */
  #shares = new Map();

  /** @param {number} limitBytes  in total */
  constructor(limitBytes) {
    this.#limitBytes = limitBytes;
  }

  /** Bytes of all recordings. */
  get bytes() {
    return this.#bytes;
  }

  /** Number of recordings. */
  get count() {
    return this.#recordings.size;
  }

  /** Ids of the recordings. @returns {string[]} */
  get ids() {
    return [...this.#recordings.keys()];
  }

  /** @param {string} id @returns {RecordingOwner | undefined} */
  ownerOf(id) {
    return this.#recordings.get(id);
  }

  /** @param {string} id @returns {number} 0 if unknown */
  bytesOf(id) {
    return this.#recordings.get(id)?.bytes ?? 0;
  }

  /**
   * Sets the size of a recording.
   * @param {string} id
   * @param {RecordingOwner} owner
   * @param {number} bytes
   */
  set(id, { room, identity, network }, bytes) {
    this.remove(id);
    this.#recordings.set(id, { room, identity, network, bytes: 0 });
    this.add(id, bytes);
  }

  /** @param {string} id @param {number} bytes  negative for deleted ones */
  add(id, bytes) {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return;
    recording.bytes += bytes;
    this.#bytes += bytes;
    for (const key of keysOf(recording))
      this.#shares.set(key, (this.#shares.get(key) ?? 0) + bytes);
  }

  /** Forgets a deleted recording. @param {string} id */
  remove(id) {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return;
    this.add(id, -recording.bytes);
    this.#recordings.delete(id);
    for (const key of keysOf(recording)) if (this.#shares.get(key) === 0) this.#shares.delete(key);
  }

  /**
   * @param {RecordingOwner} owner
   * @returns {'recording-limit' | 'recording-share' | null} reason to refuse more recording, or
   *   null
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
 * Names the shares that a recording counts for: its room, and the person, or the network of a
 * person without a token. A network may be a whole school.
 * @param {RecordingOwner} owner
 */
function keysOf({ room, identity, network }) {
  if (identity !== null) return [`room ${room}`, `person ${identity}`];
  return network === null ? [`room ${room}`] : [`room ${room}`, `network ${network}`];
}
