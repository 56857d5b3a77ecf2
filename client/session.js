// What the page does by itself: follows what an address shows, plays premoves, opens games, keeps results and choices.
// Knows no DOM.

import { landing } from './position.js';
import { fetchReview, fetchRoom, recall } from './recall.js';
import { pathOf } from './route.js';
import {
  NOWHERE,
  chosenGame,
  heldUp,
  isAlive,
  isBeaten,
  isGoingOn,
  isMyTurn,
  isWatcher,
  leaving,
  levelFor,
  lookedAt,
  moveTo,
  myCovered,
  mySeats,
  offeredAs,
  other,
  railOf,
  rank,
  roomIn,
  seeking,
  shown,
  shownPly,
} from './selectors.js';

/** Not sent again after a reconnect: by then these are out of date. */
const FLEETING = new Set(['say', 'analyse', 'quick']);
const FOLLOW_AGAIN = 1500; // ms after a refused `watch`
const CROWDED_FOR = 2000; // ms until what a crowd holds up is sent again; up to twice that, so that a class spreads out
const TV_STAYS = 12_000; // ms; a big screen stays that long after a game, in case of a rematch

/**
 * @param {{
 *   store: ReturnType<typeof import('./store.js').createStore>,
 *   identity: ReturnType<typeof import('./identity.js').createIdentity>,
 *   connection: ReturnType<typeof import('./connection.js').createConnection>,
 *   go: (path: string) => void,
 * }} parts
 */
