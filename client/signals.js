// For a player who is not looking: sounds made in the browser, vibration and the tab's icon. Also keeps the screen awake.

import { attr, part } from './dom.js';
import { isLow, isMyTurn, mySeats, shown, timeLeft } from './selectors.js';

const SVG = 'data:image/svg+xml,';
const MY_TURN = `${SVG}<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><circle cx='4' cy='4' r='4' fill='%23b83a18'/></svg>`;
/** Notices that knock. */
const KNOCKS = new Set(['opened', 'sat_down', 'your_turn', 'asks_again']);
/** Vibration in milliseconds, where it is offered. @type {Record<string, number[]>} */
const TOUCHES = { mine: [8], win: [15, 60, 15], refused: [30], turn: [20] };

/**
 * The sound for the step between two states; none while the page only catches up.
 * @param {State} before
 * @param {State} state
 */
export function signal(before, state) {
  if (state.notice && state.notice.key !== before.notice?.key) {
    if (KNOCKS.has(state.notice.code)) return 'knock';
    if (state.notice.code === 'refused') return 'refused';
  }
  if (state.sayings.some(({ key, player }) => key > (before.sayings.at(-1)?.key ?? 0) && player.id !== state.me?.id))
    return 'knock';
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
  const [second, wasSecond] = [lastSeconds(is, state), lastSeconds(was, before)];
  return second !== null && second !== wasSecond ? 'low' : null;
}

/** The last five seconds of my clock, counted down; null before that. @param {Snapshot} room @param {State} state */
function lastSeconds(room, { me, now, offset }) {
  const { clock, turn } = room;
  if (!clock || !turn || clock.since === null || !isMyTurn(room, me)) return null;
  const left = timeLeft(clock, turn, turn, now + offset);
  return left <= 5000 && isLow(clock, left) ? Math.ceil(left / 1000) : null;
}

/** A stroke of a pencil: a short band of noise. @param {AudioContext} out @param {number} delay @param {number} length @param {number} loud */
function scratch(out, delay, length, loud) {
  const noise = out.createBuffer(1, Math.ceil(out.sampleRate * length), out.sampleRate);
  const samples = noise.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length);
  const source = new AudioBufferSourceNode(out, { buffer: noise });
  const band = new BiquadFilterNode(out, { type: 'bandpass', frequency: 2600 * (0.94 + Math.random() * 0.12), Q: 0.9 });
  const gain = new GainNode(out, { gain: loud });
  source.connect(band).connect(gain).connect(out.destination);
  source.start(out.currentTime + delay);
}

/** @param {AudioContext} out @param {number} pitch @param {number} delay @param {number} length @param {OscillatorType} type */
function tone(out, pitch, delay, length, loud = 0.08, type = 'triangle') {
  const begin = out.currentTime + delay;
  const gain = new GainNode(out);
  gain.gain.setValueAtTime(loud, begin);
  gain.gain.exponentialRampToValueAtTime(0.001, begin + length);
  const source = new OscillatorNode(out, { type, frequency: pitch });
  source.connect(gain).connect(out.destination);
  source.start(begin);
  source.stop(begin + length);
}

/** @type {Record<string, (out: AudioContext) => void>} */
const SOUNDS = {
  mine: (out) => [0, 0.09].forEach((at) => scratch(out, at, 0.07, 0.08)),
  theirs: (out) => scratch(out, 0, 0.12, 0.056),
  win(out) {
    scratch(out, 0.12, 0.36, 0.05);
    for (const pitch of [523, 659, 784]) tone(out, pitch, 0.36, 0.42, 0.06);
  },
  lose(out) {
    scratch(out, 0.12, 0.36, 0.05);
    for (const pitch of [440, 349]) tone(out, pitch, 0.36, 0.3, 0.06);
  },
  draw: (out) => [0, 0.16].forEach((at) => tone(out, 220, at, 0.08, 0.06, 'sine')),
  low: (out) => tone(out, 880, 0, 0.06, 0.05),
  knock: (out) => [0, 0.13].forEach((at) => tone(out, 180, at, 0.09, 0.12, 'sine')),
  refused: (out) => tone(out, 150, 0, 0.1, 0.06, 'sine'),
};

/** @type {Mount} */
export function mountSignals(root, _, get) {
  const audio = new AudioContext(); // this module is loaded by the first touch or key
  let before = get();
  /** @type {Promise<WakeLockSentinel> | null} */
  let awake = null;

  function play(name = '') {
    if (audio.state !== 'running') return;
    root.dataset.sounded = name;
    SOUNDS[name](audio);
  }

  /** @param {string} name */
  function touch(name) {
    if (name in TOUCHES && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(TOUCHES[name]);
  }

  // Fetched now: when the turn changes, the server may be unreachable.
  const icon = part(document, 'icon');
  let usual = icon.getAttribute('href') ?? '';
  fetch(usual)
    .then((file) => file.text())
    .then(
      (text) => {
        usual = SVG + encodeURIComponent(text);
      },
      () => {},
    );

  function stayAwake(isWanted = false) {
    if (!isWanted && awake) {
      awake.then(
        (lock) => lock.release(),
        () => {},
      );
      awake = null;
    } else if (isWanted && !awake && 'wakeLock' in navigator) {
      awake = navigator.wakeLock.request('screen');
      awake.then(
        (lock) => {
          lock.onrelease = () => {
            awake = null;
          };
        },
        () => {},
      );
    }
  }

  return (state) => {
    const room = shown(state)?.snapshot;
    const isMine = room !== undefined && isMyTurn(room, state.me);
    const name = signal(before, state);
    if (name && state.prefs.sound && !state.isTv) {
      play(name);
      touch(name === 'theirs' && isMine && document.hidden ? 'turn' : name);
    }
    attr(icon, { href: isMine ? MY_TURN : usual });
    const isPlaying = room?.status === 'playing' && mySeats(room, state.me).length > 0;
    stayAwake((isPlaying || state.isTv) && !document.hidden);
    before = state;
  };
}
