// An earlier game of a room, fetched over HTTP and shaped like the room's state at its end.

import { boardAt } from './position.js';

/** The finished game, or null if there is none with this number. @type {Recall} */
export async function recall(room, game) {
  const path = `/api/rooms/${encodeURIComponent(room)}/games/${game}`;
  const answer = await fetch(path).catch(() => null);
  const told = answer?.ok ? /** @type {PastGame} */ (await answer.json()) : null;
  return told?.outcome ? snapshotOf(told) : null;
}

/** The score is that of this game alone. @type {SnapshotOf} */
export function snapshotOf({ room, game, variant, players, moves, outcome, opening }) {
  const score = { X: 0, O: 0, draws: 0, [outcome?.winner ?? 'draws']: 1 };
  /** @type {Snapshot} */
  const end = {
    type: 'state', room, public: false, variant, seq: 0, game, board: [], moves, turn: null, status: 'over', outcome,
    seats: { X: seatOf(players.X), O: seatOf(players.O) }, score, rematch: [], clock: null, opening,
  };
  return { ...end, board: boardAt(end, moves.length) };
}

/** Ids are not told here, so that nobody's seat is mine. @param {WallSeat} seat @returns {Seat} */
const seatOf = (seat) => (seat.kind === 'human' ? { ...seat, player: '' } : seat);
