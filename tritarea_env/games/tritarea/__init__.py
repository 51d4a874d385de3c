"""Tri*T*Area (iop games, 2022): four seats, three rounds; tricks win the right to build."""

from types import MappingProxyType

from ...engine.protocol import register
from ..base import Game
from . import actions, deals, drawing, information, kernel, observation, position, rules, settlement, setup

register(rules.GAME, deals, kernel, actions, observation, information, settlement)

DEFINITION = Game(
    name="tritarea",
    title="Tri*T*Area",
    version=0,
    dtype=rules.GAME,
    action_names=rules.ACTION_NAMES,
    phases=rules.PHASES,
    fields=observation.FIELDS,
    state_fields=observation.STATE_FIELDS,
    groups=observation.GROUPS,
    sources=rules.SOURCES,
    rewards=("outcome", "score", "score_delta"),
    default_options=MappingProxyType(rules.DEFAULTS_OF_OPTIONS),
    check_options=rules.check_options,
    sides=rules.sides,
    in_header=(),
    configure=rules.configure,
    set_start=position.set_start,
    set_later=position.set_later,
    later_of=position.later_of,
    deals_of=lambda g, first: first,
    feed=None,
    to_position=position.to_position,
    from_position=setup.from_position,
    draw_text=drawing.draw_text,
)
