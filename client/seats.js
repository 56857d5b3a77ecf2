/**
 * The two seat cards: who sits, online or away, score, clock, what was said, and what may be done with the seat.
 *
 * @import { Mark, Mount, RoomView, State } from './types.js'
 */

import { isLow, serverNow, timeLeft } from './clock.js';
import { part, setAttribute, setText, show, stamp } from './dom.js';
import { setMark } from './marks.js';
import { mountOffers } from './offering.js';
import { seatOffers } from './offers.js';
import { MARKS, awayFor, mySeats, shown } from './viewpoint.js';
import { duration, levelName, phrase } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  const cards = MARKS.map((mark) => {
    const card = stamp('seat');
    card.dataset.seat = mark;
    setMark(part(card, 'mark'), mark);
    element.append(card);
    return { mark, card, offers: mountOffers(part(card, 'offers'), send) };
  });

  return (state) => {
    const view = shown(state);
    if (!view) return;
    const levels = state.variants.find((variant) => variant.name === view.snapshot.variant.name)?.levels ?? [];
    for (const { mark, card, offers } of cards) {
      drawCard(card, state, view, mark);
      drawClock(card, state, view, mark);
      offers(seatOffers(view, mark, state.me, state.now), levels);
    }
  };
}

/** @param {HTMLElement} card @param {State} state @param {RoomView} view @param {Mark} mark */
function drawCard(card, state, view, mark) {
  const room = view.snapshot;
  const seat = room.seats[mark];
  const name = seat.kind === 'human' ? seat.name : seat.kind === 'ai' ? 'AI' : 'Open seat';
  setText(part(card, 'name'), name);
  setAttribute(part(card, 'name'), 'title', name);
  const saying = seat.kind === 'human' && state.sayings.find(({ player }) => player.id === seat.player);
  setText(part(card, 'sub'), saying ? phrase(saying.phrase) : subtitle(state, view, mark));
  setAttribute(part(card, 'sub'), 'data-said', saying ? '' : null);
  setText(part(card, 'score'), String(room.score[mark]));
  setAttribute(card, 'aria-label', `Seat ${mark}`);
  card.dataset.kind = seat.kind;
  card.dataset.turn = String(room.turn === mark);
  card.dataset.online = String(seat.kind !== 'human' || view.online === null || view.online.includes(mark));
}

/** @param {State} state @param {RoomView} view @param {Mark} mark */
function subtitle(state, view, mark) {
  const seat = view.snapshot.seats[mark];
  if (seat.kind === 'open') return view.snapshot.moves.length ? 'left' : 'nobody yet';
  if (seat.kind === 'ai') return seat.covers ? `${levelName(seat.level)}, for ${seat.covers.name}` : levelName(seat.level);
  if (mySeats(view.snapshot, state.me).includes(mark)) return 'you';
  if (view.online === null || view.online.includes(mark)) return 'online';
  const away = Math.floor(awayFor(view, mark, state.now) / 1000);
  return away < 5 ? 'away' : `away for ${away < 120 ? `${away} s` : `${Math.floor(away / 60)} min`}`;
}

/** @param {HTMLElement} card @param {State} state @param {RoomView} view @param {Mark} mark */
function drawClock(card, state, view, mark) {
  const { clock, turn } = view.snapshot;
  const face = part(card, 'clock');
  show(face, clock !== null);
  if (!clock) return;
  const left = timeLeft(clock, turn, mark, serverNow(state));
  setText(part(face, 'time'), duration(left));
  setAttribute(face, 'data-low', isLow(clock, left) ? '' : null);
  setAttribute(face, 'data-running', clock.since !== null && turn === mark ? '' : null);
  face.style.setProperty('--left', Math.min(1, left / clock.budget).toFixed(4));
}
