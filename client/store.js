// The page's state as a pure fold over notes: frames from the server, and events on the page. Holds codes, never
// sentences. Knows no rules and no clock except a note's `at`. The snapshot with the highest `seq` replaces the older one.

import { landing } from './position.js';
import { CLASSIC, NOWHERE, heldUp, isCut, isScored, lookedAt, mySeats, roomIn, seatsOf } from './selectors.js';

const NOTICE_MS = 5000;
const SAYING_MS = 4500;
/** Sent in the background: a refusal of these is not shown. */
const SILENT = new Set(['analyse', 'unwatch', 'lobby', 'quick']);
const NOT_LOOKING = { on: false, back: null, analysis: null, isBusy: false };
/** What the page stops asking for. */
const GIVEN_UP = { creating: null, meeting: null, crowded: null };
const NOT_SEEKING = { on: false, partner: null, asks: false, variant: CLASSIC };

/** @type {Prefs} */
export const PREFS = {
  sound: true,
  theme: 'auto',
  digits: true,
  game: CLASSIC,
  level: '',
  side: 'X',
  clock: '0',
  sight: 'private',
  tab: 'friend',
  second: '',
  bots: true,
};

/** @type {Progress} */
export const NO_PROGRESS = { games: {}, streak: 0, last: null, counted: [] };

/** @returns {State} */
export const initial = () => ({
  now: 0,
  offset: 0,
  link: 'connecting',
  room: null,
  isTv: false,
  missing: false,
  closed: '',
  announced: null,
  version: '',
  me: null,
  variants: [{ name: '3x3', rows: 3, columns: 3, line: 3, levels: ['gentle', 'easy', 'medium', 'hard', 'perfect'] }],
  limits: { cover_after: Infinity, claim_after: Infinity }, // nothing is offered before the server has said when
  phrases: [],
  rooms: {},
  lobby: null,
  pending: null,
  creating: null,
  meeting: null,
  crowded: null,
  look: NOT_LOOKING,
  review: null,
  premove: null,
  quick: NOT_SEEKING,
  notice: null,
  sayings: [],
  declined: [],
  isPatient: false,
  sheet: null,
  openGames: [],
  hasOpenGames: false,
  prefs: PREFS,
  progress: NO_PROGRESS,
});

/** @typedef {{ [T in Note['type']]?: (state: State, note: Extract<Note, { type: T }>) => Partial<State> }} Folds */

