import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createIdentity } from '../../client/identity.js';
import { createSession } from '../../client/session.js';
import { placeOf } from '../../client/route.js';
import { heldUp, leaverOf, railOf } from '../../client/selectors.js';
import { createStore } from '../../client/store.js';
import { ADA, AI, BO, EVE, OPEN, ended, gameOf, human, snapshot, welcome } from './rooms.js';

const AGAINST_AI = { seats: { X: human(ADA), O: AI } };

/** What the HTTP API knows, by path: an object, or the text of a review. @type {Record<string, any>} */
let served = {};
/** @type {string[]} */
let fetched = [];

beforeEach(() => {
  [served, fetched] = [{}, []];
  Object.assign(globalThis, {
    location: { pathname: '/' },
    fetch: async (/** @type {string} */ path) => {
      fetched.push(path);
      const found = served[path];
      if (found === undefined) throw new Error('unreachable');
      return new Response(typeof found === 'string' ? found : JSON.stringify(found));
    },
  });
});

/** Let what was fetched arrive. */
const settle = () => new Promise((done) => setTimeout(done, 5));

/** A page of Ada's: its session with a connection that only notes what is sent. @param {Record<string, string>} [kept] */
function world(kept = {}) {
  let lastId = 0;
  /** @type {any[]} */
  const sent = [];
  /** @type {any} */
  const shelf = {
    getItem: (/** @type {string} */ key) => kept[key] ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      kept[key] = value;
    },
  };
  /** @param {string} how */
  const note = (how) => (/** @type {any} */ command) => {
    lastId += 1;
    sent.push({ how, ...command, id: lastId });
    return { ...command, id: lastId };
  };
  const store = createStore();
  const identity = createIdentity(() => shelf);
  /** @type {any} */
  const connection = { tell: note('tell'), send: note('send'), start: () => sent.push({ type: 'start' }) };
  const go = (/** @type {string} */ path) => {
    location.pathname = path;
    session.visit(placeOf(path));
  };
  const session = createSession({ store, identity, connection, go });
  store.subscribe(session.act);
  session.dispatch({ type: 'prefer', ...identity.prefs() });
  session.dispatch({ type: 'progress', progress: identity.progress() });
  return {
    ...session,
    sent,
    identity,
    go,
    kept,
    state: store.get,
    types: () => sent.map(({ type }) => type),
    /** The last command of a kind. @param {string} type */
    last: (type) => sent.findLast((each) => each.type === type),
    /** The server's answer to the last command of a kind. @param {string} type @param {object} answer */
    answer(type, answer) {
      const { how: _, ...command } = this.last(type);
      session.receive(/** @type {any} */ ({ re: command.id, ...answer }), command);
    },
    /** Somebody who is welcome, at an address. @param {string} [path] */
    at(path = '/') {
      go(path);
      session.receive(/** @type {any} */ (welcome));
      return this;
    },
  };
}

// -------------------------------------------------------------------------------------------------- a tap on the board

/** Tap on the home page, and have the game opened. @param {ReturnType<typeof world>} page @param {number} cell */
function begin(page, cell) {
  page.send({ type: 'begin', cell });
  page.answer('create', { type: 'accepted', room: 'new' });
}

test('a tap on the home page opens a game as X against the computer, and plays that square first', () => {
  const page = world().at();
  begin(page, 4);
  assert.deepEqual(page.last('create').seats, { X: 'me', O: { ai: 'gentle' } });
  assert.equal(location.pathname, '/r/new');
  assert.equal(page.last('play'), undefined);
  page.receive(snapshot([], { room: 'new', ...AGAINST_AI }));
  const { type, room, cell, ply } = page.last('play');
  assert.deepEqual([type, room, cell, ply], ['play', 'new', 4, 0]);
  assert.equal(page.state().pending?.cell, 4);
  page.receive(snapshot([4, 0], { room: 'new', ...AGAINST_AI }));
  assert.equal(page.types().filter((type) => type === 'play').length, 1);
});

test('a tap opens the game last chosen, at the level last chosen, also where a mark falls', () => {
  const page = world({ 'noughts.prefs': '{"game":"drop","level":"hard"}' }).at();
  begin(page, 38);
  assert.deepEqual([page.last('create').variant, page.last('create').seats.O], ['drop', { ai: 'hard' }]);
  page.receive(gameOf('drop', [], { room: 'new', playable: [35, 36, 37, 38, 39, 40, 41], ...AGAINST_AI }));
  assert.equal(page.last('play').cell, 38);
});

