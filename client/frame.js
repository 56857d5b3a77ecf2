// Around every view: notices, the line, the window's title, the theme, and the slips of help.

import { attr, make, on, onKey, part, parts, redraw, show, write } from './dom.js';
import { chosenGame, isCut, roomIn } from './selectors.js';
import { GAMES, HOW_TITLE, KEYS, LINES, gameName, notice as noticeText, phrase, windowTitle } from './words/en.js';

const SLOW_FRAME = 50; // ms
const SLOW_FRAMES = 4; // so many, and the grain goes

/** @type {Mount} */
export function mountFrame(root, send, get) {
  const [notice, phrases, digits, how, keys] = parts(root, 'notice', 'phrases', 'digits', 'how-list', 'keys-list');

  on(root, 'click', '[data-do="retry"]', () => send({ type: 'retry' }));
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
  dropSlowGrain(root);

  return (state) => {
    const { prefs, link } = state;
    const isHome = state.room === null || state.missing;
    if (document.title !== windowTitle(state)) document.title = windowTitle(state);
    attr(document.documentElement, { 'data-theme': prefs.theme !== 'auto' && prefs.theme });
    attr(root, { 'data-link': link });
    attr(notice, { 'data-code': state.notice?.code });
    write(root, { notice: state.notice ? noticeText(state.notice) : '', 'home-line-text': LINES[link] });
    show(root, { notice: state.notice !== null, 'home-line': isCut(state) && (isHome || link === 'refused') });
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
