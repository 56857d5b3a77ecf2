import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf } from '../../client/menu.js';
import { initial } from '../../client/store.js';
import {
  MORE,
  awayText,
  partnerText,
  announcement,
  backToGame,
  reviewWords,
  tvFacts,
  tvLine,
} from '../../client/words/en-rare.js';
import {
  GAMES,
  GRADES,
  LEVELS,
  LINES,
  NOTICES,
  PHRASES,
  REFUSALS,
  againWords,
  awayLine,
  beaten,
  boardName,
  cellLabel,
  changes,
  climbWords,
  clockName,
  crowd,
  drawsLine,
  duration,
  ending,
  gameName,
  gameRule,
  headline,
  inviteWords,
  lastGame,
  levelName,
  listedName,
  listedStatus,
  liveCount,
  lookNote,
  menuItem,
  moveLabel,
  notice,
  phrase,
  place,
  question,
  resultFacts,
  resultWord,
  resumeWords,
  roomTitle,
  seatName,
  spot,
  stairsLabel,
  stripLine,
  stripLabel,
  stripName,
  valueWords,
  verdict,
  watchNote,
  windowTitle,
  yes,
} from '../../client/words/en.js';
import { ADA, AI, BO, EVE, OPEN, VARIANTS, ended, gameOf, human, levelsOf, limits, snapshot, view } from './rooms.js';
import { filesIn, literalsOf, textOf } from './sources.js';

const COVERED = { ...AI, covers: { player: 'bo', name: 'Bo' } };
const BY_LINE = { by: 'line', line: [2, 4, 6] };
/** @param {string | null} winner @param {object} [changes] */
const over = (winner, changes = winner ? BY_LINE : {}) => ended(snapshot([4, 0, 2, 1, 6]), winner, changes);
/** @param {any} room @param {object} [changes] @param {any} [me] @returns {any} */
const page = (room, changes = {}, me = ADA) => ({
  ...initial(),
  me,
  link: 'online',
  room: 'r',
  limits,
  rooms: { r: view(room) },
  ...changes,
});

// -------------------------------------------------------------------------------------------- every code has its words

/** The names that a schema allows. @type {any} */
const { $defs: SCHEMA } = JSON.parse(textOf('docs/protocol.schema.json'));
/** The texts in double quotes that follow a word in a file of the server. @param {string} path @param {RegExp} form */
const quotedIn = (path, form) =>
  [...(form.exec(textOf(path))?.[0] ?? '').matchAll(/"([^"]+)"/g)].map(([, text]) => text);

/** @param {string} text */
const isSentence = (text) => /^[A-Z\d].*[.!?]$/.test(text);

test('every reason of a refusal has a sentence, and no other code has one', () => {
  const theirs = ['retry', 'too_many_rooms']; // the server knows what was asked, and whose limit it is
  const known = SCHEMA.Reason.enum.filter((/** @type {string} */ code) => !theirs.includes(code));
  assert.deepEqual(Object.keys(REFUSALS).sort(), known);
  const retry = { code: 'refused', reason: 'retry', text: 'The computer is busy. Ask again in a moment.' };
  assert.equal(notice(retry), retry.text);
  for (const text of Object.values(REFUSALS)) assert.ok(isSentence(text), text);
});

test('a reason that is not known yet is told in the server’s own words', () => {
  assert.equal(notice({ code: 'refused', reason: 'not_your_turn', text: 'x' }), 'It is not your turn yet.');
  assert.equal(notice({ code: 'refused', reason: 'brand_new', text: 'The server says so.' }), 'The server says so.');
  assert.equal(notice({ code: 'refused', reason: 'brand_new' }), 'That did not work.');
});

test('every way a game can end has a sentence of its own', () => {
  const sentences = SCHEMA.Outcome.properties.by.enum.map((/** @type {string} */ by) => {
    const winner = by === 'full' || by === 'limit' ? null : 'X';
    return ending(ended(gameOf('vanishing', [0]), winner, { by }), []);
  });
  assert.equal(new Set(sentences).size, SCHEMA.Outcome.properties.by.enum.length);
  for (const text of sentences) assert.ok(isSentence(text), text);
});

