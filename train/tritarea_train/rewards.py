"""Which reward the learner is paid at which moment of a run."""

from __future__ import annotations

from .config import TrainConfig


def outcome_weight(config: TrainConfig, steps: int) -> float:
    """How much of the reward is ``outcome`` in a rollout that begins after ``steps`` of the run; the rest is dense.

    It is the same throughout a rollout, and hangs on nothing but the step, so a resumed run goes on with it.
    """
    turn, progress = config.game.to_outcome, steps / config.steps
    if turn is None or progress <= turn.start:
        return 0.0
    return min(1.0, (progress - turn.start) / (turn.end - turn.start)) if turn.end > turn.start else 1.0


def reward_learned(config: TrainConfig, steps: int) -> str:
    """What a net's values are expectations of after ``steps``: the reward of the last rollout that it learned from."""
    weight = outcome_weight(config, max(0, steps - config.n_games * config.ppo.n_steps))
    if weight in (0.0, 1.0):
        return "outcome" if weight else config.game.reward
    return f"{1.0 - weight:.4g} {config.game.reward} + {weight:.4g} outcome"
