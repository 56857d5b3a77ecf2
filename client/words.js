// Every sentence that depends on the state: plain values in, text out. Another language would
// replace this file and names.js.

import { place, smallBoardLabel, spoken } from './names.js';
import { boardOf, fadingAt } from './position.js';
import { MARKS, isMyTurn, myCovered, mySeats, other, roomIn, seatsOf } from './viewpoint.js';

/** For any other reason the page shows the server's own sentence. @type {Texts} */
const REFUSALS = {
  no_such_game: 'This room has had no such game.',
  cell_taken: 'That square is taken. Pick another one.',
  not_playable: 'You cannot play there now. Pick a square that is open to you.',
  game_over: 'This game is over.',
  not_seated: 'Only the two players can do that.',
  not_your_turn: 'It is not your turn yet.',
  retry: 'That could not be saved. Try again in a moment.',
  seat_taken: 'Somebody else is playing there already. You can still watch.',
  stale: 'The board has changed. Have another look.',
  too_early: 'Not yet. Give them a little longer.',
  too_fast: 'That was too fast. Wait a moment and try again.',
  too_many_rooms: 'You have too many games open. Finish one, or wait a minute.',
  waiting: 'You need a second player first.',
};

export const refusal = (reason = '', text = 'That did not work.') => REFUSALS[reason] ?? text;

/** @type {Texts} */
const PHRASES = {
  hello: 'Hello!', good_luck: 'Good luck!', nice_move: 'Nice move!', oops: 'Oops.', wow: 'Wow!', thanks: 'Thank you.',
  good_game: 'Good game!', bye: 'Bye!',
};

export const phrase = (code = '') => PHRASES[code] ?? spoken(code);

/** @param {Seat | WallSeat} seat */
export function seatName(seat) {
  if (seat.kind === 'open') return 'Free';
  return seat.kind === 'human' ? seat.name : spoken(seat.level);
}

/** An asterisk is replaced by the mark or the person. @type {OfferTexts} */
const OFFERS = {
  sit: 'Play as *',
  sit_too: 'Two on this screen',
  seat_ai: 'Add the computer',
  cover: 'Add the computer',
  take_back: 'Take over',
  leave: 'Leave the game',
  leave_one: 'Stop playing *',
  leave_to_ai: 'Leave it to the computer',
  dismiss: 'Send it away',
  resign: 'Resign',
  rematch: 'Rematch',
  again: 'Play another game',
  claim: 'Claim the win',
  meet: 'Play *',
  somebody_else: 'Find somebody else',
};

/** @type {OfferLabel} */
export const offerLabel = (what, name = '') => OFFERS[what].replace('*', () => name);

/** @type {OfferLabel} */
export const certainty = (what, name) => `Yes, ${offerLabel(what, name).replace(/^./, (first) => first.toLowerCase())}`;

export const SENT_LATER = 'No connection. This will be sent when you are back online.';

/** `count` is null if a new game has started. @param {number | null} count */
export function newMoves(count) {
  if (count === null) return 'Go to the new game';
  return count ? `${count} new ${count === 1 ? 'move' : 'moves'}` : 'Back to the game';
}

export function quickNote(name = '', asks = false, isBetween = false) {
  if (!name) return 'Looking for another player…';
  if (asks) return `${name} would like to play you${isBetween ? '' : ' after this game'}.`;
  return `${name} is looking for a game too.${isBetween ? '' : ' You can play after this one.'}`;
}

/** @type {Texts} */
const THEMES = { auto: 'same as your device', contrast: 'high contrast' };

export const themeName = (theme = 'auto') => `Theme: ${THEMES[theme] ?? theme}`;

export const plyLabel = (ply = 0, moves = 0) => (ply ? `Move ${ply} of ${moves}` : 'Start');

/** @type {Record<Link, string>} */
export const LINK_NOTES = {
  online: 'Back online.', lost: 'Reconnecting…', connecting: 'Connecting…', refused: 'The server closed the connection.',
};

/** @param {WallRoom} room */
export function wallStatus(room) {
  const [, second] = seatsOf(room, 'open');
  if (room.status === 'playing') return `${room.turn} to move`;
  if (room.status === 'waiting') return second ? 'Needs two players' : 'Needs a player';
  return room.winner ? `${room.winner} won` : room.winner === null ? 'A draw' : 'Finished';
}

export const watching = (count = 0) => (count ? `${count} watching` : '');

