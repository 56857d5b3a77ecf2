/**
 * The page's state as a pure fold: `reduce(state, note)`, where a note is a frame from the server or something that
 * happened on the page. Every note carries `at`, this computer's time, so nothing here reads a clock.
 *
 * Knows nothing of the DOM or of sockets, and no rule of the game: the newest `seq` of a room wins, whole.
 *
 * @import { Command, Lobby, Note, Pending, Presence, Refused, RoomView, Said, Snapshot, State, Welcome } from './types.js'
 *
 * @template T @typedef {(state: State, news: T) => State} Fold
 */

import { MARKS, isCut } from './viewpoint.js';
import { SENT_LATER, refusal } from './words.js';

const NOTICE_MS = 5000;
const SAYING_MS = 4500;
/** Background questions: a refusal of these is nobody's news. */
const SILENT = new Set(['analyse', 'unwatch', 'lobby']);

/** @returns {State} */
export function initial() {
  return {
    now: 0, offset: 0, link: 'connecting', room: null, missing: false, me: null,
    variants: [{ name: '3x3', rows: 3, columns: 3, line: 3, levels: ['easy', 'medium', 'hard', 'perfect'] }],
    phrases: [], rooms: {}, wall: null, pending: null, creating: null,
    look: { on: false, ply: null, analysis: null }, notice: null, sayings: [], mine: null,
  };
}

/** @param {State} before @param {Note} note @returns {State} */
export function reduce(before, note) {
  const state = expire({ ...before, now: note.at });
  switch (note.type) {
    case 'welcome': return welcomed(state, note);
    case 'state': return drawn(state, note);
    case 'presence': return present(state, note);
    case 'lobby': return listed(state, note);
    case 'said': return said(state, note);
    case 'accepted': return answered(state, note.command);
    case 'refused': return refused(answered(state, note.command), note, note.command);
    case 'analysis': return note.room === state.room ? { ...state, look: { ...state.look, analysis: note } } : state;
    // A frame can only arrive late, so the greatest difference seen is the nearest to the truth.
    case 'pong': return { ...state, offset: Math.max(state.offset, note.now - note.at) };
    case 'link': return { ...state, link: note.link };
    case 'went': return went({ ...state, mine: note.mine ?? null }, note.room);
    case 'asked': return asked(state, note.command);
    case 'told': return tell(state, note.text, note.tone);
    case 'look': return { ...state, look: { ...state.look, on: note.on, ply: note.ply ?? null } };
    default: return state;
  }
}

/** Sentences and phrases fade by themselves. @param {State} state */
function expire(state) {
  const notice = state.notice && state.notice.until > state.now ? state.notice : null;
  const sayings = state.sayings.filter((saying) => saying.until > state.now);
  return { ...state, notice, sayings };
}

/** @param {State} state @param {string} text @param {'plain' | 'alert'} [tone] @returns {State} */
function tell(state, text, tone = 'plain') {
  return { ...state, notice: { key: state.now, text, tone, until: state.now + NOTICE_MS } };
}

/** @type {Fold<Welcome>} */
function welcomed(state, frame) {
  const rooms = Object.fromEntries(Object.entries(state.rooms).map(([id, room]) => [
    // The server counts absence anew after a restart, so this page does after every welcome.
    id, { ...room, online: null, offlineSince: {}, turnSince: state.now },
  ]));
  return {
    ...state, link: 'online', me: frame.player, offset: frame.now - state.now,
    variants: frame.variants, phrases: frame.phrases, rooms,
  };
}

/** @type {Fold<Snapshot>} */
function drawn(state, snapshot) {
  const old = state.rooms[snapshot.room];
  if (old && snapshot.seq < old.snapshot.seq) return state;
  const samePly = old?.snapshot.game === snapshot.game && old.snapshot.moves.length === snapshot.moves.length;
  const room = {
    ...(old ?? { online: null, watchers: 0, offlineSince: {} }),
    snapshot, turnSince: samePly ? old.turnSince : state.now,
  };
  const pending = state.pending && isOutlived(state.pending, snapshot) ? null : state.pending;
  const isShown = snapshot.room === state.room;
  const newGame = isShown && old && old.snapshot.game !== snapshot.game;
  return {
    ...state, pending, missing: isShown ? false : state.missing,
    rooms: { ...state.rooms, [snapshot.room]: room },
    look: newGame ? { ...state.look, ply: null, analysis: null } : state.look,
  };
}

