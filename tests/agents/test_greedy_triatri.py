"""The agent ``greedy`` of TriATri: sensible."""

from collections import Counter

import numpy as np
import pytest
from helpers import PLAIN
from playing import agreement, at_the_ends, many_views, play, win_share

from tritarea_agents import make
from tritarea_agents.greedy.triatri_value import RANGES
from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.rng import key_of
from tritarea_env.games.triatri import rules
from tritarea_env.views import views_of

GAME = games.get("triatri")
ONLY = np.zeros(1, np.int64)
every_number = pytest.mark.parametrize("players", [2, 3, 4])


# --------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("points=-1", "greedy: points is 0 … 10, not -1"),
        ("decay=1.5", "greedy: decay is 0 … 1, not 1.5"),
        ("samples=0", "greedy: samples is 1 … 100000, not 0"),
        ("samples=two", "option 'samples' is a whole number, not 'two'"),
        ("block=8", "agent 'greedy' has no option 'block'; its options .with defaults.: points=0.3, "),
    ],
)
def test_options_that_are_none_are_refused(options, says):
    with pytest.raises(ValueError, match=says):
        make(f"greedy:{options}", GAME)


@every_number
@pytest.mark.parametrize("end", [0, 1], ids=["low", "high"])
def test_the_ends_of_the_ranges_play(players, end):
    agent = make("greedy:" + at_the_ends(RANGES, end), GAME)
    assert play(GAME, [agent] * players, 10, seed=5, options={"players": players}).done.all()


@every_number
def test_every_sample_is_another_world(players):
    """The more worlds a prize is weighed in, the less does the choice hang on the chance of the views."""
    hidden = many_views(GAME, 1500, {"players": players})[1].hidden
    hidden = hidden[(hidden.phase == rules.PRIZE) & (hidden.round_number == 3) & (hidden.trick < rules.TRICKS)][:40]
    assert len(hidden) == 40

    one, many = agreement(GAME, hidden, 1), agreement(GAME, hidden, 64)
    assert one < 0.87
    assert many > 0.9


# -------------------------------------------------------------------------------------------- strength


@pytest.mark.parametrize(("players", "bound"), [(2, 0.88), (3, 0.66), (4, 0.53)])
def test_it_beats_random_clearly(players, bound):
    """Measured: win shares of 0.96, 0.78 and 0.66 with 2, 3 and 4 players."""
    agents = [make("greedy", GAME), *[make("random", GAME)] * (players - 1)]
    assert win_share(play(GAME, agents, 200, seed=3, options={"players": players}), players) > bound


# ----------------------------------------------------------------------- positions with a plain answer


def card_of(name):
    """``R2`` … ``G8``, ``im``."""
    return rules.IMITATION if name == "im" else 7 * rules.LETTERS.index(name[0]) + int(name[1]) - 2


def cards(names):
    return [card_of(name) for name in names.split()]


def deck_without(players, taken):
    """The cards that are left, imitations first, then by number."""
    left = Counter(rules.DECKS[players]) - Counter(taken)
    return sorted(left.elements(), key=lambda card: 0 if card == rules.IMITATION else card % 7 + 2)


def position(gems, hands, round_=3):
    """The first prize of a round, picked by the seat that is given as the first of ``hands``.

    Args:
        gems: of every seat, seat 0 first.
        hands: by seat, beginnings of hands, filled up to five cards; the first one starts the trick.
    """
    players = len(gems)
    starter = next(iter(hands))
    given = {s: cards(hands.get(s, "")) for s in range(players)}
    rest = deck_without(players, [card for hand in given.values() for card in hand])
    bids = [rest.pop() if s == starter else None for s in range(players)]
    bids = [rest.pop(0) if bid is None else bid for bid in bids]
    for hand in given.values():
        while len(hand) < 5:
            hand.append(rest.pop(0))
    nothing = [None] * players
    return {
        "game": "triatri", "players": players, "round": round_, "trick": 1, "phase": "prize", "seat": starter,
        "starter": starter, "supply": [6 - sum(own[c] for own in gems) for c in range(3)], "gems": gems,
        "hands": [sorted(given[s]) for s in range(players)], "prize": None, "bids": bids, "table": nothing,
        "scores": [], "played": nothing, "past": [[] for _ in gems], "voids": [[] for _ in gems],
    }  # fmt: skip


