// Builds the connection, the store and the views, and connects them. Knows no rules.

import { createConnection } from './connection.js';
import { part, parts, show } from './dom.js';
import { mountAnnouncer, mountFrame } from './frame.js';
import { createIdentity } from './identity.js';
import { creation, mountHome } from './home.js';
import { landing } from './position.js';
import { recall } from './recall.js';
import { mountRoom } from './room.js';
import { createRoute, pathOf } from './route.js';
import { mountSignals } from './signals.js';
import { createStore } from './store.js';
import { NOWHERE, isMyTurn, isWatcher, moveTo, mySeats, roomIn, seeking, shown } from './viewpoint.js';
import { seatName } from './words.js';

/** Not sent again after a reconnect: by then these are out of date. */
const FLEETING = new Set(['say', 'analyse', 'quick']);

const store = createStore();
const { get } = store;
const identity = createIdentity(() => localStorage);
/** The name that my seats still have. A second person at this screen keeps theirs. @type {string | null} */
let formerName = null;

const connection = createConnection({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
  hello: identity.hello,
  standing: () => [...following(get().room, true), ...(get().quick.on ? [seeking(get().quick)] : [])],
  onFrame: receive,
  onLink: (link) => dispatch({ type: 'link', link }),
  WebSocket,
  setTimeout,
  clearTimeout,
  random: Math.random,
});

const route = createRoute((room, game) => {
  const before = get().room;
  dispatch({ type: 'went', room, mine: identity.room() });
  if (room && game) lookAt(room, game);
  else if (before === room) dispatch({ type: 'step', ply: null });
  if (before === room) return;
  if (before === NOWHERE && !get().me) return connection.start(); // nothing has needed the server so far
  if (room === null) send({ type: 'seek', on: false });
  for (const command of [...following(before, false), ...following(room, true)]) connection.tell(command);
});

/**
 * The command that follows what an address shows, or stops following it.
 * @param {string | null} room
 * @returns {Command[]}
 */
function following(room, on = false) {
  if (room === NOWHERE) return [];
  return [room === null ? { type: 'lobby', on } : { type: on ? 'watch' : 'unwatch', room }];
}

/** Show an earlier game. The current one is shown anyway. */
async function lookAt(room = '', game = 0) {
  const snapshot = await recall(room, game);
  if (snapshot) dispatch({ type: 'recalled', snapshot });
}

function follow() {
  for (const command of following(get().room, true)) connection.tell(command);
}

/** @type {Receive} */
function receive(frame, command) {
  const { type = '', id, room: left } = command ?? {};
  const isOpening = type === 'meet' || id === get().creating;
  dispatch({ ...frame, command });
  if (frame.type === 'welcome') identity.remember(frame.token, frame.player.name);
  if (frame.type === 'state') {
    identity.keepRoom(frame.room, !isWatcher(frame, get().me));
    renameSeats();
  }
  if (frame.type === 'accepted' && type === 'leave') identity.keepRoom(left, false);
  if (frame.type === 'refused') {
    if (frame.reason === 'no_such_room') identity.keepRoom(left, false);
    else if (type === 'watch' || type === 'lobby') setTimeout(follow, 1500);
  }
  const isOpened = frame.type === 'quick' || (frame.type === 'accepted' && isOpening);
  if (isOpened && frame.room) route.go(pathOf(frame.room));
}

/** @param {any} happening */
function dispatch(happening) {
  store.dispatch({ ...happening, at: Date.now() });
}

/** Messages that stay on the page. @type {Handlers} */
const OWN = {
  told: dispatch, look: dispatch, step: dispatch, premove: dispatch,
  prefer(message) {
    dispatch(message);
    identity.prefer(get().prefs);
  },
  // Start or stop looking for another player.
  seek(message) {
    if (message.on === get().quick.on) return;
    dispatch(message);
    connection.tell(seeking(get().quick));
  },
  // The name is part of `hello`, so a new one needs a new connection. A seat takes the name when
  // one sits down again.
  rename({ name }) {
    identity.rename(name);
    formerName ??= get().me?.name ?? null;
    connection.start();
  },
  retry: connection.start,
};

/** @type {Send} */
function send(message) {
  if (message.type in OWN) return OWN[message.type](message);
  const ask = FLEETING.has(message.type) ? connection.tell : connection.send;
  dispatch({ type: 'asked', command: ask(/** @type {Command} */ (message)) });
}

function renameSeats() {
  const room = roomIn(get());
  if (formerName === null || !room || get().link !== 'online') return;
  for (const seat of mySeats(room, get().me)) {
    if (seatName(room.seats[seat]) === formerName) connection.send({ type: 'sit', room: room.room, seat });
  }
  formerName = null;
}

const [main, home, room, missing, opening, announcer] = parts(document, 'main', 'home', 'room', 'missing', 'opening', 'announcer');
const renders = [
  mountFrame(document.body, send, get),
  mountHome(home, send, get),
  mountRoom(room, send, get),
  mountAnnouncer(announcer, send, get),
  mountSignals(document.body, send, get),
];
part(missing, 'new-room').onclick = () => send(creation('friend', new FormData()));

function draw() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  timer = 0;
  const state = get();
  const held = document.activeElement;
  const inRoom = state.missing ? missing : shown(state) ? room : opening;
  const view = state.room === null ? home : inRoom;
  document.body.dataset.view = view.dataset.part;
  for (const each of [home, room, missing, opening]) each.hidden = each !== view;
  show(missing, { 'new-room': state.room !== NOWHERE });
  for (const render of renders) render(state);
  if (!held || held === document.body || (held.isConnected && !held.closest('[hidden]'))) return;
  // The focused button is gone: move the focus to the board, or to the top of the new view.
  const cell = /** @type {HTMLElement | null} */ (room.querySelector('.cell[tabindex="0"]:enabled'));
  (room.hidden || !cell ? main : cell).focus({ preventScroll: true });
}

let [frame, timer] = [0, 0];
store.subscribe((state) => {
  const { premove, pending, link, me } = state;
  const now = roomIn(state);
  const cell = premove && now && isMyTurn(now, me) ? landing(now, premove.cell) : null;
  if (now && cell !== null && !pending && link === 'online') send(moveTo(now, cell));
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
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  connection.check();
  tick();
});

dispatch({ type: 'prefer', ...identity.prefs() });
route.start();
if (get().room !== NOWHERE) connection.start();
keepTicking();
