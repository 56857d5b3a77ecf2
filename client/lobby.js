/**
 * Home: three ways into a game, and the wall of public games that move as they are played.
 *
 * Knows neither sockets nor what happens once a room is open.
 *
 * @import { Command, Mark, Mount, State, WallRoom } from './types.js'
 */

import { fill, keyed, part, setAttribute, setText, show, stamp } from './dom.js';
import { drawMini } from './marks.js';
import { MARKS } from './viewpoint.js';
import { levelName, seatName } from './words.js';

const PREFERRED = 'medium';
const RANK = { playing: 0, waiting: 1, over: 2 };

/** @type {Mount} */
export function mount(element, send) {
  let isCreating = false;

  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || isCreating) return;
    send(creation(form.dataset.way ?? '', new FormData(form)));
  });

  return (state) => {
    isCreating = state.creating !== null;
    show(part(element, 'back'), state.mine !== null);
    setAttribute(part(element, 'back-link'), 'href', `/r/${encodeURIComponent(state.mine ?? '')}`);
    drawLevels(element, state.variants[0]?.levels ?? []);
    for (const button of element.querySelectorAll('.way .primary')) setAttribute(button, 'aria-busy', isCreating ? 'true' : null);
    drawWall(element, state);
  };
}

/** The command behind a way in. A nonce makes it safe to send again. @param {string} way @param {FormData} form @returns {Command} */
export function creation(way, form) {
  /** @type {Command} */
  const command = { type: 'create', variant: '3x3', nonce: crypto.getRandomValues(new Uint32Array(4)).join('-'), public: form.has('public') };
  const level = String(form.get('level'));
  if (way === 'ai') {
    const side = /** @type {Mark | 'either'} */ (form.get('side'));
    const isX = side === 'X' || (side === 'either' && Math.random() < 0.5);
    return { ...command, seats: isX ? { X: 'me', O: { ai: level } } : { X: { ai: level }, O: 'me' } };
  }
  if (way === 'exhibition') {
    return { ...command, public: true, seats: { X: { ai: String(form.get('X')) }, O: { ai: String(form.get('O')) } } };
  }
  const minutes = Number(form.get('clock'));
  return { ...command, seats: { X: 'me', O: 'open' }, clock: minutes ? { budget: minutes * 60_000, increment: 0 } : null };
}

/** @param {HTMLElement} element @param {string[]} levels */
function drawLevels(element, levels) {
  const list = part(element, 'levels');
  keyed(list, levels, (level) => level, (level) => {
    const choice = stamp('level-choice');
    const input = /** @type {HTMLInputElement} */ (choice.firstElementChild);
    input.value = level;
    input.checked = level === PREFERRED;
    setText(part(choice, 'word'), levelName(level));
    return choice;
  }, () => {});
  if (levels.length && !list.querySelector('input:checked')) /** @type {HTMLInputElement} */ (list.querySelector('input')).checked = true;
  for (const mark of MARKS) fill(part(element, `exhibition-${mark}`, HTMLSelectElement), levels, levelName, mark === 'X' ? 'hard' : PREFERRED);
}

/** @param {HTMLElement} element @param {State} state */
function drawWall(element, state) {
  const rooms = [...(state.wall?.values() ?? [])].sort((a, b) => RANK[a.status] - RANK[b.status]);
  const live = rooms.filter((room) => room.status === 'playing').length;
  setText(part(element, 'count'), live ? String(live) : '');
  setText(part(element, 'gallery'), live ? `${live === 1 ? 'One game is' : `${live} games are`} being played right now.` : '');
  show(part(element, 'empty'), state.wall !== null && rooms.length === 0);
  keyed(part(element, 'rooms'), rooms, (room) => room.room, () => stamp('wall-room'), (item, room) => {
    drawRoom(item, room, state.variants.find(({ name }) => name === room.variant)?.columns ?? 3);
  });
}

/** @param {HTMLElement} item @param {WallRoom} room @param {number} columns */
function drawRoom(item, room, columns) {
  const link = /** @type {HTMLAnchorElement} */ (item.firstElementChild);
  setAttribute(link, 'href', `/r/${encodeURIComponent(room.room)}`);
  link.dataset.room = room.room;
  link.dataset.status = room.status;
  setAttribute(link, 'data-turn', room.turn);
  drawMini(part(item, 'mini'), room.board, columns);
  for (const mark of MARKS) {
    const name = part(item, mark);
    setText(name, seatName(room.seats[mark]));
    setAttribute(name, 'data-kind', room.seats[mark].kind);
  }
  setText(part(item, 'status'), wallStatus(room));
  setText(part(item, 'watchers'), String(room.watchers));
  show(part(item, 'eyes'), room.watchers > 0);
}

/** @param {WallRoom} room */
function wallStatus(room) {
  if (room.status === 'playing') return `${room.turn} to move`;
  if (room.status === 'over') return 'Finished';
  const open = MARKS.filter((mark) => room.seats[mark].kind === 'open');
  return open.length === 2 ? 'Both free' : `${open[0]} is free`;
}
