"""The file itself: the style, the index, the program and the packed details, in the order in which they are needed.

Traces and URLs are hostile input. They come into the page as JSON text or base64 only, the program makes text nodes of
them and never HTML, and a policy lets no other script run than the one whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec

from harness import __version__
from harness.evidence.sources import ClaimWords, Reported
from harness.report.html.details import pack_details
from harness.report.html.index import Index
from harness.report.words import counted

SCRIPTS = ("words", "dom", "data", "chart", "timeline", "history", "summary", "matrix", "detail", "app")


def to_html(runs: Sequence[Reported], words: Mapping[str, ClaimWords], *, made: str, title: str = "traceproof") -> str:
    """The report of one or more runs. made: ISO 8601, when; words: what the claims say, by id."""
    index = Index(runs, words)
    chunks, blocks = pack_details(index.cases)
    told = index.build(chunks, made=made, version=__version__)
    style = _asset("report.css")
    script = "'use strict';(() => {\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "\n})();\n"
    counts = counted(one.verdict for run in runs for one in run.result.verdicts) or "no verdicts"
    fields = {
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:",
        "title": html.escape(title),
        "counts": html.escape(counts),
        "style": style,
        "index": as_json_text(told),
        "script": script,
        "blocks": "\n".join(
            f'<script type="application/octet-stream" id="block-{number}">{block}</script>'
            for number, block in enumerate(blocks)
        ),
    }
    # One pass, so that nothing that was put in is ever read as a place for something else.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: fields[place[1]], _asset("report.html"))


def as_json_text(value: object) -> str:
    """JSON that no HTML parser can leave: `<` is the only character that opens anything inside a script element."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
