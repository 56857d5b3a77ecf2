/** Rooms to test with: a plain game between Ada and Bo, changed as a test needs. */

export const ADA = { id: 'ada', name: 'Ada' };
export const BO = { id: 'bo', name: 'Bo' };
export const OPEN = { kind: 'open' };
export const AI = { kind: 'ai', level: 'hard' };
export const EVE = { id: 'eve', name: 'Eve' };

/** @param {{ id: string, name: string }} player */
export const human = ({ id, name }) => ({ kind: 'human', player: id, name });

/** @param {number[]} moves @param {object} [changes] @returns {any} */
export function snapshot(moves = [], changes = {}) {
  const board = Array(9).fill(null);
  moves.forEach((cell, index) => {
    board[cell] = 'XO'[index % 2];
  });
  return {
    type: 'state',
    room: 'r',
    seq: moves.length + 2,
    public: false,
    variant: { name: '3x3', rows: 3, columns: 3, line: 3 },
    game: 1,
    board,
    moves,
    turn: 'XO'[moves.length % 2],
    status: 'playing',
    outcome: null,
    seats: { X: human(ADA), O: human(BO) },
    score: { X: 0, O: 0, draws: 0 },
    rematch: [],
    clock: null,
    ...changes,
  };
}

/** The same game, ended. @param {any} room @param {string | null} winner @param {any} [changes] */
export const ended = (room, winner, { by = winner ? 'line' : 'full', line = null, ...changes } = {}) => ({
  ...room,
  status: 'over',
  turn: null,
  outcome: { winner, by, line },
  score: { X: 0, O: 0, draws: 0, [winner ?? 'draws']: 1 },
  ...changes,
});

/** @type {Record<string, any>} */
export const VARIANTS = {
  '3x3': { name: '3x3', rows: 3, columns: 3, line: 3 },
  reverse: { name: 'reverse', rows: 3, columns: 3, line: 3, avoid: true },
  vanishing: { name: 'vanishing', rows: 3, columns: 3, line: 3, keep: 3, limit: 100 },
  '5x5': { name: '5x5', rows: 5, columns: 5, line: 4 },
  drop: { name: 'drop', rows: 6, columns: 7, line: 4, falls: true },
  ultimate: { name: 'ultimate', rows: 9, columns: 9, line: 3, nested: true },
};

/** @param {string} name */
export const levelsOf = (name) => [
  'gentle',
  'easy',
  'medium',
  'hard',
  name === 'drop' || name === 'ultimate' ? 'best' : 'perfect',
];

/** A game of any variant. @param {string} name @param {number[]} moves @param {object} [changes] @returns {any} */
export function gameOf(name, moves, changes = {}) {
  const variant = VARIANTS[name];
  const board = Array(variant.rows * variant.columns).fill(null);
  moves.forEach((cell, index) => {
    board[cell] = 'XO'[index % 2];
  });
  return snapshot(moves, { variant, board, ...changes });
}

/** @param {any} room @param {object} [changes] @returns {any} */
export const view = (room, changes = {}) => ({
  snapshot: room,
  online: ['X', 'O'],
  watchers: 0,
  offlineSince: {},
  turnSince: 0,
  isStale: false,
  endedAt: null,
  players: {},
  ...changes,
});

export const limits = {
  cover_after: 20_000,
  claim_after: 30_000,
  commands_per_second: 10,
  commands_at_once: 20,
  rooms_followed: 64,
};

export const welcome = {
  type: 'welcome',
  protocol: 1,
  player: ADA,
  token: 't'.repeat(43),
  now: 1000,
  phrases: ['good_game'],
  variants: Object.values(VARIANTS).map((variant) => ({ ...variant, levels: levelsOf(variant.name) })),
  limits,
};
