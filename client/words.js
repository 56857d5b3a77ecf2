// Codes and rooms into sentences: plain values in, text out. The seam for other languages.

import { MARKS, isMyTurn, myCovered, mySeats, other, roomIn, seatsOf } from './viewpoint.js';

/** For all else the server's own sentence will do. @type {Texts} */
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

export const refusal = (reason = '', text = 'That did not work.') => REFUSALS[reason] ?? text;

/** good_game → Good game */
export const spoken = (code = '') => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

/** @type {Texts} */
const PHRASES = {
  hello: 'Hello!', good_luck: 'Good luck!', nice_move: 'Nice move!', oops: 'Oops.', wow: 'Wow!', thanks: 'Thank you.',
  good_game: 'Good game!', bye: 'Bye!',
};

export const phrase = (code = '') => PHRASES[code] ?? spoken(code);

/** @param {Seat | WallSeat} seat */
export function seatName(seat) {
  if (seat.kind === 'open') return 'Open seat';
  return seat.kind === 'human' ? seat.name : `AI, ${seat.level}`;
}

/** An asterisk stands for the seat or the person. @type {OfferTexts} */
const OFFERS = {
  sit: 'Sit down as *',
  sit_too: 'Play * here too',
  seat_ai: 'Seat the AI',
  cover: 'Let the AI play on',
  take_back: 'Take your seat back',
  leave: 'Leave the seat',
  leave_one: 'Leave *',
  leave_to_ai: 'Leave it to the AI',
  dismiss: 'Send the AI away',
  resign: 'Resign',
  rematch: 'Rematch',
  again: 'Play it again',
  claim: 'Claim the win',
  meet: 'Play *',
  somebody_else: 'Somebody else',
};

/** @type {OfferLabel} */
export const offerLabel = (what, name = '') => OFFERS[what].replace('*', () => name);

/** @type {OfferLabel} */
export const certainty = (what, name) => `Yes, ${offerLabel(what, name).replace(/^./, (first) => first.toLowerCase())}`;

export const SENT_LATER = 'Will be sent when the connection is back.';

/** Null is another game. @param {number | null} count */
export function newMoves(count) {
  if (count === null) return 'To the new game';
  return count ? `${count} new ${count === 1 ? 'move' : 'moves'}` : 'Back to the game';
}

export function quickNote(name = '', asks = false, isBetween = false) {
  if (!name) return 'Quick play: whoever comes next is offered to you.';
  if (asks) return `${name} would like to play you${isBetween ? '' : ' after this game'}.`;
  return isBetween ? `${name} is here for a quick game, too.` : `${name} is here, too. You can meet after this game.`;
}

export const themeName = (theme = 'auto') => `Theme: ${theme === 'auto' ? 'as the system' : theme}`;

export const plyLabel = (ply = 0, moves = 0) => (ply ? `Move ${ply} of ${moves}` : 'Start');

/** @type {Record<Link, string>} */
export const LINK_NOTES = {
  online: 'Connected again.', lost: 'Reconnecting…', connecting: 'Connecting…', refused: 'The server ended the connection.',
};

export const watching = (count = 0) => (count ? `${count} watching` : '');

