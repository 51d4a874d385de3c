"""TriATri (OR-U, 2021): two to four seats, three rounds of five tricks; must follow, a prize of one gem a trick."""

from types import MappingProxyType

from ...engine.protocol import register
from ..base import Game
from . import deals, drawing, information, kernel, observation, position, rules, settlement, setup

register(rules.GAME, deals, kernel, observation, information, settlement)

DEFINITION = Game(
    name="triatri",
    title="TriATri",
    version=0,
    dtype=rules.GAME,
    action_names=rules.ACTION_NAMES,
    phases=rules.PHASES,
    fields=observation.FIELDS,
    state_fields=observation.STATE_FIELDS,
    groups=observation.GROUPS,
    sources=rules.SOURCES,
    rewards=("outcome", "score"),
    default_options=MappingProxyType(rules.DEFAULTS_OF_OPTIONS),
    check_options=rules.check_options,
    sides=rules.sides,
    in_header=("players",),
    configure=rules.configure,
    set_start=position.set_start,
    set_later=position.set_later,
    later_of=position.later_of,
    deals_of=position.deals_of,
    feed=position.feed,
    to_position=position.to_position,
    from_position=setup.from_position,
    draw_text=drawing.draw_text,
)
