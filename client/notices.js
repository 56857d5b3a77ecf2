// What the operator announces: above every view, in a room in the place of the title, with the time that is left.

import { make, part, show, write } from './dom.js';
import { announcement } from './words/en-rare.js';

/** @type {Mount} */
export function mountNotices(root) {
  let heard = '';
  return ({ announced, now, offset }) => {
    show(root, { announced: announced !== null });
    if (!announced) return;
    const text = announcement(announced, now + offset);
    write(root, { announced: text });
    // To a screen reader once, not with every second that passes, and not again after a reconnect.
    const key = `${announced.due} ${announced.text}`;
    if (key !== heard) part(root, 'announcer').append(make('p', { textContent: text }));
    heard = key;
  };
}
