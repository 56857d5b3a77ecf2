/**
 * Looking closer: a switch that colours the free cells by their exact value, and after the end a way back through
 * the moves.
 *
 * Asks for nothing itself: main.js sees from the state which analysis is wanted.
 *
 * @import { Mount, State } from './types.js'
 */

import { closest, part, setAttribute, setText, show } from './dom.js';
import { isCut, mayAnalyse, mySeats, roomIn, shownPly } from './viewpoint.js';
import { plyLabel } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  const toggle = part(element, 'look-toggle', HTMLButtonElement);
  const stepper = part(element, 'stepper');
  const output = part(element, 'ply');
  const note = part(element, 'look-note');
  /** @type {State | null} */
  let last = null;

  toggle.addEventListener('click', () => {
    const room = last && roomIn(last);
    if (!last || !room) return;
    const isBack = room.status === 'over' && room.moves.length > 0;
    send({ type: 'look', on: !last.look.on, ply: isBack ? room.moves.length - 1 : null });
  });
  stepper.addEventListener('click', (event) => {
    const step = Number(closest(event, '[data-step]')?.dataset.step);
    const room = last && roomIn(last);
    if (!last || !room || !step) return;
    const goal = Math.min(room.moves.length, Math.max(0, shownPly(last, room) + step));
    send({ type: 'look', on: true, ply: goal });
  });

  return (state) => {
    last = state;
    const room = roomIn(state);
    if (!room) return;
    const isOver = room.status === 'over';
    const isMine = mySeats(room, state.me).length > 0;
    show(element, mayAnalyse(room, state.me) && (isOver ? room.moves.length > 0 : room.status === 'playing'));
    setText(toggle, isOver ? 'Look back' : isMine ? 'Hint' : 'Analysis');
    toggle.disabled = isCut(state) && !isOver;
    setAttribute(toggle, 'aria-pressed', String(state.look.on));
    show(stepper, isOver && state.look.on);
    const ply = shownPly(state, room);
    setText(output, plyLabel(ply, room.moves.length));
    for (const button of stepper.querySelectorAll('button')) {
      const edge = button.dataset.step === '-1' ? 0 : room.moves.length;
      setAttribute(button, 'aria-disabled', ply === edge ? 'true' : null);
    }
    const turn = state.look.analysis?.ply === ply ? state.look.analysis.turn : null;
    show(note, state.look.on && turn !== null);
    setText(note, turn === null ? '' : `What each cell brings ${turn} with best play${isOver ? '; the ring marks the move made' : ''}.`);
  };
}

/** The analysis the page would like to see, or null. @param {State} state */
export function wanted(state) {
  const room = roomIn(state);
  if (!room || !state.look.on || state.link !== 'online' || !mayAnalyse(room, state.me)) return null;
  return { room: room.room, game: room.game, ply: shownPly(state, room) };
}
