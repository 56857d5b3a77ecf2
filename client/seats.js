// The people in a room: the two players' cards, and what people say.

import { attr, keyed, make, on, part, parts, setMark, stamp, write } from './dom.js';
import { mountOffers, seatOffers } from './offers.js';
import { MARKS, isCut, isLow, mySeats, offeredAs, timeLeft } from './viewpoint.js';
import { duration, phrase, seatName } from './words.js';

/** @type {MountPart} */
export function mountSeats(root, send) {
  const cards = MARKS.map((mark) => {
    const card = stamp('seat');
    attr(card, { 'data-seat': mark, 'aria-label': `Player ${mark}` });
    setMark(part(card, 'mark'), mark);
    root.append(card);
    return { mark, card, offer: mountOffers(part(card, 'offers'), send) };
  });

  return (state, view) => {
    const variant = offeredAs(state, view.snapshot.variant.name);
    for (const { mark, card, offer } of cards) {
      drawCard(card, state, view, mark);
      offer(seatOffers(view, mark, state), variant?.levels);
    }
  };
}

/** @type {DrawSeat} */
function drawCard(card, state, view, mark) {
  const { seats, score, turn, clock } = view.snapshot;
  const seat = seats[mark];
  const name = seatName(seat);
  const saying = seat.kind === 'human' && state.sayings.find(({ player }) => player.id === seat.player);
  write(card, { name, sub: saying ? phrase(saying.phrase) : subtitle(state, view, mark), score: score[mark] });
  attr(part(card, 'name'), { title: name });
  attr(part(card, 'sub'), { 'data-said': Boolean(saying) });
  attr(card, { 'data-kind': seat.kind, 'data-turn': String(turn === mark), 'data-online': String(isOnline(view, mark)) });
  const face = part(card, 'clock');
  face.hidden = clock === null;
  if (!clock) return;
  const left = timeLeft(clock, turn, mark, state.now + state.offset);
  write(face, { time: duration(left) });
  attr(face, { 'data-low': isLow(clock, left), 'data-running': clock.since !== null && turn === mark });
  face.style.setProperty('--left', Math.min(1, left / clock.budget).toFixed(4));
}

/** True until a presence frame says otherwise. @type {IsOnline} */
const isOnline = ({ snapshot, online }, mark) => snapshot.seats[mark].kind !== 'human' || online === null || online.includes(mark);

/** @type {Subtitle} */
function subtitle({ me }, view, mark) {
  const seat = view.snapshot.seats[mark];
  const mine = mySeats(view.snapshot, me);
  if (seat.kind === 'open') return view.snapshot.moves.length ? 'has left' : 'nobody yet';
  if (seat.kind === 'ai') return seat.covers ? `for ${seat.covers.name}` : 'computer';
  if (mine.includes(mark)) return 'you';
  return isOnline(view, mark) ? 'online' : 'away';
}

/** The phrases one can say, and those that spectators have said. @type {MountPart} */
export function mountSay(root, send, get) {
  const [row, heard] = parts(root, 'phrases', 'heard');

  on(row, 'click', 'button', ({ dataset }) => send({ type: 'say', room: get().room ?? '', phrase: dataset.key }));

  return (state, { snapshot: { seats } }) => {
    root.hidden = state.phrases.length === 0;
    keyed(row, state.phrases, String, (code) => make('button', { className: 'chip', textContent: phrase(code) }), (button) => {
      button.toggleAttribute('disabled', isCut(state));
    });
    const seated = Object.values(seats).map((seat) => seat.kind === 'human' && seat.player);
    const others = state.sayings.filter(({ player }) => !seated.includes(player.id));
    keyed(heard, others, ({ key }) => key, (saying) => make('li', { textContent: `${saying.player.name}: ${phrase(saying.phrase)}` }));
  };
}
