"""The verbs of a step script as data: what each takes. `harness/steps` carries them out.

Arguments and options stay as written: a duration is text such as `300ms`, a point is a pair of numbers, and any of them
may be a `Template` that the run fills in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.scenario.mentions import Pattern
from harness.scenario.schema import Choice, Forms, Key, Keys, ListOf, MapOf, Schema
from harness.scenario.words import BOOL, DURATION, TEXT, WORD, Anything, Nothing, number, text_like

LIFECYCLES = (
    *("init", "commit", "DOMContentLoaded", "load", "firstPaint", "firstContentfulPaint", "firstImagePaint"),
    *("firstMeaningfulPaint", "networkAlmostIdle", "networkIdle", "InteractiveTime"),
)
_NUMBER = number("a number", templates=True)
_AT_LEAST_1 = number("a number, at least 1", 1, templates=True)
_WHOLE = number("a whole number, at least 1", 1, whole=True, templates=True)
_POINT = ListOf(_NUMBER, exactly=2)
_SIZE = ListOf(_WHOLE, exactly=2)
_BUTTON = Choice(("left", "middle", "right"), "mouse button")
_FUNCTION = Pattern(
    "a function of the page, such as readOffsetHeight", r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", "a function's name"
)
_METHOD = Pattern("a method such as Page.bringToFront", r"[A-Z][A-Za-z]*\.[a-z][A-Za-z]*", "a protocol method")
_UNTIL = Key(Choice(("load", "domcontentloaded", "commit", "none"), "moment"), "what to wait for; load if not given")
_TIMEOUT = Key(DURATION, "how long to wait before the step fails")
_AS = Key(WORD, "the name under which what it returns is kept: ${values.name}")
_AWAIT = Key(BOOL, "wait for a promise; true if not given")
_FRAME = Key(TEXT, "run in the frame whose URL contains this")


@dataclass(frozen=True)
class Verb:
    """`arg` is None for a verb without an argument."""

    says: str
    arg: Schema | None = None
    options: Mapping[str, Key] = field(default_factory=dict)


_EMULATE = Keys(
    "emulate",
    {
        "device_scale_factor": Key(
            number("a number above 0", 0.01, templates=True), "device pixels for each CSS pixel"
        ),
        "cpu_throttle": Key(_AT_LEAST_1, "the slowdown of the main thread"),
        "media": Key(Choice(("screen", "print"), "medium"), "the CSS medium"),
        "color_scheme": Key(Choice(("light", "dark", "no-preference"), "colour scheme"), "prefers-color-scheme"),
        "reduced_motion": Key(Choice(("reduce", "no-preference"), "preference"), "prefers-reduced-motion"),
        "touch": Key(BOOL, "a touch screen"),
    },
    lambda fields, report: dict(fields),
)

VERBS: dict[str, Verb] = {
    "goto": Verb("navigate to a URL", TEXT, {"until": _UNTIL, "timeout": _TIMEOUT}),
    "settle": Verb("sleep: nothing runs in the page", DURATION),
    "mark": Verb("name this moment for `during`", WORD),
    "call": Verb(
        "call a function that the fixture defines",
        _FUNCTION,
        {"args": Key(ListOf(Anything()), "its arguments"), "as": _AS, "await": _AWAIT, "frame": _FRAME},
    ),
    "evaluate": Verb("evaluate a JavaScript expression", TEXT, {"as": _AS, "await": _AWAIT, "frame": _FRAME}),
    "mouse_move": Verb(
        "move the mouse to a point of the window", _POINT, {"steps": Key(_WHOLE, "in how many moves; 1 if not given")}
    ),
    "mouse_down": Verb("press a mouse button", _BUTTON),
    "mouse_up": Verb("let a mouse button go", _BUTTON),
    "mouse_click": Verb("press and let go the left button at a point", _POINT),
    "wheel": Verb("turn the wheel by pixels right and down", _POINT, {"at": Key(_POINT, "where the mouse is")}),
    "tap": Verb("touch a point", _POINT),
    "key": Verb("press a key, such as Enter", TEXT),
    "type": Verb("type a text, key by key", TEXT),
    "resize": Verb("give the window this width and height", _SIZE),
    "emulate": Verb("make the page believe in another device", _EMULATE),
    "reload": Verb("load the page again", None, {"until": _UNTIL, "timeout": _TIMEOUT}),
    "back": Verb("one step back in the history", None, {"until": _UNTIL, "timeout": _TIMEOUT}),
    "forward": Verb("one step forward in the history", None, {"until": _UNTIL, "timeout": _TIMEOUT}),
    "new_page": Verb("open a page and use it", WORD, {"url": Key(TEXT, "where it goes; about:blank if not given")}),
    "use_page": Verb("let the steps that follow act on this page", WORD),
    "close_page": Verb("close a page", WORD),
    "hide_page": Verb("put the page into the background"),
    "show_page": Verb("bring the page to the front"),
    "cdp": Verb(
        "call a method of the DevTools protocol",
        _METHOD,
        {
            "params": Key(MapOf(Anything(), "a parameter"), "its parameters"),
            "target": Key(Choice(("page", "browser"), "target"), "which session; page if not given"),
            "as": _AS,
        },
    ),
    "start_recording": Verb("begin the recording here instead of before the first step"),
    "stop_recording": Verb("end the recording here instead of after the last step"),
    "block_main_thread": Verb("keep the page's main thread busy", DURATION),
    "suspend": Verb(
        "stop processes of the browser for a while",
        Choice(("renderers", "browser", "gpu"), "kind of process"),
        {"for": Key(DURATION, "how long they stand still", required=True)},
    ),
    "wait_request": Verb(
        "wait until the server has seen a request whose path contains this",
        TEXT,
        {
            "state": Key(Choice(("received", "headers", "done"), "state"), "how far it must be; done if not given"),
            "timeout": _TIMEOUT,
        },
    ),
    "wait_lifecycle": Verb(
        "wait for a lifecycle event of the page", Choice(LIFECYCLES, "lifecycle event"), {"timeout": _TIMEOUT}
    ),
    "release": Verb(
        "let a response go on that the server holds under this name", text_like("the name of a hold", templates=True)
    ),
}

STEP_FORMS: dict[str, dict[str, Key]] = {
    name: {name: Key(verb.arg or Nothing(), verb.says), **verb.options} for name, verb in VERBS.items()
}
STEP_MAPPING = Forms("step", STEP_FORMS)
BARE = tuple(name for name, verb in VERBS.items() if verb.arg is None)
