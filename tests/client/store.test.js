import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PREFS, createStore, initial, reduce } from '../../client/store.js';
import { NOWHERE } from '../../client/selectors.js';
import { ADA, BO, EVE, OPEN, ended, gameOf, human, limits, snapshot, welcome } from './rooms.js';

/** Fold notes, one second apart, from the start. @param {...any} notes */
function after(...notes) {
  return notes.reduce((state, note, index) => reduce(state, { at: index * 1000, ...note }), initial());
}
const IN_ROOM = [welcome, { type: 'went', room: 'r' }];
const play = { type: 'play', id: 7, room: 'r', cell: 4, ply: 0, game: 1 };
const asked = [...IN_ROOM, snapshot(), { type: 'asked', command: play }];

test('the newest seq of a room wins', () => {
  const state = after(...IN_ROOM, snapshot([4, 0]), snapshot([4]));
  assert.deepEqual(state.rooms.r.snapshot.moves, [4, 0]);
});

test('reducing changes neither the old state nor the frame', () => {
  const before = Object.freeze(after(...IN_ROOM, snapshot()));
  const frame = Object.freeze({ ...snapshot([4]), at: 9000 });
  const next = reduce(before, /** @type {any} */ (frame));
  assert.equal(before.rooms.r.snapshot.moves.length, 0);
  assert.equal(next.rooms.r.snapshot.moves.length, 1);
});

test('a click is pending until the state holds it', () => {
  const state = after(...asked);
  assert.deepEqual(state.pending, { id: 7, room: 'r', game: 1, ply: 0, cell: 4, mark: 'X', since: 3000 });
  const answered = reduce(state, { type: 'accepted', re: 7, room: 'r', seq: 3, command: play, at: 1 });
  assert.equal(answered.pending?.cell, 4);
  assert.equal(reduce(answered, { ...snapshot([4]), at: 2 }).pending, null);
});

test('a refusal takes the click back and says why', () => {
  const state = after(...asked, { type: 'refused', re: 7, reason: 'cell_taken', text: 'taken', command: play });
  assert.equal(state.pending, null);
  assert.deepEqual([state.notice?.code, state.notice?.reason], ['refused', 'cell_taken']);
});

test('somebody else’s refusal leaves the click alone', () => {
  const state = after(...asked, {
    type: 'refused',
    re: 8,
    reason: 'seat_taken',
    text: '',
    command: { type: 'sit', id: 8 },
  });
  assert.equal(state.pending?.cell, 4);
});

test('a refusal keeps the server’s sentence, for a reason that the page has no words for', () => {
  const state = after({
    type: 'refused',
    re: 1,
    reason: 'new_reason',
    text: 'Something new.',
    command: { type: 'sit' },
  });
  assert.equal(state.notice?.text, 'Something new.');
});

test('a notice is a code, and fades by itself', () => {
  const told = after({ type: 'told', code: 'sat_down', name: 'Bo' });
  assert.deepEqual([told.notice?.code, told.notice?.name, told.notice?.text], ['sat_down', 'Bo', undefined]);
  assert.equal(reduce(told, { type: 'tick', at: 4999 }).notice?.code, 'sat_down');
  assert.equal(reduce(told, { type: 'tick', at: 5001 }).notice, null);
});

test('an unknown address shows that nothing is there, until another one is opened', () => {
  const state = reduce(initial(), { type: 'went', room: NOWHERE, at: 0 });
  assert.equal(state.missing, true);
  assert.equal(reduce(state, { type: 'went', room: null, at: 1 }).missing, false);
});

test('an unknown room is missing until a state arrives', () => {
  const refused = { type: 'refused', re: 2, reason: 'no_such_room', text: '', command: { type: 'watch', room: 'r' } };
  const state = after(...IN_ROOM, refused);
  assert.equal(state.missing, true);
  assert.equal(state.notice, null);
  assert.equal(reduce(state, { ...snapshot(), at: 1 }).missing, false);
});

