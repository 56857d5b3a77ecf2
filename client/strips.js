// The two players: opponent above the board, me below, in every game.

import { drawMark, drawTally } from './drawing.js';
import { attr, part, redraw, stamp, write } from './dom.js';
import {
  absence,
  asPlayed,
  isBot,
  isCut,
  isLow,
  isOnline,
  lookedAt,
  mySeats,
  nearMark,
  other,
  timeLeft,
} from './selectors.js';
import { awayLine, duration, phrase, stripLabel, stripLine, stripName, wonLabel } from './words/en.js';

const LONG = 14; // letters
const PENCIL = 240; // ms from one player to the other

/** @type {MountPart} */
export function mountStrips(root) {
  const [far, near] = ['opp', 'mine'].map((place) => {
    const strip = stamp('strip');
    strip.classList.add(place);
    root.append(strip);
    return strip;
  });

  return (state, view) => {
    const room = lookedAt(state) ?? view.snapshot;
    const mark = nearMark(
      room.room === view.snapshot.room && room.game === view.snapshot.game ? view.snapshot : room,
      state.me,
    );
    const [from] = [far, near].filter(({ dataset }) => 'on' in dataset).map(boxOfPencil);
    drawStrip(far, state, view, other(mark));
    drawStrip(near, state, view, mark);
    const holder = [far, near].find(({ dataset }) => 'on' in dataset);
    if (from && holder) handOver(holder, from);
  };
}

/** @param {Element} strip */
const boxOfPencil = (strip) => /** @type {Element} */ (strip.querySelector('.pencil')).getBoundingClientRect();

/** Let the pencil travel to the player who is to move. @param {HTMLElement} holder @param {DOMRect} from */
function handOver(holder, from) {
  const pencil = /** @type {Element} */ (holder.querySelector('.pencil'));
  const to = pencil.getBoundingClientRect();
  const [x, y] = [from.x - to.x, from.y - to.y];
  if ((!x && !y) || !from.width || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  pencil.animate({ translate: [`${x}px ${y}px`, '0 0'] }, { duration: PENCIL, easing: 'cubic-bezier(.2, .7, .2, 1)' });
}

/** @param {HTMLElement} strip @param {State} state @param {RoomView} view @param {Mark} mark */
function drawStrip(strip, state, view, mark) {
  const room = state.look.back?.snapshot ?? asPlayed(view);
  const { seats, score, turn, clock, status, outcome } = room;
  const seat = seats[mark];
  const isMine = mySeats(view.snapshot, state.me).includes(mark);
  const name = stripName(room, mark, mySeats(view.snapshot, state.me).length > 0, view.players[mark]);
  const away = state.look.back ? null : absence(view, state);
  const saying = seat.kind === 'human' && state.sayings.find(({ player }) => player.id === seat.player);
  const isAway = away?.mark === mark;
  const isOn = turn === mark && !isCut(state) && !state.look.back && !isAway;
  write(strip, {
    name,
    sub: isAway ? awayLine(away) : stripLine(state, view, mark),
    bubble: saying ? phrase(saying.phrase) : '',
  });
  attr(part(strip, 'name'), { title: name, 'data-long': name.length > LONG });
  part(strip, 'bubble').hidden = !saying;
  const isMarked = isBot(shownSeat(room, mark, view.players[mark]));
  part(strip, 'bot').hidden = !isMarked;
  const dot = part(strip, 'dot');
  const isAwaited = seat.kind === 'open' && mySeats(view.snapshot, state.me).length > 0;
  dot.hidden =
    part(strip, 'sub').textContent === '' ||
    !(seat.kind === 'human' || isAwaited) ||
    isMine ||
    Boolean(state.look.back);
  attr(dot, { 'data-off': view.snapshot.seats[mark].kind === 'open' || !isOnline(view, mark) || isCut(state) });
  attr(strip, {
    'data-seat': mark,
    'data-side': mark,
    'data-kind': seat.kind,
    'data-on': isOn,
    'data-online': String(isOnline(view, mark)),
    'data-thinking': isOn && seat.kind === 'ai',
    'data-won': status === 'over' && outcome?.winner === mark && !state.look.back,
    'data-turn': String(turn === mark),
    'aria-label': stripLabel(name, mark, isMarked),
  });
  redraw(part(strip, 'mark'), mark, () => [drawMark(mark, mark === 'X' ? 1 : 0)]);
  redraw(part(strip, 'tally'), `${mark}${score[mark]}`, () =>
    score[mark] ? [drawTally(score[mark], wonLabel(score[mark]))] : [],
  );
  drawClock(part(strip, 'clock'), status === 'waiting' ? null : clock, turn, mark, state.now + state.offset);
}

/** Who is named on a strip, also if they have left. @param {Snapshot} room @param {Mark} mark @param {Seat} [last] */
const shownSeat = ({ seats }, mark, last) => (seats[mark].kind === 'open' && last ? last : seats[mark]);

/** @param {HTMLElement} face @param {Clock | null} clock @param {Mark | null} turn @param {Mark} mark @param {number} now */
function drawClock(face, clock, turn, mark, now) {
  face.hidden = clock === null;
  if (!clock) return;
  const left = timeLeft(clock, turn, mark, now);
  const isRunning = clock.since !== null && turn === mark;
  write(face, { time: duration(left) });
  attr(face, { 'data-low': isRunning && isLow(clock, left), 'data-running': turn === mark });
  face.style.setProperty('--left', Math.min(1, left / clock.budget).toFixed(4));
}
