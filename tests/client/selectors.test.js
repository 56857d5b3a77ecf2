import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  absence,
  accuracyOf,
  asPlayed,
  awayFor,
  chosenGame,
  climbed,
  coverLevel,
  emptyScene,
  gradeOf,
  gradesOf,
  hasBot,
  isExhibition,
  isFlat,
  isMyTurn,
  isMyTurnNext,
  isOnline,
  isWatcher,
  leaving,
  levelFor,
  mayAnalyse,
  mayArrange,
  moveTo,
  myCovered,
  mySeats,
  nearMark,
  railOf,
  rank,
  reviewStart,
  sceneOf,
  seeking,
  tapOf,
  timeLeft,
  turningPoint,
} from '../../client/selectors.js';
import { NO_PROGRESS, initial } from '../../client/store.js';
import { ADA, AI, BO, EVE, OPEN, VARIANTS, ended, gameOf, human, levelsOf, limits, snapshot, view } from './rooms.js';

const COVERED = { ...AI, covers: { player: 'ada', name: 'Ada' } };
const AGAINST_AI = { seats: { X: human(ADA), O: AI } };
/** A page of Ada's that shows this room. @param {any} room @param {object} [changes] @returns {any} */
const page = (room, changes = {}) => ({
  ...initial(),
  me: ADA,
  link: 'online',
  room: room.room,
  rooms: { [room.room]: view(room) },
  limits,
  ...changes,
});
/** @param {any} room @param {object} [changes] */
const sceneFor = (room, changes) => sceneOf(page(room, changes), room);
/** The cells for which something holds. @param {ReturnType<typeof sceneOf>} scene @param {(cell: SceneCell) => unknown} holds */
const cellsThat = ({ cells }, holds) => cells.flatMap((cell, index) => (holds(cell) ? [index] : []));

// ----------------------------------------------------------------------------------------------------------- who am I

test('a seat is mine by its player, not by its name', () => {
  const room = snapshot([], { seats: { X: human({ id: 'x', name: 'Ada' }), O: human(ADA) } });
  assert.deepEqual([mySeats(room, ADA), mySeats(room, BO), mySeats(room, null)], [['O'], [], []]);
  assert.deepEqual(mySeats(snapshot([], { seats: { X: human(ADA), O: human(ADA) } }), ADA), ['X', 'O']);
});

test('a seat that the computer covers for me is not my seat, but I do not just watch', () => {
  const room = snapshot([], { seats: { X: COVERED, O: human(BO) } });
  assert.deepEqual(
    [mySeats(room, ADA), myCovered(room, ADA), myCovered(room, BO), myCovered(room, null)],
    [[], ['X'], [], []],
  );
  assert.deepEqual([isWatcher(room, ADA), isWatcher(room, BO), isWatcher(room, EVE)], [false, false, true]);
});

test('the turn is mine, mine next, or neither', () => {
  const room = snapshot([4]);
  assert.deepEqual([isMyTurn(room, BO), isMyTurnNext(room, BO)], [true, false]);
  assert.deepEqual([isMyTurn(room, ADA), isMyTurnNext(room, ADA)], [false, true]);
  assert.deepEqual([isMyTurn(room, EVE), isMyTurnNext(room, EVE)], [false, false]);
  const both = snapshot([4], { seats: { X: human(ADA), O: human(ADA) } });
  assert.deepEqual([isMyTurn(both, ADA), isMyTurnNext(both, ADA)], [true, false]);
  const over = ended(snapshot([4]), 'X');
  assert.deepEqual([isMyTurn(over, ADA), isMyTurnNext(over, ADA)], [false, false]);
});

test('I am always below, whatever my mark, also while the computer covers for me', () => {
  for (const game of [1, 2, 3, 4]) {
    assert.equal(nearMark(snapshot([], { game }), ADA), 'X');
    assert.equal(nearMark(snapshot([], { game }), BO), 'O');
    assert.equal(nearMark(snapshot([], { game, seats: { X: COVERED, O: human(BO) } }), ADA), 'X');
  }
});

