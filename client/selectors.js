// Questions about the state: whose turn it is, which seat is mine, what may be done. Pure; no sentences, no rules.

import { aim, boardAt, boardOf, fadingAt, faintAt, landing, ownersAt, spotOf } from './position.js';

/** @type {readonly Mark[]} */
export const MARKS = ['X', 'O'];
/** The variant of a request that names none. */
export const CLASSIC = '3x3';
/** What an unknown address shows in the place of a room. No room has this id. */
export const NOWHERE = '';
const LOW = 0.2; // of the budget
const NOTICED = 3000; // ms away; a reload is shorter
const SLOW = 500; // ms without an answer

/** @param {Mark} mark @returns {Mark} */
export const other = (mark) => (mark === 'X' ? 'O' : 'X');

/** @param {State} state */
export const shown = ({ room, rooms }) => (room === null ? undefined : rooms[room]);

/** @param {State} state */
export const roomIn = (state) => shown(state)?.snapshot;

/** @param {State} state */
export const isCut = ({ link }) => link !== 'online' && link !== 'connecting';

/** What was refused because too many start games, and is asked for again until it is granted or given up. @param {State} state */
export function heldUp({ crowded, creating, meeting }) {
  if (!crowded) return null;
  const { id, player } = crowded.command;
  return id === creating || (player && player === meeting) ? crowded : null;
}

/** @param {Snapshot | Listed} room @param {string} kind */
export const seatsOf = ({ seats }, kind) => MARKS.filter((mark) => seats[mark].kind === kind);

/** @param {Snapshot} room @param {Player | null} me */
export const mySeats = ({ seats }, me) =>
  MARKS.filter((mark) => seats[mark].kind === 'human' && seats[mark].player === me?.id);

/** The seats that the AI covers for me. @param {Snapshot} room @param {Player | null} me */
export const myCovered = ({ seats }, me) =>
  MARKS.filter((mark) => me && seats[mark].kind === 'ai' && seats[mark].covers?.player === me.id);

/** Whether a person sits here or is covered by the AI. @param {Snapshot} room */
export const isPeopled = ({ seats }) => Object.values(seats).some((seat) => seat.kind === 'human' || 'covers' in seat);

/** Whether somebody else plays here. @param {Snapshot} room @param {Player | null} me */
export const hasCompany = ({ seats }, me) =>
  MARKS.some((mark) => seats[mark].kind === 'human' && seats[mark].player !== me?.id);

/** Two AIs play and cover for nobody. @param {Snapshot} room */
export const isExhibition = (room) => !isPeopled(room) && seatsOf(room, 'ai').length === 2;

/** Whether I may put the AI on a seat here, or send it away. @param {Snapshot} room @param {Player | null} me */
export function mayArrange(room, me) {
  if (mySeats(room, me).length || myCovered(room, me).length) return true;
  return !isPeopled(room) && !(isExhibition(room) && room.turn !== null);
}

/** @param {Snapshot} room @param {Player | null} me */
export const isMyTurn = (room, me) => room.turn !== null && mySeats(room, me).includes(room.turn);

/** @param {Snapshot} room @param {Player | null} me */
export const isMyTurnNext = (room, me) => room.turn !== null && mySeats(room, me).length === 1 && !isMyTurn(room, me);

/** @param {Snapshot} room @param {Player | null} me */
export const isWatcher = (room, me) => mySeats(room, me).length + myCovered(room, me).length === 0;

/**
 * The mark below the board. A player has theirs there. For everybody else the two stay where they are while their marks
 * change with every game.
 * @param {Snapshot} room
 * @param {Player | null} me
 * @returns {Mark}
 */
export function nearMark(room, me) {
  const own = [...mySeats(room, me), ...myCovered(room, me)];
  if (own.length === 1) return own[0];
  const open = seatsOf(room, 'open');
  // Whoever is invited will sit there. After the first move, nobody changes places because somebody leaves.
  if (own.length === 0 && open.length === 1 && !room.moves.length) return open[0];
  return room.game % 2 ? 'O' : 'X';
}

/** The variant's entry in `welcome`, with its levels. @param {Pick<State, 'variants'>} state @param {string} variant */
export const offeredAs = ({ variants }, variant) => variants.find(({ name }) => name === variant);

/** The game chosen on the home page. @param {State} state */
export const chosenGame = (state) => offeredAs(state, state.prefs.game) ?? state.variants[0];

/**
 * The level to play: the one chosen by hand until it is beaten, else the next step of the climb. The strongest of another
 * name is the strongest here.
 * @param {Pick<State, 'prefs' | 'progress'>} state
 * @param {Welcome['variants'][number]} game
 */
