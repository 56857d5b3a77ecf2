/**
 * The shapes the modules share: frames on the socket (docs/protocol.md has the words) and the page's state.
 * Types only; nothing here runs, and no browser loads it.
 *
 * @typedef {'X' | 'O'} Mark
 * @typedef {'waiting' | 'playing' | 'over'} Status
 * @typedef {{ kind: 'open' } | { kind: 'human', player: string, name: string }
 *   | { kind: 'ai', level: string, covers?: { player: string, name: string } }} Seat
 * @typedef {{ name: string, rows: number, columns: number, line: number }} Variant
 * @typedef {{ winner: Mark | null, by: 'line' | 'full' | 'resignation' | 'time' | 'absence', line: number[] | null }} Outcome
 * @typedef {{ budget: number, increment: number, left: Record<Mark, number>, since: number | null }} Clock
 * @typedef {{ value: 'win' | 'draw' | 'loss', in: number }} CellValue
 * @typedef {{ id: string, name: string }} Player
 * @typedef {string | number} Id
 *
 * @typedef {{ type: 'state', room: string, seq: number, public: boolean, variant: Variant, game: number,
 *   board: (Mark | null)[], moves: number[], turn: Mark | null, status: Status, outcome: Outcome | null,
 *   seats: Record<Mark, Seat>, score: { X: number, O: number, draws: number }, rematch: Mark[], clock: Clock | null }} Snapshot
 * @typedef {{ kind: 'open' } | { kind: 'human', name: string } | { kind: 'ai', level: string }} WallSeat
 * @typedef {{ room: string, variant: string, game: number, board: string, status: Status, turn: Mark | null,
 *   seats: Record<Mark, WallSeat>, watchers: number }} WallRoom
 * @typedef {{ type: 'welcome', player: Player, token: string, now: number, phrases: string[],
 *   variants: (Variant & { levels: string[] })[] }} Welcome
 * @typedef {{ type: 'accepted', re: Id | null, room?: string, seq?: number }} Accepted
 * @typedef {{ type: 'refused', re: Id | null, reason: string, text: string }} Refused
 * @typedef {{ type: 'presence', room: string, online: Mark[], watchers: number }} Presence
 * @typedef {{ type: 'lobby', complete: boolean, rooms: WallRoom[], gone: string[] }} Lobby
 * @typedef {{ type: 'analysis', re: Id | null, room: string, ply: number, turn: Mark | null, cells: (CellValue | null)[] }} Analysis
 * @typedef {{ type: 'said', room: string, player: Player, phrase: string, now: number }} Said
 * @typedef {{ type: 'pong', now: number }} Pong
 * @typedef {Welcome | Accepted | Refused | Snapshot | Presence | Lobby | Analysis | Said | Pong} Frame
 * @typedef {{ type: string, id?: Id, room?: string, seat?: Mark, cell?: number, ply?: number, game?: number,
 *   level?: string, on?: boolean, phrase?: string, token?: string, name?: string, protocol?: number, variant?: string,
 *   nonce?: string, public?: boolean, clock?: { budget: number, increment: number } | null,
 *   seats?: Record<Mark, 'me' | 'open' | { ai: string }> }} Command
 *
 * What happens on the page alone travels in the same stream: another address (null is home), the line, a command that
 * left for the server, a sentence for the person, analysis switched or an earlier ply looked at.
 * @typedef {'connecting' | 'online' | 'lost' | 'refused'} Link
 * @typedef {{ type: 'told', text: string, tone?: 'plain' | 'alert' } | { type: 'look', on: boolean, ply?: number | null }} Local
 * @typedef {{ type: 'went', room: string | null, mine?: string | null } | { type: 'link', link: Link } | { type: 'asked', command: Command }
 *   | { type: 'tick' } | Local} Happening
 * @typedef {(Frame | Happening) & { at: number, command?: Command }} Note
 * @typedef {(message: Command | Local | { type: 'rename', name: string } | { type: 'retry' }) => void} Send
 * @typedef {(element: HTMLElement, send: Send) => (state: State) => void} Mount   every view's one export
 *
 * A room and what this page has noticed about it: `online` is null until the first presence frame; `offlineSince` and
 * `turnSince` are when this page first saw that seat's person gone, and the present ply.
 * @typedef {{ snapshot: Snapshot, online: Mark[] | null, watchers: number,
 *   offlineSince: Partial<Record<Mark, number>>, turnSince: number }} RoomView
 * @typedef {{ id: Id, room: string, game: number, ply: number, cell: number, mark: Mark }} Pending
 *
 * @typedef {object} State
 * @property {number} now                 this computer's clock, as of the last note
 * @property {number} offset              server clock minus this computer's
 * @property {Link} link
 * @property {string | null} room         the room shown; null is home
 * @property {boolean} missing            the server knows no such room
 * @property {Player | null} me
 * @property {Welcome['variants']} variants
 * @property {string[]} phrases
 * @property {Record<string, RoomView>} rooms
 * @property {Map<string, WallRoom> | null} wall   null until the first complete lobby frame
 * @property {Pending | null} pending     the click not yet answered
 * @property {Id | null} creating         the `create` not yet answered
 * @property {{ on: boolean, ply: number | null, analysis: Analysis | null }} look
 * @property {{ key: number, text: string, tone: 'plain' | 'alert', until: number } | null} notice
 * @property {{ key: number, player: Player, phrase: string, until: number }[]} sayings
 * @property {string | null} mine         where this browser last had a seat
 */

export {};
