/**
 * An observable object: what reads it subscribes to the properties that it shows.
 * @template {object} T
 */
export class Store {
  #value;
  /** @type {Set<(value: Readonly<T>, before: Readonly<T>, changes: Partial<T>) => void>} */
  #subscribers = new Set();
  /** @type {[value: Readonly<T>, before: Readonly<T>, changes: Partial<T>][]} */
  #pending = [];
  #isNotifying = false;

  /** @param {T} first */
  constructor(first) {
    this.#value = first;
  }

  /** @returns {Readonly<T>} replaced by each change, so that an earlier one stays as it was */
  get value() {
    return this.#value;
  }

  /** @param {Partial<T>} changes  several properties that change at once */
  set(changes) {
    const before = this.#value;
    this.#value = { ...before, ...changes };
    this.#pending.push([this.#value, before, changes]);
    // A subscriber that changes it: all others hear of one change after the other.
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    try {
      for (let change = this.#pending.shift(); change; change = this.#pending.shift())
        for (const notify of [...this.#subscribers]) notify(...change);
    } finally {
      this.#isNotifying = false;
    }
  }

  /**
   * Calls `run` now, with the same value twice, and whenever one of the properties changes.
   * @param {readonly (keyof T)[]} names
   * @param {(value: Readonly<T>, before: Readonly<T>) => void} run
   * @returns {() => void} ends it; idempotent
   */
  subscribe(names, run) {
    run(this.#value, this.#value);
    return this.observe((value, before) => {
      if (names.some((name) => value[name] !== before[name])) run(value, before);
    });
  }

  /**
   * Calls `run` at each change.
   * @param {(value: Readonly<T>, before: Readonly<T>, changes: Partial<T>) => void} run
   * @returns {() => void} ends it; idempotent
   */
  observe(run) {
    this.#subscribers.add(run);
    return () => void this.#subscribers.delete(run);
  }
}
