// Everything rare, in one menu: the link, a big screen, sound, colours, keys; and what asks before it is done.

import { icon } from './drawing.js';
import { attr, keyed, make, on, part, parts, show, stamp, write } from './dom.js';
import { tvPathOf } from './route.js';
import { copyLink, linkTo } from './share.js';
import { mayArrange, myCovered, mySeats, roomIn, seatsOf } from './selectors.js';
import { THEMES, TOOLS, menuItem, question, soundState, WORDS, yes } from './words/en.js';

/** @type {Mount} */
export function mountMenu(menu, send, get) {
  const [themes, top, end] = parts(menu, 'themes', 'menu-room', 'menu-end');
  /** What waits for a yes. @type {string | null} */
  let asked = null;

  keyed(
    themes,
    Object.entries(THEMES),
    ([value]) => value,
    ([value, word]) => {
      const option = stamp('option');
      Object.assign(option.children[0], { name: 'theme', value });
      write(option, { word });
      return option;
    },
  );
  on(menu, 'change', '[name="theme"]', (radio) =>
    send({ type: 'prefer', theme: /** @type {HTMLInputElement} */ (radio).value }),
  );
  on(menu, 'click', '[data-do="sound"]', () => send({ type: 'prefer', sound: !get().prefs.sound }));
  on(menu, 'click', '[data-do="copy"]', () => {
    copyLink(send, linkTo(location.pathname));
    menu.hidePopover();
  });
  on(menu, 'click', '[data-do="change"]', () => {
    menu.hidePopover();
    send({ type: 'sheet', tab: 'computer' });
  });
  on(menu, 'click', '[data-ask]', ({ dataset }) => {
    asked = dataset.ask ?? null;
    draw(get());
    /** @type {HTMLElement | null} */ (menu.querySelector('[data-offer="cancel"]'))?.focus();
  });
  on(menu, 'click', '[data-offer="cancel"]', () => {
    asked = null;
    draw(get());
  });
  on(menu, 'click', '[data-offer="confirm"]', () => {
    const item = itemsOf(get()).find(({ key }) => key === asked);
    asked = null;
    menu.hidePopover();
    if (item) send(item.command);
  });
  // Not when it closes: the focus must still be inside then, to return to the button.
  menu.addEventListener('beforetoggle', (/** @type {any} */ { newState }) => {
    if (newState !== 'open') return;
    asked = null;
    draw(get());
  });
  menu.addEventListener('toggle', () => {
    menu.scrollTop = 0;
  });

  /** @param {State} state */
  function draw(state) {
    const room = roomIn(state);
    const places = room ? ['copy', 'tv', 'change'] : [];
    keyed(
      top,
      places,
      String,
      (key) =>
        key === 'tv'
          ? tvItem()
          : entry(key, key === 'copy' ? 'copy' : 'friend', key === 'copy' ? TOOLS.copy : TOOLS.change),
      (item, key) => {
        if (key === 'tv' && room) attr(item, { href: tvPathOf(room.room) });
      },
    );
    show(menu, { 'menu-line': room !== undefined, 'menu-last-line': itemsOf(state).length > 0 });
    keyed(
      end,
      itemsOf(state),
      ({ key }) => key,
      ({ key, what }) => {
        const holder = make('div');
        holder.dataset.what = what;
        holder.dataset.ask = key;
        return holder;
      },
      (holder, item) => drawItem(holder, item, asked === item.key),
    );
    for (const radio of themes.querySelectorAll('input')) radio.checked = radio.value === state.prefs.theme;
    write(menu, { 'sound-state': soundState(state.prefs.sound) });
    attr(part(menu, 'sound-state').parentElement, { 'aria-pressed': String(state.prefs.sound) });
  }

  return draw;
}

/** @param {string} key @param {string} image @param {string} word */
function entry(key, image, word) {
  const button = make('button');
  button.dataset.do = key;
  button.append(icon(image), make('span', { textContent: word }));
  return button;
}

function tvItem() {
  const link = make('a', { target: '_blank', rel: 'noopener' });
  link.append(icon('tv'), make('span', { textContent: TOOLS.big_screen }));
  return link;
}

/** @typedef {{ key: string, what: string, name: string, image: string, command: Command }} Item */

/** What ends or gives something up. Each of these asks first. @param {State} state @returns {Item[]} */
export function itemsOf(state) {
  const room = roomIn(state);
  if (!room) return [];
  const { me } = state;
  const [mine, covered] = [mySeats(room, me), myCovered(room, me)];
  /** @type {Item[]} */
  const items = [];
  if (mine.length && room.status === 'playing')
    items.push({
      key: 'resign',
      what: 'resign',
      name: '',
      image: 'flag',
      command: { type: 'resign', room: room.room, game: room.game },
    });
  for (const seat of mayArrange(room, me) ? seatsOf(room, 'ai') : []) {
    if (covered.includes(seat)) continue;
    items.push({
      key: `dismiss${seat}`,
      what: 'dismiss',
      name: seat,
      image: 'computer',
      command: { type: 'dismiss_ai', room: room.room, seat },
    });
  }
  for (const seat of covered)
    items.push({
      key: `leave_to_ai${seat}`,
      what: 'leave_to_ai',
      name: seat,
      image: 'leave',
      command: { type: 'leave', room: room.room, seat },
    });
  for (const seat of mine) {
    const what = mine.length > 1 ? 'leave_one' : 'leave';
    items.push({
      key: `leave${seat}`,
      what,
      name: seat,
      image: 'leave',
      command: { type: 'leave', room: room.room, seat },
    });
  }
  return items;
}

/** @param {HTMLElement} holder @param {Item} item @param {boolean} isAsked */
function drawItem(holder, { what, name, image }, isAsked) {
  const shape = `${isAsked} ${what} ${name}`;
  if (holder.dataset.drawn === shape) return;
  holder.dataset.drawn = shape;
  holder.toggleAttribute('data-ask', !isAsked);
  if (!isAsked) {
    holder.dataset.ask = holder.dataset.key ?? '';
    const button = make('button');
    button.dataset.offer = what;
    button.append(icon(image), make('span', { textContent: menuItem(what, name) }));
    holder.replaceChildren(button);
    return;
  }
  const box = make('div', { className: 'sure' });
  const row = make('div');
  const [confirm, cancel] = [
    make('button', { className: 'btn', textContent: yes(what) }),
    make('button', { className: 'btn', textContent: WORDS.no }),
  ];
  confirm.dataset.offer = 'confirm';
  cancel.dataset.offer = 'cancel';
  row.append(confirm, cancel);
  box.append(make('p', { textContent: question(what, name) }), row);
  holder.replaceChildren(box);
}
