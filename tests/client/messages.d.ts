// Written by `make schema` from noughts/messages.py. Do not edit.

declare namespace Wire {
  type Hello = {
    type: 'hello';
    protocol: number;
    token?: string;
    name?: string;
    bot?: boolean;
    id?: string | number;
  };
  type WantedHolder = {
    ai?: string;
    me?: string;
  };
  type WantedSeats = {
    X: 'me' | 'open' | WantedHolder;
    O: 'me' | 'open' | WantedHolder;
  };
  type WantedClock = {
    budget: number;
    increment?: number;
  };
  type Create = {
    type: 'create';
    variant?: string;
    seats?: WantedSeats;
    public?: boolean;
    clock?: WantedClock | null;
    moves?: Array<number>;
    nonce?: string;
    id?: string | number;
  };
  type Watch = {
    type: 'watch';
    room: string;
    id?: string | number;
  };
  type Unwatch = {
    type: 'unwatch';
    room: string;
    id?: string | number;
  };
  type Sit = {
    type: 'sit';
    room: string;
    seat: 'O' | 'X';
    name?: string;
    id?: string | number;
  };
  type Leave = {
    type: 'leave';
    room: string;
    seat: 'O' | 'X';
    id?: string | number;
  };
  type SeatAI = {
    type: 'seat_ai';
    room: string;
    seat: 'O' | 'X';
    level: string;
    id?: string | number;
  };
  type DismissAI = {
    type: 'dismiss_ai';
    room: string;
    seat: 'O' | 'X';
    id?: string | number;
  };
  type Play = {
    type: 'play';
    room: string;
    cell: number;
    ply: number;
    game?: number;
    id?: string | number;
  };
  type Resign = {
    type: 'resign';
    room: string;
    game?: number;
    id?: string | number;
  };
  type Rematch = {
    type: 'rematch';
    room: string;
    game?: number;
    id?: string | number;
  };
  type Claim = {
    type: 'claim';
    room: string;
    game?: number;
    id?: string | number;
  };
  type Say = {
    type: 'say';
    room: string;
    phrase: string;
    id?: string | number;
  };
  type Lobby = {
    type: 'lobby';
    on: boolean;
    id?: string | number;
  };
  type Quick = {
    type: 'quick';
    on: boolean;
    variant?: string;
    id?: string | number;
  };
  type Meet = {
    type: 'meet';
    player: string;
    id?: string | number;
  };
  type Analyse = {
    type: 'analyse';
    room: string;
    ply?: number;
    game?: number;
    id?: string | number;
  };
  type Ping = {
    type: 'ping';
    id?: string | number;
  };
  type Request = Hello | Create | Watch | Unwatch | Sit | Leave | SeatAI | DismissAI | Play | Resign | Rematch | Claim | Say | Lobby | Quick | Meet | Analyse | Ping;
  type Player = {
    id: string;
    name: string;
    bot?: boolean;
  };
  type OfferedVariant = {
    name: string;
    rows: number;
    columns: number;
    line: number;
    falls?: boolean;
    avoid?: boolean;
    keep?: number;
    limit?: number;
    nested?: boolean;
    levels: Array<string>;
  };
  type Limits = {
    cover_after: number;
    claim_after: number;
    commands_per_second: number;
    commands_at_once: number;
    rooms_followed: number;
  };
  type Server = {
    version: string;
  };
  type Welcome = {
    type: 'welcome';
    re: string | number | null;
    protocol: number;
    player: Player;
    token: string;
    now: number;
    variants: Array<OfferedVariant>;
    phrases: Array<string>;
    limits: Limits;
    server: Server;
  };
  type Accepted = {
    type: 'accepted';
    re: string | number | null;
    room?: string;
    seq?: number;
  };
  type Reason = 'no_such_variant' | 'no_such_level' | 'no_such_room' | 'no_such_game' | 'no_such_cell' | 'no_such_phrase' | 'too_many_rooms' | 'seat_taken' | 'not_seated' | 'not_here' | 'waiting' | 'not_your_turn' | 'cell_taken' | 'not_playable' | 'stale' | 'game_over' | 'game_not_over' | 'too_early' | 'players_may_not' | 'malformed' | 'hello_first' | 'unsupported_protocol' | 'too_fast' | 'retry' | 'draining';
  type Whose = 'connection' | 'player' | 'address' | 'server';
  type Refused = {
    type: 'refused';
    re: string | number | null;
    reason: Reason;
    text: string;
    whose?: Whose;
  };
  type Pong = {
    type: 'pong';
    re: string | number | null;
    now: number;
  };
  type Variant = {
    name: string;
    rows: number;
    columns: number;
    line: number;
    falls?: boolean;
    avoid?: boolean;
    keep?: number;
    limit?: number;
    nested?: boolean;
  };
  type Outcome = {
    winner: 'O' | 'X' | null;
    by: 'absence' | 'full' | 'limit' | 'line' | 'resignation' | 'time';
    line: Array<number> | null;
    boards?: Array<number>;
  };
  type OpenSeat = {
    kind: 'open';
  };
  type HumanSeat = {
    kind: 'human';
    player: string;
    name: string;
    bot?: boolean;
  };
  type Covered = {
    player: string;
    name: string;
    bot?: boolean;
  };
  type AISeat = {
    kind: 'ai';
    level: string;
    covers?: Covered;
  };
  type Seats = {
    X: OpenSeat | HumanSeat | AISeat;
    O: OpenSeat | HumanSeat | AISeat;
  };
  type Score = {
    X: number;
    O: number;
    draws: number;
  };
  type TimeLeft = {
    X: number;
    O: number;
  };
  type Clock = {
    budget: number;
    increment: number;
    left: TimeLeft;
    since: number | null;
  };
  type State = {
    type: 'state';
    room: string;
    public: boolean;
    variant: Variant;
    seq: number;
    game: number;
    board: Array<'O' | 'X' | null>;
    moves: Array<number>;
    turn: 'O' | 'X' | null;
    status: 'over' | 'playing' | 'waiting';
    outcome: Outcome | null;
    seats: Seats;
    score: Score;
    rematch: Array<'O' | 'X'>;
    clock: Clock | null;
    playable?: Array<number>;
    fading?: number | null;
    boards?: Array<'O' | 'X' | 'draw' | null>;
    opening?: number;
  };
  type Presence = {
    type: 'presence';
    room: string;
    online: Array<'O' | 'X'>;
    watchers: number;
  };
  type ListedHuman = {
    kind: 'human';
    name: string;
    bot?: boolean;
  };
  type ListedAI = {
    kind: 'ai';
    level: string;
  };
  type ListedSeats = {
    X: OpenSeat | ListedHuman | ListedAI;
    O: OpenSeat | ListedHuman | ListedAI;
  };
  type ListedRoom = {
    room: string;
    variant: string;
    game: number;
    board: string;
    status: 'over' | 'playing' | 'waiting';
    turn: 'O' | 'X' | null;
    seats: ListedSeats;
    watchers: number;
    online: number;
    winner?: 'O' | 'X' | null;
  };
  type LobbyFrame = {
    type: 'lobby';
    complete: boolean;
    rooms: Array<ListedRoom>;
    gone: Array<string>;
  };
  type QuickFrame = {
    type: 'quick';
    on: boolean;
    partner: Player | null;
    asks: boolean;
    room: string | null;
  };
  type Said = {
    type: 'said';
    room: string;
    player: Player;
    phrase: string;
    now: number;
  };
  type CellValue = {
    value: 'draw' | 'loss' | 'unknown' | 'win';
    in: number | null;
    estimate?: number;
  };
  type Analysis = {
    type: 'analysis';
    re: string | number | null;
    room: string;
    ply: number;
    turn: 'O' | 'X' | null;
    cells: Array<CellValue | null>;
  };
  type Notice = {
    type: 'notice';
    text: string;
    at: number | null;
  };
  type Closed = {
    type: 'closed';
    room: string;
    text: string;
  };
  type Frame = Welcome | Accepted | Refused | Pong | State | Presence | LobbyFrame | QuickFrame | Said | Analysis | Notice | Closed;
}
