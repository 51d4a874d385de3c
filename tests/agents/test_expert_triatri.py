"""The agent ``expert`` of TriATri: its options, its strength, and what it does in plain positions."""

import numpy as np
import pytest
from deciding import decide
from playing import at_the_ends, play, win_share
from triatri_spots import GAME, GREEN, OWN_GREEN, bad_green, bidding, decide_last, last_green, position

from tritarea_agents import make
from tritarea_agents.expert import parameters, triatri_standing
from tritarea_env.games.triatri import settlement

RANGES = triatri_standing.RANGES
every_number = pytest.mark.parametrize("players", [2, 3, 4])


# --------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("points=-1", "expert: points is 0.0 … 3.0, not -1.0"),
        ("ahead=5", "expert: ahead is 0 … 4, not 5"),
        ("samples=0", "expert: samples is 1 … 100000, not 0"),
        ("ahead=two", "option 'ahead' is a whole number, not 'two'"),
        ("block=8", "agent 'expert' has no option 'block'; its options .with defaults.: points=0"),
    ],
)
def test_options_that_are_none_are_refused(options, says):
    with pytest.raises(ValueError, match=says):
        make(f"expert:{options}", GAME)


@every_number
@pytest.mark.parametrize("end", [0, 1], ids=["low", "high"])
def test_the_ends_of_the_ranges_play(players, end):
    agent = make("expert:" + at_the_ends(RANGES, end), GAME)
    assert play(GAME, [agent] * players, 10, seed=5, options={"players": players}).done.all()


@pytest.mark.parametrize("name", [name for name, found in parameters.read("triatri").items() if found.off is not None])
def test_it_plays_without_an_idea(name):
    agent = make(f"expert:{name}={parameters.read('triatri')[name].off}", GAME)
    assert play(GAME, [agent] * 3, 10, seed=5, options={"players": 3}).done.all()


# -------------------------------------------------------------------------------------------- strength


@pytest.mark.parametrize(("players", "bound"), [(2, 0.57), (3, 0.36), (4, 0.27)])
def test_it_beats_greedy(players, bound):
    """Measured with 4,000 games: win shares of 0.70, 0.44 and 0.34 with 2, 3 and 4 players."""
    agents = [make("expert", GAME), *[make("greedy", GAME)] * (players - 1)]
    assert win_share(play(GAME, agents, 400, seed=3, options={"players": players}), players) > bound


# ------------------------------------------------------------------------------------------ what gems are


def test_what_gems_score_is_what_the_rules_say():
    """The tables that the expert looks gems up in, against the settlement."""
    game = GAME.new(1, {"players": 2})[0]
    for gems in np.ndindex(7, 7, 7):
        game.gems[0] = gems
        game.supply[:] = [6 - own for own in gems]
        sets, pairs, leftovers = settlement.count_gems(game, 0)
        place = int(np.array(gems) @ triatri_standing.STEP)
        colour = triatri_standing.LEFT_COLOUR[place]
        assert triatri_standing.FIXED[place] == sets + pairs
        assert triatri_standing.LEFTOVERS[place] * game.supply[colour] == leftovers
        assert triatri_standing.MANY[place] == sum(gems)
        assert (triatri_standing.LACKING[place] == 0) == (min(gems) >= 2)


# ----------------------------------------------------------------------- positions with a plain answer


@pytest.mark.kernel
@every_number
def test_it_takes_the_special_win(players):
    gems = [[2, 2, 1], *[[1, 0, 0]] * (players - 1)]
    assert decide_last("expert", gems, "G4 G6 R2 R3 B2") == {"card G6"}


@pytest.mark.kernel
@every_number
def test_it_holds_back_its_imitation_where_a_number_wins_too(players):
    gems = [[2, 2, 1], *[[0, 0, 0]] * (players - 1)]
    assert "card imitation" not in decide_last("expert", gems, "G4 G6 R2 im B6", round_=1)


@pytest.mark.kernel
@every_number
def test_it_does_not_offer_a_leading_opponent_the_special_win(players):
    gems = [[1, 0, 1], [2, 2, 1], *[[0, 0, 0]] * (players - 2)]
    offered = decide("expert", position(gems, {0: "R2 R3 B2 B3 G2"}))
    assert not offered & {GREEN, OWN_GREEN}


@pytest.mark.kernel
@every_number
def test_it_ducks_a_gem_that_makes_a_pair(players):
    """Of G6, which wins, and G4, which does not."""
    assert decide_last("expert", bad_green(players), "G4 G6 R2 R3 B2") == {"card G4"}


@pytest.mark.kernel
@every_number
def test_it_ends_the_game_when_it_leads_and_not_when_another_does(players):
    hand = {0: "R3 B3 B4 G2 G4"}
    assert decide("expert", position(last_green(0, players), hand)) == {GREEN}
    assert GREEN not in decide("expert", position(last_green(1, players), hand))


@pytest.mark.kernel
@every_number
def test_it_keeps_its_imitation_when_it_bids(players):
    assert "card imitation" not in decide("expert", bidding("R2 R5 B4 B6 G5 im", players))