test('two at one screen, or seen by a watcher, stay in place while their marks change', () => {
  const swapped = (/** @type {any} */ { X, O }, /** @type {number} */ game) => (game % 2 ? { X, O } : { X: O, O: X });
  const here = { X: human(ADA), O: { ...human(ADA), name: 'Mia' } };
  for (const [seats, me] of /** @type {[any, any][]} */ ([
    [here, ADA],
    [{ X: human(ADA), O: human(BO) }, EVE],
    [{ X: AI, O: { ...AI, level: 'best' } }, EVE],
  ])) {
    const below = [1, 2, 3, 4].map((game) => {
      const room = snapshot([], { game, seats: swapped(seats, game) });
      return JSON.stringify(room.seats[nearMark(room, me)]);
    });
    assert.equal(new Set(below).size, 1);
  }
});

test('who is invited sees the free place below, where they will sit', () => {
  const seats = { X: human(ADA), O: OPEN };
  for (const game of [1, 2]) assert.equal(nearMark(snapshot([], { game, seats, status: 'waiting' }), EVE), 'O');
});

test('nobody changes places when a player leaves in the middle', () => {
  for (const game of [1, 2]) {
    const room = snapshot([4], { game });
    for (const seats of [
      { ...room.seats, X: OPEN },
      { ...room.seats, O: OPEN },
    ]) {
      assert.equal(nearMark({ ...room, seats, status: 'waiting', turn: null }, EVE), nearMark(room, EVE));
      assert.equal(nearMark(ended({ ...room, seats }, 'X'), EVE), nearMark(room, EVE));
    }
  }
});

// --------------------------------------------------------------------------------------------------- what may be done

test('a game between two computers is arranged by anybody, but not in the middle', () => {
  const seats = { X: AI, O: AI };
  assert.equal(isExhibition(snapshot([4], { seats })), true);
  assert.equal(isExhibition(snapshot([4], { seats: { X: COVERED, O: AI } })), false);
  assert.equal(mayArrange(snapshot([4], { seats }), EVE), false);
  assert.equal(mayArrange(ended(snapshot([4], { seats }), 'X'), EVE), true);
});

test('where people play, only they arrange', () => {
  assert.equal(mayArrange(snapshot([4], AGAINST_AI), ADA), true);
  assert.equal(mayArrange(snapshot([4], AGAINST_AI), EVE), false);
  assert.equal(mayArrange(snapshot([4], { seats: { X: COVERED, O: human(BO) } }), ADA), true);
  assert.equal(mayArrange(snapshot([4], { seats: { X: COVERED, O: AI } }), EVE), false);
  assert.equal(mayArrange(snapshot([], { seats: { X: OPEN, O: OPEN } }), EVE), true);
});

test('no help for two people who play, a hint against the computer, analysis for all others', () => {
  assert.equal(mayAnalyse(snapshot([4]), ADA), false);
  assert.equal(mayAnalyse(snapshot([4]), EVE), true);
  assert.equal(mayAnalyse(ended(snapshot([4]), 'X'), ADA), true);
  assert.equal(mayAnalyse(snapshot([4], AGAINST_AI), ADA), true);
  assert.equal(mayAnalyse(snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }), ADA), true);
  assert.equal(mayAnalyse(snapshot([4], { seats: { X: COVERED, O: human(BO) } }), ADA), false);
});

test('a move and a search carry what they are about', () => {
  assert.deepEqual(moveTo(snapshot([4, 0], { game: 3 }), 8), { type: 'play', room: 'r', cell: 8, ply: 2, game: 3 });
  assert.deepEqual(seeking({ on: true, variant: 'drop' }), { type: 'quick', on: true, variant: 'drop' });
});

test('a tap plays in my turn, pencils in in theirs, and does nothing while a move is under way or in a review', () => {
  const played = (/** @type {any} */ room, /** @type {object} */ changes) =>
    tapOf(page(room, changes), room)?.(room, 8) ?? null;
  assert.equal(played(snapshot([4, 0]), {}), 8);
  assert.equal(played(snapshot([4]), {}), 8);
  assert.equal(played(snapshot([4]), { me: EVE }), null);
  assert.equal(played(snapshot([4, 0]), { pending: { cell: 1 } }), null);
  assert.equal(played(snapshot([4, 0]), { look: { on: true, back: {}, analysis: null } }), null);
  assert.equal(played(ended(snapshot([4, 0]), 'X'), {}), null);
});

// ------------------------------------------------------------------------------------------------------------ choices

/** @param {object} prefs @returns {any} */
const choosing = (prefs) => ({
  ...initial(),
  variants: Object.values(VARIANTS).map((variant) => ({ ...variant, levels: levelsOf(variant.name) })),
  prefs: { ...initial().prefs, ...prefs },
});

