/* Exact values for three games, to check the search of the server. It shares no code with that.

   One negamax with a table serves all three. A game lends it a function that expands a state. A
   score is for the side to move: `WIN - p` if it wins at ply `p`, `p - WIN` if it loses there, 0
   for a draw. All scores are proven: no depth is limited, and nothing is estimated.

   A state is three words:
   drop      the marks of the side to move, those of the other side; bit 7 * column + height.
   five      the same; bit 5 * row + column.
   ultimate  three small boards in each word, 18 bits each: nine of X, then nine of O. A board that
             is won or full stands as 9 marks of its owner, or of both sides if it is drawn. Above
             that, the third word has the board to play on (9 for any), and the ply. */

#include <stdint.h>
#include <stdlib.h>

typedef uint64_t u64;

enum { WIN = 1000, MOST_MOVES = 81 };

typedef struct { u64 w[3]; } State;
typedef struct { State after; int weight; } Move;

/* What `expand` finds out. Without moves, the score is `low`, which is then equal to `high`. */
typedef struct { Move moves[MOST_MOVES]; int count, low, high; } Node;

typedef void Expand(State, int ply, Node *);

static int bits(u64 set) { return __builtin_popcountll(set); }
static u64 lowest(u64 set) { return set & -set; }

static void settle(Node *node, int score) { node->count = 0, node->low = node->high = score; }

/* The heaviest moves come first. */
static void add(Node *node, State after, int weight) {
    int i = node->count++;
    for (; i > 0 && node->moves[i - 1].weight < weight; i--) node->moves[i] = node->moves[i - 1];
    node->moves[i] = (Move){after, weight};
}

/* ------------------------------------------------------------- four in a row on a board of bits */

/* Wins and forced moves, by the cells that complete a line of each side. Returns the cells to try,
   0 if the score is settled. */
static u64 forced(u64 playable, u64 wins, u64 losses, int ply, Node *node) {
    node->count = 0, node->low = ply + 2 - WIN, node->high = WIN - ply - 3;
    if (wins & playable) return settle(node, WIN - ply - 1), 0;
    u64 threats = losses & playable;
    if (threats & (threats - 1)) return settle(node, ply + 2 - WIN), 0;
    if (!playable) return settle(node, 0), 0;
    return threats ? threats : playable;
}

static const u64 BOTTOM = 0x40810204081, BOARD = 0xfdfbf7efdfbf; /* columns of seven bits */

/* The cells, taken or not, that complete a line of four. */
static u64 drop_gaps(u64 own) {
    static const int steps[] = {1, 6, 7, 8};
    u64 found = 0;
    for (int i = 0; i < 4; i++) {
        int s = steps[i];
        u64 up = own << s, down = own >> s;
        found |= up & own << 2 * s & (own << 3 * s | down);
        found |= down & own >> 2 * s & (own >> 3 * s | up);
    }
    return found & BOARD;
}

static void expand_drop(State s, int ply, Node *node) {
    u64 own = s.w[0], other = s.w[1], taken = own | other, losses = drop_gaps(other);
    u64 tried = forced((taken + BOTTOM) & BOARD, drop_gaps(own), losses, ply, node);
    if (!tried) return;
    tried &= ~(losses >> 1); /* the other side would win above */
    if (!tried) return settle(node, ply + 2 - WIN);
    for (; tried; tried &= tried - 1) {
        u64 mine = own | lowest(tried);
        int column = __builtin_ctzll(tried) / 7;
        int weight = 8 * bits(drop_gaps(mine) & ~taken) - abs(column - 3);
        add(node, (State){{other, mine}}, weight);
    }
}

static u64 five_lines[28];

static u64 five_gaps(u64 own, u64 free) {
    u64 found = 0;
    for (int i = 0; i < 28; i++) {
        u64 lacking = five_lines[i] & ~own;
        if (!(lacking & (lacking - 1))) found |= lacking;
    }
    return found & free;
}

/* One of the eight ways to see the board. */
static u64 seen(u64 set, int way) {
    u64 found = 0;
    for (; set; set &= set - 1) {
        int row = __builtin_ctzll(set) / 5, column = __builtin_ctzll(set) % 5;
        if (way & 1) row = 4 - row;
        if (way & 2) column = 4 - column;
        found |= 1ull << (way & 4 ? 5 * column + row : 5 * row + column);
    }
    return found;
}