test('a second tap before the answer opens no second game', () => {
  const page = world().at();
  page.send({ type: 'begin', cell: 4 });
  page.send({ type: 'begin', cell: 5 });
  page.send({ type: 'new_game', way: 'friend' });
  assert.equal(page.types().filter((type) => type === 'create').length, 1);
});

test('while one plays the computer, the page looks for another player, until one is home again', () => {
  const page = world().at();
  begin(page, 4);
  const { on, variant } = page.last('quick');
  assert.deepEqual([on, variant, page.state().quick.on], [true, '3x3', true]);
  assert.deepEqual(
    page.standing().map(({ type }) => type),
    ['watch', 'quick'],
  );
  page.go('/');
  assert.deepEqual([page.last('quick').on, page.state().quick.on], [false, false]);
});

test('a first move of a game that was not opened is played nowhere else', () => {
  const refused = world().at();
  refused.send({ type: 'begin', cell: 4 });
  refused.answer('create', { type: 'refused', reason: 'too_many_rooms', text: '' });
  refused.go('/r/r');
  refused.receive(snapshot([], AGAINST_AI));
  assert.equal(refused.last('play'), undefined);
  const gone = world().at();
  gone.send({ type: 'begin', cell: 4 });
  gone.go('/r/r');
  gone.receive(snapshot([], AGAINST_AI));
  assert.equal(gone.last('play'), undefined);
});

// ------------------------------------------------------------------------------------------------------ held up by a crowd

const CROWD = { type: 'refused', reason: 'too_many_rooms', text: '', whose: 'address' };

/** Somebody whose tap on the home page is held up. @param {import('node:test').TestContext} context @param {object} [refusal] */
function heldUpAt(context, refusal = {}) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const page = world().at();
  page.send({ type: 'begin', cell: 4 });
  page.answer('create', { ...CROWD, ...refusal });
  const asked = () => page.sent.filter(({ type }) => type === 'create');
  return { page, asked, pass: (/** @type {number} */ ms) => context.mock.timers.tick(ms) };
}

for (const whose of ['player', 'address', 'server'])
  test(`a game that a limit of the ${whose} holds up is asked for again until it opens, and the tap is played`, (context) => {
    const { page, asked, pass } = heldUpAt(context, { whose });
    assert.deepEqual([heldUp(page.state())?.whose, page.state().notice], [whose, null]);
    for (let attempt = 2; attempt < 6; attempt += 1) {
      pass(4000);
      assert.equal(asked().length, attempt);
      page.answer('create', { ...CROWD, whose });
      assert.equal(heldUp(page.state())?.whose, whose);
    }
    pass(4000);
    assert.equal(new Set(asked().map(({ nonce }) => nonce)).size, 1, 'so that it cannot open twice');
    page.answer('create', { type: 'accepted', room: 'new' });
    assert.deepEqual([location.pathname, heldUp(page.state())], ['/r/new', null]);
    page.receive(snapshot([], { room: 'new', ...AGAINST_AI }));
    assert.equal(page.last('play').cell, 4);
    pass(60_000);
    assert.equal(asked().length, 6);
  });

test('those who are held up at the same moment ask again spread over two to four seconds', (context) => {
  for (const [dice, at] of /** @type {const} */ ([
    [0, 2000],
    [0.5, 3000],
    [0.999, 3998],
  ])) {
    context.mock.method(Math, 'random', () => dice);
    const { asked, pass } = heldUpAt(context);
    pass(at - 1);
    assert.equal(asked().length, 1);
    pass(1);
    assert.equal(asked().length, 2);
    context.mock.restoreAll();
    context.mock.timers.reset();
  }
});

test('a connection that follows too many rooms has to stop following one: nothing is asked again', (context) => {
  const { page, asked, pass } = heldUpAt(context, { whose: 'connection' });
  pass(60_000);
  assert.deepEqual([asked().length, page.state().notice?.reason, page.state().creating], [1, 'too_many_rooms', null]);
});

test('a game held up is given up by a cancel or by going elsewhere', (context) => {
  const cancelled = heldUpAt(context);
  cancelled.page.send({ type: 'give_up' });
  cancelled.pass(60_000);
  assert.deepEqual([cancelled.asked().length, heldUp(cancelled.page.state())], [1, null]);
  assert.equal(cancelled.page.last('quick').on, false);
  context.mock.timers.reset();
  const gone = heldUpAt(context);
  gone.page.go('/r/r');
  gone.page.receive(snapshot([], AGAINST_AI));
  gone.pass(60_000);
  assert.deepEqual([gone.asked().length, gone.page.last('play')], [1, undefined]);
});

