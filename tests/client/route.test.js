import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, placeOf, tvPathOf } from '../../client/route.js';
import { NOWHERE } from '../../client/selectors.js';

const roomsOf = (/** @type {string[]} */ ...paths) => paths.map((path) => placeOf(path).room);

test('an address is home, a room or nowhere', () => {
  assert.deepEqual(roomsOf('/', '/r/abc', '/r/abc/', '/r/a%20b', '/r/%'), [null, 'abc', 'abc', 'a b', '%']);
  for (const path of ['/r/', '/r', '/r/a/b', '/elsewhere', '//', '/tvs', '/R/abc']) {
    assert.deepEqual(placeOf(path), { room: NOWHERE, game: null, isTv: false }, path);
  }
});

test('an address may name one of the games of a room', () => {
  const addresses = ['/r/abc/2', '/r/abc/10/', '/r/abc', '/r/abc/0', '/r/abc/2/3', '/r/abc/x'];
  assert.deepEqual(
    addresses.map((path) => placeOf(path).game),
    [2, 10, null, null, null, null],
  );
  assert.deepEqual(roomsOf(...addresses), ['abc', 'abc', 'abc', NOWHERE, NOWHERE, NOWHERE]);
});

test('a big screen follows the featured game, or one room', () => {
  assert.deepEqual(placeOf('/tv'), { room: null, game: null, isTv: true });
  assert.deepEqual(placeOf('/tv/'), { room: null, game: null, isTv: true });
  assert.deepEqual(placeOf('/tv/a%20b'), { room: 'a b', game: null, isTv: true });
  assert.deepEqual(placeOf('/tv/abc/2'), { room: NOWHERE, game: null, isTv: false });
});

test('the address of a place leads back to it', () => {
  assert.deepEqual([pathOf('a b', 2), pathOf('a b'), tvPathOf('a/b')], ['/r/a%20b/2', '/r/a%20b', '/tv/a%2Fb']);
  for (const room of ['abc', 'a b', 'a/b', '%', 'ä']) {
    assert.deepEqual(placeOf(pathOf(room, 3)), { room, game: 3, isTv: false });
    assert.deepEqual(placeOf(tvPathOf(room)), { room, game: null, isTv: true });
  }
});
