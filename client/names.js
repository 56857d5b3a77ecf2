// What games, cells and values are called, on the page and by a screen reader.

import { boardOf } from './position.js';

/** good_game → Good game */
export const spoken = (code = '') => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

/** Where a cell is. Nested boards count the rows and columns of each small board. @type {Place} */
export function place(cell, { columns, nested }) {
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return nested ? `row ${(row % 3) + 1}, column ${(column % 3) + 1} of board ${boardOf(cell) + 1}` : `row ${row + 1}, column ${column + 1}`;
}

/** What a screen reader says about a cell. @type {CellLabel} */
export function cellLabel(cell, variant, { mark, isPending, isAimed, isFading, isPlayable, value }) {
  const content = isAimed ? `${mark} as soon as it is your turn` : isPending ? `${mark}, being sent` : mark ?? 'empty';
  const notes = [isFading && !isAimed && 'vanishes next', isPlayable && !isPending && 'playable', value && valueSpoken(value)];
  return [spoken(place(cell, variant)), content, ...notes].filter(Boolean).join(', ');
}

/** @type {SmallBoardLabel} */
export function smallBoardLabel(board, owner, isPlayable) {
  const fate = owner === 'draw' ? 'drawn' : owner && `won by ${owner}`;
  return [`Board ${board + 1}`, fate, isPlayable && 'playable'].filter(Boolean).join(', ');
}

/** A value in a cell. What is not proven never reads like a result. @param {CellValue} value */
export function valueLabel(value) {
  if ('estimate' in value) return `≈${value.estimate < 0 ? '−' : '+'}${Math.abs(value.estimate)}`;
  return spoken(value.value) + (value.value === 'draw' || value.in === null ? '' : ` in ${value.in}`);
}

/** @param {CellValue} value */
const valueSpoken = (value) => ('estimate' in value ? `estimated at ${value.estimate} of 100` : valueLabel(value));

/** @type {Record<string, [name: string, rule: string]>} */
const GAMES = {
  '3x3': ['Classic', 'Three in a row wins.'],
  reverse: ['Reverse', 'Three in a row loses.'],
  vanishing: ['Vanishing', 'Three marks each. With your fourth, your oldest one vanishes. Three in a row wins.'],
  '5x5': ['Five by five', 'Four in a row wins.'],
  drop: ['Drop four', 'Marks fall to the lowest free square of a column. Four in a row wins.'],
  ultimate: ['Ultimate', 'Nine boards. The square you pick sends your opponent to that board. Three won boards in a row win.'],
};

export const gameName = (variant = '') => GAMES[variant]?.[0] ?? spoken(variant);
export const gameRule = (variant = '') => GAMES[variant]?.[1] ?? '';

/** @type {LookNote} */
export function lookNote(analysis, isPast) {
  if (!analysis) return 'Step back to see what each square was worth.';
  const ring = isPast ? ' The ring marks the move that was played.' : '';
  const isSure = !analysis.cells.some((value) => value?.value === 'unknown');
  const how = isSure ? 'if both play their best.' : 'if both play their best. ≈ is an estimate: +100 looks won, −100 looks lost.';
  return `What each square leads to for ${analysis.turn} ${how}${ring}`;
}
