// The sentences of the page, by code: plain values in, text out. Those of rare views are in en-rare.js. Another language
// is two other files like these.

import { boardOf, fadingAt } from '../position.js';
import {
  MARKS,
  accuracyOf,
  asPlayed,
  isCut,
  isFlat,
  isMyTurn,
  leaverOf,
  myCovered,
  mySeats,
  other,
  reviewOf,
  seatsOf,
  shown,
  turningPoint,
  whoLeft,
} from '../selectors.js';

const plurals = new Intl.PluralRules('en');

/** @param {number} count @param {string} one @param {string} many */
export const counted = (count, one, many) => `${count} ${plurals.select(count) === 'one' ? one : many}`;

/** good_game → Good game */
export const spoken = (code = '') => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

// ------------------------------------------------------------------------------------------------ games, levels, cells

/** @type {Record<string, { name: string, rule: string }>} */
export const GAMES = {
  '3x3': {
    name: 'Classic Three',
    rule: 'First to three in a row.',
  },
  reverse: {
    name: 'Three Loses',
    rule: 'Whoever makes three in a row loses.',
  },
  vanishing: {
    name: 'Vanishing Three',
    rule: 'Three marks each. A fourth rubs out your oldest.',
  },
  '5x5': {
    name: 'Four on Five',
    rule: 'Four in a row on a five-by-five sheet.',
  },
  drop: {
    name: 'Drop Four',
    rule: 'Marks fall down. Four in a row wins.',
  },
  ultimate: {
    name: 'Ultimate Nine',
    rule: 'Nine boards in one. Your square picks their board.',
  },
};

export const gameName = (variant = '') => GAMES[variant]?.name ?? spoken(variant);
/** On a small card. */
export const shortName = (variant = '') => ({ '3x3': 'Classic', vanishing: 'Vanishing' })[variant] ?? gameName(variant);
export const gameRule = (variant = '') => GAMES[variant]?.rule ?? '';

/** @type {Record<string, { name: string, about: string }>} */
export const LEVELS = {
  gentle: { name: 'Gentle', about: 'Lets you win while you learn.' },
  easy: { name: 'Easy', about: 'Plays like a tired child.' },
  medium: { name: 'Medium', about: 'Blocks, but plans badly.' },
  hard: { name: 'Hard', about: 'Slips about once a game.' },
  perfect: { name: 'Perfect', about: 'Has never lost. A draw is a triumph.' },
  best: { name: 'Best', about: 'As good as it gets here.' },
};

export const levelName = (level = '') => LEVELS[level]?.name ?? spoken(level);
export const levelAbout = (level = '') => LEVELS[level]?.about ?? '';

/** Where a cell is. Nested boards count the rows and columns of each small board. @param {number} cell @param {Pick<Variant, 'columns' | 'nested'>} variant */
export function place(cell, { columns, nested }) {
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return nested
    ? `row ${(row % 3) + 1}, column ${(column % 3) + 1} of board ${boardOf(cell) + 1}`
    : `row ${row + 1}, column ${column + 1}`;
}

const SPOTS = ['top left', 'top', 'top right', 'left', 'middle', 'right', 'bottom left', 'bottom', 'bottom right'];

/** A cell in a sentence: "the corner", "column 4". @param {number} cell @param {Variant} variant */
export function spot(cell, variant) {
  if (variant.falls) return `column ${(cell % variant.columns) + 1}`;
  if (variant.rows * variant.columns === 9)
    return cell === 4 ? 'the centre' : cell % 2 ? `the ${SPOTS[cell]} edge` : `the ${SPOTS[cell]} corner`;
  const [row, column] = [Math.floor(cell / 9) % 3, cell % 3];
  return variant.nested
    ? `row ${row + 1}, column ${column + 1} of the ${SPOTS[boardOf(cell)]} board`
    : place(cell, variant);
}

/** What a screen reader says about a cell. @param {number} cell @param {Variant} variant @param {Pick<SceneCell, 'mark' | 'isPending' | 'isAimed' | 'isFading' | 'isPlayable' | 'value'>} facts */
export function cellLabel(cell, variant, { mark, isPending, isAimed, isFading, isPlayable, value }) {
  const content = isAimed
    ? `${mark} as soon as it is your turn`
    : isPending
      ? `${mark}, being sent`
      : (mark ?? 'empty');
  const notes = [
    isFading && !isAimed && 'vanishes next',
    isPlayable && !isPending && 'playable',
    value && valueSpoken(value),
  ];
  return [spoken(place(cell, variant)), content, ...notes].filter(Boolean).join(', ');
}

