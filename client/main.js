/**
 * Builds the connection, the store and the views, and introduces them. The only file that imports all.
 *
 * Knows no game: what a command means is for the server, what a state looks like is for the views.
 *
 * @import { Command, Frame, Send, State } from './types.js'
 */

import { mount as mountAnnouncer } from './announce.js';
import { isRunning } from './clock.js';
import { createConnection } from './connection.js';
import { part, show } from './dom.js';
import { mount as mountFrame } from './frame.js';
import { createIdentity } from './identity.js';
import { creation, mount as mountLobby } from './lobby.js';
import { wanted } from './look.js';
import { mount as mountRoom } from './room.js';
import { createRoute } from './route.js';
import { createStore } from './store.js';
import { mySeats, role, roomIn, shown } from './viewpoint.js';

/** Said into the moment; stale by the time a line is mended. */
const FLEETING = new Set(['say', 'analyse']);
const FOLLOW_AGAIN = 1500;

const store = createStore();
const identity = createIdentity(() => localStorage);
let isRenaming = false;

const connection = createConnection({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
  hello: () => identity.hello(),
  standing: () => [followed()],
  onFrame: receive,
  onLink: (link) => store.dispatch({ type: 'link', link, at: Date.now() }),
  WebSocket,
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  random: Math.random,
});

const route = createRoute((room) => {
  const before = store.get().room;
  store.dispatch({ type: 'went', room, mine: identity.room(), at: Date.now() });
  if (before === room) return;
  connection.tell(before === null ? { type: 'lobby', on: false } : { type: 'unwatch', room: before });
  follow();
});

/** What the page follows at its address. @returns {Command} */
function followed() {
  const { room } = store.get();
  return room === null ? { type: 'lobby', on: true } : { type: 'watch', room };
}

const follow = () => connection.tell(followed());

/** @param {Frame} frame @param {Command} [command] */
function receive(frame, command) {
  const wasCreating = store.get().creating;
  store.dispatch({ ...frame, ...(command && { command }), at: Date.now() });
  if (frame.type === 'welcome') identity.remember(frame.token, frame.player.name);
  if (frame.type === 'state') renameSeats();
  keepRoom(frame, command);
  const isCreated = frame.type === 'accepted' && command?.type === 'create' && command.id === wasCreating;
  if (isCreated && frame.room) route.openRoom(frame.room);
  const isLost = frame.type === 'refused' && /^(watch|lobby)$/.test(command?.type ?? '') && frame.reason !== 'no_such_room';
  if (isLost) setTimeout(follow, FOLLOW_AGAIN);
}

/** Remember the room with one's seat, until either is gone. @param {Frame} frame @param {Command} [command] */
function keepRoom(frame, command) {
  if (frame.type === 'state') identity.keepRoom(frame.room, role(frame, store.get().me) !== 'watcher');
  const isGone = frame.type === 'accepted' ? command?.type === 'leave' : frame.type === 'refused' && frame.reason === 'no_such_room';
  if (isGone && command?.room) identity.keepRoom(command.room, false);
}

/** @type {Send} */
function send(message) {
  switch (message.type) {
    case 'told': case 'look': return store.dispatch({ .../** @type {any} */ (message), at: Date.now() });
    case 'rename': return rename(/** @type {any} */ (message).name);
    case 'retry': return connection.start();
    default: {
      const command = /** @type {Command} */ (message);
      const stamped = FLEETING.has(command.type) ? connection.tell(command) : connection.send(command);
      return store.dispatch({ type: 'asked', command: stamped, at: Date.now() });
    }
  }
}

/** A name travels with the hello, so a new one needs a new greeting; seats take it on when sat in again. @param {string} name */
function rename(name) {
  identity.rename(name);
  isRenaming = true;
  connection.start();
}

function renameSeats() {
  const [state, room] = [store.get(), roomIn(store.get())];
  if (!isRenaming || !room || state.link !== 'online') return;
  isRenaming = false;
  for (const seat of mySeats(room, state.me)) connection.send({ type: 'sit', room: room.room, seat });
}

let asked = '';
/** Ask once for the analysis the page wants to show. @param {State} state */
function askAnalysis(state) {
  const wish = wanted(state);
  const key = wish ? JSON.stringify(wish) : '';
  if (key === asked) return;
  asked = key;
  if (wish) connection.tell({ type: 'analyse', room: wish.room, ply: wish.ply });
}

const [main, home, room, missing, opening, announcer] = ['main', 'home', 'room', 'missing', 'opening', 'announcer']
  .map((name) => part(document, name));
const views = { home, room, missing, opening };
const renders = [mountFrame(document.body, send), mountLobby(home, send), mountRoom(room, send), mountAnnouncer(announcer)];
part(missing, 'new-room').addEventListener('click', () => send(creation('friend', new FormData())));

/** @param {State} state @returns {keyof typeof views} */
function viewOf(state) {
  if (state.room === null) return 'home';
  return state.missing ? 'missing' : shown(state) ? 'room' : 'opening';
}

function draw() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  timer = 0;
  const state = store.get();
  const held = document.activeElement;
  const view = viewOf(state);
  document.body.dataset.view = view;
  for (const [name, element] of Object.entries(views)) show(element, name === view);
  for (const render of renders) render(state);
  if (held && held !== document.body && (!held.isConnected || held.closest('[hidden]'))) rescueFocus();
}

/** The button that had the focus is gone: go on at the board, or at the top of what is new. */
function rescueFocus() {
  const cell = /** @type {HTMLElement | null} */ (room.querySelector('.cell[tabindex="0"]:enabled'));
  (room.hidden || !cell ? main : cell).focus({ preventScroll: true });
}

let [frame, timer] = [0, 0];
store.subscribe((state) => {
  askAnalysis(state);
  if (timer) return;
  frame = requestAnimationFrame(draw);
  // A tab in the background gets no animation frames, but its title still says whose turn it is.
  timer = window.setTimeout(draw, 250);
});

const tick = () => store.dispatch({ type: 'tick', at: Date.now() });

function keepTicking() {
  tick();
  setTimeout(keepTicking, isRunning(roomIn(store.get())) ? 100 : 1000);
}

addEventListener('online', () => connection.check());
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  connection.check();
  tick();
});

route.start();
connection.start();
keepTicking();
