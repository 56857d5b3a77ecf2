/**
 * Tells a screen reader, politely and once, what changed: in the room, in what was said, in the connection.
 *
 * @import { Link, Snapshot, State } from './types.js'
 */

import { changes } from './telling.js';
import { roomIn } from './viewpoint.js';
import { linkNote, phrase } from './words.js';

const KEPT = 6;

/** @param {HTMLElement} element @returns {(state: State) => void} */
export function mount(element) {
  /** @type {Snapshot | undefined} */
  let before;
  /** @type {Link} */
  let link = 'connecting';
  let [heard, noticed] = [0, 0];

  /** @param {string} text */
  function announce(text) {
    const line = document.createElement('p');
    line.textContent = text;
    element.append(line);
    while (element.children.length > KEPT) element.firstElementChild?.remove();
  }

  return (state) => {
    const room = roomIn(state);
    if (room && room !== before && state.me) changes(before, room, state.me).forEach(announce);
    if (!room || state.me) before = room;
    for (const saying of state.sayings) {
      if (saying.key > heard) announce(`${saying.player.name} says: ${phrase(saying.phrase)}`);
      heard = Math.max(heard, saying.key);
    }
    if (state.notice && state.notice.key !== noticed) announce(state.notice.text);
    noticed = state.notice?.key ?? noticed;
    if (state.link !== link && link !== 'connecting') announce(linkNote(state.link));
    link = state.link;
  };
}