test('a game that this server does not offer is not chosen', () => {
  assert.deepEqual(
    ['drop', 'chess', ''].map((game) => chosenGame(choosing({ game })).name),
    ['drop', '3x3', '3x3'],
  );
});

/** @param {string} name @returns {any} */
const offer = (name) => ({ ...VARIANTS[name], levels: levelsOf(name) });

test('without a choice the level is the next step of the climb, and a newcomer’s is the first', () => {
  const level = (/** @type {any} */ games, name = '3x3') =>
    levelFor({ ...choosing({}), progress: { ...NO_PROGRESS, games } }, offer(name));
  const [won, drawn, lost] = ['won', 'drawn', 'lost'].map((result) => ({ won: 0, drawn: 0, lost: 0, [result]: 1 }));
  assert.equal(level({}), 'gentle');
  assert.equal(level({ '3x3': { gentle: lost } }), 'gentle');
  assert.equal(level({ '3x3': { gentle: won, medium: won } }), 'hard');
  assert.equal(level({ '3x3': { hard: won } }, 'drop'), 'gentle', 'each game has a climb of its own');
  assert.equal(level({ '3x3': { hard: drawn } }), 'gentle');
  assert.equal(level({ '3x3': { perfect: drawn } }), 'perfect');
  assert.equal(level({ drop: { best: won } }, 'drop'), 'best');
});

test('who plays the strongest level of one game plays the strongest of the next', () => {
  const level = (/** @type {string} */ level, /** @type {string} */ game) => levelFor(choosing({ level }), offer(game));
  assert.deepEqual(
    [level('hard', 'drop'), level('perfect', 'drop'), level('best', '3x3')],
    ['hard', 'best', 'perfect'],
  );
});

test('the computer covers at the top, whatever is chosen', () => {
  const state = choosing({ level: 'gentle' });
  assert.deepEqual(
    Object.keys(VARIANTS).map((name) => coverLevel(state, gameOf(name, []))),
    ['perfect', 'perfect', 'perfect', 'perfect', 'best', 'best'],
  );
  assert.equal(coverLevel(state, snapshot([], { variant: { name: 'new' } })), 'hard');
});

test('a level is behind me once it, or a higher one, is beaten', () => {
  const levels = levelsOf('3x3');
  /** @param {Record<string, object>} results @returns {any} */
  const after = (results) => ({ games: { '3x3': results } });
  const [won, drawn, lost] = ['won', 'drawn', 'lost'].map((result) => ({ won: 0, drawn: 0, lost: 0, [result]: 1 }));
  assert.equal(climbed(after({}), '3x3', levels), 0);
  assert.equal(climbed(/** @type {any} */ ({ games: {} }), '3x3', levels), 0);
  assert.equal(climbed(after({ gentle: won }), '3x3', levels), 1);
  assert.equal(climbed(after({ medium: won, gentle: lost }), '3x3', levels), 3);
  assert.equal(climbed(after({ hard: drawn, easy: won }), '3x3', levels), 2);
  assert.equal(climbed(after({ perfect: drawn }), '3x3', levels), 5, 'nobody beats perfect play');
  assert.equal(climbed(/** @type {any} */ ({ games: { drop: { best: drawn } } }), 'drop', levelsOf('drop')), 0);
  assert.equal(climbed(after({ perfect: drawn }), 'drop', levelsOf('drop')), 0, 'each game has its own ladder');
});

test('games with people come first, then those with people at the screen, then the most watched', () => {
  /** @param {any} seats @param {number} online @param {number} watchers @returns {any} */
  const listed = (seats, online, watchers) => ({ seats, online, watchers });
  const rooms = [
    listed({ X: AI, O: AI }, 0, 400),
    listed({ X: human(ADA), O: AI }, 0, 3),
    listed({ X: human(ADA), O: AI }, 1, 2),
    listed({ X: human(ADA), O: human(BO) }, 2, 0),
  ];
  const ranks = rooms.map(rank);
  assert.deepEqual(
    ranks,
    [...ranks].sort((a, b) => a - b),
  );
});

// -------------------------------------------------------------------------------------------------------- the opponent