/* The same state for all that are mirror images. */
static State pictured(State s) {
    State least = s;
    for (int way = 1; way < 8; way++) {
        State other = {{seen(s.w[0], way), seen(s.w[1], way)}};
        if (other.w[0] < least.w[0] || (other.w[0] == least.w[0] && other.w[1] < least.w[1]))
            least = other;
    }
    return least;
}

/* An open line that lacks `n` marks weighs 2**-n. A side cannot win if its lines weigh less than 1
   when the other side moves (Erdős and Selfridge). A move of its own doubles the lines there. */
enum { WHOLE = 16 };

static void expand_five(State s, int ply, Node *node) {
    u64 own = s.w[0], other = s.w[1], free = 0x1ffffff & ~(own | other);
    u64 tried = forced(free, five_gaps(own, free), five_gaps(other, free), ply, node);
    if (!tried) return;
    int weights[25] = {0}, gains[25] = {0}, weight = 0, their_weight = 0, most = 0;
    for (int i = 0; i < 28; i++) {
        u64 line = five_lines[i];
        if (line & own && line & other) continue;
        int lacking = bits(line & free);
        if (!(line & other)) weight += WHOLE >> lacking;
        if (!(line & own)) their_weight += WHOLE >> lacking;
        for (u64 cells = line & free; cells; cells &= cells - 1) {
            int cell = __builtin_ctzll(cells);
            weights[cell] += 1 << 2 * (4 - lacking);
            if (!(line & other)) gains[cell] += WHOLE >> lacking;
            if (gains[cell] > most) most = gains[cell];
        }
    }
    if (weight + most < WHOLE) node->high = 0;
    if (their_weight < WHOLE) node->low = 0;
    if (node->low == node->high) return settle(node, 0);
    int has_idle = 0; /* the cells that matter to neither side are all the same */
    for (; tried; tried &= tried - 1) {
        int order = weights[__builtin_ctzll(tried)];
        if (!order && has_idle++) continue;
        State after = {{other, own | lowest(tried)}};
        add(node, ply < 6 ? pictured(after) : after, order);
    }
}

