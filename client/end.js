// The end of a game, with what exact play says about it and what comes next; and looking back on it, move by move.

import { drawGraph, drawStairs, drawThumb, icon } from './drawing.js';
import { attr, keyed, make, on, onKey, part, parts, redraw, show, write } from './dom.js';
import { drawTools } from './rail.js';
import { pathOf } from './route.js';
import { shareLink } from './share.js';
import {
  MARKS,
  asPlayed,
  climbed,
  gradesOf,
  isExhibition,
  lookedAt,
  mayAnalyse,
  mySeats,
  offeredAs,
  other,
  railOf,
  reviewOf,
  reviewStart,
  roomIn,
  seatsOf,
  shown,
  shownPly,
  turningPoint,
} from './selectors.js';
import {
  GRADES,
  TOOLS,
  againWords,
  backToGame,
  earlierGame,
  graphLabel,
  levelName,
  moveLabel,
  resultFacts,
  resultWord,
  reviewWords,
  stairsLabel,
  stepUp,
  verdict,
} from './words/en.js';

/** @type {Mount} */
export function mountEnd(root, send, get) {
  const renders = [mountResult(root, send, get), mountReview(root, send, get)];
  return (state) => {
    const view = shown(state);
    if (view && !state.isTv) for (const render of renders) render(state, view);
  };
}

/** The word, a verdict, every move with its grade, and what comes next. @type {MountPart} */
function mountResult(root, send, get) {
  const [card, word, moves, again, acts] = parts(root, 'result', 'result-word', 'result-moves', 'again', 'acts');
  const stairs = part(root, 'result-stairs');
  let wasEnding = false;
  /** What the primary button does now. @type {() => void} */
  let go = () => {};

  again.onclick = () => go();
  on(moves, 'click', 'button', ({ dataset }) => send({ type: 'step', ply: Number(dataset.ply) }));

  return (state, view) => {
    const { snapshot: room } = view;
    const isShown = railOf(state, view) === 'result';
    show(root, { result: isShown });
    if (!isShown) return;
    const played = asPlayed(view);
    const [mine, sides] = [mySeats(room, state.me), mySeats(played, state.me)]; // now, and when it was played
    const winner = room.outcome?.winner ?? null;
    const { label, isAsked } = againWords(room, mine);
    const ladder = ladderOf(state, played, sides);
    const rung = winner !== null && winner === sides[0] ? (ladder.levels[ladder.at] ?? null) : null;
    const rematch = () => send({ type: 'rematch', room: room.room, game: room.game });
    const mayRematch = mine.length > 0 || isExhibition(room);
    write(root, {
      'result-facts': resultFacts(room, null),
      'result-word': resultWord(played, sides),
      verdict: verdict(state, played, sides),
    });
    const isWaiting = isAsked && !rung;
    redraw(again, `${isWaiting} ${rung} ${label}`, () => [
      ...(isWaiting ? [icon('tick')] : []),
      document.createTextNode(rung ? stepUp(rung) : label),
    ]);
    show(root, { again: mayRematch });
    attr(word, { 'data-side': winner !== null && (sides.length !== 1 || sides[0] === winner) && winner });
    attr(again, {
      'aria-disabled': isWaiting && 'true',
      'data-offer': rung ? 'step_up' : isExhibition(room) ? 'again' : 'rematch',
    });
    go = () => {
      if (rung) send({ type: 'new_game', way: 'computer', variant: room.variant.name, level: rung, side: sides[0] });
      else if (!isAsked) rematch();
    };
    // Once the end has been seen, Enter goes on.
    const isEnding = root.classList.contains('ending');
    const held = document.activeElement;
    if (wasEnding && !isEnding && (!held || held === document.body || held.closest('.board')))
      again.focus({ preventScroll: true });
    wasEnding = isEnding;
    drawClimb(stairs, state, room.variant.name, ladder, winner !== null && winner !== sides[0]);
    drawChips(moves, state, room, null);
    drawTools(acts, actsOf(state, room, mine, rung ? rematch : null, send, get));
    attr(card, {
      'data-outcome': winner === null ? 'draw' : sides.length === 1 ? (sides[0] === winner ? 'won' : 'lost') : 'over',
    });
  };
}

