import { make } from '../../ui/kit/element.js';

/**
 * Fills a table: one row for each thing that is told, one column for each that it is told of.
 * @param {HTMLTableElement} table whose caption stays
 * @param {readonly string[]} columns the heads; the first is that of the rows' heads
 * @param {readonly (readonly string[])[]} rows each as long as columns, its head first
 */
export function fillTable(table, columns, rows) {
  const head = make('thead');
  head.append(makeRow(columns, () => 'col'));
  const body = make('tbody');
  for (const row of rows) body.append(makeRow(row, (column) => (column === 0 ? 'row' : null)));
  table.tHead?.remove();
  for (const old of table.tBodies) old.remove();
  table.append(head, body);
}

/**
 * @param {readonly string[]} cells
 * @param {(column: number) => string | null} scope null for a cell that is no head
 */
function makeRow(cells, scope) {
  const row = make('tr');
  for (const [column, text] of cells.entries()) {
    const kind = scope(column);
    const cell = make(kind ? 'th' : 'td', '', text);
    if (kind) /** @type {HTMLTableCellElement} */ (cell).scope = kind;
    row.append(cell);
  }
  return row;
}
