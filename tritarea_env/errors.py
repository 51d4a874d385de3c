"""Errors that this package raises about what a caller gave it."""


class IllegalActionError(ValueError):
    """An action that is not legal now. Nothing was stepped."""


class PositionError(ValueError):
    """A position that no game can be in, or that is not of this game."""


class RecordError(ValueError):
    """A record that is malformed, or that does not replay. Names the first thing that does not fit."""
