"""Compiled foundations that every game shares: compilation, random streams, the game protocol, loops over many games."""