test('absence is noticed after three seconds, covered and claimed when the server allows it', () => {
  const away = { offlineSince: { O: 0 }, turnSince: 5_000 };
  /** @param {number} now @param {object} [changes] */
  const at = (now, changes) => absence(view(snapshot([4]), away), page(snapshot([4]), { now, ...changes }));
  assert.equal(at(2_999), null);
  assert.deepEqual(at(3_000), { mark: 'O', name: 'Bo', left: 17_000, mayCover: false, mayClaim: false });
  assert.deepEqual([at(19_999)?.mayCover, at(20_000)?.mayCover], [false, true]);
  assert.deepEqual([at(34_999)?.mayClaim, at(35_000)?.mayClaim], [false, true]);
  assert.equal(at(99_000)?.left, 0);
  assert.equal(at(99_000, { me: EVE }), null);
});

test('nobody claims on their own turn, and an absent one at a finished game is not away', () => {
  const away = { offlineSince: { O: 0 } };
  const room = snapshot([4, 0]);
  assert.deepEqual(absence(view(room, away), page(room, { now: 99_000 }))?.mayClaim, false);
  const over = ended(room, 'X');
  assert.equal(absence(view(over, away), page(over, { now: 99_000 })), null);
});

test('the computer is never away, and nobody before the first presence frame', () => {
  assert.equal(awayFor(view(snapshot([4], AGAINST_AI), { offlineSince: { O: 0 } }), 'O', 9000), 0);
  assert.equal(isOnline(view(snapshot(), { online: null }), 'O'), true);
  assert.equal(isOnline(view(snapshot(), { online: ['X'] }), 'O'), false);
  assert.equal(isOnline(view(snapshot([], AGAINST_AI), { online: ['X'] }), 'O'), true);
});

test('only the side to move pays, and only while the clock runs', () => {
  const clock = { budget: 60_000, increment: 0, left: { X: 50_000, O: 40_000 }, since: 1_000 };
  assert.equal(timeLeft(clock, 'X', 'X', 11_000), 40_000);
  assert.equal(timeLeft(clock, 'X', 'O', 11_000), 40_000);
  assert.equal(timeLeft({ ...clock, since: null }, 'X', 'X', 11_000), 50_000);
  assert.equal(timeLeft(clock, 'X', 'X', 99_000), 0);
  assert.equal(timeLeft(clock, 'X', 'X', 500), 50_000);
});

test('a finished game keeps the names of those who played it', () => {
  const over = ended(snapshot([4], { seats: { X: human(ADA), O: OPEN } }), 'O');
  assert.deepEqual(asPlayed(view(over, { players: { X: human(ADA), O: human(BO) } })).seats.O, human(BO));
  const newcomer = { ...over, seats: { X: human(ADA), O: human(EVE) } };
  assert.deepEqual(asPlayed(view(newcomer, { players: { O: human(BO) } })).seats.O, human(BO));
  assert.deepEqual(asPlayed(view(newcomer)).seats.O, human(EVE), 'nobody has come since');
  const anew = { ...newcomer, score: { X: 0, O: 0, draws: 0 } };
  assert.deepEqual(asPlayed(view(anew)).seats.O, OPEN, 'somebody has come since: it is not known who played');
  const running = snapshot([4], { seats: { X: human(ADA), O: human(EVE) } });
  assert.deepEqual(asPlayed(view(running, { players: { O: human(BO) } })).seats.O, human(EVE));
});

// ---------------------------------------------------------------------------------------------------------- the rail

test('the rail is about the moment', () => {
  const waiting = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
  const about = (/** @type {any} */ room, /** @type {object} */ changes = {}) =>
    railOf(page(room, changes), view(room));
  assert.equal(about(snapshot([4])), 'playing');
  assert.equal(about(snapshot([4]), { me: EVE }), 'watching');
  assert.equal(about(snapshot([4], { seats: { X: COVERED, O: human(BO) } })), 'playing');
  assert.equal(about(waiting), 'share');
  assert.equal(about(waiting, { me: EVE }), 'invite');
  assert.equal(about(waiting, { me: EVE, declined: ['another', 'r'] }), 'watching');
  assert.equal(about(waiting, { me: EVE, declined: ['another'] }), 'invite');
  const left = { ...waiting, moves: [4] };
  assert.equal(railOf(page(left), view(left, { players: { X: human(ADA), O: human(BO) } })), 'left');
  assert.equal(railOf(page(left), view(left, { players: { X: human(ADA), O: AI } })), 'share');
  assert.equal(railOf(page(left), view(left, { players: { X: human(ADA), O: human(ADA) } })), 'share');
  assert.equal(about(left, { me: BO, declined: ['r'] }), 'watching');
  assert.equal(about(ended(left, 'X'), { me: BO, declined: ['r'] }), 'result');
  assert.equal(about(ended(snapshot([4]), 'X')), 'result');
  assert.equal(about(ended(snapshot([4]), 'X'), { me: EVE }), 'result');
  assert.equal(about(ended({ ...waiting, moves: [4] }, 'X')), 'result');
  assert.equal(about(ended(snapshot([4]), 'X'), { look: { on: true, back: {}, analysis: null } }), 'review');
});

