"""TriATri: what always holds, however oddly the seats play, and worlds guessed by what a seat knows."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers import CHOOSERS, OPTIONS, PLAIN, positions, walk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from permute import unused_cards
from triatri_table import GAME

from tritarea_env.engine import loops
from tritarea_env.games.triatri.rules import DECKS, IMITATION

pytestmark = pytest.mark.kernel

# which phases may follow a phase within a deal; a deal's last decision leads to the next one's bids, or to the end
FOLLOWS = {"bid": {"bid", "prize"}, "prize": {"play"}, "play": {"play", "prize"}}


def check_gems(p):
    """Six of each colour; nobody has two of each, no colour has run out, while the game goes on."""
    prize = [int(p["prize"] == colour) for colour in range(3)]
    assert np.add(p["supply"], np.sum(p["gems"], axis=0) + prize).tolist() == [6, 6, 6]
    assert min(p["supply"]) >= 0 <= np.min(p["gems"])
    if p["phase"] != "end":
        assert all(left > 0 or p["prize"] == colour for colour, left in enumerate(p["supply"]))
        assert all(min(gems) < 2 for gems in p["gems"])


def check_cards(p):
    """Every card lies in one place; the table holds what was played, swapped."""
    players = p["players"]
    assert len(unused_cards(p)) == {2: 5, 3: 1, 4: 0}[players]
    shown = [card for key in ("bids", "played") for card in p[key] if card is not None]
    shown += [card for key in ("hands", "past") for cards in p[key] for card in cards]
    assert not Counter(shown) - Counter(DECKS[players])
    for s in range(players):
        own = len(p["past"][s]) + (p["bids"][s] is not None) + (p["played"][s] is not None)
        assert len(p["hands"][s]) + own == 6
        assert p["hands"][s] == sorted(p["hands"][s])
        assert all(card // 7 not in p["voids"][s] for card in p["hands"][s])
    lying = [entry[0] for entry in p["table"] if entry is not None]
    assert sorted(lying) == sorted(card for card in p["played"] if card is not None)
    assert all((entry[0] == IMITATION) == (entry[1] == 0) for entry in p["table"] if entry is not None)


def check_order(before, p):
    """One decision leads from the position ``before`` to ``p``."""
    if p["phase"] == "end":
        assert before["phase"] == "play"
        assert (p["trick"], p["round"]) == (before["trick"], before["round"])
        return
    if p["phase"] == "bid" and p["seat"] == 0:  # a deal
        repeat = before["phase"] == "bid"
        assert p["round"] - before["round"] == (0 if repeat else 1)
        assert (before["phase"], before["trick"]) in {("bid", 0), ("play", 5)}
        assert not repeat or p["players"] < 4
        return
    assert p["round"] == before["round"]
    assert p["phase"] in FOLLOWS[before["phase"]]
    assert p["trick"] - before["trick"] == (p["phase"] == "prize")
    if p["phase"] == before["phase"]:
        assert p["seat"] == (before["seat"] + 1) % p["players"]
    elif p["phase"] == "play":
        assert p["seat"] == before["seat"] == p["starter"]
    else:
        assert p["seat"] == p["starter"]


@settings(max_examples=6 if PLAIN else 60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), options=st.sampled_from(OPTIONS["triatri"]), choose=st.sampled_from(CHOOSERS))
def test_whatever_is_played(seed, options, choose):
    before, decisions = None, 0
    for state, legal in walk("triatri", options, seed, choose):
        g, p = state[0], GAME.to_position(state[0])
        over = p["phase"] == "end"
        check_gems(p)
        check_cards(p)
        assert (len(legal) == 0) == over == bool(g.done) == (p["seat"] is None)
        assert g.decision == decisions
        assert len(p["scores"]) == (p["players"] if over else 0)
        assert g.points.any() <= over
        if before is not None:
            check_order(before, p)
            ended = over or (p["phase"] == "bid" and p["seat"] == 0 and before["phase"] == "play")
            assert g.round_ended == ended
        before, decisions = p, decisions + 1
    assert g.points.sum(axis=1)[: p["players"]].tolist() == p["scores"]
    ran_out, special = min(p["supply"]) == 0, [min(gems) >= 2 for gems in p["gems"]]
    assert ran_out or any(special) or (p["round"], p["trick"]) == (3, 5)
    assert [score == 100 for score in p["scores"]] == special


# ---------------------------------------------------------------------------------------- worlds


def guesses_of(state, seat, number, first=0):
    """(number,) records: guesses of what ``seat`` cannot see."""
    guesses = np.repeat(state, number).view(np.recarray)
    seeds = np.arange(first, first + number).astype(np.uint64)
    loops.determinize_games(guesses, np.arange(number), np.full(number, seat), seeds)
    return guesses


def pool_of(p, seat):
    """The cards that ``seat`` cannot see."""
    pool = unused_cards(p) + [card for s, hand in enumerate(p["hands"]) if s != seat for card in hand]
    if p["phase"] == "bid":
        pool += [card for s, card in enumerate(p["bids"]) if s != seat and card is not None]
    return sorted(pool)


def fitting_worlds(p, seat):
    """Every deal of the unseen cards that the shown voids allow: hands by seat, and in how many ways.

    Imitations are distinct cards: a world that two of them make by changing places counts twice. The second
    result is how likely a world would be if one seat after the other drew from the cards that it may hold.
    """
    pool = pool_of(p, seat)
    seats = [s for s in range(p["players"]) if s != seat]
    worlds, naive = Counter(), Counter()

    def give(place, left, hands, chance):
        if place == len(seats):
            world = tuple(hands[s] for s in sorted(hands))
            worlds[world] += 1
            naive[world] += chance
            return
        s = seats[place]
        allowed = [i for i in left if pool[i] // 7 not in p["voids"][s]]
        ways = math.comb(len(allowed), len(p["hands"][s]))
        for own in itertools.combinations(allowed, len(p["hands"][s])):
            rest = [i for i in left if i not in own]
            give(place + 1, rest, {**hands, s: tuple(pool[i] for i in own)}, chance / ways)

    give(0, list(range(len(pool))), {seat: tuple(p["hands"][seat])}, 1.0)
    return worlds, naive


def test_worlds_are_counted_right():
    p = {"players": 3, "phase": "prize", "bids": [], "played": [], "past": [], "hands": [[0], [IMITATION], [1]]}
    p["voids"] = [[], [0], []]
    seen = [card for card in DECKS[3] if card not in (0, 1, 7, IMITATION)]
    worlds, _ = fitting_worlds({**p, "past": [seen]}, 0)
    assert worlds == {((0,), (7,), (1,)): 1, ((0,), (7,), (21,)): 1, ((0,), (21,), (1,)): 1, ((0,), (21,), (7,)): 1}


def bias_of(worlds, naive):
    """How far naive dealing is from an even one: chi-squared over the number of deals."""
    total, drawn = worlds.total(), sum(naive.values())
    return sum((naive[w] / drawn - many / total) ** 2 / (many / total) for w, many in worlds.items())


CASES = [  # players, phase, voids shown by other seats, at least so many seats with some, imitations unseen
    (2, "prize", 1, 1, 0),
    (2, "play", 1, 1, 2),
    (3, "prize", 2, 2, 1),
    (3, "play", 2, 2, 0),
    (4, "prize", 3, 2, 2),
    (4, "prize", 3, 3, 0),
    (4, "play", 2, 2, 1),
]


def walks(players):
    """Every position of many games."""
    return (pair for seed in range(3000) for pair in walk("triatri", {"players": players}, seed))


def late_position(players, phase, voids, voided, imitations):
    """The first position found with shown voids, seen from a seat that cannot see so many imitations."""
    for state, _ in walks(players):
        p = GAME.to_position(state[0])
        if p["phase"] != phase or p["trick"] not in (3, 4):
            continue
        for seat in range(players):
            shown = [len(own) for s, own in enumerate(p["voids"]) if s != seat]
            if sum(shown) < voids or sum(map(bool, shown)) < voided or len(pool_of(p, seat)) > 9:
                continue
            if pool_of(p, seat).count(IMITATION) != imitations:
                continue
            worlds, naive = fitting_worlds(p, seat)
            if 6 <= len(worlds) <= 150 and (players == 2 or bias_of(worlds, naive) > 0.1):
                return state, seat, worlds, naive
    raise AssertionError("no such position")


def check_even(seen, weights):
    """Chi-squared against weights in proportion."""
    n, total = seen.total(), weights.total()
    expected = {key: n * many / total for key, many in weights.items()}
    chi_squared = sum((seen[key] - number) ** 2 / number for key, number in expected.items())
    degrees = len(weights) - 1
    assert chi_squared < degrees + 5 * np.sqrt(2 * degrees)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_determinize_reaches_every_fitting_world_equally_often(case):
    """Hands, and so which cards are unused; and no other world."""
    state, seat, worlds, _ = late_position(*case)
    guesses = guesses_of(state, seat, (12 if PLAIN else 120) * len(worlds))
    seen = Counter(tuple(tuple(hand) for hand in GAME.to_position(g)["hands"]) for g in guesses)
    assert not set(seen) - set(worlds), "worlds that do not fit"
    assert PLAIN or not set(worlds) - set(seen), "worlds that are never guessed"
    check_even(seen, worlds)


def places_of(worlds):
    """How often each card lies with each seat."""
    places = Counter()
    for world, many in worlds.items():
        for s, hand in enumerate(world):
            for card in hand:
                places[s, card] += many
    return places


@pytest.mark.parametrize("colour", [0, 1, 2])
def test_determinize_is_even_early_too_where_seats_may_hold_many_cards(colour):
    """Trick 2, 12 unseen cards: too many worlds to meet each, so where each card lies is counted."""
    for state, _ in walks(4):
        p = GAME.to_position(state[0])
        if (p["phase"], p["trick"]) == ("prize", 2) and p["voids"][1:] == [[], [colour], []]:
            break
    worlds, naive = fitting_worlds(p, 0)
    even, drawn = places_of(worlds), sum(naive.values())
    bias = sum(abs(many / drawn - even[place] / worlds.total()) for place, many in places_of(naive).items())
    assert bias > 0.5, "naive dealing is off"
    guesses = guesses_of(state, 0, 200 if PLAIN else 4000)
    seen = Counter(tuple(tuple(hand) for hand in GAME.to_position(g)["hands"]) for g in guesses)
    assert not set(seen) - set(worlds)
    check_even(places_of(seen), even)


def test_two_imitations_make_a_world_twice():
    p = {"players": 2, "phase": "prize", "hands": [[0], [IMITATION]], "voids": [[], [0]], "bids": [], "played": []}
    p["past"] = [[card for card in DECKS[2] if card not in (0, 1, 7, IMITATION)]]
    worlds, _ = fitting_worlds(p, 0)  # red 3 is barred, blue 2 may be held
    assert worlds == {((0,), (7,)): 1, ((0,), (IMITATION,)): 2}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_card_that_may_be_a_hidden_bid_is_guessed(players):
    """The last seat is to bid; every card that it cannot see may be any other seat's bid, all equally likely."""
    for state, _ in walk("triatri", {"players": players}, 5):
        if state.seat[0] == players - 1:
            break
    seat = players - 1
    pool = Counter(pool_of(GAME.to_position(state[0]), seat))
    number = 40 if PLAIN else 2000
    guesses = guesses_of(state, seat, number)
    for s in range(seat):
        seen = Counter(guesses.bids[:, s].tolist())
        assert not set(seen) - set(pool)
        assert PLAIN or not set(pool) - set(seen)
        check_even(seen, pool)
        held = Counter(card for g in guesses for card in GAME.to_position(g)["hands"][s])
        check_even(held, pool)


