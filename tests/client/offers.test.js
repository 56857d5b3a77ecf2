import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameOffers, seatOffers } from '../../client/offers.js';
import { mayAnalyse } from '../../client/viewpoint.js';
import { ADA, AI, BO, OPEN, human, limits, snapshot, view } from './rooms.js';

const EVE = { id: 'eve', name: 'Eve' };
/** What is offered in the room, as words. @param {any} room @param {any} me @param {number} [now] @param {object} [seen] @param {any} [told] */
function offered(room, me, now = 0, seen = {}, told = limits) {
  const [shown, asker] = [view(room, seen), { me, now, limits: told }];
  const seats = ['X', 'O'].flatMap((mark) => seatOffers(shown, /** @type {any} */ (mark), asker).map(({ what }) => `${mark} ${what}`));
  return [...seats, ...gameOffers(shown, asker).map(({ what }) => what)];
}
const asAda = { me: ADA, now: 0, limits };
const waiting = snapshot([], { status: 'waiting', turn: null, seats: { X: human(ADA), O: OPEN } });
/** @param {object} more */
const over = (more) => snapshot([4, 0, 2, 1, 6], { status: 'over', turn: null, outcome: { winner: 'X', by: 'line', line: [2, 4, 6] }, ...more });

test('one who waits may play both sides, seat the AI or leave', () => {
  assert.deepEqual(offered(waiting, ADA), ['O sit_too', 'O seat_ai', 'leave']);
});

test('a visitor is offered the open seat and nothing of the owner’s', () => {
  assert.deepEqual(offered(waiting, EVE), ['O sit']);
});

test('a watcher of a running or finished game between two people is offered nothing', () => {
  assert.deepEqual(offered(snapshot([4]), EVE), []);
  assert.deepEqual(offered(over({}), EVE), []);
});

test('a player may resign after one question, and send the AI away', () => {
  assert.deepEqual(offered(snapshot([4], { seats: { X: human(ADA), O: AI } }), ADA), ['O dismiss', 'resign', 'leave']);
  assert.equal(gameOffers(view(snapshot()), asAda)[0].confirms, true);
});

test('leaving asks once while the game runs, not before and not after', () => {
  const asks = (/** @type {any} */ room) => gameOffers(view(room), asAda).find(({ what }) => what === 'leave')?.confirms;
  assert.deepEqual([snapshot([4]), waiting, over({})].map(asks), [true, false, false]);
});

test('absence is answered by the AI and by a claim, each after the time that welcome gave', () => {
  const away = { offlineSince: { O: 0 }, turnSince: 5_000 };
  assert.deepEqual(offered(snapshot([4]), ADA, 19_999, away), ['resign', 'leave']);
  assert.deepEqual(offered(snapshot([4]), ADA, 34_999, away), ['O cover', 'resign', 'leave']);
  assert.deepEqual(offered(snapshot([4]), ADA, 35_000, away), ['O cover', 'claim', 'resign', 'leave']);
  assert.deepEqual(offered(snapshot([4]), EVE, 35_000, away), []);
  const sooner = { ...limits, cover_after: 1_000, claim_after: 2_000 };
  assert.deepEqual(offered(snapshot([4]), ADA, 999, away, sooner), ['resign', 'leave']);
  assert.deepEqual(offered(snapshot([4]), ADA, 6_999, away, sooner), ['O cover', 'resign', 'leave']);
  assert.deepEqual(offered(snapshot([4]), ADA, 7_000, away, sooner), ['O cover', 'claim', 'resign', 'leave']);
});

test('nobody claims on their own turn', () => {
  assert.deepEqual(offered(snapshot([4, 0]), ADA, 99_000, { offlineSince: { O: 0 } }), ['O cover', 'resign', 'leave']);
});

test('an owner takes the seat back from the AI that covers it', () => {
  const covered = snapshot([4], { seats: { X: human(ADA), O: { ...AI, covers: { player: 'bo', name: 'Bo' } } } });
  assert.deepEqual(offered(covered, BO), ['O take_back', 'O leave_to_ai']);
  assert.deepEqual(offered(covered, ADA), ['O dismiss', 'resign', 'leave']);
});

test('a rematch is offered until one has asked for it', () => {
  assert.deepEqual(offered(over({}), ADA), ['rematch', 'leave']);
  assert.deepEqual(offered(over({ rematch: ['X'] }), ADA), ['leave']);
  assert.deepEqual(offered(over({ rematch: ['X'] }), BO), ['rematch', 'leave']);
});

test('anybody may arrange an exhibition, once its game is over', () => {
  const seats = { X: AI, O: AI };
  assert.deepEqual(offered(snapshot([], { seats }), EVE), []);
  assert.deepEqual(offered(over({ seats }), EVE), ['X dismiss', 'O dismiss', 'again']);
});

test('commands about a game carry its number', () => {
  assert.deepEqual(gameOffers(view(snapshot([4])), asAda)[0].command, { type: 'resign', room: 'r', game: 1 });
});

test('no help for two people who play, a hint against the AI, analysis for all others', () => {
  assert.equal(mayAnalyse(snapshot([4]), ADA), false);
  assert.equal(mayAnalyse(snapshot([4]), EVE), true);
  assert.equal(mayAnalyse(over({}), ADA), true);
  assert.equal(mayAnalyse(snapshot([4], { seats: { X: human(ADA), O: AI } }), ADA), true);
  assert.equal(mayAnalyse(snapshot([4], { seats: { X: human(ADA), O: human(ADA) } }), ADA), true);
  const covered = { ...AI, covers: { player: 'ada', name: 'Ada' } };
  assert.equal(mayAnalyse(snapshot([4], { seats: { X: covered, O: human(BO) } }), ADA), false);
});
