// Home: a board to tap, the six games, the ways in, one's own climb, and the public games that are alive.

import { mountBoard } from './board.js';
import { drawMark, drawMini, drawStairs, drawTally } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, show, stamp, write } from './dom.js';
import { lineOn, ownersOf } from './position.js';
import { pathOf } from './route.js';
import {
  MARKS,
  chosenGame,
  climbed,
  emptyScene,
  hasBot,
  isAttended,
  isBot,
  levelFor,
  myCovered,
  mySeats,
  offeredAs,
  rank,
  seatsOf,
} from './selectors.js';
import {
  EMPTY,
  GAMES,
  TOOLS,
  climbWords,
  gameName,
  gameRule,
  lastGame,
  lede,
  levelName,
  levelsNote,
  listedName,
  listedStatus,
  liveCount,
  resumeWords,
  shortName,
  stairsLabel,
  streakTitle,
  watchNote,
  watching,
  wonLabel,
} from './words/en.js';

const ORDER = { playing: 0, waiting: 1, over: 2 };
const FINISHED_STAYS = 20_000; // ms
const FEATURED_STAYS = 12_000; // ms after its game, in case of a rematch

/** @type {Mount} */
export function mountHome(root, send, get) {
  const drawLive = mountLive(root, send, get);
  const drawName = mountName(part(root, 'me'), send, get);
  const [sheet, picker, stairs, streak, note] = parts(root, 'hero', 'picker', 'stairs', 'streak', 'computer-note');
  /** The square of the game that is being opened. @type {number | null} */
  let tapped = null;
  const drawBoard = mountBoard(part(root, 'hero-board'), (cell) => {
    if (get().creating === null) tapped = cell;
    sheet.dataset.touched = '';
    send({ type: 'begin', cell });
  });

  on(root, 'change', '[name="game"]', (radio) =>
    send({ type: 'prefer', game: /** @type {HTMLInputElement} */ (radio).value }),
  );
  on(root, 'click', '[data-way]', ({ dataset: { way } }) => {
    if (way === 'computer') send({ type: 'new_game', way });
    if (way === 'level') send({ type: 'sheet', tab: 'computer' });
    if (way === 'exhibition' || (way === 'watch' && !liveRooms(get()).length))
      send({ type: 'new_game', way: 'exhibition' });
    else if (way === 'watch')
      document
        .getElementById('live')
        ?.scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  });

  return (state) => {
    drawName(state);
    if (state.room !== null || state.isTv) return;
    const game = chosenGame(state);
    const { name, levels } = game;
    const { progress, me } = state;
    const level = levelFor(state, game);
    const scene = emptyScene(game);
    if (state.creating === null) {
      tapped = null;
      delete sheet.dataset.touched;
    }
    drawBoard({ ...scene, invite: tapped ?? scene.invite });
    drawPicker(
      picker,
      me ? state.variants.map((variant) => variant.name) : Object.keys(GAMES),
      me ? name : state.prefs.game,
    );
    const live = liveRooms(state);
    write(root, {
      lede: lede(game),
      rule: gameRule(name),
      level: levelName(level),
      'watch-note': watchNote(live.length, people(live)),
    });
    const { last } = progress;
    redraw(note, last ? `${last.room}/${last.game}` : levels.join(), () =>
      last
        ? [document.createTextNode(lastGame(last)), reviewLink(last)]
        : [document.createTextNode(levelsNote(levels.length, levels[levels.length - 1]))],
    );
    drawResume(root, state, me);
    const behind = climbed(progress, name, levels);
    const next = behind < levels.length || state.prefs.level ? level : null;
    const [title, about] = climbWords(name, next);
    write(root, {
      'climb-title': streakTitle(progress.streak),
      'climb-next': title,
      'climb-note': about,
      version: state.version,
    });
    redraw(stairs, `${name} ${behind} ${next}`, () => [
      drawStairs(levels.map(levelName), behind, stairsLabel(levels.slice(0, behind), next)),
    ]);
    redraw(streak, String(progress.streak), () =>
      progress.streak > 1 ? [drawTally(progress.streak, wonLabel(progress.streak))] : [],
    );
    for (const button of root.querySelectorAll('[data-way]'))
      attr(button, { 'aria-busy': state.creating !== null && 'true' });
    drawLive(state);
  };
}

