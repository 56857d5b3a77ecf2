// Around every view: notices, the line, the window's title, the theme, and what a screen reader says.

import { attr, make, on, onKey, part, show, write } from './dom.js';
import { asPlayed, heldUp, isCut, shown } from './selectors.js';
import { CROWDED, LINES, changes, notice as noticeText, said, windowTitle } from './words/en.js';

const ANNOUNCEMENTS = 6;
const SLOW_FRAME = 50; // ms
const SLOW_FRAMES = 4; // so many, and the grain goes

/** @type {Mount} */
export function mountFrame(root, send, get) {
  const notice = part(root, 'notice');

  on(root, 'click', '[data-do="retry"]', () => send({ type: 'retry' }));
  on(root, 'click', '[data-do="give-up"]', () => send({ type: 'give_up' }));
  on(root, 'click', '[data-way="friend"]', () => send({ type: 'sheet', tab: 'friend' }));
  onKey(({ key }) => {
    if (key === '?') document.getElementById('keys')?.togglePopover();
  });
  const announce = mountAnnouncer(part(root, 'announcer'));
  dropSlowGrain(root);

  return (state) => {
    announce(state);
    const { prefs, link } = state;
    const isHome = state.room === null || state.missing;
    if (document.title !== windowTitle(state)) document.title = windowTitle(state);
    attr(document.documentElement, { 'data-theme': prefs.theme !== 'auto' && prefs.theme });
    attr(root, { 'data-link': link });
    attr(notice, { 'data-code': state.notice?.code });
    const held = heldUp(state);
    write(root, {
      notice: state.notice ? noticeText(state.notice) : '',
      'home-line-text': LINES[link],
      'crowded-text': held ? CROWDED[held.whose] : '',
    });
    show(root, {
      notice: state.notice !== null,
      'home-line': isCut(state) && (isHome || link === 'refused'),
      crowded: held !== null,
    });
  };
}

/** Tells a screen reader what changes, each thing once. @param {HTMLElement} root @returns {(state: State) => void} */
function mountAnnouncer(root) {
  /** @type {Snapshot | undefined} */
  let before;
  let link = 'connecting';
  let [heard, noticed, wasHeld] = [0, 0, false];

  function announce(textContent = '') {
    root.append(make('p', { textContent }));
    if (root.children.length > ANNOUNCEMENTS) root.children[0].remove();
  }

  return (state) => {
    const { me, notice } = state;
    const view = shown(state);
    const room = view?.snapshot;
    const changed =
      room && room !== before && me ? changes(before, before?.room === room.room ? room : asPlayed(view), me) : [];
    for (const change of changed) announce(change);
    if (!room || me) before = room;
    for (const { key, player, phrase: code } of state.sayings) {
      if (key > heard) announce(said(player.name, code));
      heard = Math.max(heard, key);
    }
    if (notice && notice.key !== noticed && !changed.includes(noticeText(notice))) announce(noticeText(notice));
    noticed = notice?.key ?? noticed;
    const held = heldUp(state);
    if (held && !wasHeld) announce(CROWDED[held.whose]); // not again with every attempt
    wasHeld = held !== null;
    if (state.link !== link && (link !== 'connecting' || isCut(state))) announce(LINES[state.link]);
    link = state.link;
  };
}

/** The pencil's grain costs time to draw. A machine that is slow at it does without. @param {HTMLElement} root */
function dropSlowGrain(root) {
  let [before, slow, frames] = [0, 0, 0];
  const look = (/** @type {number} */ now) => {
    if (before && !document.hidden && now - before > SLOW_FRAME) slow += 1;
    before = now;
    frames += 1;
    if (slow >= SLOW_FRAMES) root.classList.remove('grain');
    else if (frames < 120) requestAnimationFrame(look);
  };
  setTimeout(() => requestAnimationFrame(look), 1500); // after everything has loaded
}
