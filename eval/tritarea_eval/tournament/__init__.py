"""Tournaments: any number of agents, balanced tables, every deal in all seats, one file that can be trusted."""
