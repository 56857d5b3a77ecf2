// The page that says that there is nothing at this address, or nothing any more.

import { part, redraw, write } from './dom.js';
import { drawMini, svg } from './drawing.js';
import { NOWHERE } from './selectors.js';
import { MISSING } from './words/en-rare.js';

const SHAPE = { rows: 3, columns: 3, falls: false, nested: false };
const FOURS =
  'M62 182C61 162 63 140 61 118C46 134 30 148 18 162C40 161 62 163 84 161M262 182C261 162 263 140 261 118C246 134 230 148 218 162C240 161 262 163 284 161';

/** 404, with the nought on the middle square. */
function drawPage() {
  const picture = drawMini(SHAPE, [null, null, null, null, 'O']);
  picture.append(svg('path', { class: 'm', d: FOURS }));
  return picture;
}

/** A game that was rubbed out. */
function drawGone() {
  const picture = drawMini(SHAPE, ['X', null, 'O', null, 'X', null, 'O']);
  picture.classList.add('rubbed');
  return picture;
}

/** @type {Mount} */
export function mountMissing(root) {
  return (state) => {
    if (!state.missing) return;
    const kind = state.room === NOWHERE ? 'page' : 'room';
    const [title, text] = MISSING[kind];
    write(root, { 'missing-title': title, 'missing-text': state.closed || text });
    redraw(part(root, 'missing-sheet'), kind, () => [kind === 'page' ? drawPage() : drawGone()]);
  };
}