/** @param {number} board @param {Owner} owner @param {boolean} isPlayable */
export function boardName(board, owner, isPlayable) {
  const fate = owner === 'draw' ? 'drawn' : owner && `won by ${owner}`;
  return [`Board ${board + 1}`, fate, isPlayable && 'playable'].filter(Boolean).join(', ');
}

const VALUES = { win: 'Wins', draw: 'Draw', loss: 'Loses' };

/** A value in a cell, as a word and a line below it. What is not proven never reads like a result. @param {CellValue} value @returns {[string, string]} */
export function valueWords(value) {
  if ('estimate' in value) return [`${value.estimate < 0 ? '−' : '+'}${Math.abs(value.estimate)}`, ''];
  if (value.value === 'draw' || value.in === null) return [VALUES[value.value], ''];
  if (value.in === 1) return [VALUES[value.value], 'at once'];
  const moves = Math.ceil(value.in / 2);
  return [VALUES[value.value], value.value === 'loss' && moves === 1 ? 'next move' : `in ${moves} moves`];
}

/** @param {CellValue} value */
const valueSpoken = (value) =>
  'estimate' in value
    ? `estimated at ${value.estimate} of 100`
    : valueWords(value).filter(Boolean).join(' ').toLowerCase();

/** @param {Analysis | null} analysis @param {boolean} isPast */
export function lookNote(analysis, isPast) {
  if (!analysis?.turn) return '';
  const known = analysis.cells.flatMap((value) => (value ? [value.value] : []));
  if (isFlat(analysis) && !isPast) return `Every square is worth the same for ${analysis.turn}: ${OUTLOOK[known[0]]}.`;
  const how = known.includes('unknown') ? ' A number is an estimate: +100 looks won, −100 looks lost.' : '';
  return `What each square leads to for ${analysis.turn}, if both play their best.${how}`;
}

export const BUSY = 'The computer is busy. The answer comes in a moment …';

/** @type {Record<Value, string>} */
export const OUTLOOK = { win: 'a win', draw: 'a draw', loss: 'a loss', unknown: 'unclear' };

// ------------------------------------------------------------------------------------------------------------- people

/** For any other reason the page shows the server's own sentence. @type {Record<string, string>} */
export const REFUSALS = {
  no_such_game: 'This room has had no such game.',
  no_such_room: 'This game is gone.',
  cell_taken: 'That square is taken. Pick another one.',
  not_playable: 'You cannot play there now. Pick a square that is open to you.',
  no_such_cell: 'There is no such square.',
  no_such_level: 'This game has no such level.',
  no_such_variant: 'This server does not offer that game.',
  game_over: 'This game is over.',
  game_not_over: 'The game is still going on.',
  not_seated: 'Only the two players can do that.',
  not_your_turn: 'It is not your turn yet.',
  players_may_not: 'Not while you are playing.',
  draining: 'The server is restarting. Try again in a moment.',
  seat_taken: 'Somebody else is playing there already. You can still watch.',
  stale: 'The board has changed. Have another look.',
  too_early: 'Not yet. Give them a little longer.',
  too_fast: 'That was too fast. Wait a moment and try again.',
  waiting: 'You need a second player first.',
  no_such_phrase: 'Nobody says that here.',
  not_here: 'Open the game first, then say something.',
  malformed: 'Something went wrong. Load this page again.',
  hello_first: 'Something went wrong. Load this page again.',
  unsupported_protocol: 'This page is out of date. Load it again.',
};

/** By whose limit it is. @type {Record<string, string>} */
export const CROWDED = {
  player: 'You are starting games very fast. Yours starts in a moment …',
  address: 'A lot of people here are starting games. Yours starts in a moment …',
  server: 'Every place here is taken. Your game starts as soon as one is free …',
};

