import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creation } from '../../client/home.js';
import { chosenGame, seeking } from '../../client/viewpoint.js';
import { VARIANTS } from './rooms.js';

/** @param {Record<string, string>} [fields] */
function filled(fields = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

test('a room is opened for the chosen game', () => {
  assert.equal(creation('friend', filled(), 'drop').variant, 'drop');
  assert.equal(creation('friend', filled()).variant, '3x3');
  assert.deepEqual(creation('ai', filled({ level: 'best', side: 'O' }), 'drop').seats, { X: { ai: 'best' }, O: 'me' });
});

test('two people at one screen may have two names', () => {
  assert.deepEqual(creation('here', filled({ second: ' Mia ' })).seats, { X: 'me', O: { me: 'Mia' } });
  assert.deepEqual(creation('here', filled({ second: '' })).seats, { X: 'me', O: 'me' });
});

test('quick play names the game', () => {
  assert.deepEqual(seeking({ on: true, variant: 'drop' }), { type: 'quick', on: true, variant: 'drop' });
});

test('a game that this server does not offer is not chosen', () => {
  const variants = [VARIANTS['3x3'], VARIANTS.drop];
  const chosen = (/** @type {string} */ game) => chosenGame(/** @type {any} */ ({ variants, prefs: { game } })).name;
  assert.deepEqual(['drop', 'chess'].map(chosen), ['drop', '3x3']);
});
