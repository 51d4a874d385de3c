"""Drawings for light and dark pages: one figure, as files to keep and as SVG inside a page's text."""

from __future__ import annotations

import html
import io
import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritarea_train.curves import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, PAPER = "#1b1b1d", "#b4b4ba", "#fdfdfe"  # on a page: its own colours, see ``inline``
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c92")  # Okabe and Ito
HATCHES = ("", "////", "||||", "\\\\\\\\", "xxxx", "----", "++++", "//")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
STROKES = ("-", "--", "-.", ":")
WIDTH = 5.2  # inches: its text is readable on a screen of 400 pixels
DOTS = 144  # of a PNG, an inch
SALT = "tritarea"  # else every drawing would name its parts anew

Draw = Callable[["Figure"], None]
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,  # an agent's name may hold dollars
    "axes.unicode_minus": True,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": "auto",
    "hatch.linewidth": 0.6,
    "hatch.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def save(draw: Draw, size: tuple[float, float], path: Path) -> list[Path]:
    """Draw ``path`` as PNG and SVG; returns the files. Equal drawings give equal bytes."""
    written = []
    for kind in ("png", "svg"):
        target = path.with_name(f"{path.name}.{kind}")
        draft = target.with_name(f".{target.name}")
        draft.write_bytes(_drawn(draw, size, kind, path.name))
        written.append(draft.replace(target))
    return written


def inline(draw: Draw, size: tuple[float, float], name: str, told: str) -> str:
    """The drawing as an element of a page, whose colours it takes.

    Args:
        name: tells its parts from those of the page's other drawings.
        told: what it shows, for those who cannot see it.
    """
    text = _drawn(draw, size, "svg", name).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text, count=2)
    text = re.sub(r'<g id="[^"]*"', "<g", text)  # no two elements of a page may have one name
    text = text.replace("xlink:href", "href")
    for colour, own in ((INK, "currentColor"), (FAINT, "var(--faint)"), (PAPER, "none")):
        text = re.sub(rf'(["\s:]){colour}(?=[";])', rf"\g<1>{own}", text)
    wide = 72 * size[0]
    style = f"min-width:{0.96 * wide:.0f}px;max-width:{1.6 * wide:.0f}px"
    return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(told)}" style="{style}"', 1)


def _drawn(draw: Draw, size: tuple[float, float], kind: str, name: str) -> bytes:
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": f"{SALT} {name}"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Glyph.*missing")  # a name in any script
        figure = Figure(figsize=size, layout="constrained", dpi=DOTS)
        draw(figure)
        figure.savefig(out, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return out.getvalue()


def short(name: str, room: int = 24) -> str:
    """A name without its middle, if it is long: a run's folder says most at its ends."""
    if len(name) <= room:
        return name
    head = (room - 1) // 3
    return f"{name[:head]}…{name[len(name) - (room - 1 - head) :]}"


def spread(places: list[float], apart: float) -> list[float]:
    """The same places, moved as little as needed to be ``apart``: for labels beside lines.

    Neighbours too close are merged into blocks, each of which stands around the mean of its members.
    """
    blocks: list[list[float]] = []  # [sum of places less their offsets, members]
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    for rank, i in enumerate(order):
        blocks.append([places[i] - rank * apart, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, members = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += members
    found = [total / members for total, members in blocks for _ in range(int(members))]
    moved = [0.0] * len(places)
    for rank, i in enumerate(order):
        moved[i] = found[rank] + rank * apart
    return moved


def quiet(axes: Any, along: str = "x") -> None:
    """Faint lines behind the data, no marks at the axes."""
    axes.grid(axis=along, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)


def ink_on(red: float, green: float, blue: float) -> str:
    """Black or white, whichever is read better on a colour (sRGB, 0 … 1)."""
    linear = [c / 12.92 if c <= 0.04045 else math.pow((c + 0.055) / 1.055, 2.4) for c in (red, green, blue)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000001" if light > 0.18 else "#fffffe"
