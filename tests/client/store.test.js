import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore, initial, reduce } from '../../client/store.js';
import { NOWHERE } from '../../client/viewpoint.js';
import { OPEN, gameOf, limits, snapshot, welcome } from './rooms.js';

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
  assert.deepEqual(state.pending, { id: 7, room: 'r', game: 1, ply: 0, cell: 4, mark: 'X' });
  const answered = reduce(state, { type: 'accepted', re: 7, room: 'r', seq: 3, command: play, at: 1 });
  assert.equal(answered.pending?.cell, 4);
  assert.equal(reduce(answered, { ...snapshot([4]), at: 2 }).pending, null);
});

test('a refusal takes the click back and says why', () => {
  const state = after(...asked, { type: 'refused', re: 7, reason: 'cell_taken', text: 'taken', command: play });
  assert.equal(state.pending, null);
  assert.equal(state.notice?.text, 'That square is taken. Pick another one.');
  assert.equal(state.notice?.tone, 'alert');
});

test('somebody else’s refusal leaves the click alone', () => {
  const state = after(...asked, { type: 'refused', re: 8, reason: 'seat_taken', text: '', command: { type: 'sit', id: 8 } });
  assert.equal(state.pending?.cell, 4);
});

test('an unknown reason falls back on the server’s sentence', () => {
  const state = after({ type: 'refused', re: 1, reason: 'new_reason', text: 'Something new.', command: { type: 'sit' } });
  assert.equal(state.notice?.text, 'Something new.');
});

test('a sentence fades by itself', () => {
  const told = after({ type: 'told', text: 'Link copied.' });
  assert.equal(reduce(told, { type: 'tick', at: 4999 }).notice?.text, 'Link copied.');
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

test('presence of an open seat is no absence', () => {
  const room = snapshot([], { seats: { X: OPEN, O: OPEN }, status: 'waiting', turn: null });
  const state = after(...IN_ROOM, room, { type: 'presence', room: 'r', online: [], watchers: 1 });
  assert.deepEqual(state.rooms.r.offlineSince, {});
});

test('the wall starts complete and then takes changes', () => {
  const one = { room: 'a', board: '.........' };
  const state = after(
    { type: 'lobby', complete: false, rooms: [one], gone: [] },
    { type: 'lobby', complete: true, rooms: [one, { room: 'b' }], gone: [] },
    { type: 'lobby', complete: false, rooms: [{ ...one, board: 'X........' }], gone: ['b'] },
  );
  assert.deepEqual([...(state.wall ?? [])].map(([id, room]) => [id, room.board]), [['a', 'X........']]);
});

test('a change before the first complete wall is ignored', () => {
  assert.equal(after({ type: 'lobby', complete: false, rooms: [{ room: 'a' }], gone: [] }).wall, null);
});

test('going elsewhere forgets the room left, the wall and the pending click', () => {
  const state = after(...asked, { type: 'went', room: null });
  assert.deepEqual([state.rooms, state.pending, state.wall], [{}, null, null]);
});

test('a create is remembered until its own answer', () => {
  const create = { type: 'create', id: 3 };
  const state = after(welcome, { type: 'asked', command: create });
  assert.equal(state.creating, 3);
  assert.equal(reduce(state, { type: 'accepted', re: 3, room: 'r', command: create, at: 1 }).creating, null);
});

test('the server’s clock is the nearest seen since the welcome', () => {
  const state = after({ ...welcome, now: 100 }, { type: 'pong', now: 1350, at: 1000 }, { type: 'pong', now: 2200, at: 2000 });
  assert.equal(state.offset, 350);
});

test('one person’s newest phrase replaces the last, and a phrase of another room is not heard', () => {
  const said = { type: 'said', room: 'r', player: welcome.player, phrase: 'good_game', now: 1 };
  const state = after(...IN_ROOM, said, { ...said, phrase: 'thanks' }, { ...said, room: 'elsewhere', phrase: 'oops' });
  assert.deepEqual(state.sayings.map((saying) => saying.phrase), ['thanks']);
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
  assert.deepEqual(after(...BACK, { type: 'look', on: true }, { type: 'went', room: 's' }).look, { on: false, back: null, analysis: null });
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
  assert.equal(after(...AIMED, snapshot([4, 8]), { type: 'asked', command: { ...play, cell: 0, ply: 2 } }).premove, null);
});

test('an earlier game is shown from its end, and the current one is left alone', () => {
  const past = snapshot([0, 3, 1, 4, 2], { status: 'over', turn: null });
  const here = [...IN_ROOM, snapshot([], { game: 2 })];
  assert.deepEqual(after(...here, { type: 'recalled', snapshot: past }).look.back, { snapshot: past, from: 5, ply: 5 });
  assert.equal(after(...here, { type: 'recalled', snapshot: { ...past, game: 2 } }).look.back, null);
  assert.equal(after(...here, { type: 'recalled', snapshot: { ...past, room: 's' } }).look.back, null);
  assert.equal(after(...here, { type: 'recalled', snapshot: past }, { type: 'step', ply: null }).look.back, null);
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
  assert.equal(after(...here, { ...analysis, command: { type: 'analyse', room: 'r', game: 2 } }).look.analysis?.game, 2);
  assert.equal(after(...here, { ...analysis, command: { type: 'analyse', room: 'r' } }).look.analysis?.game, 3);
  assert.equal(after(...here, { ...analysis, room: 's' }).look.analysis, null);
});

test('quick play tells of a partner, and is over when the server says so', () => {
  const partner = { id: 'bo', name: 'Bo' };
  const told = { type: 'quick', on: true, partner, asks: true, room: null };
  assert.deepEqual(after({ type: 'seek', on: true }).quick, { on: true, partner: null, asks: false, variant: '3x3' });
  assert.deepEqual(after({ type: 'seek', on: true, variant: 'drop' }, told).quick, { on: true, partner, asks: true, variant: 'drop' });
  assert.equal(after(told, { ...told, on: false, room: 'r' }).quick.on, false);
});

test('what one prefers is kept, one thing at a time', () => {
  assert.deepEqual(after({ type: 'prefer', sound: false }, { type: 'prefer', theme: 'dark' }, { type: 'prefer', game: 'drop' }).prefs, { sound: false, theme: 'dark', game: 'drop' });
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
  assert.match(after(...cut, { type: 'asked', command: { type: 'resign', id: 7, room: 'r' } }).notice?.text ?? '', /when you are back online/);
  const moved = after(...cut, { type: 'asked', command: play });
  assert.deepEqual([moved.notice, moved.pending?.cell], [null, 4]);
  assert.equal(after(...IN_ROOM, { type: 'asked', command: { type: 'resign', id: 7, room: 'r' } }).notice, null);
});
