"""Relabellings: which are exact, shown by games played twice through the engine; games shown in turned frames."""

import itertools
import threading

import numpy as np
import pytest
from tiny import tiny

from tritarea_env import games
from tritarea_env.engine import protocol
from tritarea_env.engine.rng import key_of
from tritarea_env.games.triatri import deals
from tritarea_env.games.triatri.rules import IMITATION
from tritarea_env.games.tritarea import rules
from tritarea_train import train
from tritarea_train.config import ConfigError, OpponentsConfig
from tritarea_train.imitation import imitate
from tritarea_train.league import League
from tritarea_train.model import build
from tritarea_train.sight import Sight
from tritarea_train.symmetry import frames_of, turns_of_board
from tritarea_train.vec_env import LeagueVecEnv

# a board that is its own mirror image, left to right, as the shipped one is not
MIRRORED = {
    "areas": [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    "bonus": [3, 0, 0, 3, 1, 2, 2, 1, 0, 1, 1, 0, 2, 0, 0, 2],
}
WITH_FRAMES = [
    ("tritarea", {"board": MIRRORED}, 2),
    *(("triatri", {"players": players}, 3) for players in (2, 3, 4)),
]
IDS = [f"{name}{options.get('players', '-mirrored')}" for name, options, _ in WITH_FRAMES]
in_games = pytest.mark.parametrize(("name", "options", "frames"), WITH_FRAMES, ids=IDS)


def turned_hand(hand, frame):
    """A hand of TriATri with each colour ``frame`` further on; imitations stay."""
    numbers, imitations = int(hand) & (1 << IMITATION) - 1, int(hand) >> IMITATION << IMITATION
    shift = 7 * frame
    return (numbers << shift | numbers >> IMITATION - shift) & (1 << IMITATION) - 1 | imitations


def deal_alike(name, own, twin, frame):
    """Give the twin the game's next deal, relabelled: a board's turn leaves cards what they are."""
    if name == "triatri":
        if not deals.has_next(own):
            deals.draw_next(own)
        for s in range(4):
            twin.next_deal[s] = turned_hand(own.next_deal[s], frame)


def two_games(name, options, number, frame):
    """The same game twice, the second one relabelled; arrays, of which the first record is the game."""
    game = games.get(name)
    pair = [game.new(1, options) for _ in range(2)]
    for one in pair:
        one.stream[0], one.episode[0] = key_of(7), number
        protocol.draw(one[0])
    deal_alike(name, pair[0][0], pair[1][0], frame)
    for one in pair:
        protocol.begin(one[0])
    return pair


@in_games
def test_a_relabelled_game_is_the_game_relabelled(name, options, frames):
    """What every seat sees, the whole state, masks, scores and rewards, in games of random play, in every frame."""
    game = games.get(name)
    options = game.check_options(options)
    orders = frames_of(game, options)
    assert [len(order) for order in orders] == [frames] * 3
    rng = np.random.default_rng(3)
    seats = game.seats_of(options)
    for number, frame in itertools.product(range(6), range(frames)):
        (own,), (twin,) = pair = two_games(name, options, number, frame)
        while True:
            masks, seen, states, rewards = look(game, pair, seats)
            assert np.array_equal(masks[1], masks[0][orders.actions[frame]])
            assert np.array_equal(seen[1], seen[0][:, orders.observation[frame]])
            assert np.array_equal(states[1], states[0][orders.state[frame]])
            assert np.array_equal(own.scores, twin.scores)
            assert np.array_equal(rewards[0], rewards[1])
            if own.done:
                break
            deal_alike(name, own, twin, frame)
            action = rng.choice(np.flatnonzero(masks[1]))
            protocol.step(twin, action)
            protocol.step(own, orders.actions[frame][action])
        assert twin.done


def look(game, pair, seats):
    """Of two games: masks, what each seat sees, states, and the rewards ``outcome`` once they are over."""
    masks, states = np.zeros((2, game.actions), np.int8), np.zeros((2, game.state_size), np.uint8)
    seen, rewards = np.zeros((2, seats, game.observation_size), np.uint8), np.zeros((2, seats))
    for i, (g,) in enumerate(pair):
        protocol.legal_mask(g, masks[i])
        protocol.state(g, states[i])
        for seat in range(seats):
            protocol.observe(g, seat, seen[i, seat])
        if g.done:
            protocol.outcome(g, rewards[i])
    return masks, seen, states, rewards


def test_the_pinwheel_board_has_no_relabelling_and_why():
    """Of all turns of the board with all exchanges of concepts: what keeps areas and bonuses changes what areas pay."""
    board = rules.BOARDS["pinwheel"]
    areas, bonus = np.array(board["areas"]), np.array(board["bonus"])
    beside = rules.NEIGHBOURS[:, None] >> np.arange(16) & 1
    keeps_areas, exact = [], []
    for turn, old in enumerate(turns_of_board()):
        assert np.array_equal(beside[np.ix_(old, old)], beside)
        for concepts in itertools.permutations(range(4)):
            if np.array_equal(np.array(concepts)[areas[old]], areas):
                keeps_areas.append(turn)
                pays_alike = np.array_equal(rules.AREA_POINTS[list(concepts)], rules.AREA_POINTS)
                if np.array_equal(bonus[old], bonus) and pays_alike:
                    exact.append((turn, concepts))
    assert keeps_areas == [0, 1, 2, 3]  # the quarter turns
    assert exact == [(0, (0, 1, 2, 3))]
    assert len({tuple(points) for points in rules.AREA_POINTS}) == 4
    for options in ({}, {"players": 2}):
        game = games.get("tritarea")
        assert all(len(order) == 1 for order in frames_of(game, game.check_options(options)))


def make(n, augment, *, name="triatri", oracle=False, **options):
    game = games.get(name)
    checked = game.check_options(options)
    league = League(game, checked, OpponentsConfig(current=0, snapshots=0, agents={"random": 1.0}))
    sight = Sight(game, checked, oracle=oracle, augment=augment)
    return LeagueVecEnv(name, n, league, seed=3, reward=game.rewards[0], sight=sight, **options)


@in_games
def test_the_vec_env_shows_each_game_in_its_frame(name, options, frames):
    """Step by step: the same games, seen, rewarded and ended alike but for each game's own relabelling."""
    shown, plain = (make(60, augment, name=name, oracle=True, **options) for augment in (True, False))
    d = shown.batch.game.observation_size
    orders = frames_of(shown.batch.game, shown.batch.options)
    rng, every = np.random.default_rng(1), np.arange(60)
    seen, raw = shown.reset(), plain.reset()
    ended = 0
    for _ in range(150):
        frame = shown.sight.frames(shown.batch.games, every)
        assert np.array_equal(seen[:, :d], np.take_along_axis(raw[:, :d], orders.observation[frame], 1))
        assert (seen[:, d:].sum(axis=1) == raw[:, d:].sum(axis=1)).all()
        masks = shown.action_masks().copy()
        assert np.array_equal(masks, np.take_along_axis(plain.action_masks(), orders.actions[frame], 1))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        meant = orders.actions[frame, actions]
        assert np.array_equal(shown.sight.shown(shown.batch.games, meant), actions)
        seen, rewards, dones, infos = shown.step(actions)
        raw, *others = plain.step(meant)
        assert np.array_equal(rewards, others[0])
        assert np.array_equal(dones, others[1])
        for i in np.flatnonzero(dones):
            last, as_it_is = infos[i]["terminal_observation"], others[2][i]["terminal_observation"]
            assert np.array_equal(last[:d], as_it_is[:d][orders.observation[frame[i]]])
            ended += 1
    assert ended > 60
    drawn = np.bincount(make(3000, True, name=name, **options).sight.frames(shown.batch.games, every), minlength=frames)
    assert (drawn > 60 / frames / 3).all()


def test_frames_do_not_hang_on_how_many_games_there_are():
    few, many = make(5, True), make(50, True)
    few.reset(), many.reset()
    assert np.array_equal(few.look(), many.look()[:5])


def test_a_hidden_hand_is_shown_in_the_same_frame():
    """The other seats' hands, relabelled like one's own: no card is in two hands."""
    env = make(40, True, oracle=True, players=3)
    env.reset()
    hand = next(field for field in env.batch.game.fields if field.name == "hand")
    d, cards = env.batch.game.observation_size, hand.size
    rng = np.random.default_rng(0)
    for _ in range(20):
        seen = env.look()
        own = seen[:, hand.offset : hand.offset + cards]
        others = seen[:, d : d + 3 * cards].reshape(len(seen), 3, cards)
        assert (own + others.sum(axis=1) <= 1).all()
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))