test('somebody leaves a seat who gives it up, or gives it to the AI for good', () => {
  const [bo, open, ai] = /** @type {any[]} */ ([human(BO), OPEN, AI]);
  const covered = { ...ai, covers: { player: 'bo', name: 'Bo' } };
  assert.equal(leaving(bo, open)?.name, 'Bo');
  assert.equal(leaving(covered, ai)?.name, 'Bo');
  assert.equal(leaving(covered, open)?.name, 'Bo');
  for (const [was, is] of [
    [bo, bo],
    [bo, covered],
    [covered, bo],
    [covered, covered],
    [ai, open],
    [open, bo],
  ])
    assert.equal(leaving(was, is), null, `${was.kind} ${is.kind}`);
});

test('nobody is shown as asked who has left', () => {
  const asked = ended(snapshot([4], { rematch: ['X'] }), 'X');
  assert.deepEqual(asPlayed(view(asked)).rematch, ['X']);
  assert.deepEqual(asPlayed(view({ ...asked, seats: { X: human(ADA), O: OPEN } })).rematch, []);
});

// --------------------------------------------------------------------------------------------------------- the board

test('the board shows my click at once, fainter when the answer takes long', () => {
  const pending = { id: 1, room: 'r', game: 1, ply: 0, cell: 4, mark: 'X', since: 1000 };
  const cell = (/** @type {object} */ changes) => sceneFor(snapshot(), changes).cells[4];
  assert.deepEqual([cell({ pending, now: 1500 }).mark, cell({ pending, now: 1500 }).isSlow], ['X', false]);
  assert.equal(cell({ pending, now: 1501 }).isSlow, true);
  assert.equal(cell({ pending: { ...pending, room: 's' } }).mark, null);
  assert.equal(sceneFor(snapshot(), { pending }).ghost, null);
});

test('a pencilled move is drawn in my mark on the cell aimed at', () => {
  const scene = sceneFor(snapshot([4]), { premove: { game: 1, ply: 2, cell: 0 } });
  assert.deepEqual(
    cellsThat(scene, ({ isAimed }) => isAimed),
    [0],
  );
  assert.equal(scene.cells[0].mark, 'X');
});

test('a mark hovers only where a tap plays', () => {
  assert.equal(sceneFor(snapshot()).ghost, 'X');
  assert.equal(sceneFor(snapshot([4])).ghost, null);
  assert.equal(sceneFor(snapshot(), { me: EVE }).ghost, null);
  const both = snapshot([4], { seats: { X: human(ADA), O: human(ADA) } });
  assert.equal(sceneFor(both).ghost, 'O');
});

test('the winning line is struck by the winner, or where three lose by the loser', () => {
  const won = { line: [0, 1, 2] };
  const scene = sceneFor(ended(snapshot([0, 3, 1, 4, 2]), 'X', won));
  assert.deepEqual([scene.line, scene.striker], [[0, 1, 2], 'X']);
  assert.deepEqual(
    cellsThat(scene, ({ isWon }) => isWon),
    [0, 1, 2],
  );
  assert.deepEqual(
    cellsThat(scene, ({ isOut }) => isOut),
    [3, 4],
  );
  const lost = sceneFor(ended(gameOf('reverse', [0, 3, 1, 4, 2]), 'O', won));
  assert.equal(lost.striker, 'X');
  assert.deepEqual(
    cellsThat(lost, ({ isOut }) => isOut),
    [],
  );
});

