// Takes a free seat, plays anywhere, asks for rematches, and comes back when the line is lost.
//
//   node examples/bot.mjs http://127.0.0.1:8080
//
// It needs no package: Node 22 has WebSocket built in, and Node 20 has it behind a flag,
// `node --experimental-websocket`. docs/protocol.md explains every message.

const page = new URL(process.argv[2] ?? 'http://127.0.0.1:8080');
const address = `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}/ws`;
let token; // who we are: the server gives it to us, and keeps our seat for it
let player;
let room; // the one we play in
let told; // the room in which we have said where we sit
let newest; // the seq of its newest state on this connection
let wait = 250; // ms until the next attempt to connect

function connect() {
    const socket = new WebSocket(address);
    let isLost = false;
    const lose = (problem) => {
        if (isLost) return;
        isLost = true;
        console.log(`${problem} ${address}. Connecting again.`);
        setTimeout(connect, Math.random() * wait); // at random, so that not all come at once
        wait = Math.min(2 * wait, 5000);
    };
    const send = (command) => socket.send(JSON.stringify(command));
    socket.onopen = () => send({ type: 'hello', protocol: 1, name: 'Node', token, bot: true });
    socket.onmessage = ({ data }) => receive(JSON.parse(data), send);
    socket.onclose = ({ code }) => {
        if (code === 1008) return console.log('The server has sent us away.');
        lose('Lost the connection to');
    };
    socket.onerror = () => lose('No connection to'); // Node 20 has no close after it
}

function receive(frame, send) {
    if (frame.type === 'welcome') {
        ({ token, player } = frame);
        wait = 250;
        begin(send);
    } else if (frame.type === 'lobby' && !room) {
        const free = frame.rooms.find(({ seats }) => isOpen(seats.X) !== isOpen(seats.O));
        if (!free) return;
        room = free.room;
        send({ type: 'lobby', on: false });
        send({ type: 'sit', id: 'sit', room, seat: isOpen(free.seats.X) ? 'X' : 'O' });
    } else if (frame.type === 'refused') {
        console.log(frame.text);
        if (frame.re === 'sit') room = undefined; // somebody else was faster
        setTimeout(() => begin(send), 1000);
    } else if (frame.type === 'state' && frame.seq > newest) {
        newest = frame.seq;
        tell(frame);
        act(frame, send);
    }
}

function tell({ seats }) {
    const mine = ['X', 'O'].find((mark) => seats[mark].player === player.id);
    if (mine && told !== room) console.log(`${mine} in ${page.origin}/r/${room}`);
    if (mine) told = room;
}

/** On a new connection, and after a refusal: the next state counts whatever its seq. */
function begin(send) {
    newest = -1;
    send(room ? { type: 'watch', room } : { type: 'lobby', on: true });
}

function act(state, send) {
    const { game, moves, turn, board, outcome } = state;
    const isMine = (mark) => state.seats[mark].player === player.id;
    if (turn && isMine(turn)) {
        const free = state.playable ?? [...board.keys()].filter((cell) => board[cell] === null);
        const cell = free[Math.floor(Math.random() * free.length)];
        send({ type: 'play', room, cell, ply: moves.length, game });
    } else if (outcome && !state.rematch.some(isMine)) {
        console.log(`game ${game}: ${outcome.winner ?? 'nobody'} has won`);
        send({ type: 'rematch', room, game });
    }
}

const isOpen = (seat) => seat.kind === 'open';

if (typeof WebSocket === 'undefined') {
    console.error('This Node has no WebSocket. Take Node 22, or: node --experimental-websocket');
    process.exit(1);
}
connect();
