// Beside or below the board: what the moment is about, and the few tools that belong to it.

import { drawTally, icon } from './drawing.js';
import { attr, keyed, make, on, part, parts, redraw, show, write } from './dom.js';
import { pathOf } from './route.js';
import { copyLink, isLocal, linkTo, shareLink } from './share.js';
import {
  chosenGame,
  isCut,
  levelFor,
  mayAnalyse,
  mayArrange,
  mySeats,
  nearMark,
  offeredAs,
  other,
  railOf,
  seatsOf,
} from './selectors.js';
import {
  BUSY,
  LINES,
  TOOLS,
  crowd,
  drawsLine,
  inviteWords,
  lineMore,
  lookNote,
  said,
  seatName,
  wonLabel,
} from './words/en.js';

const COPIED_FOR = 2000; // ms

/** @type {MountPart} */
export function mountRail(root, send, get) {
  const [tools, link, seats, more, heard] = parts(root, 'tools', 'share-link', 'invite-seats', 'invite-more', 'heard');
  let copiedAt = 0;
  const rooms = () => get().rooms[get().room ?? ''].snapshot;

  /** @type {Record<string, (element: HTMLElement) => void>} */
  const OFFERS = {
    sit: ({ dataset }) => send({ type: 'sit', room: rooms().room, seat: markOf(dataset) }),
    sit_too: () => {
      const [seat] = seatsOf(rooms(), 'open');
      const { second } = get().prefs;
      send({ type: 'sit', room: rooms().room, seat, ...(second && { name: second }) });
    },
    seat_ai: ({ dataset }) => {
      const room = rooms();
      const seat = dataset.seat ? markOf(dataset) : seatsOf(room, 'open')[0];
      const game = offeredAs(get(), room.variant.name) ?? chosenGame(get());
      send({ type: 'seat_ai', room: room.room, seat, level: levelFor(get(), game) });
    },
  };
  on(part(root, 'rail'), 'click', '[data-offer]', (element) => OFFERS[element.dataset.offer ?? '']?.(element));
  on(root, 'click', '[data-do="decline"]', () => send({ type: 'decline', rooms: [rooms().room] }));
  on(root, 'click', '[data-do="share"]', () => shareLink(send, link.value));
  on(root, 'click', '[data-do="copy"]', async () => {
    if (await copyLink(send, link.value)) copiedAt = Date.now();
    else link.select();
  });
  link.onfocus = () => link.select();
  show(root, { 'share-sheet': 'share' in navigator, 'share-local': isLocal(), 'share-code': !isLocal() });

  return (state, view) => {
    const { snapshot: room } = view;
    const { me } = state;
    const about = railOf(state, view);
    const mine = mySeats(room, me);
    const isLost = isCut(state);
    show(root, {
      'line-note': isLost,
      'line-more': isLost && mine.length > 0,
      share: about === 'share',
      invite: about === 'invite',
      score: (about === 'playing' || about === 'watching') && room.score.X + room.score.O + room.score.draws > 0,
    });
    write(root, {
      'line-text': LINES[state.link],
      'line-more': lineMore(state.pending !== null || state.premove !== null),
    });
    if (about === 'share') drawShare(root, link, room, state.now - copiedAt < COPIED_FOR);
    if (about === 'invite') drawInvite(root, seats, more, room, me);
    drawScore(root, room, state);
    drawCrowd(root, state, view, about);
    const known =
      state.look.on && state.look.analysis?.game === room.game && state.look.analysis.ply === room.moves.length
        ? state.look.analysis
        : null;
    const { on: isOn, isBusy } = state.look;
    show(root, { 'look-note': isOn && about !== 'review' && (known !== null || isBusy) });
    write(root, { 'look-note': isBusy ? BUSY : lookNote(known, false) });
    drawTools(tools, toolsOf(state, view, about, send));
    const seated = Object.values(room.seats).map((seat) => seat.kind === 'human' && seat.player);
    const others = state.sayings.filter(({ player }) => !seated.includes(player.id));
    keyed(
      heard,
      others,
      ({ key }) => key,
      (saying) => make('li', { textContent: said(saying.player.name, saying.phrase) }),
    );
  };
}

/** @param {DOMStringMap} dataset @returns {Mark} */
const markOf = ({ seat }) => (seat === 'O' ? 'O' : 'X');

/** @param {HTMLElement} root @param {HTMLInputElement} link @param {Snapshot} room @param {boolean} isCopied */
function drawShare(root, link, room, isCopied) {
  const path = pathOf(room.room);
  if (link.value !== linkTo(path)) link.value = linkTo(path);
  attr(part(root, 'share-code'), { src: !isLocal() && `${path}/qr.svg` });
  write(root, { 'copy-word': isCopied ? TOOLS.copied : TOOLS.copy_word });
}

