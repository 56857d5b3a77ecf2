import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection } from '../../client/connection.js';
import { welcome } from './rooms.js';

/** A world in which time passes when told, sockets are objects, and the dice always show `dice`. */
function world({ dice = 1, isKeen = false, isOnline = true } = {}) {
  let now = 0;
  let lastTimer = 0;
  /** @type {Map<number, { at: number, run: () => void }>} */
  const timers = new Map();
  /** @type {any[]} */
  const sockets = [];
  /** @type {any[]} */
  const frames = [];
  /** @type {string[]} */
  const links = [];
  /** @type {string[]} */
  const asked = [];
  /** What a plain GET of the socket's address is answered; nobody answers at first. @type {Response | null} */
  let answer = null;

  class Socket {
    /** @param {string} url */
    constructor(url) {
      Object.assign(this, {
        url,
        readyState: 0,
        sent: [],
        isClosed: false,
        onopen: null,
        onmessage: null,
        onclose: null,
        onerror: null,
      });
      sockets.push(this);
    }
    /** @param {string} text */
    send(text) {
      /** @type {any} */ (this).sent.push(JSON.parse(text));
    }
    close() {
      Object.assign(this, { readyState: 3, isClosed: true });
    }
  }

  const connection = createConnection({
    url: 'ws://here/ws',
    hello: () => ({ type: 'hello', protocol: 1 }),
    standing: () => [{ type: 'watch', room: 'r' }],
    isKeen: () => isKeen,
    onFrame: (frame, command) => frames.push([frame, command]),
    onLink: (link) => links.push(link),
    WebSocket: /** @type {any} */ (Socket),
    fetch: async (path) => {
      asked.push(path);
      if (!answer) throw new TypeError('unreachable');
      return answer.clone();
    },
    isOnline: () => isOnline,
    setTimeout: (run, ms) => {
      timers.set(++lastTimer, { at: now + ms, run });
      return lastTimer;
    },
    clearTimeout: (timer) => timers.delete(timer),
    random: () => dice,
  });

  const live = () => sockets.at(-1);
  return {
    connection,
    sockets,
    frames,
    links,
    asked,
    live,
    /** @param {number} status @param {string} [body] */
    answers(status, body = '<html>') {
      answer = new Response(body, { status });
    },
    /** Until the next attempt: how long that took. */
    next() {
      const before = sockets.length;
      let waited = 0;
      for (; sockets.length === before; waited += 1) this.pass(1);
      return waited;
    },
    /** The handshake fails, and the page may have asked why. */
    async fail() {
      this.close(1006);
      await new Promise(setImmediate);
    },
    types: () => live().sent.map((/** @type {any} */ command) => command.type),
    /** @param {number} ms */
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (!due) break;
        timers.delete(due[0]);
        now = due[1].at;
        due[1].run();
      }
      now = end;
    },
    open() {
      live().readyState = 1;
      live().onopen();
    },
    /** @param {any} frame */
    receive(frame) {
      live().onmessage({ data: JSON.stringify(frame) });
    },
    /** @param {number} code */
    close(code) {
      live().readyState = 3;
      live().onclose({ code });
    },
    start() {
      connection.start();
      this.greet();
    },
    greet() {
      this.open();
      this.receive(welcome);
    },
  };
}

test('it says hello first, then follows what is to be followed', () => {
  const w = world();
  w.start();
  assert.deepEqual(w.types(), ['hello', 'watch']);
  assert.deepEqual(w.links, ['online']);
});

test('an answer arrives together with the command it answers', () => {
  const w = world();
  w.start();
  const { id } = w.connection.send({ type: 'sit', room: 'r', seat: 'X' });
  w.receive({ type: 'accepted', re: id });
  assert.deepEqual(w.frames.at(-1), [
    { type: 'accepted', re: id },
    { type: 'sit', room: 'r', seat: 'X', id },
  ]);
});

test('the unanswered command is sent again under the same id, the answered one is not', () => {
  const w = world();
  w.start();
  const first = w.connection.send({ type: 'sit', room: 'r', seat: 'X' });
  const second = w.connection.send({ type: 'play', room: 'r', cell: 4, ply: 0 });
  w.receive({ type: 'accepted', re: /** @type {any} */ (first.id) });
  w.close(1006);
  w.pass(250);
  w.greet();
  assert.deepEqual(w.live().sent.slice(2), [second]);
});

test('what is said while the line is down waits for the welcome', () => {
  const w = world();
  w.start();
  w.close(1012);
  const command = w.connection.send({ type: 'play', room: 'r', cell: 4, ply: 0 });
  w.pass(250);
  w.open();
  assert.deepEqual(w.types(), ['hello']);
  w.receive(welcome);
  assert.deepEqual(w.live().sent.at(-1), command);
});

test('what is told once is forgotten with the line', () => {
  const w = world();
  w.start();
  w.connection.tell({ type: 'say', room: 'r', phrase: 'oops' });
  w.close(1006);
  w.connection.tell({ type: 'say', room: 'r', phrase: 'wow' });
  w.pass(250);
  w.greet();
  assert.deepEqual(w.types(), ['hello', 'watch']);
});

