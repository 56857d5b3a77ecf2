import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '../../client/signals.js';
import { initial } from '../../client/store.js';
import { ADA, BO, snapshot, view } from './rooms.js';

/** A page that shows this room. @param {any} room @param {object} [changes] @param {any} [me] @returns {any} */
const page = (room, changes = {}, me = ADA) => ({ ...initial(), room: 'r', me, rooms: { r: view(room, changes) } });
/** @param {string | null} winner */
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

test('the last five seconds of one’s own clock tick, each once', () => {
  const clock = { budget: 60_000, increment: 0, left: { X: 12_000, O: 12_000 }, since: 0 };
  /** @param {number} now @param {any} me */
  const at = (now, me = ADA) => ({ ...page(snapshot([], { clock }), {}, me), now });
  assert.equal(signal(at(5000), at(6500)), null);
  assert.equal(signal(at(6500), at(7000)), 'low');
  assert.equal(signal(at(7000), at(7500)), null);
  assert.equal(signal(at(7500), at(8000)), 'low');
  assert.equal(signal(at(6500, BO), at(7000, BO)), null);
});

/** @param {string} code @param {number} [key] */
const told = (code, key = 1) => ({ ...page(snapshot()), notice: { key, code, until: 9 } });

test('a friend who opens the link, sits down or asks again knocks, once', () => {
  for (const code of ['opened', 'sat_down', 'asks_again']) {
    assert.equal(signal(page(snapshot()), told(code)), 'knock');
    assert.equal(signal(told(code), told(code)), null);
    assert.equal(signal(told(code), told(code, 2)), 'knock');
  }
  assert.equal(signal(page(snapshot()), told('copied')), null);
});

test('a refusal is heard as one', () => {
  assert.equal(signal(page(snapshot()), told('refused')), 'refused');
});

test('what somebody else says knocks, what I say does not', () => {
  /** @param {any} player */
  const said = (player) => ({ ...page(snapshot()), sayings: [{ key: 5, player, phrase: 'oops', until: 9 }] });
  assert.equal(signal(page(snapshot()), said(BO)), 'knock');
  assert.equal(signal(said(BO), said(BO)), null);
  assert.equal(signal(page(snapshot()), said(ADA)), null);
});

test('a notice knocks also before any room is on the screen', () => {
  assert.equal(signal(initial(), { ...initial(), notice: { key: 1, code: 'sat_down', until: 9 } }), 'knock');
});
