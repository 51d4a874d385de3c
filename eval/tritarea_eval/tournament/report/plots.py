"""What the plots of a report show; how they look on paper and screen is ``drawing``'s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .drawing import COLOURS, FAINT, HATCHES, INK, MARKS, STROKES, WIDTH, Draw, ink_on, quiet, short, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.24  # inches, of a line of text with room around it
CELL = 0.46  # inches, of a heat map's cell
MOST_WRITTEN = 40  # rows of a heat map whose cells have room for numbers
LEADER = {"arrowstyle": "-", "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0, "linewidth": 0.8}

Floats = NDArray[np.float64]


class Plot(NamedTuple):
    """A drawing with its size in inches, the name of its files, and what it shows in words."""

    name: str
    draw: Draw
    size: tuple[float, float]
    told: str


def labels(names: Sequence[str]) -> list[str]:
    """Names in the order of the ranking, each with its rank, by which plots and tables name it."""
    return [f"{rank} {short(name)}" for rank, name in enumerate(names, 1)]


def intervals(
    name: str, told: str, names: Sequence[str], centre: Floats, low: Floats, high: Floats, along: str, even: float
) -> Plot:
    """A row for each agent: a value (K,) and its interval (NaN: it has none), beside a line for what is even.

    Of whom only one end is known, an arrow goes from there on, and the value is hollow.
    """

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        rows = np.arange(len(names))[::-1]
        axes.axvline(even, color=INK, linewidth=0.8, linestyle=":")
        axes.hlines(rows, low, high, color=COLOURS[0], linewidth=2.5)
        every = np.concatenate([centre, low, high])
        room = 0.05 * float(np.nanmax(every) - np.nanmin(every))
        known = np.isfinite(low) == np.isfinite(high)
        for end, beyond, head in ((high, centre - room, "<"), (low, centre + room, ">")):
            some = ~known & np.isfinite(end)
            axes.hlines(rows[some], end[some], beyond[some], color=COLOURS[0], linewidth=1.2)
            axes.plot(beyond[some], rows[some], head, color=COLOURS[0], markersize=5)
            axes.plot(end[some], rows[some], "|", color=COLOURS[0], markersize=9, markeredgewidth=2)
        axes.plot(centre[known], rows[known], "o", color=COLOURS[0], markeredgecolor=INK, markeredgewidth=0.7)
        axes.plot(centre[~known], rows[~known], "o", color="white", markeredgecolor=INK, markeredgewidth=0.7)
        _rows(axes, labels(names), rows)
        axes.set_xlabel(along)
        axes.margins(x=0.08)
        quiet(axes)

    return Plot(name, draw, (WIDTH, 0.7 + ROW * len(names)), told)


def _rows(axes: Any, texts: Sequence[str], rows: NDArray[np.int64]) -> None:
    axes.set_yticks(rows, texts)
    axes.set_ylim(rows.min() - 0.6, rows.max() + 0.6)
    axes.spines["left"].set_visible(False)


def heat(name: str, told: str, names: Sequence[str], values: Floats, middle: float, reach: float, form: str) -> Plot:
    """A square for each pair (K, K): the row's agent against the column's; NaN where they never met.

    Colours go from orange, below ``middle``, over white to violet, at most ``reach`` away; the number is there as well.
    """
    count = len(names)
    written = count <= MOST_WRITTEN

    def draw(figure: Figure) -> None:
        import matplotlib

        figure.set_layout_engine("compressed")  # its squares are squares
        axes = figure.subplots()
        colours = matplotlib.colormaps["PuOr"]
        near = max(reach, 1e-9)
        for i, j in np.argwhere(np.isfinite(values)):
            shade = colours(float(np.clip(0.5 + (values[i, j] - middle) / near / 2, 0, 1)))
            axes.add_patch(_square(j, i, shade))
            if written:
                text = format(values[i, j], form).replace("-", "−")
                axes.text(j, i, text, ha="center", va="center", fontsize=7.5, color=ink_on(*shade[:3]))
        for i, j in np.argwhere(~np.isfinite(values)):
            axes.text(j, i, "·", ha="center", va="center", color=FAINT)
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_yticks(range(count), labels(names))
        axes.set_xticks(range(count), [str(rank) for rank in range(1, count + 1)])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)

    side = CELL * count
    return Plot(name, draw, (max(WIDTH, 2.3 + side), 0.5 + max(side, 2 * CELL)), told)


def _square(column: int, row: int, colour: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, facecolor=colour, edgecolor=FAINT, linewidth=0.5)


def seats(
    name: str,
    told: str,
    rows: Sequence[str],
    held: Sequence[int],
    shares: Floats,
    low: Floats,
    high: Floats,
    even: float,
) -> Plot:
    """Win share by seat: in each row (R, len(held)) a mark for each of the seats, with its interval (NaN: none)."""
    count = len(held)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        places = np.arange(len(rows))[::-1]
        axes.axvline(even, color=INK, linewidth=0.8, linestyle=":")
        for i, seat in enumerate(held):
            apart = 0.62 * (0.5 - (i + 0.5) / count)
            colour = COLOURS[seat % len(COLOURS)]
            axes.hlines(places + apart, low[:, i], high[:, i], color=colour, linewidth=1.4)
            axes.plot(
                shares[:, i], places + apart, MARKS[seat % len(MARKS)], color=colour, markersize=5.5,
                markeredgecolor=INK, markeredgewidth=0.6, label=f"seat {seat}",
            )  # fmt: skip
        _rows(axes, rows, places)
        axes.set_xlabel("share of the wins in that seat")
        quiet(axes)
        figure.legend(loc="outside upper center", ncols=count, frameon=False)

    return Plot(name, draw, (WIDTH, 1.0 + 0.5 * len(rows)), told)


def stacked(name: str, told: str, rows: Sequence[str], parts: Sequence[str], values: Floats, along: str) -> Plot:
    """Bars (R,) made of parts (R, C), each with a colour and a pattern; what is negative goes to the left."""
    shown = [c for c in range(len(parts)) if np.abs(values[:, c]).max(initial=0) > 0]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        places = np.arange(len(rows))[::-1]
        right, left = np.zeros(len(rows)), np.zeros(len(rows))
        for c in shown:
            begin = np.where(values[:, c] >= 0, right, left)
            axes.barh(
                places, values[:, c], left=begin, height=0.66, color=COLOURS[c % len(COLOURS)],
                hatch=HATCHES[c % len(HATCHES)], edgecolor=INK, linewidth=0.6, label=parts[c],
            )  # fmt: skip
            right, left = right + np.maximum(values[:, c], 0), left + np.minimum(values[:, c], 0)
        axes.axvline(0, color=INK, linewidth=0.8)
        _rows(axes, rows, places)
        axes.set_xlabel(along)
        quiet(axes)
        if shown:
            figure.legend(loc="outside upper center", ncols=min(4, len(shown)), frameon=False, handleheight=1.2)

    lines = -(-len(shown) // 4)
    return Plot(name, draw, (WIDTH, 0.75 + ROW * lines + 0.3 * len(rows)), told)


def growth(
    name: str, told: str, names: Sequence[str], games: NDArray[np.int64], values: Floats, low: Floats, high: Floats
) -> Plot:
    """Ratings (P, K) after the first ``games`` (P,), a line for each agent; at its end the interval (NaN: none)."""
    tall = max(3.0, 0.8 + 0.2 * len(names))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for k in range(len(names)):
            stroke, colour = STROKES[k // len(COLOURS) % len(STROKES)], COLOURS[k % len(COLOURS)]
            mark = MARKS[k % len(MARKS)]
            axes.plot(games, values[:, k], stroke, color=colour, marker=mark, markersize=4, linewidth=1.4)
            axes.vlines(games[-1], low[k], high[k], color=colour, linewidth=2)
        axes.set_xlim(0, games[-1] * 1.04)
        axes.set_xticks(*_few_ticks(games))
        axes.set_xlabel("games played")
        axes.set_ylabel("rating")
        quiet(axes, "y")
        _name_lines(axes, labels([short(name, 16) for name in names]), values[-1], tall)

    return Plot(name, draw, (WIDTH, tall), told)


def _few_ticks(games: NDArray[np.int64]) -> tuple[list[int], list[str]]:
    """At most five of the places, the last one in any case, with their texts."""
    step = max(1, -(-len(games) // 5))
    kept = [int(n) for n in games[::-1][::step][::-1]]
    return kept, [f"{n:,}" for n in kept]


def _name_lines(axes: Any, texts: Sequence[str], ends: Floats, tall: float) -> None:
    """A label beside the end of each line, none over another."""
    bottom, top = axes.get_ylim()
    apart = (top - bottom) * 0.16 / (tall - 0.7)
    places = spread([float(end) for end in ends], apart)
    axes.set_ylim(min(bottom, min(places) - apart), max(top, max(places) + apart))
    for k, (text, end, place) in enumerate(zip(texts, ends, places, strict=True)):
        axes.annotate(
            text, (1.0, end), (1.05, place), xycoords=("axes fraction", "data"), va="center", annotation_clip=False,
            fontsize=8, arrowprops={**LEADER, "color": COLOURS[k % len(COLOURS)]},
        )  # fmt: skip