/** The part of the state that each kind of note changes. @type {Folds} */
const FOLDS = {
  link: (_, { link }) => ({ link }),
  seek: (_, { on, variant = CLASSIC }) => ({ quick: { ...NOT_SEEKING, on, variant }, meeting: null }),
  quick: ({ quick: { variant }, meeting }, { on, partner, asks }) => ({
    quick: on ? { on, partner, asks, variant } : NOT_SEEKING,
    meeting: on && partner?.id === meeting ? meeting : null,
  }),
  prefer: ({ prefs }, { type: _, at: __, command: ___, ...changed }) => ({ prefs: { ...prefs, ...changed } }),
  progress: (_, { progress }) => ({ progress }),
  look: ({ look }, { on }) => ({ look: { ...look, on, isBusy: false } }),
  decline: ({ declined }, { rooms }) => ({ declined: [...declined, ...rooms] }),
  patient: (_, { on }) => ({ isPatient: on }),
  sheet: (_, { tab }) => ({ sheet: tab }),
  open_games: ({ openGames }, { rooms, isAsked = false }) => ({
    openGames: isAsked ? openGames : rooms,
    hasOpenGames: isAsked,
  }),
  // A frame can only arrive late, so the largest difference seen is the most accurate.
  pong: ({ offset }, { now, at }) => ({ offset: Math.max(offset, now - at) }),
  told: tell,
  give_up: () => GIVEN_UP,
  announced: (_, { text, due }) => ({ announced: text ? { text, due } : null }),
  accepted: answered,

  analysis(state, { command, ...analysis }) {
    const room = roomIn(state);
    if (analysis.room !== room?.room) return {};
    return { look: { ...state.look, isBusy: false, analysis: { ...analysis, game: command?.game ?? room.game } } };
  },

  reviewed: (_, { room, game, lines, isComplete }) => ({ review: { room, game, lines, isComplete } }),

  welcome({ rooms, now, pending }, { player, now: theirs, variants, phrases, limits, server }) {
    // A restarted server counts absence from zero, so the page does the same after every welcome. It may also have been
    // restored from a backup: the first state of each room counts, whatever its `seq`.
    const anew = Object.entries(rooms).map(([id, room]) => [
      id,
      { ...room, online: null, offlineSince: {}, turnSince: now, isStale: true },
    ]);
    return {
      link: 'online',
      me: player,
      offset: theirs - now,
      variants,
      phrases,
      limits,
      version: server?.version ?? '',
      announced: null, // the server says it again if it still holds
      pending: pending && { ...pending, isKept: true },
      rooms: Object.fromEntries(anew),
    };
  },

  state(state, snapshot) {
    const {
      now,
      rooms,
      pending,
      premove,
      look,
      look: { back },
    } = state;
    const { room, seq, game, moves, status } = snapshot;
    const old = rooms[room];
    if (old && !old.isStale && seq < old.snapshot.seq) return {};
    const isSameGame = old?.snapshot.game === game;
    const isSamePly = isSameGame && old.snapshot.moves.length === moves.length;
    const seen = old ?? { online: null, watchers: 0, offlineSince: {}, endedAt: null, players: {} };
    const hasEnded = isSameGame && old.snapshot.status !== 'over' && status === 'over';
    const endedAt = hasEnded ? now : isSameGame && status === 'over' ? old.endedAt : null;
    const before = isSameGame ? seen.players : {};
    const isAfter = status === 'over' && !hasEnded; // whoever sits down then has not played
    const players = isAfter && (isSameGame || !isScored(snapshot)) ? before : { ...before, ...seated(snapshot) };
    const turnSince = isSamePly ? old.turnSince : now;
    const online = old?.online ? [...new Set([...old.online, ...arrivals(old.snapshot, snapshot)])] : seen.online;
    const view = { ...seen, snapshot, online, players, turnSince, isStale: false, endedAt };
    /** @type {Partial<State>} */
    const next = { rooms: { ...rooms, [room]: view } };
    if (!isSameGame && state.notice?.code === 'asks_again') next.notice = null;
    const isOutlived = pending && (pending.game !== game || pending.ply < moves.length || status === 'over');
    if (isOutlived && pending.room === room) next.pending = null;
    if (room !== state.room) return next;
    next.missing = false;
    next.closed = '';
    if (!isSamePly) next.isPatient = false;
    const isDue = premove?.ply === moves.length;
    const isVain =
      premove &&
      (premove.game !== game || premove.ply < moves.length || (isDue && landing(snapshot, premove.cell) === null));
    if (isVain || status !== 'playing') next.premove = null;
    // A person who looks back at a game stays there, even after the next one has started.
    if (back)
      next.look = {
        ...look,
        back: { ...back, snapshot: back.snapshot.game === game ? snapshot : asMine(back.snapshot, snapshot, state.me) },
      };
    else if (old && !isSameGame) next.look = { ...look, on: false, analysis: null };
    else if (hasEnded) next.look = { ...look, on: false };
    return next;
  },

  // Who played a game that is over, told to a page that came later.
  played({ rooms }, { room: id, game, seats }) {
    const room = rooms[id];
    if (room?.snapshot.game !== game) return {};
    return { rooms: { ...rooms, [id]: { ...room, players: { ...seats, ...room.players } } } };
  },

  presence({ rooms, now }, { room: id, online, watchers }) {
    const room = rooms[id];
    if (!room) return {};
    const gone = seatsOf(room.snapshot, 'human').filter((mark) => !online.includes(mark));
    const offlineSince = Object.fromEntries(gone.map((mark) => [mark, room.offlineSince[mark] ?? now]));
    return { rooms: { ...rooms, [id]: { ...room, online, watchers, offlineSince } } };
  },

  // The operator has removed the room that is followed.
  closed: (state, { room, text }) => (room === state.room ? { rooms: {}, missing: true, closed: text } : {}),

  lobby(state, { complete, rooms, gone }) {
    if (!complete && !state.lobby) return {};
    const lobby = new Map(complete ? null : state.lobby);
    for (const room of rooms) lobby.set(room.room, room);
    for (const id of gone) lobby.delete(id);
    return { lobby };
  },

  said(state, { room, player, phrase }) {
    if (room !== state.room) return {};
    const key = Math.max(state.now, (state.sayings.at(-1)?.key ?? 0) + 1);
    const others = state.sayings.filter((saying) => saying.player.id !== player.id).slice(-3);
    return { sayings: [...others, { key, player, phrase, until: state.now + SAYING_MS }] };
  },

  went(state, { room, isTv = false }) {
    if (room === state.room) return { isTv };
    const kept = room !== null && state.rooms[room];
    const rooms = kept ? { [room]: kept } : {};
    return {
      room,
      isTv,
      rooms,
      missing: room === NOWHERE,
      closed: '',
      ...(heldUp(state) && GIVEN_UP),
      lobby: isTv ? state.lobby : null,
      sayings: [],
      pending: null,
      premove: null,
      look: NOT_LOOKING,
      review: null,
      isPatient: false,
      sheet: null,
    };
  },

  step(state, { ply }) {
    const { look } = state;
    const snapshot = lookedAt(state);
    if (!snapshot || ply === null) return { look: { ...look, on: false, back: null } };
    const { length } = snapshot.moves;
    const isFirst = look.back === null;
    const back = { snapshot, from: look.back?.from ?? length, ply: Math.max(0, Math.min(ply, length)) };
    return { look: { ...look, on: isFirst || look.on, back } };
  },

  // A finished game, from its end.
  recalled(state, { snapshot: told }) {
    if (told.room !== state.room) return {};
    const now = roomIn(state);
    // Only the room's own state knows which seat is mine. Of an earlier game, names must do.
    const snapshot = now?.game === told.game && now.status === 'over' ? now : asMine(told, now, state.me);
    const { length } = snapshot.moves;
    return { look: { ...state.look, on: true, back: { snapshot, from: length, ply: length } } };
  },

  // Set a premove. The same cell again, or null, cancels it.
  premove(state, { cell }) {
    const room = roomIn(state);
    const isAim = room && cell !== null && state.premove?.cell !== cell;
    return { premove: isAim ? { game: room.game, ply: room.moves.length + 1, cell } : null };
  },

  asked(state, { command }) {
    const { type, id = 0, room = '', cell = 0, player = null } = command;
    if (type === 'play') {
      // shown on the board until the answer arrives
      const { game, turn, moves } = state.rooms[room]?.snapshot ?? {};
      if (!turn || game === undefined || !moves) return {};
      return { pending: { id, room, game, ply: moves.length, cell, mark: turn, since: state.now }, premove: null };
    }
    const held = heldUp(state);
    return {
      ...(isCut(state) && tell(state, { code: type === 'say' ? 'say_again' : 'sent_later' })),
      ...(held &&
        type === held.command.type &&
        command.nonce === held.command.nonce && { crowded: { ...held, command } }),
      ...(type === 'create' && { creating: id }),
      ...(type === 'meet' && { meeting: player }),
    };
  },

  refused(state, { re, reason, text, whose, command }) {
    const type = command?.type ?? '';
    // A limit that passes by itself. Whatever is still wanted is asked for again.
    if (command && (type === 'create' || type === 'meet') && whose && whose !== 'connection') {
      const isWanted = re === state.creating || (type === 'meet' && state.meeting === command.player);
      return isWanted ? { crowded: { whose, command } } : {};
    }
    if (type === 'watch' && reason === 'no_such_room')
      return { missing: command?.room === state.room || state.missing };
    // A move kept over a reconnect came too late: the board shows what happened instead.
    const isLate = type === 'play' && (state.pending?.id !== re || state.pending.isKept);
    return {
      ...answered(state, { re }),
      pending: state.pending?.id === re ? null : state.pending,
      meeting: type === 'meet' ? null : state.meeting,
      ...(type === 'analyse' && { look: { ...state.look, isBusy: reason === 'retry' } }),
      ...(!SILENT.has(type) && !isLate && tell(state, { code: 'refused', reason, text })),
    };
  },
};

