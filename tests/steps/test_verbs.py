"""Every verb does in a real page what its line in `docs/steps.md` says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.errors import StepError
from harness.scenario.verbs import VERBS
from harness.server import FixtureServer
from harness.steps import STEPS, StepContext
from tests.steps.conftest import Do

FOCUSED = """new Promise(done => {
  document.activeElement.matches("input") ? done() : addEventListener("focusin", () => done());
})"""
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_every_verb_of_the_language_is_carried_out_and_documented() -> None:
    assert set(STEPS) == set(VERBS)
    text = (Path(__file__).parents[2] / "docs" / "steps.md").read_text()
    assert [name for name in VERBS if f"| `{name}` |" not in text] == []


# --- navigation


async def test_goto_waits_for_load(do: Do, server: FixtureServer) -> None:
    url = f"{server.origin}/plain.html"
    await do("goto", url)
    assert await do("evaluate", "[location.href, document.readyState]", as_="state") == [url, "complete"]


@pytest.mark.parametrize(
    ("until", "state", "hold"),
    [("commit", "loading", "hold_at=6000:tail"), ("domcontentloaded", "interactive", "")],
)
async def test_goto_waits_no_longer_than_asked(
    do: Do, server: FixtureServer, until: str, state: str, hold: str
) -> None:
    await do("goto", f"{server.origin}/slow.html?{hold}", until=until)
    assert await do("evaluate", "document.readyState", as_="state") == state
    await do("release", "tail")
    await do("release", "picture")
    await do("wait_lifecycle", "load")
    assert await do("evaluate", "document.readyState", as_="state") == "complete"
    server.reset_holds()


async def test_goto_none_does_not_wait(do: Do, server: FixtureServer, ctx: StepContext) -> None:
    await do("goto", f"{server.origin}/plain.html?hold=head-of-none", until="none")
    await do("wait_request", "hold=head-of-none", state="received")
    assert ctx.page.page.url == "about:blank"
    await do("release", "head-of-none")
    await do("wait_lifecycle", "firstContentfulPaint")
    assert await do("evaluate", "document.title", as_="title") == "plain"


async def test_goto_within_the_document_and_script_that_goes_on(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("goto", f"{server.origin}/plain.html#part")
    assert await do("evaluate", "location.hash", as_="hash") == "#part"
    await do("goto", f"data:text/html,<script>location.replace('{server.origin}/second.html')</script>x")
    await do("wait_request", "second.html")


async def test_goto_that_fails(do: Do, server: FixtureServer) -> None:
    with pytest.raises(StepError, match=r"some\.scenario\.yaml:7:5: step 1, goto: .*ERR_CONNECTION_REFUSED"):
        await do("goto", "http://127.0.0.1:9999/")


async def test_reload_back_forward(do: Do, server: FixtureServer) -> None:
    first, second = f"{server.origin}/plain.html", f"{server.origin}/second.html"
    await do("goto", first)
    await do("evaluate", "window.before = 1")
    await do("reload")
    assert await do("evaluate", "typeof before", as_="kept") == "undefined"
    await do("goto", second)
    await do("back")
    assert await do("evaluate", "[location.href, document.readyState]", as_="at") == [first, "complete"]
    await do("forward")
    assert await do("evaluate", "location.href", as_="at") == second
    with pytest.raises(StepError, match="no page to go forward to"):
        await do("forward")


async def test_wait_lifecycle_of_the_past_and_of_the_future(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("wait_lifecycle", "load")
    await do("wait_lifecycle", "firstContentfulPaint")
    with pytest.raises(StepError, match=r"wait_lifecycle did not finish within 0\.2 s"):
        await do("wait_lifecycle", "firstImagePaint", timeout="200ms")


# --- script


async def test_call_and_evaluate(do: Do, server: FixtureServer, ctx: StepContext) -> None:
    await do("goto", f"{server.origin}/plain.html")
    assert await do("call", "add", args=[1, 2], as_="sum") == 3
    assert await do("call", "add", args=["a", "</script>\u2028"], as_="text") == "a</script>\u2028"
    assert await do("call", "app.later", args=[{"deep": [1, None, True]}], as_="later") == {"deep": [1, None, True]}
    assert await do("call", "app.later", args=[1], as_="promise", await_=False) == {}
    assert await do("evaluate", "undefined", as_="nothing") is None
    assert await do("evaluate", "-0", as_="zero") == 0
    assert await do("evaluate", "12345678901234567890n", as_="big") == 12345678901234567890
    await do("evaluate", "document")  # not kept, so it needs no JSON form
    assert set(ctx.values) >= {"sum", "later", "nothing"}


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("fail()", r"the page threw Error: the fixture gave up\n    at fail .*plain\.html"),
        ("absent()", "ReferenceError: absent is not defined"),
        ("1 +", "SyntaxError"),
        ("(() => { throw {code: 7} })()", "the page threw"),
        ("(() => { throw 'words' })()", 'the page threw "words"'),
        ("Promise.reject(new TypeError('late'))", "TypeError: late"),
        ("0 / 0", "returned NaN, which JSON cannot hold"),
        ("window", "step 1, evaluate: "),
    ],
)
async def test_script_that_throws(do: Do, server: FixtureServer, expression: str, said: str) -> None:
    await do("goto", f"{server.origin}/plain.html")
    with pytest.raises(StepError, match=said):
        await do("evaluate", expression, as_="value")


async def test_frames(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.variables()['server.a']}/frames.html")
    assert await do("call", "who", as_="who") == "parent"
    assert await do("call", "who", as_="who", frame="#same") == "child #same"
    assert await do("evaluate", "who()", as_="who", frame="b.test") == "child #other"
    with pytest.raises(StepError, match=r"no child frame has a URL that contains 'nowhere'; .*child\.html#same"):
        await do("call", "who", frame="nowhere")


async def test_block_main_thread_lasts_beyond_the_step(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    began = time.monotonic()
    await do("block_main_thread", "400ms")
    returned = time.monotonic()
    await do("evaluate", "1")
    assert time.monotonic() - began >= 0.39
    assert returned < time.monotonic()


# --- input


async def test_mouse_and_wheel(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("mouse_move", [60, 20], steps=3)
    await do("mouse_down", "left")
    await do("mouse_move", [90, 20])
    await do("mouse_up", "left")
    rows = [row[:3] for row in await do("evaluate", "seen", as_="seen")]
    assert ["mousemove", 60, 0] in rows
    assert ["mousedown", 60, 1] in rows
    assert ["mousemove", 90, 1] in rows
    assert ["mouseup", 90, 0] in rows
    await do("evaluate", "seen.length = 0")
    await do("mouse_click", [10, 30])
    await do("wheel", [0, 40], at=[15, 30])
    await do("call", "sees", args=["wheel"])
    rows = [row[:2] for row in await do("evaluate", "seen", as_="seen")]
    assert [row for row in rows if row[0] != "mousemove"] == [["mousedown", 10], ["mouseup", 10], ["wheel", 15]]


async def test_wheel_scrolls(do: Do, server: FixtureServer, ctx: StepContext) -> None:
    await do("goto", f"{server.origin}/field.html")
    # A wheel before the first frame finds nothing to scroll, and a listener after the wheel hears nothing.
    await ctx.page.page.evaluate(
        """new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => {
            self.scrolled = new Promise(done => addEventListener('scroll', () => done(scrollY), {once: true}))
        })"""
    )
    await do("wheel", [0, 120], at=[100, 100])
    assert await ctx.page.page.evaluate("self.scrolled") > 0


async def test_tap(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("tap", [10, 10])
    assert [kind for kind in await do("evaluate", "kinds()", as_="kinds") if "touch" in kind] == [
        "touchstart",
        "touchend",
    ]


async def test_keys(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/field.html")
    # autofocus comes with a frame of its own, after load
    await do("evaluate", FOCUSED)
    await do("type", "häy")
    await do("key", "Backspace")
    await do("key", "Shift+A")
    assert await do("evaluate", "document.querySelector('input').value", as_="text") == "häA"


# --- the window and other pages


async def test_resize(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("resize", [640, 480])
    assert await do("evaluate", "[innerWidth, innerHeight]", as_="size") == [640, 480]


async def test_emulate(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    before = await do("evaluate", "innerWidth", as_="width")
    await do("emulate", {"device_scale_factor": 2, "color_scheme": "dark"})
    await do("emulate", {"reduced_motion": "reduce", "media": "print", "cpu_throttle": 2, "touch": True})
    script = """[devicePixelRatio, innerWidth, matchMedia('(prefers-color-scheme: dark)').matches,
        matchMedia('(prefers-reduced-motion)').matches, matchMedia('print').matches, navigator.maxTouchPoints]"""
    assert await do("evaluate", script, as_="device") == [2, before, True, True, True, 1]


async def test_pages(do: Do, server: FixtureServer, ctx: StepContext) -> None:
    await do("new_page", "two", url=f"{server.origin}/second.html")
    assert await do("evaluate", "document.title", as_="title") == "second"
    await do("use_page", "main")
    assert await do("evaluate", "location.href", as_="href") == "about:blank"
    await do("use_page", "two")
    await do("close_page", "two")
    assert list(ctx.pages) == ["main"]
    assert ctx.page is ctx.pages["main"]
    with pytest.raises(StepError, match="no page 'two'; there are main"):
        await do("use_page", "two")
    with pytest.raises(StepError, match="last page"):
        await do("close_page", "main")
    with pytest.raises(StepError, match="a page 'main' already"):
        await do("new_page", "main")


async def test_hide_and_show(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    await do("evaluate", "addEventListener('visibilitychange', () => seen.push([document.visibilityState]), true)")
    await do("hide_page")
    assert await do("evaluate", "document.visibilityState", as_="state") == "hidden"
    await do("show_page")
    assert await do("evaluate", "document.visibilityState", as_="state") == "visible"
    assert await do("evaluate", "kinds().filter(kind => kind.length < 8)", as_="seen") == ["hidden", "visible"]


# --- the rest


async def test_marks_are_on_the_clock_of_the_host(do: Do, ctx: StepContext) -> None:
    before = time.monotonic_ns() / 1000
    await do("mark", "a")
    await do("settle", "50ms")
    await do("mark", "b")
    first, second = ctx.marks
    assert (first.name, second.name) == ("a", "b")
    assert before <= first.ts_us
    assert second.ts_us - first.ts_us >= 50_000


async def test_cdp(do: Do) -> None:
    answer = await do("cdp", "Page.getLayoutMetrics", as_="metrics")
    assert "cssLayoutViewport" in answer
    assert (await do("cdp", "Browser.getVersion", target="browser", as_="version"))["product"]
    await do("cdp", "Runtime.evaluate", params={"expression": "window.here = 1"})
    assert await do("evaluate", "here", as_="here") == 1
    with pytest.raises(StepError, match=r"step 1, cdp: .*Page\.noSuch.* wasn't found"):
        await do("cdp", "Page.noSuch")


async def test_recording_hooks(do: Do, ctx: StepContext) -> None:
    with pytest.raises(StepError, match="no recorder"):
        await do("start_recording")
    called = []

    async def note() -> None:
        called.append(len(called))

    ctx.start_recording = ctx.stop_recording = note
    await do("start_recording")
    await do("stop_recording")
    assert called == [0, 1]


async def test_wait_request_tells_what_came(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/second.html")
    await do("wait_request", "second.html")
    with pytest.raises(StepError, match=r"step 1, wait_request: .*third"):
        await do("wait_request", "third.html", timeout="200ms")


async def test_suspend_stops_every_thread(do: Do, server: FixtureServer) -> None:
    await do("goto", f"{server.origin}/plain.html")
    beat = "beat = () => { const now = performance.now(); worst = Math.max(worst, now - last); last = now; }"
    await do("evaluate", f"last = performance.now(), worst = 0, {beat}, void setInterval(beat)")
    await do("suspend", "renderers", **{"for": "300ms"})
    assert (await do("evaluate", "(beat(), worst)", as_="worst")) >= 290
