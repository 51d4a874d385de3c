"""Agents: who decides. ``make`` finds one by its spec."""

from .base import Agent, OneByOne, SimpleAgent, Views
from .registry import make

__all__ = ["Agent", "OneByOne", "SimpleAgent", "Views", "make"]
