import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdentity } from '../../client/identity.js';
import { NO_PROGRESS, PREFS } from '../../client/store.js';

const TOKEN = 'A'.repeat(43);

/** @param {Record<string, string>} [kept] @returns {any} */
function storage(kept = {}) {
  return {
    getItem: (/** @type {string} */ key) => kept[key] ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      kept[key] = value;
    },
  };
}

/** Somebody whose browser has kept this. @param {Record<string, string>} [kept] */
function who(kept = {}) {
  const shelf = storage(kept);
  return createIdentity(() => shelf);
}

const denied = () =>
  createIdentity(() => {
    throw new Error('denied');
  });

test('a first visit sends neither token nor name, a second both', () => {
  const shelf = storage();
  const first = createIdentity(() => shelf);
  assert.deepEqual(first.hello(), { type: 'hello', protocol: 1 });
  first.remember(TOKEN, 'Ada');
  assert.deepEqual(createIdentity(() => shelf).hello(), { type: 'hello', protocol: 1, token: TOKEN, name: 'Ada' });
});

test('a private window without storage is somebody for as long as the page lasts', () => {
  const identity = denied();
  identity.remember(TOKEN, 'Ada');
  identity.rename('Bo');
  assert.deepEqual(identity.hello(), { type: 'hello', protocol: 1, token: TOKEN, name: 'Bo' });
  identity.keepRoom('a', true);
  identity.prefer({ ...PREFS, game: 'drop' });
  identity.keepProgress({ ...NO_PROGRESS, streak: 2 });
  assert.deepEqual([identity.rooms(), identity.prefs().game, identity.progress().streak], [['a'], 'drop', 2]);
});

test('a token of another form is not sent', () => {
  assert.equal('token' in who({ 'noughts.token': 'broken' }).hello(), false);
});

test('a tab stays who it is when another stores a token of its own', () => {
  const shelf = storage();
  const [one, two] = [createIdentity(() => shelf), createIdentity(() => shelf)];
  one.remember(TOKEN, 'Ada');
  two.remember('B'.repeat(43), 'Ada');
  assert.equal(/** @type {any} */ (one.hello()).token, TOKEN);
});

test('a name is cut to twenty-four characters, not halves of one', () => {
  const identity = who();
  identity.rename(`  ${'😀'.repeat(30)} `);
  assert.equal(/** @type {any} */ (identity.hello()).name, '😀'.repeat(24));
});

test('the rooms with a seat of mine are kept, newest first, five at most', () => {
  const kept = {};
  const identity = who(kept);
  assert.deepEqual(identity.rooms(), []);
  for (const room of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) identity.keepRoom(room, true);
  assert.deepEqual(who(kept).rooms(), ['b', 'f', 'e', 'd', 'c']);
  identity.keepRoom('e', false);
  identity.keepRoom('elsewhere', false);
  assert.deepEqual(who(kept).rooms(), ['b', 'f', 'd', 'c']);
});

test('the one room that an earlier version kept is among them, until its seat is left', () => {
  const kept = { 'noughts.room': 'old' };
  assert.deepEqual(who(kept).rooms(), ['old']);
  who(kept).keepRoom('new', true);
  assert.deepEqual(who(kept).rooms(), ['new', 'old']);
  who(kept).keepRoom('old', false);
  assert.deepEqual(who(kept).rooms(), ['new']);
});

test('a damaged list of rooms is no list', () => {
  for (const text of ['{"a":1}', '[1,null,""]', '[', 'null', '7'])
    assert.deepEqual(who({ 'noughts.rooms': text }).rooms(), []);
  assert.deepEqual(who({ 'noughts.rooms': '["a",3,"a"]' }).rooms(), ['a']);
});

test('choices come back as they were', () => {
  const kept = {};
  const prefs = { ...PREFS, sound: false, theme: 'dark', digits: false, game: 'drop', level: 'best', clock: '30' };
  who(kept).prefer(prefs);
  assert.deepEqual(who(kept).prefs(), prefs);
});

test('what is damaged or of another type is as on the first visit', () => {
  for (const text of ['{', 'null', '"dark"', '[]', '{"sound":"no","theme":5,"game":null}'])
    assert.deepEqual(who({ 'noughts.prefs': text }).prefs(), PREFS);
  assert.deepEqual(who({ 'noughts.prefs': '{"level":"hard","unknown":1}' }).prefs(), { ...PREFS, level: 'hard' });
});

test('the choices of an earlier version count until new ones are kept', () => {
  const kept = { 'noughts.theme': 'dark', 'noughts.sound': 'off', 'noughts.game': 'drop' };
  assert.deepEqual(who(kept).prefs(), { ...PREFS, theme: 'dark', sound: false, game: 'drop' });
  who(kept).prefer({ ...PREFS, theme: 'light', sound: true, game: '5x5' });
  assert.deepEqual(who(kept).prefs(), { ...PREFS, theme: 'light', sound: true, game: '5x5' });
});

test('results are kept on this device, and the list of counted games stays short', () => {
  const kept = {};
  const counted = Array.from({ length: 80 }, (_, nth) => `r/${nth}`);
  who(kept).keepProgress({ games: { '3x3': { easy: { won: 1, drawn: 0, lost: 0 } } }, streak: 1, last: null, counted });
  const found = who(kept).progress();
  assert.equal(found.games['3x3'].easy.won, 1);
  assert.deepEqual([found.counted.length, found.counted.at(-1)], [50, 'r/79']);
});

test('damaged results are none, and nothing breaks over them', () => {
  for (const text of ['{', 'null', '[]', '{"games":null,"counted":null,"streak":"x","last":7}'])
    assert.deepEqual(who({ 'noughts.progress': text }).progress(), NO_PROGRESS);
});

test('a level of an earlier visit is chosen unless it has been beaten, or was never more than the default', () => {
  const level = (/** @type {string} */ level, /** @type {object} */ games) =>
    who({ 'noughts.prefs': JSON.stringify({ level }), 'noughts.progress': JSON.stringify({ games }) }).prefs().level;
  const [won, lost] = [
    { won: 1, drawn: 0, lost: 0 },
    { won: 0, drawn: 0, lost: 1 },
  ];
  assert.equal(level('easy', {}), '');
  assert.equal(level('hard', {}), 'hard');
  assert.equal(level('easy', { '3x3': { gentle: won } }), 'easy');
  assert.equal(level('easy', { '3x3': { easy: lost } }), 'easy');
  assert.equal(level('easy', { '3x3': { easy: won } }), '');
  assert.equal(level('easy', { drop: { easy: won } }), 'easy');
});
