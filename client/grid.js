// The elements of a board: rows of buttons with lines between them. Nested boards are nine such
// grids on a tenth.

import { attr, make, stamp } from './dom.js';
import { cellIn } from './position.js';

/** Build the board of a variant, and return its cells in order. @type {BuildBoard} */
export function buildBoard(root, { name, rows, columns, falls, nested }) {
  attr(root, { role: nested ? 'group' : 'grid', 'data-variant': name, 'data-falls': falls, 'data-nested': nested });
  root.replaceChildren();
  if (nested) buildNested(root);
  else buildGrid(root, rows, columns, (row, column) => row * columns + column);
  const cells = [...root.getElementsByTagName('button')];
  cells.sort((a, b) => Number(a.dataset.cell) - Number(b.dataset.cell));
  cells[0].tabIndex = 0;
  return cells;
}

/** @param {HTMLElement} root */
function buildNested(root) {
  drawHash(root, 3, 3);
  for (let board = 0; board < 9; board += 1) {
    const small = stamp('small-board');
    buildGrid(small, 3, 3, (row, column) => cellIn(board, row, column));
    root.append(small);
  }
}

/** @type {BuildGrid} */
function buildGrid(root, rows, columns, cellAt) {
  drawHash(root, rows, columns);
  for (let row = 0; row < rows; row += 1) {
    const line = make('div');
    attr(line, { role: 'row' });
    for (let column = 0; column < columns; column += 1) {
      const cell = stamp('cell');
      cell.style.setProperty('--row', String(row + 1));
      attr(cell.children[0], { 'data-cell': cellAt(row, column), tabindex: -1 });
      line.append(cell);
    }
    root.append(line);
  }
}

/** The lines between the cells. A cell is 100 units wide. @type {DrawHash} */
function drawHash(root, rows, columns) {
  root.style.cssText = `--rows: ${rows}; --columns: ${columns}`;
  const hash = stamp('hash');
  let d = '';
  for (let x = 1; x < columns; x += 1) d += `M${x}00 8V${rows * 100 - 8}`;
  for (let y = 1; y < rows; y += 1) d += `M8 ${y}00H${columns * 100 - 8}`;
  attr(hash, { viewBox: `0 0 ${columns}00 ${rows}00` });
  attr(hash.children[0], { d });
  root.prepend(hash);
}

/**
 * The winning line, from just before the centre of its first cell to just after that of its last.
 * @type {DrawLine}
 */
export function drawLine(path, columns, line) {
  const [from, to] = [line[0], line[line.length - 1]].map((cell) => [cell % columns, Math.floor(cell / columns)]);
  /** @type {End} */
  const end = (a, b) => a.map((at, axis) => at * 100 + 50 + 32 * Math.sign(at - b[axis])).join(' ');
  attr(path, { 'data-line': line.length > 0 && line.join(), d: line.length > 0 && `M${end(from, to)}L${end(to, from)}` });
}
