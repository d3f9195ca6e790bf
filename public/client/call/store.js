/**
 * An observable object: readers subscribe to the properties that they show.
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

  /** @returns {Readonly<T>} replaced at each change, so that earlier values stay unchanged */
  get value() {
    return this.#value;
  }

  /** @param {Partial<T>} changes properties that change together */
  set(changes) {
    const before = this.#value;
    this.#value = { ...before, ...changes };
    this.#pending.push([this.#value, before, changes]);
    // When a subscriber changes the value, all get one change after the other.
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
   * @returns {() => void} ends the subscription; idempotent
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
   * @returns {() => void} ends the subscription; idempotent
   */
  observe(run) {
    this.#subscribers.add(run);
    return () => void this.#subscribers.delete(run);
  }
}
