// What opens over every view: how to play, the keys, and something to say.

import { make, on, part, parts, redraw, write } from './dom.js';
import { chosenGame, roomIn } from './selectors.js';
import { HOW_TITLE, KEYS, MORE } from './words/en-rare.js';
import { GAMES, gameName, phrase } from './words/en.js';

/** @type {Mount} */
export function mountHelp(root, send, get) {
  const [phrases, digits, how, keys] = parts(root, 'phrases', 'digits', 'how-list', 'keys-list');

  on(phrases, 'click', 'button', ({ dataset }) => {
    send({ type: 'say', room: get().room ?? '', phrase: dataset.phrase });
    part(document, 'phrases').closest('[popover]').hidePopover();
  });
  digits.onchange = () => send({ type: 'prefer', digits: digits.checked });
  keys.replaceChildren(
    ...KEYS.flatMap(([name, what]) => [make('dt', { textContent: name }), make('dd', { textContent: what })]),
  );

  return (state) => {
    digits.checked = state.prefs.digits;
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
        .flatMap(([id, { name }]) => [
          make('dt', { textContent: game ? '' : name }),
          make('dd', { textContent: MORE[id] }),
        ]),
    );
  };
}