test('every level of the server has a name and a sentence', () => {
  const levels = quotedIn('server/core/levels.py', /WITHOUT_SEARCH = .*/);
  const top = quotedIn('server/core/levels.py', /return \(\*WITHOUT_SEARCH.*/);
  assert.deepEqual([...levels, ...top].sort(), Object.keys(LEVELS).sort());
  for (const { name, about } of Object.values(LEVELS)) assert.ok(/^[A-Z]/.test(name) && isSentence(about), name);
});

test('every variant of the server has a name, a rule and an explanation, and only those', () => {
  const offered = [...textOf('server/core/rules.py').matchAll(/= Variant\("([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(Object.keys(GAMES), offered);
  assert.deepEqual(Object.keys(VARIANTS), offered);
  assert.deepEqual(Object.keys(MORE), offered);
  for (const [id, { name, rule }] of Object.entries(GAMES))
    assert.ok(name && isSentence(rule) && isSentence(MORE[id]), name);
});

test('every phrase of the server has its words', () => {
  assert.deepEqual(Object.keys(PHRASES), quotedIn('noughts/messages.py', /PHRASES = .*/));
});

/** The codes of notices in a module: what stands behind `code:`, but not what it depends on. @param {string} text */
const codesIn = (text) =>
  [...text.matchAll(/\bcode: ([^,}\n]+)/g)].flatMap(([, said]) => literalsOf(said.replace(/=== '[^']*'/g, '')));

test('every notice that a module gives has its words, and every such word is given', () => {
  const modules = filesIn('client/', '.js').map(textOf);
  const given = new Set(modules.flatMap(codesIn));
  assert.deepEqual([...given].sort(), [...Object.keys(NOTICES), 'refused'].sort());
  const knocks = quotedKnocks(textOf('client/signals.js'));
  assert.deepEqual(
    knocks.filter((code) => !(code in NOTICES)),
    [],
  );
  for (const code of Object.keys(NOTICES)) assert.ok(isSentence(notice({ code, name: 'Bo' })), code);
});

/** @param {string} text */
const quotedKnocks = (text) => literalsOf(/KNOCKS = new Set\(\[(.*?)\]/.exec(text)?.[1] ?? '');

test('every state of the line and every grade has its words', () => {
  assert.deepEqual(Object.keys(LINES).sort(), ['barred', 'connecting', 'full', 'lost', 'online', 'refused']);
  assert.deepEqual(Object.keys(GRADES), ['best', 'fine', 'slip', 'blunder']);
});

test('everything in the menu that asks first has its item, its question and its yes', () => {
  const covered = { X: { ...AI, covers: { player: 'ada', name: 'Ada' } }, O: human(BO) };
  const rooms = [
    snapshot([4], { seats: { X: human(ADA), O: AI } }),
    snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }),
    snapshot([4], { seats: covered }),
  ];
  const items = rooms.flatMap((room) => itemsOf(page(room)));
  assert.deepEqual([...new Set(items.map(({ what }) => what))].sort(), [
    'dismiss',
    'leave',
    'leave_one',
    'leave_to_ai',
    'resign',
  ]);
  for (const { what, name } of items) {
    assert.match(menuItem(what, name), / …$/);
    assert.match(question(what, name), /^[A-Z].*\?/);
    assert.notEqual(yes(what), 'Yes');
  }
});

test('a code without words of its own is still readable', () => {
  assert.deepEqual([phrase('good_game'), phrase('see_you_soon')], ['Good game!', 'See you soon']);
  assert.deepEqual(
    [gameName('brand_new'), gameRule('brand_new'), levelName('very_hard')],
    ['Brand new', '', 'Very hard'],
  );
});

// --------------------------------------------------------------------------------------------- nothing reads like code

const BROKEN = /undefined|null|NaN|Infinity|\[object|\*|_|…\S| {2}|\.\.| [.,]/;
const PEOPLE = [human(ADA), human(BO), AI, COVERED, OPEN];

/** Every kind of company in a game of this variant. @param {string} name */
function* situations(name) {
  const clocks = [null, { budget: 30_000, increment: 0, left: { X: 9_000, O: 30_000 }, since: 1 }];
  for (const X of PEOPLE) {
    for (const O of PEOPLE) {
      const seats = { X, O };
      const isWaiting = X === OPEN || O === OPEN;
      for (const moves of [[], [0], [0, 1, 3]]) {
        const clock = clocks[moves.length % 2];
        const extra = {
          ...(VARIANTS[name].nested && { playable: [30, 31], boards: Array(9).fill(null) }),
          ...(VARIANTS[name].keep && { fading: null }),
        };
        const room = gameOf(name, moves, { seats, clock, ...extra });
        yield isWaiting ? { ...room, status: 'waiting', turn: null } : room;
        for (const by of SCHEMA.Outcome.properties.by.enum) {
          if (by === 'limit' && !VARIANTS[name].limit) continue;
          const winner = by === 'full' || by === 'limit' ? null : 'O';
          for (const rematch of [[], ['X'], ['O']]) yield ended(room, winner, { by, rematch });
        }
      }
    }
  }
}

/** All that is said about a room. @param {any} room @param {any} me @returns {string[]} */
function everything(room, me) {
  const state = page(room, {}, me);
  const here = view(room);
  const mine = room.seats.X.player === me.id ? ['X'] : [];
  const { title, detail } = headline(room, me);
  const { label, note } = againWords(room, /** @type {any} */ (mine));
  return [
    title,
    detail,
    label,
    note,
    windowTitle(state),
    roomTitle(room, room.moves.length, false),
    roomTitle(room, 0, true),
    ...['X', 'O'].flatMap((/** @type {any} */ mark) => [
      stripLine(state, here, mark),
      stripName(room, mark, mine.length > 0),
      seatName(room.seats[mark]),
      tvLine(here, mark),
    ]),
    ...Object.values(inviteWords(room)),
    ...resumeWords(room, me, 2),
    ...reviewWords(state, room, 0),
    ...changes(undefined, room, me),
    ...room.moves.map((/** @type {number} */ _, /** @type {number} */ ply) => moveLabel(room, ply, undefined)),
    resultFacts(room, 61_000),
    tvFacts(room),
    drawsLine(room),
    ...(room.outcome
      ? [resultWord(room, /** @type {any} */ (mine)), verdict(state, room, /** @type {any} */ (mine))]
      : []),
  ];
}

for (const name of Object.keys(VARIANTS)) {
  test(`whoever plays, leaves or watches, no sentence of ${name} has a hole in it`, () => {
    for (const room of situations(name)) {
      for (const me of [ADA, BO, EVE]) {
        const broken = everything(room, me).filter((text) => typeof text !== 'string' || BROKEN.test(text));
        assert.deepEqual(broken, [], JSON.stringify([room.seats, room.outcome, room.moves, me.name]));
      }
    }
  });
}

// ---------------------------------------------------------------------------------------------------- boards and cells

const PLAIN = { mark: null, isPending: false, isAimed: false, isFading: false, isPlayable: false, value: null };
/** @param {string} variant @param {number} cell @param {object} facts */
const labelled = (variant, cell, facts) => cellLabel(cell, VARIANTS[variant], { ...PLAIN, ...facts });

test('a cell says where it is, what is on it, and whether it may be played', () => {
  assert.equal(place(5, VARIANTS['3x3']), 'row 2, column 3');
  assert.equal(labelled('3x3', 5, {}), 'Row 2, column 3, empty');
  assert.equal(labelled('ultimate', 41, { isPlayable: true }), 'Row 2, column 3 of board 5, empty, playable');
  assert.equal(labelled('drop', 41, { isPlayable: true }), 'Row 6, column 7, empty, playable');
  assert.equal(labelled('vanishing', 0, { mark: 'X', isFading: true }), 'Row 1, column 1, X, vanishes next');
  assert.equal(labelled('3x3', 0, { mark: 'O', isPending: true }), 'Row 1, column 1, O, being sent');
  assert.equal(labelled('3x3', 0, { mark: 'O', isAimed: true }), 'Row 1, column 1, O as soon as it is your turn');
  assert.equal(labelled('3x3', 0, { value: { value: 'win', in: 3 } }), 'Row 1, column 1, empty, wins in 2 moves');
  assert.equal(boardName(4, null, true), 'Board 5, playable');
  assert.equal(boardName(4, 'X', false), 'Board 5, won by X');
  assert.equal(boardName(0, 'draw', false), 'Board 1, drawn');
});

test('in a sentence a square goes by the name that people have for it', () => {
  const spots = [0, 1, 4, 5, 8].map((cell) => spot(cell, VARIANTS['3x3']));
  assert.deepEqual(spots, [
    'the top left corner',
    'the top edge',
    'the centre',
    'the right edge',
    'the bottom right corner',
  ]);
  assert.equal(spot(38, VARIANTS.drop), 'column 4');
  assert.equal(spot(79, VARIANTS.ultimate), 'row 3, column 2 of the bottom right board');
  assert.equal(spot(7, VARIANTS['5x5']), 'row 2, column 3');
});

test('a value counts the moves of its own side', () => {
  /** @param {'win' | 'draw' | 'loss'} value @param {number | null} plies */
  const words = (value, plies) => valueWords({ value, in: plies }).join(' ').trim();
  assert.deepEqual([words('win', 1), words('win', 3), words('win', null)], ['Wins at once', 'Wins in 2 moves', 'Wins']);
  assert.deepEqual(
    [words('loss', 2), words('loss', 4), words('draw', 6)],
    ['Loses next move', 'Loses in 2 moves', 'Draw'],
  );
});

test('an estimate looks and sounds like one', () => {
  const [good, bad] = [40, -7].map((estimate) => ({ value: /** @type {const} */ ('unknown'), in: null, estimate }));
  assert.deepEqual(
    [good, bad].map((value) => valueWords(value)[0]),
    ['+40', '−7'],
  );
  assert.equal(labelled('drop', 0, { value: bad }), 'Row 1, column 1, empty, estimated at -7 of 100');
  /** @param {any[]} cells */
  const note = (cells, isPast = false) => lookNote(/** @type {any} */ ({ turn: 'X', cells }), isPast);
  assert.match(note([good, null]), /an estimate/);
  assert.doesNotMatch(
    note([
      { value: 'draw', in: 3 },
      { value: 'loss', in: 2 },
    ]),
    /estimate/,
  );
});

test('nine times the same is said once', () => {
  const cells = Array(9).fill({ value: 'draw', in: 9 });
  const note = lookNote(/** @type {any} */ ({ turn: 'X', cells }), false);
  assert.equal(note, 'Every square is worth the same for X: a draw.');
});

test('after the end there is nothing to say about the squares', () => {
  assert.equal(lookNote(/** @type {any} */ ({ turn: null, cells: Array(9).fill(null) }), false), '');
  assert.equal(lookNote(null, false), '');
});

// -------------------------------------------------------------------------------------------------------------- clocks

test('clocks show tenths only at the very end', () => {
  const shown = [60_000, 59_001, 10_000, 9_900, 950, 0].map(duration);
  assert.deepEqual(shown, ['1:00', '1:00', '0:10', '0:09.9', '0:01.0', '0:00.0']);
});

test('a clock is named as it is chosen', () => {
  assert.deepEqual([0, 5, 30, 180].map(clockName), ['None', '5 s', '30 s', '3 min']);
});

// ------------------------------------------------------------------------------------------------------ during the game

test('the headline tells each one their own side of the game', () => {
  const room = snapshot([4]);
  assert.equal(headline(room, BO).title, 'Your turn');
  assert.equal(headline(room, ADA).title, 'Waiting for Bo…');
  assert.deepEqual(headline(room, EVE), { title: 'Bo to move', detail: 'You are watching.' });
  assert.equal(headline(snapshot([4], { seats: { X: human(ADA), O: AI } }), ADA).title, 'The computer is thinking');
  assert.equal(headline(snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }), ADA).title, 'O to move');
});

test('on a dead line it is nobody’s turn', () => {
  const room = snapshot([4, 0]);
  const lost = page(room, { link: 'lost' });
  assert.equal(headline(room, ADA, 2, true).title, 'No connection');
  assert.equal(windowTitle(lost), 'No connection · Noughts');
  assert.equal(stripLine(lost, view(room), 'X'), 'No connection');
  assert.equal(stripLine(lost, view(room), 'O'), 'unknown (no connection)');
  assert.equal(stripLine({ ...lost, pending: { cell: 4 } }, view(room), 'X'), 'Move kept, not sent yet');
});

test('the line under a name says what that player does', () => {
  /** @param {any} room @param {'X' | 'O'} mark @param {object} [changes] @param {object} [seen] @param {any} [me] */
  const line = (room, mark, changes, seen, me) => stripLine(page(room, changes, me), view(room, seen), mark);
  assert.equal(line(snapshot([4, 0]), 'X'), 'Your turn');
  assert.equal(line(snapshot([4, 0]), 'O'), 'online');
  assert.equal(line(snapshot([4, 0]), 'O', {}, { online: ['X'] }), 'away');
  assert.equal(line(snapshot([4]), 'O'), 'thinking …');
  assert.equal(line(snapshot([4]), 'O', {}, {}, EVE), 'to move');
  assert.equal(line(snapshot([4]), 'X', {}, {}, EVE), 'just moved');
  assert.equal(line(snapshot([4]), 'X', { premove: { cell: 0 } }), 'Your next move is pencilled in');
  assert.equal(line(snapshot([4, 0], { seats: { X: human(ADA), O: COVERED } }), 'O'), 'for Bo');
  assert.equal(line(snapshot([4, 0], { seats: { X: human(ADA), O: AI } }), 'O'), 'not beaten yet');
  const here = { X: human(ADA), O: { ...human(ADA), name: 'Mia' } };
  assert.equal(line(snapshot([4], { seats: here }), 'O'), 'Mia, your turn');
  assert.equal(line(gameOf('reverse', []), 'X'), 'Your turn · avoid three');
  assert.equal(line(gameOf('vanishing', [0, 3, 1, 4, 8, 7], { fading: 0 }), 'X'), 'Your turn · the faint X goes next');
});

test('a computer that drew held a player, not a watcher', () => {
  const drawn = ended(snapshot([4], { seats: { X: human(ADA), O: AI } }), null);
  assert.equal(stripLine(page(drawn), view(drawn), 'O'), 'held you');
  assert.equal(stripLine(page(drawn, {}, EVE), view(drawn), 'O'), '');
});

test('on nested boards the turn says which board to play', () => {
  const free = gameOf('ultimate', [], { playable: [0, 3] });
  const sent = gameOf('ultimate', [0, 1], { playable: [3, 4, 5], boards: Array(9).fill(null) });
  assert.equal(headline(free, ADA).detail, 'You are X. Play on any open board.');
  assert.equal(headline(sent, ADA).detail, 'You are X. Play on the top board.');
  assert.equal(stripLine(page(sent), view(sent), 'X'), 'Your turn, top board');
  assert.equal(stripLine(page(free), view(free), 'X'), 'Your turn, any open board');
});

test('who waits is told whether the link was opened; who comes, that they are meant', () => {
  const room = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  assert.equal(stripName(room, 'O', true), 'Waiting for your friend …');
  assert.equal(stripName(room, 'O', false), 'You');
  assert.equal(stripLine(page(room), view(room), 'O'), 'link not opened yet');
  assert.equal(stripLine(page(room), view(room, { watchers: 1 }), 'O'), 'has opened your link');
  assert.equal(inviteWords(room).title, 'Ada invites you');
  const clock = { budget: 30_000, increment: 0, left: { X: 30_000, O: 30_000 }, since: null };
  assert.equal(inviteWords({ ...room, clock }).rule, 'First to three in a row. 30 s each on the clock.');
});

test('somebody who leaves in the middle of a game keeps their name until another one comes', () => {
  const room = snapshot([4, 0], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  assert.equal(stripName(room, 'O', true, /** @type {any} */ (human(BO))), 'Bo');
  assert.equal(stripName(room, 'O', true), 'O');
  assert.equal(stripLine(page(room), view(room), 'O'), 'has left');
  const unbegun = { ...room, moves: [] };
  assert.equal(stripName(unbegun, 'O', true, /** @type {any} */ (human(BO))), 'Bo');
  assert.equal(stripLine(page(unbegun), view(unbegun, { players: { O: human(BO) }, watchers: 1 }), 'O'), 'has left');
  assert.equal(stripName(unbegun, 'O', true, /** @type {any} */ (AI)), 'Waiting for your friend …');
  for (const winner of ['X', 'O', null])
    assert.equal(stripLine(page(over(winner)), view({ ...over(winner), seats: room.seats }), 'O'), 'has left');
  assert.equal(stripLine(page(room), view(room), 'X'), '');
  assert.equal(stripLine(page(room, {}, EVE), view(room), 'X'), 'waiting for you');
  assert.equal(stripLine(page(room, { declined: ['r'] }, EVE), view(room), 'X'), '');
});

test('absence says when the other player can go on, and then what to do', () => {
  /** @type {any} */
  const away = { mark: 'O', name: 'Bo', left: 16_500, mayCover: false, mayClaim: false };
  assert.equal(awayLine(away), 'Away. You can go on without Bo in 17 s');
  assert.equal(awayLine({ ...away, mayCover: true }), 'Away');
  assert.match(awayText(away), /In 17 s you can let the computer move for Bo\./);
  assert.equal(awayLine(null), '');
});

test('those who watch are counted without me', () => {
  assert.deepEqual(
    [crowd(0, true), crowd(1, true), crowd(3, true)],
    ['You are watching', 'You and 1 other are watching', 'You and 3 others are watching'],
  );
  assert.deepEqual(
    [crowd(0, false), crowd(1, false), crowd(2, false)],
    ['', '1 person is watching', '2 people are watching'],
  );
});

// -------------------------------------------------------------------------------------------------------------- the end

test('the end is told from where one sat', () => {
  assert.deepEqual(headline(over('X'), ADA), { title: 'You won', detail: 'Three in a row for X.' });
  assert.equal(headline(over('X'), BO).title, 'Ada won');
  assert.equal(headline(over('X'), EVE).title, 'Ada won');
  assert.equal(headline(over(null), ADA).title, 'A draw');
  assert.equal(headline(over('X', { by: 'resignation' }), EVE).detail, 'Bo resigned.');
  assert.equal(headline(over('X', { by: 'absence' }), BO).detail, 'You were away too long.');
  assert.deepEqual(headline(over('O', { by: 'time' }), BO), {
    title: 'You won on time',
    detail: 'Ada ran out of time.',
  });
});

test('the window’s title names those who played, not who sat down after', () => {
  const room = over('X', { seats: { X: human(EVE), O: human(BO) }, score: { X: 0, O: 0, draws: 0 } });
  const seen = { r: view(room, { players: { X: human(ADA), O: human(BO) } }) };
  assert.equal(windowTitle(page(room, { rooms: seen }, EVE)), 'Ada won · Noughts');
  assert.equal(windowTitle(page(room, {}, EVE)), 'X won · Noughts');
});

test('each game ends in its own words', () => {
  /** @param {string} name @param {string | null} winner @param {object} [changes] */
  const told = (name, winner, changes) => headline(ended(gameOf(name, [0]), winner, changes), ADA);
  assert.deepEqual(told('reverse', 'X'), { title: 'You won', detail: 'Three in a row for O, and that loses here.' });
  assert.equal(told('ultimate', 'O').detail, 'Three boards in a row for O.');
  assert.equal(told('ultimate', null).detail, 'Every board is decided.');
  assert.deepEqual(told('vanishing', null, { by: 'limit' }), {
    title: 'A draw',
    detail: '100 moves, and nobody has won.',
  });
  assert.equal(told('drop', 'X').detail, 'Four in a row for X.');
});

test('another game says who waits for whom', () => {
  const asked = over('X', { ...BY_LINE, rematch: ['X'] });
  assert.deepEqual(againWords(asked, ['X']), { label: 'Asked Bo, waiting …', isAsked: true, note: '' });
  assert.deepEqual(againWords(asked, ['O']), {
    label: 'Ada wants another: Again',
    isAsked: false,
    note: 'Ada wants another game.',
  });
});

/** @param {number} ply @param {string} value @param {string} best @param {number[]} cells @returns {any} */
const judged = (ply, value, best, cells, cell = 0) => ({
  ply,
  mark: 'XO'[ply % 2],
  cell,
  value,
  in: null,
  best,
  cells,
});
/** @param {any} room @param {any[]} lines @param {any} [me] */
const reviewed = (room, lines, me) => page(room, { review: { room: 'r', game: 1, lines, isComplete: true } }, me);

test('the verdict says where a game was won or lost, in two sentences at most', () => {
  const lines = [
    judged(0, 'draw', 'draw', [4], 4),
    judged(1, 'loss', 'draw', [0, 2, 6, 8], 1),
    judged(2, 'win', 'win', [0]),
  ];
  const room = over('X');
  assert.equal(
    verdict(reviewed(room, lines), room, ['X']),
    'Two best moves of two. O went wrong at move 2: only a corner held.',
  );
  assert.equal(verdict(reviewed(room, lines, BO), room, ['O']), 'You had the draw at move 2: a corner holds.');
  for (const [cells, what] of /** @type {[number[], string][]} */ ([
    [[1, 7], 'an edge holds'],
    [[0, 1, 2], 'three squares held'],
    [[0, 4, 8], 'three squares held'],
  ])) {
    const slip = [judged(1, 'loss', 'draw', cells, 3)];
    assert.equal(verdict(reviewed(room, slip, BO), room, ['O']), `You had the draw at move 2: ${what}.`);
  }
  const won = [judged(0, 'draw', 'win', [8], 0)];
  const drawn = over(null);
  assert.equal(
    verdict(reviewed(drawn, won), drawn, ['X']),
    'The board is full. 0 of 1 moves were best.',
    'the count comes before the mistake',
  );
  assert.equal(
    verdict(reviewed(over('O'), won), over('O'), ['X']),
    'You had the win at move 1: the bottom right corner wins.',
  );
  assert.equal(verdict(page(room), room, ['X']), 'Three in a row for X.', 'before the review has come');
  const unclear = [judged(0, 'unknown', 'unknown', []), judged(2, 'win', 'win', [0])];
  assert.equal(verdict(reviewed(room, unclear), room, ['X']), 'Best in 1 of 1 moves that can be judged.');
});

test('the review says of each move what it kept or gave away', () => {
  const room = over('X');
  const words = (/** @type {any} */ line) => reviewWords(reviewed(room, [line]), room, 0);
  assert.deepEqual(words(judged(0, 'loss', 'draw', [4])), [
    'Here it went',
    'Only the centre held the draw. You played the top left corner.',
  ]);
  assert.deepEqual(words(judged(0, 'draw', 'win', [4, 8])), [
    'A slip',
    '2 squares won. You played the top left corner.',
  ]);
  assert.deepEqual(words(judged(0, 'win', 'win', [0])), [
    'Move 1',
    'The top left corner: the only square that kept a win.',
  ]);
  assert.deepEqual(words(judged(0, 'draw', 'draw', [0, 1, 2, 3, 4])), [
    'Move 1',
    'You played the top left corner. Nothing was lost.',
  ]);
  assert.match(words(judged(0, 'unknown', 'unknown', []))[1], /estimates/);
  assert.deepEqual(reviewWords(page(room), room, 5), ['You won', 'Three in a row for X.']);
});

test('a move is labelled with its place and its grade', () => {
  assert.equal(moveLabel(over('X'), 1, 'blunder'), 'Move 2: O on row 1, column 1, lost it');
  const running = gameOf('drop', [38]);
  assert.equal(roomTitle(running, 1, false), 'Drop Four');
  assert.equal(roomTitle(running, 1, false, 2), 'Drop Four · this screen');
  assert.equal(roomTitle(running, 1, false, 0), 'Drop Four · watching');
  assert.equal(roomTitle(over('X'), 1, true), 'Game 1 · move 2 of 5');
  assert.equal(backToGame(null, true), 'Go to the new game');
  assert.deepEqual([backToGame(1, false), backToGame(2, false)], ['1 new move', '2 new moves']);
  assert.deepEqual([backToGame(0, false), backToGame(0, true)], ['Back to the game', 'Done']);
  assert.equal(backToGame(4, true), 'See the result');
});

// ------------------------------------------------------------------------------------------------------------ announced

test('a change is announced once, also when a frame was skipped', () => {
  assert.deepEqual(changes(snapshot([4]), snapshot([4, 0, 8]), BO), ['O on row 1, column 1.', 'X on row 3, column 3.']);
  assert.deepEqual(changes(snapshot([4]), snapshot([4, 0]), ADA), ['O on row 1, column 1.', 'Your turn.']);
  assert.deepEqual(changes(snapshot([4]), snapshot([4]), ADA), []);
});

test('players, the end and the next game are announced', () => {
  const waiting = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  assert.deepEqual(changes(waiting, snapshot(), ADA), ['Bo plays O.', 'Your turn.']);
  assert.deepEqual(changes(snapshot([4, 0, 2, 1]), over('X'), EVE), [
    'X on row 3, column 1.',
    'Ada won. Three in a row for X.',
  ]);
  const next = snapshot([], { game: 2, seats: { X: human(BO), O: human(ADA) } });
  assert.deepEqual(changes(over('X'), next, BO), ['Game 2 begins.', 'Bo plays X.', 'Ada plays O.', 'Your turn.']);
});

test('who sits down after the end, and a wish for another game, are announced without the result', () => {
  const room = over('X');
  const joined = { ...room, seats: { X: human(ADA), O: human(EVE) } };
  assert.deepEqual(changes({ ...room, seats: { X: human(ADA), O: OPEN } }, joined, EVE), ['Eve plays O.']);
  assert.deepEqual(changes(joined, { ...joined, rematch: ['X'] }, EVE), ['Ada wants another game.']);
});

test('a vanished mark and a won board are announced', () => {
  const moves = [0, 3, 1, 4, 8, 7];
  assert.deepEqual(changes(gameOf('vanishing', moves), gameOf('vanishing', [...moves, 5]), ADA), [
    'X on row 2, column 3.',
    'Row 1, column 1 is empty again.',
  ]);
  const [none, one] = [Array(9).fill(null), ['X', ...Array(8).fill(null)]];
  assert.deepEqual(
    changes(gameOf('ultimate', [0], { boards: none }), gameOf('ultimate', [0, 30, 2], { boards: one }), ADA),
    ['O on row 1, column 1 of board 5.', 'X on row 1, column 3 of board 1.', 'Board 1, won by X.'],
  );
});

test('two people at one screen go by their names if they have two', () => {
  const both = (/** @type {string} */ name) => snapshot([], { seats: { X: human(ADA), O: { ...human(ADA), name } } });
  assert.equal(headline(both('Ada'), ADA).title, 'X to move');
  assert.equal(headline(both('Mia'), ADA).title, 'Ada to move');
});

// ----------------------------------------------------------------------------------------------------------------- home

test('the list says how a game stands or ended', () => {
  const room = { seats: { X: AI, O: AI }, status: 'over', turn: null, variant: 'drop' };
  const told = [{ winner: 'X' }, { winner: null }, { status: 'playing' }].map((more) =>
    listedStatus(/** @type {any} */ ({ ...room, ...more })),
  );
  assert.deepEqual(told, ['Hard computer won', 'A draw', 'Drop Four']);
  const waiting = /** @type {any} */ ({
    ...room,
    status: 'waiting',
    seats: { X: { kind: 'human', name: 'Bo' }, O: OPEN },
  });
  assert.deepEqual(
    [listedStatus(waiting), listedName(waiting, 'X'), listedName(waiting, 'O')],
    ['needs a player', 'Bo', 'needs a player'],
  );
});

test('one is counted as one', () => {
  assert.deepEqual(
    [liveCount(0, 0), liveCount(1, 1), liveCount(2, 3), liveCount(2, 0)],
    ['', '1 game · 1 person', '2 games · 3 people', '2 games'],
  );
  assert.deepEqual([watchNote(0, 0), watchNote(1, 2)], ['Let two computers play for you', '1 game on, 2 people here']);
});

test('a game to go on with says whose turn it is, and how many more there are', () => {
  assert.deepEqual(resumeWords(snapshot([4, 0]), ADA, 0), ['Your turn', 'against Bo']);
  assert.deepEqual(resumeWords(snapshot([4]), ADA, 2), ['Going on', 'against Bo · 2 more']);
  const waiting = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  assert.deepEqual(resumeWords(waiting, ADA, 0), ['Waiting', 'for a friend · Classic Three']);
});

test('the climb says what is behind and what is next', () => {
  assert.deepEqual(climbWords('3x3', 'hard'), ['Classic Three. Next: Hard', 'Slips about once a game.']);
  assert.deepEqual(climbWords('drop', null), [
    'Drop Four. All the way up',
    'You have climbed every level of Drop Four.',
  ]);
  assert.equal(stairsLabel(levelsOf('3x3').slice(0, 2), 'medium'), 'Gentle, Easy climbed, Medium is next');
  assert.equal(stairsLabel([], 'gentle'), 'Nothing climbed yet, Gentle is next');
  const tally = (/** @type {number} */ won) => beaten({ won, drawn: 0, lost: 0 });
  assert.deepEqual([tally(0), tally(1), tally(4)], ['behind you', 'beaten', 'beaten 4 times']);
  const last = { room: 'r', game: 1, variant: '3x3', level: 'hard', result: /** @type {const} */ ('lost') };
  assert.equal(lastGame(last), 'Last game: lost to Hard · ');
});

test('another player who is here can be played, and may have asked already', () => {
  assert.equal(partnerText(BO, false), 'Bo is here as well.');
  assert.equal(partnerText(BO, true), 'Bo would like to play you.');
});

test('an announcement says how long it is until then', () => {
  const said = (due, now = 0) => announcement({ text: 'A restart.', due }, now);
  assert.equal(said(null), 'A restart.');
  assert.equal(said(2 * 3_600_000 + 5 * 60_000), 'In 2 h 5 min · A restart.');
  assert.equal(said(12 * 60_000), 'In 12 min · A restart.');
  assert.equal(said(299_000), 'In 4:59 · A restart.');
  assert.equal(said(8_400), 'In 0:09 · A restart.');
  assert.equal(said(5_000, 5_000), 'Any moment now · A restart.');
});

test('a screen reader hears that a seat is a bot’s', () => {
  assert.equal(stripLabel('Robo', 'O', true), 'Robo, bot, O');
  assert.equal(stripLabel('Ada', 'X'), 'Ada, X');
});
