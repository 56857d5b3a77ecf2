/**
 * The board: a grid of real buttons, played by pointer, arrows and Enter, or the digits; the winning line over it.
 *
 * Draws the snapshot it is given and asks to play a cell. Knows no rule: what wins is for the server to say.
 *
 * @import { Mount, Snapshot, State, Variant } from './types.js'
 */

import { closest, part, setAttribute, setText, stamp } from './dom.js';
import { setMark } from './marks.js';
import { boardAt, isMyTurn, mayAnalyse, role, roomIn, shownPly } from './viewpoint.js';
import { place, spoken, valueLabel } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  /** @type {HTMLButtonElement[]} */
  let cells = [];
  /** @type {State | null} */
  let last = null;
  let built = '';

  /** @param {number} cell */
  function play(cell) {
    const room = last && roomIn(last);
    if (!room || !last || last.pending || cell >= cells.length) return;
    if (!isMyTurn(room, last.me) || room.board[cell] !== null) return;
    send({ type: 'play', room: room.room, cell, ply: room.moves.length, game: room.game });
  }

  element.addEventListener('click', (event) => {
    const cell = closest(event, '[data-cell]')?.dataset.cell;
    if (cell !== undefined) play(Number(cell));
  });
  element.addEventListener('focusin', (event) => {
    const cell = closest(event, '[data-cell]')?.dataset.cell;
    if (cell !== undefined) rove(Number(cell));
  });
  element.addEventListener('keydown', (event) => {
    const cell = closest(event, '[data-cell]')?.dataset.cell;
    const room = last && roomIn(last);
    if (cell === undefined || !room) return;
    const goal = neighbour(event.key, Number(cell), room.variant);
    if (goal === null) return;
    event.preventDefault();
    cells[goal]?.focus();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !last || last.room === null) return;
    if (/^[1-9]$/.test(event.key)) play(Number(event.key) - 1);
  });

  /** One cell is in the tab order: the one last visited. @param {number} goal */
  function rove(goal) {
    cells.forEach((cell, index) => { cell.tabIndex = index === goal ? 0 : -1; });
  }

  return (state) => {
    last = state;
    const room = roomIn(state);
    if (!room) return;
    const shape = `${room.variant.rows}x${room.variant.columns}`;
    if (shape !== built) {
      cells = build(element, room.variant);
      built = shape;
    }
    draw(element, cells, state, room);
  };
}

/** @param {HTMLElement} element @param {HTMLButtonElement[]} cells @param {State} state @param {Snapshot} room */
function draw(element, cells, state, room) {
  const ply = shownPly(state, room);
  const isLatest = ply === room.moves.length;
  const board = boardAt(room, ply);
  const isMine = role(room, state.me) !== 'watcher';
  const isOpen = isLatest && isMyTurn(room, state.me) && !state.pending;
  const values = state.look.on && mayAnalyse(room, state.me) && state.look.analysis?.ply === ply ? state.look.analysis.cells : [];
  const line = isLatest ? room.outcome?.line ?? null : null;
  const lastCell = room.moves[ply - 1] ?? -1;
  element.dataset.open = String(isOpen);
  if (isOpen && room.turn) element.dataset.turn = room.turn;
  cells.forEach((cell, index) => {
    const isPending = isLatest && state.pending?.cell === index && state.pending.room === room.room;
    const mark = board[index] ?? (isPending ? state.pending?.mark ?? null : null);
    const value = isPending ? null : values[index] ?? null;
    setMark(cell, mark);
    const facts = { pending: isPending, last: index === lastCell, won: line?.includes(index), next: !isLatest && room.moves[ply] === index };
    for (const [name, is] of Object.entries(facts)) setAttribute(cell, `data-${name}`, is ? '' : null);
    setAttribute(cell, 'data-value', value?.value ?? null);
    const label = value ? valueLabel(value) : '';
    setText(part(cell, 'value'), label);
    const content = isPending ? `${mark}, not yet confirmed` : mark ?? 'empty';
    setAttribute(cell, 'aria-label', [spoken(place(index, room.variant.columns)), content, label].filter(Boolean).join(', '));
    setAttribute(cell, 'aria-disabled', isOpen && mark === null ? null : 'true');
    if (cell.disabled === isMine) cell.disabled = !isMine;
  });
  drawLine(element, room.variant.columns, line);
}

/** @param {HTMLElement} element @param {Variant} variant @returns {HTMLButtonElement[]} */
function build(element, variant) {
  const { rows, columns } = variant;
  element.style.setProperty('--rows', String(rows));
  element.style.setProperty('--columns', String(columns));
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = document.createElement('div');
    line.setAttribute('role', 'row');
    line.append(...Array.from({ length: columns }, () => stamp('cell')));
    line.querySelectorAll('button').forEach((button, column) => { button.dataset.cell = String(row * columns + column); });
    return line;
  });
  element.replaceChildren(hash(variant), ...lines);
  const cells = [...element.querySelectorAll('button')];
  cells[0].tabIndex = 0;
  return cells;
}

/** @param {string} name @param {Record<string, string>} attributes */
function svg(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** The strokes between the cells, a hundred units a cell. @param {Variant} variant */
function hash({ rows, columns }) {
  const [width, height] = [columns * 100, rows * 100];
  const down = Array.from({ length: columns - 1 }, (_, i) => `M${(i + 1) * 100} 8V${height - 8}`);
  const across = Array.from({ length: rows - 1 }, (_, i) => `M8 ${(i + 1) * 100}H${width - 8}`);
  const picture = svg('svg', { class: 'hash', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  picture.append(svg('path', { d: [...down, ...across].join('') }));
  return picture;
}

/** @param {HTMLElement} element @param {number} columns @param {number[] | null} line */
function drawLine(element, columns, line) {
  const old = element.querySelector('.win');
  const key = line?.join() ?? '';
  if ((old?.getAttribute('data-line') ?? '') === key) return;
  old?.remove();
  if (!line) return;
  const [from, to] = [line[0], line[line.length - 1]].map((cell) => [cell % columns, Math.floor(cell / columns)]);
  const ends = [0, 1].map((axis) => {
    const reach = Math.sign(to[axis] - from[axis]) * 32;
    return [from[axis] * 100 + 50 - reach, to[axis] * 100 + 50 + reach];
  });
  const d = `M${ends[0][0]} ${ends[1][0]}L${ends[0][1]} ${ends[1][1]}`;
  element.querySelector('.hash')?.append(svg('path', { class: 'win', 'data-line': key, pathLength: '1', d }));
}

/** The cell an arrow leads to; null when the key is no arrow. @param {string} key @param {number} cell @param {Variant} variant */
function neighbour(key, cell, { rows, columns }) {
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  switch (key) {
    case 'ArrowUp': return Math.max(0, row - 1) * columns + column;
    case 'ArrowDown': return Math.min(rows - 1, row + 1) * columns + column;
    case 'ArrowLeft': return row * columns + Math.max(0, column - 1);
    case 'ArrowRight': return row * columns + Math.min(columns - 1, column + 1);
    default: return null;
  }
}