export function duration(ms = 0) {
  const tenths = Math.ceil(ms / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** For the other player a quiet countdown to what may be done about it. */
export function absence(ms = 0, coverAfter = 0) {
  const away = Math.floor(ms / 1000);
  const left = Math.ceil(coverAfter / 1000) - away;
  if (left > 0) return away < 3 ? 'away' : `away, back in ${left} s?`;
  return away < 5 ? 'away' : `away for ${away < 120 ? `${away} s` : `${Math.floor(away / 60)} min`}`;
}

export const place = (cell = 0, columns = 3) => `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;

/** @param {CellValue} value */
export const valueLabel = (value) => (value.value === 'draw' ? 'Draw' : `${spoken(value.value)} in ${value.in}`);

const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'];

/** @type {Told<string>} */
function ending(room, mine) {
  const { winner, by } = room.outcome ?? {};
  if (!winner) return 'The board is full.';
  const loser = other(winner);
  const isMe = mine.join() === loser;
  const who = isMe ? 'You' : seatWho(room, loser);
  if (by === 'resignation') return `${who} resigned.`;
  if (by === 'time') return `${who} ran out of time.`;
  if (by === 'absence') return `${who} ${isMe ? 'were' : 'was'} away too long.`;
  return `${NUMBERS[room.variant.line] ?? room.variant.line} in a row for ${winner}.`;
}

/** @type {RoomReading<string>} */
function seatWho({ seats }, mark) {
  const seat = seats[mark];
  if (seat.kind === 'human') return seat.name;
  return seat.kind === 'open' ? mark : 'The AI';
}

/** @type {Told<string>} */
function result(room, mine) {
  const winner = room.outcome?.winner;
  if (!winner) return 'A draw';
  if (mine.length === 1) return mine[0] === winner ? 'You won' : 'You lost';
  return `${mine.length ? winner : seatWho(room, winner)} won`;
}

/** @type {Snapshot['seats']} */
const NOBODY = { X: { kind: 'open' }, O: { kind: 'open' } };

/** @type {HeadlineOf} */
export function headline(room, me, ply = room.moves.length) {
  const mine = mySeats(room, me);
  if (room.status === 'waiting') return waiting(room, mine);
  if (room.status === 'over') return over(room, mine, ply);
  const [covered] = myCovered(room, me);
  const turn = room.turn ?? 'X';
  if (mine.length === 2) return { title: `${turn} to move`, detail: 'You play both sides on this screen.' };
  if (mine.includes(turn)) return { title: 'Your turn', detail: `You are ${turn}.` };
  const title = room.seats[turn].kind === 'ai' ? 'The AI is thinking' : `${seatWho(room, turn)} to move`;
  if (mine.length) return { title, detail: `You are ${mine[0]}.` };
  return { title, detail: covered ? `The AI is playing ${covered} for you.` : 'You are watching.' };
}

/** @type {Told<Headline>} */
function waiting(room, mine) {
  const [open, second] = seatsOf(room, 'open');
  const isStarted = room.moves.length > 0;
  if (mine.length && isStarted) return { title: 'The game waits', detail: `Seat ${open} is open; the game goes on when somebody takes it.` };
  if (mine.length) return { title: 'Waiting for a friend', detail: 'Send the link, seat the AI, or play both sides here.' };
  const title = second ? 'Both seats are free' : `Seat ${open} is free`;
  return { title, detail: `Sit down ${isStarted ? 'and play on' : 'to play'}, or stay and watch.` };
}

/** @type {HeadlineOver} */
function over(room, mine, ply) {
  const { X, O, draws } = room.score;
  // No score: a seat has gone to somebody who has not played. Then only marks are named.
  const [played, sides] = X + O + draws === 0 ? [{ ...room, seats: NOBODY }, []] : [room, mine];
  const { length } = room.moves;
  const how = ply < length ? `${plyLabel(ply, length)}.` : ending(played, sides);
  return { title: result(played, sides), detail: `${how} ${wishes(room, mine)}`.trim() };
}

/** @type {Told<string>} */
function wishes(room, mine) {
  const [asked, both] = room.rematch;
  if (!asked || both) return '';
  const rest = other(asked);
  if (room.seats[rest].kind === 'open') return `A rematch starts when somebody takes ${rest}.`;
  if (mine.includes(asked)) return `Waiting for ${seatWho(room, rest)} to agree to a rematch.`;
  return `${seatWho(room, asked)} ${mine.includes(rest) ? 'would like' : 'waits for'} a rematch.`;
}

/** @param {State} state */
export function windowTitle(state) {
  const room = roomIn(state);
  const title = state.missing ? 'Nothing here' : room && headline(room, state.me).title;
  return title ? `${title} · Noughts` : 'Noughts';
}

/** What changed, for those who listen instead of looking. @type {Changes} */
export function changes(before, room, me) {
  const { title, detail } = headline(room, me);
  if (!before || before.room !== room.room) return [`${title}. ${detail}`];
  const isNew = before.game !== room.game;
  const told = isNew ? [`Game ${room.game} begins.`] : [];
  for (const mark of MARKS) {
    const name = seatName(room.seats[mark]);
    if (name !== seatName(before.seats[mark])) told.push(`${mark}: ${name}.`);
  }
  const from = isNew ? 0 : before.moves.length;
  room.moves.slice(from).forEach((cell, index) => {
    told.push(`${MARKS[(from + index) % 2]} on ${place(cell, room.variant.columns)}.`);
  });
  if (!isNew && before.status === 'over') {
    const wish = wishes(room, mySeats(room, me));
    return wish && wish !== wishes(before, mySeats(before, me)) ? [...told, wish] : told;
  }
  const was = headline(before, me);
  if (isMyTurn(room, me) && !(isMyTurn(before, me) && was.title === title)) told.push(`${title}.`);
  else if (room.status !== 'playing' && (was.title !== title || was.detail !== detail)) told.push(`${title}. ${detail}`);
  return told;
}