test('absence counts from the first frame without them, and ends with one that has them', () => {
  const gone = { type: 'presence', room: 'r', online: ['X'], watchers: 2 };
  const state = after(...IN_ROOM, snapshot(), gone, gone);
  assert.equal(state.rooms.r.offlineSince.O, 3000);
  assert.equal(state.rooms.r.watchers, 2);
  const back = reduce(state, { type: 'presence', room: 'r', online: ['X', 'O'], watchers: 0, at: 9000 });
  assert.deepEqual(back.rooms.r.offlineSince, {});
});

test('a new welcome counts absence anew', () => {
  const state = after(...IN_ROOM, snapshot(), { type: 'presence', room: 'r', online: ['X'], watchers: 0 }, welcome);
  assert.deepEqual(state.rooms.r.offlineSince, {});
  assert.equal(state.rooms.r.online, null);
});

test('the page computes with the limits of the latest welcome', () => {
  assert.equal(after().limits.cover_after, Infinity);
  const sooner = { ...limits, cover_after: 1_000 };
  assert.deepEqual(after(welcome, { ...welcome, limits: sooner }).limits, sooner);
});

test('somebody who sits down is online before a presence frame says so', () => {
  const waiting = snapshot([], { seats: { X: human(ADA), O: OPEN }, status: 'waiting', turn: null, seq: 1 });
  const alone = [...IN_ROOM, waiting, { type: 'presence', room: 'r', online: ['X'], watchers: 1 }];
  assert.deepEqual(after(...alone).rooms.r.online, ['X']);
  assert.deepEqual(after(...alone, snapshot()).rooms.r.online, ['X', 'O']);
  const gone = { type: 'presence', room: 'r', online: ['X'], watchers: 0 };
  assert.deepEqual(after(...alone, snapshot(), gone, snapshot([4])).rooms.r.online, ['X']);
});

test('a wish for another game is no longer told once that game has begun', () => {
  const asks = [...IN_ROOM, snapshot(), { type: 'told', code: 'asks_again', name: 'Bo' }];
  assert.equal(after(...asks, snapshot([4])).notice?.code, 'asks_again');
  assert.equal(after(...asks, snapshot([], { game: 2, seq: 9 })).notice, null);
});

test('presence of an open seat is no absence', () => {
  const room = snapshot([], { seats: { X: OPEN, O: OPEN }, status: 'waiting', turn: null });
  const state = after(...IN_ROOM, room, { type: 'presence', room: 'r', online: [], watchers: 1 });
  assert.deepEqual(state.rooms.r.offlineSince, {});
});

test('the list of games starts complete and then takes changes', () => {
  const one = { room: 'a', board: '.........' };
  const state = after(
    { type: 'lobby', complete: false, rooms: [one], gone: [] },
    { type: 'lobby', complete: true, rooms: [one, { room: 'b' }], gone: [] },
    { type: 'lobby', complete: false, rooms: [{ ...one, board: 'X........' }], gone: ['b'] },
  );
  assert.deepEqual(
    [...(state.lobby ?? [])].map(([id, room]) => [id, room.board]),
    [['a', 'X........']],
  );
});

test('a change before the first complete list is ignored', () => {
  assert.equal(after({ type: 'lobby', complete: false, rooms: [{ room: 'a' }], gone: [] }).lobby, null);
});

test('going elsewhere forgets the room left, the list and the pending click', () => {
  const state = after(...asked, { type: 'went', room: null });
  assert.deepEqual([state.rooms, state.pending, state.lobby], [{}, null, null]);
});

test('a create is remembered until its own answer', () => {
  const create = { type: 'create', id: 3 };
  const state = after(welcome, { type: 'asked', command: create });
  assert.equal(state.creating, 3);
  assert.equal(reduce(state, { type: 'accepted', re: 3, room: 'r', command: create, at: 1 }).creating, null);
});

