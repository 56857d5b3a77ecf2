// The end of a game: what exact play says about it, and what comes next.

import { drawStairs, drawThumb, icon } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, show, write } from './dom.js';
import { drawTools } from './rail.js';
import { pathOf } from './route.js';
import { linkTo, shareLink } from './share.js';
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
  reviewStart,
  seatsOf,
  shown,
  shownPly,
} from './selectors.js';
import {
  GRADES,
  TOOLS,
  againWords,
  levelName,
  moveLabel,
  resultFacts,
  resultWord,
  stairsLabel,
  stepUp,
  verdict,
} from './words/en.js';

/** @type {Mount} */
export function mountEnd(root, send, get) {
  const render = mountResult(root, send, get);
  let asked = '';

  return (state) => {
    const view = shown(state);
    if (!view || state.isTv) return;
    const wish = valuesOf(state);
    if (wish && wish.key !== asked) send(wish.question);
    asked = wish?.key ?? '';
    render(state, view);
  };
}

/** What to ask so that the squares on the board can show what they are worth. @param {State} state */
function valuesOf(state) {
  const looked = lookedAt(state);
  if (!looked || !state.look.on || state.link !== 'online' || !mayAnalyse(looked, state.me)) return null;
  const { room, game } = looked;
  const ply = shownPly(state, looked);
  /** @type {Command} */
  const question = { type: 'analyse', room, ply, game };
  return { key: [room, game, ply].join(), question };
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
    const isLeft = mine.length > 0 && seatsOf(room, 'open').length > 0;
    const { label, isAsked } = isLeft ? { label: TOOLS.invite_again, isAsked: false } : againWords(room, mine);
    const ladder = ladderOf(state, played, sides);
    const rung = winner !== null && winner === sides[0] ? (ladder.levels[ladder.at] ?? null) : null;
    const rematch = () => send({ type: 'rematch', room: room.room, game: room.game });
    const mayRematch = mine.length > 0 || isExhibition(room);
    write(root, {
      'result-facts': resultFacts(room),
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
      'data-offer': rung ? 'step_up' : isLeft ? 'invite_again' : isExhibition(room) ? 'again' : 'rematch',
    });
    go = () => {
      if (rung) send({ type: 'new_game', way: 'computer', variant: room.variant.name, level: rung, side: sides[0] });
      else if (isLeft) send({ type: 'invite_again' });
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
  const link = linkTo(pathOf(room.room, room.game));
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
export function drawChips(root, state, room, current) {
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
