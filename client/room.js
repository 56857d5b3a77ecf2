/**
 * A room's page: introduces its parts to one another's space and writes the headline.
 *
 * Knows neither sockets nor how any part works inside.
 *
 * @import { Mount } from './types.js'
 */

import { mount as mountBoard } from './board.js';
import { part, setText } from './dom.js';
import { mount as mountLook } from './look.js';
import { mountOffers } from './offering.js';
import { gameOffers } from './offers.js';
import { mount as mountSay } from './say.js';
import { mount as mountSeats } from './seats.js';
import { mount as mountShare } from './share.js';
import { headline } from './telling.js';
import { role, shown, shownPly } from './viewpoint.js';
import { watching } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  const renders = [
    mountSeats(part(element, 'seats'), send),
    mountBoard(part(element, 'board'), send),
    mountShare(element, send),
    mountLook(part(element, 'look'), send),
    mountSay(part(element, 'say'), send),
  ];
  const actions = mountOffers(part(element, 'actions'), send);

  return (state) => {
    const view = shown(state);
    if (!view) return;
    const room = view.snapshot;
    element.dataset.status = room.status;
    element.dataset.role = role(room, state.me);
    element.dataset.room = room.room;
    const { title, detail } = headline(room, state.me, shownPly(state, room));
    setText(part(element, 'headline'), title);
    setText(part(element, 'detail'), detail);
    const draws = room.score.draws ? `${room.score.draws} drawn` : '';
    const facts = [`Game ${room.game}`, draws, view.watchers ? watching(view.watchers) : '', room.public ? 'on the wall' : 'private'];
    setText(part(element, 'facts'), facts.filter(Boolean).join(' · '));
    actions(gameOffers(view, state.me, state.now), []);
    for (const render of renders) render(state);
  };
}
