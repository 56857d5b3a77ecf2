import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdentity } from '../../client/identity.js';
import { gameIn, pathOf, roomOf } from '../../client/route.js';
import { NOWHERE, timeLeft } from '../../client/viewpoint.js';

const TOKEN = 'A'.repeat(43);

/** @param {Record<string, string>} [kept] @returns {any} */
function storage(kept = {}) {
  return { getItem: (/** @type {string} */ key) => kept[key] ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => { kept[key] = value; } };
}

test('a first visit sends neither token nor name, a second both', () => {
  const shelf = storage();
  const first = createIdentity(() => shelf);
  assert.deepEqual(first.hello(), { type: 'hello', protocol: 1 });
  first.remember(TOKEN, 'Ada');
  assert.deepEqual(createIdentity(() => shelf).hello(), { type: 'hello', protocol: 1, token: TOKEN, name: 'Ada' });
});

test('a private window without storage is somebody for as long as the page lasts', () => {
  const identity = createIdentity(() => { throw new Error('denied'); });
  identity.remember(TOKEN, 'Ada');
  identity.rename('Bo');
  assert.deepEqual(identity.hello(), { type: 'hello', protocol: 1, token: TOKEN, name: 'Bo' });
});

test('the room with a seat is kept until that seat, not another, is left', () => {
  const shelf = storage();
  const identity = createIdentity(() => shelf);
  assert.equal(identity.room(), null);
  identity.keepRoom('here', true);
  identity.keepRoom('elsewhere', false);
  assert.equal(createIdentity(() => shelf).room(), 'here');
  identity.keepRoom('here', false);
  assert.equal(createIdentity(() => shelf).room(), null);
});

test('a token of another form is not sent', () => {
  assert.equal('token' in createIdentity(() => storage({ 'noughts.token': 'broken' })).hello(), false);
});

test('a tab stays who it is when another stores a token of its own', () => {
  const shelf = storage();
  const [one, two] = [createIdentity(() => shelf), createIdentity(() => shelf)];
  one.remember(TOKEN, 'Ada');
  two.remember('B'.repeat(43), 'Ada');
  assert.equal(/** @type {any} */ (one.hello()).token, TOKEN);
});

test('a name is cut to twenty-four characters, not halves of one', () => {
  const identity = createIdentity(() => storage());
  identity.rename(`  ${'😀'.repeat(30)} `);
  assert.equal(/** @type {any} */ (identity.hello()).name, '😀'.repeat(24));
});

test('an address is home, a room or nowhere', () => {
  const addresses = ['/', '/r/abc', '/r/abc/', '/r/a%20b', '/r/%', '/r/', '/r/a/b', '/elsewhere', '//'];
  assert.deepEqual(addresses.map(roomOf), [null, 'abc', 'abc', 'a b', '%', NOWHERE, NOWHERE, NOWHERE, NOWHERE]);
});

test('an address may name one of the games of a room', () => {
  const addresses = ['/r/abc/2', '/r/abc/10/', '/r/abc', '/r/abc/0', '/r/abc/2/3', '/r/abc/x'];
  assert.deepEqual(addresses.map(gameIn), [2, 10, null, null, null, null]);
  assert.deepEqual(addresses.map(roomOf), ['abc', 'abc', 'abc', NOWHERE, NOWHERE, NOWHERE]);
  assert.deepEqual([pathOf('a b', 2), pathOf('a b')], ['/r/a%20b/2', '/r/a%20b']);
});

test('only the side to move pays, and only while the clock runs', () => {
  const clock = { budget: 60_000, increment: 0, left: { X: 50_000, O: 40_000 }, since: 1_000 };
  assert.equal(timeLeft(clock, 'X', 'X', 11_000), 40_000);
  assert.equal(timeLeft(clock, 'X', 'O', 11_000), 40_000);
  assert.equal(timeLeft({ ...clock, since: null }, 'X', 'X', 11_000), 50_000);
  assert.equal(timeLeft(clock, 'X', 'X', 99_000), 0);
  assert.equal(timeLeft(clock, 'X', 'X', 500), 50_000);
});
