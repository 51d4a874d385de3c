"""What a seat may know is a contract: hidden cards change nothing that it is given."""

import itertools
from collections import Counter

import numpy as np
import pytest
from helpers import EVERY_CASE, options_of, positions, walk
from permute import PERMUTE, hidden_cards
from tritarea_table import position as tritarea_position

from tritarea_agents import make
from tritarea_env import games
from tritarea_env.aec import GameEnv
from tritarea_env.engine import loops
from tritarea_env.engine.protocol import hide
from tritarea_env.views import views_of


def worlds(name, number):
    """(state, seat, position, another position that the seat cannot tell from it), every seat in turn."""
    game = games.get(name)
    for i, state in enumerate(positions(name, number)):
        for seat in range(game.seats_of(options_of(name, state))):
            here = game.to_position(state[0])
            yield state, seat, here, PERMUTE[name](here, seat, np.random.default_rng([i, seat]))


@pytest.fixture(scope="module", params=games.names())
def all_worlds(request):
    return request.param, list(worlds(request.param, 500))


def test_the_worlds_do_differ(all_worlds):
    """They hold every phase and number of seats, and what a seat has shown not to hold."""
    name, found = all_worlds
    changed = sum(here != other for _, _, here, other in found)
    assert len(found) >= 1000
    assert changed > 0.7 * len(found)
    assert {here["phase"] for _, _, here, _ in found} == set(games.get(name).phases) - {"end"}
    tables = Counter(len(here["hands"]) for _, _, here, _ in found)
    assert set(tables) == {4} if name == "tritarea" else min(tables[n] for n in (2, 3, 4)) >= 200
    assert name == "tritarea" or sum(any(here["voids"]) for _, _, here, _ in found) >= 200


def set_up(name, state, there):
    options = options_of(name, state)
    seats = games.get(name).seats_of(options)
    env = GameEnv(name, **{**options, "players": seats})  # no NPCs
    env.reset(seed=1, options={"position": there})
    return env


def test_env_gives_nothing_away(all_worlds):
    """Observation, mask, infos and the seat's position are the same in both worlds."""
    name, found = all_worlds
    for state, seat, here, other in found:
        one, two = set_up(name, state, here), set_up(name, state, other)
        agent = f"player_{seat}"
        for key in ("observation", "action_mask"):
            assert np.array_equal(one.observe(agent)[key], two.observe(agent)[key])
        assert one.position(seat) == two.position(seat)
        assert one.infos[agent].keys() == two.infos[agent].keys() == {"action_mask"}
        assert np.array_equal(one.infos[agent]["action_mask"], two.infos[agent]["action_mask"])
        assert one.observe(agent)["action_mask"].any() == (here["seat"] == seat)


def records_of(name, state, here, other):
    game = games.get(name)
    pair = game.new(2, game.check_options(options_of(name, state)))
    for i, there in enumerate((here, other)):
        game.from_position(pair[i], there, np.uint64(11 + i))
        pair.stream[i] = 99 + i
        pair.episode[i] = i
    return pair


def test_hide_leaves_no_trace(all_worlds):
    """Hidden records are equal byte for byte, whatever the hidden cards, deals to come and streams."""
    name, found = all_worlds
    game = games.get(name)
    for state, seat, here, other in found:
        pair = records_of(name, state, here, other)
        observed = np.zeros((2, game.observation_size), np.uint8)
        loops.observe_games(pair, np.arange(2), np.full(2, seat), observed)
        for i in range(2):
            game_hidden = pair[i : i + 1].copy()
            hide_for(game_hidden, seat)
            pair[i] = game_hidden[0]
        assert pair[0].tobytes() == pair[1].tobytes()
        again = np.zeros_like(observed)
        loops.observe_games(pair, np.arange(2), np.full(2, seat), again)
        assert np.array_equal(observed[0], observed[1])
        assert np.array_equal(observed, again), "the hidden record shows all that the seat sees"


def hide_for(state, seat):
    hide(state[0], seat)


def visits(agent):
    return [thought.visits.tolist() for thought in agent.explain()] if hasattr(agent, "explain") else [[], []]


@pytest.mark.parametrize("spec", ["random", "greedy", "expert", "search:sims=20,threads=1,playout=greedy"])
def test_agents_choose_the_same(all_worlds, spec):
    name, found = all_worlds
    game = games.get(name)
    agent = make(spec, game)
    keys = np.full(2, 7, np.uint64)
    for state, seat, here, other in found:
        if here["seat"] != seat:
            continue
        pair = records_of(name, state, here, other)
        views = views_of(game, pair, np.arange(2), keys)
        one, two = agent.act(views)
        assert one == two
        assert views.mask[0, one] == 1
        assert visits(agent)[0] == visits(agent)[1]


# ---------------------------------------------------------------------------------------- determinize


