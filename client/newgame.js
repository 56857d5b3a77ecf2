// The sheet for a new game: against a friend, the computer, or two at this screen. It remembers the last choices.

import { drawMark, icon } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, stamp, write } from './dom.js';
import { drawPicker } from './home.js';
import { chosenGame, climbed, levelFor, resultsOf } from './selectors.js';
import { NEXT_STEP, SIDES, SIGHTS, WORDS, beaten, clockName, gameRule, levelAbout, levelName } from './words/en.js';

const DOUBLE_TAP = 500; // ms
const CLOCKS = ['0', '5', '10', '30', '180'];

/** @type {Mount} */
export function mountNewGame(dialog, send, get) {
  const sheet = /** @type {HTMLDialogElement} */ (dialog);
  const form = /** @type {HTMLFormElement} */ (part(dialog, 'new-game-form'));
  const [cards, clocks, sides, sights, ladder] = parts(dialog, 'cards', 'clocks', 'sides', 'sights', 'ladder');
  let openedAt = 0;
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

  drawOptions(clocks, 'clock', CLOCKS, (seconds) => [clockName(Number(seconds))]);
  drawOptions(sides, 'side', Object.keys(SIDES), (side) =>
    side === 'random'
      ? [SIDES.random]
      : [drawMark(side === 'X' ? 'X' : 'O'), make('span', { className: 'unseen', textContent: side })],
  );
  drawOptions(sights, 'sight', Object.keys(SIGHTS), (sight) => [SIGHTS[sight === 'public' ? 'public' : 'private'][0]]);

  on(dialog, 'change', 'input[type="radio"]', (element) => {
    const { name, value } = /** @type {HTMLInputElement} */ (element);
    if (name === 'tab') send({ type: 'sheet', tab: value });
    send({ type: 'prefer', [name === 'sheet-game' ? 'game' : name]: value });
  });
  form.onsubmit = (event) => {
    if (/** @type {HTMLButtonElement | null} */ (event.submitter)?.value !== 'go') return;
    const [first, second] = [field('first').value, field('second').value];
    const way = get().sheet ?? 'friend';
    if (way === 'here') send({ type: 'prefer', second });
    send({ type: 'seek', on: false });
    send({ type: 'new_game', way, names: [first, second] });
  };
  sheet.onclose = () => send({ type: 'sheet', tab: null });
  on(dialog, 'click', '[data-do="close"]', () => sheet.close());
  sheet.onclick = (event) => {
    // Outside; but the second tap of two has opened it.
    if (event.target === sheet && event.timeStamp - openedAt > DOUBLE_TAP) sheet.close();
  };

  return (state) => {
    const { sheet: tab, prefs, progress, me } = state;
    if (tab === null) return sheet.open ? sheet.close() : undefined;
    const game = chosenGame(state);
    const level = levelFor(state, game);
    if (!sheet.open) {
      [field('first').value, field('second').value] = [me?.name ?? '', prefs.second];
      document.querySelector(':popover-open')?.matches('.menu') &&
        /** @type {any} */ (document.getElementById('menu')).hidePopover();
      sheet.showModal();
      openedAt = performance.now();
    }
    for (const set of form.querySelectorAll('[data-for]'))
      attr(set, { hidden: !set.getAttribute('data-for')?.split(' ').includes(tab) });
    drawPicker(
      cards,
      state.variants.map(({ name }) => name),
      game.name,
      'sheet-game',
    );
    drawLadder(ladder, game, level, progress);
    check(form, { tab, clock: prefs.clock, side: prefs.side, sight: prefs.sight });
    write(dialog, {
      'sheet-rule': gameRule(game.name),
      'sight-note': SIGHTS[prefs.sight === 'public' ? 'public' : 'private'][1],
    });
    const words = WORDS.opponents[tab === 'computer' || tab === 'here' ? tab : 'friend'];
    write(dialog, { go: words.replace('*', levelName(level)) });
    return undefined;
  };
}

/** @param {HTMLElement} root @param {string} name @param {string[]} values @param {(value: string) => (string | Node)[]} word */
function drawOptions(root, name, values, word) {
  keyed(root, values, String, (value) => {
    const option = stamp('option');
    Object.assign(option.children[0], { name, value });
    part(option, 'word').append(...word(value));
    return option;
  });
}

/** Strongest on top. @param {HTMLElement} root @param {Welcome['variants'][number]} game @param {string} chosen @param {Progress} progress */
function drawLadder(root, { name, levels }, chosen, progress) {
  const behind = climbed(progress, name, levels);
  keyed(
    root,
    [...levels].reverse(),
    String,
    (level) => {
      const rung = stamp('rung');
      const radio = /** @type {HTMLInputElement} */ (rung.querySelector('input'));
      radio.value = level;
      write(rung, { word: levelName(level), about: levelAbout(level) });
      return rung;
    },
    (rung, level) => {
      /** @type {HTMLInputElement} */ (rung.querySelector('input')).checked = level === chosen;
      const isDone = levels.indexOf(level) < behind;
      const words = isDone ? beaten(resultsOf(progress, name, level)) : level === levels[behind] ? NEXT_STEP : '';
      redraw(part(rung, 'did'), `${isDone} ${words}`, () =>
        isDone ? [icon('tick'), document.createTextNode(words)] : [make('small', { textContent: words })],
      );
      attr(part(rung, 'did'), { class: isDone && 'did' });
    },
  );
}

/** @param {HTMLFormElement} form @param {Record<string, string>} values */
function check(form, values) {
  for (const [name, value] of Object.entries(values)) {
    for (const radio of form.querySelectorAll(`input[name="${name}"]`)) {
      /** @type {HTMLInputElement} */ (radio).checked = /** @type {HTMLInputElement} */ (radio).value === value;
    }
  }
}
