import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapshotOf } from '../../client/recall.js';
import { headline } from '../../client/words.js';
import { ADA, AI, VARIANTS } from './rooms.js';

/** @type {any} */
const GAME = {
  room: 'r', game: 2, variant: VARIANTS.vanishing, players: { X: { kind: 'human', name: 'Ada' }, O: AI }, opening: 0,
  moves: [1, 8, 7, 3, 0, 2, 4, 6, 8], times: [], outcome: { winner: 'X', by: 'line', line: [0, 4, 8] }, began: 0, ended: 9,
};

test('an earlier game is drawn as it ended, with the people who played it', () => {
  const room = snapshotOf(GAME);
  assert.equal(room.board.map((mark) => mark ?? '.').join(''), 'X.OOX.O.X');
  assert.deepEqual(headline(room, ADA), { title: 'Ada won', detail: 'Three in a row for X.' });
  assert.equal(headline(snapshotOf({ ...GAME, outcome: { winner: null, by: 'limit', line: null } }), ADA).title, 'A draw');
});
