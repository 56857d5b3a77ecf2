// Around every view: name, sound, theme, notes, the window's title and the screen reader's
// announcements.

import { attr, make, part, parts, show, write } from './dom.js';
import { isCut, roomIn } from './viewpoint.js';
import { LINK_NOTES, changes, phrase, themeName, windowTitle } from './words.js';

const THEMES = ['auto', 'light', 'dark', 'contrast'];
const ANNOUNCEMENTS = 6;

/** @type {Mount} */
export function mountFrame(root, send, get) {
  const [input, notice, sound, theme] = parts(root, 'me', 'notice', 'sound', 'theme');
  /** @type {Player | null} */
  let named = null;

  const resetName = () => { input.value = get().me?.name ?? ''; };
  input.onchange = () => {
    const name = input.value.trim();
    if (name && name !== get().me?.name) send({ type: 'rename', name });
    else resetName();
  };
  input.onkeydown = ({ key }) => {
    if (key === 'Escape') resetName();
    if (key === 'Escape' || key === 'Enter') input.blur();
  };
  part(root, 'link-retry').onclick = () => send({ type: 'retry' });
  sound.onclick = () => send({ type: 'prefer', sound: !get().prefs.sound });
  theme.onclick = () => {
    const next = THEMES[(THEMES.indexOf(get().prefs.theme) + 1) % THEMES.length];
    send({ type: 'prefer', theme: next });
    send({ type: 'told', text: `${themeName(next)}.` });
  };

  return (state) => {
    const { prefs, link, me } = state;
    const isRefused = link === 'refused';
    if (document.title !== windowTitle(state)) document.title = windowTitle(state);
    attr(document.documentElement, { 'data-theme': prefs.theme !== 'auto' && prefs.theme });
    attr(theme, { 'aria-label': themeName(prefs.theme) });
    attr(sound, { 'aria-pressed': String(prefs.sound) });
    attr(root, { 'data-link': link });
    attr(notice, { 'data-tone': state.notice?.tone });
    write(root, { notice: state.notice?.text ?? '', 'link-text': LINK_NOTES[link === 'lost' && !me ? 'connecting' : link] });
    show(root, {
      me: me !== null, notice: state.notice !== null, 'link-note': isCut(state), 'link-retry': isRefused, 'link-spinner': !isRefused,
    });
    if (!me || me === named) return;
    named = me;
    input.size = Math.max(6, me.name.length);
    if (document.activeElement !== input) resetName();
  };
}

/** Announces each change once. @type {Mount} */
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
    const room = roomIn(state);
    if (room && room !== before && me) for (const change of changes(before, room, me)) announce(change);
    if (!room || me) before = room;
    for (const { key, player, phrase: code } of state.sayings) {
      if (key > heard) announce(`${player.name} says: ${phrase(code)}`);
      heard = Math.max(heard, key);
    }
    if (notice && notice.key !== noticed) announce(notice.text);
    noticed = notice?.key ?? noticed;
    if (state.link !== link && link !== 'connecting') announce(LINK_NOTES[state.link]);
    link = state.link;
  };
}