test('a server that is going down is asked again when it is back, without a word', () => {
  const w = world();
  w.start();
  const command = w.connection.send({ type: 'play', room: 'r', cell: 4, ply: 0 });
  w.receive({ type: 'refused', re: /** @type {any} */ (command.id), reason: 'draining', text: '' });
  w.close(1012);
  w.pass(250);
  w.greet();
  assert.deepEqual(w.live().sent.at(-1), command);
  assert.equal(
    w.frames.some(([frame]) => frame.type === 'refused'),
    false,
  );
});

test('it waits longer each time, with jitter, and never longer than a second and a half', () => {
  const waits = [250, 500, 1000, 1500, 1500];
  const w = world({ dice: 1 });
  w.start();
  for (const wait of waits) {
    const before = w.sockets.length;
    w.close(1006);
    w.pass(wait - 1);
    assert.equal(w.sockets.length, before);
    w.pass(1);
    assert.equal(w.sockets.length, before + 1);
  }
  const lucky = world({ dice: 0 });
  lucky.start();
  lucky.close(1006);
  lucky.pass(0);
  assert.equal(lucky.sockets.length, 2);
});

test('a welcome makes the next wait short again', () => {
  const w = world();
  w.start();
  for (const wait of [250, 500, 1000]) {
    w.close(1006);
    w.pass(wait);
  }
  w.greet();
  w.close(1006);
  w.pass(250);
  assert.equal(w.sockets.length, 5);
});

test('a short break is nobody’s news, a longer one is told within a second', () => {
  const w = world();
  w.start();
  w.close(1012);
  w.pass(250);
  w.greet();
  assert.deepEqual(w.links, ['online', 'online']);
  w.close(1006);
  w.pass(799);
  assert.equal(w.links.includes('lost'), false);
  w.pass(1);
  assert.equal(w.links.at(-1), 'lost');
});

test('sent away with 1008 it stays away until asked to try again', () => {
  const w = world();
  w.start();
  w.close(1008);
  w.pass(60_000);
  assert.equal(w.sockets.length, 1);
  assert.equal(w.links.at(-1), 'refused');
  w.connection.start();
  w.greet();
  assert.equal(w.links.at(-1), 'online');
});

for (const code of [1000, 1001, 1002, 1003, 1006, 1007, 1009, 1011, 1012, 4000]) {
  test(`it comes back after a close with ${code}`, () => {
    const w = world();
    w.start();
    w.close(code);
    w.pass(250);
    assert.equal(w.sockets.length, 2);
  });
}

test('it pings every five seconds, and any frame is a sign of life', () => {
  const w = world();
  w.start();
  for (let i = 0; i < 10; i += 1) {
    w.pass(5000);
    assert.equal(w.types().at(-1), 'ping');
    w.receive({ type: 'presence', room: 'r', online: [], watchers: 0 });
  }
  assert.equal(w.sockets.length, 1);
});

test('nine seconds without any frame: a new socket, and the old one is let go', () => {
  const w = world();
  w.start();
  w.pass(8999);
  assert.equal(w.sockets.length, 1);
  w.pass(1);
  assert.equal(w.sockets.length, 2);
  assert.equal(w.sockets[0].isClosed, true);
  assert.equal(w.sockets[0].onmessage, null);
});

test('a socket that never gets to its welcome is given up', () => {
  const w = world();
  w.connection.start();
  w.open();
  w.pass(9000 + 250);
  assert.equal(w.sockets.length, 2);
});

test('a hello in vain is tried again later', () => {
  const w = world();
  w.connection.start();
  w.open();
  w.receive({ type: 'refused', re: null, reason: 'retry', text: '' });
  w.pass(250);
  assert.equal(w.sockets.length, 2);
});

test('a hint that the network changed is followed at once', () => {
  const w = world();
  w.start();
  w.connection.check();
  assert.equal(w.types().at(-1), 'ping');
  w.pass(2000);
  assert.equal(w.sockets.length, 2);
  w.greet();
  w.close(1006);
  w.connection.check();
  assert.equal(w.sockets.length, 3);
});

test('a new start greets anew and keeps what was not answered', () => {
  const w = world();
  w.start();
  const command = w.connection.send({ type: 'sit', room: 'r', seat: 'X' });
  w.connection.start();
  w.greet();
  assert.deepEqual(w.types(), ['hello', 'watch', 'sit']);
  assert.equal(w.live().sent.at(-1).id, command.id);
  assert.equal(w.sockets.length, 2);
});

const PONG = { type: 'pong', re: null, now: 0 };

test('in a game of one’s own it pings every second', () => {
  const w = world({ isKeen: true });
  w.start();
  for (let second = 1; second <= 5; second += 1) {
    w.pass(1000);
    assert.equal(w.types().filter((/** @type {string} */ type) => type === 'ping').length, second);
    w.receive(PONG);
  }
  assert.deepEqual(w.links, ['online']);
});

