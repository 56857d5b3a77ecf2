/**
 * A row of offers as buttons, with a level to choose where one is needed and one question back where it is final.
 *
 * Knows how an offer looks, not when it is made (offers.js) nor what it says (words.js).
 *
 * @import { Send } from './types.js'
 * @import { Offer } from './offers.js'
 */

import { closest, fill, keyed, part, setAttribute, setText, show, stamp } from './dom.js';
import { levelName, offerLabel } from './words.js';

const PREFERRED = 'medium';

/** @param {Offer} offer */
const keyOf = ({ what, command }) => what + (command.seat ?? '');

/** @param {HTMLElement} element @param {Send} send */
export function mountOffers(element, send) {
  /** @type {Map<string, Offer>} */
  let current = new Map();
  /** @type {Offer | null} */
  let confirming = null;
  /** @type {() => void} */
  let redraw = () => {};

  element.addEventListener('click', (event) => {
    const item = closest(event, 'button')?.closest('[data-offer]');
    if (!(item instanceof HTMLElement)) return;
    const isSure = item.dataset.key === 'confirm';
    const offer = isSure ? confirming : current.get(item.dataset.key ?? '');
    if (offer?.confirms && !isSure) return ask(offer);
    if (offer) send(withLevel(item, offer));
    if (confirming) ask(null);
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && confirming) ask(null);
  });

  /** @param {Offer | null} offer */
  function ask(offer) {
    const was = confirming;
    confirming = offer;
    redraw();
    if (offer) element.querySelector('button')?.focus();
    else if (was) /** @type {HTMLElement | null} */ (element.querySelector(`[data-offer="${was.what}"] button`))?.focus();
  }

  /** @param {Offer[]} offers @param {string[]} levels */
  return function render(offers, levels) {
    current = new Map(offers.map((offer) => [keyOf(offer), offer]));
    if (confirming && !current.has(keyOf(confirming))) confirming = null;
    redraw = () => draw(element, offers, levels, confirming);
    redraw();
  };
}

/** @param {HTMLElement} element @param {Offer[]} offers @param {string[]} levels @param {Offer | null} confirming */
function draw(element, offers, levels, confirming) {
  const rows = confirming
    ? [{ key: 'confirm', what: 'confirm', weight: 'danger', label: `Yes, ${offerLabel(confirming.what).toLowerCase()}` },
       { key: 'cancel', what: 'cancel', weight: 'plain', label: 'Keep playing' }]
    : offers.map((offer) => ({ key: keyOf(offer), label: offerLabel(offer.what, offer.command.seat), ...offer }));
  keyed(element, rows, (row) => row.key, () => stamp('offer'), (item, row) => {
    item.dataset.offer = row.what;
    const button = part(item, 'do');
    setText(button, row.label);
    setAttribute(button, 'class', row.weight);
    const select = part(item, 'level', HTMLSelectElement);
    const asksLevel = 'asksLevel' in row && row.asksLevel === true;
    show(select, asksLevel);
    if (asksLevel) fill(select, levels, levelName, PREFERRED);
  });
}

/** @param {HTMLElement} item @param {Offer} offer */
function withLevel(item, offer) {
  if (!offer.asksLevel) return offer.command;
  return { ...offer.command, level: part(item, 'level', HTMLSelectElement).value };
}
