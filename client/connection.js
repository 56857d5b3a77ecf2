// One WebSocket that reconnects by itself: connect, say hello, follow again what was followed,
// resend unanswered commands under the same id, and back off with jitter. After a failed handshake
// it asks why. Knows nothing of the page or the game.

const PING_KEEN = 1000; // ms, in a game of one's own
const PING_EVERY = 5000;
const ANSWER_WITHIN = 4000;
const CHECK_WITHIN = 2000;
const WELCOME_WITHIN = 9000;
const QUIET_FOR = 800; // with a keen ping: within two seconds the page says that the line is gone
const FIRST_WAIT = 250;
const LONGEST_WAIT = 1500; // after a restart every page is back within three seconds
const LONGEST_WAIT_OUTSIDE = { full: 15_000, barred: 60_000 }; // where the server is well, and lets nobody in
const SENT_AWAY = 1008;

/** @param {ConnectionOptions} options */
export function createConnection({
  url,
  hello,
  standing,
  isKeen = () => false,
  onFrame,
  onLink,
  WebSocket,
  fetch,
  isOnline,
  setTimeout,
  clearTimeout,
  random,
}) {
  /** @type {WebSocket | null} */
  let socket = null;
  let isOpen = false;
  let isWelcome = false;
  /** Why the last handshake failed; null if the server may be gone. @type {'full' | 'barred' | null} */
  let outside = null;
  let isAsking = false;
  let isDoubted = false;
  let attempt = 0;
  let quietFor = 0;
  let lastId = 0;
  /** @type {Map<Id | null, { command: Command, keep: boolean }>} */
  const unanswered = new Map();
  /** @type {Map<string, any>} */
  const timers = new Map();

  function later(name = '', run = () => {}, ms = 0) {
    forget(name);
    timers.set(
      name,
      setTimeout(() => {
        timers.delete(name);
        run();
      }, ms),
    );
  }

  /** @param {string[]} names */
  function forget(...names) {
    for (const name of names) {
      clearTimeout(timers.get(name));
      timers.delete(name);
    }
  }

  function noteLoss() {
    if (!timers.has('note')) later('note', doubt, QUIET_FOR);
  }

  /** Say that the line is gone, while it is tried. */
  function doubt() {
    if (!socket && !timers.has('retry')) return; // not started, or sent away
    isDoubted = true;
    onLink(outside ?? 'lost');
  }

  /** A browser does not say why a handshake failed. A plain GET of the same address does. */
  async function askWhy() {
    if (isAsking || !isOnline()) return;
    isAsking = true;
    const why = await fetch('/ws')
      .then(reasonOf)
      .catch(() => null);
    isAsking = false;
    if (isWelcome || why === outside) return;
    outside = why;
    if (timers.has('retry')) retry();
    if (outside) doubt();
  }

  /** Those outside come back one by one, and later each time. */
  function retry() {
    const wait = Math.min(outside ? LONGEST_WAIT_OUTSIDE[outside] : LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
    later('retry', connect, outside ? (wait * (1 + random())) / 2 : wait * random());
  }

  function connect() {
    release();
    forget('retry');
    noteLoss();
    isOpen = false;
    socket = new WebSocket(url);
    socket.onopen = () => {
      isOpen = true;
      socket?.send(JSON.stringify(hello()));
    };
    socket.onmessage = ({ data }) => receive(JSON.parse(data));
    socket.onclose = ({ code }) => {
      lose(code);
      if (!isOpen) askWhy();
    };
    later('answer', lose, WELCOME_WITHIN);
  }

  /** Drop the socket without waiting for its close frame: a dead connection sends none. */
  function release() {
    isWelcome = false;
    forget('ping', 'answer');
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
    socket = null;
  }

  function lose(code = 0) {
    release();
    for (const [id, { keep }] of unanswered) if (!keep) unanswered.delete(id);
    if (code === SENT_AWAY) {
      forget('note');
      return onLink('refused');
    }
    noteLoss();
    attempt += 1;
    retry();
  }

  /** @param {Frame} frame */
  function receive(frame) {
    if (frame.type === 'welcome') return greet(frame);
    if (!isWelcome) return frame.type === 'refused' ? lose() : undefined; // hello was refused: try again later
    forget('answer', 'note');
    if (isDoubted) onLink('online');
    isDoubted = false;
    const id = 're' in frame ? frame.re : null;
    const entry = unanswered.get(id);
    // A server that shuts down has not carried this out. Keep it for the next one.
    if (frame.type === 'refused' && frame.reason === 'draining' && entry?.keep) return undefined;
    unanswered.delete(id);
    return onFrame(frame, entry?.command);
  }

  /** @param {Welcome} frame */
  function greet(frame) {
    isWelcome = true;
    outside = null;
    attempt = 0;
    forget('note', 'answer');
    isDoubted = false;
    quietFor = 0;
    later('ping', ping, PING_KEEN);
    const again = [...unanswered.values()]; // before a listener can react to the welcome with a new command
    onFrame(frame);
    onLink('online');
    for (const command of standing()) submit(command);
    for (const { command } of again) write(command);
  }

  /** Looks every second, because a game may have begun since. */
  function ping() {
    later('ping', ping, PING_KEEN);
    quietFor += PING_KEEN;
    if (!isKeen() && quietFor < PING_EVERY) return;
    quietFor = 0;
    expect(ANSWER_WITHIN);
  }

  /** Send a ping. Any frame counts as its answer. */
  function expect(ms = 0) {
    if (!timers.has('answer'))
      later(
        'answer',
        () => {
          lose();
          check();
        },
        ms,
      );
    noteLoss();
    write({ type: 'ping' });
  }

  /** The network may have changed: check now, not at the next ping. */
  function check() {
    if (timers.has('retry')) return connect();
    if (!isWelcome) return;
    forget('answer');
    expect(CHECK_WITHIN);
  }

  /** @param {Command} command */
  function write(command) {
    if (isWelcome && socket?.readyState === 1) socket.send(JSON.stringify(command));
  }

  /**
   * Send once, or with `keep` again after every reconnect until it is answered.
   * @param {Command} command
   */
  function submit(command, keep = false) {
    lastId += 1;
    const stamped = { ...command, id: lastId };
    if (keep || isWelcome) unanswered.set(lastId, { command: stamped, keep });
    write(stamped);
    return stamped;
  }

  function start() {
    lose();
    attempt = 0;
    connect();
  }

  return { start, check, doubt, tell: submit, send: (/** @type {Command} */ command) => submit(command, true) };
}

/** What the server says about a handshake. A proxy answers with a page of its own: then the status must do. @param {Response} answer */
async function reasonOf(answer) {
  const { status } = answer;
  if (status === 403) return 'barred';
  const { reason = '' } = status === 503 ? await answer.json().catch(() => ({})) : {};
  return status === 429 || (status === 503 && reason !== 'draining') ? 'full' : null;
}