export function duration(ms = 0) {
  const tenths = Math.ceil(ms / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** For the other player: when they can go on alone. Both spans are in milliseconds. */
export function absence(name = '', away = 0, coverAfter = 0) {
  if (away < coverAfter) return `${name} is away. You can go on in ${Math.ceil((coverAfter - away) / 1000)} s.`;
  const seconds = Math.floor(away / 1000);
  const span = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return `${name} has been away for ${span}. Wait, or add the computer.`;
}

const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'];

/** @type {Told<string>} */
function ending(room, mine) {
  const { outcome, variant } = room;
  const { winner, by } = outcome ?? {};
  if (by === 'limit') return `${variant.limit} moves, and nobody has won.`;
  if (!winner) return variant.nested ? 'Every board is decided.' : 'The board is full.';
  const loser = other(winner);
  const isMe = mine.join() === loser;
  const who = isMe ? 'You' : seatWho(room, loser);
  if (by === 'resignation') return `${who} resigned.`;
  if (by === 'time') return `${who} ran out of time.`;
  if (by === 'absence') return `${who} ${isMe ? 'were' : 'was'} away too long.`;
  const line = `${NUMBERS[variant.line] ?? variant.line} ${variant.nested ? 'boards ' : ''}in a row`;
  return variant.avoid ? `${line} for ${loser}, and that loses here.` : `${line} for ${winner}.`;
}

/** @type {RoomReading<string>} */
function seatWho({ seats }, mark) {
  const seat = seats[mark];
  if (seat.kind === 'human') return seat.name;
  return seat.kind === 'open' ? mark : 'The computer';
}

/** At one screen, people go by their marks unless they have two names. @type {Side} */
function side(room, mine, mark) {
  const { X, O } = room.seats;
  const isOneName = X.kind === 'human' && O.kind === 'human' && X.name === O.name;
  return mine.length === 2 && isOneName ? mark : seatWho(room, mark);
}

/** @type {Told<string>} */
function result(room, mine) {
  const winner = room.outcome?.winner;
  if (!winner) return 'A draw';
  if (mine.length === 1) return mine[0] === winner ? 'You won' : 'You lost';
  return `${side(room, mine, winner)} won`;
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
  if (mine.length === 2) return { title: `${side(room, mine, turn)} to move`, detail: `You play both sides on this screen. ${goal(room)}`.trim() };
  if (mine.includes(turn)) return { title: 'Your turn', detail: `You are ${turn}. ${goal(room)}`.trim() };
  const who = seatWho(room, turn);
  if (room.seats[turn].kind === 'ai') return { title: `${who} is thinking`, detail: role(mine, covered) };
  return { title: mine.length ? `Waiting for ${who}…` : `${who} to move`, detail: role(mine, covered) };
}

/** Where boards are nested: which of them may be played. @param {Snapshot} room */
function goal({ variant, playable = [] }) {
  if (!variant.nested) return '';
  const [board, second] = new Set(playable.map(boardOf));
  return second === undefined ? `Play on board ${board + 1}.` : 'Play on any open board.';
}

/** @param {Mark[]} mine @param {Mark | undefined} covered */
function role([mine], covered) {
  if (mine) return `You are ${mine}.`;
  return covered ? `The computer is playing ${covered} for you.` : 'You are watching.';
}

/** @type {Told<Headline>} */
function waiting(room, mine) {
  const [open, second] = seatsOf(room, 'open');
  const isStarted = room.moves.length > 0;
  if (mine.length && isStarted) return { title: 'Waiting for a player', detail: `Nobody plays ${open} now. The game goes on when somebody joins.` };
  if (mine.length) return { title: 'Waiting for a friend', detail: 'Send the link, add the computer, or play two on this screen.' };
  const title = second ? 'This game needs two players' : 'This game needs a player';
  return { title, detail: `Play ${isStarted ? 'on ' : ''}as ${second ? 'X or O' : open}, or stay and watch.` };
}

/** @type {HeadlineOver} */
function over(room, mine, ply) {
  const { X, O, draws } = room.score;
  // Without a score, somebody new has joined since the game ended. The sentence then names marks,
  // not people.
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
  if (room.seats[rest].kind === 'open') return `The rematch starts when somebody plays ${rest}.`;
  if (mine.includes(asked)) return `Waiting for ${seatWho(room, rest)} to agree to a rematch.`;
  return `${seatWho(room, asked)} would like a rematch.`;
}

/** @param {State} state */
export function windowTitle(state) {
  const room = roomIn(state);
  const title = state.missing ? 'Nothing here' : room && headline(room, state.me).title;
  return title ? `${title} · Noughts` : 'Noughts';
}

/** @param {Seat} was @param {Seat} seat @param {Mark} mark */
function arrival(was, seat, mark) {
  if (seat.kind === 'human') return `${seat.name} plays ${mark}.`;
  if (seat.kind === 'open') return `${was.kind === 'human' ? was.name : 'The computer'} has left.`;
  return `The computer plays ${mark}${seat.covers ? ` for ${seat.covers.name}` : ''}.`;
}

/** What changed, as a screen reader says it. @type {Changes} */
export function changes(before, room, me) {
  const { title, detail } = headline(room, me);
  if (!before || before.room !== room.room) return [`${title}. ${detail}`];
  const isNew = before.game !== room.game;
  const told = isNew ? [`Game ${room.game} begins.`] : [];
  for (const mark of MARKS) {
    const [was, is] = [before.seats[mark], room.seats[mark]];
    if (seatName(was) !== seatName(is)) told.push(arrival(was, is, mark));
  }
  const from = isNew ? 0 : before.moves.length;
  room.moves.slice(from).forEach((cell, index) => {
    told.push(`${MARKS[(from + index) % 2]} on ${place(cell, room.variant)}.`);
    const gone = fadingAt(room, from + index);
    if (gone !== null) told.push(`${spoken(place(gone, room.variant))} is empty again.`);
  });
  room.boards?.forEach((owner, board) => {
    if (owner && (isNew || !before.boards?.[board])) told.push(`${smallBoardLabel(board, owner, false)}.`);
  });
  if (!isNew && before.status === 'over') {
    const wish = wishes(room, mySeats(room, me));
    return wish && wish !== wishes(before, mySeats(before, me)) ? [...told, wish] : told;
  }
  const was = headline(before, me);
  if (isMyTurn(room, me) && !(isMyTurn(before, me) && was.title === title)) told.push(`${title}. ${goal(room)}`.trim());
  else if (room.status !== 'playing' && (was.title !== title || was.detail !== detail)) told.push(`${title}. ${detail}`);
  return told;
}
