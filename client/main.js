// Builds the connection, the store, the session and the views, and introduces them. Knows no game.

import { mountAnnouncer } from './announcer.js';
import { createConnection } from './connection.js';
import { parts, show, write } from './dom.js';
import { mountFrame } from './frame.js';
import { mountHome } from './home.js';
import { createIdentity } from './identity.js';
import { mountMenu } from './menu.js';
import { mountRoom } from './room.js';
import { createRoute } from './route.js';
import { NOWHERE, isWatcher, roomIn, shown } from './selectors.js';
import { createSession } from './session.js';
import { createStore } from './store.js';
import { MISSING, OPENING } from './words/en.js';

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
  setTimeout: setTimeout.bind(window),
  clearTimeout: clearTimeout.bind(window),
  random: Math.random,
});
const route = createRoute((place) => session.visit(place));
const session = createSession({ store, identity, connection, go: route.go });
const { send, dispatch } = session;

const [home, room, tv, missing, opening, announcer, menu, newGame] = parts(
  document,
  'home',
  'room',
  'tv',
  'missing',
  'opening',
  'announcer',
  'menu',
  'new-game',
);
const views = [home, room, tv, missing, opening];
const renders = [
  mountFrame(document.body, send, get),
  mountHome(home, send, get),
  mountRoom(room, send, get),
  mountMenu(menu, send, get),
  mountAnnouncer(announcer, send, get),
];

/** A part of the room as a view of its own. @param {MountPart} mount @returns {Mount} */
const inRoom = (mount) => (root, toServer, now) => {
  const render = mount(root, toServer, now);
  return (state) => {
    const view = shown(state);
    if (view && !state.isTv) render(state, view);
  };
};

/** The end of a game and looking back: loaded while the first game goes on. @param {State} state */
const isAtTable = (state) => shown(state) !== undefined && !state.isTv;

/** Views that are loaded when they are first needed. @type {Later[]} */
const later = [
  { element: room, isNeeded: isAtTable, load: async () => inRoom((await import('./result.js')).mountResult) },
  { element: room, isNeeded: isAtTable, load: async () => inRoom((await import('./review.js')).mountReview) },
  { element: tv, isNeeded: ({ isTv }) => isTv, load: async () => (await import('./tv.js')).mountTv },
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
      draw();
    };
    view.load().then(mount, () => {
      view.isAsked = false;
    }); // no connection: again with the next change
  }
}

/** @param {State} state @returns {HTMLElement} */
function viewOf(state) {
  if (state.missing) return missing;
  if (state.isTv) return tv;
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
  const isPage = state.room === NOWHERE;
  const [title, text] = MISSING[isPage ? 'page' : 'room'];
  write(missing, { 'missing-title': title, 'missing-text': text });
  show(missing, { 'missing-page': isPage, 'missing-room': !isPage });
  write(opening, { 'opening-text': OPENING[state.link === 'lost' ? 'lost' : 'connecting'] });
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

addEventListener('online', connection.check);
addEventListener('offline', connection.doubt);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  connection.check();
  tick();
});

dispatch({ type: 'prefer', ...identity.prefs() });
dispatch({ type: 'progress', progress: identity.progress() });
route.start();
if (get().room !== NOWHERE) connection.start();
keepTicking();
