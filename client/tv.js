// A big screen: one game, no controls, and a code to join by.

import { mountBoard } from './board.js';
import { drawMark, drawTally } from './drawing.js';
import { attr, part, redraw, show, write } from './dom.js';
import { pathOf } from './route.js';
import { CLASSIC, MARKS, asPlayed, emptyScene, offeredAs, sceneOf, seatsOf, shown } from './selectors.js';
import { isLocal } from './share.js';
import { LOCAL, TV_EMPTY, tvFacts, tvJoin, tvLine } from './words/en-rare.js';
import { gameName, headline, seatName, wonLabel } from './words/en.js';

const LONG = 14; // letters
const SLIDE = { duration: 320, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' };
const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

/** @type {Mount} */
export function mountTv(root) {
  const drawBoard = mountBoard(part(root, 'tv-board'), () => {});
  for (const mark of MARKS) redraw(part(part(root, `tv-${mark}`), 'mark'), mark, () => [drawMark(mark)]);
  /** The game that is shown. @type {string | undefined} */
  let before;

  return (state) => {
    if (!state.isTv) return;
    const view = shown(state);
    if (!view && before && state.room !== null) return; // until the next game is here, the last one stays
    const room = view && asPlayed(view);
    if (before && room && before !== room.room && !isCalm.matches) slideOut(part(root, 'tv-sheet'));
    before = room?.room ?? before;
    for (const mark of MARKS) {
      const side = part(root, `tv-${mark}`);
      const name = room ? seatName(room.seats[mark]) : '';
      write(side, { name, sub: view ? tvLine(view, mark) : '' });
      attr(part(side, 'name'), { 'data-long': name.length > LONG });
      attr(side, { 'data-on': room?.turn === mark, 'data-won': room?.outcome?.winner === mark });
      const won = room?.score[mark] ?? 0;
      redraw(part(side, 'tally'), String(won), () => (won ? [drawTally(won, wonLabel(won))] : []));
    }
    const isOpen = view !== undefined && seatsOf(view.snapshot, 'open').length > 0;
    write(root, {
      'tv-game': room ? gameName(room.variant.name) : TV_EMPTY,
      'tv-facts': room ? tvFacts(room) : '',
      'tv-join': isLocal() ? LOCAL[0] : tvJoin(room !== undefined, isOpen),
      'tv-local': isLocal() ? LOCAL[1] : '',
      'tv-headline': room ? headline(room, state.me).title : TV_EMPTY,
    });
    show(root, { 'tv-code': !isLocal() });
    if (!isLocal()) attr(part(root, 'tv-code'), { src: room ? `${pathOf(room.room)}/qr.svg` : '/qr.svg' });
    const empty = offeredAs(state, CLASSIC);
    if (room) drawBoard({ ...sceneOf(state, room), isWatched: true });
    else if (empty) drawBoard({ ...emptyScene(empty), isWatched: true, ghost: null });
  };
}

/** The sheet of the last game leaves the next one behind. @param {HTMLElement} sheet */
function slideOut(sheet) {
  const { left, top } = sheet.getBoundingClientRect();
  const last = /** @type {HTMLElement} */ (sheet.cloneNode(true));
  last.inert = true;
  Object.assign(last.style, { position: 'fixed', left: `${left}px`, top: `${top}px` });
  sheet.after(last);
  last.animate({ translate: ['0', '100vw'] }, SLIDE).onfinish = () => last.remove();
}
