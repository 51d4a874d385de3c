"""The expert: rules of thumb that a good human plays by, one module a game, named like the game."""
