"""The greedy baseline, one module a game, named like the game."""
