// A room: the table, its title, and what the board's keys do.

import { mountBoard } from './board.js';
import { attr, onKey, parts, write } from './dom.js';
import { cellOfDigit } from './position.js';
import { mountRail } from './rail.js';
import {
  asPlayed,
  isCut,
  isMyTurn,
  moveTo,
  myCovered,
  mySeats,
  nearMark,
  roomIn,
  sceneOf,
  shown,
  shownPly,
  tapOf,
  whoLeft,
} from './selectors.js';
import { mountStrips } from './strips.js';
import { headline, roomTitle } from './words/en.js';

const ENDING = 900; // ms of the one loud moment

/** @type {Mount} */
export function mountRoom(root, send, get) {
  const [players, board] = parts(root, 'players', 'board');
  const drawBoard = mountBoard(board, tap);
  const renders = [mountStrips(players, send, get), mountRail(root, send, get)];

  /** Play a cell, or pencil it in while it is the opponent's turn. @param {number | null} cell */
  function tap(cell) {
    const room = roomIn(get());
    if (!room || cell === null) return;
    if (isMyTurn(room, get().me)) send(moveTo(room, cell));
    else send({ type: 'premove', cell });
  }

  onKey(({ key, code, repeat }) => {
    const state = get();
    const room = roomIn(state);
    if (repeat || !room || state.isTv) return;
    if (key === 'Escape' && state.premove) send({ type: 'premove', cell: null });
    if (!/^[1-9]$/.test(key) || !state.prefs.digits) return;
    const cell = cellOfDigit(room, Number(key), code.startsWith('Numpad'));
    if (cell !== null) tap(tapOf(state, room)?.(room, cell) ?? null);
  });

  return (state) => {
    const view = shown(state);
    if (!view || state.isTv) return;
    const now = view.snapshot;
    const room = state.look.back?.snapshot ?? asPlayed(view);
    const mine = mySeats(now, state.me);
    const ply = shownPly(state, room);
    const { title, detail } = headline(room, state.me, ply, isCut(state), whoLeft(view));
    write(root, {
      headline: title,
      detail,
      title: roomTitle(room, ply, state.look.back !== null, mine.length + myCovered(now, state.me).length),
    });
    const isEnding = view.endedAt !== null && state.now - view.endedAt < ENDING && !state.look.back;
    root.classList.toggle('ending', isEnding);
    const winner = now.outcome?.winner ?? null;
    attr(root, {
      'data-status': now.status,
      'data-side':
        mine.length === 1
          ? mine[0]
          : mine.length === 2
            ? (now.turn ?? nearMark(now, state.me))
            : nearMark(now, state.me),
      'data-drawn': isEnding && winner === null,
      'data-lost': isEnding && mine.length === 1 && winner !== null && winner !== mine[0],
    });
    drawBoard(sceneOf(state, now));
    for (const render of renders) render(state, view);
  };
}
