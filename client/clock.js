/**
 * The two game clocks as arithmetic on the snapshot and the server's time.
 *
 * Reads no clock and draws nothing.
 *
 * @import { Clock, Mark, Snapshot, State } from './types.js'
 */

const LOW = 10_000;

/** What that side has left. @param {Clock} clock @param {Mark | null} turn @param {Mark} mark @param {number} now the server's time */
export function timeLeft(clock, turn, mark, now) {
  const { left, since } = clock;
  const spent = since !== null && turn === mark ? Math.max(0, now - since) : 0;
  return Math.max(0, left[mark] - spent);
}

/** @param {Clock} clock @param {number} left */
export const isLow = (clock, left) => left < Math.min(LOW, clock.budget / 4);

/** @param {Snapshot | undefined} room */
export const isRunning = (room) => room?.clock != null && room.clock.since !== null && room.status === 'playing';

/** @param {State} state */
export const serverNow = (state) => state.now + state.offset;