def test_what_is_no_action_is_refused_in_any_frame():
    env = make(20, True)
    env.reset()
    actions = np.array([np.flatnonzero(mask)[0] for mask in env.action_masks()])
    for wrong in (-1, env.batch.game.actions, int(np.flatnonzero(env.action_masks()[5] == 0)[0])):
        actions[5] = wrong
        with pytest.raises(ValueError, match="the learner may not play"):
            env.step(actions)


def test_a_run_with_frames_is_reproducible(tmp_path):
    config = tiny("triatri", augment=True, steps=1024)
    first, again = (train(config, tmp_path / name) for name in ("a", "b"))
    plain = train(tiny("triatri", steps=1024), tmp_path / "c")
    weights = [(folder / "policy.safetensors").read_bytes() for folder in (first, again, plain)]
    assert weights[0] == weights[1] != weights[2]


@pytest.mark.parametrize("augment", [False, True])
def test_a_teachers_choices_are_shown_in_the_games_frames(augment):
    """What imitation fits: each choice is legal as the game is shown."""
    config = tiny("triatri", augment=augment, imitation__steps=512)
    learner = build(config)
    assert imitate(learner, config.imitation, threading.Event(), lambda steps, agreement: None)
    buffer = learner.model.rollout_buffer
    rows, actions = np.arange(len(buffer.actions)), buffer.actions[:, 0].astype(int)
    assert buffer.action_masks[rows, actions].all()


def test_frames_are_refused_where_there_are_none():
    with pytest.raises(ConfigError, match=r"augment is false .*: Tri\*T\*Area on this board has none"):
        tiny(augment=True)
    tiny(augment=True, game__options={"board": MIRRORED})
