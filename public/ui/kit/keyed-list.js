/**
 * Rows of a list on the page, one for each item. A row stays in its place as long as its item's key
 * is there. So the focus, open menus and a half-typed value outlast an update.
 * @template Item
 * @template {{ element: HTMLElement }} Row
 */
export class KeyedList {
  #list;
  #keyOf;
  #makeRow;
  #refocus;
  /** By key. @type {Map<string, Row>} */
  rows = new Map();

  /**
   * @param {HTMLElement} list has no other elements
   * @param {(item: Item) => string} keyOf unique among the items
   * @param {(item: Item) => Row} makeRow
   * @param {(neighbour: Element | null) => void} refocus called when the row with the focus is
   *   gone, with the row that has its place now; null when the list is empty
   */
  constructor(list, keyOf, makeRow, refocus) {
    this.#list = list;
    this.#keyOf = keyOf;
    this.#makeRow = makeRow;
    this.#refocus = refocus;
  }

  /**
   * Removes the rows of missing items, and adds rows for new ones, each behind the item before it.
   * @param {readonly Item[]} items
   * @param {(row: Row, item: Item) => void} [update] called for each item
   * @returns {Item[]} the new ones
   */
  show(items, update) {
    const focused = this.#focusedPlace();
    const keys = new Set(items.map(this.#keyOf));
    for (const [key, { element }] of this.rows) {
      if (keys.has(key)) continue;
      element.remove();
      this.rows.delete(key);
    }
    const added = [];
    /** @type {Row | null} */
    let before = null;
    for (const item of items) {
      const key = this.#keyOf(item);
      let row = this.rows.get(key);
      if (!row) {
        row = this.#makeRow(item);
        this.rows.set(key, row);
        if (before) before.element.after(row.element);
        else this.#list.prepend(row.element);
        added.push(item);
      }
      update?.(row, item);
      before = row;
    }
    if (focused >= 0 && this.#focusedPlace() < 0) {
      const { children } = this.#list;
      this.#refocus(children[Math.min(focused, children.length - 1)] ?? null);
    }
    return added;
  }

  /** @returns {number} the place of the row that has the focus; -1 when none has */
  #focusedPlace() {
    const { activeElement } = document;
    if (!this.#list.contains(activeElement)) return -1;
    return [...this.#list.children].findIndex((row) => row.contains(activeElement));
  }
}
