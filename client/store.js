// The page's state as a pure fold over notes: frames from the server, and events on the page. Knows
// no rules and no clock except a note's `at`. The snapshot with the highest `seq` replaces the
// older one.

import { landing } from './position.js';
import { CLASSIC, NOWHERE, isCut, lookedAt, roomIn, seatsOf } from './viewpoint.js';
import { SENT_LATER, refusal } from './words.js';

const NOTICE_MS = 5000;
const SAYING_MS = 4500;
/** Sent in the background: a refusal of these is not shown. */
const SILENT = new Set(['analyse', 'unwatch', 'lobby', 'quick']);
const NOT_LOOKING = { on: false, back: null, analysis: null };
const NOT_SEEKING = { on: false, partner: null, asks: false, variant: CLASSIC };

/** @returns {State} */
export const initial = () => ({
  now: 0, offset: 0, link: 'connecting', room: null, missing: false, me: null,
  variants: [{ name: '3x3', rows: 3, columns: 3, line: 3, levels: ['gentle', 'easy', 'medium', 'hard', 'perfect'] }],
  limits: { cover_after: Infinity, claim_after: Infinity }, // nothing is offered before the server has said when
  phrases: [], rooms: {}, wall: null, pending: null, creating: null, look: NOT_LOOKING, premove: null, quick: NOT_SEEKING,
  notice: null, sayings: [], mine: null, prefs: { sound: true, theme: 'auto', game: CLASSIC },
});

