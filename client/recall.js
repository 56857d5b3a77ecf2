// Looking back over HTTP: an earlier game shaped like the room's state at its end, and a game's moves judged.

import { boardAt } from './position.js';

const pathOf = (room = '', game = 0) => `/api/rooms/${encodeURIComponent(room)}/games/${game}`;

/** The room as it is now, null if it is gone, or undefined without an answer. @param {string} room @returns {Promise<Snapshot | null | undefined>} */
export async function fetchRoom(room) {
  const answer = await fetch(`/api/rooms/${encodeURIComponent(room)}`).catch(() => undefined);
  if (answer?.status === 404) return null;
  return answer?.ok ? answer.json() : undefined;
}

/** The finished game, or null if there is none with this number. @param {string} room @param {number} game */
export async function recall(room, game) {
  const answer = await fetch(pathOf(room, game)).catch(() => null);
  const told = answer?.ok ? /** @type {PastGame} */ (await answer.json()) : null;
  return told?.outcome ? snapshotOf(told) : null;
}

/** The score is that of this game alone. @param {PastGame} game @returns {Snapshot} */
export function snapshotOf({ room, game, variant, players, moves, outcome, opening }) {
  const score = { X: 0, O: 0, draws: 0, [outcome?.winner ?? 'draws']: 1 };
  /** @type {Snapshot} */
  const end = {
    type: 'state',
    room,
    public: false,
    variant,
    seq: 0,
    game,
    board: [],
    moves,
    turn: null,
    status: 'over',
    outcome,
    seats: { X: seatOf(players.X), O: seatOf(players.O) },
    score,
    rematch: [],
    clock: null,
    opening,
  };
  return { ...end, board: boardAt(end, moves.length) };
}

/** Ids are not told here, so that nobody's seat is mine. @param {ListedSeat} seat @returns {Seat} */
const seatOf = (seat) => (seat.kind === 'human' ? { ...seat, player: '' } : seat);

/**
 * The moves of a finished game as they are judged, one by one. Returns whether all of them have come.
 * @param {string} room
 * @param {number} game
 * @param {(lines: Reviewed[], isComplete: boolean) => void} onLines
 */
export async function fetchReview(room, game, onLines) {
  const answer = await fetch(`${pathOf(room, game)}/review`).catch(() => null);
  const reader = answer?.ok && answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return false;
  /** @type {Reviewed[]} */
  let lines = [];
  let rest = '';
  for (;;) {
    const chunk = await reader.read().catch(() => null);
    if (!chunk) return false;
    const texts = (rest + (chunk.value ?? '')).split('\n');
    rest = texts.pop() ?? '';
    lines = [...lines, ...texts.filter(Boolean).map((text) => JSON.parse(text))];
    onLines(lines, chunk.done);
    if (chunk.done) return true;
  }
}