test('the server’s clock is the nearest seen since the welcome', () => {
  const state = after(
    { ...welcome, now: 100 },
    { type: 'pong', now: 1350, at: 1000 },
    { type: 'pong', now: 2200, at: 2000 },
  );
  assert.equal(state.offset, 350);
});

test('one person’s newest phrase replaces the last, and a phrase of another room is not heard', () => {
  const said = { type: 'said', room: 'r', player: welcome.player, phrase: 'good_game', now: 1 };
  const state = after(...IN_ROOM, said, { ...said, phrase: 'thanks' }, { ...said, room: 'elsewhere', phrase: 'oops' });
  assert.deepEqual(
    state.sayings.map((saying) => saying.phrase),
    ['thanks'],
  );
});

const BACK = [...IN_ROOM, snapshot([4, 0]), { type: 'step', ply: 1 }];

test('who looks back stays there while the game goes on', () => {
  const { look } = after(...BACK, snapshot([4, 0, 8]));
  assert.equal(look.back?.ply, 1);
  assert.equal(look.back?.from, 2);
  assert.equal(look.back?.snapshot.moves.length, 3);
});

test('who looks back stays there when the next game begins', () => {
  const { look } = after(...BACK, snapshot([], { game: 2, seq: 9 }));
  assert.equal(look.back?.ply, 1);
  assert.equal(look.back?.snapshot.game, 1);
});

test('a step goes no further than the game does, and none at all is back to it', () => {
  assert.equal(after(...BACK, { type: 'step', ply: 99 }).look.back?.ply, 2);
  assert.equal(after(...BACK, { type: 'step', ply: -1 }).look.back?.ply, 0);
  assert.equal(after(...BACK, { type: 'step', ply: null }).look.back, null);
});

test('another room is looked at afresh', () => {
  assert.deepEqual(after(...BACK, { type: 'look', on: true }, { type: 'went', room: 's' }).look, {
    on: false,
    back: null,
    analysis: null,
    isBusy: false,
  });
});

const AIMED = [...IN_ROOM, snapshot([4]), { type: 'premove', cell: 0 }];

test('a cell is aimed at for the next turn, and no longer when it is aimed at again', () => {
  assert.deepEqual(after(...AIMED).premove, { game: 1, ply: 2, cell: 0 });
  assert.equal(after(...AIMED, { type: 'premove', cell: 0 }).premove, null);
  assert.equal(after(...AIMED, { type: 'premove', cell: null }).premove, null);
  assert.equal(after(...AIMED, { type: 'premove', cell: 8 }).premove?.cell, 8);
});

test('an aim holds until the cell is taken, the game over or another, or the room left', () => {
  assert.equal(after(...AIMED, snapshot([4, 8])).premove?.cell, 0);
  assert.equal(after(...AIMED, snapshot([4, 0])).premove, null);
  assert.equal(after(...AIMED, snapshot([4, 8], { status: 'over', turn: null })).premove, null);
  assert.equal(after(...AIMED, snapshot([4], { game: 2, seq: 9 })).premove, null);
  assert.equal(after(...AIMED, { type: 'went', room: null }).premove, null);
  assert.equal(
    after(...AIMED, snapshot([4, 8]), { type: 'asked', command: { ...play, cell: 0, ply: 2 } }).premove,
    null,
  );
});

test('an earlier game is shown from its end, and the current one is left alone', () => {
  const past = snapshot([0, 3, 1, 4, 2], { status: 'over', turn: null });
  const here = [...IN_ROOM, snapshot([], { game: 2 })];
  assert.deepEqual(after(...here, { type: 'recalled', snapshot: past }).look.back, { snapshot: past, from: 5, ply: 5 });
  const last = { ...past, game: 2, seq: 9, seats: { X: human(BO), O: human(ADA) } };
  const again = after(...here, last, { type: 'recalled', snapshot: { ...past, game: 2 } });
  assert.deepEqual(again.look.back?.snapshot.seats, last.seats); // the room knows more about its last game
  assert.equal(after(...here, { type: 'recalled', snapshot: { ...past, room: 's' } }).look.back, null);
  assert.equal(after(...here, { type: 'recalled', snapshot: past }, { type: 'step', ply: null }).look.back, null);
});

