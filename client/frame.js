/**
 * What surrounds every view: one's own name, the note about the connection, short sentences, the window's title.
 *
 * @import { Mount, Send, State } from './types.js'
 */

import { part, setAttribute, setText, show } from './dom.js';
import { windowTitle } from './telling.js';
import { linkNote } from './words.js';

/** @type {Mount} */
export function mount(element, send) {
  const renderName = mountName(part(element, 'me', HTMLInputElement), send);
  const note = part(element, 'link-note');
  const notice = part(element, 'notice');
  part(note, 'link-retry').addEventListener('click', () => send({ type: 'retry' }));

  return (state) => {
    renderName(state);
    if (document.title !== windowTitle(state)) document.title = windowTitle(state);
    show(notice, state.notice !== null);
    setText(notice, state.notice?.text ?? '');
    setAttribute(notice, 'data-tone', state.notice?.tone ?? null);
    const isRefused = state.link === 'refused';
    show(note, state.link === 'lost' || isRefused);
    show(part(note, 'link-retry'), isRefused);
    show(part(note, 'link-spinner'), !isRefused);
    element.dataset.link = state.link;
    if (!note.hidden) setText(part(note, 'link-text'), linkNote(state.link === 'lost' && !state.me ? 'connecting' : state.link));
  };
}

/** One's own name: a field that reads as text until it is touched. @param {HTMLInputElement} input @param {Send} send */
function mountName(input, send) {
  /** @type {State['me']} */
  let me = null;
  input.addEventListener('change', () => {
    const name = input.value.trim();
    if (name && name !== me?.name) send({ type: 'rename', name });
    else input.value = me?.name ?? '';
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') input.value = me?.name ?? '';
    if (event.key === 'Escape' || event.key === 'Enter') input.blur();
  });

  /** @param {State} state */
  return (state) => {
    show(input, state.me !== null);
    if (!state.me || state.me === me) return;
    me = state.me;
    input.size = Math.max(6, me.name.length);
    if (document.activeElement !== input) input.value = me.name;
  };
}
