"""The playout policies: legal in every phase of every option, a function of record and word, and no fools."""

import importlib

import numpy as np
import pytest
from helpers import CASES, IDS, PLAIN

from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.compile import kernel
from tritarea_env.engine.protocol import step, winners
from tritarea_env.engine.rng import derive, key_of

GAMES = 5 if PLAIN else 300


def policy_of(name):
    return importlib.import_module(f"tritarea_agents.playouts.{name}").greedy


def playing(policy):
    """A kernel that plays games with ``policy`` on the seats ``seats`` (bits) and at random on the others."""

    @kernel
    def play(games_, index, key, seats, phases):
        """Returns False at once if an action is not legal; notes the phases met in ``phases`` (n,)."""
        for i in index:
            g = games_[i]
            while not g.done:
                word = derive(derive(key, i), g.decision)
                phases[g.phase] += 1
                action = np.int64(loops.random_action(g, word))
                if seats >> np.int64(g.seat) & 1:
                    action = np.int64(policy(g, word))
                    if not loops.is_legal(g, action):
                        return False
                step(g, action)
        return True

    return play


PLAYING = {name: playing(policy_of(name)) for name in games.names()}


def played(name, options, n, seed, seats):
    """``n`` games to their end, and how often each phase was met; every action of the policy is checked."""
    game = games.get(name)
    records = game.new(n, game.check_options(options))
    records.stream[:] = [derive(key_of(seed), i) for i in range(n)]
    loops.reset_games(records, np.arange(n))
    phases = np.zeros(len(game.phases), np.int64)
    assert PLAYING[name](records, np.arange(n), key_of(seed + 1), seats, phases)
    return records, phases


def share_of_seat_0(records):
    won = np.array([winners(g) for g in records])
    return np.mean([(w & 1) / int(w).bit_count() for w in won])


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
@pytest.mark.parametrize("seats", [0b1111, 0b0101, 0b0001])
def test_it_is_legal_in_every_phase(name, options, seats):
    records, phases = played(name, options, GAMES, 3, seats)
    assert records.done.all()
    if not PLAIN:
        assert (phases[:-1] > 0).all()


@pytest.mark.kernel
@pytest.mark.parametrize("name", games.names())
def test_it_is_a_function_of_record_and_word(name):
    """The same games twice; and the record stays as it is."""
    one, two = played(name, {}, 3, 8, 0b1111)[0], played(name, {}, 3, 8, 0b1111)[0]
    assert one.tobytes() == two.tobytes()

    game, policy = games.get(name), policy_of(name)
    g = game.new(1, game.check_options({}))
    g.stream[:] = key_of(1)
    loops.reset_games(g, np.arange(1))
    for word in (0, 1, 2**63, 2**64 - 1):
        while not g[0].done:
            before = g.tobytes()
            action = policy(g[0], np.uint64(word))
            assert g.tobytes() == before
            step(g[0], action)
        loops.reset_games(g, np.arange(1))


@pytest.mark.skipif(PLAIN, reason="needs many games")
@pytest.mark.parametrize(("name", "least"), [("tritarea", 0.8), ("triatri", 0.45)])
def test_it_beats_random(name, least):
    records, _ = played(name, {}, 600, 21, 0b0001)
    assert share_of_seat_0(records) > least