/** The part of the state that each kind of note changes. @type {Folds} */
const FOLDS = {
  link: (_, { link }) => ({ link }),
  seek: (_, { on, variant = CLASSIC }) => ({ quick: { ...NOT_SEEKING, on, variant } }),
  quick: ({ quick: { variant } }, { on, partner, asks }) => ({ quick: on ? { on, partner, asks, variant } : NOT_SEEKING }),
  prefer: ({ prefs }, { sound = prefs.sound, theme = prefs.theme, game = prefs.game }) => ({ prefs: { sound, theme, game } }),
  look: ({ look }, { on }) => ({ look: { ...look, on } }),
  // A frame can only arrive late, so the largest difference seen is the most accurate.
  pong: ({ offset }, { now, at }) => ({ offset: Math.max(offset, now - at) }),
  told: tell,
  accepted: answered,

  analysis(state, { command, ...analysis }) {
    const room = roomIn(state);
    if (analysis.room !== room?.room) return {};
    return { look: { ...state.look, analysis: { ...analysis, game: command?.game ?? room.game } } };
  },

  welcome({ rooms, now }, { player, now: theirs, variants, phrases, limits }) {
    // A restarted server counts absence from zero, so the page does the same after every welcome.
    const anew = Object.entries(rooms).map(([id, room]) => [id, { ...room, online: null, offlineSince: {}, turnSince: now }]);
    return { link: 'online', me: player, offset: theirs - now, variants, phrases, limits, rooms: Object.fromEntries(anew) };
  },

  state(state, snapshot) {
    const { now, rooms, pending, premove, look, look: { back } } = state;
    const { room, seq, game, moves, status } = snapshot;
    const old = rooms[room];
    if (old && seq < old.snapshot.seq) return {};
    const isSameGame = old?.snapshot.game === game;
    const isSamePly = isSameGame && old.snapshot.moves.length === moves.length;
    const seen = old ?? { online: null, watchers: 0, offlineSince: {} };
    const view = { ...seen, snapshot, turnSince: isSamePly ? old.turnSince : now };
    /** @type {Partial<State>} */
    const next = { rooms: { ...rooms, [room]: view } };
    const isOutlived = pending && (pending.game !== game || pending.ply < moves.length || status === 'over');
    if (isOutlived && pending.room === room) next.pending = null;
    if (room !== state.room) return next;
    next.missing = false;
    const isDue = premove?.ply === moves.length;
    const isVain = premove && (premove.game !== game || premove.ply < moves.length || (isDue && landing(snapshot, premove.cell) === null));
    if (isVain || status !== 'playing') next.premove = null;
    // A person who looks back at a game stays there, even after the next one has started.
    if (back?.snapshot.game === game) next.look = { ...look, back: { ...back, snapshot } };
    else if (old && !isSameGame) next.look = { ...look, analysis: null };
    return next;
  },

  presence({ rooms, now }, { room: id, online, watchers }) {
    const room = rooms[id];
    if (!room) return {};
    const gone = seatsOf(room.snapshot, 'human').filter((mark) => !online.includes(mark));
    const offlineSince = Object.fromEntries(gone.map((mark) => [mark, room.offlineSince[mark] ?? now]));
    return { rooms: { ...rooms, [id]: { ...room, online, watchers, offlineSince } } };
  },

  lobby(state, { complete, rooms, gone }) {
    if (!complete && !state.wall) return {};
    const wall = new Map(complete ? null : state.wall);
    for (const room of rooms) wall.set(room.room, room);
    for (const id of gone) wall.delete(id);
    return { wall };
  },

  said(state, { room, player, phrase }) {
    if (room !== state.room) return {};
    const key = Math.max(state.now, (state.sayings.at(-1)?.key ?? 0) + 1);
    const others = state.sayings.filter((saying) => saying.player.id !== player.id).slice(-3);
    return { sayings: [...others, { key, player, phrase, until: state.now + SAYING_MS }] };
  },

  went(state, { room, mine = null }) {
    if (room === state.room) return { mine };
    const kept = room !== null && state.rooms[room];
    const rooms = kept ? { [room]: kept } : {};
    return { mine, room, rooms, missing: room === NOWHERE, wall: null, sayings: [], pending: null, premove: null, look: NOT_LOOKING };
  },

  step(state, { ply }) {
    const { look } = state;
    const snapshot = lookedAt(state);
    if (!snapshot || ply === null) return { look: { ...look, back: null } };
    const { length } = snapshot.moves;
    const back = { snapshot, from: look.back?.from ?? length, ply: Math.max(0, Math.min(ply, length)) };
    return { look: { ...look, back } };
  },

  // An earlier game, from its end.
  recalled(state, { snapshot }) {
    if (snapshot.room !== state.room || snapshot.game === roomIn(state)?.game) return {};
    const { length } = snapshot.moves;
    return { look: { ...state.look, back: { snapshot, from: length, ply: length } } };
  },

  // Set a premove. The same cell again, or null, cancels it.
  premove(state, { cell }) {
    const room = roomIn(state);
    const isAim = room && cell !== null && state.premove?.cell !== cell;
    return { premove: isAim ? { game: room.game, ply: room.moves.length + 1, cell } : null };
  },

  asked(state, { command: { type, id = 0, room = '', cell = 0 } }) {
    if (type === 'play') { // shown on the board until the answer arrives
      const { game, turn, moves } = state.rooms[room]?.snapshot ?? {};
      return turn ? { pending: { id, room, game, ply: moves.length, cell, mark: turn }, premove: null } : {};
    }
    return { ...(isCut(state) && tell(state, { text: SENT_LATER })), ...(type === 'create' && { creating: id }) };
  },

  refused(state, { re, reason, text, command }) {
    const type = command?.type ?? '';
    if (type === 'watch' && reason === 'no_such_room') return { missing: command?.room === state.room || state.missing };
    return {
      ...answered(state, { re }),
      pending: state.pending?.id === re ? null : state.pending,
      ...(!SILENT.has(type) && tell(state, { text: refusal(reason, text), tone: 'alert' })),
    };
  },
};

/** @type {Change<Notice>} */
function tell({ now }, { text, tone = 'plain' }) {
  return { notice: { key: now, text, tone, until: now + NOTICE_MS } };
}

/** @type {Change<Answer>} */
function answered({ creating }, { re }) {
  return { creating: re === creating ? null : creating };
}

/** @type {Fold<Note>} */
export function reduce(before, note) {
  const { at: now, type } = note;
  const notice = before.notice && before.notice.until > now ? before.notice : null;
  const state = { ...before, now, notice, sayings: before.sayings.filter(({ until }) => until > now) };
  return { ...state, .../** @type {any} */ (FOLDS)[type]?.(state, note) };
}

/** @returns {Store} */
export function createStore() {
  let state = initial();
  /** @type {Set<Render>} */
  const listeners = new Set();
  return {
    get: () => state,
    dispatch(note) {
      state = reduce(state, note);
      for (const listener of listeners) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
