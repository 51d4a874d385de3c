"""What the bench times: each function prepares something to do again and again, which returns how much it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from tritarea_agents.playing import Participant, play_games
from tritarea_env.aec import GameEnv
from tritarea_env.batch import Batch, playout
from tritarea_env.engine import loops
from tritarea_env.engine.compile import bare, copy_records, put_records
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.games import get as find_game
from tritarea_env.gym import SeatEnv
from tritarea_env.vector import SeatVectorEnv
from tritarea_env.views import find_agent, stream_views

Options = dict[str, Any]  # of the game, checked
Play = Callable[[], int]

MANY = 1024  # games at once, where a line does not say


# ---------------------------------------------------------------------------------- whole games, many games


def random_games(name: str, options: Options, until: str) -> Play:
    """Random play in one compiled loop, to the end of the game or of its first round; counts decisions."""
    begun = _begun(find_game(name), options)
    games = begun.copy()

    def play() -> int:
        put_records(games, begun)
        return playout(games, until=until)

    return play


def batch_steps(name: str, options: Options, n: int, threads: int = 1) -> Play:
    """``Batch.step`` of ``n`` games with observation and mask, the actions drawn in compiled code."""
    batch = Batch(name, n, threads=threads, **options)

    def play() -> int:
        batch.step(batch.random_actions())
        return n

    return play


def batch_advances(name: str, options: Options, n: int) -> Play:
    """``Batch.advance`` of all of ``n`` games without observation, the actions drawn in compiled code."""
    batch = Batch(name, n, **options)
    every = np.arange(n)

    def play() -> int:
        batch.advance(batch.random_actions(), every)
        return n

    return play


def agent_games(name: str, options: Options, spec: str) -> Play:
    """One agent in all seats of many whole games; counts decisions."""
    game = find_game(name)
    agent = Participant(spec, find_agent(spec, game, options))
    holders = np.zeros((MANY, game.seats_of(options)), np.int8)
    streams, keys = np.empty(MANY, np.uint64), np.empty(MANY, np.uint64)
    derive_many(key_of(0), 0, streams)
    derive_many(key_of(1), 0, keys)

    def play() -> int:
        played = play_games(game, options, [agent], holders, streams, keys)
        return int((played.actions >= 0).sum())

    return play


SEARCHED = 32  # decisions at most that are searched one after the other


def searches(name: str, options: Options, spec: str, counted: int = 1) -> Play:
    """A search on one core of decisions on a card in the middle of rounds; counts ``counted`` for each."""
    game = find_game(name)
    games = positions(game, options)
    masks = np.empty((MANY, game.actions), np.int8)
    loops.legal_games(bare(games), np.arange(MANY), masks)
    choices = games[(games.phase == game.phases.index("play")) & (masks.sum(axis=1) > 1)]
    middle = (choices.trick.max() + 1) // 2
    nearest = choices[np.argsort(np.abs(choices.trick - middle), kind="stable")][:SEARCHED]
    views = stream_views(game, nearest, np.arange(len(nearest)))
    agent = find_agent(f"{spec},threads=1", game, options)

    def play() -> int:
        agent.act(views)
        return counted * len(views)

    return play


# --------------------------------------------------------------------------------------- environments


def aec_game(name: str, options: Options, wrapped: bool) -> Play:
    """One game of the AEC environment: ``last()``, a random legal action, ``step``; counts decisions."""
    raw = GameEnv(name, illegal="terminate", **options)
    env = OrderEnforcingWrapper(raw) if wrapped else raw
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        env.reset()
        made = 0
        while True:
            observation, _, over, _, _ = env.last()
            if over:
                return made
            legal = observation["action_mask"].nonzero()[0]  # type: ignore[index]
            env.step(int(legal[int(random.random() * len(legal))]))
            made += 1

    return play


def seat_episode(name: str, options: Options) -> Play:
    """One episode of the gymnasium environment against greedy; counts the learner's decisions."""
    env = SeatEnv(name, opponents="greedy", **options)
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        env.reset()
        made, over = 0, False
        while not over:
            legal = env.action_masks().nonzero()[0]
            over = env.step(int(legal[int(random.random() * len(legal))]))[2]
            made += 1
        return made

    return play


