// Builds the connection, the store, the session and the views, and introduces them. Knows no game.

import { createConnection } from './connection.js';
import { part, parts, write } from './dom.js';
import { mountFrame } from './frame.js';
import { mountHome } from './home.js';
import { createIdentity } from './identity.js';
import { mountMenu } from './menu.js';
import { mountRoom } from './room.js';
import { createRoute } from './route.js';
import { NOWHERE, hasCompany, isCut, isWatcher, roomIn, shown } from './selectors.js';
import { createSession } from './session.js';
import { createStore } from './store.js';
import { LINES, OPENING } from './words/en.js';

const store = createStore();
const { get } = store;
const identity = createIdentity(() => localStorage);

const connection = createConnection({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
  hello: identity.hello,
  standing: () => session.standing(),
  isKeen() {
    const room = roomIn(get());
    return room?.status === 'playing' && !isWatcher(room, get().me) && !document.hidden;
  },
  onFrame: (frame, command) => session.receive(frame, command),
  onLink: (link) => session.dispatch({ type: 'link', link }),
  WebSocket,
  fetch: (path) => fetch(path),
  isOnline: () => navigator.onLine,
  setTimeout: setTimeout.bind(window),
  clearTimeout: clearTimeout.bind(window),
  random: Math.random,
});
const route = createRoute((place) => session.visit(place));
const session = createSession({ store, identity, connection, go: route.go });
const { send, dispatch } = session;

const [home, room, tv, missing, opening, menu, newGame] = parts(
  document,
  'home',
  'room',
  'tv',
  'missing',
  'opening',
  'menu',
  'new-game',
);
const views = [home, room, tv, missing, opening];
const renders = [
  mountFrame(document.body, send, get),
  mountHome(home, send, get),
  mountRoom(room, send, get),
  mountMenu(menu, send, get),
];

/** With the style sheet of the views that few people see. @param {() => Promise<Mount>} load */
const asRare = (load) => async () => {
  const styles = /** @type {HTMLLinkElement} */ (part(document, 'rare-styles'));
  if (styles.disabled) {
    const loaded = new Promise((resolve, reject) => Object.assign(styles, { onload: resolve, onerror: reject }));
    styles.disabled = false;
    await loaded.catch((fault) => {
      styles.disabled = true;
      throw fault;
    });
  }
  return load();
};

/** Views that are loaded when they are first needed. @type {Later[]} */
const later = [
  {
    element: room,
    isNeeded: (state) => shown(state) !== undefined && !state.isTv, // while the first game goes on
    load: async () => (await import('./end.js')).mountEnd,
  },
  {
    element: room,
    isNeeded(state) {
      const now = roomIn(state);
      return state.quick.partner !== null || (now !== undefined && hasCompany(now, state.me));
    },
    load: async () => (await import('./company.js')).mountCompany,
  },
  {
    element: room,
    isNeeded: ({ look }) => look.back !== null,
    load: asRare(async () => (await import('./review.js')).mountReview),
  },
  { element: tv, isNeeded: ({ isTv }) => isTv, load: asRare(async () => (await import('./tv.js')).mountTv) },
  {
    element: missing,
    isNeeded: (state) => state.missing,
    load: asRare(async () => (await import('./missing.js')).mountMissing),
  },
  {
    element: document.body,
    isNeeded: ({ announced }) => announced !== null,
    load: asRare(async () => (await import('./notices.js')).mountNotices),
  },
  {
    element: document.body,
    isNeeded: () => document.querySelector('.help:popover-open') !== null,
    load: async () => (await import('./help.js')).mountHelp,
  },
  {
    element: newGame,
    isNeeded: ({ sheet }) => sheet !== null,
    load: async () => (await import('./newgame.js')).mountNewGame,
  },
  // Browsers allow sound only after the first touch or key.
  {
    element: document.body,
    isNeeded: () => navigator.userActivation?.hasBeenActive ?? true,
    load: async () => (await import('./signals.js')).mountSignals,
  },
];

/** @param {State} state */
function loadNeeded(state) {
  for (const view of later) {
    if (view.isAsked || !view.isNeeded(state)) continue;
    view.isAsked = true;
    const mount = (/** @type {Mount} */ made) => {
      renders.push(made(view.element, send, get));
      view.isMounted = true;
      draw();
    };
    view.load().then(mount, () => {
      view.isAsked = false;
    }); // no connection: again with the next change
  }
}

/** @param {State} state @returns {HTMLElement} */
function viewOf(state) {
  const rare = state.missing ? missing : state.isTv && tv;
  if (rare) return later.some(({ element, isMounted }) => element === rare && isMounted) ? rare : opening;
  if (state.room === null) return home;
  return shown(state) ? room : opening;
}

function draw() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  timer = 0;
  const state = get();
  const held = document.activeElement;
  const view = viewOf(state);
  document.body.dataset.view = view.dataset.part;
  for (const each of views) each.hidden = each !== view;
  write(opening, { 'opening-text': isCut(state) ? LINES[state.link] : OPENING });
  for (const render of renders) render(state);
  loadNeeded(state);
  if (!held || held === document.body || (held.isConnected && !held.closest('[hidden]'))) return;
  // The focused button is gone: move the focus to the board, or to the top of the new view.
  const cell = /** @type {HTMLElement | null} */ (view.querySelector('.cell[tabindex="0"]:enabled'));
  (view === room && cell ? cell : view).focus({ preventScroll: true });
}

let [frame, timer] = [0, 0];
store.subscribe((state) => {
  session.act(state);
  if (timer) return;
  frame = requestAnimationFrame(draw);
  // A background tab gets no animation frames, but its title must still say whose turn it is.
  timer = window.setTimeout(draw, 250);
});

const tick = () => dispatch({ type: 'tick' });

function keepTicking() {
  const { status, clock } = roomIn(get()) ?? {};
  tick();
  setTimeout(keepTicking, status === 'playing' && clock?.since ? 100 : 1000);
}

document.addEventListener('toggle', tick, true); // a popover may need what is not loaded yet
addEventListener('online', connection.check);
addEventListener('offline', connection.doubt);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  connection.check();
  tick();
});

dispatch({ type: 'prefer', ...identity.prefs() });
dispatch({ type: 'progress', progress: identity.progress() });
dispatch({ type: 'decline', rooms: identity.left() });
route.start();
if (get().room !== NOWHERE) connection.start();
keepTicking();