test('another way to play replaces the game that is held up; another tap on the board does not', (context) => {
  const { page, asked, pass } = heldUpAt(context);
  page.send({ type: 'begin', cell: 0 });
  assert.equal(asked().length, 1);
  page.send({ type: 'new_game', way: 'friend' });
  assert.deepEqual([asked().length, heldUp(page.state())], [2, null]);
  pass(60_000);
  assert.equal(asked().length, 2);
  page.answer('create', { type: 'accepted', room: 'new' });
  page.receive(snapshot([], { room: 'new', ...AGAINST_AI }));
  assert.equal(page.last('play'), undefined);
});

test('what was cancelled while it was being asked again opens nothing, and says nothing', (context) => {
  const { page, pass } = heldUpAt(context);
  pass(4000);
  page.send({ type: 'give_up' });
  page.answer('create', CROWD);
  assert.deepEqual([heldUp(page.state()), page.state().notice], [null, null]);
  page.answer('create', { type: 'accepted', room: 'new' });
  assert.equal(location.pathname, '/');
});

test('a partner is asked again as well, until one looks for somebody else', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const page = world().at();
  page.send({ type: 'seek', on: true, variant: '3x3' });
  page.receive({ type: 'quick', on: true, partner: BO, asks: false, room: null });
  const asked = () => page.types().filter((type) => type === 'meet').length;
  page.send({ type: 'meet', player: 'bo' });
  page.answer('meet', CROWD);
  context.mock.timers.tick(4000);
  assert.deepEqual([asked(), heldUp(page.state())?.whose, page.state().meeting], [2, 'address', 'bo']);
  page.answer('meet', CROWD);
  page.receive({ type: 'quick', on: true, partner: EVE, asks: false, room: null });
  context.mock.timers.tick(60_000);
  assert.deepEqual([asked(), heldUp(page.state())], [2, null]);
});

test('a partner who has been asked at last is waited for as usual', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const page = world().at();
  page.send({ type: 'meet', player: 'bo' });
  page.answer('meet', CROWD);
  context.mock.timers.tick(4000);
  page.answer('meet', { type: 'accepted' });
  assert.deepEqual([heldUp(page.state()), page.state().meeting], [null, 'bo']);
});

// ------------------------------------------------------------------------------------------------------- opening games

test('a new game is opened with the last choices', () => {
  const page = world().at();
  for (const [name, value] of Object.entries({ game: 'drop', level: 'hard', side: 'O', clock: '30', sight: 'public' }))
    page.send({ type: 'prefer', [name]: value });
  const { nonce, ...wish } = page.creation('computer');
  assert.ok(nonce);
  assert.deepEqual(wish, {
    type: 'create',
    variant: 'drop',
    public: true,
    seats: { X: { ai: 'hard' }, O: 'me' },
    clock: { budget: 30_000, increment: 0 },
  });
  assert.deepEqual(page.creation('friend').seats, { X: 'open', O: 'me' });
  assert.equal(world(page.kept).at().creation('computer').variant, 'drop', 'also on the next visit');
});

test('two people at one screen may have two names', () => {
  const page = world().at();
  assert.deepEqual(page.creation('here', { names: ['Ada', ' Mia '] }).seats, { X: { me: 'Ada' }, O: { me: 'Mia' } });
  assert.deepEqual(page.creation('here', { names: ['', ' '] }).seats, { X: 'me', O: 'me' });
});

test('two computers play in public and without a clock, the stronger one as O', () => {
  const page = world({ 'noughts.prefs': '{"clock":"5","game":"drop"}' }).at();
  const { seats, public: isPublic, clock } = page.creation('exhibition');
  assert.deepEqual([seats, isPublic, clock], [{ X: { ai: 'hard' }, O: { ai: 'best' } }, true, null]);
});

test('a side left to chance is one of the two', () => {
  const page = world({ 'noughts.prefs': '{"side":"random"}' }).at();
  const mine = Array.from({ length: 60 }, () =>
    /** @type {any} */ (page.creation('friend').seats).X === 'me' ? 'X' : 'O',
  );
  assert.deepEqual([...new Set(mine)].sort(), ['O', 'X']);
});

test('a step up stays in the game that was won', () => {
  const page = world().at('/r/r');
  page.send({ type: 'new_game', way: 'computer', variant: 'drop', level: 'best', side: 'O' });
  assert.deepEqual([page.last('create').variant, page.last('create').seats.X], ['drop', { ai: 'best' }]);
});

