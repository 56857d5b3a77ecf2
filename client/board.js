// The board: a grid of real buttons, played by pointer, arrows and Enter, or digits. During the
// opponent's turn a click sets a premove. Knows no rules: the server says who has won.

import { attr, on, onKey, part, setMark, write } from './dom.js';
import { buildBoard, drawLine } from './grid.js';
import { cellLabel, smallBoardLabel, valueLabel } from './names.js';
import { aim, boardAt, boardOf, cellOfDigit, fadingAt, landing, ownersAt } from './position.js';
import { isMyTurn, isMyTurnNext, isWatcher, mayAnalyse, moveTo, mySeats, roomIn, shownPly } from './viewpoint.js';

/** @type {Steps} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @type {MountPart} */
export function mountBoard(root, send, get) {
  /** @type {HTMLButtonElement[]} */
  let cells = [];

  /** @param {number | null} cell */
  function play(cell) {
    const room = roomIn(get());
    const tap = room && cell !== null && meaningOf(get(), room);
    const target = tap && tap(room, cell);
    if (!room || typeof target !== 'number') return;
    if (isMyTurn(room, get().me)) send(moveTo(room, target));
    else send({ type: 'premove', cell: target });
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
    const room = roomIn(get());
    if (repeat || !room) return;
    if (/^[1-9]$/.test(key)) play(cellOfDigit(room, Number(key)));
    if (key === 'Escape' && get().premove) send({ type: 'premove', cell: null });
  });

  return (state, { snapshot }) => {
    const room = state.look.back?.snapshot ?? snapshot;
    if (root.dataset.variant !== room.variant.name) cells = buildBoard(root, room.variant);
    drawCells(cells, state, room);
    drawOwners(root, state, room);
    const { variant: { nested, columns }, moves, outcome } = room;
    const line = shownPly(state, room) === moves.length && (nested ? outcome?.boards : outcome?.line) || [];
    drawLine(root.getElementsByClassName('win')[0], nested ? 3 : columns, line);
    const mine = mySeats(room, state.me);
    const isOpen = isMyTurn(room, state.me) && meaningOf(state, room) !== null;
    attr(root, { 'data-open': String(isOpen), 'data-turn': mine.length === 1 ? mine[0] : room.turn });
  };
}

/** What a tap on a cell does: play it, aim at it, or nothing. @type {MeaningOf} */
function meaningOf({ me, pending, look }, room) {
  if (pending || look.back) return null;
  if (isMyTurn(room, me)) return landing;
  return isMyTurnNext(room, me) ? aim : null;
}

/** @type {DrawCells} */
function drawCells(cells, state, room) {
  const { me, pending, premove, look: { on, back, analysis } } = state;
  const { moves, variant, outcome, playable = [] } = room;
  const ply = shownPly(state, room);
  const [mine] = mySeats(room, me);
  const marks = boardAt(room, ply);
  const fading = fadingAt(room, ply);
  const tap = meaningOf(state, room);
  const isAnalysed = on && mayAnalyse(room, me) && analysis?.ply === ply && analysis.game === room.game;
  const line = ply === moves.length && outcome?.line || [];
  cells.forEach((cell, index) => {
    const isPending = !back && pending?.cell === index && pending.room === room.room;
    const isAimed = tap === aim && premove?.cell === index;
    const isPlayable = !back && playable.includes(index);
    const value = isAnalysed && !isPending && !isAimed ? analysis.cells[index] : null;
    const mark = marks[index] ?? (isPending ? pending.mark : isAimed ? mine : null);
    setMark(cell, mark);
    write(cell, { value: value ? valueLabel(value) : '' });
    attr(cell, {
      'data-pending': isPending,
      'data-aimed': isAimed,
      'data-fading': index === fading,
      'data-playable': isPlayable,
      'data-last': index === moves[ply - 1],
      'data-won': line.includes(index),
      'data-next': index === moves[ply],
      'data-value': value?.value,
      'aria-label': cellLabel(index, variant, { mark: isAimed ? mine : mark, isPending, isAimed, isFading: index === fading, isPlayable, value }),
      'aria-disabled': tap?.(room, index) == null && 'true',
      disabled: isWatcher(room, me),
    });
  });
}

/** Who owns each small board, and which may be played. @type {DrawOwners} */
function drawOwners(root, state, room) {
  const owners = ownersAt(room, shownPly(state, room));
  const open = new Set(state.look.back ? [] : room.playable?.map(boardOf));
  [...root.querySelectorAll('.small')].forEach((small, board) => {
    const owner = owners[board];
    setMark(part(small, 'owner'), owner === 'draw' ? null : owner);
    attr(small, { 'data-owner': owner, 'data-playable': open.has(board) && room.turn, 'aria-label': smallBoardLabel(board, owner, open.has(board)) });
  });
}
