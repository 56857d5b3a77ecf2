// Addresses: `/` is home, `/r/{room}` a room, `/r/{room}/{n}` one of its games, anything else nothing.
// Links marked `data-link` load no page.

import { on } from './dom.js';
import { NOWHERE } from './viewpoint.js';

export const pathOf = (room = '', game = 0) => `/r/${encodeURIComponent(room)}${game ? `/${game}` : ''}`;

/** The id of the room to show, null for home, or `NOWHERE`. */
export function roomOf(path = '/') {
  if (path === '/') return null;
  const found = /^\/r\/([^/]+)(?:\/[1-9]\d*)?\/?$/.exec(path);
  if (!found) return NOWHERE;
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return found[1];
  }
}

/** The number of the game in an address, or null. */
export function gameIn(path = '/') {
  const found = /^\/r\/[^/]+\/([1-9]\d*)\/?$/.exec(path);
  return found ? Number(found[1]) : null;
}

/** @type {CreateRoute} */
export function createRoute(onGo) {
  const start = () => onGo(roomOf(location.pathname), gameIn(location.pathname));

  function go(path = '/') {
    if (path !== location.pathname) history.pushState(null, '', path);
    scrollTo(0, 0);
    start();
  }

  addEventListener('popstate', start);
  on(document, 'click', 'a[data-link]', (link, event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    go(link.getAttribute('href') ?? '/');
  });

  return { start, go };
}