test('looking back, the board is as it was, the next move is ringed and nothing can be tapped', () => {
  const room = ended(snapshot([0, 3, 1, 4, 2]), 'X', { line: [0, 1, 2] });
  const scene = sceneFor(room, { look: { on: false, back: { snapshot: room, ply: 2, from: 5 }, analysis: null } });
  assert.deepEqual(
    cellsThat(scene, ({ mark }) => mark),
    [0, 3],
  );
  assert.deepEqual(
    cellsThat(scene, ({ isNext }) => isNext),
    [1],
  );
  assert.deepEqual(
    cellsThat(scene, ({ isLast }) => isLast),
    [3],
  );
  assert.deepEqual([scene.line, scene.turn, cellsThat(scene, ({ target }) => target !== null)], [[], null, []]);
});

test('values are shown for the game and the ply they are about, and only to those who may see them', () => {
  const cells = Array(9).fill({ value: 'draw', in: 8 }).with(0, { value: 'loss', in: 4 });
  const analysis = { room: 'r', ply: 0, game: 1, turn: 'X', cells };
  const seen = (/** @type {any} */ room, /** @type {object} */ more = {}, /** @type {any} */ me = ADA) =>
    cellsThat(
      sceneFor(room, { me, look: { on: true, back: null, analysis: { ...analysis, ...more } } }),
      ({ value }) => value,
    ).length;
  assert.equal(seen(snapshot([], AGAINST_AI)), 9);
  assert.equal(seen(snapshot([], AGAINST_AI), { ply: 1 }), 0);
  assert.equal(seen(snapshot([], AGAINST_AI), { game: 2 }), 0);
  assert.equal(seen(snapshot()), 0);
  assert.equal(seen(snapshot(), {}, EVE), 9);
});

test('nine times the same value is left to a sentence, except in a review', () => {
  const room = snapshot([4], AGAINST_AI);
  const analysis = { room: 'r', ply: 0, game: 1, turn: 'X', cells: Array(9).fill({ value: 'draw', in: 8 }) };
  assert.equal(isFlat(/** @type {any} */ (analysis)), true);
  assert.equal(isFlat(/** @type {any} */ ({ cells: [{ value: 'unknown' }, null] })), false);
  assert.equal(isFlat(/** @type {any} */ ({ cells: [null, null] })), false);
  const values = (/** @type {any} */ back) =>
    cellsThat(sceneFor(snapshot([], AGAINST_AI), { look: { on: true, back, analysis } }), ({ value }) => value).length;
  assert.deepEqual([values(null), values({ snapshot: room, ply: 0, from: 1 })], [0, 9]);
});

test('nested boards show which of them may be played, and whose they are', () => {
  const boards = Array(9).fill(null).with(0, 'X');
  const room = gameOf('ultimate', [0, 3, 1, 4, 2, 30], { boards, playable: [30, 31, 39] });
  const scene = sceneFor(room);
  assert.deepEqual([scene.open, scene.owners[0]], [[4], 'X']);
  assert.deepEqual(
    cellsThat(scene, ({ isUnder }) => isUnder),
    [0, 1, 2, 9, 10, 11, 18, 19, 20],
  );
  assert.deepEqual(sceneFor(gameOf('drop', [], { playable: [35] })).open, []);
});

test('where marks vanish, the next to go is faint', () => {
  const room = gameOf('vanishing', [0, 3, 1, 4, 8, 7], { fading: 0 });
  assert.deepEqual(
    cellsThat(sceneFor(room), ({ isFading }) => isFading),
    [0],
  );
});

