// Looking back on a game, move by move: what every square was worth, and a game against the computer from there.

import { attr, on, onKey, part, parts, redraw, show, write } from './dom.js';
import { svg } from './drawing.js';
import { drawChips } from './end.js';
import { pathOf } from './route.js';
import { lookedAt, reviewOf, roomIn, turningPoint } from './selectors.js';
import { linkTo, shareLink } from './share.js';
import { backToGame, earlierGame, graphLabel, reviewWords } from './words/en-rare.js';
import { TOOLS } from './words/en.js';

/** Step through the moves, see what every square was worth, and play on from there. @type {Mount} */
export function mountReview(root, send, get) {
  const [card, chips, graph, earlier] = parts(root, 'review', 'review-moves', 'graph', 'earlier');

  /** A step past the last move of a game that goes on leads back to it. @param {number} ply */
  function go(ply) {
    const room = lookedAt(get());
    if (!room) return;
    const isNow = room.game === roomIn(get())?.game && room.status !== 'over';
    send({ type: 'step', ply: ply >= room.moves.length && isNow ? null : Math.min(ply, room.moves.length) });
  }

  const at = () => get().look.back?.ply ?? 0;
  on(card, 'click', '[data-do="back"]', () => go(at() - 1));
  on(card, 'click', '[data-do="on"]', () => go(at() + 1));
  on(card, 'click', '[data-do="live"]', () => send({ type: 'step', ply: null }));
  on(card, 'click', '[data-do="values"]', () => send({ type: 'look', on: !get().look.on }));
  on(card, 'click', '[data-do="play-on"]', () => send({ type: 'play_on', ply: at() }));
  on(card, 'click', '[data-do="copy-game"]', () => {
    const room = lookedAt(get());
    if (room) shareLink(send, linkTo(pathOf(room.room, room.game)));
  });
  on(chips, 'click', 'button', ({ dataset }) => go(Number(dataset.ply)));
  onKey(({ key, target }) => {
    const isOnBoard = target instanceof Element && target.closest('.board');
    if (!get().look.back || isOnBoard) return;
    if (key === 'ArrowLeft') go(at() - 1);
    if (key === 'ArrowRight') go(at() + 1);
    if (key === 'Escape') send({ type: 'step', ply: null });
  });

  return (state) => {
    const now = roomIn(state);
    const { back } = state.look;
    if (!now || state.isTv) return;
    show(root, { review: back !== null });
    if (!back) return;
    const { snapshot: room, ply } = back;
    const isOver = room.status === 'over';
    const isSameGame = room.game === now.game;
    const [title, note] = reviewWords(state, room, ply);
    write(root, {
      'review-title': title,
      'review-note': note,
      'review-values': state.look.on ? TOOLS.hide_values : TOOLS.show_values,
      'earlier-game': earlierGame(room.game - 1),
      live: backToGame(isSameGame ? now.moves.length - back.from : null, isOver),
    });
    show(root, {
      'play-on': isOver && ply < room.moves.length,
      earlier: room.game > 1,
      'copy-game': isOver,
      graph: reviewOf(state, room).length > 1,
    });
    attr(earlier, { href: pathOf(room.room, room.game - 1) });
    attr(part(root, 'values'), { 'aria-pressed': String(state.look.on) });
    attr(card.querySelector('[data-do="back"]'), { 'aria-disabled': ply === 0 && 'true' });
    attr(card.querySelector('[data-do="on"]'), { 'aria-disabled': ply === room.moves.length && isOver && 'true' });
    drawChips(chips, state, room, ply);
    drawLine(graph, state, room);
  };
}

const SIGNS = { win: 1, draw: 0, loss: -1, unknown: 0 };

/** How the game stood, move by move. @param {HTMLElement} graph @param {State} state @param {Snapshot} room */
function drawLine(graph, state, room) {
  const lines = reviewOf(state, room);
  const point = turningPoint(state, room);
  const values = lines.map(
    ({ mark, value, estimate = 0 }) => (mark === 'X' ? 1 : -1) * (value === 'unknown' ? estimate / 100 : SIGNS[value]),
  );
  redraw(graph, `${room.game} ${values.join()}`, () =>
    drawGraph([0, ...values], point ? lines.indexOf(point) + 1 : null),
  );
  attr(graph, { 'aria-label': graphLabel(state, room) });
}

/** How the game stood after each move: 1 won for X, 0 even, -1 won for O. @param {number[]} values @param {number | null} slip */
function drawGraph(values, slip) {
  const x = (nth = 0) => 2 + (316 * nth) / Math.max(1, values.length - 1);
  const y = (value = 0) => 24 - 16 * value;
  const line = values.map((value, nth) => {
    if (nth === 0) return `M${x(0).toFixed(1)} ${y(value)}`;
    const [from, to] = [x(nth - 1), x(nth)];
    return `C${(from + (to - from) / 2).toFixed(1)} ${y(values[nth - 1])} ${(from + (to - from) / 2).toFixed(1)} ${y(value)} ${to.toFixed(1)} ${y(value)}`;
  });
  const drawn = [
    svg('path', { class: 'axis', d: 'M0 8h320M0 24h320M0 40h320' }),
    svg('path', { class: 'val', d: line.join('') }),
  ];
  // A line without length is a dot that stays round however the drawing is stretched.
  if (slip !== null) drawn.push(svg('path', { class: 'at', d: `M${x(slip).toFixed(1)} ${y(values[slip])}h.01` }));
  return drawn;
}
