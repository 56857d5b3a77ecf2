// The board: a grid of real buttons, played by pointer, arrows and Enter, or digits. During the
// opponent's turn a click sets a premove. Knows no rules: the server says who has won.

import { attr, make, on, onKey, setMark, stamp, write } from './dom.js';
import { boardAt, isMyTurn, isMyTurnNext, isWatcher, mayAnalyse, moveTo, mySeats, roomIn, shownPly } from './viewpoint.js';
import { place, spoken, valueLabel } from './words.js';

/** @type {Steps} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @type {MountPart} */
export function mountBoard(root, send, get) {
  const cells = root.getElementsByTagName('button');

  function play(cell = 0) {
    const { me, pending, look } = get();
    const room = roomIn(get());
    if (!room || pending || look.back || room.board[cell] !== null) return;
    if (isMyTurn(room, me)) send(moveTo(room, cell));
    else if (isMyTurnNext(room, me)) send({ type: 'premove', cell });
  }

  on(root, 'click', '[data-cell]', ({ dataset }) => play(Number(dataset.cell)));
  on(root, 'focusin', '[data-cell]', (visited) => {
    for (const cell of cells) cell.tabIndex = cell === visited ? 0 : -1;
  });
  on(root, 'keydown', '[data-cell]', ({ dataset }, event) => {
    const columns = roomIn(get())?.variant.columns ?? 0;
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    const [down, right] = STEPS[event.key];
    const row = Math.floor(Number(dataset.cell) / columns) + down;
    const column = (Number(dataset.cell) % columns) + right;
    if (column >= 0 && column < columns) cells[row * columns + column]?.focus();
  });
  onKey(({ key, repeat }) => {
    if (repeat || get().room === null) return;
    if (/^[1-9]$/.test(key)) play(Number(key) - 1);
    if (key === 'Escape' && get().premove) send({ type: 'premove', cell: null });
  });

  return (state, { snapshot }) => {
    const { me, pending, premove, look: { on, back, analysis } } = state;
    const room = back?.snapshot ?? snapshot;
    const { variant: { rows, columns }, moves, outcome } = room;
    const ply = shownPly(state, room);
    const mine = mySeats(room, me);
    const marks = boardAt(room, ply);
    const isAsked = !back && !pending;
    const isOpen = isAsked && isMyTurn(room, me);
    const mayAim = isAsked && isMyTurnNext(room, me);
    const values = on && mayAnalyse(room, me) && analysis?.ply === ply ? analysis.cells : [];
    const line = ply === moves.length && outcome?.line || [];
    if (cells.length !== rows * columns) build(root, rows, columns);
    attr(root, { 'data-open': String(isOpen), 'data-turn': mine.length === 2 ? room.turn : mine[0] });
    [...cells].forEach((cell, index) => {
      const isPending = !back && pending?.cell === index && pending.room === room.room;
      const isAimed = mayAim && premove?.cell === index;
      const mark = marks[index] ?? (isPending ? pending.mark : isAimed ? mine[0] : null);
      const value = isPending || isAimed ? null : values[index];
      const label = value ? valueLabel(value) : '';
      const content = isAimed ? `${mark} as soon as it is your turn` : isPending ? `${mark}, being sent` : mark ?? 'empty';
      setMark(cell, mark);
      write(cell, { value: label });
      attr(cell, {
        'data-pending': isPending,
        'data-aimed': isAimed,
        'data-last': index === moves[ply - 1],
        'data-won': line.includes(index),
        'data-next': index === moves[ply],
        'data-value': value?.value,
        'aria-label': [spoken(place(index, columns)), content, label].filter(Boolean).join(', '),
        'aria-disabled': !((isOpen || mayAim) && marks[index] === null) && 'true',
        disabled: isWatcher(room, me),
      });
    });
    drawLine(root.getElementsByClassName('win')[0], columns, line);
  };
}

/** @type {BuildBoard} */
function build(root, rows, columns) {
  root.style.cssText = `--rows: ${rows}; --columns: ${columns}`;
  const hash = stamp('hash');
  root.replaceChildren(hash);
  for (let row = 0; row < rows; row += 1) {
    const line = make('div');
    attr(line, { role: 'row' });
    for (let column = 0; column < columns; column += 1) {
      const cell = stamp('cell');
      const index = row * columns + column;
      attr(cell.children[0], { 'data-cell': index, tabindex: index ? -1 : 0 });
      line.append(cell);
    }
    root.append(line);
  }
  let d = ''; // the lines between the cells; a cell is 100 units wide
  for (let x = 1; x < columns; x += 1) d += `M${x}00 8V${rows * 100 - 8}`;
  for (let y = 1; y < rows; y += 1) d += `M8 ${y}00H${columns * 100 - 8}`;
  attr(hash, { viewBox: `0 0 ${columns}00 ${rows}00` });
  attr(hash.children[0], { d });
}

/**
 * The winning line, from just before the centre of its first cell to just after that of its last.
 * @type {DrawLine}
 */
function drawLine(path, columns, line) {
  const [from, to] = [line[0], line[line.length - 1]].map((cell) => [cell % columns, Math.floor(cell / columns)]);
  /** @type {End} */
  const end = (a, b) => a.map((at, axis) => at * 100 + 50 + 32 * Math.sign(at - b[axis])).join(' ');
  attr(path, { 'data-line': line.length > 0 && line.join(), d: line.length > 0 && `M${end(from, to)}L${end(to, from)}` });
}