test('of an earlier game, the seat with my name is mine while I still play', () => {
  const seats = { X: human({ ...ADA, id: '' }), O: human({ ...BO, id: '' }) };
  const past = snapshot([0, 3, 1, 4, 2], { status: 'over', turn: null, seats });
  const now = snapshot([], { game: 2, seats: { X: human(BO), O: human(ADA) } });
  const mine = (/** @type {any[]} */ ...notes) => after(...IN_ROOM, ...notes).look.back?.snapshot.seats;
  assert.deepEqual(mine(now, { type: 'recalled', snapshot: past }), { ...seats, X: human(ADA) });
  const watched = { ...now, seats: { X: human(BO), O: human(BO) } };
  assert.deepEqual(mine(watched, { type: 'recalled', snapshot: past }), seats);
  const alike = { ...past, seats: { X: seats.X, O: seats.X } };
  assert.deepEqual(mine(now, { type: 'recalled', snapshot: alike }), alike.seats);
});

test('a new game does not disturb those who look back', () => {
  const past = snapshot([0, 3, 1, 4, 2], { status: 'over', turn: null });
  const back = after(...IN_ROOM, past, { type: 'step', ply: 2 });
  assert.equal(back.look.on, true);
  const later = after(...IN_ROOM, past, { type: 'step', ply: 2 }, snapshot([], { game: 2, seq: 9 }));
  assert.deepEqual(later.look, back.look);
});

test('an aim at a column holds when the opponent plays there, until the column is full', () => {
  const aimed = [...IN_ROOM, gameOf('drop', [38], { playable: [31] }), { type: 'premove', cell: 31 }];
  assert.equal(after(...aimed, gameOf('drop', [38, 31], { playable: [24] })).premove?.cell, 31);
  assert.equal(after(...aimed, gameOf('drop', [38, 31], { playable: [35, 36] })).premove, null);
});

test('an aim at a cell of another board than the one to be played is dropped', () => {
  const aimed = [...IN_ROOM, gameOf('ultimate', [40], { playable: [30, 31] }), { type: 'premove', cell: 80 }];
  assert.equal(after(...aimed, gameOf('ultimate', [40, 30], { playable: [0, 1, 2] })).premove, null);
  assert.equal(after(...aimed, gameOf('ultimate', [40, 50], { playable: [79, 80] })).premove?.cell, 80);
});

test('an analysis belongs to the game that was asked about, or else to the current one', () => {
  const analysis = { type: 'analysis', room: 'r', ply: 0, turn: 'X', cells: [] };
  const here = [...IN_ROOM, snapshot([], { game: 3 })];
  assert.equal(
    after(...here, { ...analysis, command: { type: 'analyse', room: 'r', game: 2 } }).look.analysis?.game,
    2,
  );
  assert.equal(after(...here, { ...analysis, command: { type: 'analyse', room: 'r' } }).look.analysis?.game, 3);
  assert.equal(after(...here, { ...analysis, room: 's' }).look.analysis, null);
});

test('quick play tells of a partner, and is over when the server says so', () => {
  const partner = { id: 'bo', name: 'Bo' };
  const told = { type: 'quick', on: true, partner, asks: true, room: null };
  assert.deepEqual(after({ type: 'seek', on: true }).quick, { on: true, partner: null, asks: false, variant: '3x3' });
  assert.deepEqual(after({ type: 'seek', on: true, variant: 'drop' }, told).quick, {
    on: true,
    partner,
    asks: true,
    variant: 'drop',
  });
  assert.equal(after(told, { ...told, on: false, room: 'r' }).quick.on, false);
});