/** @type {Record<string, string>} */
export const NOTICES = {
  sent_later: 'This will be sent as soon as you are connected.',
  say_again: 'Not sent. Say it again once you are connected.',
  copied: 'Link copied.',
  not_copied: 'This browser does not allow copying. The link is selected: copy it yourself.',
  opened: 'Somebody opened your link.',
  sat_down: '* is here.',
  your_turn: '* is here. Your turn.',
  has_left: '* has left.',
  left: 'You left the game.',
  asks_again: '* wants another game.',
};

/** @param {Told} told */
export function notice({ code, name = '', reason = '', text = 'That did not work.' }) {
  if (code === 'refused') return REFUSALS[reason] ?? text;
  return (NOTICES[code] ?? text).replace('*', () => name);
}

/** @type {Record<string, string>} */
export const PHRASES = {
  hello: 'Hello!',
  good_luck: 'Good luck!',
  nice_move: 'Nice move!',
  oops: 'Oops.',
  wow: 'Wow!',
  thanks: 'Thank you.',
  good_game: 'Good game!',
  bye: 'Bye!',
};

export const phrase = (code = '') => PHRASES[code] ?? spoken(code);
export const said = (name = '', code = '') => `${name}: ${phrase(code)}`;

/** A strip, as a screen reader names it. @param {string} name @param {Mark} mark */
export const stripLabel = (name, mark, isBot = false) => `${name || mark}, ${isBot ? 'bot, ' : ''}${mark}`;

/** @param {Seat | ListedSeat} seat */
export function seatName(seat) {
  if (seat.kind === 'human') return seat.name;
  return seat.kind === 'open' ? 'Nobody yet' : `${levelName(seat.level)} computer`;
}

/**
 * The name over a strip. An open seat is mine to take, or my friend's.
 * @param {Snapshot} room
 * @param {Mark} mark
 * @param {boolean} isSeated whether I have a seat here
 * @param {Seat} [last] who has played there
 */
export function stripName(room, mark, isSeated, last) {
  const seat = room.seats[mark];
  if (seat.kind !== 'open') return seatName(seat);
  if (room.status === 'over' || room.moves.length || last?.kind === 'human') return last ? seatName(last) : mark;
  return isSeated ? 'Waiting for your friend …' : seatsOf(room, 'open').length === 1 ? 'You' : 'Free';
}

/** @param {Snapshot} room @param {Mark} mark */
function whoIs({ seats }, mark) {
  const seat = seats[mark];
  if (seat.kind === 'human') return seat.name;
  return seat.kind === 'open' ? mark : 'The computer';
}

/** At one screen, people go by their marks unless they have two names. @param {Snapshot} room @param {Mark[]} mine @param {Mark} mark */
function sideOf(room, mine, mark) {
  const { X, O } = room.seats;
  const isOneName = X.kind === 'human' && O.kind === 'human' && X.name === O.name;
  return mine.length === 2 && isOneName ? mark : whoIs(room, mark);
}

export const WORDS = {
  opponents: { friend: 'Get the link', computer: 'Play *', here: 'Start' },
  yes: { resign: 'Resign', leave: 'Leave', dismiss: 'Send it away', leave_to_ai: 'Leave it' },
  no: 'Go on',
};

/** @type {Record<string, [item: string, question: string]>} */
const SURE = {
  resign: ['Resign …', 'Resign this game?'],
  leave: ['Leave the game …', 'Leave this game? Somebody else may take your place.'],
  leave_one: ['Stop playing * …', 'Stop playing *? Somebody else may take that place.'],
  leave_to_ai: ['Leave it to the computer …', 'Leave your place to the computer for good?'],
  dismiss: ['Send the computer away …', 'Send the computer away? Somebody else may take its place.'],
};

export const menuItem = (what = '', name = '') => SURE[what][0].replace('*', () => name);
export const question = (what = '', name = '') => SURE[what][1].replace('*', () => name);
export const yes = (what = '') =>
  /** @type {Record<string, string>} */ (WORDS.yes)[what.replace('leave_one', 'leave')] ?? 'Yes';

// ------------------------------------------------------------------------------------------------------------- clocks

