/**
 * A row of offers as buttons, with a level to choose where one is needed and one question back where it is final.
 * A row that has just changed is deaf to the pointer for a moment: the second click was meant for what was there.
 *
 * Knows how an offer looks, not when it is made (offers.js) nor what it says (words.js).
 *
 * @import { Send } from './types.js'
 * @import { Offer } from './offers.js'
 */

import { closest, fill, keyed, part, setAttribute, setText, show, stamp } from './dom.js';
import { certainty, levelName, offerLabel } from './words.js';

const PREFERRED = 'medium';
const SETTLES = 500;

/** @param {Offer} offer */
const keyOf = ({ what, command }) => what + (command.seat ?? '');
/** What a click would do. @param {Offer} offer */
const meaningOf = (offer) => [keyOf(offer), offer.command.game, offer.confirms].join();

/** @param {HTMLElement} element @param {Send} send */
export function mountOffers(element, send) {
  /** @type {Map<string, Offer>} */
  let current = new Map();
  /** @type {Offer | null} */
  let confirming = null;
  /** @type {() => void} */
  let redraw = () => {};
  let meaning = '';
  let timer = 0;

  element.addEventListener('click', (event) => {
    const item = closest(event, 'button')?.closest('[data-offer]');
    if (!(item instanceof HTMLElement)) return;
    const isSure = item.dataset.key === 'confirm';
    const offer = isSure ? confirming : current.get(item.dataset.key ?? '');
    if (offer?.confirms && !isSure) return ask(offer);
    if (offer) send(withLevel(item, offer));
    if (confirming) ask(null);
  });
  element.addEventListener('mousedown', (event) => {
    if ('settling' in element.dataset) event.preventDefault(); // keeps the focus
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && confirming) ask(null);
  });

  /** @param {Offer | null} offer */
  function ask(offer) {
    const was = confirming;
    confirming = offer;
    redraw();
    const goal = offer ? 'cancel' : was && keyOf(was);
    if (goal) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${goal}"] button`))?.focus();
  }

  /** @param {string} now */
  function settle(now) {
    if (now === meaning) return;
    meaning = now;
    element.dataset.settling = '';
    clearTimeout(timer);
    timer = window.setTimeout(() => { delete element.dataset.settling; }, SETTLES);
  }

  /** @param {Offer[]} offers @param {string[]} levels */
  return function render(offers, levels) {
    current = new Map(offers.map((offer) => [keyOf(offer), offer]));
    if (confirming && !current.has(keyOf(confirming))) confirming = null;
    redraw = () => {
      settle([...offers, ...(confirming ? [confirming] : [])].map(meaningOf).join(' '));
      draw(element, offers, levels, confirming);
    };
    redraw();
  };
}

/** @param {HTMLElement} element @param {Offer[]} offers @param {string[]} levels @param {Offer | null} confirming */
function draw(element, offers, levels, confirming) {
  const at = confirming ? offers.findIndex((offer) => keyOf(offer) === keyOf(confirming)) : offers.length;
  const rows = [
    ...offers.slice(0, at).map((offer) => ({ key: keyOf(offer), label: offerLabel(offer.what, offer.command.seat), ...offer })),
    // The harmless answer stands where the pointer is.
    ...(confirming ? [{ key: 'cancel', what: 'cancel', weight: 'plain', label: 'Keep playing' },
      { key: 'confirm', what: 'confirm', weight: 'danger', label: certainty(confirming.what, confirming.command.seat) }] : []),
  ];
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
