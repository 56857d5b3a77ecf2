/**
 * X and O as drawings, and the small board of the wall made of them.
 *
 * Draws what it is told; knows neither rooms nor rules.
 *
 * @import { Mark } from './types.js'
 */

import { stamp } from './dom.js';

/** Put the drawing of a mark into an element, or take it out. @param {HTMLElement} element @param {Mark | null} mark */
export function setMark(element, mark) {
  if ((element.dataset.mark ?? null) === mark) return;
  element.querySelector('.mark')?.remove();
  if (mark === null) {
    delete element.dataset.mark;
    return;
  }
  element.dataset.mark = mark;
  element.append(stamp(`mark-${mark}`));
}

/** @param {HTMLElement} element @param {string} board one character a cell: X, O or a dot @param {number} columns */
export function drawMini(element, board, columns) {
  element.style.setProperty('--columns', String(columns));
  while (element.children.length > board.length) element.lastElementChild?.remove();
  while (element.children.length < board.length) element.append(document.createElement('span'));
  [...board].forEach((character, index) => {
    const mark = character === 'X' || character === 'O' ? character : null;
    setMark(/** @type {HTMLElement} */ (element.children[index]), mark);
  });
}
