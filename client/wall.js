// The list of public games, with the most watched one first and large.

import { attr, keyed, make, on, part, parts, setMark, show, stamp, write } from './dom.js';
import { gameName } from './names.js';
import { pathOf } from './route.js';
import { MARKS, offeredAs, seatsOf } from './viewpoint.js';
import { seatName, wallStatus, watching } from './words.js';

const RANK = { playing: 0, waiting: 1, over: 2 };
const STAYS = 12_000; // ms; a featured room stays that long after its game, in case of a rematch

/** @type {Mount} */
export function mountWall(root, send, get) {
  let filter = '';
  const [tv, filters, list] = parts(root, 'tv', 'filters', 'rooms');
  /** The rooms in the list. Only the boards in view are drawn. @type {WeakMap<Element, Card>} */
  const cards = new WeakMap();
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = cards.get(target);
      if (card) card.isInView = isIntersecting;
      if (card && isIntersecting) drawBoard(target, card.room, get());
      if (!target.isConnected) sight.unobserve(target);
    }
  }, { rootMargin: '200px' });
  /** The featured room, and until when it stays without a game. */
  let [featured, until] = ['', 0];
  tv.append(...stamp('wall-room').children);
  write(tv, { tag: 'Featured game' });

  /** @param {State} state */
  function drawWall(state) {
    const { wall, now } = state;
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
      drawBoard(tv, best, state);
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
      if (isInView) drawBoard(card, room, state);
    });
  }

  on(filters, 'click', 'button', ({ dataset }) => {
    filter = dataset.filter ?? '';
    drawWall(get());
  });

  return drawWall;
}

/** A small picture of any board. @type {DrawMini} */
function drawBoard(card, { board, variant }, state) {
  const { columns, nested } = offeredAs(state, variant) ?? { columns: Math.ceil(Math.sqrt(board.length)) };
  const mini = part(card, 'mini');
  mini.style.cssText = `--columns: ${columns}; --rows: ${board.length / columns}`;
  attr(mini, { 'data-nested': nested });
  keyed(mini, board.split('').entries(), ([cell]) => cell, () => make('span'), (span, [, mark]) => {
    setMark(span, mark === 'X' || mark === 'O' ? mark : null);
  });
}

/** @type {DrawWallRoom} */
function drawRoom(card, room) {
  const { seats, status, turn } = room;
  attr(card.children[0], { href: pathOf(room.room), 'data-room': room.room, 'data-status': status, 'data-turn': turn });
  write(card, {
    X: seatName(seats.X), O: seatName(seats.O), game: gameName(room.variant), status: wallStatus(room), watchers: watching(room.watchers),
  });
  for (const mark of MARKS) attr(part(card, mark), { 'data-kind': seats[mark].kind });
}