test('what one prefers is kept, one thing at a time', () => {
  assert.deepEqual(
    after({ type: 'prefer', sound: false }, { type: 'prefer', theme: 'dark' }, { type: 'prefer', game: 'drop' }).prefs,
    { ...PREFS, sound: false, theme: 'dark', game: 'drop' },
  );
});

test('every subscriber hears of every note until it has had enough', () => {
  const store = createStore();
  /** @type {string[]} */
  const heard = [];
  const stop = store.subscribe((state) => heard.push(state.link));
  store.dispatch({ type: 'link', link: 'lost', at: 0 });
  stop();
  store.dispatch({ type: 'link', link: 'online', at: 0 });
  assert.deepEqual(heard, ['lost']);
  assert.equal(store.get().link, 'online');
});

test('what is asked while the line is down is said to go later; a move shows on the board', () => {
  const cut = [...IN_ROOM, snapshot(), { type: 'link', link: 'lost' }];
  assert.equal(
    after(...cut, { type: 'asked', command: { type: 'resign', id: 7, room: 'r' } }).notice?.code,
    'sent_later',
  );
  const moved = after(...cut, { type: 'asked', command: play });
  assert.deepEqual([moved.notice, moved.pending?.cell], [null, 4]);
  assert.equal(after(...IN_ROOM, { type: 'asked', command: { type: 'resign', id: 7, room: 'r' } }).notice, null);
});

test('nothing is promised to go later that does not', () => {
  const say = { type: 'asked', command: { type: 'say', id: 7, room: 'r', phrase: 'oops' } };
  assert.equal(after(...IN_ROOM, snapshot(), { type: 'link', link: 'lost' }, say).notice?.code, 'say_again');
});

test('every notice that the reducer makes is a code without a sentence of ours', () => {
  const sit = { type: 'refused', re: 1, reason: 'seat_taken', text: 'server', command: { type: 'sit' } };
  for (const note of [sit, { type: 'told', code: 'copied' }]) {
    const { notice } = after(note);
    assert.match(notice?.code ?? '', /^[a-z_]+$/);
    assert.equal(notice?.text, 'text' in note ? 'server' : undefined);
  }
});

test('after a welcome the first state counts whatever its seq, as after a restore from a backup', () => {
  const older = snapshot([4], { seq: 3 });
  const before = after(...IN_ROOM, snapshot([4, 0, 8], { seq: 9 }));
  assert.equal(reduce(before, { ...older, at: 9000 }).rooms.r.snapshot.seq, 9);
  const greeted = reduce(before, /** @type {any} */ ({ ...welcome, at: 9000 }));
  assert.deepEqual(greeted.rooms.r.snapshot.moves, [4, 0, 8], 'the board stays until the state is there');
  const restored = reduce(greeted, { ...older, at: 9001 });
  assert.deepEqual(restored.rooms.r.snapshot.moves, [4]);
  assert.equal(reduce(restored, { ...snapshot([], { seq: 2 }), at: 9002 }).rooms.r.snapshot.seq, 3, 'only the first');
});

test('a page that sees a game end knows when, one that joins later does not', () => {
  const end = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  const seen = after(...IN_ROOM, snapshot([0, 3, 1, 4]), end);
  assert.equal(seen.rooms.r.endedAt, 3000);
  assert.equal(reduce(seen, { ...end, seq: 20, rematch: ['X'], at: 9000 }).rooms.r.endedAt, 3000);
  assert.equal(reduce(seen, { ...snapshot([], { game: 2, seq: 21 }), at: 9000 }).rooms.r.endedAt, null);
  assert.equal(after(...IN_ROOM, end).rooms.r.endedAt, null);
});