test('a level chosen by hand is played until it is beaten, then the next step of the climb', () => {
  const page = world({ 'noughts.prefs': '{"level":"hard"}' }).at('/r/r');
  const level = () => /** @type {any} */ (page.creation('computer')).seats.O.ai;
  page.receive(snapshot([0, 3, 1, 4], AGAINST_AI));
  page.receive(ended(snapshot([0, 3, 1, 4, 2], AGAINST_AI), 'O'));
  assert.equal(level(), 'hard');
  finish(page, 'X', { game: 2, seq: 50 });
  assert.equal(level(), 'perfect');
  page.send({ type: 'prefer', level: 'gentle' });
  assert.equal(level(), 'gentle', 'also one that has been beaten before');
});

test('playing on from an earlier position opens a game with its moves, against the same level', () => {
  const page = world().at('/r/r');
  page.receive(ended(gameOf('drop', [38, 31, 24], AGAINST_AI), 'X'));
  page.send({ type: 'step', ply: 2 });
  page.send({ type: 'play_on', ply: 2 });
  const { variant, seats, moves } = page.last('create');
  assert.deepEqual([variant, seats, moves], ['drop', { X: 'me', O: { ai: 'hard' } }, [38, 31]]);
});

test('who plays on from a game of others takes the side to move, at the level of their own', () => {
  const page = world({ 'noughts.prefs': '{"level":"medium"}' }).at('/r/r');
  page.receive(ended(snapshot([4, 0, 8], { seats: { X: human(BO), O: human(EVE) } }), 'X'));
  page.send({ type: 'play_on', ply: 1 });
  assert.deepEqual(page.last('create').seats, { X: { ai: 'medium' }, O: 'me' });
});

// ------------------------------------------------------------------------------------------------------------ premoves

test('a pencilled move is played as soon as it is my turn, once', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.send({ type: 'premove', cell: 0 });
  assert.equal(page.last('play'), undefined);
  page.receive(snapshot([4, 8]));
  assert.deepEqual([page.last('play').cell, page.last('play').ply, page.state().premove], [0, 2, null]);
  page.dispatch({ type: 'tick' });
  assert.equal(page.types().filter((type) => type === 'play').length, 1);
});

test('a pencilled move whose square was taken is not sent', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.send({ type: 'premove', cell: 0 });
  page.receive(snapshot([4, 0]));
  assert.deepEqual([page.last('play'), page.state().premove], [undefined, null]);
});

test('a pencilled move waits while the line is down', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.send({ type: 'premove', cell: 0 });
  page.dispatch({ type: 'link', link: 'lost' });
  page.receive(snapshot([4, 8]));
  assert.equal(page.last('play'), undefined);
  page.dispatch({ type: 'link', link: 'online' });
  assert.equal(page.last('play').cell, 0);
});

// ------------------------------------------------------------------------------------------------------------- results

/** Play a game against the computer to its end. @param {ReturnType<typeof world>} page @param {string | null} winner @param {object} [changes] */
function finish(page, winner, changes = {}) {
  page.receive(snapshot([0, 3, 1, 4], { ...AGAINST_AI, ...changes }));
  page.receive(ended(snapshot([0, 3, 1, 4, 2], { ...AGAINST_AI, ...changes }), winner));
}

test('a game against the computer counts once, and stays counted on this device', () => {
  const page = world().at('/r/r');
  finish(page, 'X');
  assert.deepEqual(page.state().progress, {
    games: { '3x3': { hard: { won: 1, drawn: 0, lost: 0 } } },
    streak: 1,
    last: { room: 'r', game: 1, variant: '3x3', level: 'hard', result: 'won' },
    counted: ['r/1'],
  });
  page.receive(ended(snapshot([0, 3, 1, 4, 2], { ...AGAINST_AI, rematch: ['X'], seq: 20 }), 'X'));
  const again = world(page.kept).at('/r/r');
  finish(again, 'X');
  assert.equal(again.state().progress.games['3x3'].hard.won, 1);
});

test('wins in a row are counted until one is lost; a draw breaks nothing', () => {
  const page = world().at('/r/r');
  const streaks = ['X', 'X', null, 'X', 'O'].map((winner, nth) => {
    finish(page, winner, { game: nth + 1, seq: 10 * nth });
    return page.state().progress.streak;
  });
  assert.deepEqual(streaks, [1, 2, 2, 3, 0]);
  assert.deepEqual(page.state().progress.games['3x3'].hard, { won: 3, drawn: 1, lost: 1 });
});

test('nothing is counted that was not won from the start, alone, against the computer', () => {
  for (const changes of [
    { opening: 2 },
    { seats: { X: human(ADA), O: { ...AI, covers: { player: 'bo', name: 'Bo' } } } },
    { seats: { X: human(ADA), O: human(BO) } },
    { seats: { X: human(ADA), O: human(ADA) } },
    { seats: { X: human(BO), O: AI } },
    { seats: { X: AI, O: AI } },
  ]) {
    const page = world().at('/r/r');
    finish(page, 'X', changes);
    assert.deepEqual(page.state().progress.counted, [], JSON.stringify(changes));
  }
});

