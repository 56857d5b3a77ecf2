/**
 * The room's link: shown in a box while a seat is open, and copied with one click, also where the page is not a secure
 * context and has no clipboard.
 *
 * @import { Mount } from './types.js'
 */

import { part, show } from './dom.js';
import { MARKS, mySeats, roomIn } from './viewpoint.js';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;

/** @param {string} hostname */
export const isLoopback = (hostname) => LOOPBACK.test(hostname);

/** @type {Mount} */
export function mount(element, send) {
  const box = part(element, 'share');
  const link = part(box, 'share-link', HTMLInputElement);
  const copyLink = async () => {
    const isCopied = await copy(link);
    send({ type: 'told', text: isCopied ? 'Link copied.' : 'Copying is not allowed here. The link is selected: copy it by hand.' });
  };
  part(box, 'share-copy').addEventListener('click', copyLink);
  const copyButton = part(element, 'copy');
  copyButton.addEventListener('click', copyLink);
  link.addEventListener('focus', () => link.select());
  show(part(box, 'share-local'), isLoopback(location.hostname));

  return (state) => {
    const room = roomIn(state);
    if (!room) return;
    const address = `${location.origin}/r/${encodeURIComponent(room.room)}`;
    if (link.value !== address) link.value = address;
    const isOpen = MARKS.some((mark) => room.seats[mark].kind === 'open');
    const isInviting = isOpen && mySeats(room, state.me).length > 0;
    show(box, isInviting);
    show(copyButton, !isInviting);
  };
}

/** @param {HTMLInputElement} link */
async function copy(link) {
  try {
    await navigator.clipboard.writeText(link.value);
    return true;
  } catch {
    return copyBySelection(link);
  }
}

/** The old way: select text in the page and copy the selection. @param {HTMLInputElement} link */
function copyBySelection(link) {
  const box = /** @type {HTMLElement} */ (link.closest('.share'));
  const [wasHidden, focused] = [box.hidden, document.activeElement];
  box.hidden = false; // what is hidden cannot be selected
  link.select();
  const isCopied = document.execCommand('copy');
  box.hidden = wasHidden;
  if (isCopied && focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
