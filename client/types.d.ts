// The shapes that the page's modules share, known to all of them without an import. The messages on the socket are in
// tests/client/messages.d.ts. Types only: no browser loads this.

type Mark = Wire.Sit['seat'];
type Id = NonNullable<Wire.Request['id']>;
type Player = Wire.Player;
type Seat = Wire.Seats[Mark];
type Clock = Wire.Clock;
/** Proven, or else an estimate. */
type CellValue =
    { value: 'win' | 'draw' | 'loss'; in: number | null } | { value: 'unknown'; in: null; estimate: number };
type Value = CellValue['value'];
type Snapshot = Wire.State;
type ListedSeat = Wire.ListedSeats[Mark];
type Listed = Wire.ListedRoom;
type Welcome = Wire.Welcome;
type Analysis = Omit<Wire.Analysis, 'cells'> & { cells: (CellValue | null)[] };
type Variant = Wire.Variant;
type Shape = Pick<Variant, 'rows' | 'columns' | 'falls' | 'nested'>;
type Owner = NonNullable<Snapshot['boards']>[number];
type Frame = Exclude<Wire.Frame, { type: 'analysis' }> | Analysis;

/** Any request: its fields are those of all requests, because a view passes on what it does not look at. */
type Command = { type: Wire.Request['type'] } & {
    [K in Exclude<FieldOf<Wire.Request>, 'type'>]?: ValueOf<Wire.Request, K>;
};
type FieldOf<R> = R extends unknown ? keyof R : never;
type ValueOf<R, K> = R extends unknown ? (K extends keyof R ? R[K] : never) : never;

/** Whether the server can be reached; `full` and `barred`: it can, but lets nobody else in, or not this browser. */
type Link = 'connecting' | 'online' | 'lost' | 'refused' | 'full' | 'barred';
/** What to tell the person, as a code; the words are in words/en.js. */
type Told = { code: string; name?: string; reason?: string; text?: string };
type Prefs = {
    sound: boolean;
    theme: string;
    digits: boolean;
    /** The choices of the last new game; `game` is the name of a variant, `clock` seconds for each side. */
    game: string;
    level: string;
    side: string;
    clock: string;
    sight: string;
    tab: string;
    second: string;
    /** Whether the list of public games has those with bots. */
    bots: boolean;
};
type Tally = { won: number; drawn: number; lost: number };
/** One's own results against the computer, kept on this device. */
type Progress = {
    games: Record<string, Record<string, Tally>>;
    /** Games won in a row. */
    streak: number;
    last: { room: string; game: number; variant: string; level: string; result: keyof Tally } | null;
    /** The games counted last, so that none counts twice. */
    counted: string[];
};
type Reviewed = {
    ply: number;
    mark: Mark;
    cell: number;
    value: Value;
    in: number | null;
    best: Value;
    cells: number[];
    estimate?: number;
};
type Grade = 'best' | 'fine' | 'slip' | 'blunder';

/** What happens on the page alone, in the same stream as the frames. `went` with a room of null is home. */
type Local =
    | ({ type: 'told' } & Told)
    | { type: 'look'; on: boolean }
    | { type: 'step'; ply: number | null }
    | { type: 'premove'; cell: number | null }
    | { type: 'seek'; on: boolean; variant?: string }
    | { type: 'decline'; rooms: string[] }
    | { type: 'patient'; on: boolean }
    | { type: 'sheet'; tab: string | null }
    | { type: 'give_up' }
    | ({ type: 'prefer' } & Partial<Prefs>);
type Happening =
    | { type: 'went'; room: string | null; isTv?: boolean }
    | { type: 'link'; link: Link }
    | { type: 'announced'; text: string; due: number | null }
    | { type: 'asked'; command: Command }
    | { type: 'recalled'; snapshot: Snapshot }
    | { type: 'reviewed'; room: string; game: number; lines: Reviewed[]; isComplete: boolean }
    | { type: 'played'; room: string; game: number; seats: Record<Mark, Seat> }
    | { type: 'open_games'; rooms: Snapshot[]; isAsked?: boolean }
    | { type: 'progress'; progress: Progress }
    | { type: 'tick' }
    | Local;
type Note = (Frame | Happening) & { at: number; command?: Command };
/** What a view asks for: a command, something on the page, or something the session does. */
type Message =
    | Command
    | Local
    | { type: 'rename'; name: string }
    | { type: 'retry' }
    | { type: 'invite_again' }
    | { type: 'begin'; cell: number }
    | { type: 'play_on'; ply: number }
    | {
          type: 'new_game';
          way: string;
          variant?: string;
          level?: string;
          side?: string;
          names?: [string, string];
      };
type Send = (message: Message) => void;
type Render = (state: State) => void;
/** Every view's one export: draws itself into the element, asks by `send`, reads the latest state by `get`. */
type Mount = (element: HTMLElement, send: Send, get: () => State) => Render;
/** The same for a part of the room, which is only drawn while there is one. */
type MountPart = (element: HTMLElement, send: Send, get: () => State) => (state: State, view: RoomView) => void;

/**
 * A room and what this page has noticed about it. `online` is null until the first presence frame. `offlineSince` and
 * `turnSince` are when this page first saw that seat's person gone, and the present ply. `isStale`: its state came
 * before the latest welcome, so the next one counts whatever its `seq`.
 */
