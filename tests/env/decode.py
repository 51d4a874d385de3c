"""An observation read back to facts, and the same facts taken from the position that the seat sees."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritarea_env import games
from tritarea_env.games.tritarea.rules import PHASES

Facts = dict[str, Any]


def _which(flags: np.ndarray) -> int | None:
    on = np.flatnonzero(flags)
    assert len(on) <= 1
    return int(on[0]) if len(on) else None


def decode_tritarea(integers: np.ndarray) -> Facts:
    """Facts from the observation as integers (d,), seats relative to the observer."""
    o = games.get("tritarea").unflatten(integers)
    height = o["height"].ravel().tolist()
    lowest, top = o["lowest"].reshape(16, 3, 4), o["top"].reshape(16, 3, 4)
    first = o["first"].reshape(16, 4)
    return {
        "hand": np.flatnonzero(o["hand"]).tolist(),
        "seen": [sorted(np.flatnonzero(o["seen"][:, r]).tolist()) for r in range(4)],
        "trick": sorted(np.flatnonzero(o["trick"]).tolist()),
        "declared": [_which(o["declared"][:, r]) for r in range(4)],
        "area": [_which(row) for row in o["area"].reshape(16, 4)],
        "bonus": o["bonus"].ravel().tolist(),
        "height": height,
        "lowest": [[_which(lowest[q, i]) for i in range(min(3, height[q]))] for q in range(16)],
        "top": [[_which(top[q, i]) for i in range(min(3, height[q]))] for q in range(16)],
        "count": o["count"].reshape(16, 4).tolist(),
        "order": [sorted(np.flatnonzero(first[q]).tolist(), key=lambda r: -int(first[q, r])) for q in range(16)],
        "built": _which(o["built"].ravel()),
        "scores": o["scores"].tolist(),
        "blocks": o["blocks"].tolist(),
        "sold": o["sold"].tolist(),
        "ranks": o["rank"].tolist(),
        "leader": _which(o["leader"]),
        "start_player": _which(o["start_player"]),
        "seat": _which(o["to_move"]),
        "rightholders": [_which(o["rightholder_1"]), _which(o["rightholder_2"])],
        "adopted": _which(o["adopted"]),
        "round": _which(o["round"]) + 1,
        "trick_number": _which(o["trick_number"]),
        "phase": PHASES[_which(o["phase"])],
    }


def facts_tritarea(position: dict[str, Any], options: dict[str, Any], seat: int) -> Facts:
    """The same facts from the position as ``seat`` sees it; written from the rules, not from the kernel."""
    from tritarea_env.games.tritarea.rules import check_board

    def turn(values: list[Any]) -> list[Any]:
        return [values[(seat + r) % 4] for r in range(4)]

    def relative(s: int | None) -> int | None:
        return None if s is None else (s - seat) % 4

    p, board = position, check_board(options["board"])
    stacks = [[relative(owner) for owner in stack] for stack in p["stacks"]]
    declared = turn(p["declared"])
    if p["phase"] == "five_settle" and p["round"] == 2:
        declared = [hand[0] for hand in turn(p["hands"])]
    played = turn(p["played"])
    return {
        "hand": p["hands"][seat],
        "seen": [
            sorted([*past, *([now] if now is not None else [])])
            for past, now in zip(turn(p["past"]), played, strict=True)
        ],
        "trick": sorted(card for card in played if card is not None),
        "declared": declared,
        "area": list(board["areas"]),
        "bonus": list(board["bonus"]),
        "height": [len(stack) for stack in stacks],
        "lowest": [stack[:3] for stack in stacks],
        "top": [stack[::-1][:3] for stack in stacks],
        "count": [[stack.count(r) for r in range(4)] for stack in stacks],
        "order": [list(dict.fromkeys(stack)) for stack in stacks],
        "built": p["built"],
        "scores": turn(p["scores"]),
        "blocks": turn(p["blocks"]),
        "sold": turn(p["sold"]),
        "ranks": [rank or 0 for rank in turn(p["ranks"])],
        "leader": relative(p["leader"]),
        "start_player": relative(p["start_player"]),
        "seat": relative(p["seat"]),
        "rightholders": [relative(s) for s in p["rightholders"]],
        "adopted": p["adopted"],
        "round": p["round"],
        "trick_number": p["trick"],
        "phase": p["phase"],
    }


def decode_triatri(integers: np.ndarray) -> Facts:
    """Facts from the observation of TriATri as integers (d,), four places relative to the observer."""
    o = games.get("triatri").unflatten(integers)
    places = range(4)

    def card(numbers: np.ndarray, imitation: Any) -> int | None:
        found = _which(numbers)
        assert found is None or not imitation
        return 21 if imitation else found

    def lying(r: int) -> list[int] | None:
        numbers = o["lying"][:, r]
        if o["has_played"][r]:
            return [card(numbers, not numbers.any()), int(o["value"][r])]
        assert not numbers.any()
        assert not o["value"][r]
        return None

    def seen(r: int) -> list[tuple[int, int]]:
        numbers = [(int(o["when"][c]), int(c)) for c in np.flatnonzero(o["seen"][:, r])]
        return sorted(numbers + [(int(t) + 1, 21) for t in np.flatnonzero(o["imitations"][:, r])])

    return {
        "hand": np.flatnonzero(o["hand"]).tolist() + [21] * int(o["hand_imitations"][0]),
        "seen": [seen(r) for r in places],
        "table": [lying(r) for r in places],
        "bids": [card(o["bids"][:, r], o["bid_imitation"][r]) for r in places],
        "voids": [np.flatnonzero(o["voids"][:, r]).tolist() for r in places],
        "gems": o["gems"].T.tolist(),
        "supply": o["supply"].tolist(),
        "prize": _which(o["prize"]),
        "starter": _which(o["starter"]),
        "seat": _which(o["to_move"]),
        "seat_0": _which(o["bids_first"]),
        "round": _which(o["round"]) + 1,
        "trick": _which(o["trick"]),
        "phase": ("bid", "prize", "play", "end")[_which(o["phase"])],
        "players": _which(o["players"]) + 2,
        "unseen cards have no trick": bool((o["when"][o["seen"].sum(axis=1) == 0] == 0).all()),
    }


def facts_triatri(position: dict[str, Any], options: dict[str, Any], seat: int) -> Facts:
    """The same facts from the position as ``seat`` sees it; places that nobody holds show nothing."""
    p, players = position, options["players"]

    def turn(values: list[Any], nothing: Any) -> list[Any]:
        return [values[(seat + r) % players] for r in range(players)] + [nothing] * (4 - players)

    def relative(s: int | None) -> int | None:
        return None if s is None else (s - seat) % players

    def seen(s: int) -> list[tuple[int, int]]:
        now = [] if p["played"][s] is None else [(p["trick"], p["played"][s])]
        return sorted([*((t + 1, card) for t, card in enumerate(p["past"][s])), *now])

    return {
        "hand": p["hands"][seat],
        "seen": turn([seen(s) for s in range(players)], []),
        "table": turn(p["table"], None),
        "bids": turn(p["bids"], None),
        "voids": turn(p["voids"], []),
        "gems": turn(p["gems"], [0, 0, 0]),
        "supply": p["supply"],
        "prize": p["prize"],
        "starter": relative(p["starter"]),
        "seat": relative(p["seat"]),
        "seat_0": relative(0),
        "round": p["round"],
        "trick": p["trick"],
        "phase": p["phase"],
        "players": players,
        "unseen cards have no trick": True,
    }


DECODE = {"tritarea": (decode_tritarea, facts_tritarea), "triatri": (decode_triatri, facts_triatri)}