test('a game that was over before one came is not counted', () => {
  const page = world().at('/r/r');
  page.receive(ended(snapshot([0, 3, 1, 4, 2], AGAINST_AI), 'X'));
  assert.deepEqual(page.state().progress.counted, []);
});

test('two pages of one browser lose no result of each other', () => {
  const one = world().at('/r/a');
  const two = world(one.kept).at('/r/b');
  finish(one, 'X', { room: 'a' });
  finish(two, 'X', { room: 'b' });
  assert.equal(world(one.kept).identity.progress().games['3x3'].hard.won, 2);
});

// ------------------------------------------------------------------------------------------------------------- reviews

const LINE = { ply: 0, mark: 'X', cell: 0, value: 'draw', in: null, best: 'draw', cells: [0] };

test('a finished game is reviewed once', async () => {
  served['/api/rooms/r/games/1/review'] = `${JSON.stringify(LINE)}\n`;
  const page = world().at('/r/r');
  finish(page, 'X');
  page.send({ type: 'step', ply: 0 });
  await settle();
  assert.deepEqual(page.state().review, { room: 'r', game: 1, lines: [LINE], isComplete: true });
  assert.equal(fetched.filter((path) => path.endsWith('/review')).length, 1);
});

test('a review that failed is asked for again', async () => {
  const page = world().at('/r/r');
  finish(page, 'X');
  await settle();
  assert.equal(page.state().review, null);
  served['/api/rooms/r/games/1/review'] = `${JSON.stringify(LINE)}\n`;
  page.send({ type: 'step', ply: 0 });
  await settle();
  assert.equal(page.state().review?.lines.length, 1);
});

test('after a look at an earlier game, the current one has its review again', async () => {
  for (const game of [1, 2]) served[`/api/rooms/r/games/${game}/review`] = `${JSON.stringify(LINE)}\n`;
  const { variant, moves, outcome } = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  const players = { X: human(ADA), O: AI };
  served['/api/rooms/r/games/1'] = { room: 'r', game: 1, variant, players, opening: 0, moves, outcome };
  const page = world().at('/r/r');
  finish(page, 'X', { game: 2 });
  await settle();
  page.go('/r/r/1');
  await settle();
  assert.deepEqual([page.state().review?.game, page.state().look.back?.snapshot.game], [1, 1]);
  page.send({ type: 'step', ply: null });
  await settle();
  assert.equal(page.state().review?.game, 2);
  page.go('/r/r/1');
  await settle();
  page.go('/r/r');
  await settle();
  assert.deepEqual([page.state().look.back, page.state().review?.game], [null, 2]);
});

// ------------------------------------------------------------------------------------------------------------- notices

test('a note says that the link was opened, once', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } }));
  const presence = (/** @type {number} */ watchers) =>
    page.receive({ type: 'presence', room: 'r', online: ['X'], watchers });
  presence(0);
  assert.equal(page.state().notice, null);
  presence(1);
  assert.equal(page.state().notice?.code, 'opened');
  page.dispatch({ type: 'told', code: 'copied' });
  presence(2);
  assert.equal(page.state().notice?.code, 'copied');
});

test('a note says who sits down, and who asks for another game', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } }));
  page.receive(snapshot([], { seq: 5 }));
  assert.deepEqual([page.state().notice?.code, page.state().notice?.name], ['your_turn', 'Bo']);
  const over = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  page.receive(over);
  page.receive({ ...over, seq: 20, rematch: ['O'] });
  assert.deepEqual([page.state().notice?.code, page.state().notice?.name], ['asks_again', 'Bo']);
});

test('a watcher is not told who sits down, nor I what I ask myself', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([], { status: 'waiting', turn: null, seats: { X: human(BO), O: OPEN } }));
  page.receive(snapshot([], { seq: 5, seats: { X: human(BO), O: human(EVE) } }));
  assert.equal(page.state().notice, null);
  const mine = world().at('/r/r');
  const over = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  mine.receive(over);
  mine.receive({ ...over, seq: 20, rematch: ['X'] });
  assert.equal(mine.state().notice, null);
});

test('whoever sits down while it is not my turn is simply here', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } }));
  page.receive(snapshot([4], { seq: 5 }));
  assert.equal(page.state().notice?.code, 'sat_down');
});

// ------------------------------------------------------------------------------------------------------------- leaving

/** Leave a seat. @param {ReturnType<typeof world>} page @param {'X' | 'O'} seat */
function leave(page, seat) {
  page.send({ type: 'leave', room: 'r', seat });
  page.answer('leave', { type: 'accepted', room: 'r' });
}