export function levelFor({ prefs, progress }, { name, levels }) {
  if (levels.includes(prefs.level)) return prefs.level;
  const next = prefs.level ? null : levels[climbed(progress, name, levels)];
  return next ?? levels[levels.length - 1];
}

/** The level that covers for somebody: the strongest. @param {State} state @param {Snapshot} room */
export const coverLevel = (state, room) => offeredAs(state, room.variant.name)?.levels.at(-1) ?? 'hard';

/** Start or stop looking for another player. @param {Pick<State['quick'], 'on' | 'variant'>} quick @returns {Command} */
export const seeking = ({ on, variant }) => ({ type: 'quick', on, variant });

/** @param {Snapshot} room @param {number} cell @returns {Command} */
export const moveTo = ({ room, moves, game }, cell) => ({ type: 'play', room, cell, ply: moves.length, game });

/** Counted from the moment this page noticed. @param {RoomView} view @param {Mark} mark @param {number} now */
export function awayFor({ snapshot, offlineSince }, mark, now) {
  return snapshot.seats[mark].kind === 'human' ? now - (offlineSince[mark] ?? now) : 0;
}

/** True until a presence frame says otherwise. @param {RoomView} view @param {Mark} mark */
export const isOnline = ({ snapshot, online }, mark) =>
  snapshot.seats[mark].kind !== 'human' || online === null || online.includes(mark);

/**
 * The other player of a running game has been away for a while.
 * @param {RoomView} view
 * @param {State} state
 */
export function absence(view, { me, now, limits }) {
  const { seats, turn } = view.snapshot;
  const [mine, both] = mySeats(view.snapshot, me);
  if (!turn || !mine || both) return null;
  const mark = other(mine);
  const [seat, away] = [seats[mark], awayFor(view, mark, now)];
  if (seat.kind !== 'human' || away < NOTICED) return null;
  const stalled = turn === mark ? Math.min(away, now - view.turnSince) : 0;
  return {
    mark,
    name: seat.name,
    left: Math.max(0, limits.cover_after - away),
    mayCover: away >= limits.cover_after,
    mayClaim: stalled >= limits.claim_after,
  };
}

/** Without a score, somebody has sat down since the last game ended. @param {Snapshot} room */
export const isScored = ({ score: { X, O, draws } }) => X + O + draws > 0;

/** @type {Snapshot['seats']} */
const NOBODY = { X: { kind: 'open' }, O: { kind: 'open' } };

/** A finished game with those who played it, also if they have left. @param {RoomView} view @returns {Snapshot} */
export function asPlayed({ snapshot, players }) {
  if (snapshot.status !== 'over') return snapshot;
  const rematch = seatsOf(snapshot, 'open').length ? [] : snapshot.rematch; // nobody waits for somebody who has left
  return { ...snapshot, seats: { ...(isScored(snapshot) ? snapshot.seats : NOBODY), ...players }, rematch };
}

/** The person who has left this seat, if the page knows of one; nobody who still plays the other side. @param {RoomView} view @param {Mark} mark */
export function leaverOf({ snapshot: { seats }, players }, mark) {
  const [last, rest] = [players[mark], seats[other(mark)]];
  if (seats[mark].kind !== 'open' || last?.kind !== 'human') return null;
  return rest.kind === 'human' && rest.player === last.player ? null : last;
}

/** Who has left a room where a place is free. @param {RoomView} view */
export const whoLeft = (view) => MARKS.map((mark) => leaverOf(view, mark)).find(Boolean)?.name;

/** Whether the one on a seat has just given it up, and who that is. @param {Seat} was @param {Seat} is */
export function leaving(was, is) {
  if (was.kind === 'human') return is.kind === 'open' ? was : null;
  const isCovered = was.kind === 'ai' && was.covers;
  return isCovered && is.kind !== 'human' && !('covers' in is) ? was.covers : null;
}

/** The two players get no analysis during a game, unless they play the AI or themselves. @param {Snapshot} room @param {Player | null} me */
export function mayAnalyse(room, me) {
  const [mine, covered] = [mySeats(room, me), myCovered(room, me)];
  if (room.status === 'over' || mine.length + covered.length !== 1) return true;
  return mine.length === 1 && room.seats[other(mine[0])].kind === 'ai';
}

/** The game on the board: the current one, or an earlier one under review. @param {State} state */
export const lookedAt = (state) => state.look.back?.snapshot ?? roomIn(state);

/** @param {State} state @param {Snapshot} room */
export const shownPly = (state, room) => state.look.back?.ply ?? room.moves.length;

/** @param {Clock} clock @param {Mark | null} turn @param {Mark} mark @param {number} now */
export function timeLeft({ left, since }, turn, mark, now) {
  const spent = since !== null && turn === mark ? Math.max(0, now - since) : 0;
  return Math.max(0, left[mark] - spent);
}

