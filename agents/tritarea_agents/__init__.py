"""Agents: who decides. ``make`` finds one by its spec."""

from .base import Agent, OneByOne, SimpleAgent, Undecided, Views
from .registry import make

__all__ = ["Agent", "OneByOne", "SimpleAgent", "Undecided", "Views", "make"]