/** Alone against the computer: the levels of the game, and how many are up to this one. @param {State} state @param {Snapshot} room @param {Mark[]} mine */
function ladderOf(state, room, [mark, both]) {
  const rival = mark && room.seats[other(mark)];
  if (!mark || both || rival?.kind !== 'ai') return { levels: [], at: 0 };
  const levels = offeredAs(state, room.variant.name)?.levels ?? [];
  return { levels, at: levels.indexOf(rival.level) + 1 };
}

/** The stairs, if this game was a step up. @param {HTMLElement} root @param {State} state @param {string} variant @param {ReturnType<typeof ladderOf>} ladder @param {boolean} isLost */
function drawClimb(root, { progress }, variant, { levels, at }, isLost) {
  const isStep = at > 0 && !isLost && climbed(progress, variant, levels) === at;
  redraw(root, isStep ? `${variant} ${at}` : '', () =>
    isStep ? [drawStairs(levels.map(levelName), at, stairsLabel(levels.slice(0, at), levels[at] ?? null))] : [],
  );
}

/**
 * @param {State} state
 * @param {Snapshot} room
 * @param {Mark[]} mine
 * @param {(() => void) | null} rematch if the primary button does something else
 * @param {Send} send
 * @param {() => State} get
 * @returns {Tool[]}
 */
function actsOf(state, room, mine, rematch, send, get) {
  const rival = mine.length === 1 ? room.seats[other(mine[0])] : null;
  /** @type {Tool[]} */
  const acts = [];
  if (rematch) acts.push({ key: 'again', label: TOOLS.again, icon: 'again', run: rematch, what: 'rematch' });
  if (rival?.kind === 'ai') {
    if (!rematch)
      acts.push({ key: 'level', label: TOOLS.level, icon: 'up', run: () => send({ type: 'sheet', tab: 'computer' }) });
    acts.push({
      key: 'swap',
      label: TOOLS.swap.replace('*', mine[0]),
      icon: 'swap',
      run: () =>
        send({
          type: 'new_game',
          way: 'computer',
          variant: room.variant.name,
          level: rival.level,
          side: mine[0],
        }),
    });
  } else if (mine.length)
    acts.push({
      key: 'rival',
      label: TOOLS.rival,
      icon: 'friend',
      run: () =>
        send({ type: 'sheet', tab: seatsOf(room, 'human').length === 2 && mine.length === 2 ? 'here' : 'friend' }),
    });
  const link = location.origin + pathOf(room.room, room.game);
  acts.push({ key: 'share', label: TOOLS.share, icon: 'share', run: () => shareLink(send, link) });
  if (room.moves.length)
    acts.push({
      key: 'review',
      label: TOOLS.review,
      icon: 'review',
      run: () => send({ type: 'step', ply: reviewStart(get(), room) }),
    });
  return acts;
}

/** A chip for each move: where it was, and how good. @param {HTMLElement} root @param {State} state @param {Snapshot} room @param {number | null} current */
function drawChips(root, state, room, current) {
  const grades = gradesOf(state, room);
  keyed(
    root,
    room.moves.entries(),
    ([ply]) => `${room.room}/${room.game}-${ply}`,
    ([ply, cell]) => {
      const chip = make('button');
      chip.dataset.ply = String(ply);
      chip.append(drawThumb(room.variant, cell, MARKS[ply % 2]), make('span'));
      return chip;
    },
    (chip, [ply]) => {
      const grade = grades[ply];
      const sign = /** @type {HTMLElement} */ (chip.lastElementChild);
      redraw(sign, grade ?? '', () => [document.createTextNode(grade ? GRADES[grade][0] : '')]);
      attr(chip, {
        'data-grade': grade,
        'aria-label': moveLabel(room, ply, grade),
        'aria-current': ply === current && 'step',
      });
    },
  );
  if (current === null || root.dataset.at === String(current)) return;
  root.dataset.at = String(current);
  const chip = /** @type {HTMLElement | undefined} */ (root.children[current]);
  if (chip) root.scrollLeft = chip.offsetLeft - root.offsetLeft - root.clientWidth / 2 + chip.offsetWidth / 2;
}

