import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aim,
  boardAt,
  boardOf,
  cellIn,
  cellOfDigit,
  fadingAt,
  faintAt,
  landing,
  lineOn,
  ownersAt,
} from '../../client/position.js';
import { gameOf } from './rooms.js';

/** @param {any} room @param {number} ply */
const drawn = (room, ply) =>
  boardAt(room, ply)
    .map((mark) => mark ?? '.')
    .join('');
/** The lowest free cell of each column of an empty drop board. */
const BOTTOM = [35, 36, 37, 38, 39, 40, 41];

test('an earlier board is rebuilt from the moves', () => {
  assert.equal(drawn(gameOf('3x3', [4, 0, 8]), 2), 'O...X....');
  assert.equal(drawn(gameOf('3x3', [4, 0, 8]), 0), '.........');
  assert.equal(drawn(gameOf('5x5', [24, 0]), 2), `O${'.'.repeat(23)}X`);
});

test('where marks vanish, an earlier board has the three latest of each side', () => {
  const room = gameOf('vanishing', [0, 3, 1, 4, 8, 7, 5, 0]);
  assert.equal(drawn(room, 6), 'XX.OO..OX');
  assert.equal(drawn(room, 7), '.X.OOX.OX');
  assert.equal(drawn(room, 8), 'OX..OX.OX');
});

test('the mark that vanishes next is known at every ply, and none after the end', () => {
  const moves = [0, 3, 1, 4, 8, 7, 5];
  const room = gameOf('vanishing', moves);
  assert.deepEqual(
    [0, 5, 6, 7].map((ply) => fadingAt(room, ply)),
    [null, null, 0, 3],
  );
  assert.equal(fadingAt({ ...room, status: 'over' }, 7), null);
  assert.equal(fadingAt({ ...room, status: 'over' }, 6), 0);
  assert.equal(fadingAt(gameOf('3x3', moves), 6), null);
});

test('the oldest of three marks is faint, for both players, and none after the end', () => {
  const room = gameOf('vanishing', [0, 3, 1, 4, 8, 7, 5]);
  assert.deepEqual(
    [0, 4, 5, 6, 7].map((ply) => faintAt(room, ply)),
    [[], [], [0], [0, 3], [3, 1]],
  );
  assert.deepEqual(faintAt({ ...room, status: 'over' }, 7), []);
  assert.deepEqual(faintAt(gameOf('3x3', [0, 3, 1, 4, 8, 7]), 6), []);
});

test('a line is found in every direction, and never across an edge', () => {
  const line = (/** @type {string} */ name, /** @type {number[]} */ moves) => {
    const room = gameOf(name, moves);
    return lineOn(boardAt(room, moves.length), room.variant);
  };
  assert.deepEqual(line('3x3', [0, 3, 1, 4, 2]), [0, 1, 2]);
  assert.deepEqual(line('3x3', [0, 1, 3, 4, 6]), [0, 3, 6]);
  assert.deepEqual(line('3x3', [0, 1, 4, 3, 8]), [0, 4, 8]);
  assert.deepEqual(line('3x3', [2, 1, 4, 3, 6]), [2, 4, 6]);
  assert.deepEqual(line('3x3', [1, 0, 2, 4, 3]), []);
  assert.deepEqual(line('5x5', [3, 0, 4, 1, 5, 10, 6]), []);
  assert.deepEqual(line('5x5', [1, 0, 2, 5, 3, 10, 4]), [1, 2, 3, 4]);
});

test('a small board belongs to the first three in a row on it, or to nobody once it is full', () => {
  const room = gameOf('ultimate', [0, 40, 1, 30, 2, 31]);
  assert.deepEqual(ownersAt(room, 6), ['X', null, null, null, null, null, null, null, null]);
  assert.equal(ownersAt(room, 4)[0], null);
  const drawn = [0, 1, 2, 10, 9, 11, 19, 18, 20]; // XOX XOO OXX
  assert.equal(ownersAt(gameOf('ultimate', drawn), 9)[0], 'draw');
  assert.equal(ownersAt(gameOf('ultimate', drawn), 8)[0], null);
  assert.deepEqual(ownersAt(gameOf('3x3', [0, 3, 1, 4, 2]), 5), []);
});

test('cells of nested boards are counted over the whole grid', () => {
  assert.deepEqual([0, 8, 40, 60, 80].map(boardOf), [0, 2, 4, 8, 8]);
  assert.equal(cellIn(4, 1, 1), 40);
  assert.equal(cellIn(8, 0, 0), 60);
  for (let cell = 0; cell < 81; cell += 1) {
    assert.equal(cellIn(boardOf(cell), Math.floor(cell / 9) % 3, cell % 3), cell);
  }
});

test('a tap anywhere in a column lets the mark fall to its lowest free cell', () => {
  const room = gameOf('drop', [38], { playable: [31, ...BOTTOM.filter((cell) => cell !== 38)].sort((a, b) => a - b) });
  assert.deepEqual(
    [3, 10, 31, 38].map((cell) => landing(room, cell)),
    [31, 31, 31, 31],
  );
  assert.equal(landing(room, 0), 35);
  assert.equal(landing({ ...room, playable: BOTTOM.filter((cell) => cell !== 38) }, 3), null);
});

test('elsewhere a tap plays its own cell if that may be played', () => {
  const classic = gameOf('3x3', [4]);
  assert.deepEqual([landing(classic, 0), landing(classic, 4)], [0, null]);
  const nested = gameOf('ultimate', [0], { playable: [1, 2] });
  assert.deepEqual([landing(nested, 1), landing(nested, 40)], [1, null]);
});

test('a premove aims at any cell that may be free by then', () => {
  const vanishing = gameOf('vanishing', [0, 3, 1, 4, 8, 7], { fading: 0 });
  assert.deepEqual(
    [0, 1, 2].map((cell) => aim(vanishing, cell)),
    [0, null, 2],
  );
  const boards = Array(9).fill(null).with(0, 'O');
  const nested = gameOf('ultimate', [40], { boards, playable: [30, 31, 32] });
  assert.deepEqual(
    [0, 40, 80].map((cell) => aim(nested, cell)),
    [null, null, 80],
  );
  assert.equal(aim(gameOf('drop', [], { playable: BOTTOM }), 2), 37);
});

test('a digit is a cell, a column, or a place on the board that must be played', () => {
  assert.equal(cellOfDigit(gameOf('3x3', []), 9), 8);
  assert.equal(cellOfDigit(gameOf('5x5', []), 1), null);
  const drop = gameOf('drop', [], { playable: BOTTOM });
  assert.deepEqual(
    [1, 7, 8].map((digit) => cellOfDigit(drop, digit)),
    [0, 6, null],
  );
  assert.equal(cellOfDigit(gameOf('ultimate', [4], { playable: [12, 13, 14] }), 9), 23);
  assert.equal(cellOfDigit(gameOf('ultimate', [], { playable: [0, 3] }), 1), null);
  assert.equal(cellOfDigit(gameOf('ultimate', [], { playable: [] }), 1), null);
});

test('a number pad counts from below, except in columns', () => {
  const pad = (/** @type {any} */ room) => [7, 8, 9, 4, 5, 6, 1, 2, 3].map((key) => cellOfDigit(room, key, true));
  assert.deepEqual(pad(gameOf('3x3', [])), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(pad(gameOf('ultimate', [4], { playable: [12, 13, 14] })), [3, 4, 5, 12, 13, 14, 21, 22, 23]);
  assert.deepEqual(pad(gameOf('drop', [], { playable: BOTTOM })), [6, null, null, 3, 4, 5, 0, 1, 2]);
});
