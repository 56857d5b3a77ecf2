// Around every view: notices, the line, the window's title, the theme, the slips of help, and what a screen reader says.

import { attr, make, on, onKey, part, parts, redraw, show, write } from './dom.js';
import { asPlayed, chosenGame, heldUp, isCut, roomIn, shown } from './selectors.js';
import {
  CROWDED,
  GAMES,
  HOW_TITLE,
  KEYS,
  LINES,
  changes,
  gameName,
  notice as noticeText,
  phrase,
  said,
  windowTitle,
} from './words/en.js';

const ANNOUNCEMENTS = 6;
const SLOW_FRAME = 50; // ms
const SLOW_FRAMES = 4; // so many, and the grain goes

/** @type {Mount} */
export function mountFrame(root, send, get) {
  const [notice, phrases, digits, how, keys] = parts(root, 'notice', 'phrases', 'digits', 'how-list', 'keys-list');

  on(root, 'click', '[data-do="retry"]', () => send({ type: 'retry' }));
  on(root, 'click', '[data-do="give-up"]', () => send({ type: 'give_up' }));
  on(root, 'click', '[data-way="friend"]', () => send({ type: 'sheet', tab: 'friend' }));
  on(phrases, 'click', 'button', ({ dataset }) => {
    send({ type: 'say', room: get().room ?? '', phrase: dataset.phrase });
    part(document, 'phrases').closest('[popover]').hidePopover();
  });
  digits.onchange = () => send({ type: 'prefer', digits: digits.checked });
  onKey(({ key }) => {
    if (key === '?') document.getElementById('keys')?.togglePopover();
  });
  keys.replaceChildren(
    ...KEYS.flatMap(([name, what]) => [make('dt', { textContent: name }), make('dd', { textContent: what })]),
  );
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
    digits.checked = prefs.digits;
    redraw(phrases, state.phrases.join(), () =>
      state.phrases.map((code) => {
        const button = make('button', { className: 'btn', textContent: phrase(code) });
        button.dataset.phrase = code;
        return button;
      }),
    );
    const game = roomIn(state)?.variant.name ?? (state.room === null ? null : chosenGame(state).name);
    write(root, { 'how-title': game ? gameName(game) : HOW_TITLE });
    redraw(how, game ?? '', () =>
      Object.entries(GAMES)
        .filter(([name]) => !game || name === game)
        .flatMap(([, { name, more }]) => [
          make('dt', { textContent: game ? '' : name }),
          make('dd', { textContent: more }),
        ]),
    );
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
    if (room && room !== before && me) {
      const isFirst = before?.room !== room.room;
      for (const change of changes(before, isFirst ? asPlayed(view) : room, me)) announce(change);
    }
    if (!room || me) before = room;
    for (const { key, player, phrase: code } of state.sayings) {
      if (key > heard) announce(said(player.name, code));
      heard = Math.max(heard, key);
    }
    if (notice && notice.key !== noticed) announce(noticeText(notice));
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