static void prepare_five(void) {
    static const int ways[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int count = 0;
    for (int cell = 0; cell < 25; cell++) {
        for (int way = 0; way < 4; way++) {
            int row = cell / 5 + 3 * ways[way][0], column = cell % 5 + 3 * ways[way][1];
            if (row > 4 || column > 4 || column < 0) continue;
            int step = 5 * ways[way][0] + ways[way][1];
            for (int i = 0; i < 4; i++) five_lines[count] |= 1ull << (cell + i * step);
            count++;
        }
    }
}

/* ------------------------------------------------------------------------------ nested boards */

enum { ANY = 9, FULL = 0777 };
static const int small_lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

static int has_line(int own) {
    for (int i = 0; i < 8; i++) if ((own & small_lines[i]) == small_lines[i]) return 1;
    return 0;
}

static void expand_ultimate(State s, int ply, Node *node) {
    int side = ply & 1, target = s.w[2] >> 54 & 15;
    int own[9], other[9], won = 0, lost = 0, can_win = 0, can_lose = 0, is_open = 0;
    for (int board = 0; board < 9; board++) {
        int marks = s.w[board / 3] >> board % 3 * 18 & 0777777;
        own[board] = marks >> 9 * side & FULL, other[board] = marks >> 9 * !side & FULL;
        is_open |= (own[board] != FULL && other[board] != FULL) << board;
        won |= (own[board] == FULL && !other[board]) << board;
        lost |= (other[board] == FULL && !own[board]) << board;
        can_win |= has_line(FULL & ~other[board]) << board;
        can_lose |= has_line(FULL & ~own[board]) << board;
    }
    node->count = 0, node->low = ply + 2 - WIN, node->high = WIN - ply - 1;
    if (!has_line(can_win)) node->high = 0;
    if (!has_line(can_lose)) node->low = 0;
    if (node->low == node->high || !is_open) return settle(node, 0);
    for (int board = 0; board < 9; board++) {
        if (!(is_open >> board & 1) || (target != ANY && target != board)) continue;
        for (int spot = 0; spot < 9; spot++) {
            if ((own[board] | other[board]) >> spot & 1) continue;
            int mine = own[board] | 1 << spot, theirs = other[board], weight = 0;
            if (has_line(mine)) {
                if (has_line(won | 1 << board)) return settle(node, WIN - ply - 1);
                mine = FULL, theirs = 0, weight = 20;
            } else if ((mine | theirs) == FULL) mine = theirs = FULL;
            int still_open = mine == FULL || theirs == FULL ? is_open & ~(1 << board) : is_open;
            State after = s;
            after.w[board / 3] &= ~(0777777ull << board % 3 * 18);
            after.w[board / 3] |= (u64)(mine << 9 * side | theirs << 9 * !side) << board % 3 * 18;
            int next = still_open >> spot & 1 ? spot : ANY;
            after.w[2] = (after.w[2] & ((1ull << 54) - 1)) | (u64)next << 54 | (u64)(ply + 1) << 58;
            if (next == ANY) weight -= 30;
            add(node, after, weight);
        }
    }
}

/* ---------------------------------------------------------------------------------- the search */

enum { SLOTS = 1 << 22 };
typedef struct { State state; int16_t low, high; int work; } Entry; /* `work`: log of the nodes */

static Entry (*table)[2]; /* of two entries in a slot, the first keeps what took longer */
static Expand *expand;
static long left;

static Entry *find(State s) {
    u64 hash = (s.w[0] * 0x9e3779b97f4a7c15 ^ s.w[1]) * 0xbf58476d1ce4e5b9 ^ s.w[2];
    hash = (hash ^ hash >> 29) * 0x94d049bb133111eb;
    return table[hash >> 42];
}

static int is_about(Entry *entry, State s) {
    u64 *w = entry->state.w;
    return entry->work && w[0] == s.w[0] && w[1] == s.w[1] && w[2] == s.w[2];
}

/* The score, or a bound of it that lies outside the window. Nothing is true once `left` is 0. */
static int solve(State s, int ply, int alpha, int beta) {
    Entry *slot = find(s);
    Entry *known = is_about(slot, s) ? slot : is_about(slot + 1, s) ? slot + 1 : NULL;
    if (known && known->low >= beta) return known->low;
    if (known && known->high <= alpha) return known->high;
    if (known && known->low == known->high) return known->low;
    long before = left;
    if (left <= 0 || !--left) return 0;
    Node node;
    expand(s, ply, &node);
    int low = node.low, high = node.high, best = node.count ? -WIN : low;
    if (known && known->low > low) low = known->low;
    if (known && known->high < high) high = known->high;
    if (low >= beta || !node.count) return low;
    if (high <= alpha) return high;
    for (int i = 0, floor = alpha; i < node.count && best < beta; i++) {
        int score = -solve(node.moves[i].after, ply + 1, -beta, -floor);
        if (left <= 0) return 0;
        if (score > best) best = score;
        if (best > floor) floor = best;
    }
    if (best > alpha && best > low) low = best;
    if (best < beta && best < high) high = best;
    int work = 64 - __builtin_clzll(before - left);
    if (slot->work > work && !is_about(slot, s)) slot++;
    else if (!is_about(slot, s)) slot[1] = slot[0];
    *slot = (Entry){s, low, high, work};
    return best;
}

/* How the score compares with another: -1 lower, 0 equal, 1 higher; 2 if `nodes` do not tell. */
int compare(const char *game, u64 a, u64 b, u64 c, int ply, int score, long nodes) {
    if (!table) table = calloc(SLOTS, sizeof *table), prepare_five();
    expand = *game == 'd' ? expand_drop : *game == '5' ? expand_five : expand_ultimate;
    left = nodes;
    State s = {{a, b, c}};
    int is_higher = solve(s, ply, score, score + 1) > score;
    int is_lower = !is_higher && solve(s, ply, score - 1, score) < score;
    return left <= 0 ? 2 : is_higher - is_lower;
}