/** @param {Pending} pending @param {Snapshot} snapshot */
function isOutlived(pending, snapshot) {
  return pending.room === snapshot.room
    && (snapshot.game !== pending.game || snapshot.moves.length > pending.ply || snapshot.status === 'over');
}

/** @type {Fold<Presence>} */
function present(state, frame) {
  const room = state.rooms[frame.room];
  if (!room) return state;
  /** @type {RoomView['offlineSince']} */
  const offlineSince = {};
  for (const mark of MARKS) {
    if (room.snapshot.seats[mark].kind === 'human' && !frame.online.includes(mark)) {
      offlineSince[mark] = room.offlineSince[mark] ?? state.now;
    }
  }
  const seen = { ...room, online: frame.online, watchers: frame.watchers, offlineSince };
  return { ...state, rooms: { ...state.rooms, [frame.room]: seen } };
}

/** @type {Fold<Lobby>} */
function listed(state, frame) {
  if (!frame.complete && !state.wall) return state;
  const wall = new Map(frame.complete ? null : state.wall);
  for (const room of frame.rooms) wall.set(room.room, room);
  for (const id of frame.gone) wall.delete(id);
  return { ...state, wall };
}

/** @type {Fold<Said>} */
function said(state, frame) {
  if (frame.room !== state.room) return state;
  const key = Math.max(state.now, (state.sayings.at(-1)?.key ?? 0) + 1);
  const others = state.sayings.filter((saying) => saying.player.id !== frame.player.id).slice(-3);
  const saying = { key, player: frame.player, phrase: frame.phrase, until: state.now + SAYING_MS };
  return { ...state, sayings: [...others, saying] };
}

/** @type {Fold<string | null>} */
function went(state, room) {
  if (room === state.room) return state;
  const kept = room !== null && state.rooms[room];
  return {
    ...state, room, missing: false, wall: null, sayings: [], pending: null,
    look: { on: false, ply: null, analysis: null }, rooms: kept ? { [room]: kept } : {},
  };
}

/** @type {Fold<Command>} */
function asked(before, command) {
  // A move shows on the board as it waits.
  const state = isCut(before) && command.type !== 'play' ? tell(before, SENT_LATER) : before;
  if (command.type === 'create') return { ...state, creating: command.id ?? null };
  if (command.type !== 'play') return state;
  const room = state.rooms[command.room ?? ''];
  if (!room?.snapshot.turn || command.id === undefined) return state;
  const { game, turn, moves } = room.snapshot;
  const pending = { id: command.id, room: room.snapshot.room, game, ply: moves.length, cell: command.cell ?? 0, mark: turn };
  return { ...state, pending };
}

/** @type {Fold<Command | undefined>} */
function answered(state, command) {
  return command?.type === 'create' && command.id === state.creating ? { ...state, creating: null } : state;
}

/** @param {State} state @param {Refused} frame @param {Command} [command] @returns {State} */
function refused(state, frame, command) {
  const pending = state.pending && state.pending.id === frame.re ? null : state.pending;
  if (command?.type === 'watch' && frame.reason === 'no_such_room') {
    return { ...state, missing: command.room === state.room || state.missing };
  }
  if (command && SILENT.has(command.type)) return { ...state, pending };
  return tell({ ...state, pending }, refusal(frame.reason, frame.text), 'alert');
}

/**
 * The one place the state lives. `dispatch` folds a note in and tells every subscriber.
 * @param {State} [state]
 */
export function createStore(state = initial()) {
  /** @type {Set<(state: State) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    /** @param {Note} note */
    dispatch(note) {
      state = reduce(state, note);
      for (const listener of listeners) listener(state);
    },
    /** @param {(state: State) => void} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
