/**
 * The room in sentences: the headline above the board, the window's title, and what changed between two snapshots.
 *
 * Pure, built on words.js; draws nothing.
 *
 * @import { Mark, Player, Seat, Snapshot, State } from './types.js'
 */

import { MARKS, isInherited, isMyTurn, myCovered, mySeats, other, roomIn } from './viewpoint.js';
import { ending, place, plyLabel, result, seatName, seatWho } from './words.js';

/** @type {{ X: Seat, O: Seat }} */
const NOBODY = { X: { kind: 'open' }, O: { kind: 'open' } };

/** @param {Snapshot} room @param {Player | null} me @param {number} [ply] the one looked at @returns {{ title: string, detail: string }} */
export function headline(room, me, ply = room.moves.length) {
  const mine = mySeats(room, me);
  if (room.status === 'waiting') return waiting(room, mine);
  if (room.status === 'over') return over(room, mine, ply);
  const covered = myCovered(room, me);
  const turn = room.turn ?? 'X';
  if (mine.length === 2) return { title: `${turn} to move`, detail: 'You play both sides on this screen.' };
  if (mine.includes(turn)) return { title: 'Your turn', detail: `You are ${turn}.` };
  const title = room.seats[turn].kind === 'ai' ? 'The AI is thinking' : `${seatWho(room, turn)} to move`;
  if (mine.length) return { title, detail: `You are ${mine[0]}.` };
  if (covered.length) return { title, detail: `The AI is playing ${covered[0]} for you.` };
  return { title, detail: 'You are watching.' };
}

/** @param {Snapshot} room @param {Mark[]} mine */
function waiting(room, mine) {
  const open = MARKS.filter((mark) => room.seats[mark].kind === 'open');
  const started = room.moves.length > 0;
  if (mine.length) {
    return {
      title: started ? 'The game waits' : 'Waiting for a friend',
      detail: started ? `Seat ${open[0]} is open; the game goes on when somebody takes it.` : 'Send the link, seat the AI, or play both sides here.',
    };
  }
  const title = open.length === 2 ? 'Both seats are free' : `Seat ${open[0]} is free`;
  return { title, detail: started ? 'Sit down and play on, or stay and watch.' : 'Sit down to play, or stay and watch.' };
}

/** Who sits here now need not have played; then only marks are named. @param {Snapshot} room @param {Mark[]} mine @param {number} ply */
function over(room, mine, ply) {
  const [played, sides] = isInherited(room) ? [{ ...room, seats: NOBODY }, []] : [room, mine];
  const { outcome, moves } = room;
  const how = ply < moves.length ? `${plyLabel(ply, moves.length)}.` : outcome ? ending(played, outcome, sides) : '';
  return { title: result(played, sides), detail: [how, wishes(room, mine)].filter(Boolean).join(' ') };
}

/** Who waits for whom. @param {Snapshot} room @param {Mark[]} mine */
function wishes(room, mine) {
  const asked = room.rematch[0];
  if (!asked || room.rematch.length === 2) return '';
  const rest = other(asked);
  if (room.seats[rest].kind === 'open') return `A rematch starts when somebody takes ${rest}.`;
  if (mine.includes(asked)) return `Waiting for ${seatWho(room, rest)} to agree to a rematch.`;
  return mine.includes(rest) ? `${seatWho(room, asked)} would like a rematch.` : `${seatWho(room, asked)} waits for a rematch.`;
}

/** @param {State} state */
export function windowTitle(state) {
  const room = roomIn(state);
  if (state.missing) return 'No such room · Noughts';
  if (!room) return 'Noughts';
  return `${headline(room, state.me).title} · Noughts`;
}

/**
 * What changed, one sentence each, said once to those who listen instead of looking.
 * @param {Snapshot | undefined} before @param {Snapshot} room @param {Player | null} me @returns {string[]}
 */
export function changes(before, room, me) {
  const { title, detail } = headline(room, me);
  if (!before || before.room !== room.room) return [`${title}. ${detail}`];
  const told = [];
  const isNew = before.game !== room.game;
  if (isNew) told.push(`Game ${room.game} begins.`);
  for (const mark of MARKS) {
    const [was, is] = [seatName(before.seats[mark]), seatName(room.seats[mark])];
    if (was !== is) told.push(`${mark}: ${is}.`);
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