const LEFT_BY_BO = { seats: { X: human(ADA), O: OPEN } };
const LEFT = { seq: 20, status: 'waiting', turn: null, ...LEFT_BY_BO };

for (const [when, room] of /** @type {[string, any][]} */ ([
  ['before the first move', snapshot([])],
  ['in the middle', snapshot([4])],
  ['after the end', ended(snapshot([4]), 'O')],
  ['with a rematch asked', ended(snapshot([4], { rematch: ['X', 'O'] }), 'O')],
  ['a game against the computer', snapshot([4], AGAINST_AI)],
  ['to the computer that covers', snapshot([4], { seats: { X: { ...AI, covers: { player: 'ada' } }, O: human(BO) } })],
]))
  test(`whoever leaves goes home, reads so, and is not invited back: ${when}`, () => {
    const page = world().at('/r/r');
    page.receive(room);
    leave(page, 'X');
    assert.deepEqual([location.pathname, page.state().room, page.state().notice?.code], ['/', null, 'left']);
    assert.deepEqual(page.identity.rooms(), []);
    const again = world(page.kept).at('/r/r');
    again.dispatch({ type: 'decline', rooms: again.identity.left() });
    const open = { ...room, status: 'waiting', turn: null, seats: { X: OPEN, O: human(BO) } };
    again.receive(open);
    assert.equal(railOf(again.state(), again.state().rooms.r), 'watching');
  });

test('whoever stops playing one of two sides stays', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }));
  leave(page, 'O');
  assert.deepEqual([location.pathname, page.state().notice, page.identity.left()], ['/r/r', null, []]);
});

test('a leave that is answered elsewhere leads nowhere', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.send({ type: 'leave', room: 'r', seat: 'X' });
  page.go('/r/s');
  page.answer('leave', { type: 'accepted', room: 'r' });
  assert.deepEqual([location.pathname, page.state().notice], ['/r/s', null]);
});

test('whoever has left on another page is not invited on this one', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.receive(snapshot([4], { seq: 20, status: 'waiting', turn: null, seats: { X: OPEN, O: human(BO) } }));
  assert.deepEqual(page.state().declined, ['r']);
});

for (const [when, before, after] of /** @type {[string, any, any][]} */ ([
  ['before the first move', snapshot([]), snapshot([], LEFT)],
  ['in the middle', snapshot([4]), snapshot([4], LEFT)],
  ['after the end', ended(snapshot([4]), 'X'), ended(snapshot([4], { ...LEFT, status: 'over' }), 'X')],
  [
    'when I have asked for another game',
    ended(snapshot([4], { rematch: ['X'] }), 'X'),
    ended(snapshot([4], { ...LEFT, rematch: ['X'] }), 'X'),
  ],
]))
  test(`the other reads who has left, and not that a link was opened: ${when}`, () => {
    const page = world().at('/r/r');
    page.receive(before);
    page.receive({ type: 'presence', room: 'r', online: ['X', 'O'], watchers: 0 });
    page.receive(after);
    page.receive({ type: 'presence', room: 'r', online: ['X'], watchers: 1 });
    assert.deepEqual([page.state().notice?.code, page.state().notice?.name], ['has_left', 'Bo']);
    assert.equal(leaverOf(page.state().rooms.r, 'O')?.name, 'Bo');
  });

test('a dropped connection is not leaving', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.receive({ type: 'presence', room: 'r', online: ['X'], watchers: 0 });
  assert.deepEqual([page.state().notice, leaverOf(page.state().rooms.r, 'O')], [null, null]);
  assert.equal(railOf(page.state(), page.state().rooms.r), 'playing');
});

test('somebody who leaves their place to the computer has left as well', () => {
  const page = world().at('/r/r');
  const covers = { player: 'bo', name: 'Bo' };
  page.receive(snapshot([4], { seats: { X: human(ADA), O: { ...AI, covers } } }));
  page.receive(snapshot([4], { seq: 20, seats: { X: human(ADA), O: AI } }));
  assert.deepEqual([page.state().notice?.code, page.state().notice?.name], ['has_left', 'Bo']);
});