test('in a game of one’s own a silent line is doubted within two seconds', () => {
  const w = world({ isKeen: true });
  w.start();
  w.pass(1799);
  assert.deepEqual(w.links, ['online']);
  w.pass(200);
  assert.equal(w.links.at(-1), 'lost');
  assert.equal(w.sockets.length, 1);
});

test('a doubted line is trusted again at the next frame, over the same socket', () => {
  const w = world({ isKeen: true });
  w.start();
  w.pass(1900);
  w.receive(PONG);
  assert.equal(w.links.at(-1), 'online');
  assert.deepEqual([w.sockets.length, w.live().isClosed], [1, false]);
  w.pass(700);
  w.receive(PONG);
  assert.equal(w.links.filter((link) => link === 'online').length, 2, 'and told once');
});

test('a line that stays silent is replaced, and a command given meanwhile goes out once', () => {
  const w = world({ isKeen: true });
  w.start();
  w.pass(2000);
  const command = w.connection.send({ type: 'play', room: 'r', cell: 4, ply: 0 });
  w.pass(3000);
  assert.equal(w.sockets.length, 2);
  w.greet();
  assert.equal(w.links.at(-1), 'online');
  assert.deepEqual(
    w.live().sent.filter((/** @type {any} */ { id }) => id === command.id),
    [command],
  );
});

test('the browser’s word that the network is gone is taken at once, and back at the next frame', () => {
  const w = world();
  w.start();
  w.connection.doubt();
  assert.equal(w.links.at(-1), 'lost');
  w.receive(PONG);
  assert.equal(w.links.at(-1), 'online');
  assert.equal(w.sockets.length, 1);
});

test('without a line that is tried, nothing is said to be lost', () => {
  const unstarted = world();
  unstarted.connection.doubt();
  assert.deepEqual(unstarted.links, []);
  const w = world();
  w.start();
  w.close(1008);
  w.connection.doubt();
  assert.equal(w.links.at(-1), 'refused');
});

// ------------------------------------------------------------------------------------------------- a failed handshake

const DRAINING = '{"reason":"draining","text":""}';

for (const [status, body, link] of /** @type {[number, string, string | undefined][]} */ ([
  [429, '{"reason":"address","text":""}', 'full'],
  [429, '<html>', 'full'],
  [503, '{"reason":"full","text":""}', 'full'],
  [503, '<html>', 'full'],
  [503, DRAINING, undefined],
  [403, '{"reason":"banned","text":""}', 'barred'],
  [403, '<html>', 'barred'],
  [400, '{"reason":"malformed","text":""}', undefined],
  [502, '<html>', undefined],
]))
  test(`a handshake refused with ${status} ${body} makes the link ${link ?? 'lost'}`, async () => {
    const w = world({ dice: 0.999 });
    w.answers(status, body);
    w.connection.start();
    await w.fail();
    assert.deepEqual([w.asked, w.links.at(-1)], [['/ws'], link]);
    w.pass(800);
    assert.equal(w.links.at(-1), link ?? 'lost');
  });

test('where it is full it waits longer each time, up to fifteen seconds, and never comes back at once', async () => {
  for (const [dice, waits] of /** @type {[number, number[]][]} */ ([
    [1, [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    [0, [125, 250, 500, 1000, 2000, 4000, 7500, 7500]],
  ])) {
    const w = world({ dice });
    w.answers(429);
    w.connection.start();
    for (const wait of waits) {
      await w.fail();
      assert.equal(w.next(), wait);
    }
    assert.equal(w.asked.length, waits.length, 'once for each handshake');
    assert.equal(w.links.includes('lost'), false);
  }
});

test('whoever is barred is no trouble to the server', async () => {
  const w = world();
  w.answers(403);
  w.connection.start();
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await w.fail();
    w.next();
  }
  await w.fail();
  assert.equal(w.next(), 60_000);
});

test('as soon as there is a place, what was kept goes out, and the next loss is waited for as usual', async () => {
  const w = world();
  w.answers(429);
  w.connection.start();
  const command = w.connection.send({ type: 'create' });
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await w.fail();
    w.next();
  }
  w.greet();
  assert.equal(w.links.at(-1), 'online');
  assert.deepEqual(w.live().sent.at(-1), command);
  const before = w.sockets.length;
  w.close(1006);
  w.pass(250);
  assert.equal(w.sockets.length, before + 1);
  w.pass(800);
  assert.equal(w.links.at(-1), 'lost');
});

test('a full server that is gone is lost, and asked every second and a half again', async () => {
  const w = world();
  w.answers(429);
  w.connection.start();
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await w.fail();
    w.next();
  }
  w.answers(502);
  await w.fail();
  assert.deepEqual([w.next(), w.links.at(-1)], [1500, 'lost']);
});

test('nothing is asked offline, about a socket that was open, and twice at a time', async () => {
  const offline = world({ isOnline: false });
  offline.connection.start();
  await offline.fail();
  assert.deepEqual(offline.asked, []);
  const w = world();
  w.start();
  await w.fail();
  assert.deepEqual(w.asked, []);
  w.pass(250);
  w.close(1006);
  w.pass(500);
  w.close(1006);
  assert.equal(w.asked.length, 1);
});
