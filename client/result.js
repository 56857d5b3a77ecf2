// The end of a game: the word, what exact play says about it, every move with its grade, and what comes next.

import { drawThumb, icon } from './drawing.js';
import { attr, keyed, make, on, parts, redraw, show, write } from './dom.js';
import { drawTools } from './rail.js';
import { pathOf } from './route.js';
import { shareLink } from './share.js';
import {
  MARKS,
  asPlayed,
  gradesOf,
  isExhibition,
  mySeats,
  offeredAs,
  other,
  railOf,
  reviewStart,
  seatsOf,
} from './selectors.js';
import { GRADES, TOOLS, againWords, moveLabel, resultFacts, resultWord, stepUp, verdict } from './words/en.js';

/** @type {MountPart} */
export function mountResult(root, send, get) {
  const [card, word, moves, again, acts] = parts(root, 'result', 'result-word', 'result-moves', 'again', 'acts');
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
    const rung = rungAfter(state, played, sides);
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
    drawChips(moves, state, room, null);
    drawTools(acts, actsOf(state, room, mine, rung ? rematch : null, send, get));
    attr(card, {
      'data-outcome': winner === null ? 'draw' : sides.length === 1 ? (sides[0] === winner ? 'won' : 'lost') : 'over',
    });
  };
}

/** The next level, once this one is beaten. @param {State} state @param {Snapshot} room @param {Mark[]} mine */
function rungAfter(state, room, mine) {
  const [mark, both] = mine;
  const rival = mark && room.seats[other(mark)];
  if (!mark || both || rival?.kind !== 'ai' || room.outcome?.winner !== mark) return null;
  const levels = offeredAs(state, room.variant.name)?.levels ?? [];
  return levels[levels.indexOf(rival.level) + 1] ?? null;
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
export function drawChips(root, state, room, current) {
  const grades = gradesOf(state, room);
  keyed(
    root,
    room.moves.entries(),
    ([ply]) => `${room.game}-${ply}`,
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