test('a new invitation is to another game like this one', () => {
  const page = world({ 'noughts.prefs': '{"game":"drop","sight":"public","clock":"5"}' }).at('/r/r');
  const clock = { budget: 30_000, increment: 1000, left: { X: 1, O: 2 }, since: null };
  page.receive(ended(snapshot([4], { ...LEFT, clock, seats: { X: OPEN, O: human(ADA) } }), 'X'));
  page.send({ type: 'invite_again' });
  const { variant, seats, clock: time, public: isPublic } = page.last('create');
  assert.deepEqual([variant, seats, isPublic], ['3x3', { X: 'open', O: 'me' }, false]);
  assert.deepEqual(time, { budget: 30_000, increment: 1000 });
  page.answer('create', { type: 'accepted', room: 'new' });
  assert.equal(location.pathname, '/r/new');
});

// ------------------------------------------------------------------------------------------------- a name, and a place

test('a new name needs a new greeting, and then goes to my seats here', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  page.send({ type: 'rename', name: 'Lovelace' });
  assert.equal(page.types().at(-1), 'start');
  assert.equal(page.identity.hello().name, 'Lovelace');
  page.receive(/** @type {any} */ ({ ...welcome, player: { id: 'ada', name: 'Lovelace' } }));
  page.receive(snapshot([4]));
  const { room, seat } = page.last('sit');
  assert.deepEqual([room, seat], ['r', 'X']);
  page.receive(snapshot([4], { seq: 9 }));
  assert.equal(page.types().filter((type) => type === 'sit').length, 1);
});

test('the second person at this screen keeps their name', () => {
  const page = world().at('/r/r');
  const seats = { X: { ...human(ADA), name: 'Mia' }, O: human(ADA) };
  page.receive(snapshot([4], { seats }));
  page.send({ type: 'rename', name: 'Lovelace' });
  page.receive(/** @type {any} */ ({ ...welcome, player: { id: 'ada', name: 'Lovelace' } }));
  page.receive(snapshot([4], { seats }));
  assert.deepEqual(
    page.sent.filter(({ type }) => type === 'sit').map(({ seat }) => seat),
    ['O'],
  );
});

test('going from place to place follows the new one and no longer the old', () => {
  const page = world().at('/');
  const before = page.sent.length;
  page.go('/r/r');
  page.go('/r/s');
  const told = page.sent.slice(before).map(({ type, room, on }) => [type, room ?? on]);
  assert.deepEqual(told, [
    ['lobby', false],
    ['watch', 'r'],
    ['unwatch', 'r'],
    ['watch', 's'],
  ]);
});

test('a room is remembered while I play there, and forgotten once it is over, left or gone', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4]));
  assert.deepEqual(page.identity.rooms(), ['r']);
  page.receive(ended(snapshot([4, 0]), 'X'));
  assert.deepEqual(page.identity.rooms(), []);
  page.identity.keepRoom('r', true);
  page.send({ type: 'leave', room: 'r', seat: 'X' });
  page.answer('leave', { type: 'accepted' });
  assert.deepEqual(page.identity.rooms(), []);
  page.identity.keepRoom('r', true);
  page.answer('watch', { type: 'refused', reason: 'no_such_room', text: '' });
  assert.deepEqual(page.identity.rooms(), []);
});

test('home asks about the games that are remembered, and shows those that are not over', async () => {
  served['/api/rooms/a'] = snapshot([4], { room: 'a' });
  served['/api/rooms/b'] = ended(snapshot([4], { room: 'b' }), 'X');
  const page = world({ 'noughts.rooms': '["a","b","gone"]' }).at('/');
  assert.equal(page.state().hasOpenGames, true);
  await settle();
  assert.deepEqual([page.state().openGames.map(({ room }) => room), page.state().hasOpenGames], [['a'], false]);
});

test('what is out of date by then is sent once, everything else until it is answered', () => {
  const page = world().at('/r/r');
  page.receive(snapshot([4, 0]));
  page.send({ type: 'say', room: 'r', phrase: 'oops' });
  page.send({ type: 'analyse', room: 'r', ply: 0 });
  page.send({ type: 'resign', room: 'r', game: 1 });
  assert.deepEqual(
    page.sent.slice(-3).map(({ type, how }) => [type, how]),
    [
      ['say', 'tell'],
      ['analyse', 'tell'],
      ['resign', 'send'],
    ],
  );
});

// -------------------------------------------------------------------------------------------------------- a big screen

/** @param {string} room @param {object} [changes] @returns {any} */
const listed = (room, changes = {}) => ({
  room,
  variant: '3x3',
  game: 1,
  board: '.........',
  status: 'playing',
  turn: 'X',
  seats: { X: { kind: 'human', name: 'Ada' }, O: AI },
  watchers: 0,
  online: 1,
  ...changes,
});
const COMPUTERS = { seats: { X: AI, O: AI }, online: 0 };

/** A big screen with these public games. @param {any[]} rooms */
function screen(...rooms) {
  const page = world().at('/tv');
  page.receive({ type: 'lobby', complete: true, rooms, gone: [] });
  return page;
}

