// Who this browser is, kept between visits. If a private window refuses storage, it lasts as long
// as the page.

import { CLASSIC } from './viewpoint.js';

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/**
 * Takes a function, because reading `localStorage` can itself throw.
 * @param {() => Storage} storage
 */
export function createIdentity(storage) {
  /** @type {Map<string, string>} */
  const memory = new Map();

  /** @type {Attempt} */
  function attempt(use) {
    try {
      return use(storage());
    } catch {
      return undefined;
    }
  }

  const read = (key = '') => attempt((kept) => kept.getItem(`noughts.${key}`)) ?? memory.get(key);

  function write(key = '', value = '') {
    memory.set(key, value);
    attempt((kept) => kept.setItem(`noughts.${key}`, value));
  }

  const room = () => read('room') || null;

  return {
    room,
    keepRoom(id = '', isSeated = false) {
      if (isSeated) write('room', id);
      else if (room() === id) write('room', '');
    },
    /** @returns {Command} */
    hello() {
      // A tab keeps its token, even if another tab, opened at the same time, has stored a different
      // one.
      const [token, name] = [memory.get('token') ?? read('token'), read('name')];
      return { type: 'hello', protocol: 1, ...(token && TOKEN_FORM.test(token) && { token }), ...(name && { name }) };
    },
    remember(token = '', name = '') {
      write('token', token);
      write('name', name);
    },
    prefs: () => ({ sound: read('sound') !== 'off', theme: read('theme') || 'auto', game: read('game') || CLASSIC }),
    prefer({ sound = true, theme = 'auto', game = CLASSIC }) {
      write('sound', sound ? 'on' : 'off');
      write('theme', theme);
      write('game', game);
    },
    rename: (name = '') => write('name', [...name.trim()].slice(0, 24).join('')),
  };
}
