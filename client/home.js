// Home: a board to tap, the six games, the ways in, and one's own climb.

import { mountBoard } from './board.js';
import { drawMark, drawStairs, drawTally } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, show, stamp, write } from './dom.js';
import { liveRooms, mountLive, people } from './live.js';
import { pathOf } from './route.js';
import { chosenGame, chosenLevel, emptyScene, climbed, myCovered, mySeats } from './selectors.js';
import {
  GAMES,
  TOOLS,
  climbWords,
  gameName,
  gameRule,
  lastGame,
  lede,
  levelName,
  levelsNote,
  resumeWords,
  stairsLabel,
  streakTitle,
  watchNote,
  wonLabel,
} from './words/en.js';

/** @type {Mount} */
export function mountHome(root, send, get) {
  const drawLive = mountLive(root, send, get);
  const drawName = mountName(part(root, 'me'), send, get);
  const [sheet, picker, stairs, streak, note] = parts(root, 'hero', 'picker', 'stairs', 'streak', 'computer-note');
  const drawBoard = mountBoard(part(root, 'hero-board'), (cell) => {
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
    if (state.creating === null) delete sheet.dataset.touched;
    drawBoard(emptyScene(game));
    drawPicker(
      picker,
      me ? state.variants.map((variant) => variant.name) : Object.keys(GAMES),
      me ? name : state.prefs.game,
    );
    const live = liveRooms(state);
    write(root, {
      lede: lede(game),
      rule: gameRule(name),
      level: levelName(chosenLevel(state, levels)),
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
    const next = levels[behind] ?? null;
    const [title, about] = climbWords(name, next);
    write(root, {
      'climb-title': streakTitle(progress.streak),
      'climb-next': title,
      'climb-note': about,
    });
    redraw(stairs, `${name} ${behind}`, () => [
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
