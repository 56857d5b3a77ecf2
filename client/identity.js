// Who this browser is and what it remembers, kept between visits. If a private window refuses storage, it lasts as long
// as the page.

import { isBeaten } from './selectors.js';
import { NO_PROGRESS, PREFS } from './store.js';

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;
const ROOMS = 5; // remembered at most
const LEFT = 20;
const COUNTED = 50;

/**
 * Takes a function, because reading `localStorage` can itself throw.
 * @param {() => Storage} storage
 */
export function createIdentity(storage) {
  /** @type {Map<string, string>} */
  const memory = new Map();

  /** @template T @param {(storage: Storage) => T} use @returns {T | undefined} */
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

  /** What is stored may be of an earlier version, or damaged. @template T @param {string} key @param {T} otherwise @returns {T} */
  function readJson(key, otherwise) {
    try {
      const found = JSON.parse(read(key) ?? 'null');
      return found && typeof found === typeof otherwise ? found : otherwise;
    } catch {
      return otherwise;
    }
  }

  /** @param {string} key @param {string[]} more @returns {string[]} */
  function readList(key, more = []) {
    const kept = readJson(key, /** @type {unknown[]} */ ([]));
    const all = [...(Array.isArray(kept) ? kept : []), ...more];
    return /** @type {string[]} */ ([...new Set(all.filter((room) => typeof room === 'string' && room))]);
  }

  /** The rooms where I have a seat, newest first. */
  function rooms() {
    const before = read('room'); // an earlier version kept one
    return readList('rooms', before ? [before] : []).slice(0, ROOMS);
  }

  /** The rooms that I have left, newest first. */
  const left = () => readList('left');

  return {
    rooms,
    left,
    leave(room = '') {
      write('left', JSON.stringify([...new Set([room, ...left()])].slice(0, LEFT)));
    },
    keepRoom(id = '', isSeated = false) {
      const others = rooms().filter((room) => room !== id);
      const next = isSeated ? [id, ...others].slice(0, ROOMS) : others;
      if (next.join() === rooms().join()) return;
      write('room', '');
      write('rooms', JSON.stringify(next));
    },
    /** @returns {Command} */
    hello() {
      // A tab keeps its token, even if another tab, opened at the same time, has stored a different one.
      const [token, name] = [memory.get('token') ?? read('token'), read('name')];
      return { type: 'hello', protocol: 1, ...(token && TOKEN_FORM.test(token) && { token }), ...(name && { name }) };
    },
    remember(token = '', name = '') {
      write('token', token);
      write('name', name);
    },
    /** @returns {Prefs} */
    prefs() {
      const kept = /** @type {Record<string, unknown>} */ (readJson('prefs', {}));
      const known = Object.entries(PREFS).map(([name, usual]) => [
        name,
        typeof kept[name] === typeof usual ? kept[name] : usual,
      ]);
      const before = {
        ...(read('theme') && !kept.theme && { theme: read('theme') }),
        ...(read('sound') === 'off' && !('sound' in kept) && { sound: false }),
        ...(read('game') && !kept.game && { game: read('game') }),
      };
      /** @type {Prefs} */
      const prefs = { ...Object.fromEntries(known), ...before };
      const { games } = this.progress();
      const { level, game } = prefs;
      // Every page used to store `easy`. Whoever has not played has not chosen it.
      const isDefault = level === 'easy' && !Object.keys(games).length;
      return isDefault || isBeaten(level, games[game]?.[level] ?? { won: 0, drawn: 0 })
        ? { ...prefs, level: '' }
        : prefs;
    },
    /** @param {Prefs} prefs */
    prefer: (prefs) => write('prefs', JSON.stringify(prefs)),
    /** @returns {Progress} */
    progress() {
      const { games, streak, last, counted } = readJson('progress', /** @type {Record<string, any>} */ ({}));
      return {
        games: games && typeof games === 'object' ? games : NO_PROGRESS.games,
        streak: Number.isInteger(streak) ? streak : NO_PROGRESS.streak,
        last: last && typeof last === 'object' ? last : NO_PROGRESS.last,
        counted: Array.isArray(counted) ? counted : NO_PROGRESS.counted,
      };
    },
    /** @param {Progress} progress */
    keepProgress: (progress) =>
      write('progress', JSON.stringify({ ...progress, counted: progress.counted.slice(-COUNTED) })),
    rename: (name = '') => write('name', [...name.trim()].slice(0, 24).join('')),
  };
}
