"""How often ``search`` finds a best move where all is known: ``python tests/agents/search_oracle.py 500``.

The oracle is max^n by exhaustion: a value for every seat, and each seat takes what is best for itself. Between moves of
equal value for the seat that decides, the values of the others may differ, so what a move is worth may hang on how
later seats break ties. A move counts as best if it is best under some breaking of ties; and as nearly best if it is
where values that differ by at most one point of Tri*T*Area are ties, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from playing import new_games

from tritarea_agents import Agent, make
from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.protocol import legal_mask, outcome, score_reward, step
from tritarea_env.engine.rng import derive, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.games.triatri import rules as triatri
from tritarea_env.games.tritarea import rules as tritarea
from tritarea_env.views import views_of

Vector = tuple[float, ...]
Value = Callable[[Any], Vector | None]  # of a record: every seat's value, None where the game goes on
EQUAL = 1e-9  # values that differ by less are equal
NEAR = 1 / 50 + EQUAL  # the same in a game where a point does not matter

MOST_ACTIONS = max(games.get(name).actions for name in games.names())
WORLDS = 40  # as many guesses that are all alike are no guesses


# ---------------------------------------------------------------------------------------------- the oracle


def attainable(state: np.recarray, value: Value, tie: float) -> set[Vector]:
    """The values of the record (1,) under every breaking of ties."""
    found = value(state[0])
    if found is not None:
        return {found}
    seat = int(state.seat[0])
    return set().union(*best_of(values_of_actions(state, value, tie), seat, tie).values())


def values_of_actions(state: np.recarray, value: Value, tie: float) -> dict[int, set[Vector]]:
    """The attainable values of every legal action."""
    found: dict[int, set[Vector]] = {}
    for action in legal_actions(state):
        after = state.copy()
        step(after[0], action)
        found[action] = attainable(after, value, tie)
    return found


def best_of(values: dict[int, set[Vector]], seat: int, tie: float) -> dict[int, set[Vector]]:
    """Of the values of each action those with which ``seat`` may choose it: not worse than the worst of any other."""
    least = max(min(vector[seat] for vector in vectors) for vectors in values.values()) - tie
    kept = {action: {vector for vector in vectors if vector[seat] >= least} for action, vectors in values.items()}
    return {action: vectors for action, vectors in kept.items() if vectors}


def best_moves(state: np.recarray, value: Value, tie: float = EQUAL) -> set[int]:
    """The actions that are best under some breaking of ties; values that differ by at most ``tie`` are ties."""
    return set(best_of(values_of_actions(state, value, tie), int(state.seat[0]), tie))


def legal_actions(state: np.recarray) -> list[int]:
    mask = np.zeros(MOST_ACTIONS, np.int8)
    legal_mask(state[0], mask)
    return [int(action) for action in np.flatnonzero(mask)]


def margin_of_round(state: np.recarray) -> Value:
    """Reward ``score`` for the rest of the round: own change of score less the mean of the others'."""
    before = state.scores[0].astype(np.int64)

    def value(g: Any) -> Vector | None:
        if not g.round_ended:
            return None
        out = np.zeros(4)
        score_reward(g, before, out)
        return tuple(out.tolist())

    return value


def outcome_of_game(state: np.recarray) -> Value:
    """Reward ``outcome``."""
    seats = int(state.players[0])

    def value(g: Any) -> Vector | None:
        if not g.done:
            return None
        out = np.zeros(seats)
        outcome(g, out)
        return tuple(out.tolist())

    return value


# ------------------------------------------------------------------------- positions where all is known


def played(game: Game, spec: str, seed: int, number: int) -> Iterator[np.recarray]:
    """The decisions with a choice (n,) that ``number`` games go through, one of each game at a time."""
    records, keys = new_games(game, number, seed, {})
    agent = make(spec, game)
    while not records.done.all():
        live = np.flatnonzero(records.done == 0)
        views = views_of(game, records, live, keys[live])
        several = views.mask.sum(axis=1) > 1
        yield records[live[several]].view(np.recarray)
        loops.step_games(records, live, agent.act(views))


