// Tells a screen reader what changes, each thing once.

import { make } from './dom.js';
import { asPlayed, shown } from './selectors.js';
import { LINES, changes, notice as noticeText, said } from './words/en.js';

const ANNOUNCEMENTS = 6;

/** @type {Mount} */
export function mountAnnouncer(root) {
  /** @type {Snapshot | undefined} */
  let before;
  let link = 'connecting';
  let [heard, noticed] = [0, 0];

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
    if (state.link !== link && link !== 'connecting') announce(LINES[state.link]);
    link = state.link;
  };
}
