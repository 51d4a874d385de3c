"""HTML without scripts and without a network: text is escaped here and nowhere else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from ...interval import Estimate

# Nothing may be loaded or run, whatever should slip through
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1d; --paper: #fdfdfe; --faint: #b4b4ba; --soft: #f1f1f4; --mark: #0072b2 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8ec; --paper: #16171a; --faint: #5c5d66; --soft: #212329; --mark: #6cbdf2 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--faint) }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }
p, li { max-width: 46rem }
a, summary { color: var(--mark) }
summary { cursor: pointer; margin: .75rem 0 }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0 }
figure { margin: .75rem 0; min-width: 0 }
figcaption { font-size: .875rem; max-width: 46rem }
.wide { overflow-x: auto }
.wide svg { display: block; width: 100%; height: auto }
.wide svg text { font-family: system-ui, sans-serif }
.side { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); gap: 0 2rem }
.side > * { min-width: 0 }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; margin: .5rem 0 }
caption { text-align: left; padding-bottom: .25rem }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--faint); vertical-align: top }
th { font-weight: 600 }
td { white-space: nowrap }
th { overflow-wrap: normal }
th:first-child, td:first-child, .text { text-align: left }
.text { min-width: 8rem; max-width: 30rem; white-space: normal }
tbody tr:nth-child(even) { background: var(--soft) }
pre, code { font: .875rem/1.45 ui-monospace, monospace }
td code { white-space: nowrap }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; overflow-wrap: normal }
.note { border-left: 4px solid var(--mark); padding-left: .75rem }
@media print { details > * { display: block } }
"""


class Markup(str):
    """HTML that is as it should be; any other text is escaped before it goes into a page."""


def escaped(text: object) -> str:
    """Text as HTML shows it; ``Markup`` as it is. Control characters, which HTML cannot hold, become �."""
    if isinstance(text, Markup):
        return text
    shown = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", str(text))
    return html.escape(shown)


def joined(parts: Iterable[object]) -> Markup:
    """One after the other, a line each."""
    return Markup("\n".join(map(escaped, parts)))


def element(tag: str, *parts: object, kind: str = "") -> Markup:
    """An element, of a class if one is given."""
    named = f' class="{html.escape(kind)}"' if kind else ""
    return Markup(f"<{tag}{named}>{''.join(map(escaped, parts))}</{tag}>")


def section(anchor: str, title: str, *parts: object) -> Markup:
    """A part of the page, with a name that links lead to."""
    head = f'<section id="{html.escape(anchor)}">\n{element("h2", title)}'
    return Markup(f"{head}\n{joined(parts)}\n</section>")


def table(
    heads: Sequence[str], rows: Sequence[Sequence[object]], text: Iterable[int] = (0,), caption: str = ""
) -> Markup:
    """A table whose columns ``text`` hold words; the others hold numbers. It scrolls by itself where it is too wide."""
    words = set(text)
    kinds = ["text" if i in words else "" for i in range(len(heads))]
    head = "".join(element("th", cell, kind=kind) for cell, kind in zip(heads, kinds, strict=True))
    lines = [
        element("tr", *(element("td", cell, kind=kind) for cell, kind in zip(row, kinds, strict=True))) for row in rows
    ]
    told = element("caption", caption) if caption else ""
    body = "\n".join(lines)
    return Markup(
        f'<div class="wide"><table>{told}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
    )


def figure(drawing: str, caption: str) -> Markup:
    """An SVG element with words under it."""
    return Markup(f'<figure><div class="wide">{drawing}</div>{element("figcaption", caption)}</figure>')


def folded(title: str, *parts: object) -> Markup:
    """What is shown when its title is clicked."""
    return Markup(f"<details>{element('summary', title)}\n{joined(parts)}\n</details>")


def page(title: str, body: Markup) -> str:
    """The whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def shown(estimate: Estimate | None, digits: int, sign: bool = False) -> str:
    """``mean (low … high)``, or its limit; the mean alone where there is no interval, a dash where there is nothing."""
    if estimate is None:
        return "–"
    mean = number(estimate.mean, digits, sign)
    low, high = (None if end is None else number(end, digits, sign) for end in (estimate.low, estimate.high))
    if low is None or high is None:
        return mean if low == high else f"{mean} (≤ {high})" if low is None else f"{mean} (≥ {low})"
    return f"{mean} ({low} … {high})"


def number(value: float, digits: int, sign: bool = False) -> str:
    """With a minus that is one, and no minus before a rounded 0."""
    return format(value, f"{'+' if sign else ''}z,.{digits}f").replace("-", "−")
