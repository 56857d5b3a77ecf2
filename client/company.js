// What another person's coming and going brings: somebody is away, has left, was covered by the computer, or would play.

import { attr, on, part, show, write } from './dom.js';
import {
  absence,
  coverLevel,
  isCut,
  myCovered,
  mySeats,
  other,
  railOf,
  roomIn,
  seeking,
  shown,
  whoLeft,
} from './selectors.js';
import { awayText, coveredText, leftText, meetLabel, partnerText } from './words/en-rare.js';
import { seatName } from './words/en.js';

/** @type {Mount} */
export function mountCompany(root, send, get) {
  /** @type {Record<string, (room: Snapshot) => void>} */
  const OFFERS = {
    cover: (room) => {
      const [mine] = mySeats(room, get().me);
      send({ type: 'seat_ai', room: room.room, seat: other(mine), level: coverLevel(get(), room) });
    },
    claim: ({ room, game }) => send({ type: 'claim', room, game }),
    take_back: (room) => {
      const [seat] = myCovered(room, get().me);
      if (seat) send({ type: 'sit', room: room.room, seat });
    },
    meet: () => {
      const { partner } = get().quick;
      if (partner && get().meeting !== partner.id) send({ type: 'meet', player: partner.id });
    },
    somebody_else: () => send(seeking(get().quick)),
    invite_again: () => send({ type: 'invite_again' }),
  };
  on(part(root, 'rail'), 'click', '[data-offer]', ({ dataset }) => {
    const room = roomIn(get());
    if (room) OFFERS[dataset.offer ?? '']?.(room);
  });
  on(root, 'click', '[data-do="wait"]', () => send({ type: 'patient', on: true }));
  on(root, 'click', '[data-do="stop-seeking"]', () => send({ type: 'seek', on: false }));

  return (state) => {
    const view = shown(state);
    if (!view || state.isTv) return;
    const { snapshot: room } = view;
    const { me, quick, meeting } = state;
    const about = railOf(state, view);
    const covered = myCovered(room, me);
    const away = about === 'playing' ? absence(view, state) : null;
    const isBetween = room.turn === null || !mySeats(room, me).length;
    show(root, {
      away: away !== null && !isCut(state) && !(state.isPatient && !away.mayClaim),
      covered: covered.length > 0 && room.status === 'playing',
      partner: quick.on && quick.partner !== null && about !== 'review' && isBetween,
      left: about === 'left',
    });
    if (away) {
      write(root, { 'away-text': awayText(away) });
      attr(part(root, 'cover'), { disabled: !away.mayCover });
      attr(part(root, 'claim'), { disabled: !away.mayClaim });
    }
    if (covered.length) write(root, { 'covered-text': coveredText(seatName(room.seats[other(covered[0])])) });
    if (quick.partner) {
      const isAsked = meeting === quick.partner.id;
      write(root, {
        'partner-text': partnerText(quick.partner, quick.asks),
        meet: meetLabel(quick.partner.name, isAsked),
      });
      attr(part(root, 'meet'), { 'aria-disabled': isAsked && 'true' });
    }
    if (about === 'left') write(root, { 'left-text': leftText(whoLeft(view)) });
  };
}
