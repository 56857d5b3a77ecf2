/**
 * Everything a person may do in a room right now, as data: seat by seat, and for the game as a whole.
 *
 * Pure. What is not offered here is not on the page, so nobody meets a dead button; words.js has the words.
 *
 * @import { Command, Mark, Player, RoomView } from './types.js'
 *
 * @typedef {'sit' | 'sit_too' | 'seat_ai' | 'cover' | 'take_back' | 'leave' | 'leave_one' | 'leave_to_ai' | 'dismiss'
 *   | 'resign' | 'rematch' | 'again' | 'claim'} What
 * @typedef {'primary' | 'plain' | 'quiet'} Weight
 * @typedef {{ what: What, weight: Weight, command: Command, asksLevel?: boolean, confirms?: boolean }} Offer
 */

import { CLAIM_AFTER, COVER_AFTER, awayFor, isPeopled, myCovered, mySeats, stallsFor } from './viewpoint.js';

/** @param {RoomView} view @param {Mark} mark @param {Player | null} me @param {number} now @returns {Offer[]} */
export function seatOffers(view, mark, me, now) {
  const room = view.snapshot;
  const seat = room.seats[mark];
  const mine = mySeats(room, me);
  const covered = myCovered(room, me);
  const mayArrange = mine.length > 0 || covered.length > 0 || !isPeopled(room);
  /** @param {What} what @param {Weight} weight @param {string} type @returns {Offer} */
  const offer = (what, weight, type) => ({ what, weight, command: { type, room: room.room, seat: mark }, asksLevel: type === 'seat_ai' });

  if (seat.kind === 'open') {
    const sit = mine.length ? offer('sit_too', 'plain', 'sit') : offer('sit', 'primary', 'sit');
    return mayArrange ? [sit, offer('seat_ai', 'plain', 'seat_ai')] : [sit];
  }
  if (covered.includes(mark)) return [offer('take_back', 'primary', 'sit'), offer('leave_to_ai', 'quiet', 'leave')];
  if (seat.kind === 'ai') return mayArrange ? [offer('dismiss', 'quiet', 'dismiss_ai')] : [];
  const isAway = mine.length > 0 && !mine.includes(mark) && awayFor(view, mark, now) >= COVER_AFTER;
  return isAway ? [offer('cover', 'plain', 'seat_ai')] : [];
}

/** @param {RoomView} view @param {Player | null} me @param {number} now @returns {Offer[]} */
export function gameOffers(view, me, now) {
  const { room, game, status, turn, seats, rematch } = view.snapshot;
  const mine = mySeats(view.snapshot, me);
  /** @type {Offer[]} */
  const offers = [];
  /** @param {What} what @param {Weight} weight @param {string} type */
  const add = (what, weight, type) => offers.push({ what, weight, command: { type, room, game }, confirms: what === 'resign' });

  if (status === 'over') {
    const isExhibition = !isPeopled(view.snapshot) && seats.X.kind === 'ai' && seats.O.kind === 'ai';
    if (mine.some((mark) => !rematch.includes(mark))) add('rematch', 'primary', 'rematch');
    else if (isExhibition) add('again', 'primary', 'rematch');
  }
  if (turn !== null && mine.length) {
    if (!mine.includes(turn) && stallsFor(view, now) >= CLAIM_AFTER) add('claim', 'primary', 'claim');
    add('resign', 'quiet', 'resign');
  }
  for (const seat of mine) {
    offers.push({ what: mine.length > 1 ? 'leave_one' : 'leave', weight: 'quiet', command: { type: 'leave', room, seat }, confirms: turn !== null });
  }
  return offers;
}
