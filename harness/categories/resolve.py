"""From the names that a scenario gives (sets, categories, patterns) to the categories that a browser is sent.

Measured on 153 and 156: an included `*` wins over an excluded one and switches on all that is not disabled by default;
no pattern reaches names that are (`disabled-by-default-v8*` records nothing). So a pattern is written out here, from
the browser's own list, and only a bare `*` and a leading minus go to the browser as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from harness.categories.sets import CategorySet, category_sets, known_categories
from harness.errors import CategoryError, Problem
from harness.scenario.model import Place
from harness.wording import did_you_mean

DISABLED = "disabled-by-default-"


def resolve(
    names: Iterable[str], known: Sequence[str] | None = None, sets: Mapping[str, CategorySet] | None = None
) -> list[str]:
    """The categories behind the names, each once, in the order of the names.

    `known` is the browser's list, from which patterns are written out; without it all that were ever seen are taken.
    A pattern that fits nothing vanishes: `check` is what complains.
    """
    sets = category_sets() if sets is None else sets
    result: dict[str, None] = {}
    for name in names:
        for category in _behind(name, sets):
            result.update(dict.fromkeys(_written_out(category, known or list(known_categories()))))
    return list(result)


def _behind(name: str, sets: Mapping[str, CategorySet]) -> list[str]:
    entry = sets.get(name)
    if entry is None:
        return [name]
    included = [category for other in entry.includes for category in _behind(other, sets)]
    return [*included, *entry.categories, *entry.optional]


def is_pattern(name: str) -> bool:
    """A name with `*` that is written out from the list of categories; a bare `*` and exclusions are not."""
    return "*" in name and name != "*" and not name.startswith("-")


def _written_out(category: str, known: Sequence[str]) -> list[str]:
    """A pattern reaches the names that are disabled by default only when it says so itself."""
    if not is_pattern(category):
        return [category]
    wants_disabled = category.startswith(DISABLED)
    return [name for name in known if fnmatchcase(name, category) and name.startswith(DISABLED) == wants_disabled]


def check(
    names: Iterable[str],
    known: Sequence[str] | None,
    fallback: Sequence[str] | None = None,
    at: Place | None = None,
    sets: Mapping[str, CategorySet] | None = None,
) -> None:
    """`CategoryError` with every name that the browser does not know, and the nearest that it does.

    `names` as a scenario gives them, before `resolve`: a set's optional categories are nobody's mistake, a raw name is.
    `known` is the browser's answer to Tracing.getCategories; an empty one is no answer, and `fallback` (all that were
    ever seen, if not given) takes its place.
    """
    sets = category_sets() if sets is None else sets
    answered = bool(known)
    words = list(known or fallback or known_categories())
    problems = [
        _problem(category, name, words, sets, answered, at)
        for name in dict.fromkeys(names)
        for category in _required(name, sets)
        if not _is_known(category, words)
    ]
    if problems:
        raise CategoryError(problems)


def _required(name: str, sets: Mapping[str, CategorySet]) -> list[str]:
    entry = sets.get(name)
    if entry is None:
        return [name]
    return [*(category for other in entry.includes for category in _required(other, sets)), *entry.categories]


def _is_known(category: str, words: Sequence[str]) -> bool:
    if category in ("*", "-*", "__metadata"):
        return True
    category = category.removeprefix("-")
    return bool(_written_out(category, words)) if is_pattern(category) else category in words


def _problem(
    category: str, name: str, words: Sequence[str], sets: Mapping[str, CategorySet], answered: bool, at: Place | None
) -> Problem:
    where = (at.file, at.line, at.column, at.path) if at else ("", 0, 0, "")
    who = f"the browser names {len(words)} categories" if answered else f"{len(words)} categories were ever seen"
    told = f'the category "{category}"' + (f' (of the set "{name}")' if name != category else "")
    message = f"{told} is unknown: {who}, and it is not among them"
    if is_pattern(category):
        message = f"{told} fits none of the {len(words)} known categories"
    return Problem(message, *where, "a category set or a category", name, _remedy(category, [*words, *sets]))


def _remedy(category: str, words: Sequence[str]) -> str:
    parts = [part for part in re.split(r"[\s,]+", category) if part]
    if len(parts) > 1:
        return f"these are {len(parts)} names in one text: write [{', '.join(parts)}]"
    if joined := _two_in_one(category, words):
        return f"a comma seems to be missing: write [{', '.join(joined)}]"
    if DISABLED + category in words:
        return f'did you mean "{DISABLED}{category}"?'
    return did_you_mean(category, words, otherwise="`traceproof categories` shows the sets and the categories")


def _two_in_one(category: str, words: Sequence[str]) -> tuple[str, str] | None:
    """`blinkcc`: two known names that lost what stood between them."""
    known = set(words)
    for cut in range(1, len(category)):
        if category[:cut] in known and category[cut:] in known:
            return category[:cut], category[cut:]
    return None
