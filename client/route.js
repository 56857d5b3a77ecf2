/**
 * Addresses: `/` is home, `/r/{room}` a room. Links marked `data-link` change the address without loading a page.
 */

import { closest } from './dom.js';

/** @param {string} path @returns {string | null} the room; null is home */
export function roomOf(path) {
  const found = /^\/r\/([^/]+)\/?$/.exec(path);
  if (!found) return null;
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return found[1];
  }
}

/** @param {(room: string | null) => void} onGo */
export function createRoute(onGo) {
  const tell = () => onGo(roomOf(location.pathname));

  /** @param {string} path */
  function go(path) {
    if (path !== location.pathname) history.pushState(null, '', path);
    scrollTo(0, 0);
    tell();
  }

  addEventListener('popstate', tell);
  document.addEventListener('click', (event) => {
    const link = closest(event, 'a[data-link]');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(link.getAttribute('href') ?? '/');
  });

  return { start: tell, openRoom: (/** @type {string} */ room) => go(`/r/${encodeURIComponent(room)}`) };
}
