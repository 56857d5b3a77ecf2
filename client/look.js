// Stepping back through the moves while the game goes on, and the switch for the analysis.

import { attr, keyed, make, on, onKey, parts, show, write } from './dom.js';
import { lookNote, place, spoken } from './names.js';
import { pathOf } from './route.js';
import { MARKS, isCut, isWatcher, lookedAt, mayAnalyse, mySeats, roomIn, shownPly } from './viewpoint.js';
import { newMoves, plyLabel } from './words.js';

/** @type {MountPart} */
export function mountLook(root, send, get) {
  const [toggle, past, slider, list, live, earlier] = parts(root, 'look-toggle', 'past', 'slider', 'moves', 'live', 'earlier');
  const [backward, forward] = past.querySelectorAll('button');
  let asked = '';

  /** A step past the last move leads back to the game. */
  function go(ply = 0) {
    const room = lookedAt(get());
    const isBack = room && (ply < room.moves.length || room.game !== roomIn(get())?.game);
    send({ type: 'step', ply: isBack ? ply : null });
  }

  toggle.onclick = () => send({ type: 'look', on: !get().look.on });
  live.onclick = () => send({ type: 'step', ply: null });
  slider.oninput = () => go(slider.valueAsNumber);
  on(past, 'click', '[data-ply]', ({ dataset }) => go(Number(dataset.ply)));
  onKey(({ key, target }) => {
    const step = { ArrowLeft: backward, ArrowRight: forward }[key];
    const isOnBoard = target instanceof Element && target.closest('[role="grid"]');
    if (step && !isOnBoard && !past.hidden && !root.hidden) step.click();
  });

  return (state, { snapshot: now }) => {
    const { look, look: { back, analysis }, me } = state;
    const room = back?.snapshot ?? now;
    const { moves, status } = room;
    const ply = shownPly(state, room);
    const isOver = status === 'over';
    const isSameGame = room.game === now.game;
    const mayAsk = mayAnalyse(room, me);
    const mayLook = mayAsk && (isOver ? moves.length > 0 : status === 'playing');
    const known = analysis?.ply === ply && analysis.game === room.game && analysis.turn ? analysis : null;
    show(root, {
      past: moves.length > 0 && (isOver || back !== null || isWatcher(room, me)),
      live: back !== null,
      earlier: room.game > 1,
      'look-toggle': mayLook,
      'look-note': mayLook && look.on,
    });
    attr(earlier, { href: pathOf(room.room, room.game - 1) });
    write(root, {
      earlier: `Look at game ${room.game - 1}`,
      live: back ? newMoves(isSameGame ? now.moves.length - back.from : null) : '',
      'look-toggle': !isOver && mySeats(room, me).length ? 'Hint' : 'Analysis',
      'look-note': lookNote(known, ply < moves.length),
    });
    attr(toggle, { disabled: isCut(state), 'aria-pressed': String(look.on) });
    attr(backward, { 'data-ply': ply - 1, 'aria-disabled': ply === 0 && 'true' });
    attr(forward, { 'data-ply': ply + 1, 'aria-disabled': back === null && 'true' });
    slider.max = String(moves.length);
    if (slider.valueAsNumber !== ply) slider.value = String(ply);
    attr(slider, { 'aria-valuetext': plyLabel(ply, moves.length) });
    drawMoves(list, room, ply);
    const wish = look.on && mayAsk && state.link === 'online' ? [room.room, room.game, ply].join() : '';
    if (wish && wish !== asked) send({ type: 'analyse', room: room.room, ply, game: room.game });
    asked = wish;
  };
}

/** @type {DrawMoves} */
function drawMoves(list, { moves, variant }, ply) {
  keyed(list, moves.entries(), ([index]) => index + 1, ([index]) => {
    const mark = MARKS[index % 2];
    const item = make('li');
    item.append(make('button', { className: `chip move-${mark}`, textContent: mark }));
    return item;
  }, (item, [index, cell]) => {
    const where = place(cell, variant);
    attr(item.children[0], {
      'data-ply': index + 1,
      'aria-label': `Move ${index + 1}: ${MARKS[index % 2]} on ${where}`,
      'aria-current': index + 1 === ply && 'step',
      title: spoken(where),
    });
  });
  if (list.dataset.ply === String(ply)) return;
  list.dataset.ply = String(ply);
  const current = /** @type {HTMLElement | undefined} */ (list.children[ply - 1]);
  list.scrollTop = current ? current.offsetTop - list.clientHeight / 2 : 0;
}