/** @param {HTMLElement} root @param {HTMLElement} seats @param {HTMLElement} more @param {Snapshot} room @param {Player | null} me */
function drawInvite(root, seats, more, room, me) {
  const { title, rule } = inviteWords(room);
  write(root, { 'invite-title': title, 'invite-rule': rule });
  const open = seatsOf(room, 'open');
  keyed(seats, open, String, (mark) => {
    const className = mark === open[0] ? 'btn main' : 'btn'; // one primary button on a screen
    const button = make('button', { className, textContent: TOOLS.sit.replace('*', mark) });
    Object.assign(button.dataset, { offer: 'sit', seat: mark, side: mark });
    return button;
  });
  const others = mayArrange(room, me) ? open : [];
  keyed(more, ['watch', ...others], String, (key) => {
    const button = make('button', {
      className: 'btn bare',
      textContent: key === 'watch' ? TOOLS.just_watch : TOOLS.computer.replace('*', key),
    });
    Object.assign(button.dataset, key === 'watch' ? { do: 'decline' } : { offer: 'seat_ai', seat: key });
    return button;
  });
}

/** Me on the left. @param {HTMLElement} root @param {Snapshot} room @param {State} state */
function drawScore(root, room, state) {
  const left = nearMark(room, state.me);
  const right = other(left);
  write(root, {
    'score-left': seatName(room.seats[left]),
    'score-right': seatName(room.seats[right]),
    draws: drawsLine(room),
  });
  for (const [name, mark] of /** @type {[string, Mark][]} */ ([
    ['tally-left', left],
    ['tally-right', right],
  ])) {
    attr(part(root, name), { 'data-side': mark });
    redraw(part(root, name), `${mark}${room.score[mark]}`, () => [
      room.score[mark] ? drawTally(room.score[mark], wonLabel(room.score[mark])) : make('i', { textContent: '0' }),
    ]);
  }
}

/** @param {HTMLElement} root @param {State} state @param {RoomView} view @param {string} about */
function drawCrowd(root, state, { watchers, snapshot }, about) {
  const isMe = about === 'watching';
  const isSeated = mySeats(snapshot, state.me).length > 0; // or counted among those who watch
  const text = about === 'review' ? '' : crowd(Math.max(0, watchers - (isSeated ? 0 : 1)), isMe);
  show(root, { crowd: text !== '' && (isMe || snapshot.status === 'playing') });
  write(root, { 'crowd-text': text });
}

/** @param {State} state @param {RoomView} view @param {string} about @param {Send} send @returns {Tool[]} */
function toolsOf(state, { snapshot: room }, about, send) {
  if (about !== 'playing' && about !== 'watching') return [];
  const isOwn = mySeats(room, state.me).length > 0;
  const mayLook = mayAnalyse(room, state.me) && room.status === 'playing';
  /** @type {Tool[]} */
  const tools = [];
  if (mayLook) {
    const label = isOwn ? TOOLS.hint : state.look.on ? TOOLS.hide_values : TOOLS.show_values;
    tools.push({
      key: 'look',
      label,
      icon: 'hint',
      pressed: state.look.on,
      run: () => send({ type: 'look', on: !state.look.on }),
    });
  }
  if (!isOwn)
    tools.push({
      key: 'look_back',
      label: TOOLS.look_back,
      icon: 'review',
      isOff: !room.moves.length,
      run: () => send({ type: 'step', ply: room.moves.length - 1 }),
    });
  if (state.phrases.length && (!isOwn || seatsOf(room, 'human').length === 2))
    tools.push({ key: 'say', label: TOOLS.say, icon: 'say', run: () => document.getElementById('say')?.showPopover() });
  const [open] = isOwn ? [] : seatsOf(room, 'open');
  if (open)
    tools.push({
      key: 'sit',
      label: TOOLS.sit.replace('*', open),
      icon: 'two',
      run: () => send({ type: 'sit', room: room.room, seat: open }),
    });
  tools.push({
    key: 'rules',
    label: TOOLS.rules,
    icon: 'rules',
    run: () => document.getElementById('how')?.showPopover(),
  });
  // Its place is kept: a premove is played without a tap, and nothing may move then.
  if (mySeats(room, state.me).length === 1)
    tools.push({
      key: 'rub_out',
      label: TOOLS.rub_out,
      icon: 'close',
      isIdle: state.premove === null,
      run: () => send({ type: 'premove', cell: null }),
    });
  return tools;
}

/** A row of buttons. @param {HTMLElement} root @param {Tool[]} tools */
export function drawTools(root, tools) {
  keyed(
    root,
    tools,
    ({ key }) => key,
    ({ key, icon: image }) => {
      const button = make('button', { className: 'btn' });
      button.dataset.tool = key;
      button.append(icon(image), make('span'));
      return button;
    },
    (button, { label, run, pressed, what, isOff = false, isIdle = false }) => {
      const word = /** @type {HTMLElement} */ (button.lastElementChild);
      if (word.textContent !== label) word.textContent = label;
      button.onclick = run;
      attr(button, {
        'aria-pressed': pressed === undefined ? null : String(pressed),
        'data-offer': what,
        'data-idle': isIdle,
        disabled: isOff,
      });
    },
  );
}
