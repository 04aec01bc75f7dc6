"""A claim's verdict as a small flat picture (SVG) that a manual can embed: claim, verdict, version of Chrome."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from harness.events import ClaimVerdict
from harness.report.words import build_label, mode_label, tally
from harness.verdict import Verdict, combine

# A sign beside each word, so that no colour is needed to tell them apart. White on each colour has a contrast of at
# least 4.5 to 1; the hues are those that the colour-blind can tell.
_SIGNS = {
    Verdict.HOLDS: ("✓", "#00639c"),
    Verdict.SOMETIMES: ("≈", "#7a6000"),
    Verdict.REFUTED: ("✗", "#b34700"),
    Verdict.INCONCLUSIVE: ("?", "#6f4a96"),
    Verdict.NOT_APPLICABLE: ("–", "#5c636b"),
    Verdict.UNSUPPORTED: ("–", "#5c636b"),
    Verdict.ERROR: ("!", "#46102a"),
}
_HEIGHT, _PADDING = 20, 6
_NARROW, _WIDE = frozenset("ijlft.,:;|!'()[]-– I1"), frozenset("mwMW@%")


def to_badge(verdicts: Sequence[ClaimVerdict]) -> str:
    """The picture for the verdicts of one claim on one version; those of several modes are all named where they differ.

    The title, which a screen reader says and a pointer shows, has the whole version, the modes and the tallies.
    """
    first = verdicts[0]
    sign, colour = _SIGNS[combine([one.verdict for one in verdicts])]
    alike = dict.fromkeys(map(_word, verdicts))
    if len(alike) > 1:
        alike = dict.fromkeys(f"{_word(one)} {mode_label(one.mode, one.raster)}" for one in verdicts)
    said = "; ".join(alike)
    parts = (
        (first.claim, "#3b4149"),
        (f"{sign} {said}", colour),
        (f"{first.build.product} {first.build.major}", "#5c636b"),
    )
    told = "; ".join(" ".join((_full(one), "on", build_label(*one.lab))) for one in verdicts)
    return _svg(parts, f"{first.claim}: {told}")


def _word(verdict: ClaimVerdict) -> str:
    """The verdict, with k of n where attempts disagree, and how many of the claim's scenarios it is from if not all."""
    some = f" {verdict.met} of {verdict.valid}" if verdict.verdict is Verdict.SOMETIMES else ""
    told, every = len(verdict.scenarios), len(verdict.scenarios) + len(verdict.left_out)
    return f"{verdict.verdict}{some}" + (f" in {told} of {every} scenarios" if told < every else "")


def _full(verdict: ClaimVerdict) -> str:
    return " ".join(part for part in (str(verdict.verdict), tally(verdict)) if part)


def _svg(parts: Sequence[tuple[str, str]], title: str) -> str:
    boxes, texts, left = [], [], 0
    for text, colour in parts:
        wide = _width(text)
        boxes.append(f'<rect x="{left}" width="{wide + 2 * _PADDING}" height="{_HEIGHT}" fill="{colour}"/>')
        # The length is said, so that the text fits whichever font the reader has.
        texts.append(f'<text x="{left + _PADDING}" y="14" textLength="{wide}">{escape(text)}</text>')
        left += wide + 2 * _PADDING
    size = f'width="{left}" height="{_HEIGHT}"'
    # Several may stand in one page: clips of one name are clips of one size.
    clip = f"badge-{left}"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(title)}>
  <title>{escape(title)}</title>
  <clipPath id="{clip}"><rect {size} rx="3"/></clipPath>
  <g clip-path="url(#{clip})">{"".join(boxes)}</g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{"".join(texts)}</g>
</svg>
"""


def _width(text: str) -> int:
    """About as wide as Verdana at 11 pixels."""
    return round(sum(4.5 if one in _NARROW else 10 if one in _WIDE else 8 if one.isupper() else 6.8 for one in text))
