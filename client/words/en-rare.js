// The sentences of what few people see: the operator's notices, company, looking back on a game, a big screen, pages
// where there is nothing, and help. Loaded with these.

import { mySeats, reviewOf, gradesOf, turningPoint } from '../selectors.js';
import { EMPTY, OUTLOOK, clockRule, counted, duration, ending, inWords, resultWord, spoken, spot } from './en.js';

// ------------------------------------------------------------------------------------------------------------ notices

/** What the operator announces, with the time that is left. @param {NonNullable<State['announced']>} announced @param {number} now of the server */
export function announcement({ text, due }, now) {
  if (due === null) return text;
  return `${due > now ? `In ${remaining(due - now)}` : 'Any moment now'} · ${text}`;
}

/** Seconds count only in the last minutes. */
function remaining(ms = 0) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes >= 10 ? `${minutes} min` : duration(Math.ceil(ms / 1000) * 1000).replace(/\.\d$/, '');
}

// ------------------------------------------------------------------------------------------------------------ company

/** @param {NonNullable<ReturnType<typeof import('../selectors.js').absence>>} away */
export function awayText({ name, mayCover, left }) {
  if (mayCover) return `${name} has been away for a while. The game is kept.`;
  return `${name}’s line is down. The game is kept. In ${Math.ceil(left / 1000)} s you can let the computer move for ${name}.`;
}

export const leftText = (name = '') => `${name} has left. The game is kept: whoever opens its link can play on.`;

/** @param {string} name */
export const coveredText = (name) =>
  `The computer moved for you while you were away. ${name ? `${name} is still here.` : ''}`.trim();

export const meetLabel = (name = '', isAsked = false) => (isAsked ? `Asked ${name}, waiting …` : `Play ${name}`);

/** Somebody else who plays alone. @param {Player} partner @param {boolean} asks */
export const partnerText = ({ name }, asks) => (asks ? `${name} would like to play you.` : `${name} is here as well.`);

// ------------------------------------------------------------------------------------------------------- looking back

/** The card of a move under review. @param {State} state @param {Snapshot} room @param {number} ply @returns {[title: string, note: string]} */
export function reviewWords(state, room, ply) {
  const line = reviewOf(state, room)[ply];
  if (ply >= room.moves.length)
    return [
      room.status === 'over' ? resultWord(room, mySeats(room, state.me)) : 'Now',
      room.status === 'over' ? ending(room, mySeats(room, state.me)) : '',
    ];
  const title = `Move ${ply + 1}`;
  if (!line) return [title, 'The ring marks the move that was played.'];
  const grade = gradesOf(state, room)[ply];
  const who = mySeats(room, state.me).join() === line.mark ? 'You' : line.mark;
  const where = spot(line.cell, room.variant);
  if (line.value === 'unknown' || line.best === 'unknown')
    return [title, `${who} played ${where}. Too early for a proof; the numbers are estimates.`];
  if (grade === 'blunder' || grade === 'slip') {
    const kept =
      line.cells.length === 1
        ? `Only ${spot(line.cells[0], room.variant)}`
        : counted(line.cells.length, 'square', 'squares');
    return [
      grade === 'blunder' ? 'Here it went' : 'A slip',
      `${kept} ${line.best === 'win' ? 'won' : 'held the draw'}. ${who} played ${where}.`,
    ];
  }
  return [
    title,
    grade === 'best'
      ? `${spoken(where)}: one of ${inWords(line.cells.length)} that kept ${OUTLOOK[line.best]}.`.replace(
          'one of one that',
          'the only square that',
        )
      : `${who} played ${where}. Nothing was lost.`,
  ];
}

/** @param {State} state @param {Snapshot} room */
export function graphLabel(state, room) {
  const point = turningPoint(state, room);
  return point ? `Turned at move ${point.ply + 1}` : 'Even all the way';
}

/** `count` is null if a new game has started. @param {number | null} count @param {boolean} isOver */
export function backToGame(count, isOver) {
  if (count === null) return 'Go to the new game';
  if (count && isOver) return 'See the result';
  if (count) return counted(count, 'new move', 'new moves');
  return isOver ? 'Done' : 'Back to the game';
}

export const earlierGame = (game = 0) => `Game ${game}`;

// ------------------------------------------------------------------------------------------------------- a big screen

/** @param {RoomView} view @param {Mark} mark */
export function tvLine({ snapshot: room }, mark) {
  if (room.status === 'over') return room.outcome?.winner === mark ? 'Winner' : room.outcome?.winner ? '' : 'A draw';
  if (room.turn === mark) return 'to move';
  return room.moves.length && room.turn ? 'just moved' : '';
}
/** @param {Snapshot} room */
export const tvFacts = (room) => [`Game ${room.game}`, clockRule(room.clock)].filter(Boolean).join(' · ');
export const tvJoin = (hasRoom = false, isOpen = false) =>
  isOpen ? 'Scan to play' : hasRoom ? 'Scan to watch' : 'Scan to start';
export const LOCAL = [
  'Only this computer can open this',
  'To let others in, start the server with\nnoughts serve\n--host 0.0.0.0\nor make run\nHOST=0.0.0.0',
];
export const TV_EMPTY = EMPTY.none;
export const MISSING = {
  page: ['Nothing on this square.', 'This address leads nowhere. The game may have been cleared away.'],
  room: [
    'This game is gone.',
    'Nobody has been here for a while, so the sheet was rubbed out. The next one is two taps away.',
  ],
};

// --------------------------------------------------------------------------------------------------------------- help

export const HOW_TITLE = 'How to play';

/** How each game is played. @type {Record<string, string>} */
export const MORE = {
  '3x3': 'Take turns. Three of your marks in a row, a column or a diagonal win. A full board is a draw.',
  reverse:
    'Take turns on the classic board, but keep out of a row of three: completing one loses. A full board is a draw.',
  vanishing:
    'You never have more than three marks. With your fourth, your oldest one goes; the faint one is next. Three in a row win.',
  '5x5': 'Four of your marks in a row, a column or a diagonal win. A full board is a draw.',
  drop: 'Tap anywhere in a column: your mark falls to its lowest free square. Four in a row win.',
  ultimate:
    'The square you pick sends the other player to that board. Three in a row win a board, and three boards in a row win the game. If your board is closed, play on any open one.',
};

/** @type {[keys: string, what: string][]} */
export const KEYS = [
  ['← ↑ → ↓, Enter', 'Walk over the board and play'],
  ['1 … 9', 'Play a square, counted from the top left; on a number pad, as its keys lie. In Drop Four: a column'],
  ['← →', 'Step through the moves of a finished game'],
  ['Esc', 'Rub out a pencilled move; close what is open'],
  ['?', 'Show this list'],
];