test('a big screen shows the game with the most people', () => {
  const page = screen(
    listed('computers', { ...COMPUTERS, watchers: 9 }),
    listed('people'),
    listed('over', { status: 'over' }),
  );
  assert.deepEqual([page.state().room, page.last('watch').room], ['people', 'people']);
  assert.equal(location.pathname, '/tv');
});

/** Move on by so many milliseconds. @param {import('node:test').TestContext} context */
function clock(context) {
  context.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  return (/** @type {number} */ ms) => context.mock.timers.tick(ms);
}

test('a big screen stays for a rematch, then moves on', (context) => {
  const pass = clock(context);
  const page = screen(listed('a'), listed('b', COMPUTERS));
  page.receive(snapshot([0, 3, 1, 4], { room: 'a', ...AGAINST_AI }));
  pass(60_000);
  page.dispatch({ type: 'tick' });
  page.receive(ended(snapshot([0, 3, 1, 4, 2], { room: 'a', ...AGAINST_AI }), 'X'));
  page.receive({ type: 'lobby', complete: false, rooms: [listed('a', { status: 'over', turn: null })], gone: [] });
  pass(11_000);
  page.dispatch({ type: 'tick' });
  assert.equal(page.state().room, 'a');
  pass(2_000);
  page.dispatch({ type: 'tick' });
  assert.deepEqual([page.state().room, page.last('unwatch').room, page.last('watch').room], ['b', 'a', 'b']);
});

test('a big screen knows of a rematch before the list does', (context) => {
  const pass = clock(context);
  const page = screen(listed('a'), listed('b', COMPUTERS));
  page.receive(ended(snapshot([0, 3, 1, 4, 2], { room: 'a', ...AGAINST_AI }), 'X'));
  page.receive({ type: 'lobby', complete: false, rooms: [listed('a', { status: 'over', turn: null })], gone: [] });
  pass(11_000);
  page.receive(snapshot([], { room: 'a', seq: 99, game: 2, ...AGAINST_AI }));
  pass(11_000);
  page.dispatch({ type: 'tick' });
  assert.equal(page.state().room, 'a');
});

test('a big screen stays where nothing else is played', (context) => {
  const pass = clock(context);
  const page = screen(listed('a'));
  page.receive(ended(snapshot([0, 3, 1, 4, 2], { room: 'a', ...AGAINST_AI }), 'X'));
  pass(99_000);
  page.dispatch({ type: 'tick' });
  assert.equal(page.state().room, 'a');
});

test('a big screen leaves a game that everybody has left, and one that is gone', (context) => {
  const pass = clock(context);
  const page = screen(listed('a'), listed('b', COMPUTERS));
  page.receive(snapshot([0], { room: 'a', ...AGAINST_AI }));
  page.receive({ type: 'presence', room: 'a', online: [], watchers: 1 });
  page.receive({ type: 'lobby', complete: false, rooms: [listed('a', { online: 0 })], gone: [] });
  pass(13_000);
  page.dispatch({ type: 'tick' });
  assert.equal(page.state().room, 'b');
  const other = screen(listed('a'), listed('b', COMPUTERS));
  other.receive({ type: 'lobby', complete: false, rooms: [], gone: ['a'] });
  other.answer('watch', { type: 'refused', reason: 'no_such_room', text: '' });
  assert.deepEqual([other.state().room, other.state().missing], ['b', false]);
});

test('a big screen for one room stays there', () => {
  const page = world().at('/tv/mine');
  page.receive({ type: 'lobby', complete: true, rooms: [listed('a')], gone: [] });
  assert.equal(page.state().room, 'mine');
});

test('what a busy server could not judge is asked for again, unless one has gone on', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const page = world().at('/r/r');
  page.receive(snapshot([0, 1]));
  page.send({ type: 'look', on: true });
  const asked = () => page.sent.filter(({ type }) => type === 'analyse').length;
  page.send({ type: 'analyse', room: 'r', game: 1, ply: 2 });
  page.answer('analyse', { type: 'refused', reason: 'retry', text: '' });
  assert.deepEqual([page.state().look.isBusy, page.state().notice], [true, null]);
  context.mock.timers.tick(2000);
  assert.equal(asked(), 2);
  page.answer('analyse', { type: 'analysis', room: 'r', ply: 2, turn: 'X', cells: [] });
  assert.equal(page.state().look.isBusy, false);
  page.answer('analyse', { type: 'refused', reason: 'retry', text: '' });
  page.receive(snapshot([0, 1, 2]));
  context.mock.timers.tick(2000);
  assert.equal(asked(), 2);
});
