// For a player who is not looking: sounds, vibration and the tab's icon. Also keeps the screen
// awake.

import { attr, part } from './dom.js';
import { isLow, isMyTurn, mySeats, shown, timeLeft } from './viewpoint.js';

/** Pitches in hertz, played one after the other. @type {Record<string, number[]>} */
const NOTES = {
  mine: [523], theirs: [392], win: [523, 659, 784], lose: [392, 330, 262], draw: [440, 440], low: [880, 880],
};
const SVG = 'data:image/svg+xml,';
const MY_TURN = `${SVG}<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><circle cx='4' cy='4' r='4' fill='%23c4482a'/></svg>`;
const NOTE = 0.09;

/**
 * The sound for the step between two states; none while the page only catches up.
 * @type {Signal}
 */
export function signal(before, state) {
  const [old, view] = [shown(before), shown(state)];
  // After a welcome, `online` is unknown until the first presence frame.
  if (!old?.online || !view?.online || old.snapshot.room !== view.snapshot.room) return null;
  const [was, is] = [old.snapshot, view.snapshot];
  const mine = mySeats(is, state.me);
  const moves = was.game === is.game ? is.moves.length - was.moves.length : NaN;
  if (moves <= 1 && was.status !== 'over' && is.status === 'over') {
    if (!is.outcome?.winner) return 'draw';
    return mine.length === 1 && mine[0] !== is.outcome.winner ? 'lose' : 'win';
  }
  if (moves === 1) return was.turn && mine.includes(was.turn) ? 'mine' : 'theirs';
  return isShort(is, state) && !isShort(was, before) ? 'low' : null;
}

/** @type {IsShort} */
function isShort(room, { me, now, offset }) {
  const { clock, turn } = room;
  return clock !== null && turn !== null && isMyTurn(room, me) && isLow(clock, timeLeft(clock, turn, turn, now + offset));
}

/** @type {Mount} */
export function mountSignals(root, _, get) {
  /** @type {AudioContext | null} */
  let audio = null;
  let before = get();
  /** @type {Promise<WakeLockSentinel> | null} */
  let awake = null;
  // Browsers allow sound only after the first touch or key.
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => { audio ??= new AudioContext(); }, { once: true });

  function play(name = '') {
    const out = audio;
    if (out?.state !== 'running') return;
    root.dataset.sounded = name;
    NOTES[name].forEach((pitch, index) => {
      const tone = new OscillatorNode(out, { type: 'triangle', frequency: pitch });
      const gain = new GainNode(out);
      const begin = out.currentTime + index * NOTE * 1.2;
      gain.gain.setValueAtTime(0.12, begin);
      gain.gain.exponentialRampToValueAtTime(0.001, begin + NOTE * 2);
      tone.connect(gain).connect(out.destination);
      tone.start(begin);
      tone.stop(begin + NOTE * 2);
    });
  }

  // Fetched now: when the turn changes, the server may be unreachable.
  const icon = part(document, 'icon');
  let usual = icon.getAttribute('href') ?? '';
  fetch(usual).then((file) => file.text()).then((text) => { usual = SVG + encodeURIComponent(text); }, () => {});

  function stayAwake(isWanted = false) {
    if (!isWanted && awake) {
      awake.then((lock) => lock.release(), () => {});
      awake = null;
    } else if (isWanted && !awake && 'wakeLock' in navigator) {
      awake = navigator.wakeLock.request('screen');
      awake.then((lock) => { lock.onrelease = () => { awake = null; }; }, () => {});
    }
  }

  return (state) => {
    const room = shown(state)?.snapshot;
    const isMine = room !== undefined && isMyTurn(room, state.me);
    const name = signal(before, state);
    if (name && state.prefs.sound) play(name);
    if (name === 'theirs' && isMine && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(30);
    attr(icon, { href: isMine ? MY_TURN : usual });
    stayAwake(room?.status === 'playing' && mySeats(room, state.me).length > 0 && !document.hidden);
    before = state;
  };
}