export function createSession({ store, identity, connection, go }) {
  const { get } = store;
  /** The name that my seats still have. A second person at this screen keeps theirs. @type {string | null} */
  let formerName = null;
  /** The first move of a game that is being opened by a tap. @type {number | null} */
  let firstCell = null;
  let reviewed = '';
  /** The game that the address names. @type {number | null} */
  let named = null;
  let tvSince = 0;

  /** @param {any} happening */
  function dispatch(happening) {
    store.dispatch({ ...happening, at: Date.now() });
  }

  /**
   * The commands that follow what is shown, or stop following it.
   * @param {string | null} room
   * @returns {Command[]}
   */
  function following(room, on = false, isTv = false) {
    if (room === NOWHERE) return [];
    /** @type {Command[]} */
    const list = room === null || isTv ? [{ type: 'lobby', on }] : [];
    return room === null ? list : [...list, { type: on ? 'watch' : 'unwatch', room }];
  }

  /** What to ask for after every welcome. */
  const standing = () => [
    ...following(get().room, true, get().isTv),
    ...(get().quick.on ? [seeking(get().quick)] : []),
  ];

  function follow() {
    for (const command of following(get().room, true, get().isTv)) connection.tell(command);
  }

  /** Another address. @param {{ room: string | null, game: number | null, isTv: boolean }} place */
  function visit({ room, game, isTv }) {
    const { room: before, isTv: wasTv, me } = get();
    const isSame = before === room && wasTv === isTv;
    named = game;
    if (get().creating !== null) firstCell = null; // gone elsewhere before the game was opened
    dispatch({ type: 'went', room, isTv });
    if (!isSame) reviewed = '';
    if (room && game) lookAt(room, game);
    else if (isSame) send({ type: 'step', ply: null });
    if (room === null) findOpenGames();
    if (isSame) return;
    if (before === NOWHERE && !me) return connection.start(); // nothing has needed the server so far
    if (room === null) send({ type: 'seek', on: false });
    for (const command of [...following(before, false, wasTv), ...following(room, true, isTv)])
      connection.tell(command);
  }

  /** Show a finished game from its end. */
  async function lookAt(room = '', game = 0) {
    const snapshot = await recall(room, game);
    if (get().room !== room) return;
    if (!snapshot) return dispatch({ type: 'told', code: 'refused', reason: 'no_such_game' });
    dispatch({ type: 'recalled', snapshot });
    review(room, game);
  }

  /** My games that are not over, for the home page. */
  async function findOpenGames() {
    const rooms = identity.rooms();
    if (rooms.length) dispatch({ type: 'open_games', rooms: [], isAsked: true });
    const found = await Promise.all(rooms.map(fetchRoom));
    for (const [nth, room] of rooms.entries()) if (found[nth] === null) identity.keepRoom(room, false);
    dispatch({ type: 'open_games', rooms: found.filter((room) => room && room.status !== 'over') });
  }

  /** Have the moves of a finished game judged, once. */
  async function review(room = '', game = 0) {
    const key = `${room}/${game}`;
    if (reviewed === key) return;
    reviewed = key;
    const isComplete = await fetchReview(room, game, (lines, isLast) => {
      if (get().room === room && reviewed === key)
        dispatch({ type: 'reviewed', room, game, lines, isComplete: isLast });
    });
    if (!isComplete && reviewed === key) reviewed = '';
  }

  /** @param {Frame} frame @param {Command} [command] */
  function receive(frame, command) {
    const { type = '', id, room: left } = command ?? {};
    const isOpening = type === 'meet' || (id !== undefined && id === get().creating);
    const before = roomIn(get());
    // A note has an `at` of its own.
    if (frame.type === 'notice') return dispatch({ type: 'announced', text: frame.text, due: frame.at });
    dispatch({ ...frame, command });
    if (frame.type === 'welcome') identity.remember(frame.token, frame.player.name);
    if (frame.type === 'state') noteState(frame, before);
    if (frame.type === 'presence') notePresence(frame);
    if (frame.type === 'closed') identity.keepRoom(frame.room, false);
    if (frame.type === 'accepted' && type === 'leave') goHome(left, command?.seat);
    if (frame.type === 'refused') {
      if (frame.reason === 'no_such_room') identity.keepRoom(left, false);
      else if (type === 'watch' || type === 'lobby') setTimeout(follow, FOLLOW_AGAIN);
      else if (type === 'analyse' && frame.reason === 'retry') setTimeout(analyseAgain, FOLLOW_AGAIN, command);
      const held = heldUp(get());
      if (held && held.command === command) setTimeout(askAgain, CROWDED_FOR * (1 + Math.random()), command);
      else if (isOpening) firstCell = null;
    }
    const isOpened = frame.type === 'quick' || (frame.type === 'accepted' && isOpening);
    if (isOpened && frame.room) go(pathOf(frame.room));
  }

  /** After leaving a seat, unless I have another one there. @param {string} [left] @param {Mark} [seat] */
  function goHome(left = '', seat) {
    const room = get().rooms[left]?.snapshot;
    identity.keepRoom(left, false);
    if (room && [...mySeats(room, get().me), ...myCovered(room, get().me)].some((mark) => mark !== seat)) return;
    identity.leave(left);
    dispatch({ type: 'decline', rooms: [left] });
    if (get().room !== left) return;
    go('/');
    dispatch({ type: 'told', code: 'left' });
  }

  /** @param {Command} command */
  function askAgain(command) {
    if (heldUp(get())?.command === command) send(command);
  }

  /** A busy server could not say yet what the squares are worth. @param {Command} command */
  function analyseAgain({ type, room, game, ply }) {
    const state = get();
    const looked = lookedAt(state);
    if (!looked || !state.look.on || looked.room !== room || looked.game !== game) return;
    if (shownPly(state, looked) === ply) send({ type, room, game, ply });
  }

  /** @param {Snapshot} room @param {Snapshot | undefined} before */
  function noteState(room, before) {
    const { me } = get();
    if (room.room !== get().room) return;
    identity.keepRoom(room.room, !isWatcher(room, me) && room.status !== 'over');
    renameSeats();
    if (room.status === 'over') {
      if (before?.game === room.game && before.status !== 'over') count(room);
      if (!get().isTv && room.moves.length) review(room.room, room.game);
      nameWhoLeft(room);
    }
    if (before?.room !== room.room) return;
    const [mine, had, isMine] = [mySeats(room, me), mySeats(before, me), isMyTurn(room, me)];
    if (had.length && isWatcher(room, me)) dispatch({ type: 'decline', rooms: [room.room] }); // left on another page
    for (const mark of /** @type {Mark[]} */ (['X', 'O'])) {
      const [was, is] = [before.seats[mark], room.seats[mark]];
      const isArrival = mine.length > 0 && was.kind === 'open' && is.kind === 'human' && !mine.includes(mark);
      if (isArrival) dispatch({ type: 'told', code: isMine ? 'your_turn' : 'sat_down', name: is.name });
      const gone = mine.length && !had.includes(mark) && leaving(was, is);
      if (gone) dispatch({ type: 'told', code: 'has_left', name: gone.name });
      const asks = room.rematch.includes(mark) && !before.rematch.includes(mark) && before.game === room.game;
      if (asks && mine.length === 1 && !mine.includes(mark) && is.kind === 'human')
        dispatch({ type: 'told', code: 'asks_again', name: is.name });
    }
  }

  /** A page that came after a player had left asks who it was. @param {Snapshot} room */
  async function nameWhoLeft({ room, game }) {
    const { players = {} } = get().rooms[room] ?? {};
    if (players.X && players.O) return;
    const played = await recall(room, game);
    if (played) dispatch({ type: 'played', room, game, seats: played.seats });
  }

  let watchers = 0;

  /** Somebody has come to an open game of mine. @param {Extract<Frame, { type: 'presence' }>} presence */
  function notePresence(presence) {
    const view = shown(get());
    if (!view || presence.room !== view.snapshot.room) return;
    const isNew = presence.watchers > watchers && watchers === 0;
    watchers = presence.watchers;
    if (isNew && railOf(get(), view) === 'share') dispatch({ type: 'told', code: 'opened' });
  }

  /** Keep the result of a game against the computer. @param {Snapshot} room */
  function count(room) {
    const { me } = get();
    const progress = identity.progress(); // another page of this browser may have counted since
    const [mine, both] = mySeats(room, me);
    const rival = mine && room.seats[other(mine)];
    const key = `${room.room}/${room.game}`;
    if (!mine || both || rival?.kind !== 'ai' || rival.covers || room.opening || progress.counted.includes(key)) return;
    const winner = room.outcome?.winner ?? null;
    const result = winner === null ? 'drawn' : winner === mine ? 'won' : 'lost';
    const { name } = room.variant;
    const before = progress.games[name]?.[rival.level] ?? { won: 0, drawn: 0, lost: 0 };
    const level = { ...before, [result]: before[result] + 1 };
    /** @type {Progress} */
    const next = {
      games: { ...progress.games, [name]: { ...progress.games[name], [rival.level]: level } },
      streak: result === 'won' ? progress.streak + 1 : result === 'lost' ? 0 : progress.streak,
      last: { room: room.room, game: room.game, variant: name, level: rival.level, result },
      counted: [...progress.counted, key],
    };
    identity.keepProgress(next);
    dispatch({ type: 'progress', progress: next });
    const isDone = isBeaten(rival.level, { won: 0, drawn: 0, [result]: 1 });
    if (isDone && get().prefs.level === rival.level) send({ type: 'prefer', level: '' });
  }

  function renameSeats() {
    const room = roomIn(get());
    if (formerName === null || !room || get().link !== 'online') return;
    for (const seat of mySeats(room, get().me)) {
      const held = room.seats[seat];
      if (held.kind === 'human' && held.name === formerName) connection.send({ type: 'sit', room: room.room, seat });
    }
    formerName = null;
  }

  /**
   * The command that opens a room. The nonce makes it safe to send twice.
   * @param {string} way
   * @param {{ level?: string, side?: string, names?: [string, string], moves?: number[], variant?: string }} [chosen]
   * @returns {Command}
   */
  function creation(way, { level, side, names, moves, variant } = {}) {
    const state = get();
    const game = offeredAs(state, variant ?? '') ?? chosenGame(state);
    const { prefs } = state;
    const ai = { ai: level ?? levelFor(state, game) };
    const wish = side ?? prefs.side;
    const isX = wish === 'X' || (wish !== 'O' && Math.random() < 0.5);
    const rival = way === 'friend' ? 'open' : ai;
    const [first = '', second = ''] = names ?? [];
    const named = (name = '') => (name.trim() ? { me: name.trim() } : 'me');
    const levels = game.levels;
    /** @type {any} */
    let seats = isX ? { X: 'me', O: rival } : { X: rival, O: 'me' };
    if (way === 'here') seats = { X: named(first), O: named(second) };
    if (way === 'exhibition') seats = { X: { ai: 'hard' }, O: { ai: levels[levels.length - 1] } };
    const seconds = way === 'exhibition' ? 0 : Number(prefs.clock);
    return {
      type: 'create',
      variant: variant ?? game.name,
      nonce: crypto.getRandomValues(new Uint32Array(4)).join('-'),
      public: way === 'exhibition' || prefs.sight === 'public',
      seats,
      clock: seconds ? { budget: seconds * 1000, increment: 0 } : null,
      ...(moves?.length && { moves }),
    };
  }

  /** One new game at a time, unless the last is held up. */
  const isBusy = () => get().creating !== null && !heldUp(get());

  /** What the page does itself. @type {Record<string, (message: any) => void>} */
  const OWN = {
    told: dispatch,
    look: dispatch,
    premove: dispatch,
    decline: dispatch,
    patient: dispatch,
    sheet: dispatch,
    give_up(message) {
      dispatch(message);
      if (get().room === null) send({ type: 'seek', on: false }); // the tap on the board has begun it
    },
    step(message) {
      if (message.ply === null && named) return go(pathOf(get().room ?? ''));
      dispatch(message);
      const room = lookedAt(get());
      if (room?.status === 'over' && room.moves.length) review(room.room, room.game);
    },
    prefer(message) {
      dispatch(message);
      identity.prefer(get().prefs);
    },
    // Start or stop looking for another player.
    seek(message) {
      if (message.on === get().quick.on) return;
      dispatch(message);
      connection.tell(seeking(get().quick));
    },
    // The name is part of `hello`, so a new one needs a new connection. A seat takes the name when one sits down again.
    rename({ name }) {
      identity.rename(name);
      formerName ??= get().me?.name ?? null;
      connection.start();
    },
    retry: () => connection.start(),
    // A tap on the home page: a game against the computer, with this as its first move.
    begin({ cell }) {
      if (get().creating !== null) return;
      firstCell = cell;
      send({ type: 'seek', on: true, variant: chosenGame(get()).name });
      send(creation('computer', { side: 'X' }));
    },
    new_game({ way, ...chosen }) {
      if (isBusy()) return;
      firstCell = null;
      send(creation(way, chosen));
    },
    // Somebody has left: a link to another game like this one.
    invite_again() {
      const room = roomIn(get());
      if (!room || isBusy()) return;
      const { variant, clock, public: isPublic } = room;
      const [side] = mySeats(room, get().me);
      const time = clock && { budget: clock.budget, increment: clock.increment };
      send({ ...creation('friend', { side, variant: variant.name }), clock: time, public: isPublic });
    },
    // From a position of an earlier game, against the computer.
    play_on({ ply }) {
      const room = lookedAt(get());
      if (!room || isBusy()) return;
      firstCell = null;
      const [mine = ply % 2 ? 'O' : 'X'] = [...mySeats(room, get().me), ...myCovered(room, get().me)];
      const rival = room.seats[other(mine)];
      const level = rival.kind === 'ai' ? rival.level : undefined;
      const moves = room.moves.slice(0, ply);
      send(creation('computer', { side: mine, moves, variant: room.variant.name, level }));
    },
  };

  /** @param {Message} message */
  function send(message) {
    if (message.type in OWN) return OWN[message.type](message);
    const command = /** @type {Command} */ (message);
    if (get().room === NOWHERE && !get().me) connection.start(); // a game opened from an unknown address
    const ask = FLEETING.has(command.type) ? connection.tell : connection.send;
    dispatch({ type: 'asked', command: ask(command) });
  }

  /** After every change: play what was kept for this moment, and follow the featured game on a big screen. @param {State} state */
  function act(state) {
    const { premove, pending, link, me } = state;
    const room = roomIn(state);
    if (room && link === 'online' && !pending && isMyTurn(room, me)) {
      const wish = premove ? premove.cell : room.moves.length === 0 ? firstCell : null;
      const cell = wish === null ? null : landing(room, wish);
      firstCell = null;
      if (cell !== null) send(moveTo(room, cell));
    }
    if (state.isTv && !location.pathname.startsWith('/tv/')) feature(state);
  }

  /** @param {State} state */
  function feature(state) {
    const { lobby, room, now, missing } = state;
    if (!lobby) return;
    if (isGoingOn(shown(state))) tvSince = now;
    const [best] = [...lobby.values()].filter(isAlive).sort((a, b) => rank(b) - rank(a));
    const isDone = !room || missing || now - tvSince > TV_STAYS;
    if (!isDone || !best || best.room === room) return;
    for (const command of following(room, false)) if (command.type === 'unwatch') connection.tell(command);
    tvSince = now;
    dispatch({ type: 'went', room: best.room, isTv: true });
    connection.tell({ type: 'watch', room: best.room });
  }

  return { visit, receive, send, act, dispatch, standing, creation };
}