def test_hidden_bids_are_guessed_independently():
    """Every pair of unseen cards is as likely as any other."""
    state = next(state.copy() for state, _ in walk("triatri", {"players": 3}, 5) if state.seat[0] == 2)
    pool = pool_of(GAME.to_position(state[0]), 2)
    pairs = Counter(itertools.permutations(pool, 2))
    guesses = guesses_of(state, 2, (6 if PLAIN else 40) * len(pairs))
    seen = Counter(zip(guesses.bids[:, 0].tolist(), guesses.bids[:, 1].tolist(), strict=True))
    assert not set(seen) - set(pairs)
    check_even(seen, pairs)


def test_a_seat_that_has_not_bid_has_no_bid_guessed():
    state = next(state.copy() for state, _ in walk("triatri", {}, 5) if state.seat[0] == 2)
    for seat in range(4):
        for g in guesses_of(state, seat, 20):
            p = GAME.to_position(g)
            assert [card is None for card in p["bids"]] == [False, False, True, True]
            assert [len(hand) for hand in p["hands"]] == [5, 5, 6, 6]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_guess_agrees_with_all_that_the_seat_knows(players):
    """Shown voids included: nobody is dealt a card of a colour that it has shown not to hold."""
    shown = 0
    for number, state in enumerate(positions("triatri", 12 if PLAIN else 120, {"players": players})):
        here = GAME.to_position(state[0])
        for seat in range(players):
            for g in guesses_of(state, seat, 1 if PLAIN else 3, first=1000 * number):
                guess = GAME.to_position(g)
                assert GAME.to_position(g, seat) == GAME.to_position(state[0], seat)
                check_cards(guess)
                GAME.from_position(g.copy(), guess, np.uint64(0))
                shown += sum(bool(own) and guess != here for own in here["voids"])
    assert shown > 0


def test_deals_to_come_are_guessed_anew():
    state = next(state.copy() for state, _ in walk("triatri", {"players": 3}, 5) if state.phase[0] == 2)
    n = 50 if PLAIN else 1000
    guesses = guesses_of(state, 0, n)
    assert len({str(GAME.later_of(g)) for g in guesses}) == n
    assert len(set(guesses.stream.tolist())) == n
