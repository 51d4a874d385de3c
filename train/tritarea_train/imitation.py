"""A start by imitation: before PPO, the net learns to act as a teacher does, and what comes of it.

Behaviour cloning (Pomerleau 1991) on the learner's own rollouts: the teacher decides in the learner's seat, the
policy is fitted to its choices by their likelihood, the value net to the returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import obs_as_tensor, update_learning_rate
from torch.nn import functional

from tritarea_env.views import Agent, find_agent

from .config import ImitationConfig
from .model import Learner


def imitate(
    learner: Learner, config: ImitationConfig, stop: threading.Event, told: Callable[[int, float], None], done: int = 0
) -> bool:
    """Imitate for ``config.steps`` decisions, rounded up to whole rollouts; False if stopped before the end.

    Args:
        told: called after every rollout, when the learner's state is whole, with the steps so far and how often the
            net's likeliest action was the teacher's, before it learned from that rollout.
        done: the steps after which a run that was stopped goes on, its state restored.
    """
    model, env = learner.model, learner.env
    teacher = find_agent(config.agent, env.batch.game, env.batch.options)
    observation: Any = model._last_obs if done else env.reset()
    starts: Any = model._last_episode_starts if done else np.ones(env.num_envs, np.bool_)
    rollout = model.n_steps * env.num_envs
    for steps in range(done, config.steps, rollout):
        update_learning_rate(model.policy.optimizer, config.learning_rate * (1 - steps / config.steps))
        observation, starts = _fill(learner, teacher, observation, starts)
        model._last_obs, model._last_episode_starts = observation, starts  # a checkpoint has them
        agreement = _agreement(learner)
        for _ in range(config.n_epochs):
            _fit(learner)
        told(steps + rollout, agreement)
        if stop.is_set() and steps + rollout < config.steps:
            return False
    learner.league.forget()
    return True


def _fill(
    learner: Learner, teacher: Agent, observation: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A rollout of the teacher's decisions into the model's buffer; returns the next observation and starts."""
    model, env, buffer = learner.model, learner.env, learner.model.rollout_buffer
    every = np.arange(env.num_envs)
    unused = torch.zeros(env.num_envs)  # log-probabilities: imitation needs none
    buffer.reset()
    for _ in range(model.n_steps):
        with torch.no_grad():
            values = model.policy.predict_values(obs_as_tensor(observation, model.device))
        masks = env.action_masks().copy()
        actions = env.sight.shown(env.batch.games, teacher.act(env.batch.views(every)))
        env.step_async(actions)
        after, rewards, dones, _ = env.step_wait()
        buffer.add(observation, actions, rewards, starts, values, unused, action_masks=masks)
        observation, starts = after, dones
    with torch.no_grad():
        values = model.policy.predict_values(obs_as_tensor(observation, model.device))
    buffer.compute_returns_and_advantage(last_values=values, dones=starts)
    return observation, starts


def _agreement(learner: Learner) -> float:
    """How often the net's likeliest action is the teacher's, in the rollout's last step."""
    buffer = learner.model.rollout_buffer
    chosen, _ = learner.model.predict(buffer.observations[-1], deterministic=True, action_masks=buffer.action_masks[-1])
    return float((chosen == buffer.actions[-1, :, 0]).mean())


def _fit(learner: Learner) -> None:
    """One pass over the rollout."""
    model = learner.model
    model.policy.set_training_mode(True)
    for data in model.rollout_buffer.get(model.batch_size):
        values, log_prob, _ = model.policy.evaluate_actions(
            data.observations, data.actions.long().flatten(), action_masks=data.action_masks
        )
        loss = -log_prob.mean() + model.vf_coef * functional.mse_loss(values.flatten(), data.returns)
        model.policy.optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.policy.parameters(), model.max_grad_norm)
        model.policy.optimizer.step()