/** The seats that somebody has. @param {Snapshot} room @returns {Partial<Record<Mark, Seat>>} */
const seated = ({ seats }) => Object.fromEntries(Object.entries(seats).filter(([, { kind }]) => kind !== 'open'));

/**
 * An earlier game of a room in which I still play: the seat that had my name is mine.
 * @param {Snapshot} told
 * @param {Snapshot | undefined} now
 * @param {Player | null} me
 * @returns {Snapshot}
 */
function asMine(told, now, me) {
  const [mark, second] = seatsOf(told, 'human').filter((each) => playerName(told.seats[each]) === me?.name);
  if (!me || !mark || second || !now || !mySeats(now, me).length) return told;
  return { ...told, seats: { ...told.seats, [mark]: { ...told.seats[mark], player: me.id } } };
}

/** @param {Seat} seat */
const playerName = (seat) => (seat.kind === 'human' ? seat.name : null);

/** The seats that a person has just taken: that person is online, before a presence frame says so. @param {Snapshot} before @param {Snapshot} room */
const arrivals = (before, room) =>
  seatsOf(room, 'human').filter((mark) => playerOn(before.seats[mark]) !== playerOn(room.seats[mark]));

/** @param {Seat} seat */
const playerOn = (seat) => (seat.kind === 'human' ? seat.player : null);

/** @param {State} state @param {Told} told @returns {Partial<State>} */
function tell({ now }, { code, name, reason, text }) {
  return { notice: { key: now, code, name, reason, text, until: now + NOTICE_MS } };
}

/** @param {State} state @param {{ re: Id | null }} answer @returns {Partial<State>} */
function answered({ creating, crowded }, { re }) {
  return { creating: re === creating ? null : creating, crowded: re === crowded?.command.id ? null : crowded };
}

/** @param {State} before @param {Note} note @returns {State} */
export function reduce(before, note) {
  const { at: now, type } = note;
  const notice = before.notice && before.notice.until > now ? before.notice : null;
  const state = { ...before, now, notice, sayings: before.sayings.filter(({ until }) => until > now) };
  return { ...state, .../** @type {any} */ (FOLDS)[type]?.(state, note) };
}

export function createStore() {
  let state = initial();
  /** @type {Set<Render>} */
  const listeners = new Set();
  return {
    get: () => state,
    /** @param {Note} note */
    dispatch(note) {
      state = reduce(state, note);
      for (const listener of listeners) listener(state);
    },
    /** @param {Render} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
