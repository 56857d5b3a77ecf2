/**
 * Codes into sentences: reasons, outcomes, offers, levels, phrases. The seam for other languages.
 *
 * Knows nothing of everything else: plain values in, text out.
 *
 * @import { CellValue, Link, Mark, Outcome, Seat, Snapshot, WallSeat } from './types.js'
 * @import { What } from './offers.js'
 */

/** What a person can run into; for the rest the server's own sentence will do. @type {Record<string, string>} */
const REFUSALS = {
  cell_taken: 'That cell is taken.',
  game_over: 'This game has ended.',
  not_seated: 'You would need a seat here for that.',
  not_your_turn: 'It is not your turn.',
  retry: 'That could not be saved just now. Try again in a moment.',
  seat_taken: 'Somebody else has that seat.',
  stale: 'The board had changed already. Have another look.',
  too_early: 'Not yet. Give them a little longer.',
  too_fast: 'That was too fast. Take a breath.',
  too_many_rooms: 'Too many rooms at once. Finish one first, or wait a minute.',
  waiting: 'The game waits for a second player.',
};

/** @param {string} reason @param {string} [text] the server's own sentence */
export const refusal = (reason, text) => REFUSALS[reason] ?? text ?? 'That did not work.';

/** @param {string} code good_game → Good game */
export const spoken = (code) => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

/** @type {Record<string, string>} */
const PHRASES = {
  hello: 'Hello!', good_luck: 'Good luck!', nice_move: 'Nice move!', oops: 'Oops.', wow: 'Wow!', thanks: 'Thank you.',
  good_game: 'Good game!', bye: 'Bye!',
};

/** @param {string} code */
export const phrase = (code) => PHRASES[code] ?? spoken(code);

export const levelName = spoken;

/** @param {Seat | WallSeat} seat */
export function seatName(seat) {
  if (seat.kind === 'open') return 'Open seat';
  return seat.kind === 'human' ? seat.name : `AI, ${seat.level}`;
}

/** @type {Record<What, (mark: string) => string>} */
const OFFERS = {
  sit: (mark) => `Sit down as ${mark}`,
  sit_too: (mark) => `Play ${mark} here too`,
  seat_ai: () => 'Seat the AI',
  cover: () => 'Let the AI play on',
  take_back: () => 'Take your seat back',
  leave: () => 'Leave the seat',
  leave_one: (mark) => `Leave ${mark}`,
  leave_to_ai: () => 'Leave it to the AI',
  dismiss: () => 'Send the AI away',
  resign: () => 'Resign',
  rematch: () => 'Rematch',
  again: () => 'Play it again',
  claim: () => 'Claim the win',
};

/** @param {What} what @param {string} mark */
export const offerLabel = (what, mark = '') => OFFERS[what](mark);

/** @param {What} what @param {string} [mark] */
export const certainty = (what, mark) => `Yes, ${offerLabel(what, mark).replace(/^./, (a) => a.toLowerCase())}`;

export const SENT_LATER = 'Will be sent when the connection is back.';

/** @param {number} ply @param {number} moves */
export const plyLabel = (ply, moves) => (ply === 0 ? 'Start' : `Move ${ply} of ${moves}`);

/** @param {Link} link */
export function linkNote(link) {
  if (link === 'refused') return 'The server ended the connection.';
  return { online: 'Connected again.', lost: 'Reconnecting…', connecting: 'Connecting…' }[link];
}

/** @param {number} count */
export function watching(count) {
  return count === 1 ? '1 watching' : `${count} watching`;
}

/** @param {number} ms */
export function duration(ms) {
  const tenths = Math.ceil(ms / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** @param {number} cell @param {number} columns */
export const place = (cell, columns) => `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;

/** @param {CellValue} value */
export function valueLabel(value) {
  return value.value === 'draw' ? 'Draw' : `${spoken(value.value)} in ${value.in}`;
}

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six'];

/**
 * How the game ended, in a sentence of its own.
 * @param {Snapshot} room @param {Outcome} outcome @param {Mark[]} mine
 */
export function ending(room, outcome, mine) {
  if (!outcome.winner) return 'The board is full.';
  const loser = outcome.winner === 'X' ? 'O' : 'X';
  const isMe = mine.length === 1 && mine[0] === loser;
  const who = isMe ? 'You' : seatWho(room, loser);
  switch (outcome.by) {
    case 'line': return `${spoken(NUMBERS[room.variant.line] ?? String(room.variant.line))} in a row for ${outcome.winner}.`;
    case 'resignation': return `${who} resigned.`;
    case 'time': return `${who} ran out of time.`;
    case 'absence': return `${who} ${isMe ? 'were' : 'was'} away too long.`;
    default: return '';
  }
}

/** @param {Snapshot} room @param {Mark} mark */
export function seatWho(room, mark) {
  const seat = room.seats[mark];
  if (seat.kind === 'human') return seat.name;
  return seat.kind === 'open' ? mark : 'The AI';
}

/** @param {Snapshot} room @param {Mark[]} mine */
export function result(room, mine) {
  const winner = room.outcome?.winner;
  if (!winner) return 'A draw';
  if (mine.length === 1) return mine[0] === winner ? 'You won' : 'You lost';
  return mine.length === 2 ? `${winner} won` : `${seatWho(room, winner)} won`;
}
