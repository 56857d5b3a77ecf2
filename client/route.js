// Addresses: `/` is home, `/r/{room}` a room, `/r/{room}/{n}` one of its games, `/tv` and `/tv/{room}` a big screen,
// anything else nothing. Links marked `data-link` load no page.

import { on } from './dom.js';
import { NOWHERE } from './selectors.js';

export const pathOf = (room = '', game = 0) => `/r/${encodeURIComponent(room)}${game ? `/${game}` : ''}`;
export const tvPathOf = (room = '') => `/tv/${encodeURIComponent(room)}`;

const FORM = /^\/(?:r\/([^/]+)(?:\/([1-9]\d*))?|(tv)(?:\/([^/]+))?)\/?$/;

/**
 * What an address shows: a room, null for home, or `NOWHERE`.
 * @returns {{ room: string | null, game: number | null, isTv: boolean }}
 */
export function placeOf(path = '/') {
  if (path === '/') return { room: null, game: null, isTv: false };
  const [isFound, room, game, tv, tvRoom] = FORM.exec(path) ?? [];
  if (!isFound) return { room: NOWHERE, game: null, isTv: false };
  return { room: decoded(room ?? tvRoom) ?? null, game: game ? Number(game) : null, isTv: Boolean(tv) };
}

/** @param {string | undefined} text */
function decoded(text) {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {(place: ReturnType<typeof placeOf>) => void} onGo */
export function createRoute(onGo) {
  const start = () => onGo(placeOf(location.pathname));

  function go(path = '/') {
    if (path !== location.pathname) history.pushState(null, '', path);
    scrollTo(0, 0);
    start();
  }

  addEventListener('popstate', start);
  on(document, 'click', 'a[data-link]', (link, event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.defaultPrevented)
      return;
    event.preventDefault();
    go(link.getAttribute('href') ?? '/');
  });

  return { start, go };
}
