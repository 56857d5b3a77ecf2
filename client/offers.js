// Everything a person may do in a room right now: first as plain data, then as a row of buttons.
// An action that is not possible has no button, so there are no dead buttons.

import { keyed, on, part, show, stamp, write } from './dom.js';
import { spoken } from './names.js';
import { awayFor, isExhibition, isPeopled, myCovered, mySeats, seeking } from './viewpoint.js';
import { certainty, offerLabel } from './words.js';

const SETTLES = 500;

/** @type {MakeOffer} */
function offer(what, weight, command, confirms = false, name = command.seat) {
  return { key: what + (command.seat ?? ''), what, weight, command, confirms, label: offerLabel(what, name), asksLevel: command.type === 'seat_ai', asksName: what === 'sit_too' };
}

/** @type {SeatOffers} */
export function seatOffers(view, seat, { me, now, limits }) {
  const { room, seats, turn } = view.snapshot;
  const { kind } = seats[seat];
  const [mine, covered] = [mySeats(view.snapshot, me), myCovered(view.snapshot, me)];
  const isShow = isExhibition(view.snapshot) && turn !== null;
  const mayArrange = mine.length > 0 || covered.length > 0 || !(isShow || isPeopled(view.snapshot));
  const command = (/** @type {Command['type']} */ type) => ({ type, room, seat });

  if (kind === 'open') {
    const sit = mine.length ? offer('sit_too', 'plain', command('sit')) : offer('sit', 'primary', command('sit'));
    return mayArrange ? [sit, offer('seat_ai', 'plain', command('seat_ai'))] : [sit];
  }
  if (covered.includes(seat)) return [offer('take_back', 'primary', command('sit')), offer('leave_to_ai', 'quiet', command('leave'))];
  if (kind === 'ai') return mayArrange ? [offer('dismiss', 'quiet', command('dismiss_ai'))] : [];
  const isAway = mine.length > 0 && !mine.includes(seat) && awayFor(view, seat, now) >= limits.cover_after;
  return isAway ? [offer('cover', 'plain', command('seat_ai'))] : [];
}

/** @type {GameOffers} */
export function gameOffers(view, { me, now, limits }) {
  const { room, game, status, turn, rematch } = view.snapshot;
  const mine = mySeats(view.snapshot, me);
  const offers = [];

  if (status === 'over') {
    /** @type {Command} */
    const again = { type: 'rematch', room, game };
    if (mine.some((mark) => !rematch.includes(mark))) offers.push(offer('rematch', 'primary', again));
    else if (isExhibition(view.snapshot)) offers.push(offer('again', 'primary', again));
  }
  if (turn && mine.length) {
    const stalled = Math.min(awayFor(view, turn, now), now - view.turnSince);
    if (!mine.includes(turn) && stalled >= limits.claim_after) offers.push(offer('claim', 'primary', { type: 'claim', room, game }));
    offers.push(offer('resign', 'quiet', { type: 'resign', room, game }, true));
  }
  const leave = mine.length > 1 ? 'leave_one' : 'leave';
  return [...offers, ...mine.map((seat) => offer(leave, 'quiet', { type: 'leave', room, seat }, turn !== null))];
}

/** Quick play: the other player found, offered between two games. @type {QuickOffers} */
export function quickOffers({ snapshot }, { quick, me }) {
  const isBetween = snapshot.turn === null || !mySeats(snapshot, me).length;
  const { partner } = quick;
  if (!partner || !isBetween) return [];
  return [
    offer('meet', 'primary', { type: 'meet', player: partner.id }, false, partner.name),
    offer('somebody_else', 'quiet', seeking(quick)),
  ];
}

/** Keeps the level that was chosen, or else the strongest in its place. @type {FillLevels} */
export function fillLevels(select, levels, preferred = 'medium') {
  const [was, offered] = [select.value, [...select.options].map(({ value }) => value)];
  if (offered.join() === levels.join()) return;
  const last = levels[levels.length - 1];
  const chosen = !was ? preferred : levels.includes(was) ? was : last;
  select.replaceChildren(...levels.map((level) => new Option(spoken(level), level, false, level === chosen)));
}

/** What the person has filled in beside the button. @type {Answers} */
function answers({ asksLevel, asksName }, item) {
  const name = asksName && part(item, 'second').value.trim();
  return { ...(asksLevel && { level: part(item, 'level').value }), ...(name && { name }) };
}

/** @type {MountOffers} */
export function mountOffers(root, send) {
  /** @type {Offer[]} */
  let offers = [];
  /** @type {Offer | undefined} */
  let confirming;
  let levels = [''];
  let [meaning, timer] = ['', 0];

  on(root, 'click', 'button', (button) => {
    const item = /** @type {HTMLElement} */ (button.parentElement);
    const isSure = item.dataset.key === 'confirm';
    const chosen = isSure ? confirming : offers.find(({ key }) => key === item.dataset.key);
    if (chosen?.confirms && !isSure) return ask(chosen);
    if (chosen) send({ ...chosen.command, ...answers(chosen, item) });
    if (confirming) ask();
  });
  root.onmousedown = (event) => {
    if ('settling' in root.dataset) event.preventDefault(); // so that the focus stays
  };
  root.onkeydown = ({ key }) => {
    if (key === 'Escape' && confirming) ask();
  };

  /** @param {Offer} [chosen] */
  function ask(chosen) {
    const goal = chosen ? 'cancel' : confirming?.key;
    confirming = chosen;
    draw();
    /** @type {HTMLElement | null} */ (root.querySelector(`[data-key="${goal}"] button`))?.focus();
  }

  /**
   * A row ignores clicks for a moment after it has changed: a second click was meant for the old
   * buttons.
   */
  function settle(now = '') {
    if (now === meaning) return;
    meaning = now;
    root.dataset.settling = '';
    clearTimeout(timer);
    timer = window.setTimeout(() => { delete root.dataset.settling; }, SETTLES);
  }

  function draw() {
    settle([...offers, confirming].map((each) => [each?.key, each?.command.game, each?.confirms]).join());
    /** @type {Row[]} */
    const rows = [...offers];
    if (confirming) {
      const { key, what, command } = confirming;
      rows.length = offers.findIndex((each) => each.key === key); // the harmless answer appears under the pointer
      rows.push(
        { key: 'cancel', what: 'cancel', weight: 'plain', label: 'Keep playing' },
        { key: 'confirm', what: 'confirm', weight: 'danger', label: certainty(what, command.seat) },
      );
    }
    keyed(root, rows, ({ key }) => key, () => stamp('offer'), (item, { what, weight, label, asksLevel, asksName }) => {
      item.dataset.offer = what;
      write(item, { do: label });
      part(item, 'do').className = weight;
      show(item, { level: asksLevel === true, second: asksName === true });
      if (asksLevel) fillLevels(part(item, 'level'), levels);
    });
  }

  return (now, choice = []) => {
    [offers, levels] = [now, choice];
    if (!offers.some(({ key }) => key === confirming?.key)) confirming = undefined;
    draw();
  };
}