/** @param {NonNullable<Progress['last']>} last */
function reviewLink(last) {
  const link = make('a', { className: 'link', href: pathOf(last.room, last.game), textContent: TOOLS.review });
  link.dataset.link = '';
  return link;
}

/** @param {HTMLElement} root @param {State} state @param {Player | null} me */
function drawResume(root, { openGames, hasOpenGames }, me) {
  const mine = openGames.filter((room) => mySeats(room, me).length || myCovered(room, me).length);
  const [room] = mine;
  // While they are being asked for, the slip keeps its place, so that the board does not move.
  show(root, { resume: room !== undefined || hasOpenGames, 'resume-link': room !== undefined });
  if (!room) return;
  const [mark] = [...mySeats(room, me), ...myCovered(room, me)];
  const [turn, who] = resumeWords(room, me, mine.length - 1);
  write(root, { 'resume-turn': turn, 'resume-who': who });
  redraw(part(root, 'resume-mark'), mark, () => [drawMark(mark)]);
  attr(part(root, 'resume-link'), { href: pathOf(room.room) });
}

/** The six games, as radio buttons. @param {HTMLElement} root @param {string[]} names @param {string} chosen */
export function drawPicker(root, names, chosen, group = 'game') {
  keyed(
    root,
    names,
    String,
    (name) => {
      const option = stamp('game-option');
      Object.assign(option.children[0], { name: group, value: name });
      attr(/** @type {Element} */ (option.querySelector('use')), { href: `#p-${name}` });
      write(option, { word: gameName(name) });
      return option;
    },
    (option, name) => {
      /** @type {HTMLInputElement} */ (option.children[0]).checked = name === chosen;
    },
  );
}

/** My name, to be changed in place. @param {any} input @param {Send} send @param {() => State} get @returns {Render} */
function mountName(input, send, get) {
  /** @type {Player | null} */
  let named = null;
  const reset = () => {
    input.value = get().me?.name ?? '';
  };
  input.onchange = () => {
    const name = input.value.trim();
    if (name && name !== get().me?.name) send({ type: 'rename', name });
    else reset();
  };
  input.onkeydown = (/** @type {KeyboardEvent} */ { key }) => {
    if (key === 'Escape') reset();
    if (key === 'Escape' || key === 'Enter') input.blur();
  };
  return ({ me }) => {
    if (!me || me === named) return;
    named = me;
    if (document.activeElement !== input) reset();
  };
}

/** The games that go on or wait for a player, with somebody there. @param {State} state */
const liveRooms = (state) => listed(state).filter((room) => room.status !== 'over' && isAttended(room));

/** The public games that this person wants to see. @param {State} state */
const listed = ({ lobby, prefs, declined }) =>
  [...(lobby?.values() ?? [])].filter(
    (room) => (prefs.bots || !hasBot(room)) && !(room.status === 'waiting' && declined.includes(room.room)),
  );

/** How many people play or watch. @param {Listed[]} rooms */
const people = (rooms) => rooms.reduce((sum, { online, watchers }) => sum + online + watchers, 0);

