"""The state machine of Tri*T*Area: deals, tricks, construction. Sections (A1 …) are those of docs/tritarea.md.

Every function works on one record ``g`` of dtype ``GAME``. ``step`` trusts its action: who calls it has
checked it against ``legal``.
"""

import numpy as np

from ...engine.compile import kernel
from ...engine.sets import GROUPS_A_WORD, group_bit
from .deals import begin_round, clear_trick
from .rules import BONUS as BONUS_SOURCE
from .rules import (
    BUILD,
    DECLARE,
    DEFAULTS,
    END,
    EXTRA,
    FIVE,
    FIVE_DEFAULT,
    FIVE_SETTLE,
    FIVES,
    NEIGHBOURS,
    ONE_BLOCK,
    PASS,
    PLAY,
    ROUNDS,
    SALE,
    SEATS,
    SELL,
    SELL_NONE,
    STANDING,
    TO_TEN,
    TO_ZERO,
    TRICKS,
    TWO_BLOCKS,
)
from .settlement import gain, lose, settle_areas_and_towers, settle_blocks_left, settle_declarations

# ------------------------------------------------------------------------------- before round 3's tricks


@kernel
def declare(g, card):
    """A3.1, clockwise from the start player."""
    s = g.seat
    take_from_hand(g, s, card)
    g.declared[s] = card
    g.seat = (s + 1) % SEATS
    if g.seat == g.start_player:
        g.phase = SELL
        g.seat = (g.start_player + 3) % SEATS


@kernel
def sell(g, n):
    """A3.2, counter-clockwise, the start player last."""
    s = g.seat
    g.blocks[s] -= n
    g.sold[s] = n
    gain(g, s, 3 * n, SALE)
    if s == g.start_player:
        g.trick = 1
        g.phase = PLAY
    else:
        g.seat = (s + 3) % SEATS


# ----------------------------------------------------------------------------------------- A4: meeting


@kernel
def take_from_hand(g, s, card):
    g.hand[s] &= ~(np.int64(1) << np.int64(card))
    g.hand_size[s] -= 1


