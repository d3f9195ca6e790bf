import { build } from '../../ui/kit/element.js';

/**
 * Fills a table, whose caption stays.
 * @param {HTMLTableElement} table
 * @param {readonly string[]} columns the columns' heads
 * @param {readonly (readonly string[])[]} rows each as long as columns; the first cell is the row's
 *   head
 */
export function fillTable(table, columns, rows) {
  const head = build(
    'thead',
    {},
    makeRow(columns, () => 'col'),
  );
  const body = build(
    'tbody',
    {},
    ...rows.map((row) => makeRow(row, (column) => (column === 0 ? 'row' : null))),
  );
  table.tHead?.remove();
  for (const old of table.tBodies) old.remove();
  table.append(head, body);
}

/**
 * @param {readonly string[]} cells
 * @param {(column: number) => string | null} scope of a head; null for a cell that is no head
 */
function makeRow(cells, scope) {
  return build(
    'tr',
    {},
    ...cells.map((text, column) => {
      const kind = scope(column);
      return kind ? build('th', { scope: kind }, text) : build('td', {}, text);
    }),
  );
}
