// The shapes the page's modules share, known to all of them without an import: the page's state, and the forms of the
// functions that pass it on. The messages on the socket are in messages.d.ts. Types only: no browser loads this.

type Mark = Wire.Sit['seat'];
type Id = NonNullable<Wire.Request['id']>;
type Player = Wire.Player;
type Seat = Wire.Seats[Mark];
type Clock = Wire.Clock;
/** Proven, or else an estimate. */
type CellValue = { value: 'win' | 'draw' | 'loss', in: number | null } | { value: 'unknown', in: null, estimate: number };
type Snapshot = Wire.State;
type WallSeat = Wire.ListedSeats[Mark];
type WallRoom = Wire.ListedRoom;
type Welcome = Wire.Welcome;
type Analysis = Omit<Wire.Analysis, 'cells'> & { cells: (CellValue | null)[] };
type Variant = Wire.Variant;
type Owner = NonNullable<Snapshot['boards']>[number];
type Frame = Exclude<Wire.Frame, { type: 'analysis' }> | Analysis;

/** Any request: its fields are those of all requests, because a view passes on what it does not look at. */
type Command = { type: Wire.Request['type'] } & { [K in Exclude<FieldOf<Wire.Request>, 'type'>]?: ValueOf<Wire.Request, K> };
type FieldOf<R> = R extends unknown ? keyof R : never;
type ValueOf<R, K> = R extends unknown ? K extends keyof R ? R[K] : never : never;

// What happens on the page alone travels in the same stream: another address (null is home), the line, a command that
// left for the server, a sentence for the person, analysis switched, an earlier ply looked at (null: back to the latest),
// a cell to mark as soon as it is one's turn.
type Link = 'connecting' | 'online' | 'lost' | 'refused';
type Local = { type: 'told', text: string, tone?: 'plain' | 'alert' } | { type: 'look', on: boolean }
  | { type: 'step', ply: number | null } | { type: 'premove', cell: number | null } | { type: 'seek', on: boolean, variant?: string }
  | { type: 'prefer', sound?: boolean, theme?: string, game?: string };
type Happening = { type: 'went', room: string | null, mine?: string | null } | { type: 'link', link: Link }
  | { type: 'asked', command: Command } | { type: 'recalled', snapshot: Snapshot } | { type: 'tick' } | Local;
type Note = (Frame | Happening) & { at: number, command?: Command };
type Message = Command | Local | { type: 'rename', name: string } | { type: 'retry' };
type Send = (message: Message) => void;
type Render = (state: State) => void;
/** Every view's one export: draws itself into the element, asks by `send`, reads the latest state by `get`. */
type Mount = (element: HTMLElement, send: Send, get: () => State) => Render;
/** The same for a part of the room, which is only drawn while there is one. */
type MountPart = (element: HTMLElement, send: Send, get: () => State) => (state: State, view: RoomView) => void;

/**
 * A room and what this page has noticed about it: `online` is null until the first presence frame; `offlineSince` and
 * `turnSince` are when this page first saw that seat's person gone, and the present ply.
 */
type RoomView = {
  snapshot: Snapshot, online: Mark[] | null, watchers: number, offlineSince: Partial<Record<Mark, number>>, turnSince: number,
};
type KnownAnalysis = Analysis & { game: number };
type Pending = { id: Id, room: string, game: number, ply: number, cell: number, mark: Mark };

type State = {
  /** This computer's clock, as of the last note. */
  now: number,
  /** Server clock minus this computer's. */
  offset: number,
  link: Link,
  /** The room shown; null is home. */
  room: string | null,
  /** The server knows no such room. */
  missing: boolean,
  me: Player | null,
  variants: Welcome['variants'],
  phrases: string[],
  limits: Pick<Welcome['limits'], 'cover_after' | 'claim_after'>,
  rooms: Record<string, RoomView>,
  /** Null until the first complete lobby frame. */
  wall: Map<string, WallRoom> | null,
  /** The click not yet answered. */
  pending: Pending | null,
  /** The `create` not yet answered. */
  creating: Id | null,
  /** Analysis on or off; the snapshot looked back at, and how many moves it had when one began to look. */
  look: { on: boolean, back: { snapshot: Snapshot, ply: number, from: number } | null, analysis: KnownAnalysis | null },
  /** The cell to mark as soon as it is one's turn. */
  premove: { game: number, ply: number, cell: number } | null,
  /** Quick play: whether this page looks for another player, in which game, and who was found. */
  quick: { on: boolean, partner: Player | null, asks: boolean, variant: string },
  notice: { key: number, text: string, tone: 'plain' | 'alert', until: number } | null,
  sayings: { key: number, player: Player, phrase: string, until: number }[],
  /** Where this browser last had a seat. */
  mine: string | null,
  /** `game` is the name of the variant chosen on the home page. */
  prefs: { sound: boolean, theme: string, game: string },
};