/** @param {Clock} clock @param {number} left */
export const isLow = ({ budget }, left) => left < budget * LOW;

/** The reviewed moves of the game on the board, if they are known. @param {State} state @param {Snapshot} room @returns {Reviewed[]} */
export const reviewOf = ({ review }, { room, game }) =>
  review?.room === room && review.game === game ? review.lines : [];

/**
 * How good a move was. Best: it kept what few moves could keep. A slip gave away a win, a blunder the game.
 * @param {Reviewed} line
 * @param {number} choices how many cells could be played
 * @returns {Grade}
 */
export function gradeOf({ value, best, cell, cells }, choices) {
  if (value === 'unknown' || best === 'unknown') return 'fine';
  if (value === best) return cells.includes(cell) && cells.length * 2 <= choices ? 'best' : 'fine';
  return value === 'loss' ? 'blunder' : 'slip';
}

/** The grades of all reviewed moves. @param {State} state @param {Snapshot} room */
export const gradesOf = (state, room) => reviewOf(state, room).map((line) => gradeOf(line, choicesAt(room, line.ply)));

/** How many cells could be played before a move. @param {Snapshot} room @param {number} ply */
function choicesAt(room, ply) {
  const { falls, columns, nested } = room.variant;
  const free = boardAt(room, ply).flatMap((mark, cell) => (mark ? [] : [cell]));
  if (falls) return new Set(free.map((cell) => cell % columns)).size;
  if (!nested) return free.length;
  const owners = ownersAt(room, ply);
  const open = free.filter((cell) => owners[boardOf(cell)] === null);
  const sent = ply > 0 ? open.filter((cell) => boardOf(cell) === spotOf(room.moves[ply - 1])) : [];
  return sent.length || open.length;
}

/**
 * The move that decided a game: the loser's last mistake, or in a draw the last one of either; null if there is none.
 * @param {State} state
 * @param {Snapshot} room
 */
export function turningPoint(state, room) {
  const winner = room.outcome?.winner ?? null;
  const lines = reviewOf(state, room);
  const grades = gradesOf(state, room);
  const isMistake = (/** @type {Reviewed} */ { mark }, /** @type {number} */ nth) =>
    (grades[nth] === 'blunder' || grades[nth] === 'slip') && mark !== winner;
  return lines.filter(isMistake).at(-1) ?? null;
}

/** How many moves of a side kept the best result, of how many proven ones. @param {State} state @param {Snapshot} room @param {Mark} mark */
export function accuracyOf(state, room, mark) {
  const lines = reviewOf(state, room).filter((line) => line.mark === mark);
  const own = lines.filter(({ best, value }) => best !== 'unknown' && value !== 'unknown');
  const best = own.filter((line) => line.value === line.best).length;
  return { best, of: own.length, isAll: own.length === lines.length };
}

/** What has been won, drawn and lost against a level. @param {Progress} progress @param {string} variant @param {string} level */
export const resultsOf = ({ games }, variant, level) => games[variant]?.[level] ?? { won: 0, drawn: 0, lost: 0 };

/** Perfect play cannot be beaten, so a draw will do. @param {string} level @param {Pick<Tally, 'won' | 'drawn'>} results */
export const isBeaten = (level, { won, drawn }) => won > 0 || (level === 'perfect' && drawn > 0);

/**
 * How many levels are behind me: all up to the highest that I have beaten.
 * @param {Progress} progress
 * @param {string} variant
 * @param {string[]} levels weakest first
 */
export const climbed = (progress, variant, levels) =>
  levels.findLastIndex((level) => isBeaten(level, resultsOf(progress, variant, level))) + 1;

/** What a tap on a cell does: play it, aim at it, or nothing. @param {State} state @param {Snapshot} room */
export function tapOf({ me, pending, look }, room) {
  if (pending || look.back) return null;
  if (isMyTurn(room, me)) return landing;
  return isMyTurnNext(room, me) ? aim : null;
}

/** Whether every square is proven to be worth the same: a sentence says it better. @param {Analysis} analysis */
export function isFlat({ cells }) {
  const values = new Set(cells.flatMap((value) => (value ? [value.value] : [])));
  return values.size === 1 && !values.has('unknown');
}

/**
 * The board as it is to be drawn.
 * @param {State} state
 * @param {Snapshot} now the room as it is
 * @returns {Scene}
 */
