/**
 * Stock phrases: a small row to say one, and those said by people without a seat. (Seats have bubbles of their own.)
 *
 * @import { Mount } from './types.js'
 */

import { closest, keyed, part, setText, show } from './dom.js';
import { MARKS, isCut, roomIn } from './viewpoint.js';
import { phrase } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  const row = part(element, 'phrases');
  const heard = part(element, 'heard');
  /** @type {string | null} */
  let room = null;

  row.addEventListener('click', (event) => {
    const code = closest(event, '[data-phrase]')?.dataset.phrase;
    if (code && room) send({ type: 'say', room, phrase: code });
  });

  return (state) => {
    const snapshot = roomIn(state);
    if (!snapshot) return;
    room = snapshot.room;
    show(element, state.phrases.length > 0);
    keyed(row, state.phrases, (code) => code, () => document.createElement('button'), (button, code) => {
      button.setAttribute('type', 'button');
      button.className = 'chip';
      button.toggleAttribute('disabled', isCut(state));
      button.dataset.phrase = code;
      setText(button, phrase(code));
    });
    const seated = MARKS.map((mark) => { const seat = snapshot.seats[mark]; return seat.kind === 'human' ? seat.player : ''; });
    const others = state.sayings.filter((saying) => !seated.includes(saying.player.id));
    keyed(heard, others, (saying) => String(saying.key), () => document.createElement('li'), (item, saying) => {
      setText(item, `${saying.player.name}: ${phrase(saying.phrase)}`);
    });
  };
}
