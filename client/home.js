// Home: the choice of a game, and the ways into it.

import { attr, keyed, on, part, show, stamp, write } from './dom.js';
import { gameName, gameRule, spoken } from './names.js';
import { fillLevels } from './offers.js';
import { pathOf } from './route.js';
import { CLASSIC, MARKS, chosenGame } from './viewpoint.js';
import { mountWall } from './wall.js';

const PREFERRED = 'medium';

/** @type {Mount} */
export function mountHome(root, send, get) {
  const drawWall = mountWall(root, send, get);
  root.onsubmit = (event) => {
    event.preventDefault();
    if (get().creating !== null) return;
    const form = /** @type {HTMLFormElement} */ (event.target);
    const way = event.submitter?.dataset.way ?? form.dataset.way ?? '';
    const variant = chosenGame(get()).name;
    send({ type: 'seek', on: way === 'quick', variant });
    send(creation(way, new FormData(form), variant));
  };
  on(root, 'change', '[name="game"]', (radio) => send({ type: 'prefer', game: /** @type {HTMLInputElement} */ (radio).value }));
  // Enter in the name field means its own button, not the form's first one.
  on(root, 'keydown', '[name="second"]', (field, event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    /** @type {HTMLElement | null} */ (field.nextElementSibling)?.click();
  });
  drawChoice(root, 'clock', ['0', '1', '3', '5'], (minutes) => (minutes === '0' ? 'None' : `${minutes} min`), '0');
  drawChoice(root, 'side', ['X', 'O', 'random'], spoken, 'X');

  return (state) => {
    const { name, levels } = chosenGame(state);
    show(root, { back: state.mine !== null });
    attr(part(root, 'back-link'), { href: pathOf(state.mine ?? '') });
    drawChoice(root, 'game', state.variants.map((variant) => variant.name), gameName, name);
    write(root, { rule: gameRule(name) });
    drawChoice(root, 'level', levels, spoken, PREFERRED);
    for (const mark of MARKS) fillLevels(part(root, `exhibition-${mark}`), levels, mark === 'X' ? 'hard' : PREFERRED);
    for (const button of root.querySelectorAll('form .primary')) attr(button, { 'aria-busy': state.creating !== null && 'true' });
    drawWall(state);
  };
}

/** The command that opens a room. The nonce makes it safe to send twice. @type {Creation} */
export function creation(way, form, variant = CLASSIC) {
  const ai = (name = 'level') => ({ ai: String(form.get(name) ?? PREFERRED) });
  const side = form.get('side');
  const isX = side === 'X' || (side !== 'O' && Math.random() < 0.5);
  const second = String(form.get('second') ?? '').trim();
  const minutes = Number(form.get('clock'));
  /** @type {Ways} */
  const seats = {
    friend: { X: 'me', O: 'open' },
    here: { X: 'me', O: second ? { me: second } : 'me' },
    exhibition: { X: ai('X'), O: ai('O') },
  };
  return {
    type: 'create',
    variant,
    nonce: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    public: form.has('public') || way === 'quick' || way === 'exhibition',
    seats: seats[way] ?? (isX ? { X: 'me', O: ai() } : { X: ai(), O: 'me' }),
    clock: minutes ? { budget: minutes * 60_000, increment: 0 } : null,
  };
}

/** One of several values. If the chosen one is no longer offered, the last one is. @type {DrawChoice} */
function drawChoice(root, name, values, word, preferred) {
  const chosen = values.includes(preferred) ? preferred : values[0];
  const row = part(root, name);
  keyed(row, values, String, (value) => {
    const choice = stamp('choice');
    Object.assign(choice.children[0], { name, value, checked: value === chosen });
    write(choice, { word: word(value) });
    return choice;
  });
  const [last] = [...row.querySelectorAll('input')].slice(-1);
  if (!row.querySelector(':checked')) last.checked = true;
}