test('a pending click falls with its game', () => {
  assert.equal(after(...asked, ended(snapshot([], { seq: 9 }), 'O', { by: 'time' })).pending, null);
  assert.equal(after(...asked, snapshot([], { game: 2, seq: 9 })).pending, null);
  assert.equal(after(...asked, snapshot([], { room: 's', game: 2, seq: 9 })).pending?.cell, 4);
});

test('what is looked up in the background is refused in silence', () => {
  for (const type of ['analyse', 'unwatch', 'lobby', 'quick']) {
    assert.equal(after({ type: 'refused', re: 1, reason: 'too_fast', text: '', command: { type } }).notice, null);
  }
});

test('a wish to meet holds until it is refused, or the partner is another', () => {
  const partner = BO;
  const found = { type: 'quick', on: true, partner, asks: false, room: null };
  const meet = { type: 'asked', command: { type: 'meet', id: 5, player: 'bo' } };
  const seeking = [welcome, { type: 'seek', on: true }, found, meet];
  assert.equal(after(...seeking).meeting, 'bo');
  assert.equal(after(...seeking, { ...found, asks: true }).meeting, 'bo');
  assert.equal(after(...seeking, { ...found, partner: { id: 'eve', name: 'Eve' } }).meeting, null);
  assert.equal(after(...seeking, { ...found, on: false, partner: null }).meeting, null);
  assert.equal(after(...seeking, { type: 'seek', on: false }).meeting, null);
  const refused = { type: 'refused', re: 5, reason: 'too_fast', text: '', command: meet.command };
  assert.deepEqual([after(...seeking, refused).meeting, after(...seeking, refused).notice?.code], [null, 'refused']);
});

test('waiting on for somebody holds until the next move', () => {
  const patient = [...IN_ROOM, snapshot([4]), { type: 'patient', on: true }];
  assert.equal(after(...patient, snapshot([4], { seq: 8 })).isPatient, true);
  assert.equal(after(...patient, snapshot([4, 0])).isPatient, false);
});

test('values are hidden when the game ends and when the next begins', () => {
  const looking = [...IN_ROOM, snapshot([0, 3, 1, 4]), { type: 'look', on: true }];
  assert.equal(after(...looking).look.on, true);
  assert.equal(after(...looking, ended(snapshot([0, 3, 1, 4, 2]), 'X')).look.on, false);
  assert.deepEqual(after(...looking, snapshot([], { game: 2, seq: 20 })).look, {
    on: false,
    back: null,
    analysis: null,
    isBusy: false,
  });
});

test('the first step back shows values; a later one leaves them as they are', () => {
  assert.equal(after(...BACK).look.on, true);
  assert.equal(after(...BACK, { type: 'look', on: false }, { type: 'step', ply: 0 }).look.on, false);
});

test('a review is kept with the game it is about, until the room is left', () => {
  const reviewed = { type: 'reviewed', room: 'r', game: 1, lines: [], isComplete: false };
  assert.deepEqual(after(...IN_ROOM, reviewed).review, { room: 'r', game: 1, lines: [], isComplete: false });
  assert.equal(after(...IN_ROOM, reviewed, { type: 'went', room: 's' }).review, null);
});

test('a big screen keeps the list of games while it moves from room to room', () => {
  const lobby = { type: 'lobby', complete: true, rooms: [{ room: 'a' }], gone: [] };
  const state = after({ type: 'went', room: null, isTv: true }, lobby, { type: 'went', room: 'a', isTv: true });
  assert.deepEqual([state.isTv, state.room, state.lobby?.size], [true, 'a', 1]);
  const gone = reduce(state, { type: 'went', room: 'b', at: 9000 });
  assert.deepEqual([gone.isTv, gone.lobby], [false, null]);
});

test('games that are being asked for keep their place until the answer', () => {
  const [known, asking] = [
    { type: 'open_games', rooms: [snapshot()] },
    { type: 'open_games', rooms: [], isAsked: true },
  ];
  const state = after(known, asking);
  assert.deepEqual([state.openGames.length, state.hasOpenGames], [1, true]);
  assert.equal(after(known, asking, { type: 'open_games', rooms: [] }).openGames.length, 0);
});