export function sceneOf(state, now) {
  const {
    me,
    pending,
    premove,
    look: { on, back, analysis },
  } = state;
  const room = back?.snapshot ?? now;
  const { moves, variant, outcome, turn, playable = [] } = room;
  const ply = shownPly(state, room);
  const isEnd = ply === moves.length;
  const [mine, both] = mySeats(room, me);
  const marks = boardAt(room, ply);
  const fading = fadingAt(room, ply);
  const faint = faintAt(room, ply);
  const owners = ownersAt(room, ply);
  const tap = tapOf(state, room);
  const isAnalysed =
    on && mayAnalyse(room, me) && analysis?.ply === ply && analysis.game === room.game && !(isFlat(analysis) && !back);
  const line = (isEnd && outcome?.line) || [];
  const near = mine && !both ? mine : turn;
  const open = back || !turn || !variant.nested ? [] : [...new Set(playable.map(boardOf))];
  const cells = marks.map((mark, index) => {
    const isPending = !back && pending?.cell === index && pending.room === room.room;
    const isAimed = tap === aim && premove?.cell === index;
    const value = isAnalysed && !isPending && !isAimed ? analysis.cells[index] : null;
    return {
      mark: isAimed ? mine : (mark ?? (isPending ? pending.mark : null)),
      target: tap?.(room, index) ?? null,
      isPending,
      isSlow: isPending && state.now - pending.since > SLOW,
      isAimed,
      isFading: index === fading,
      isFaint: faint.includes(index),
      isPlayable: !back && playable.includes(index),
      isLast: index === moves[ply - 1],
      isWon: line.includes(index),
      isOut: line.length > 0 && !variant.avoid && mark !== null && !line.includes(index),
      isUnder: variant.nested === true && owners[boardOf(index)] !== null,
      isNext: back !== null && index === moves[ply],
      value: value ?? null,
    };
  });
  const striker = outcome?.winner && variant.avoid ? other(outcome.winner) : outcome?.winner;
  return {
    key: `${room.room}/${room.game}`,
    variant,
    cells,
    owners,
    open,
    turn: back ? null : turn,
    side: near,
    line: (isEnd && (variant.nested ? outcome?.boards : outcome?.line)) || [],
    striker: striker ?? null,
    ghost: tap === landing ? near : null,
    invite: null,
    isWatched: isWatcher(room, me),
  };
}

/** The board of a game that has not begun. @param {Variant} variant @returns {Scene} */
export function emptyScene(variant) {
  const size = variant.rows * variant.columns;
  const first = size - variant.columns;
  const cells = Array.from({ length: size }, (_, index) => ({
    mark: null,
    target: variant.falls ? first + (index % variant.columns) : index,
    isPending: false,
    isSlow: false,
    isAimed: false,
    isFading: false,
    isFaint: false,
    isPlayable: false,
    isLast: false,
    isWon: false,
    isOut: false,
    isUnder: false,
    isNext: false,
    value: null,
  }));
  return {
    key: `new/${variant.name}`,
    variant,
    cells,
    owners: variant.nested ? Array(9).fill(null) : [],
    open: [],
    turn: 'X',
    side: 'X',
    line: [],
    striker: null,
    ghost: 'X',
    invite: cells[variant.falls ? variant.columns >> 1 : size >> 1].target,
    isWatched: false,
  };
}

/**
 * What the rail is about.
 * @param {State} state
 * @param {RoomView} view
 */
export function railOf(state, view) {
  const { me, look, declined } = state;
  const { snapshot: room } = view;
  const [mine] = mySeats(room, me);
  const [open] = seatsOf(room, 'open');
  if (look.back) return 'review';
  if (open && !mine && !declined.includes(room.room)) return 'invite';
  if (room.status === 'over') return 'result';
  if (open && mine) return leaverOf(view, open) ? 'left' : 'share';
  return isWatcher(room, me) ? 'watching' : 'playing';
}

/** Whether a program plays here, and has said so. @param {{ seats: Record<Mark, ListedSeat> }} room */
export const hasBot = ({ seats }) => MARKS.some((mark) => isBot(seats[mark]));

/** @param {Seat | ListedSeat} seat */
export const isBot = (seat) => seat.kind === 'human' && seat.bot === true;

/** Somebody is there, or two computers play. @param {Listed} room */
export const isAttended = (room) => room.online > 0 || !seatsOf(room, 'human').length;

/** A game that goes on. @param {Listed} room */
export const isAlive = (room) => room.status === 'playing' && isAttended(room);

/** The same of a room that this page follows, which knows it sooner than the list does. @param {RoomView | undefined} view */
export const isGoingOn = (view) =>
  view?.snapshot.status === 'playing' &&
  (view.online === null || view.online.length > 0 || !seatsOf(view.snapshot, 'human').length);

/** People first, then the most watched. @param {Listed} room */
export const rank = (room) => seatsOf(room, 'human').length * 1000 + room.online * 500 + room.watchers;

/** The ply where a review opens: before the first mistake, or at the start. @param {State} state @param {Snapshot} room */
export const reviewStart = (state, room) => turningPoint(state, room)?.ply ?? 0;
