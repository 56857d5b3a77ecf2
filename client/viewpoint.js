// A room as one person sees it. Pure questions about the state: no sentences, no rules.

/** @type {readonly Mark[]} */
export const MARKS = ['X', 'O'];
/** The variant of a request that names none. */
export const CLASSIC = '3x3';
const LOW = 10_000;

/** What an unknown address shows in the place of a room. No room has this id. */
export const NOWHERE = '';

/** @param {Mark} mark */
export const other = (mark) => (mark === 'X' ? 'O' : 'X');

/** @param {State} state */
export const shown = ({ room, rooms }) => (room === null ? undefined : rooms[room]);

/** @param {State} state */
export const roomIn = (state) => shown(state)?.snapshot;

/** @param {State} state */
export const isCut = ({ link }) => link === 'lost' || link === 'refused';

/** @type {SeatsOf} */
export const seatsOf = ({ seats }, kind) => MARKS.filter((mark) => seats[mark].kind === kind);

/** @type {Reading<Mark[]>} */
export const mySeats = ({ seats }, me) => MARKS.filter((mark) => seats[mark].kind === 'human' && seats[mark].player === me?.id);

/** The seats that the AI covers for me. @type {Reading<Mark[]>} */
export const myCovered = ({ seats }, me) => MARKS.filter((mark) => me && seats[mark].kind === 'ai' && seats[mark].covers?.player === me.id);

/** Whether a person sits here or is covered by the AI. @param {Snapshot} room */
export const isPeopled = ({ seats }) => Object.values(seats).some((seat) => seat.kind === 'human' || 'covers' in seat);

/** Two AIs play and cover for nobody: until the game is over, their seats are nobody's to change. @param {Snapshot} room */
export const isExhibition = (room) => !isPeopled(room) && seatsOf(room, 'ai').length === 2;

/** @type {Reading<boolean>} */
export const isMyTurn = (room, me) => room.turn !== null && mySeats(room, me).includes(room.turn);

/** @type {Reading<boolean>} */
export const isMyTurnNext = (room, me) => room.turn !== null && mySeats(room, me).length === 1 && !isMyTurn(room, me);

/** @type {Reading<boolean>} */
export const isWatcher = (room, me) => mySeats(room, me).length + myCovered(room, me).length === 0;

/** The variant's entry in `welcome`, with its levels. @type {OfferedAs} */
export const offeredAs = ({ variants }, variant) => variants.find(({ name }) => name === variant);

/** The game chosen on the home page. @param {State} state */
export const chosenGame = (state) => offeredAs(state, state.prefs.game) ?? state.variants[0];

/** Start or stop looking for another player. @type {Seeking} */
export const seeking = ({ on, variant }) => ({ type: 'quick', on, variant });

/** @type {MoveTo} */
export const moveTo = ({ room, moves, game }, cell) => ({ type: 'play', room, cell, ply: moves.length, game });

/** Counted from the moment this page noticed. @type {AwayFor} */
export function awayFor({ snapshot, offlineSince }, mark, now) {
  return snapshot.seats[mark].kind === 'human' ? now - (offlineSince[mark] ?? now) : 0;
}

/**
 * The two players get no analysis during a game, unless they play the AI or themselves.
 * @type {Reading<boolean>}
 */
export function mayAnalyse(room, me) {
  const [mine, covered] = [mySeats(room, me), myCovered(room, me)];
  if (room.status === 'over' || mine.length + covered.length !== 1) return true;
  return mine.length === 1 && room.seats[other(mine[0])].kind === 'ai';
}

/** The game on the board: the current one, or an earlier one under review. @param {State} state */
export const lookedAt = (state) => state.look.back?.snapshot ?? roomIn(state);

/** @type {ShownPly} */
export const shownPly = (state, room) => state.look.back?.ply ?? room.moves.length;

/** @type {TimeLeft} */
export function timeLeft({ left, since }, turn, mark, now) {
  const spent = since !== null && turn === mark ? Math.max(0, now - since) : 0;
  return Math.max(0, left[mark] - spent);
}

/** @type {IsLow} */
export const isLow = ({ budget }, left) => left < Math.min(LOW, budget / 4);
