"""Compiled foundations that every game shares: compilation, random streams, game protocol, loops over games."""
