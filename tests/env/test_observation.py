"""Observations hold all that a seat may know, and say where it stands."""

import numpy as np
import pytest
from decode import DECODE
from helpers import CHOOSERS, EVERY_CASE, EVERY_GAME, PLAIN, walk
from permute import as_seen

from tritarea_env import games, triatri_v0, tritarea_v0
from tritarea_env.aec import GameEnv
from tritarea_env.engine import loops

ONLY = np.zeros(1, np.int64)


@pytest.mark.kernel
@EVERY_CASE
def test_every_observation_decodes_to_what_the_seat_sees(name, options):
    """For every decision and all seats, also those not to move and the end."""
    game = games.get(name)
    decode, facts = DECODE[name]
    full = game.check_options(options)
    observation = np.zeros((1, game.observation_size), np.uint8)
    for number, choose in enumerate(CHOOSERS[-1:] if PLAIN else CHOOSERS):
        for decision, (state, _) in enumerate(walk(name, options, 20 + number, choose)):
            if PLAIN and decision % 8:
                continue
            for seat in range(game.seats_of(full)):
                loops.observe_games(state, ONLY, np.full(1, seat), observation)
                seen = game.to_position(state[0], seat)
                assert seen == as_seen(game.to_position(state[0]), seat)
                assert decode(observation[0]) == facts(seen, full, seat)


def test_the_options_of_the_game_are_in_the_observation():
    for options in ({"adjacency": "any"}, {"voluntary_default": True}, {"players": 2}, {"players": 3}, {}):
        env = tritarea_v0.raw_env(npc="random", **options)
        env.reset(seed=1)
        for seat, agent in enumerate(env.possible_agents):
            seen = tritarea_v0.unflatten(env.observe(agent)["observation"])
            players = options.get("players", 4)
            assert seen["adjacency_any"] == (options.get("adjacency") == "any")
            assert seen["voluntary_default"] == bool(options.get("voluntary_default"))
            assert seen["npc"].tolist() == [(seat + r) % 4 >= players for r in range(4)]
            assert seen["team"].tolist() == [players == 2 and r % 2 == 0 for r in range(4)]


@EVERY_GAME
def test_fields_tile_the_observation(name):
    game = games.get(name)
    for fields, size in ((game.fields, game.observation_size), (game.state_fields, game.state_size)):
        assert [field.offset for field in fields] == [sum(f.size for f in fields[:i]) for i in range(len(fields))]
        assert sum(field.size for field in fields) == size
        assert len({field.name for field in fields}) == len(fields)
        assert all(field.meaning and field.maximum >= 1 for field in fields)


@EVERY_GAME
def test_the_float_observation_is_the_integers_times_the_scale(name):
    env = GameEnv(name)
    env.reset(seed=2)
    game = env.game
    raw = np.zeros((1, game.observation_size), np.uint8)
    for _ in range(30):
        loops.observe_games(env._table.playing(), ONLY, np.zeros(1, np.int64), raw)
        seen = env.observe("player_0")["observation"]
        assert seen.dtype == np.float32
        assert np.array_equal(seen, raw[0] * game.scale)
        assert 0 <= seen.min() <= seen.max() <= 1
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


def test_unflatten_gives_cards_and_colours():
    env = triatri_v0.raw_env(players=3)
    env.reset(seed=2)
    seen = triatri_v0.unflatten(np.stack([env.observe(agent)["observation"] for agent in env.agents]))
    assert seen["cards"].shape == (3, 21, 14)
    assert seen["colours"].shape == (3, 3, 10)
    assert triatri_v0.observation_fields()[0].name == "hand"


def test_unflatten_gives_cards_and_board():
    env = tritarea_v0.raw_env()
    env.reset(seed=2)
    seen = tritarea_v0.unflatten(env.observe("player_0")["observation"])
    assert seen["cards"].shape == (36, 10)
    assert seen["board"].shape == (4, 4, 39)
    batch = np.stack([env.observe(agent)["observation"] for agent in env.agents])
    many = tritarea_v0.unflatten(batch)
    assert many["cards"].shape == (4, 36, 10)
    assert np.array_equal(many["board"][0], seen["board"])
    assert np.array_equal(seen["cards"][:, 0], seen["hand"])
    with pytest.raises(ValueError, match="1055 entries"):
        tritarea_v0.unflatten(np.zeros(7))


def test_a_score_above_the_maximum_is_capped():
    env = tritarea_v0.raw_env()
    env.reset(seed=2)
    position = env.position()
    env.reset(seed=2, options={"position": {**position, "scores": [255, 256, 9999, 0]}})
    seen = tritarea_v0.unflatten(env.observe("player_0")["observation"])
    assert seen["scores"].tolist() == [1, 1, 1, 0]


@pytest.mark.kernel
@EVERY_CASE
def test_state_is_what_seat_0_would_see_with_open_cards(name, options):
    """Every hand, and every declaration or bid, also before it is revealed."""
    game = games.get(name)
    decode, facts = DECODE[name]
    full = game.check_options(options)
    out = np.zeros(game.state_size, np.uint8)
    for decision, (state, _) in enumerate(walk(name, options, 9)):
        if PLAIN and decision % 8:
            continue
        loops.state_game(state, 0, out)
        position = game.to_position(state[0])
        assert decode(out[: game.observation_size]) == facts(position, full, 0)
        assert hands_of(game, out) == position["hands"]


def hands_of(game, state):
    """The hands that a state (m,) shows, imitations as card 21; none where nobody sits."""
    hidden = {f.name: state[f.offset : f.offset + f.size].reshape(f.shape) for f in game.state_fields}
    imitations = hidden.get("hands_imitations", np.zeros(4, np.uint8))
    hands = [np.flatnonzero(row).tolist() + [21] * int(n) for row, n in zip(hidden["hands"], imitations, strict=True)]
    seats = int(np.argmax(hidden["players"])) + 2 if "players" in hidden else 4
    assert not any(hands[seats:])
    return hands[:seats]
