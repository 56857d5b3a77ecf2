/**
 * Who this browser is: the secret token, the chosen name and the room with its last seat, kept between visits where the
 * browser allows it.
 *
 * A private window may refuse storage; then they last as long as the page.
 */

const TOKEN = 'noughts.token';
const NAME = 'noughts.name';
const ROOM = 'noughts.room';
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** @param {() => Storage} storage  a function, for reading `localStorage` can itself throw */
export function createIdentity(storage) {
  /** @type {Map<string, string>} */
  const memory = new Map();

  /** @param {string} key */
  function read(key) {
    try {
      return storage().getItem(key) ?? memory.get(key);
    } catch {
      return memory.get(key);
    }
  }

  /** @param {string} key @param {string} value */
  function write(key, value) {
    memory.set(key, value);
    try {
      storage().setItem(key, value);
    } catch { /* kept in memory */ }
  }

  const room = () => read(ROOM) || null;

  return {
    room,
    /** @param {string} id @param {boolean} isSeated */
    keepRoom(id, isSeated) {
      if (isSeated) write(ROOM, id);
      else if (room() === id) write(ROOM, '');
    },
    /** The greeting for the server. */
    hello() {
      // A tab stays who it is, even if another one of the first minute has stored a token of its own.
      const [token, name] = [memory.get(TOKEN) ?? read(TOKEN), read(NAME)];
      return { type: 'hello', protocol: 1, ...(token && TOKEN_FORM.test(token) && { token }), ...(name && { name }) };
    },
    /** @param {string} token @param {string} name */
    remember(token, name) {
      write(TOKEN, token);
      write(NAME, name);
    },
    /** @param {string} name */
    rename(name) {
      write(NAME, [...name.trim()].slice(0, 24).join(''));
    },
  };
}