@kernel
def show_card(g, s, card):
    """Note that seat ``s`` has played a card."""
    g.seen[card // GROUPS_A_WORD] |= group_bit(card % GROUPS_A_WORD, s)


@kernel
def play(g, card):
    s = g.seat
    take_from_hand(g, s, card)
    g.played[s] = card
    g.rank[s] = card % 9 + 1
    show_card(g, s, card)
    g.seat = (s + 1) % SEATS
    if g.seat == g.leader:
        ask_fives(g, 0)


@kernel
def ask_fives(g, first):
    """The next seat from place ``first`` in play order that has a five and can pay; else the rights."""
    for place in range(first, SEATS):
        s = (g.leader + place) % SEATS
        if g.played[s] % 9 == 4 and g.scores[s] >= 1:
            g.phase = FIVE
            g.seat = s
            return
    award_rights(g)
    construct(g, 0)


@kernel
def change_five(g, s, choice):
    """Pay for the choice and return the rank it gives."""
    if choice == TO_ZERO:
        lose(g, s, 1, FIVES)
        return 0
    if choice == TO_TEN:
        lose(g, s, 2, FIVES)
        return 10
    return 5


@kernel
def choose_five(g, choice):
    s = g.seat
    g.rank[s] = change_five(g, s, choice)
    ask_fives(g, (s - g.leader) % SEATS + 1)


@kernel
def adopted_concept(g):
    """The concept with most cards; 2-2: the wider spread; otherwise the leader's."""
    own = g.played[g.leader] // 9
    best, most, spread = own, 0, -1
    for step_ in range(4):
        concept = (own + step_) % 4  # the leader's first: it wins what is still equal
        n, low, high = 0, 11, -1
        for s in range(SEATS):
            if g.played[s] // 9 == concept:
                n += 1
                low = min(low, g.rank[s])
                high = max(high, g.rank[s])
        if n > most or (n == most == 2 and high - low > spread):
            best, most, spread = concept, n, high - low
    return best


@kernel
def award_rights(g):
    """Rightholder 1: the adopted concept's lowest rank. Rightholder 2: its highest, if it has two cards."""
    g.adopted = adopted_concept(g)
    lowest = highest = -1
    for s in range(SEATS):
        if g.played[s] // 9 == g.adopted:
            if lowest < 0 or g.rank[s] < g.rank[lowest]:
                lowest = s
            if highest < 0 or g.rank[s] > g.rank[highest]:
                highest = s
    g.rightholders[0] = lowest
    g.rightholders[1] = highest if highest != lowest else -1


# ------------------------------------------------------------------------------------ A5: construction


@kernel
def construct(g, turn):
    """The turn of rightholder 1 (``turn`` 0) or 2, whichever first has a decision; then the trick is over."""
    for t in range(turn, 2):
        s = g.rightholders[t]
        if s < 0:
            break
        g.seat = s
        if g.blocks[s] > 0:
            g.phase = BUILD
            return
        if default(g, s):
            return
    end_trick(g)


@kernel
def next_turn(g):
    construct(g, 1 if g.seat == g.rightholders[0] else 2)


@kernel
def default(g, s):
    """Take the default's loss; True if instead the seat must first decide about an unchanged five."""
    if g.rank[s] == 5 and g.scores[s] >= 1:
        g.phase = FIVE_DEFAULT
        return True
    lose(g, s, g.rank[s], DEFAULTS)
    return False


@kernel
def choose_five_default(g, choice):
    s = g.seat
    g.rank[s] = change_five(g, s, choice)
    lose(g, s, g.rank[s], DEFAULTS)
    next_turn(g)


@kernel
def top_of(g, square):
    """The seat whose block lies on top; -1 for an empty square."""
    h = g.height[square]
    return g.stack[square] >> (2 * np.int64(h) - 2) & 3 if h > 0 else np.int64(-1)


@kernel
def put(g, s, square):
    """One block of seat ``s`` on top of ``square``."""
    h = np.int64(g.height[square])
    area = g.area[square]
    here = np.int64(1) << square
    if h > 0:
        below = top_of(g, square)
        g.standing[area, below] -= STANDING[h]
        g.topped[below] &= ~here
    g.standing[area, s] += STANDING[h + 1]
    g.topped[s] |= here
    g.stack[square] |= np.int64(s) << 2 * h
    g.height[square] = h + 1
    if g.count[square, s] == 0:
        g.within[s] |= here
        g.first[square, s] = SEATS - colours_in(g, square)
    g.count[square, s] += 1


@kernel
def colours_in(g, square):
    """How many colours a building has."""
    n = 0
    for s in range(SEATS):
        n += g.count[square, s] > 0
    return n


@kernel
def place(g, s, square):
    """One block of seat ``s`` from its hand on ``square``, with its bonus if it is the first there."""
    if g.height[square] == 0:
        gain(g, s, g.bonus[square], BONUS_SOURCE)
    put(g, s, square)
    g.blocks[s] -= 1


@kernel
def has_own_neighbour(g, s, square):
    """The right to additional construction; option ``adjacency``: on top, or anywhere in the building."""
    own = g.within[s] if g.adjacency_any else g.topped[s]
    return own & NEIGHBOURS[square] != 0


@kernel
def build(g, action):
    s = g.seat
    if action == PASS:
        if not default(g, s):
            next_turn(g)
        return
    square = action - (TWO_BLOCKS if action >= TWO_BLOCKS else ONE_BLOCK)
    place(g, s, square)
    if action >= TWO_BLOCKS:
        place(g, s, square)
    if g.blocks[s] > 0 and has_own_neighbour(g, s, square):
        g.built = square
        g.phase = EXTRA
    else:
        next_turn(g)


@kernel
def build_extra(g, action):
    if action != PASS:
        place(g, g.seat, action - ONE_BLOCK)
    g.built = -1
    next_turn(g)


@kernel
def end_trick(g):
    first = g.rightholders[0]
    for s in range(SEATS):
        g.past[s, g.trick - 1] = g.played[s]
    clear_trick(g)
    if g.trick < TRICKS:
        g.trick += 1
        g.leader = first
        g.seat = first
        g.phase = PLAY
        return
    settle_areas_and_towers(g)
    finish_round(g, 0, -1)


# -------------------------------------------------------------------------- A6, A7: end of a round, end


@kernel
def finish_round(g, first, answer):
    """Settle the declarations from place ``first`` on; unless a five must be decided, end the round."""
    if settle_declarations(g, first, answer):
        return
    g.round_ended = 1
    if g.round_number == ROUNDS:
        settle_blocks_left(g)
        g.phase = END
        g.seat = -1
        g.done = 1
        return
    g.start_player = next_start_player(g)
    begin_round(g, g.round_number + 1)


@kernel
def choose_five_settle(g, choice):
    """A6.3: the payment comes before the gain or loss."""
    s = g.seat
    rank = change_five(g, s, choice)
    finish_round(g, (s - g.start_player) % SEATS, rank)


@kernel
def next_start_player(g):
    """A2: the highest score; tied, the first met clockwise from the previous start player, itself included."""
    best = g.start_player
    for place_ in range(1, SEATS):
        s = (g.start_player + place_) % SEATS
        if g.scores[s] > g.scores[best]:
            best = s
    return best


# ------------------------------------------------------------------------------------ the game protocol


@kernel
def step(g, action):
    """One decision of ``g.seat``; ``action`` is a legal action id."""
    g.decision += 1
    g.round_ended = 0
    phase = g.phase
    if phase == PLAY:
        play(g, action)
    elif phase == BUILD:
        build(g, action)
    elif phase == EXTRA:
        build_extra(g, action)
    elif phase == FIVE:
        choose_five(g, action)
    elif phase == FIVE_DEFAULT:
        choose_five_default(g, action)
    elif phase == FIVE_SETTLE:
        choose_five_settle(g, action)
    elif phase == DECLARE:
        declare(g, action)
    elif phase == SELL:
        sell(g, action - SELL_NONE)