/** The public games that are alive: the featured one large, then the others. @type {Mount} */
function mountLive(root, send, get) {
  let filter = '';
  const [filters, list, noBots] = parts(root, 'filters', 'rooms', 'no-bots');
  /** When this page first saw a game over. @type {Map<string, number>} */
  const endings = new Map();
  let [featured, until] = ['', 0];

  /** @param {State} state */
  function drawLive(state) {
    const { lobby, now } = state;
    for (const { room, game, status } of lobby?.values() ?? []) {
      if (status === 'over') endings.set(`${room}/${game}`, endings.get(`${room}/${game}`) ?? now);
    }
    const isFresh = (/** @type {Listed} */ { room, game }) =>
      now - (endings.get(`${room}/${game}`) ?? now) < FINISHED_STAYS;
    const live = liveRooms(state);
    const all = [...live, ...listed(state).filter((room) => room.status === 'over' && isFresh(room))];
    const isHiding = !state.prefs.bots;
    const hasBots = [...(lobby?.values() ?? [])].some(hasBot);
    const fits = (/** @type {Listed} */ room) =>
      !filter || (seatsOf(room, filter).length > 0 && (filter !== 'open' || room.status === 'waiting'));
    const rooms = all.filter(fits).sort((a, b) => ORDER[a.status] - ORDER[b.status] || rank(b) - rank(a));
    const held = rooms.find(({ room }) => room === featured);
    const [best] = rooms;
    const stays = held && (held.status === 'playing' || now < until);
    if (!stays) featured = best?.status === 'playing' ? best.room : '';
    if (!stays || held?.status === 'playing') until = now + FEATURED_STAYS;
    const first = rooms.find(({ room }) => room === featured);
    const sorted = first ? [first, ...rooms.filter((room) => room !== first)] : rooms;
    write(root, {
      'live-count': liveCount(live.length, people(live)),
      'empty-title': EMPTY[(filter && all.length) || (hasBots && isHiding) ? 'filtered' : 'none'],
    });
    show(root, {
      empty: lobby !== null && !sorted.length,
      filters: all.length > 0 || (hasBots && isHiding),
      'no-bots': hasBots || isHiding,
    });
    attr(noBots, { 'aria-pressed': String(isHiding) });
    for (const chip of filters.querySelectorAll('[data-filter]'))
      attr(chip, { 'aria-pressed': String(chip.getAttribute('data-filter') === filter) });
    keyed(
      list,
      sorted,
      ({ room }) => room,
      () => stamp('game'),
      (card, room) => drawCard(card, room, state, room.room === featured),
    );
  }

  noBots.onclick = () => send({ type: 'prefer', bots: !get().prefs.bots });
  on(filters, 'click', '[data-filter]', ({ dataset }) => {
    filter = dataset.filter ?? '';
    drawLive(get());
  });

  return drawLive;
}

/** @param {HTMLElement} card @param {Listed} room @param {State} state @param {boolean} isFeatured */
function drawCard(card, room, state, isFeatured) {
  card.classList.toggle('featured', isFeatured);
  const { seats, status, turn, variant, board } = room;
  attr(card.children[0], { href: pathOf(room.room), 'data-room': room.room, 'data-status': status, 'data-turn': turn });
  const shape = offeredAs(state, variant);
  if (shape) {
    const marks = board.split('').map((mark) => (mark === 'X' || mark === 'O' ? mark : null));
    redraw(part(card, 'frame'), `${variant} ${board} ${status}`, () => {
      const line = status === 'over' && !shape.nested ? lineOn(marks, shape) : [];
      return [drawMini(shape, marks, { line, winner: marks[line[0]], owners: shape.nested ? ownersOf(marks) : [] })];
    });
  }
  const isOpen = status === 'waiting';
  write(card, {
    X: listedName(room, 'X'),
    O: listedName(room, 'O'),
    'game-status': isOpen ? shortName(variant) : listedStatus(room),
  });
  redraw(part(card, 'game-more'), isOpen ? 'join' : String(room.watchers), () =>
    isOpen ? [make('b', { textContent: TOOLS.join })] : [document.createTextNode(watching(room.watchers))],
  );
  for (const mark of MARKS) {
    part(card, `bot-${mark}`).hidden = !isBot(seats[mark]);
    attr(/** @type {Element} */ (part(card, mark).parentElement), {
      'data-kind': seats[mark].kind,
      'data-on': turn === mark,
    });
  }
}