def state_after(p, actions):
    state = GAME.new(1, {"players": p["players"]})
    GAME.from_position(state[0], p, key_of(1))
    mask = np.zeros(GAME.actions, np.int8)
    loops.legal_games(state, ONLY, mask[None])
    for name in actions:
        assert mask[GAME.action_id(name)], f"{name} is legal"
        loops.step_game(state, 0, GAME.action_id(name), mask)
    return state


def decide(p, *actions):
    """The names of the actions that greedy chooses in ``p`` after ``actions``, with several seeds."""
    state = state_after(p, actions)
    agent = make("greedy", GAME)
    keys = [np.array([key_of(seed)]) for seed in range(2 if PLAIN else 20)]
    return {GAME.action_names[int(agent.act(views_of(GAME, state, ONLY, key))[0])] for key in keys}


GREEN = "prize from the supply: green"
# The seats before seat 0, the last to play, follow with green cards, of which seat 1's 5 is the best.
THEIRS = {1: "G5", 2: "G2", 3: "G3"}


def last_to_play(gems, hand, round_=3):
    """What seat 0 plays last for a green prize, which the 5 of seat 1 wins otherwise."""
    others = range(1, len(gems))
    p = position(gems, {**{s: THEIRS[s] for s in others}, 0: hand}, round_)
    return decide(p, GREEN, *(f"card {THEIRS[s]}" for s in others))


@pytest.mark.kernel
@every_number
def test_it_takes_the_special_win(players):
    gems = [[2, 2, 1], *[[1, 0, 0]] * (players - 1)]
    assert last_to_play(gems, "G4 G6 R2 R3 B2") == {"card G6"}


@pytest.mark.kernel
@every_number
def test_it_spares_the_better_card_where_the_lower_wins_too(players):
    """Of G6 and the imitation, which both win the special win."""
    gems = [[2, 2, 1], *[[0, 0, 0]] * (players - 1)]
    assert last_to_play(gems, "G4 G6 R2 im B6", round_=1) == {"card G6"}


def bad_green(players):
    """One green gem is left, which ends the game.

    Seat 0 has two pairs and a red leftover, -4 + 3: the most. With a third pair, -6, it has the least; what the
    others have is -2 with the gem and without it, as green leftovers are worth nothing.
    """
    return [[3, 0, 2], [0, 1, 5 - players], *[[0, 1, 1]] * (players - 2)]


@pytest.mark.kernel
@every_number
def test_it_ducks_a_gem_that_makes_a_pair(players):
    """Of G6, which wins, and G4, which does not."""
    assert last_to_play(bad_green(players), "G4 G6 R2 R3 B2") == {"card G4"}


@pytest.mark.kernel
@every_number
def test_it_does_not_offer_a_leading_opponent_the_special_win(players):
    gems = [[1, 0, 1], [2, 2, 1], *[[0, 0, 0]] * (players - 2)]
    assert not decide(position(gems, {0: "R2 R3 B2 B3 G2"})) & {GREEN, "prize from own gems: green"}


def last_green(ahead, players):
    """One green gem is left. Seat ``ahead`` has three red ones, 9 points; the others have a pair and get no more."""
    gems = [[0, 1, 7 - players], *[[0, 1, 1]] * (players - 2)]
    gems.insert(ahead, [3, 0, 0])
    return gems


@pytest.mark.kernel
@every_number
def test_it_ends_the_game_when_it_leads_and_not_when_another_does(players):
    hand = {0: "R3 B3 B4 G2 G4"}
    assert decide(position(last_green(0, players), hand)) == {GREEN}
    assert GREEN not in decide(position(last_green(1, players), hand))


@pytest.mark.kernel
@every_number
def test_it_keeps_its_imitation_when_it_bids(players):
    """It gives up a low card; with two players, where starting is likely, also a middle one."""
    hand = cards("R2 R5 B4 B6 G5 im")
    rest = deck_without(players, hand)
    p = position([[0, 0, 0]] * players, {0: "R2"}, round_=1) | {
        "trick": 0,
        "phase": "bid",
        "starter": None,
        "hands": [hand, *(rest[6 * s : 6 * s + 6] for s in range(players - 1))],
        "bids": [None] * players,
    }
    assert decide(p) <= ({"card R2", "card B4", "card G5"} if players == 2 else {"card R2"})