def test_determinized_worlds_fit(all_worlds):
    """A guess looks the same from the seat, is a position that adds up, and does not read what is hidden."""
    name, found = all_worlds
    game = games.get(name)
    moved = 0
    for number, (state, seat, here, other) in enumerate(found):
        pair = records_of(name, state, here, other)
        seeds = np.full(2, number, np.uint64)
        loops.determinize_games(pair, np.arange(2), np.full(2, seat), seeds)
        guess = game.to_position(pair[0])
        assert game.to_position(pair[0], seat) == game.to_position(records_of(name, state, here, other)[0], seat)
        assert pair[0].tobytes() == pair[1].tobytes(), "the guess depends on the seat's knowledge and the seed only"
        game.from_position(pair[0].copy(), guess, np.uint64(0))
        moved += guess != here
    assert moved > len(found) / 2


def test_a_guess_from_a_hidden_record_is_the_same(all_worlds):
    name, found = all_worlds
    for number, (state, seat, here, other) in enumerate(found[::5]):
        pair = records_of(name, state, here, other)
        hidden = pair[:1].copy()
        hide_for(hidden, seat)
        pair[0] = hidden[0]
        loops.determinize_games(pair, np.arange(2), np.full(2, seat), np.full(2, number, np.uint64))
        assert pair[0].tobytes() == pair[1].tobytes()


def test_determinized_games_play_on_to_the_end(all_worlds):
    name, found = all_worlds
    for number, (state, seat, here, other) in enumerate(found[::10]):
        pair = records_of(name, state, here, other)
        loops.determinize_games(pair, np.arange(2), np.full(2, seat), np.full(2, number, np.uint64))
        loops.playout_games(pair, np.arange(2), np.uint64(number), False)
        assert pair.done.all()
        brought = np.zeros(pair.scores.shape[1], int)
        brought[: len(here["scores"])] = here["scores"]
        assert np.array_equal(pair.scores, pair.points.sum(axis=2) + brought)


def test_deals_to_come_are_guessed_anew():
    state = last_trick_of_round_1()
    n = 4000
    guesses = np.repeat(state, n).view(np.recarray)
    loops.determinize_games(guesses, np.arange(n), np.full(n, state.seat[0]), np.arange(n).astype(np.uint64))
    assert len({deal.tobytes() for deal in guesses.deals[:, 1:]}) == n
    assert len(set(guesses.stream.tolist())) == n
    for round_ in (1, 2):
        dealt = np.stack([(guesses.deals[:, round_] >> card & 1).sum(axis=0) for card in range(36)])
        degrees = 3 * 35
        assert np.square(dealt - n / 4).sum() / (n / 4) < degrees + 5 * np.sqrt(2 * degrees)


def last_trick_of_round_1():
    """Seat 0 is to lead trick 7: the others hold two cards each, so 6! / 2!^3 = 90 worlds fit."""
    for state, _ in walk("tritarea", {}, 3):
        g = state[0]
        if g.round_number == 1 and g.trick == 7 and g.seat == g.leader:
            return state
    raise AssertionError("no such position")


def test_determinize_reaches_every_fitting_world_equally_often():
    state = last_trick_of_round_1()
    game = games.get("tritarea")
    seat = int(state.seat[0])
    unknown = [card for s in range(4) if s != seat for card in game.to_position(state[0])["hands"][s]]
    n = 9000
    guesses = np.repeat(state, n).view(np.recarray)
    loops.determinize_games(guesses, np.arange(n), np.full(n, seat), np.arange(n).astype(np.uint64))
    seen = Counter(tuple(int(hand) for hand in row) for row in guesses.hand)
    worlds_ = set()
    for order in itertools.permutations(unknown):
        hands = [sum(1 << c for c in order[i : i + 2]) for i in (0, 2, 4)]
        hands.insert(seat, int(state.hand[0, seat]))
        worlds_.add(tuple(hands))
    assert len(worlds_) == 90
    assert set(seen) == worlds_
    expected = n / 90
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < 89 + 5 * np.sqrt(2 * 89)


def test_determinize_reaches_every_hidden_declaration():
    """Seat 3 is to declare; each of the cards that seat 0 cannot see may be the one that seat 2 has declared."""
    p = tritarea_position(1, "B1 B2 B3 B4", round_=3)
    hands = [sorted([*p["hands"][s], p["declared"][s]]) for s in range(4)]
    declared = [None, hands[1].pop(), hands[2].pop(), None]
    p = {**p, "trick": 0, "phase": "declare", "seat": 3, "hands": hands, "declared": declared}
    game = games.get("tritarea")
    n = 4000
    guesses = game.new(n, game.check_options({}))
    game.from_position(guesses[0], p, np.uint64(0))
    guesses[:] = guesses[0]
    loops.determinize_games(guesses, np.arange(n), np.zeros(n, np.int64), np.arange(n).astype(np.uint64))
    unseen = {card for _, card in hidden_cards(p, 0)}
    assert len(unseen) == 27
    assert set(guesses.declared[:, 2].tolist()) == unseen


@EVERY_CASE
def test_a_seat_that_is_not_to_move_has_an_all_zero_mask(name, options):
    env = GameEnv(name, **options)
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while not env.is_over:
        for agent in env.possible_agents:
            given = env.observe(agent)["action_mask"]
            assert np.array_equal(given, env.infos[agent]["action_mask"])
            assert given.any() == (agent == env.agent_selection)
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