// The forms of functions that occur often.
type Fold<T> = (state: State, news: T) => State;
type Change<T> = (state: State, news: T) => Partial<State>;
type Folds = { [T in Exclude<Note['type'], 'tick'>]: Change<Extract<Note, { type: T }>> } & { tick?: undefined };
type Reading<T> = (room: Snapshot, me: Player | null) => T;
type RoomReading<T> = (room: Snapshot, mark: Mark) => T;
type StateReading<T> = (state: State) => T;
type Told<T> = (room: Snapshot, mine: Mark[]) => T;
type HeadlineOf = (room: Snapshot, me: Player | null, ply?: number) => Headline;
type HeadlineOver = (room: Snapshot, mine: Mark[], ply: number) => Headline;
type Changes = (before: Snapshot | undefined, room: Snapshot, me: Player | null) => string[];
type Texts = Record<string, string>;
type OfferLabel = (what: What, name?: string) => string;
type Signal = (before: State, state: State) => string | null;
type IsShort = (room: Snapshot, state: State) => boolean;
type Card = { room: WallRoom, isInView: boolean };
type Receive = (frame: Frame, command?: Command) => void;
type Notice = { text: string, tone?: 'plain' | 'alert' };
type Answer = { re: Id | null };
type End = (cell: number[], other: number[]) => string;
type Kept = { command: Command, keep: boolean };
type Attempt = <T>(use: (storage: Storage) => T) => T | undefined;
type Store = { get: () => State, dispatch: (note: Note) => void, subscribe: (listener: Render) => () => void };
type CreateConnection = (options: ConnectionOptions) => {
  start: () => void, check: () => void, tell: (command: Command) => Command, send: (command: Command) => Command,
};
type CreateRoute = (onGo: (room: string | null, game: number | null) => void) => { start: () => void, go: (path: string) => void };
type Handlers = Record<string, (message: any) => void>;
type Steps = Record<string, [number, number]>;
type OnKey = (run: (event: KeyboardEvent) => void) => void;
type Ways = Record<string, Command['seats']>;
type OfferTexts = Record<What, string>;
type Headline = { title: string, detail: string };
type DrawSeat = (card: HTMLElement, state: State, view: RoomView, mark: Mark) => void;
type DrawMini = (card: ParentNode, room: WallRoom, state: State) => void;
type DrawWallRoom = (card: ParentNode, room: WallRoom) => void;

type SeatsOf = (room: Snapshot | WallRoom, kind: string) => Mark[];
type OfferedAs = (state: Pick<State, 'variants'>, variant: string) => Welcome['variants'][number] | undefined;
type Seeking = (quick: Pick<State['quick'], 'on' | 'variant'>) => Command;
type MoveTo = (room: Snapshot, cell: number) => Command;
type AwayFor = (view: RoomView, mark: Mark, now: number) => number;
type ShownPly = (state: State, room: Snapshot) => number;
type BoardAt = (room: Snapshot, ply: number) => (Mark | null)[];
type TimeLeft = (clock: Clock, turn: Mark | null, mark: Mark, now: number) => number;
type IsLow = (clock: Clock, left: number) => boolean;
type IsOnline = (view: RoomView, mark: Mark) => boolean;
type Subtitle = (state: State, view: RoomView, mark: Mark) => string;
/** One game of a room, as `GET /api/rooms/{room}/games/{n}` tells it. */
type PastGame = {
  room: string, game: number, variant: Variant, players: Record<Mark, WallSeat>, opening: number, moves: number[],
  outcome: Wire.Outcome | null,
};
type Recall = (room: string, game: number) => Promise<Snapshot | null>;
type SnapshotOf = (game: PastGame) => Snapshot;
type FadingAt = (room: Snapshot, ply: number) => number | null;
type OwnersAt = (room: Snapshot, ply: number) => Owner[];
/** The cell that a tap or a key stands for; null for none. */
type CellFor = (room: Snapshot, from: number) => number | null;
type MeaningOf = (state: State, room: Snapshot) => CellFor | null;
type BuildBoard = (element: HTMLElement, variant: Variant) => HTMLButtonElement[];
type BuildGrid = (element: HTMLElement, rows: number, columns: number, cellAt: (row: number, column: number) => number) => void;
type DrawHash = (element: HTMLElement, rows: number, columns: number) => void;
type DrawCells = (cells: HTMLButtonElement[], state: State, room: Snapshot) => void;
type DrawOwners = (element: HTMLElement, state: State, room: Snapshot) => void;
type CellFacts = {
  mark: Mark | null, isPending: boolean, isAimed: boolean, isFading: boolean, isPlayable: boolean, value: CellValue | null,
};
type Place = (cell: number, variant: Pick<Variant, 'columns' | 'nested'>) => string;
type CellLabel = (cell: number, variant: Variant, facts: CellFacts) => string;
type SmallBoardLabel = (board: number, owner: Owner, isPlayable: boolean) => string;
type LookNote = (analysis: Analysis | null, isPast: boolean) => string;
type Side = (room: Snapshot, mine: Mark[], mark: Mark) => string;
type DrawLine = (path: Element, columns: number, line: number[]) => void;
type DrawMoves = (list: HTMLElement, room: Snapshot, ply: number) => void;
type AsideOf = (offer: Offer) => Offer;
type Asker = Pick<State, 'me' | 'now' | 'limits'>;
type SeatOffers = (view: RoomView, mark: Mark, asker: Asker) => Offer[];
type GameOffers = (view: RoomView, asker: Asker) => Offer[];
type QuickOffers = (view: RoomView, state: State) => Offer[];
type MakeOffer = (what: What, weight: Weight, command: Command, confirms?: boolean, name?: string) => Offer;
type FillLevels = (select: HTMLSelectElement, levels: string[], preferred?: string) => void;
type MountOffers = (element: HTMLElement, send: Send) => (offers: Offer[], levels?: string[]) => void;
type Answers = (offer: Offer, item: HTMLElement) => Partial<Command>;
type Creation = (way: string, form: FormData, variant?: string) => Command;
type DrawChoice = (root: HTMLElement, name: string, values: string[], word: (value: string) => string, preferred: string) => void;

