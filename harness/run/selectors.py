"""Which cases a person means: names, globs, claims, events and expressions."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence

from harness.errors import Problem, UsageError
from harness.scenario.model import Case
from harness.wording import did_you_mean

_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")


def select(cases: Sequence[Case], words: Sequence[str], expression: str = "") -> list[Case]:
    """The cases that any of `words` names (all, when there are none), narrowed by a `-k` expression.

    A word is a scenario's id or full name, a claim, an event's slug, or a glob over any of these. A case that is chosen
    for its claims or their event answers for those claims only. `UsageError` with the nearest names for each word that
    matches nothing.
    """
    chosen = list(cases)
    if words:
        lost = [word for word in words if not any(_names(case, word) for case in cases)]
        if lost:
            known = sorted({name for case in cases for name in _handles(case)})
            raise UsageError([_unknown(word, known) for word in lost])
        chosen = [part for case in cases if (part := _part(case, words))]
    if expression:
        matches = compile_expression(expression)
        chosen = [case for case in chosen if matches(" ".join([case.name, *case.claims, *case.tags]))]
        if not chosen:
            raise UsageError(Problem(f"no scenario matches -k {expression!r}"))
    return chosen


def _part(case: Case, words: Sequence[str]) -> Case | None:
    """The case with the claims that are asked for; None when there are none."""
    if any(_matches(name, word) for name in (case.name, case.id) for word in words):
        return case
    asked = tuple(
        claim for claim in case.claims for word in words if _matches(claim, word) or _matches(_event(claim), word)
    )
    return with_claims(case, tuple(dict.fromkeys(asked))) if asked else None


def with_claims(case: Case, claims: Sequence[str]) -> Case:
    """The case with these of its claims only, and the expectations that decide them."""
    expect = tuple(one for one in case.expect if set(one.claims) & set(claims))
    return dataclasses.replace(case, claims=tuple(claims), expect=expect)


def _event(claim: str) -> str:
    return claim.partition(".")[0]


def _matches(name: str, word: str) -> bool:
    return name == word or fnmatch.fnmatchcase(name, word)


def _handles(case: Case) -> Iterable[str]:
    yield case.name
    yield case.id
    yield from case.claims
    yield from {_event(claim) for claim in case.claims}


def _names(case: Case, word: str) -> bool:
    return any(_matches(handle, word) for handle in _handles(case))


def _unknown(word: str, known: Sequence[str]) -> Problem:
    remedy = did_you_mean(word, known, 3, "`traceproof claims list` shows what there is")
    return Problem(f"{word!r} is no scenario, claim, event, file or folder", remedy=remedy)


def compile_expression(text: str) -> Callable[[str], bool]:
    """`parse and not (utf or fragment)` as a test on a text: words are looked for as they are, without case."""
    tokens = _TOKEN.findall(text)
    matches, rest = _either(tokens, text)
    if rest:
        raise _bad(text, f"{rest[0]!r} is left over")
    return matches


_Test = Callable[[str], bool]


def _either(tokens: list[str], text: str) -> tuple[_Test, list[str]]:
    left, tokens = _both(tokens, text)
    while tokens[:1] == ["or"]:
        right, tokens = _both(tokens[1:], text)
        left = _or(left, right)
    return left, tokens


def _both(tokens: list[str], text: str) -> tuple[_Test, list[str]]:
    left, tokens = _single(tokens, text)
    while tokens[:1] == ["and"]:
        right, tokens = _single(tokens[1:], text)
        left = _and(left, right)
    return left, tokens


def _single(tokens: list[str], text: str) -> tuple[_Test, list[str]]:
    if not tokens or tokens[0] in ("and", "or", ")"):
        raise _bad(text, "a word is missing")
    head, *rest = tokens
    if head == "not":
        inner, rest = _single(rest, text)
        return lambda name: not inner(name), rest
    if head == "(":
        inner, rest = _either(rest, text)
        if rest[:1] != [")"]:
            raise _bad(text, "a closing parenthesis is missing")
        return inner, rest[1:]
    return lambda name: head.casefold() in name.casefold(), rest


def _or(left: _Test, right: _Test) -> _Test:
    return lambda name: left(name) or right(name)


def _and(left: _Test, right: _Test) -> _Test:
    return lambda name: left(name) and right(name)


def _bad(text: str, message: str) -> UsageError:
    remedy = "write words with and, or, not and parentheses, such as 'parse and not utf'"
    return UsageError(Problem(f"-k {text!r}: {message}", remedy=remedy))
