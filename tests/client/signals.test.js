import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '../../client/signals.js';
import { initial } from '../../client/store.js';
import { ADA, BO, snapshot, view } from './rooms.js';

/** A page that shows this room. @param {any} room @param {object} [changes] @param {any} [me] @returns {any} */
const page = (room, changes = {}, me = ADA) => ({ ...initial(), room: 'r', me, rooms: { r: view(room, changes) } });
const over = (winner) => ({ status: 'over', turn: null, outcome: { winner, by: 'line', line: [0, 1, 2] } });

test('a move sounds like its mover', () => {
  assert.equal(signal(page(snapshot()), page(snapshot([4]))), 'mine');
  assert.equal(signal(page(snapshot([4])), page(snapshot([4, 0]))), 'theirs');
  assert.equal(signal(page(snapshot(), {}, BO), page(snapshot([4]), {}, BO)), 'theirs');
});

test('the end sounds as it is for the one who hears it', () => {
  const before = snapshot([0, 3, 1, 4]);
  const after = snapshot([0, 3, 1, 4, 2], over('X'));
  assert.equal(signal(page(before), page(after)), 'win');
  assert.equal(signal(page(before, {}, BO), page(after, {}, BO)), 'lose');
  assert.equal(signal(page(before), page(snapshot([0, 3, 1, 4, 5], over(null)))), 'draw');
});

test('what the page only catches up on makes no sound', () => {
  assert.equal(signal(page(snapshot()), page(snapshot([4, 0, 8]))), null);
  assert.equal(signal(page(snapshot(), { online: null }), page(snapshot([4]), { online: null })), null);
  assert.equal(signal(page(snapshot([4], { game: 1 })), page(snapshot([], { game: 2 }))), null);
  assert.equal(signal(initial(), page(snapshot([4]))), null);
  assert.equal(signal(page(snapshot([4])), page(snapshot([4]))), null);
});

test('time that runs out is heard once, by whose it is', () => {
  const clock = { budget: 60_000, increment: 0, left: { X: 12_000, O: 12_000 }, since: 0 };
  const at = (now, me) => ({ ...page(snapshot([], { clock }), {}, me), now });
  assert.equal(signal(at(1000, ADA), at(2500, ADA)), 'low');
  assert.equal(signal(at(2500, ADA), at(3500, ADA)), null);
  assert.equal(signal(at(1000, BO), at(2500, BO)), null);
});
