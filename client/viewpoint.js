/**
 * What a room means to the one who looks at it: which seats are mine, whose turn it is for me, who has been away for
 * how long, what I may analyse.
 *
 * Pure readings of the state. No sentence, no element and no rule of the game lives here.
 *
 * @import { Mark, Player, RoomView, Snapshot, State } from './types.js'
 *
 * @template T @typedef {(room: Snapshot, me: Player | null) => T} Reading
 */

/** @type {readonly Mark[]} */
export const MARKS = ['X', 'O'];
export const COVER_AFTER = 20_000;
export const CLAIM_AFTER = 30_000;

/** @param {Mark} mark @returns {Mark} */
export const other = (mark) => (mark === 'X' ? 'O' : 'X');

/** @param {State} state @returns {RoomView | undefined} */
export const shown = (state) => (state.room === null ? undefined : state.rooms[state.room]);

/** @param {State} state */
export const roomIn = (state) => shown(state)?.snapshot;

/** Is there nobody to hear us just now? @param {State} state */
export const isCut = ({ link }) => link === 'lost' || link === 'refused';

/** The seats I play from. @type {Reading<Mark[]>} */
export function mySeats(room, me) {
  return MARKS.filter((mark) => {
    const seat = room.seats[mark];
    return seat.kind === 'human' && seat.player === me?.id;
  });
}

/** The seats the AI keeps warm for me. @type {Reading<Mark[]>} */
export function myCovered(room, me) {
  return MARKS.filter((mark) => {
    const seat = room.seats[mark];
    return seat.kind === 'ai' && me && seat.covers?.player === me.id;
  });
}

/** Does any person have a seat here, sitting or covered? @param {Snapshot} room */
export function isPeopled(room) {
  return Object.values(room.seats).some((seat) => seat.kind === 'human' || (seat.kind === 'ai' && seat.covers));
}

/** Has a seat gone to somebody else since the game ended? Then the score has started again. @param {Snapshot} room */
export const isInherited = ({ status, score }) => status === 'over' && score.X + score.O + score.draws === 0;

/** @type {Reading<'both' | 'player' | 'covered' | 'watcher'>} */
export function role(room, me) {
  const seats = mySeats(room, me).length;
  if (seats) return seats === 2 ? 'both' : 'player';
  return myCovered(room, me).length ? 'covered' : 'watcher';
}

/** Is it I who moves now? @type {Reading<boolean>} */
export const isMyTurn = (room, me) => room.turn !== null && mySeats(room, me).includes(room.turn);

/** How long this page has seen that seat's person gone. @param {RoomView} view @param {Mark} mark @param {number} now */
export function awayFor(view, mark, now) {
  const since = view.offlineSince[mark];
  return since === undefined || view.snapshot.seats[mark].kind !== 'human' ? 0 : now - since;
}

/** How long of it was that person's own turn. @param {RoomView} view @param {number} now */
export function stallsFor(view, now) {
  const { turn } = view.snapshot;
  return turn === null ? 0 : Math.min(awayFor(view, turn, now), now - view.turnSince);
}

/** The two players play without help, unless against an AI or themselves. @type {Reading<boolean>} */
export function mayAnalyse(room, me) {
  const mine = [...mySeats(room, me), ...myCovered(room, me)];
  if (room.status === 'over' || mine.length !== 1) return true;
  return mySeats(room, me).length === 1 && room.seats[other(mine[0])].kind === 'ai';
}

/** The ply on the board: the latest, or an earlier one looked back at. @param {State} state @param {Snapshot} room */
export function shownPly(state, room) {
  const { on, ply } = state.look;
  return on && ply !== null && room.status === 'over' ? Math.min(ply, room.moves.length) : room.moves.length;
}

/** The board after so many moves; X always begins. @param {Snapshot} room @param {number} ply @returns {(Mark | null)[]} */
export function boardAt(room, ply) {
  if (ply === room.moves.length) return room.board;
  /** @type {(Mark | null)[]} */
  const board = room.board.map(() => null);
  room.moves.slice(0, ply).forEach((cell, index) => { board[cell] = MARKS[index % 2]; });
  return board;
}