export function duration(ms = 0) {
  const tenths = Math.ceil(ms / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A budget in seconds, as it is chosen. */
export const clockName = (seconds = 0) => (!seconds ? 'None' : seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);

/** @param {Clock | null} clock */
export const clockRule = (clock) => (clock ? `${clockName(clock.budget / 1000)} each on the clock.` : '');

// --------------------------------------------------------------------------------------------------------------- room

/** @param {Snapshot} room @param {number} ply @param {boolean} isBack @param {number} [seats] how many are mine */
export function roomTitle(room, ply, isBack, seats = 1) {
  const { length } = room.moves;
  if (isBack) return `Game ${room.game} · ${ply < length ? `move ${ply + 1} of ${length}` : `the end`}`;
  const role = seats === 2 ? 'this screen' : seats === 0 && room.status === 'playing' && 'watching';
  return [gameName(room.variant.name), room.clock && clockName(room.clock.budget / 1000), role]
    .filter(Boolean)
    .join(' · ');
}

/** Where boards are nested: which of them may be played. @param {Snapshot} room */
function target({ variant, playable = [] }) {
  if (!variant.nested) return '';
  const [board, second] = new Set(playable.map(boardOf));
  return second === undefined ? `${SPOTS[board]} board` : 'any open board';
}

/** What a player has to keep in mind in their turn. @param {Snapshot} room @param {Mark} mark */
function reminder(room, mark) {
  if (room.variant.nested) return `, ${target(room)}`;
  if (room.variant.avoid) return ' · avoid three';
  return room.fading !== null && room.fading !== undefined ? ` · the faint ${mark} goes next` : '';
}

/** How often I have beaten a level. @param {State} state @param {Snapshot} room @param {string} level @param {number} seats of mine */
function record({ progress }, { variant }, level, seats) {
  const { won } = progress.games[variant.name]?.[level] ?? { won: 0 };
  if (!seats) return '';
  return won ? `beaten ${won === 1 ? 'once' : `${won} times`}` : 'not beaten yet';
}

/** How many of a side's moves were best, once that is known. @param {State} state @param {Snapshot} room @param {Mark} mark */
function accuracy(state, room, mark) {
  const { best, of, isAll } = accuracyOf(state, room, mark);
  if (of && !isAll) return `best in ${best} of ${of} judged`;
  return of ? `${best} of ${counted(of, 'best move', 'best moves')}` : '';
}

/**
 * The line under a name.
 * @param {State} state
 * @param {RoomView} view
 * @param {Mark} mark
 */
export function stripLine(state, view, mark) {
  const room = state.look.back?.snapshot ?? view.snapshot;
  const seat = room.seats[mark];
  const mine = mySeats(view.snapshot, state.me);
  const { turn, status, outcome, moves } = room;
  if (state.look.back) return accuracy(state, room, mark);
  if (seat.kind === 'open' && (moves.length || status === 'over' || leaverOf(view, mark))) return 'has left';
  if (status === 'over')
    return outcome?.winner === mark
      ? 'Winner'
      : seat.kind === 'ai' && mine.length === 1 && !outcome?.winner
        ? 'held you'
        : accuracy(state, room, mark);
  if (seat.kind === 'open') {
    if (mine.length) return view.watchers ? 'has opened your link' : 'link not opened yet';
    const host = room.seats[other(mark)];
    return host.kind === 'open' ? 'free' : mark === 'X' ? 'You start' : `${seatName(host)} starts`;
  }
  if (isCut(state) && mine.length)
    return mine.includes(mark)
      ? state.pending
        ? 'Move kept, not sent yet'
        : 'No connection'
      : 'unknown (no connection)';
  const isMine = mine.includes(mark);
  if (turn === mark) {
    if (mine.length === 2) return `${seat.kind === 'human' ? seat.name : mark}, your turn${reminder(room, mark)}`;
    if (isMine) return `Your turn${reminder(room, mark)}`;
    return seat.kind === 'ai' || mine.length ? 'thinking …' : 'to move';
  }
  if (isMine && mine.length === 1 && state.premove) return 'Your next move is pencilled in';
  if (seat.kind === 'ai') return seat.covers ? `for ${seat.covers.name}` : record(state, room, seat.level, mine.length);
  if (status === 'waiting') {
    if (!isMine) return mine.length || state.declined.includes(room.room) ? '' : 'waiting for you';
    return moves.length ? '' : mark === 'X' ? 'You start' : 'You go second';
  }
  if (isMine || mine.length === 0) return moves.length ? (turn ? 'just moved' : '') : '';
  return view.online === null || view.online.includes(mark) ? 'online' : 'away';
}

/** @param {Snapshot} room @param {Mark} mark */
const winnerName = ({ seats }, mark) => (seats[mark].kind === 'open' ? mark : seatName(seats[mark]));

/** @param {Snapshot} room @param {Mark[]} mine */
export function resultWord(room, mine) {
  const { winner, by } = room.outcome ?? {};
  if (!winner) return 'A draw';
  const isMe = mine.length === 1 && mine[0] === winner;
  const who = isMe ? 'You' : mine.length === 2 ? sideOf(room, mine, winner) : winnerName(room, winner);
  return by === 'time' ? `${who} won on time` : `${who} won`;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
export const inWords = (count = 0) => NUMBERS[count] ?? String(count);

/** How the game ended, where the board does not tell. @param {Snapshot} room @param {Mark[]} mine */
export function ending(room, mine) {
  const { outcome, variant } = room;
  const { winner, by } = outcome ?? {};
  if (by === 'limit') return `${variant.limit} moves, and nobody has won.`;
  if (!winner) return variant.nested ? 'Every board is decided.' : 'The board is full.';
  const loser = other(winner);
  const isMe = mine.join() === loser;
  const who = isMe ? 'You' : whoIs(room, loser);
  if (by === 'resignation') return `${who} resigned.`;
  if (by === 'time') return `${who} ran out of time.`;
  if (by === 'absence') return `${who} ${isMe ? 'were' : 'was'} away too long.`;
  const line = `${spoken(inWords(variant.line))} ${variant.nested ? 'boards ' : ''}in a row`;
  return variant.avoid ? `${line} for ${loser}, and that loses here.` : `${line} for ${winner}.`;
}

/** What exact play says about a finished game, in one sentence or two. @param {State} state @param {Snapshot} room @param {Mark[]} mine */
export function verdict(state, room, mine) {
  const how = room.outcome?.by === 'line' ? '' : ending(room, mine);
  const lines = reviewOf(state, room);
  if (!lines.length) return how || ending(room, mine);
  const own = mine.length === 1 ? mine[0] : null;
  const point = turningPoint(state, room);
  const said = [how];
  if (own && room.outcome?.winner !== other(own)) {
    const { best, of, isAll } = accuracyOf(state, room, own);
    if (of && !isAll) said.push(`Best in ${best} of ${of} moves that can be judged.`);
    else if (of)
      said.push(
        best === of
          ? `${spoken(inWords(of))} best ${of === 1 ? 'move' : 'moves'} of ${inWords(of)}.`
          : `${best} of ${of} moves were best.`,
      );
  }
  if (point) said.push(mistake(room, point, own));
  else if (!said.some(Boolean)) said.push(room.outcome?.winner ? ending(room, mine) : 'Nobody put a foot wrong.');
  return said.filter(Boolean).slice(0, 2).join(' ');
}

/** @param {Snapshot} room @param {Reviewed} point @param {Mark | null} own */
function mistake({ variant }, { ply, mark, best, cells }, own) {
  const only = cells.length === 1 ? spot(cells[0], variant) : cornerOrEdge(cells, variant);
  const many = `${inWords(cells.length)} ${variant.falls ? 'columns' : 'squares'} ${best === 'win' ? 'won' : 'held'}`;
  if (mark === own) {
    const what = only ? `${only} ${best === 'win' ? 'wins' : 'holds'}` : many;
    return `You had ${best === 'win' ? 'the win' : 'the draw'} at move ${ply + 1}: ${what}.`;
  }
  const what = only ? `only ${only} ${best === 'win' ? 'won' : 'held'}` : many;
  return `${mark} went wrong at move ${ply + 1}: ${what}.`;
}

/** What squares of a 3×3 board have in common, if they do. @param {number[]} cells @param {Variant} variant */
function cornerOrEdge(cells, { rows, columns }) {
  if (rows * columns !== 9 || cells.includes(4)) return '';
  const edges = cells.filter((cell) => cell % 2).length;
  return edges === 0 ? 'a corner' : edges === cells.length ? 'an edge' : '';
}

/** @type {Record<Grade, [sign: string, word: string]>} */
export const GRADES = { best: ['★', 'best'], fine: ['·', 'fine'], slip: ['?!', 'a slip'], blunder: ['??', 'lost it'] };

/** @param {Snapshot} room @param {number} ply @param {Grade | undefined} grade */
export function moveLabel({ moves, variant }, ply, grade) {
  const where = `Move ${ply + 1}: ${MARKS[ply % 2]} on ${place(moves[ply], variant)}`;
  return grade ? `${where}, ${GRADES[grade][1]}` : where;
}

/** @param {Snapshot} room */
export const drawsLine = ({ score }) => (score.draws ? counted(score.draws, 'draw', 'draws') : '');

export const wonLabel = (count = 0) => `${count} won`;
export const watching = (count = 0) => (count ? `${count} watching` : '');

/** @param {number} others who watch, without me @param {boolean} isMe whether I watch */
export function crowd(others, isMe) {
  if (!isMe) return others ? `${counted(others, 'person is', 'people are')} watching` : '';
  return others ? `You and ${counted(others, 'other', 'others')} are watching` : 'You are watching';
}

/** @param {ReturnType<typeof import('../selectors.js').absence>} away */
export function awayLine(away) {
  if (!away) return '';
  if (away.mayCover) return 'Away';
  return `Away. You can go on without ${away.name} in ${Math.ceil(away.left / 1000)} s`;
}

export const TOOLS = {
  hint: 'Hint',
  show_values: 'Show values',
  hide_values: 'Hide values',
  say: 'Say',
  rules: 'Rules',
  rub_out: 'Rub it out',
  look_back: 'Look back',
  again: 'Again',
  swap: 'Again as *',
  share: 'Share',
  review: 'Review',
  level: 'Other level',
  rival: 'Somebody else',
  invite_again: 'Invite again',
  just_watch: 'Just watch',
  sit: 'Play as *',
  computer: 'Computer for *',
  copy: 'Copy the link',
  big_screen: 'Show on a big screen',
  change: 'Change opponent …',
  copied: 'Copied',
  copy_word: 'Copy',
  join: 'Join',
};

export const stepUp = (level = '') => `Step up to ${levelName(level)}`;
/** The primary button of a finished game, and whether it waits for the other. @param {Snapshot} room @param {Mark[]} mine @returns {{ label: string, isAsked: boolean, note: string }} */
export function againWords(room, mine) {
  const [asked, both] = room.rematch;
  const isAsked = mine.length > 0 && mine.every((mark) => room.rematch.includes(mark));
  if (isAsked && !both) return { label: `Asked ${whoIs(room, other(asked))}, waiting …`, isAsked: true, note: '' };
  const wish = asked && !both && !mine.includes(asked) ? `${whoIs(room, asked)} wants another game.` : '';
  return { label: wish ? `${whoIs(room, asked)} wants another: Again` : 'Again', isAsked: false, note: wish };
}

/** @param {Snapshot} room */
export const resultFacts = ({ game, moves }) => `Game ${game} · ${counted(moves.length, 'move', 'moves')}`;

/** @param {Snapshot} room */
export function inviteWords(room) {
  const open = seatsOf(room, 'open');
  const host = MARKS.find((mark) => room.seats[mark].kind === 'human');
  const rule = [gameRule(room.variant.name), clockRule(room.clock)].filter(Boolean).join(' ');
  if (open.length === 2) return { title: 'This game needs two players', rule };
  const name = host && room.seats[host].kind === 'human' ? seatName(room.seats[host]) : 'The computer';
  return { title: room.moves.length ? `${name} needs a player` : `${name} invites you`, rule };
}

/** @type {Record<Link, string>} */
export const LINES = {
  online: 'Back online.',
  lost: 'No connection, retrying',
  connecting: 'Connecting …',
  refused: 'The server closed the connection.',
  full: 'This place is full just now. Trying again …',
  barred: 'This server does not let you in.',
};
export const lineMore = (isKept = false) =>
  isKept ? 'Your move is kept and goes out the moment you are back.' : 'The game is kept. Nothing is lost.';

// ----------------------------------------------------------------------------------------------- headline, title, live

/**
 * The heading of a room, for a screen reader and for the window's title.
 * @param {Snapshot} room
 * @param {Player | null} me
 * @param {string} [gone] who has left
 */
export function headline(room, me, ply = room.moves.length, isCut = false, gone) {
  const mine = mySeats(room, me);
  if (room.status === 'waiting') return waiting(room, mine, gone);
  if (room.status === 'over') return over(room, mine, ply);
  if (isCut) return { title: 'No connection', detail: 'The game is kept.' };
  const [covered] = myCovered(room, me);
  const turn = room.turn ?? 'X';
  const goal = room.variant.nested
    ? `Play on ${target(room).includes('any') ? 'any open board' : `the ${target(room)}`}.`
    : '';
  if (mine.length === 2)
    return {
      title: `${sideOf(room, mine, turn)} to move`,
      detail: `You play both sides on this screen. ${goal}`.trim(),
    };
  if (mine.includes(turn)) return { title: 'Your turn', detail: `You are ${turn}. ${goal}`.trim() };
  const who = whoIs(room, turn);
  if (room.seats[turn].kind === 'ai') return { title: `${who} is thinking`, detail: role(mine, covered) };
  return { title: mine.length ? `Waiting for ${who}…` : `${who} to move`, detail: role(mine, covered) };
}

/** @param {Mark[]} mine @param {Mark | undefined} covered */
function role([mine], covered) {
  if (mine) return `You are ${mine}.`;
  return covered ? `The computer is playing ${covered} for you.` : 'You are watching.';
}

/** @param {Snapshot} room @param {Mark[]} mine @param {string} [gone] */
function waiting(room, mine, gone) {
  const [open, second] = seatsOf(room, 'open');
  const isStarted = room.moves.length > 0;
  if (mine.length && gone) return { title: `${gone} has left`, detail: 'The game is kept.' };
  if (mine.length && isStarted)
    return { title: 'Waiting for a player', detail: `Nobody plays ${open} now. The game goes on when somebody joins.` };
  if (mine.length)
    return { title: 'Waiting for your friend', detail: 'Send the link, add the computer, or play two on this screen.' };
  const title = second ? 'This game needs two players' : 'This game needs a player';
  return { title, detail: `Play ${isStarted ? 'on ' : ''}as ${second ? 'X or O' : open}, or just watch.` };
}

/** @param {Snapshot} room @param {Mark[]} mine @param {number} ply */
function over(room, mine, ply) {
  const { length } = room.moves;
  const how = ply < length ? `Move ${ply + 1} of ${length}.` : ending(room, mine);
  const wish = againWords(room, mine);
  return { title: resultWord(room, mine), detail: `${how} ${wish.isAsked ? wish.label : wish.note}`.trim() };
}

/** @param {State} state */
export function windowTitle(state) {
  const view = shown(state);
  const room = view && asPlayed(view);
  const title = state.missing
    ? 'Nothing here'
    : room && headline(room, state.me, room.moves.length, isCut(state), whoLeft(view)).title;
  return title ? `${title} · Noughts` : 'Noughts';
}

/** @param {Listed} room */
export function listedStatus(room) {
  const [, second] = seatsOf(room, 'open');
  if (room.status === 'waiting') return second ? 'needs two players' : 'needs a player';
  if (room.status === 'playing') return shortName(room.variant);
  if (!room.winner) return 'A draw';
  const seat = room.seats[room.winner];
  return `${seat.kind === 'open' ? room.winner : seatName(seat)} won`;
}

/** @param {Listed} room @param {Mark} mark */
export const listedName = (room, mark) =>
  room.seats[mark].kind === 'open' ? 'needs a player' : seatName(room.seats[mark]);

export const EMPTY = { none: 'No games right now.', filtered: 'No games like that right now.' };

/** @param {number} games @param {number} people */
export const liveCount = (games, people) =>
  games
    ? [counted(games, 'game', 'games'), people && counted(people, 'person', 'people')].filter(Boolean).join(' · ')
    : '';
/** @param {number} games @param {number} people */
export function watchNote(games, people) {
  if (!games) return 'Let two computers play for you';
  const here = people ? `, ${counted(people, 'person', 'people')} here` : '';
  return `${counted(games, 'game', 'games')} on${here}`;
}

// --------------------------------------------------------------------------------------------------------------- home

/** @param {Variant} variant */
export const lede = ({ falls }) => `Tap a ${falls ? 'column' : 'square'} and you are playing.`;

/** @param {Snapshot} room @param {Player | null} me @param {number} more how many other games are open @returns {[string, string]} */
export function resumeWords(room, me, more) {
  const mine = mySeats(room, me);
  const rest = more ? ` · ${more} more` : '';
  if (room.status === 'waiting') return ['Waiting', `for a friend · ${gameName(room.variant.name)}${rest}`];
  if (mine.length === 2) return ['Two on this screen', `· ${gameName(room.variant.name)}${rest}`];
  const [covered] = myCovered(room, me);
  const seat = room.seats[other(mine[0] ?? covered ?? 'X')];
  const rival = seat.kind === 'ai' ? levelName(seat.level) : seatName(seat);
  return [isMyTurn(room, me) ? 'Your turn' : 'Going on', `against ${rival}${rest}`];
}

const RESULTS = { won: 'beat', drawn: 'drew with', lost: 'lost to' };

/** Before a link to it. @param {NonNullable<Progress['last']>} last */
export const lastGame = ({ result, level }) => `Last game: ${RESULTS[result]} ${levelName(level)} · `;
export const levelsNote = (count = 5, last = '') =>
  `${spoken(inWords(count))} levels. ${last === 'perfect' ? 'The last has never lost.' : 'The last is as good as it gets.'}`;

/** @param {Tally} results */
export const beaten = ({ won }) => (won === 0 ? 'behind you' : won === 1 ? 'beaten' : `beaten ${won} times`);
export const NEXT_STEP = 'your next step';

/** @param {string} variant @param {string | null} next @returns {[string, string]} */
export function climbWords(variant, next) {
  const game = gameName(variant);
  return next
    ? [`${game}. Next: ${levelName(next)}`, levelAbout(next)]
    : [`${game}. All the way up`, `You have climbed every level of ${game}.`];
}
export const streakTitle = (streak = 0) => (streak > 1 ? 'Your climb · won in a row' : 'Your climb');

/** @param {string[]} done @param {string | null} next */
export const stairsLabel = (done, next) =>
  `${done.length ? `${done.map(levelName).join(', ')} climbed` : 'Nothing climbed yet'}${next ? `, ${levelName(next)} is next` : ''}`;

export const SIDES = { X: 'X', O: 'O', random: 'Random' };
export const SIGHTS = { private: ['Private', 'Only with the link'], public: ['Public', 'Anyone can watch'] };
export const THEMES = { auto: 'Auto', light: 'Light', dark: 'Dark', contrast: 'Contrast' };
export const soundState = (isOn = true) => (isOn ? 'on' : 'off');

export const OPENING = 'Opening the game …';

// ------------------------------------------------------------------------------------------------------ announcements

/** @param {Seat} was @param {Seat} seat @param {Mark} mark */
function arrival(was, seat, mark) {
  if (seat.kind === 'human') return `${seat.name} plays ${mark}.`;
  if (seat.kind === 'open') return `${was.kind === 'human' ? was.name : 'The computer'} has left.`;
  return `The computer plays ${mark}${seat.covers ? ` for ${seat.covers.name}` : ''}.`;
}

const sentences = (title = '', detail = '') => `${title}${title.endsWith('…') ? '' : '.'} ${detail}`.trim();

/** What changed, as a screen reader says it. @param {Snapshot | undefined} before @param {Snapshot} room @param {Player | null} me @returns {string[]} */
export function changes(before, room, me) {
  const { title, detail } = headline(room, me);
  if (!before || before.room !== room.room) return [sentences(title, detail)];
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
    if (owner && (isNew || !before.boards?.[board])) told.push(`${boardName(board, owner, false)}.`);
  });
  if (!isNew && before.status === 'over') {
    const wish = againWords(room, mySeats(room, me));
    const was = againWords(before, mySeats(before, me));
    return wish.note && wish.note !== was.note ? [...told, wish.note] : told;
  }
  const was = headline(before, me);
  if (isMyTurn(room, me) && !(isMyTurn(before, me) && was.title === title))
    told.push(sentences(title, detail.replace(/^You are [XO]\. ?/, '')));
  else if (room.status !== 'playing' && (was.title !== title || was.detail !== detail))
    told.push(sentences(title, detail));
  return told;
}
