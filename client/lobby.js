// Home: the ways into a game, and the list of public games with the most watched one first and
// large.

import { attr, keyed, make, on, part, parts, setMark, show, stamp, write } from './dom.js';
import { fillLevels } from './offers.js';
import { pathOf } from './route.js';
import { MARKS, seatsOf } from './viewpoint.js';
import { seatName, spoken, watching } from './words.js';

const PREFERRED = 'medium';
const RANK = { playing: 0, waiting: 1, over: 2 };
const STAYS = 12_000; // ms; a featured room stays that long after its game, in case of a rematch

/** @type {Mount} */
export function mountLobby(root, send, get) {
  let filter = '';
  const [tv, filters, list] = parts(root, 'tv', 'filters', 'rooms');
  /** The rooms in the list. Only the boards in view are drawn. @type {WeakMap<Element, Card>} */
  const cards = new WeakMap();
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = cards.get(target);
      if (card) card.isInView = isIntersecting;
      if (card && isIntersecting) drawBoard(target, card.room);
      if (!target.isConnected) sight.unobserve(target);
    }
  }, { rootMargin: '200px' });
  /** The featured room, and until when it stays without a game. */
  let [featured, until] = ['', 0];
  tv.append(...stamp('wall-room').children);
  write(tv, { tag: 'Featured game' });

  /** @param {State} state */
  function drawWall({ wall, now }) {
    const all = [...(wall?.values() ?? [])];
    const playing = all.filter(({ status }) => status === 'playing').sort((a, b) => b.watchers - a.watchers);
    const held = all.find(({ room }) => room === featured);
    const isPlaying = held?.status === 'playing';
    const stays = isPlaying ? held.watchers === playing[0].watchers : now < until || !playing.length;
    const best = held && stays ? held : playing[0];
    if (best && (best !== held || isPlaying)) [featured, until] = [best.room, now + STAYS];
    const rooms = all.filter((room) => room !== best && (!filter || seatsOf(room, filter).length)).sort((a, b) => RANK[a.status] - RANK[b.status]);
    write(root, { count: playing.length || '' });
    show(root, {
      empty: wall?.size === 0, none: filter !== '' && !rooms.length, filters: all.length > 0, tv: best !== undefined,
    });
    for (const chip of filters.children) attr(chip, { 'aria-pressed': String(chip.getAttribute('data-filter') === filter) });
    if (best) {
      drawRoom(tv, best);
      drawBoard(tv, best);
    }
    keyed(list, rooms, ({ room }) => room, () => {
      const card = stamp('wall-room');
      sight.observe(card);
      return card;
    }, (card, room) => {
      const { room: drawn, isInView = false } = cards.get(card) ?? {};
      if (drawn === room) return;
      cards.set(card, { room, isInView });
      drawRoom(card, room);
      if (isInView) drawBoard(card, room);
    });
  }

  root.onsubmit = (event) => {
    event.preventDefault();
    if (get().creating !== null) return;
    const form = /** @type {HTMLFormElement} */ (event.target);
    const way = event.submitter?.dataset.way ?? form.dataset.way ?? '';
    send({ type: 'seek', on: way === 'quick' });
    send(creation(way, new FormData(form)));
  };
  drawChoice(root, 'clock', ['0', '1', '3', '5'], (minutes) => (minutes === '0' ? 'None' : `${minutes} min`), '0');
  drawChoice(root, 'side', ['X', 'O', 'random'], spoken, 'X');
  on(filters, 'click', 'button', ({ dataset }) => {
    filter = dataset.filter ?? '';
    drawWall(get());
  });

  return (state) => {
    show(root, { back: state.mine !== null });
    attr(part(root, 'back-link'), { href: pathOf(state.mine ?? '') });
    const { levels } = state.variants[0];
    drawChoice(root, 'level', levels, spoken, PREFERRED);
    for (const mark of MARKS) fillLevels(part(root, `exhibition-${mark}`), levels, mark === 'X' ? 'hard' : PREFERRED);
    for (const button of root.querySelectorAll('form .primary')) attr(button, { 'aria-busy': state.creating !== null && 'true' });
    drawWall(state);
  };
}

/** The command that opens a room. The nonce makes it safe to send twice. @type {Creation} */
export function creation(way, form) {
  const ai = (name = 'level') => ({ ai: String(form.get(name) ?? PREFERRED) });
  const side = form.get('side');
  const isX = side === 'X' || (side !== 'O' && Math.random() < 0.5);
  const minutes = Number(form.get('clock'));
  /** @type {Ways} */
  const seats = {
    friend: { X: 'me', O: 'open' },
    here: { X: 'me', O: 'me' },
    exhibition: { X: ai('X'), O: ai('O') },
  };
  return {
    type: 'create',
    variant: '3x3',
    nonce: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    public: form.has('public') || way === 'quick' || way === 'exhibition',
    seats: seats[way] ?? (isX ? { X: 'me', O: ai() } : { X: ai(), O: 'me' }),
    clock: minutes ? { budget: minutes * 60_000, increment: 0 } : null,
  };
}

/** @type {DrawChoice} */
function drawChoice(root, name, values, word, preferred) {
  const chosen = values.includes(preferred) ? preferred : values[0];
  keyed(part(root, name), values, String, (value) => {
    const choice = stamp('choice');
    Object.assign(choice.children[0], { name, value, checked: value === chosen });
    write(choice, { word: word(value) });
    return choice;
  });
}

/** @type {DrawWallRoom} */
function drawBoard(card, { board, variant }) {
  const mini = part(card, 'mini');
  mini.style.setProperty('--columns', variant.split('x')[1]);
  keyed(mini, board.split('').entries(), ([cell]) => cell, () => make('span'), (span, [, mark]) => {
    setMark(span, mark === 'X' || mark === 'O' ? mark : null);
  });
}

/** @type {DrawWallRoom} */
function drawRoom(card, room) {
  const { seats, status, turn } = room;
  attr(card.children[0], { href: pathOf(room.room), 'data-room': room.room, 'data-status': status, 'data-turn': turn });
  write(card, { X: seatName(seats.X), O: seatName(seats.O), status: wallStatus(room), watchers: watching(room.watchers) });
  for (const mark of MARKS) attr(part(card, mark), { 'data-kind': seats[mark].kind });
}

/** @param {WallRoom} room */
function wallStatus(room) {
  const [, second] = seatsOf(room, 'open');
  if (room.status === 'playing') return `${room.turn} to move`;
  if (room.status === 'over') return 'Finished';
  return second ? 'Needs two players' : 'Needs a player';
}
