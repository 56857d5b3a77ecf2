// The board after any number of moves, and the cell that a tap stands for. The server decides which
// moves are legal and who has won. This only draws what its list of moves led to.

/** @type {readonly Mark[]} */
const MARKS = ['X', 'O'];
const SPOTS = [...Array(9).keys()];
const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

/** The small board of a cell, where boards are nested. */
export const boardOf = (cell = 0) => 3 * Math.floor(cell / 27) + Math.floor((cell % 9) / 3);

/** The place of a cell on its small board: the board to which a move there sends the other player. */
export const spotOf = (cell = 0) => 3 * (Math.floor(cell / 9) % 3) + (cell % 3);

/** The cell at a row and a column of a small board. */
export const cellIn = (board = 0, row = 0, column = 0) =>
  9 * (3 * Math.floor(board / 3) + row) + 3 * (board % 3) + column;

/** The marks after `ply` moves. Where marks vanish, these are the latest moves only. @param {Pick<Snapshot, 'variant' | 'moves'>} room @param {number} ply */
export function boardAt({ variant: { rows, columns, keep = Infinity }, moves }, ply) {
  const first = Math.max(0, ply - 2 * keep);
  /** @type {(Mark | null)[]} */
  const board = Array(rows * columns).fill(null);
  moves.slice(first, ply).forEach((cell, index) => {
    board[cell] = MARKS[(first + index) % 2];
  });
  return board;
}

/** The cell that the move after `ply` empties, if marks vanish. @param {Pick<Snapshot, 'variant' | 'moves' | 'status'>} room @param {number} ply */
export function fadingAt({ variant: { keep = Infinity }, moves, status }, ply) {
  const isLast = status === 'over' && ply === moves.length;
  return isLast ? null : (moves[ply - 2 * keep] ?? null);
}

/** The oldest of three marks, of both players: these are the faint ones. @param {Pick<Snapshot, 'variant' | 'moves' | 'status'>} room @param {number} ply */
export function faintAt(room, ply) {
  const { keep = Infinity } = room.variant;
  const isLast = room.status === 'over' && ply === room.moves.length;
  return isLast ? [] : room.moves.slice(Math.max(0, ply - 2 * keep), Math.max(0, ply - 2 * keep + 2));
}

/** Who owned each small board after `ply` moves. Nobody plays on a board after it was won. @param {Pick<Snapshot, 'variant' | 'moves'>} room @param {number} ply @returns {Owner[]} */
export const ownersAt = (room, ply) => (room.variant.nested ? ownersOf(boardAt(room, ply)) : []);

/** Who owns each small board. @param {(Mark | null)[]} marks @returns {Owner[]} */
export function ownersOf(marks) {
  return SPOTS.map((board) => {
    const small = SPOTS.map((spot) => marks[cellIn(board, Math.floor(spot / 3), spot % 3)]);
    const [first] = LINES.find(([a, b, c]) => small[a] && small[a] === small[b] && small[a] === small[c]) ?? [];
    return first === undefined ? (small.includes(null) ? null : 'draw') : small[first];
  });
}

/** The first row of equal marks, if there is one. @param {(Mark | null)[]} marks @param {Variant} variant */
export function lineOn(marks, { rows, columns, line }) {
  for (const [cell, mark] of marks.entries()) {
    for (const [down, right] of mark
      ? [
          [0, 1],
          [1, 0],
          [1, 1],
          [1, -1],
        ]
      : []) {
      const [row, column] = [Math.floor(cell / columns) + down * (line - 1), (cell % columns) + right * (line - 1)];
      if (row >= rows || column < 0 || column >= columns) continue;
      const found = Array.from({ length: line }, (_, nth) => cell + nth * (down * columns + right));
      if (found.every((each) => marks[each] === mark)) return found;
    }
  }
  return [];
}

/**
 * The cell that a tap on `cell` plays now, or null. Where marks fall, any cell of a column will do.
 * @param {Pick<Snapshot, 'board' | 'playable' | 'variant'>} room
 * @param {number} cell
 * @returns {number | null}
 */
export function landing({ board, playable, variant: { falls, columns } }, cell) {
  if (falls) return playable?.find((each) => each % columns === cell % columns) ?? null;
  const isPlayable = playable ? playable.includes(cell) : board[cell] === null;
  return isPlayable ? cell : null;
}

/**
 * The cell that a tap aims at during the opponent's turn, or null if it cannot be free after that.
 * @param {Snapshot} room
 * @param {number} cell
 * @returns {number | null}
 */
export function aim(room, cell) {
  const {
    board,
    boards,
    variant: { falls },
    fading,
  } = room;
  if (falls) return landing(room, cell);
  const mayBeFree = board[cell] === null ? !boards?.[boardOf(cell)] : cell === fading;
  return mayBeFree ? cell : null;
}

/**
 * The cell for a digit key: one of nine cells, a column where marks fall, or a place on the small board that must be
 * played. A number pad counts from below.
 * @param {Pick<Snapshot, 'board' | 'playable' | 'variant'>} room
 * @param {number} key
 * @returns {number | null}
 */
export function cellOfDigit({ board, playable = [], variant: { falls, columns, nested } }, key, isPad = false) {
  const digit = isPad && !falls ? key + 6 * (2 - Math.ceil(key / 3)) : key;
  if (falls) return digit <= columns ? digit - 1 : null;
  if (!nested) return board.length === 9 ? digit - 1 : null;
  const [first, second] = new Set(playable.map(boardOf));
  return first === undefined || second !== undefined
    ? null
    : cellIn(first, Math.floor((digit - 1) / 3), (digit - 1) % 3);
}
