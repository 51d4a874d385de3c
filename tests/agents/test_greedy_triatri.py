"""The agent ``greedy`` of TriATri: sensible."""

import pytest
from deciding import decide
from playing import agreement, at_the_ends, many_views, play, win_share
from triatri_spots import GREEN, OWN_GREEN, bad_green, bidding, decide_last, last_green, position

from tritarea_agents import make
from tritarea_agents.greedy.triatri_value import RANGES
from tritarea_env import games
from tritarea_env.games.triatri import rules

GAME = games.get("triatri")
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


@pytest.mark.kernel
@every_number
def test_it_takes_the_special_win(players):
    gems = [[2, 2, 1], *[[1, 0, 0]] * (players - 1)]
    assert decide_last("greedy", gems, "G4 G6 R2 R3 B2") == {"card G6"}


@pytest.mark.kernel
@every_number
def test_it_spares_the_better_card_where_the_lower_wins_too(players):
    """Of G6 and the imitation, which both win the special win."""
    gems = [[2, 2, 1], *[[0, 0, 0]] * (players - 1)]
    assert decide_last("greedy", gems, "G4 G6 R2 im B6", round_=1) == {"card G6"}


@pytest.mark.kernel
@every_number
def test_it_ducks_a_gem_that_makes_a_pair(players):
    """Of G6, which wins, and G4, which does not."""
    assert decide_last("greedy", bad_green(players), "G4 G6 R2 R3 B2") == {"card G4"}


@pytest.mark.kernel
@every_number
def test_it_does_not_offer_a_leading_opponent_the_special_win(players):
    gems = [[1, 0, 1], [2, 2, 1], *[[0, 0, 0]] * (players - 2)]
    assert not decide("greedy", position(gems, {0: "R2 R3 B2 B3 G2"})) & {GREEN, OWN_GREEN}


@pytest.mark.kernel
@every_number
def test_it_ends_the_game_when_it_leads_and_not_when_another_does(players):
    hand = {0: "R3 B3 B4 G2 G4"}
    assert decide("greedy", position(last_green(0, players), hand)) == {GREEN}
    assert GREEN not in decide("greedy", position(last_green(1, players), hand))


@pytest.mark.kernel
@every_number
def test_it_keeps_its_imitation_when_it_bids(players):
    """It gives up a low card; with two players, where starting is likely, also a middle one."""
    middle = {"card B4", "card G5"} if players == 2 else set()
    assert decide("greedy", bidding("R2 R5 B4 B6 G5 im", players)) <= {"card R2"} | middle