test('the sheet, a declined invitation and one’s own results are simply kept', () => {
  const progress = { games: {}, streak: 2, last: null, counted: [] };
  const state = after(
    { type: 'sheet', tab: 'computer' },
    { type: 'decline', rooms: ['q'] },
    { type: 'decline', rooms: ['r'] },
    /** @type {any} */ ({ type: 'progress', progress }),
  );
  assert.deepEqual([state.sheet, state.declined, state.progress], ['computer', ['q', 'r'], progress]);
});

test('who sits down after the end has not played, whatever the page has seen', () => {
  const none = { X: 0, O: 0, draws: 0 };
  const over = ended(snapshot([0, 3, 1, 4, 2]), 'X');
  const left = { ...over, seq: 20, seats: { X: human(ADA), O: OPEN } };
  const joined = { ...over, seq: 21, score: none, seats: { X: human(ADA), O: human(EVE) } };
  const both = { X: human(ADA), O: human(BO) };
  const seen = after(...IN_ROOM, snapshot([0, 3, 1, 4]), over, left, joined);
  assert.deepEqual(seen.rooms.r.players, both);
  const played = { type: 'played', room: 'r', game: 1, seats: both };
  assert.deepEqual(after(...IN_ROOM, left, joined, played).rooms.r.players, both);
  assert.deepEqual(after(...IN_ROOM, joined, played).rooms.r.players, both);
  assert.deepEqual(after(...IN_ROOM, snapshot([], { game: 2 }), played).rooms.r.players, both, 'of another game');
});

test('the next game has its own players', () => {
  const next = snapshot([], { game: 2, seq: 22, seats: { X: human(EVE), O: human(ADA) } });
  const state = after(...IN_ROOM, ended(snapshot([0, 3, 1, 4, 2]), 'X'), next);
  assert.deepEqual(state.rooms.r.players, { X: human(EVE), O: human(ADA) });
});

test('an announcement holds until it is taken back, replaced, or not said again by the next server', () => {
  const said = { type: 'announced', text: 'A restart.', due: 90_000 };
  const state = after(...IN_ROOM, said);
  assert.deepEqual(state.announced, { text: 'A restart.', due: 90_000 });
  assert.equal(after(...IN_ROOM, said, { ...said, text: 'Later.' }).announced?.text, 'Later.');
  assert.equal(after(...IN_ROOM, said, { type: 'announced', text: '', due: null }).announced, null);
  assert.equal(after(...IN_ROOM, said, welcome).announced, null);
});

test('a room that the operator closes is gone, with what the operator says, until one goes elsewhere', () => {
  const closed = { type: 'closed', room: 'r', text: 'Closed for spam.' };
  const state = after(...asked, closed);
  assert.deepEqual([state.missing, state.closed], [true, 'Closed for spam.']);
  assert.deepEqual(state.rooms, {});
  const elsewhere = reduce(state, { type: 'went', room: 's', at: 9000 });
  assert.deepEqual([elsewhere.missing, elsewhere.closed], [false, '']);
  const again = after(...asked, closed, {
    type: 'refused',
    re: 9,
    reason: 'no_such_room',
    text: '',
    command: { type: 'watch', room: 'r' },
  });
  assert.equal(again.closed, 'Closed for spam.');
});

test('another room that is closed changes nothing here', () => {
  const state = after(...IN_ROOM, snapshot(), { type: 'closed', room: 's', text: '' });
  assert.deepEqual([state.missing, state.rooms.r.snapshot.room], [false, 'r']);
});

test('the version is the server’s, and an older server names none', () => {
  assert.equal(after({ ...welcome, server: { version: '9.1' } }).version, '9.1');
  assert.equal(after({ ...welcome, server: undefined }).version, '');
});
