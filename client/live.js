// The public games that are alive: the featured one large, then the others.

import { drawMini } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, show, stamp, write } from './dom.js';
import { lineOn, ownersOf } from './position.js';
import { pathOf } from './route.js';
import { MARKS, isAttended, offeredAs, rank, seatsOf } from './selectors.js';
import { EMPTY, TOOLS, listedName, listedStatus, liveCount, shortName, watching } from './words/en.js';

const ORDER = { playing: 0, waiting: 1, over: 2 };
const FINISHED_STAYS = 20_000; // ms
const FEATURED_STAYS = 12_000; // ms after its game, in case of a rematch

/** The games that go on or wait for a player, with somebody there. @param {State} state */
export const liveRooms = ({ lobby }) =>
  [...(lobby?.values() ?? [])].filter((room) => room.status !== 'over' && isAttended(room));

/** How many people play or watch. @param {Listed[]} rooms */
export const people = (rooms) => rooms.reduce((sum, { online, watchers }) => sum + online + watchers, 0);

/** @type {Mount} */
export function mountLive(root, send, get) {
  let filter = '';
  const [filters, list] = parts(root, 'filters', 'rooms');
  /** When this page first saw a game over. @type {Map<string, number>} */
  const endings = new Map();
  let [featured, until] = ['', 0];

  /** @param {State} state */
  function drawLive(state) {
    const { lobby, now } = state;
    for (const { room, game, status } of lobby?.values() ?? []) {
      if (status === 'over') endings.set(`${room}/${game}`, endings.get(`${room}/${game}`) ?? now);
    }
    const isFresh = (/** @type {Listed} */ { room, game }) =>
      now - (endings.get(`${room}/${game}`) ?? now) < FINISHED_STAYS;
    const live = liveRooms(state);
    const all = [...live, ...[...(lobby?.values() ?? [])].filter((room) => room.status === 'over' && isFresh(room))];
    const fits = (/** @type {Listed} */ room) =>
      !filter || (seatsOf(room, filter).length > 0 && (filter !== 'open' || room.status === 'waiting'));
    const rooms = all.filter(fits).sort((a, b) => ORDER[a.status] - ORDER[b.status] || rank(b) - rank(a));
    const held = rooms.find(({ room }) => room === featured);
    const [best] = rooms;
    const stays = held && (held.status === 'playing' || now < until);
    if (!stays) featured = best?.status === 'playing' ? best.room : '';
    if (!stays || held?.status === 'playing') until = now + FEATURED_STAYS;
    const first = rooms.find(({ room }) => room === featured);
    const sorted = first ? [first, ...rooms.filter((room) => room !== first)] : rooms;
    write(root, {
      'live-count': liveCount(live.length, people(live)),
      'empty-title': EMPTY[filter && all.length ? 'filtered' : 'none'],
    });
    show(root, { empty: lobby !== null && !sorted.length, filters: all.length > 0 });
    for (const chip of filters.children)
      attr(chip, { 'aria-pressed': String(chip.getAttribute('data-filter') === filter) });
    keyed(
      list,
      sorted,
      ({ room }) => room,
      () => stamp('game'),
      (card, room) => drawCard(card, room, state, room.room === featured),
    );
  }

  on(filters, 'click', 'button', ({ dataset }) => {
    filter = dataset.filter ?? '';
    drawLive(get());
  });

  return drawLive;
}

/** @param {HTMLElement} card @param {Listed} room @param {State} state @param {boolean} isFeatured */
function drawCard(card, room, state, isFeatured) {
  card.classList.toggle('featured', isFeatured);
  const { seats, status, turn, variant, board } = room;
  attr(card.children[0], { href: pathOf(room.room), 'data-room': room.room, 'data-status': status, 'data-turn': turn });
  const shape = offeredAs(state, variant);
  if (shape) {
    const marks = board.split('').map((mark) => (mark === 'X' || mark === 'O' ? mark : null));
    redraw(part(card, 'frame'), `${variant} ${board} ${status}`, () => {
      const line = status === 'over' && !shape.nested ? lineOn(marks, shape) : [];
      return [drawMini(shape, marks, { line, winner: marks[line[0]], owners: shape.nested ? ownersOf(marks) : [] })];
    });
  }
  const isOpen = status === 'waiting';
  write(card, {
    X: listedName(room, 'X'),
    O: listedName(room, 'O'),
    'game-status': isOpen ? shortName(variant) : listedStatus(room),
  });
  redraw(part(card, 'game-more'), isOpen ? 'join' : String(room.watchers), () =>
    isOpen ? [make('b', { textContent: TOOLS.join })] : [document.createTextNode(watching(room.watchers))],
  );
  for (const mark of MARKS)
    attr(/** @type {Element} */ (part(card, mark).parentElement), {
      'data-kind': seats[mark].kind,
      'data-on': turn === mark,
    });
}
