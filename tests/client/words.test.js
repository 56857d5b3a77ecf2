import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absence, certainty, changes, duration, headline, offerLabel, phrase, place, refusal, seatName, valueLabel } from '../../client/words.js';
import { ADA, AI, BO, OPEN, human, snapshot } from './rooms.js';

const EVE = { id: 'eve', name: 'Eve' };
/** @param {any} outcome @param {object} [more] */
const over = (outcome, more = {}) => snapshot([4, 0, 2, 1, 6], { status: 'over', turn: null, outcome, score: { X: 1, O: 0, draws: 0 }, ...more });
const byLine = { winner: 'X', by: 'line', line: [2, 4, 6] };

test('reasons become sentences, unknown ones the server’s own', () => {
  assert.equal(refusal('not_your_turn', 'x'), 'It is not your turn yet.');
  assert.equal(refusal('brand_new', 'The server says so.'), 'The server says so.');
});

test('a phrase without words of its own is still readable', () => {
  assert.equal(phrase('good_game'), 'Good game!');
  assert.equal(phrase('see_you_soon'), 'See you soon');
});

test('clocks show tenths only at the very end', () => {
  assert.deepEqual([60_000, 59_001, 10_000, 9_900, 950, 0].map(duration), ['1:00', '1:00', '0:10', '0:09.9', '0:01.0', '0:00.0']);
});

test('absence says when the other player can go on, and then what to do', () => {
  assert.equal(absence('Bo', 3_500, 20_000), 'Bo is away. You can go on in 17 s.');
  assert.equal(absence('Bo', 20_000, 20_000), 'Bo has been away for 20 s. Wait, or add the computer.');
  assert.match(absence('Bo', 179_999, 20_000), /for 2 min/);
});

test('cells, values, seats and offers have names', () => {
  assert.equal(place(5, 3), 'row 2, column 3');
  assert.equal(valueLabel({ value: 'win', in: 3 }), 'Win in 3');
  assert.equal(valueLabel({ value: 'draw', in: 6 }), 'Draw');
  assert.equal(seatName(/** @type {any} */ (AI)), 'Hard');
  assert.equal(offerLabel('sit', 'O'), 'Play as O');
  assert.equal(certainty('leave_one', 'O'), 'Yes, stop playing O');
});

test('the headline tells each one their own side of the game', () => {
  const room = snapshot([4]);
  assert.equal(headline(room, BO).title, 'Your turn');
  assert.equal(headline(room, ADA).title, 'Waiting for Bo…');
  assert.deepEqual(headline(room, EVE), { title: 'Bo to move', detail: 'You are watching.' });
  assert.equal(headline(snapshot([4], { seats: { X: human(ADA), O: AI } }), ADA).title, 'The computer is thinking');
  assert.equal(headline(snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }), ADA).title, 'O to move');
});

test('the end is told from where one sits', () => {
  assert.deepEqual(headline(over(byLine), ADA), { title: 'You won', detail: 'Three in a row for X.' });
  assert.equal(headline(over(byLine), BO).title, 'You lost');
  assert.equal(headline(over(byLine), EVE).title, 'Ada won');
  assert.equal(headline(over({ winner: null, by: 'full', line: null }), ADA).title, 'A draw');
  assert.equal(headline(over({ winner: 'X', by: 'resignation', line: null }), EVE).detail, 'Bo resigned.');
  assert.equal(headline(over({ winner: 'X', by: 'absence', line: null }), BO).detail, 'You were away too long.');
  assert.equal(headline(over({ winner: 'O', by: 'time', line: null }), BO).detail, 'Ada ran out of time.');
});

test('who sits down after the end is not told to have played', () => {
  const score = { X: 0, O: 0, draws: 0 };
  const seats = { X: human(ADA), O: human(EVE) };
  const left = over({ winner: 'X', by: 'resignation', line: null }, { seats: { X: human(ADA), O: OPEN } });
  const room = { ...left, seats, score };
  for (const me of [ADA, EVE, BO]) assert.deepEqual(headline(room, me), { title: 'X won', detail: 'O resigned.' });
  assert.equal(headline(over({ winner: 'X', by: 'time', line: null }, { seats, score }), EVE).detail, 'O ran out of time.');
  assert.equal(headline(over({ winner: 'X', by: 'absence', line: null }, { seats, score }), ADA).detail, 'O was away too long.');
  assert.deepEqual(headline(over({ winner: null, by: 'full', line: null }, { seats, score }), EVE), { title: 'A draw', detail: 'The board is full.' });
  assert.equal(headline({ ...room, rematch: ['X'] }, EVE).detail, 'O resigned. Ada would like a rematch.');
  assert.deepEqual(changes(left, room, EVE), ['Eve plays O.']);
  assert.deepEqual(changes(room, { ...room, rematch: ['X'] }, EVE), ['Ada would like a rematch.']);
  assert.deepEqual(changes(undefined, room, EVE), ['X won. O resigned.']);
});

test('an absent opponent is counted down to the moment that welcome gave', () => {
  assert.match(absence('Bo', 3_000, 20_000), /\b17 s/);
  assert.match(absence('Bo', 19_999, 20_000), /\b1 s/);
  assert.match(absence('Bo', 4_000, 60_000), /\b56 s/);
});

test('looking back, the headline says where one is', () => {
  assert.deepEqual(headline(over(byLine), ADA, 3), { title: 'You won', detail: 'Move 3 of 5.' });
  assert.equal(headline(over(byLine, { rematch: ['O'] }), ADA, 0).detail, 'Start. Bo would like a rematch.');
  assert.equal(headline(over(byLine), ADA, 5).detail, 'Three in a row for X.');
});

test('a rematch says who waits for whom', () => {
  const room = over(byLine, { rematch: ['X'] });
  assert.match(headline(room, ADA).detail, /Waiting for Bo to agree/);
  assert.match(headline(room, BO).detail, /Ada would like a rematch/);
  assert.match(headline(over(byLine, { rematch: ['X'], seats: { X: human(ADA), O: OPEN } }), ADA).detail, /when somebody plays O/);
});

test('a change is announced once, also when a frame was skipped', () => {
  assert.deepEqual(changes(snapshot([4]), snapshot([4, 0, 8]), BO), ['O on row 1, column 1.', 'X on row 3, column 3.']);
  assert.deepEqual(changes(snapshot([4]), snapshot([4, 0]), ADA), ['O on row 1, column 1.', 'Your turn.']);
  assert.deepEqual(changes(snapshot([4]), snapshot([4]), ADA), []);
});

test('seats, the end and the next game are announced', () => {
  const waiting = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  assert.deepEqual(changes(waiting, snapshot(), ADA), ['Bo plays O.', 'Your turn.']);
  assert.deepEqual(changes(snapshot([4, 0, 2, 1]), over(byLine), EVE), ['X on row 3, column 1.', 'Ada won. Three in a row for X.']);
  const next = snapshot([], { game: 2, seats: { X: human(BO), O: human(ADA) } });
  assert.deepEqual(changes(over(byLine), next, BO), ['Game 2 begins.', 'Bo plays X.', 'Ada plays O.', 'Your turn.']);
});
