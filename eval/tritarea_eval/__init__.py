"""Matches: who is stronger, and how sure that is. ``cli`` is the command line."""
