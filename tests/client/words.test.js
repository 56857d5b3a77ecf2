import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellLabel, gameName, gameRule, lookNote, place, smallBoardLabel, valueLabel } from '../../client/names.js';
import { absence, certainty, changes, duration, headline, offerLabel, phrase, refusal, seatName, wallStatus } from '../../client/words.js';
import { ADA, AI, BO, OPEN, VARIANTS, gameOf, human, snapshot } from './rooms.js';

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
  assert.equal(place(5, { columns: 3 }), 'row 2, column 3');
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

const PLAIN = { mark: null, isPending: false, isAimed: false, isFading: false, isPlayable: false, value: null };
/** @param {string} variant @param {number} cell @param {object} facts */
const labelled = (variant, cell, facts) => cellLabel(cell, VARIANTS[variant], { ...PLAIN, ...facts });

test('every game has a name and a rule, and an unknown one is still readable', () => {
  for (const name of Object.keys(VARIANTS)) assert.match(gameRule(name), /\.$/);
  assert.deepEqual(Object.keys(VARIANTS).map(gameName), ['Classic', 'Reverse', 'Vanishing', 'Five by five', 'Drop four', 'Ultimate']);
  assert.deepEqual([gameName('brand_new'), gameRule('brand_new')], ['Brand new', '']);
});

test('a cell says where it is, what is on it, and whether it may be played', () => {
  assert.equal(labelled('3x3', 5, {}), 'Row 2, column 3, empty');
  assert.equal(labelled('ultimate', 41, { isPlayable: true }), 'Row 2, column 3 of board 5, empty, playable');
  assert.equal(labelled('drop', 41, { isPlayable: true }), 'Row 6, column 7, empty, playable');
  assert.equal(labelled('vanishing', 0, { mark: 'X', isFading: true }), 'Row 1, column 1, X, vanishes next');
  assert.equal(labelled('3x3', 0, { mark: 'O', isPending: true }), 'Row 1, column 1, O, being sent');
  assert.equal(labelled('3x3', 0, { mark: 'O', isAimed: true }), 'Row 1, column 1, O as soon as it is your turn');
  assert.equal(labelled('3x3', 0, { value: { value: 'win', in: 3 } }), 'Row 1, column 1, empty, Win in 3');
  assert.equal(smallBoardLabel(4, null, true), 'Board 5, playable');
  assert.equal(smallBoardLabel(4, 'X', false), 'Board 5, won by X');
  assert.equal(smallBoardLabel(0, 'draw', false), 'Board 1, drawn');
});

test('an estimate looks and sounds like one', () => {
  const [good, bad] = [40, -7].map((estimate) => ({ value: /** @type {const} */ ('unknown'), in: null, estimate }));
  assert.deepEqual([good, bad].map(valueLabel), ['≈+40', '≈−7']);
  assert.equal(labelled('drop', 0, { value: bad }), 'Row 1, column 1, empty, estimated at -7 of 100');
  assert.equal(valueLabel({ value: 'win', in: null }), 'Win');
  const analysis = { room: 'r', ply: 0, turn: 'X', type: 'analysis', re: null };
  assert.match(lookNote(/** @type {any} */ ({ ...analysis, cells: [good, null] }), false), /≈ is an estimate/);
  assert.doesNotMatch(lookNote(/** @type {any} */ ({ ...analysis, cells: [{ value: 'draw', in: 3 }] }), false), /estimate/);
});

test('each game ends in its own words', () => {
  /** @param {string} name @param {any} outcome */
  const told = (name, outcome) => headline(gameOf(name, [0], { status: 'over', turn: null, outcome, score: { X: 1, O: 0, draws: 0 } }), ADA);
  assert.deepEqual(told('reverse', { winner: 'X', by: 'line', line: [0, 1, 2] }), { title: 'You won', detail: 'Three in a row for O, and that loses here.' });
  assert.equal(told('ultimate', { winner: 'O', by: 'line', line: [], boards: [0, 4, 8] }).detail, 'Three boards in a row for O.');
  assert.equal(told('ultimate', { winner: null, by: 'full', line: null }).detail, 'Every board is decided.');
  assert.deepEqual(told('vanishing', { winner: null, by: 'limit', line: null }), { title: 'A draw', detail: '100 moves, and nobody has won.' });
  assert.equal(told('drop', { winner: 'X', by: 'line', line: [0, 1, 2, 3] }).detail, 'Four in a row for X.');
});

test('on nested boards the turn says which board to play', () => {
  assert.equal(headline(gameOf('ultimate', [], { playable: [0, 3] }), ADA).detail, 'You are X. Play on any open board.');
  const sent = gameOf('ultimate', [0, 1], { playable: [3, 4, 5], boards: Array(9).fill(null) });
  assert.equal(headline(sent, ADA).detail, 'You are X. Play on board 2.');
  assert.deepEqual(changes(gameOf('ultimate', [0], { boards: Array(9).fill(null) }), sent, ADA), [
    'O on row 1, column 2 of board 1.', 'Your turn. Play on board 2.',
  ]);
});

test('a vanished mark and a won board are announced', () => {
  const moves = [0, 3, 1, 4, 8, 7];
  assert.deepEqual(changes(gameOf('vanishing', moves), gameOf('vanishing', [...moves, 5]), ADA), [
    'X on row 2, column 3.', 'Row 1, column 1 is empty again.',
  ]);
  const [none, one] = [Array(9).fill(null), ['X', ...Array(8).fill(null)]];
  assert.deepEqual(changes(gameOf('ultimate', [0], { boards: none }), gameOf('ultimate', [0, 30, 2], { boards: one }), ADA), [
    'O on row 1, column 1 of board 5.', 'X on row 1, column 3 of board 1.', 'Board 1, won by X.',
  ]);
});

test('two people at one screen go by their names if they have two', () => {
  const both = (/** @type {string} */ name) => snapshot([], { seats: { X: human(ADA), O: { ...human(ADA), name } } });
  assert.equal(headline(both('Ada'), ADA).title, 'X to move');
  assert.equal(headline(both('Mia'), ADA).title, 'Ada to move');
});

test('the list says how a game ended', () => {
  const room = { seats: { X: AI, O: AI }, status: 'over', turn: null };
  const ended = [{ winner: 'X' }, { winner: null }, {}].map((more) => wallStatus(/** @type {any} */ ({ ...room, ...more })));
  assert.deepEqual(ended, ['X won', 'A draw', 'Finished']);
});