def closing_constructions(records: np.recarray) -> np.recarray:
    """Of decisions in Tri*T*Area those in trick 8 of rounds 1 and 3 when all cards lie: nothing is hidden any more."""
    in_trick = np.isin(records.phase, (tritarea.FIVE, tritarea.BUILD, tritarea.EXTRA, tritarea.FIVE_DEFAULT))
    return records[(records.trick == tritarea.TRICKS) & in_trick & (records.hand == 0).all(axis=1)]


def known_hands(records: np.recarray) -> np.recarray:
    """Of late decisions in TriATri's round 3 those where what has been played leaves the mover one way to guess."""
    left = records[(records.round_number == triatri.ROUNDS) & (records.trick >= triatri.TRICKS - 1)]
    for world in range(WORLDS):
        guess, keys = left.copy(), np.empty(len(left), np.uint64)
        derive_many(key_of(world), 0, keys)
        loops.determinize_games(guess, np.arange(len(left)), left.seat.copy(), keys)
        left = left[(guess.hand == left.hand).all(axis=1)]
    return left


class Kind(NamedTuple):
    """What is known in a game, and what it is worth.

    Attributes:
        options: of the search.
        known: picks the decisions where all is known from records (n,).
        value: makes the oracle's value from the record (1,) that is decided in.
        games: as many are played at a time to find such decisions.
    """

    options: str
    known: Callable[[np.recarray], np.recarray]
    value: Callable[[np.recarray], Value]
    games: int


KINDS = {
    "tritarea": Kind("horizon=round,value=score,c=0.15", closing_constructions, margin_of_round, 100),
    "triatri": Kind("horizon=game,value=outcome", known_hands, outcome_of_game, 1000),
}


def known_positions(name: str, number: int, spec: str) -> np.recarray:
    """So many decisions where all is known, at random of whole games between agents ``spec``."""
    game, kind = games.get(name), KINDS[name]
    found, seed = np.empty(0, game.dtype), 0
    while len(found) < number:
        found = np.concatenate([found, *(kind.known(records) for records in played(game, spec, seed, kind.games))])
        seed += 1
    chosen = np.random.default_rng(0).permutation(len(found))[:number]
    return found[chosen].view(np.recarray)


# ---------------------------------------------------------------------------------------------- the search


class Miss(NamedTuple):
    """A move that is not best.

    Attributes:
        state: (1,) record that it was made in.
        action: its name.
        near: whether it is nearly best.
    """

    state: np.recarray
    action: str
    near: bool


def search_for(name: str, sims: int = 5000) -> Agent:
    """The search for the value that the oracle finds."""
    return make(f"search:{KINDS[name].options},sims={sims},threads=1", games.get(name))


def misses(name: str, number: int, agent: Agent) -> list[Miss]:
    """Of the moves of ``agent`` in ``number`` positions, half of random and half of greedy play, those not best."""
    game, kind = games.get(name), KINDS[name]
    found = []
    for spec, part in (("random", number - number // 2), ("greedy", number // 2)):
        records = known_positions(name, part, spec)
        keys = np.array([derive(key_of(1), i) for i in range(part)], np.uint64)
        for i, action in enumerate(agent.act(views_of(game, records, np.arange(part), keys)).tolist()):
            state = records[i : i + 1]
            if action not in best_moves(state, kind.value(state)):
                near = action in best_moves(state, kind.value(state), NEAR)
                found.append(Miss(state, game.action_names[action], near))
    return found


def report(number: int) -> None:
    """Print the shares of best and nearly best moves in each game, and where they are missed."""
    for name, kind in KINDS.items():
        game, missed = games.get(name), misses(name, number, search_for(name))
        best, near = 1 - len(missed) / number, 1 - sum(not miss.near for miss in missed) / number
        print(f"{game.title}, {kind.options}: of {number} moves {best:.1%} are best, {near:.1%} nearly best")
        for miss in missed:
            print(f"  {miss.action}{' (near)' if miss.near else ''}: {game.to_position(miss.state[0])}")


if __name__ == "__main__":
    report(int(sys.argv[1]))
