/**
 * One WebSocket that heals itself: connect, say hello, follow again what was followed, send the unanswered commands
 * again under the same id, and back off with full jitter in between.
 *
 * Knows nothing of the page or the game. The socket's constructor, timers and dice are handed in.
 *
 * @import { Command, Frame, Id } from './types.js'
 *
 * @typedef {object} Options
 * @property {string} url
 * @property {() => Command} hello               the greeting, built anew for every attempt
 * @property {() => Command[]} standing          what to ask after every welcome
 * @property {(frame: Frame, command?: Command) => void} onFrame   a frame, with the command it answers
 * @property {(link: 'online' | 'lost' | 'refused') => void} onLink
 * @property {typeof WebSocket} WebSocket
 * @property {(run: () => void, ms: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random               0 ≤ number < 1
 */

const PING_EVERY = 5000;
const ANSWER_WITHIN = 4000; // with the ping above: nine seconds without any frame
const CHECK_WITHIN = 2000;
const WELCOME_WITHIN = 9000;
const QUIET_FOR = 1000;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 1500; // after a restart everybody is back within three seconds
const SENT_AWAY = 1008;

/** @param {Options} options */
export function createConnection(options) {
  const { setTimeout, clearTimeout, random } = options;
  /** @type {WebSocket | null} */
  let socket = null;
  let isWelcome = false;
  let attempt = 0;
  let lastId = 0;
  /** @type {Map<Id, { command: Command, keep: boolean }>} */
  const unanswered = new Map();
  /** @type {Record<'retry' | 'note' | 'ping' | 'answer', any>} */
  const timers = { retry: null, note: null, ping: null, answer: null };

  /** @param {keyof typeof timers} name @param {() => void} run @param {number} ms */
  function later(name, run, ms) {
    forget(name);
    timers[name] = setTimeout(() => { timers[name] = null; run(); }, ms);
  }

  /** @param {keyof typeof timers} name */
  function forget(name) {
    if (timers[name] !== null) clearTimeout(timers[name]);
    timers[name] = null;
  }

  function connect() {
    release();
    forget('retry');
    if (timers.note === null) later('note', () => options.onLink('lost'), QUIET_FOR);
    const mine = new options.WebSocket(options.url);
    socket = mine;
    mine.onopen = () => mine.send(JSON.stringify(options.hello()));
    mine.onmessage = (event) => receive(JSON.parse(event.data));
    mine.onclose = (event) => lose(event.code);
    later('answer', () => lose(0), WELCOME_WITHIN);
  }

  /** Let go of the socket without waiting for its goodbye: a dead line sends none. */
  function release() {
    const old = socket;
    socket = null;
    isWelcome = false;
    forget('ping');
    forget('answer');
    if (!old) return;
    old.onopen = old.onmessage = old.onclose = null;
    old.close(1000);
  }

  /** @param {number} code */
  function lose(code) {
    release();
    for (const [id, entry] of unanswered) if (!entry.keep) unanswered.delete(id);
    if (code === SENT_AWAY) {
      forget('note');
      options.onLink('refused');
      return;
    }
    if (timers.note === null) later('note', () => options.onLink('lost'), QUIET_FOR);
    later('retry', connect, random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt));
    attempt += 1;
  }

  /** @param {Frame} frame */
  function receive(frame) {
    if (isWelcome) forget('answer');
    if (frame.type === 'welcome') return greet(frame);
    if (!isWelcome) return frame.type === 'refused' ? lose(0) : undefined; // hello in vain: later, perhaps
    const id = 're' in frame ? frame.re : null;
    const entry = id === null ? undefined : unanswered.get(id);
    // A server that is going down did nothing; the next one is asked the same.
    if (frame.type === 'refused' && frame.reason === 'draining' && entry?.keep) return undefined;
    if (id !== null) unanswered.delete(id);
    return options.onFrame(frame, entry?.command);
  }

  /** @param {Frame} frame */
  function greet(frame) {
    isWelcome = true;
    attempt = 0;
    forget('note');
    forget('answer');
    later('ping', ping, PING_EVERY);
    const again = [...unanswered.values()]; // before anybody, told of the welcome, asks something new
    options.onFrame(frame);
    options.onLink('online');
    for (const command of options.standing()) tell(command);
    for (const { command } of again) write(command);
  }

  function ping() {
    later('ping', ping, PING_EVERY);
    expect(ANSWER_WITHIN);
    write({ type: 'ping' });
  }

  /** Any frame counts as a sign of life. @param {number} ms */
  function expect(ms) {
    if (timers.answer === null) later('answer', () => { lose(0); check(); }, ms);
  }

  /** Something hints at a change of the network: find out now instead of at the next ping. */
  function check() {
    if (timers.retry !== null) return connect();
    if (!isWelcome) return;
    forget('answer');
    expect(CHECK_WITHIN);
    write({ type: 'ping' });
  }

  /** @param {Command} command */
  function write(command) {
    if (isWelcome && socket?.readyState === 1) socket.send(JSON.stringify(command));
  }

  /** @param {Command} command @param {boolean} keep */
  function submit(command, keep) {
    lastId += 1;
    const stamped = { ...command, id: lastId };
    if (keep || isWelcome) unanswered.set(lastId, { command: stamped, keep });
    write(stamped);
    return stamped;
  }

  /** Ask, and ask again after every reconnect until there is an answer. @param {Command} command */
  const send = (command) => submit(command, true);
  /** Ask once; forgotten when the line drops. @param {Command} command */
  const tell = (command) => submit(command, false);

  /** Connect from scratch at once, with a fresh hello. */
  function start() {
    lose(0);
    attempt = 0;
    connect();
  }

  return { start, check, send, tell };
}
