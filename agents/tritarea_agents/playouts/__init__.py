"""Fast policies for playouts of a search that knows all cards, one module a game, named like the game."""