test('the board on the home page takes a tap anywhere; a column lets the mark fall', () => {
  assert.deepEqual(
    emptyScene(VARIANTS['3x3']).cells.map(({ target }) => target),
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal(emptyScene(VARIANTS.drop).cells[2].target, 37);
  for (const variant of Object.values(VARIANTS)) {
    const { ghost, invite, cells } = emptyScene(variant);
    assert.deepEqual([ghost, typeof invite, cells.length], ['X', 'number', variant.rows * variant.columns]);
  }
});

// ------------------------------------------------------------------------------------------------------------- grades

/** @param {number} ply @param {string} value @param {string} best @param {object} [more] @returns {any} */
const judged = (ply, value, best, more = {}) => ({
  ply,
  mark: 'XO'[ply % 2],
  cell: ply,
  value,
  in: null,
  best,
  cells: [ply],
  ...more,
});

test('a move is best only if it kept what few could keep', () => {
  assert.equal(gradeOf(judged(0, 'draw', 'draw', { cells: [0, 1, 2, 3] }), 9), 'best');
  assert.equal(gradeOf(judged(0, 'draw', 'draw', { cells: [0, 1, 2, 3, 4] }), 9), 'fine');
  assert.equal(gradeOf(judged(0, 'win', 'win', { cells: [5] }), 9), 'fine', 'won, but not by one of the best');
});

test('a slip gives away a win, a blunder the game', () => {
  assert.equal(gradeOf(judged(0, 'draw', 'win'), 9), 'slip');
  assert.equal(gradeOf(judged(0, 'loss', 'draw'), 9), 'blunder');
  assert.equal(gradeOf(judged(0, 'loss', 'win'), 9), 'blunder');
});

test('what is not proven is no mistake', () => {
  assert.equal(gradeOf(judged(0, 'unknown', 'win'), 9), 'fine');
  assert.equal(gradeOf(judged(0, 'loss', 'unknown'), 9), 'fine');
});

/** @param {any} room @param {any[]} lines @param {object} [changes] */
const reviewed = (room, lines, changes) =>
  page(room, { review: { room: room.room, game: room.game, lines, isComplete: true }, ...changes });

test('the game turned at the loser’s last mistake', () => {
  const room = ended(snapshot([0, 3, 1, 4, 2]), 'X', { line: [0, 1, 2] });
  const lines = [
    judged(0, 'draw', 'draw'),
    judged(1, 'loss', 'draw'),
    judged(2, 'draw', 'win'),
    judged(3, 'loss', 'draw'),
    judged(4, 'win', 'win'),
  ];
  assert.equal(turningPoint(reviewed(room, lines), room)?.ply, 3);
  assert.equal(reviewStart(reviewed(room, lines), room), 3);
  const drawn = ended(room, null);
  assert.equal(turningPoint(reviewed(drawn, lines.slice(0, 3)), drawn)?.ply, 2);
  assert.equal(turningPoint(reviewed(room, [lines[0], lines[4]]), room), null);
  assert.equal(reviewStart(reviewed(room, []), room), 0);
});

test('a review of another game says nothing about this one', () => {
  const room = ended(snapshot([0, 3]), 'X');
  const state = page(room, { review: { room: 'r', game: 2, lines: [judged(1, 'loss', 'draw')], isComplete: true } });
  assert.deepEqual([gradesOf(state, room), turningPoint(state, room)], [[], null]);
});

test('accuracy counts the proven moves of one side', () => {
  const room = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  const lines = [
    judged(0, 'unknown', 'unknown'),
    judged(1, 'loss', 'draw'),
    judged(2, 'draw', 'win'),
    judged(3, 'draw', 'draw'),
    judged(4, 'win', 'win'),
  ];
  assert.deepEqual(accuracyOf(reviewed(room, lines), room, 'X'), { best: 1, of: 2, isAll: false });
  assert.deepEqual(accuracyOf(reviewed(room, lines), room, 'O'), { best: 1, of: 2, isAll: true });
});

test('how few could keep it is counted among the moves that were possible', () => {
  const column = ended(gameOf('drop', [35, 36]), 'X');
  const [few, many] = [
    [0, 1, 2],
    [0, 1, 2, 3],
  ].map((cells) => [judged(0, 'draw', 'draw', { cell: 0, cells })]);
  assert.deepEqual(
    [few, many].map((lines) => gradesOf(reviewed(column, lines), column)[0]),
    ['best', 'fine'],
  );
  // After a move in the middle of board 1 only the nine cells of board 5 are open.
  const nested = ended(gameOf('ultimate', [10, 40]), 'X');
  const sent = (/** @type {number[]} */ cells) =>
    gradesOf(reviewed(nested, [judged(1, 'draw', 'draw', { cell: 40, cells })]), nested)[0];
  assert.deepEqual([sent([40, 30, 31, 32]), sent([40, 30, 31, 32, 39])], ['best', 'fine']);
});

test('a bot is a person’s seat that says so', () => {
  const bot = { kind: 'human', name: 'Robo', bot: true };
  const seats = (/** @type {any} */ X, /** @type {any} */ O) => ({ seats: { X, O } });
  assert.equal(hasBot(seats(bot, { kind: 'open' })), true);
  assert.equal(hasBot(seats({ kind: 'ai', level: 'hard' }, { kind: 'human', name: 'Ada' })), false);
});