// What dom.js lends to the views. Parts are plain elements, but for these.
type PartTypes = {
  me: HTMLInputElement, slider: HTMLInputElement, 'share-link': HTMLInputElement, 'look-toggle': HTMLButtonElement,
  level: HTMLSelectElement, second: HTMLInputElement, 'exhibition-X': HTMLSelectElement, 'exhibition-O': HTMLSelectElement,
};
type Part<N> = N extends keyof PartTypes ? PartTypes[N] : HTMLElement;
type FindPart = <N extends string>(root: ParentNode, name: N) => Part<N>;
type FindParts = <const N extends readonly string[]>(root: ParentNode, ...names: N) => { -readonly [I in keyof N]: Part<N[I]> };
type Make = <K extends keyof HTMLElementTagNameMap>(tag: K, properties?: Partial<HTMLElementTagNameMap[K]>) => HTMLElementTagNameMap[K];
/** The text of several parts, by their names. */
type Write = (root: ParentNode, texts: Record<string, string | number>) => void;
/** Which of these parts are shown. */
type Show = (root: ParentNode, shown: Record<string, boolean>) => void;
type SetMark = (element: HTMLElement, mark: Mark | null) => void;
type SetAttributes = (element: Element, attributes: Record<string, string | number | boolean | null | undefined>) => void;
type Listen = (root: HTMLElement | Document, kind: string, selector: string, run: (found: HTMLElement, event: any) => void) => void;
type Keyed = <T>(
  parent: Element, items: Iterable<T>, keyOf: (item: T) => string | number, make: (item: T) => HTMLElement,
  update?: (element: HTMLElement, item: T) => void,
) => void;

type What = 'sit' | 'sit_too' | 'seat_ai' | 'cover' | 'take_back' | 'leave' | 'leave_one' | 'leave_to_ai' | 'dismiss'
  | 'resign' | 'rematch' | 'again' | 'claim' | 'meet' | 'somebody_else';
type Weight = 'primary' | 'plain' | 'quiet';
type Offer = { key: string, what: What, weight: Weight, command: Command, confirms: boolean, label: string, asksLevel: boolean, asksName: boolean };

/** An offer as it is drawn, or one of the two answers to its question. */
type Row = { key: string, what: string, weight: string, label: string, asksLevel?: boolean, asksName?: boolean };

type ConnectionOptions = {
  url: string,
  /** The greeting, built anew for every attempt. */
  hello: () => Command,
  /** What to ask after every welcome. */
  standing: () => Command[],
  /** A frame, with the command it answers. */
  onFrame: (frame: Frame, command?: Command) => void,
  onLink: (link: 'online' | 'lost' | 'refused') => void,
  WebSocket: typeof WebSocket,
  setTimeout: (run: () => void, ms: number) => any,
  clearTimeout: (timer: any) => void,
  /** 0 ≤ number < 1 */
  random: () => number,
};