/** Step through the moves, see what every square was worth, and play on from there. @type {MountPart} */
function mountReview(root, send, get) {
  const [card, chips, graph, earlier] = parts(root, 'review', 'review-moves', 'graph', 'earlier');
  let asked = '';

  /** A step past the last move of a game that goes on leads back to it. @param {number} ply */
  function go(ply) {
    const room = lookedAt(get());
    if (!room) return;
    const isNow = room.game === roomIn(get())?.game && room.status !== 'over';
    send({ type: 'step', ply: ply >= room.moves.length && isNow ? null : Math.min(ply, room.moves.length) });
  }

  const at = () => get().look.back?.ply ?? 0;
  on(card, 'click', '[data-do="back"]', () => go(at() - 1));
  on(card, 'click', '[data-do="on"]', () => go(at() + 1));
  on(card, 'click', '[data-do="live"]', () => send({ type: 'step', ply: null }));
  on(card, 'click', '[data-do="values"]', () => send({ type: 'look', on: !get().look.on }));
  on(card, 'click', '[data-do="play-on"]', () => send({ type: 'play_on', ply: at() }));
  on(card, 'click', '[data-do="copy-game"]', () => {
    const room = lookedAt(get());
    if (room) shareLink(send, location.origin + pathOf(room.room, room.game));
  });
  on(chips, 'click', 'button', ({ dataset }) => go(Number(dataset.ply)));
  onKey(({ key, target }) => {
    const isOnBoard = target instanceof Element && target.closest('.board');
    if (!get().look.back || isOnBoard) return;
    if (key === 'ArrowLeft') go(at() - 1);
    if (key === 'ArrowRight') go(at() + 1);
    if (key === 'Escape') send({ type: 'step', ply: null });
  });

  return (state, { snapshot: now }) => {
    const { back } = state.look;
    const room = back?.snapshot ?? now;
    const ply = shownPly(state, room);
    const wish =
      state.look.on && mayAnalyse(room, state.me) && state.link === 'online' ? [room.room, room.game, ply].join() : '';
    if (wish && wish !== asked) send({ type: 'analyse', room: room.room, ply, game: room.game });
    asked = wish;
    show(root, { review: back !== null });
    if (!back) return;
    const isOver = room.status === 'over';
    const isSameGame = room.game === now.game;
    const [title, note] = reviewWords(state, room, ply);
    write(root, {
      'review-title': title,
      'review-note': note,
      'review-values': state.look.on ? TOOLS.hide_values : TOOLS.show_values,
      'earlier-game': earlierGame(room.game - 1),
      live: backToGame(isSameGame ? now.moves.length - back.from : null, isOver),
    });
    show(root, {
      'play-on': isOver && ply < room.moves.length,
      earlier: room.game > 1,
      'copy-game': isOver,
      graph: reviewOf(state, room).length > 1,
    });
    attr(earlier, { href: pathOf(room.room, room.game - 1) });
    attr(part(root, 'values'), { 'aria-pressed': String(state.look.on) });
    attr(card.querySelector('[data-do="back"]'), { 'aria-disabled': ply === 0 && 'true' });
    attr(card.querySelector('[data-do="on"]'), { 'aria-disabled': ply === room.moves.length && isOver && 'true' });
    drawChips(chips, state, room, ply);
    drawLine(graph, state, room);
  };
}

const SIGNS = { win: 1, draw: 0, loss: -1, unknown: 0 };

/** How the game stood, move by move. @param {HTMLElement} graph @param {State} state @param {Snapshot} room */
function drawLine(graph, state, room) {
  const lines = reviewOf(state, room);
  const point = turningPoint(state, room);
  const values = lines.map(
    ({ mark, value, estimate = 0 }) => (mark === 'X' ? 1 : -1) * (value === 'unknown' ? estimate / 100 : SIGNS[value]),
  );
  redraw(graph, `${room.game} ${values.join()}`, () =>
    drawGraph([0, ...values], point ? lines.indexOf(point) + 1 : null),
  );
  attr(graph, { 'aria-label': graphLabel(state, room) });
}
