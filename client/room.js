// A room: mounts its parts, writes the headline, shares the link.

import { mountBoard } from './board.js';
import { attr, part, parts, show, write } from './dom.js';
import { mountLook } from './look.js';
import { gameName, gameRule } from './names.js';
import { gameOffers, mountOffers, quickOffers } from './offers.js';
import { pathOf } from './route.js';
import { mountSay, mountSeats } from './seats.js';
import { awayFor, mySeats, other, seatsOf, shown, shownPly } from './viewpoint.js';
import { absence, headline, quickNote, watching } from './words.js';

const NOTICED = 3000; // ms; a reload is shorter
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;

/** Only one offer at a time is primary. @type {AsideOf} */
const asideOf = (offer) => (offer.weight === 'primary' ? { ...offer, weight: 'plain' } : offer);

/** @type {Mount} */
export function mountRoom(root, send, get) {
  const renders = [
    mountSeats(part(root, 'seats'), send, get),
    mountBoard(part(root, 'board'), send, get),
    mountShare(root, send, get),
    mountLook(root, send, get),
    mountSay(part(root, 'say'), send, get),
  ];
  const actions = mountOffers(part(root, 'actions'), send);
  part(root, 'quick-stop').onclick = () => send({ type: 'seek', on: false });

  return (state) => {
    const view = shown(state);
    if (!view) return;
    const { quick, look, me } = state;
    const { snapshot: room, watchers } = view;
    root.dataset.status = room.status;
    const { title, detail } = headline(look.back?.snapshot ?? room, me, shownPly(state, room));
    const { draws } = room.score;
    const facts = [`Game ${room.game}`, draws && `${draws} drawn`, watching(watchers), room.public ? 'public' : 'private'];
    write(root, {
      headline: title,
      detail: absenceNote(view, state) || detail,
      rule: [gameName(room.variant.name), gameRule(room.variant.name)].filter(Boolean).join(' · '),
      facts: facts.filter(Boolean).join(' · '),
      'quick-note': quickNote(quick.partner?.name, quick.asks, room.turn === null),
    });
    show(root, { quick: quick.on });
    const meeting = quickOffers(view, state);
    const playing = gameOffers(view, state);
    actions([...meeting, ...(meeting.length ? playing.map(asideOf) : playing)]);
    for (const render of renders) render(state, view);
  };
}

/**
 * The other player has been away for a while in a running game.
 * @param {RoomView} view
 * @param {State} state
 */
function absenceNote(view, { me, now, look, limits }) {
  const { seats, turn } = view.snapshot;
  const [mine, both] = mySeats(view.snapshot, me);
  if (!turn || !mine || both || look.back) return '';
  const [seat, away] = [seats[other(mine)], awayFor(view, other(mine), now)];
  return seat.kind === 'human' && away >= NOTICED ? absence(seat.name, away, limits.cover_after) : '';
}

/**
 * Shares the link. Copying also works without a clipboard API, as on plain HTTP.
 * @type {MountPart}
 */
function mountShare(root, send) {
  const [box, link] = parts(root, 'share', 'share-link');
  part(root, 'copy').onclick = part(root, 'share-copy').onclick = async () => {
    const isCopied = await navigator.clipboard?.writeText(link.value).then(() => true, () => false) || copyBySelection();
    send({ type: 'told', text: isCopied ? 'Link copied.' : 'This browser does not allow copying. The link is selected: copy it yourself.' });
  };
  part(root, 'share-sheet').onclick = () => navigator.share({ title: 'Noughts', text: 'Play tic-tac-toe with me', url: link.value }).catch(() => {});
  link.onfocus = () => link.select();
  show(box, { 'share-sheet': 'share' in navigator, 'share-local': LOOPBACK.test(location.hostname) });

  /** The old way: select the text and copy the selection. */
  function copyBySelection() {
    const [wasHidden, focused] = [box.hidden, document.activeElement];
    box.hidden = false; // hidden text cannot be selected
    link.select();
    const isCopied = document.execCommand('copy');
    box.hidden = wasHidden;
    if (isCopied && focused instanceof HTMLElement) focused.focus();
    return isCopied;
  }

  return ({ me }, { snapshot }) => {
    const path = pathOf(snapshot.room);
    if (link.value !== location.origin + path) link.value = location.origin + path;
    const isInviting = seatsOf(snapshot, 'open').length > 0 && mySeats(snapshot, me).length > 0;
    show(root, { share: isInviting, copy: !isInviting });
    if (isInviting) attr(part(root, 'share-code'), { src: `${path}/qr.svg` });
  };
}
