import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { fetchReview, fetchRoom, recall, snapshotOf } from '../../client/recall.js';
import { mySeats } from '../../client/selectors.js';
import { headline } from '../../client/words/en.js';
import { ADA, AI, VARIANTS } from './rooms.js';

/** @type {any} */
const GAME = {
  room: 'r',
  game: 2,
  variant: VARIANTS.vanishing,
  players: { X: { kind: 'human', name: 'Ada' }, O: AI },
  opening: 0,
  moves: [1, 8, 7, 3, 0, 2, 4, 6, 8],
  times: [],
  outcome: { winner: 'X', by: 'line', line: [0, 4, 8] },
  began: 0,
  ended: 9,
};

test('an earlier game is drawn as it ended, with the people who played it', () => {
  const room = snapshotOf(GAME);
  assert.equal(room.board.map((mark) => mark ?? '.').join(''), 'X.OOX.O.X');
  assert.deepEqual(headline(room, ADA), { title: 'Ada won', detail: 'Three in a row for X.' });
  assert.equal(
    headline(snapshotOf({ ...GAME, outcome: { winner: null, by: 'limit', line: null } }), ADA).title,
    'A draw',
  );
});

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

/** Serve one path, everything else is 404. @param {string} path @param {() => any} body */
function serve(path, body, status = 200) {
  globalThis.fetch = async (wanted) =>
    wanted === path ? new Response(body(), { status }) : new Response('{}', { status: 404 });
}

const lines = [0, 1, 2].map((ply) => ({
  ply,
  mark: 'XO'[ply % 2],
  cell: ply,
  value: 'draw',
  in: null,
  best: 'draw',
  cells: [ply],
}));
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
/** A body that arrives in these pieces, and then ends or breaks. @param {(string | Uint8Array)[]} pieces */
const body = (pieces, isBroken = false) =>
  new ReadableStream({
    async start(stream) {
      for (const piece of pieces) stream.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      await new Promise((done) => setTimeout(done, 5)); // what has been queued is lost with an error
      if (isBroken) stream.error(new Error('gone'));
      else stream.close();
    },
  });

/** @param {(string | Uint8Array)[]} pieces */
async function told(pieces, isBroken = false) {
  serve('/api/rooms/a%20b/games/2/review', () => body(pieces, isBroken));
  /** @type {[number, boolean][]} */
  const seen = [];
  /** @type {any[]} */
  let last = [];
  const isComplete = await fetchReview('a b', 2, (found, isLast) => {
    seen.push([found.length, isLast]);
    last = found;
  });
  return { seen, last, isComplete };
}

test('a review is told line by line, wherever the network cuts it', async () => {
  for (const size of [1, 7, 50, 1000]) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, nth) =>
      text.slice(nth * size, (nth + 1) * size),
    );
    const { seen, last, isComplete } = await told(pieces);
    assert.deepEqual(last, lines);
    assert.deepEqual([seen.at(-1), isComplete], [[3, true], true]);
    const counts = seen.map(([count]) => count);
    assert.deepEqual(counts, [...counts].sort(), 'never fewer than before');
    assert.equal(
      seen.slice(0, -1).some(([, isLast]) => isLast),
      false,
    );
  }
});

test('the first lines of a review are there before the last', async () => {
  const half = text.indexOf('\n') + 1;
  const { seen } = await told([text.slice(0, half), text.slice(half)]);
  assert.equal(seen[0][0], 1);
});

test('a review that breaks off is not taken for complete', async () => {
  const { seen, isComplete } = await told([text.slice(0, 150)], true);
  assert.equal(isComplete, false);
  assert.equal(
    seen.some(([, isLast]) => isLast),
    false,
  );
});

test('no review is no lines', async () => {
  globalThis.fetch = async () => {
    throw new Error('offline');
  };
  assert.equal(await fetchReview('r', 1, () => assert.fail('nothing to tell')), false);
  serve('/', () => '');
  assert.equal(await fetchReview('r', 1, () => assert.fail('nothing to tell')), false);
});

test('only a finished game is recalled, and only a room that exists is found', async () => {
  serve('/api/rooms/r/games/2', () => JSON.stringify(GAME));
  assert.equal((await recall('r', 2))?.game, 2);
  assert.equal(await recall('r', 3), null);
  serve('/api/rooms/r/games/2', () => JSON.stringify({ ...GAME, outcome: null }));
  assert.equal(await recall('r', 2), null);
  serve('/api/rooms/a%20b', () => '{"room":"a b"}');
  assert.equal((await fetchRoom('a b'))?.room, 'a b');
  assert.equal(await fetchRoom('r'), null);
});

test('in an earlier game nobody’s seat is mine, and its score is its own', () => {
  const room = snapshotOf(GAME);
  assert.deepEqual(mySeats(room, ADA), []);
  assert.deepEqual(room.score, { X: 1, O: 0, draws: 0 });
});