type RoomView = {
    snapshot: Snapshot;
    online: Mark[] | null;
    watchers: number;
    offlineSince: Partial<Record<Mark, number>>;
    turnSince: number;
    isStale: boolean;
    /** Who plays this game. A player who leaves after its end is still named. */
    players: Partial<Record<Mark, Seat>>;
    /** Whether this page saw the game end, and when; a page that joins later has no end to celebrate. */
    endedAt: number | null;
};
type Pending = {
    id: Id;
    room: string;
    game: number;
    ply: number;
    cell: number;
    mark: Mark;
    since: number;
    /** Sent before the last welcome. */
    isKept?: boolean;
};

type State = {
    /** This computer's clock, as of the last note. */
    now: number;
    /** Server clock minus this computer's. */
    offset: number;
    link: Link;
    /** The room shown; null is home. */
    room: string | null;
    /** Shown on a big screen, without controls. */
    isTv: boolean;
    /** The server knows no such room. */
    missing: boolean;
    /** What the operator said when closing the room shown. */
    closed: string;
    /** What the operator announces, and when the server restarts if that is what it is. */
    announced: { text: string; due: number | null } | null;
    /** Of the server. */
    version: string;
    me: Player | null;
    variants: Welcome['variants'];
    phrases: string[];
    limits: Pick<Welcome['limits'], 'cover_after' | 'claim_after'>;
    rooms: Record<string, RoomView>;
    /** The public games; null until the first complete lobby frame. */
    lobby: Map<string, Listed> | null;
    /** The click not yet answered. */
    pending: Pending | null;
    /** The `create` not yet answered. */
    creating: Id | null;
    /** The `meet` that was sent, by the player's id. */
    meeting: string | null;
    /** The `create` or `meet` that a limit refused last, and whose limit that was. */
    crowded: { whose: Wire.Whose; command: Command } | null;
    /** Values on or off; the snapshot looked back at, and how many moves it had when one began to look. */
    look: {
        on: boolean;
        back: { snapshot: Snapshot; ply: number; from: number } | null;
        analysis: (Analysis & { game: number }) | null;
        /** The server could not say yet, and is asked again. */
        isBusy: boolean;
    };
    /** A finished game's moves, judged; complete once the last line has come. */
    review: { room: string; game: number; lines: Reviewed[]; isComplete: boolean } | null;
    /** The cell to mark as soon as it is one's turn. */
    premove: { game: number; ply: number; cell: number } | null;
    /** Quick play: whether this page looks for another player, in which game, and who was found. */
    quick: { on: boolean; partner: Player | null; asks: boolean; variant: string };
    notice: (Told & { key: number; until: number }) | null;
    sayings: { key: number; player: Player; phrase: string; until: number }[];
    /** The rooms to which I am not invited any more: I have declined, or left. */
    declined: string[];
    /** Waiting on for somebody who is away. */
    isPatient: boolean;
    /** The tab of the new-game sheet; null while it is closed. */
    sheet: string | null;
    /** My games that are not over, newest first. */
    openGames: Snapshot[];
    /** Games are remembered, and the server has been asked about them. */
    hasOpenGames: boolean;
    prefs: Prefs;
    progress: Progress;
};

type SceneCell = {
    mark: Mark | null;
    /** The cell that a tap here plays or aims at. */
    target: number | null;
    isPending: boolean;
    isSlow: boolean;
    isAimed: boolean;
    isFading: boolean;
    isFaint: boolean;
    isPlayable: boolean;
    isLast: boolean;
    isWon: boolean;
    isOut: boolean;
    isUnder: boolean;
    isNext: boolean;
    value: CellValue | null;
};
/** A board to draw. `line` has cells, or small boards where they are nested; `striker` is who made it. */
type Scene = {
    key: string;
    variant: Variant;
    cells: SceneCell[];
    owners: Owner[];
    open: number[];
    turn: Mark | null;
    side: Mark | null;
    line: number[];
    striker: Mark | null;
    /** Whose mark hovers over a cell that a tap would play. */
    ghost: Mark | null;
    /** The cell where it hovers while nobody points anywhere. */
    invite: number | null;
    isWatched: boolean;
};
type Layers = {
    patches: Element;
    column: Element;
    line: Element;
    owners: Element;
    ghost: HTMLElement;
    top: HTMLElement;
    smalls: Element[];
};
/** One game of a room, as `GET /api/rooms/{room}/games/{n}` tells it. */
type PastGame = {
    room: string;
    game: number;
    variant: Variant;
    players: Record<Mark, ListedSeat>;
    opening: number;
    moves: number[];
    outcome: Wire.Outcome | null;
};
/** A button: what it does, its words, and its icon. */
type Tool = {
    key: string;
    label: string;
    icon: string;
    run: () => void;
    pressed?: boolean;
    what?: string;
    /** Nothing to do for it now. */
    isOff?: boolean;
    /** Not shown now, but its place is kept. */
    isIdle?: boolean;
};

type ConnectionOptions = {
    url: string;
    /** The greeting, built anew for every attempt. */
    hello: () => Command;
    /** What to ask after every welcome. */
    standing: () => Command[];
    /** Whether a dead line must be noticed at once. */
    isKeen?: () => boolean;
    /** A frame, with the command it answers. */
    onFrame: (frame: Frame, command?: Command) => void;
    onLink: (link: Link) => void;
    WebSocket: typeof WebSocket;
    fetch: (path: string) => Promise<Response>;
    /** What the browser knows of the network. */
    isOnline: () => boolean;
    setTimeout: (run: () => void, ms: number) => any;
    clearTimeout: (timer: any) => void;
    /** 0 ≤ number < 1 */
    random: () => number;
};

type Later = {
    element: HTMLElement;
    isNeeded: (state: State) => boolean;
    load: () => Promise<Mount>;
    isAsked?: boolean;
    isMounted?: boolean;
};