def vector_steps(name: str, options: Options, n: int) -> Play:
    """A step of the vector environment of ``n`` seats against greedy; counts the learners' decisions."""
    env = SeatVectorEnv(name, n, opponents="greedy", **options)
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        masks = env.action_masks()
        env.step((random.random(masks.shape) * masks).argmax(axis=1))
        return n

    return play


# ---------------------------------------------------------------------------- what a search asks for


def copies(name: str, options: Options, n: int) -> Play:
    """One copy of ``n`` game records in the midst of games; counts records."""
    games = positions(find_game(name), options)[:n]

    def play() -> int:
        return len(copy_records(games))

    return play


def legal_masks(name: str, options: Options) -> Play:
    """Masks of the seats to move in random positions."""
    game = find_game(name)
    games = positions(game, options)
    every, masks = np.arange(MANY), np.empty((MANY, game.actions), np.int8)

    def play() -> int:
        loops.legal_games(bare(games), every, masks)
        return MANY

    return play


def observations(name: str, options: Options) -> Play:
    """Observations of the seats to move in random positions."""
    game = find_game(name)
    games = positions(game, options)
    every, seats, out = np.arange(MANY), games.seat.copy(), np.empty((MANY, game.observation_size), np.uint8)

    def play() -> int:
        loops.observe_games(bare(games), every, seats, out)
        return MANY

    return play


def determinizations(name: str, options: Options) -> Play:
    """Random positions as the seats to move know them, filled with a guess that fits; copying them included."""
    game = find_game(name)
    every = np.arange(MANY)
    hidden = stream_views(game, positions(game, options), every).hidden
    games, seats, seeds = hidden.copy(), hidden.seat.copy(), np.arange(MANY, dtype=np.uint64)

    def play() -> int:
        seeds[:] += np.uint64(MANY)
        put_records(games, hidden)
        loops.determinize_games(bare(games), every, seats, seeds)
        return MANY

    return play


def given_steps(name: str, options: Options) -> Play:
    """Games stepped with given legal actions, from their start until the first of them would end."""
    begun = _begun(find_game(name), options)
    games, every = begun.copy(), np.arange(MANY)
    chosen: list[NDArray[np.int64]] = []
    while not games.done.any():
        chosen.append(_drawn(games, len(chosen)))
        loops.step_games(bare(games), every, chosen[-1])

    def play() -> int:
        put_records(games, begun)
        for actions in chosen:
            loops.step_games(bare(games), every, actions)
        return MANY * len(chosen)

    return play


def positions(game: Game, options: Options) -> np.recarray:
    """(``MANY``,) records: of each of so many games played at random, one of its decisions, each as likely."""
    games = _begun(game, options)
    kept, live = games.copy(), np.arange(MANY)
    random = np.random.default_rng(0)
    decision = 0
    while len(live):
        taken = live[random.random(len(live)) * (decision + 1) < 1]  # the t-th replaces what is kept with 1/t
        kept[taken] = games[taken]
        loops.step_games(bare(games), live, _drawn(games, decision)[live])
        live = live[games.done[live] == 0]
        decision += 1
    return kept


def _begun(game: Game, options: Options) -> np.recarray:
    """``MANY`` games at their start, each the first of a stream."""
    games = game.new(MANY, options)
    derive_many(key_of(0), 0, games.stream)
    loops.reset_games(games, np.arange(MANY))
    return games


def _drawn(games: np.recarray, decision: int) -> NDArray[np.int64]:
    """(``MANY``,) random legal actions; -1 where a game is over."""
    seeds, actions = np.arange(MANY, dtype=np.uint64) + np.uint64(MANY * decision), np.empty(MANY, np.int64)
    loops.random_actions(bare(games), seeds, actions)
    return actions
