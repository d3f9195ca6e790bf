/**
 * @import { ToldState } from '../state/portable-state.js'
 * @import { Cluster } from './room-config.js'
 */

/**
 * Tells the other nodes of a cluster a room's state while somebody is in it: once for all that
 * changes in one turn.
 */
export class ToldNodes {
  #cluster;
  #room;
  #state;
  #failed;
  #isOccupied = false;
  #isDue = false;
  #isClosed = false;

  /**
   * @param {object} options
   * @param {Cluster} [options.cluster]
   * @param {string} options.room  its name
   * @param {() => ToldState} options.state
   * @param {(error: unknown) => void} options.failed
   */
  constructor({ cluster, room, state, failed }) {
    this.#cluster = cluster;
    this.#room = room;
    this.#state = state;
    this.#failed = failed;
  }

  /**
   * Begins to tell, since somebody has a place. Until then the room is what the node before it
   * said.
   */
  occupied() {
    if (this.#isOccupied) return;
    this.#isOccupied = true;
    this.changed();
  }

  changed() {
    if (!this.#cluster || !this.#isOccupied || this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#tell());
  }

  #tell() {
    this.#isDue = false;
    if (this.#isClosed) return;
    try {
      this.#cluster?.ruled(this.#room, this.#state());
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Stops telling: the room is another node's, or nobody's. Idempotent. */
  close() {
    this.#isClosed = true;
  }
}
