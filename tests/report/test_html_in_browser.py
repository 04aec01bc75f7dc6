"""The HTML report as people use it, in a real Chromium: links, keys, filters, colours, hostile names, size."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.verdict import Verdict
from tests.report.conftest import Open
from tests.report.large import crowded, large
from tests.report.pages import BEYOND, HOSTILE, changed_report, report_of
from tests.samples import mixed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
ONCE = "claim=parsing.once&build=156.0.1.2-shell"

CONTRASTS = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = (v) => v <= 0.04 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => sum + share * linear(rgb[i] / 255), 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const color = parse(getComputedStyle(node).backgroundColor);
      if (color.length === 3 || color[3] > 0.9) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    if (!node.data.trim() || !holder.checkVisibility()) continue;
    if (holder.closest('script, style, .hidden, .skip, noscript')) continue;
    const [a, b] = [parse(getComputedStyle(holder).color), behind(holder)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${holder.className} ${node.data.trim().slice(0, 30)}`);
  }
  return poor;
}"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return changed_report(tmp_path_factory.mktemp("report"))


async def focused(page: Any) -> str:
    told: str = await page.evaluate("document.activeElement.textContent + '|' + (document.activeElement.href ?? '')")
    return told


async def test_the_first_screen_says_what_changed_and_why(changed: str, open_report: Open) -> None:
    page = await open_report(changed)
    assert await page.inner_text("h1") == "1 of 2 claims changed from 153 to 156"
    assert "2 claims on 2 builds: 153 shell, 156 shell · 1 claim not as expected" in await page.inner_text("main")
    item = await page.inner_text(".changes li")
    for words in ("parsing.once", "It is written once.", "153 shell", "HOLDS", "156 shell", "REFUTED", "found 2"):
        assert words in item


async def test_claims_of_one_build_each_are_not_said_to_be_unchanged(open_report: Open) -> None:
    result = mixed()
    here, there = (
        msgspec.structs.replace(one, claim=name)
        for one, name in zip(result.verdicts[:2], ("a.one", "b.one"), strict=True)
    )
    build = msgspec.structs.replace(here.build, version="153.0.1.2")
    apart = msgspec.structs.replace(result, verdicts=[msgspec.structs.replace(here, build=build), there], cases=[])
    page = await open_report(report_of(apart))
    assert await page.inner_text("h1") == "No claim has two answers to compare"
    assert "Unknown. 2 claims cannot be compared" in await page.inner_text("main")


async def test_a_link_opens_the_evidence(changed: str, open_report: Open) -> None:
    page = await open_report(changed, ONCE)
    main = await page.inner_text("main")
    for words in ("It is written once.", "Refuted by: Two of them.", "count: {of: parsed, is: 1}", "attempt 1"):
        assert words in main
    assert "count: 2 events" in main
    events = await page.get_by_role("region", name="Events").inner_text()
    assert "ParseHTML" in events
    assert f'"id":{BEYOND}' in events
    await page.click("summary:has-text('Scenario:')")
    assert "count: {of: parsed, is: 1}" in await page.inner_text(".yaml li.here:last-of-type")
    assert "traceproof run parsing.one" in await page.inner_text(".command code")


async def test_the_whole_report_by_keyboard(changed: str, open_report: Open) -> None:
    page = await open_report(changed)
    stops = []
    for _ in range(16):
        await page.keyboard.press("Tab")
        stops.append(await focused(page))
        assert await page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        if await page.evaluate("document.activeElement.closest('.cell') !== null"):
            break
    assert stops[0].startswith("Skip to the report")
    assert any("History" in stop for stop in stops)
    assert "end-line" in stops[-1]  # the matrix is one stop
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowRight")
    assert ONCE in await focused(page)
    await page.keyboard.press("Enter")
    await page.wait_for_selector("canvas")
    await page.focus("canvas")
    await page.keyboard.press("n")
    told = await page.inner_text(".pinned")
    assert "ParseHTML slice" in told
    assert f'"id": {BEYOND}' in told
    await page.keyboard.press("f")
    await page.keyboard.press("ArrowUp")
    assert "onerror" in await page.inner_text(".pinned strong")  # the parent has the hostile name
    await page.keyboard.press("0")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.tagName") != "CANVAS"  # no trap


async def test_nothing_of_a_trace_runs(changed: str, open_report: Open) -> None:
    for where in ("", ONCE, "view=history", "view=runs"):
        page = await open_report(changed, where)
        assert await page.evaluate("document.querySelectorAll('img').length") == 0
        assert await page.evaluate("document.title") != "owned"
    page = await open_report(changed, ONCE)
    await page.click("summary:has-text('Scenario:')")
    assert HOSTILE in await page.inner_text(".yaml li")


async def test_filters_and_their_links(open_report: Open) -> None:
    page = await open_report(report_of(mixed()))
    assert await page.locator(".row[data-claim]:visible").count() == len(Verdict)
    await page.get_by_label("Verdict", exact=True).select_option("REFUTED")
    assert await page.locator(".row[data-claim]:visible .name").all_inner_texts() == ["refuted"]
    assert await page.evaluate("location.hash") == "#verdict=REFUTED"
    await page.reload()
    await page.wait_for_selector(".row[data-claim]:not([hidden])")
    assert await page.locator(".row[data-claim]:visible").count() == 1
    await page.get_by_label("Verdict", exact=True).select_option("")
    await page.get_by_label("Text").fill("some nothing")
    assert "No claim passes" in await page.inner_text("main")


async def test_verdicts_differ_by_sign_and_word(open_report: Open) -> None:
    page = await open_report(report_of(mixed()))
    signs = await page.locator(".totals .sign").all_inner_texts()
    assert len(signs) == len(set(signs)) == len(Verdict)
    assert sorted(await page.locator(".totals .word").all_inner_texts()) == sorted(Verdict)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_can_be_read(scheme: str, changed: str, open_report: Open) -> None:
    for html, where in ((report_of(mixed()), ""), (changed, ONCE), (changed, "view=history"), (changed, "view=runs")):
        page = await open_report(html, where, color_scheme=scheme)
        assert await page.evaluate("document.documentElement.dataset.theme") == scheme
        assert await page.evaluate(CONTRASTS) == []


async def test_the_switch_turns_dark_and_back(changed: str, open_report: Open) -> None:
    page = await open_report(changed, ONCE, color_scheme="light")
    for wanted in ("dark", "light"):
        await page.click("#theme")
        assert await page.evaluate("document.documentElement.dataset.theme") == wanted


@pytest.mark.parametrize("width", [390, 1024, 1600])
async def test_nothing_is_wider_than_the_window(width: int, changed: str, open_report: Open) -> None:
    for where in ("", ONCE, "view=history", "view=runs"):
        page = await open_report(changed, where, width=width)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_what_can_be_focused_has_a_name(changed: str, open_report: Open) -> None:
    page = await open_report(changed, ONCE)
    nameless = """[...document.querySelectorAll('a, button, select, input, canvas, [tabindex="0"]')]
      .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length))
      .map((one) => one.outerHTML)"""
    assert await page.evaluate(nameless) == []


async def test_two_builds_beside_each_other(changed: str, open_report: Open) -> None:
    """At first one that answers otherwise."""
    page = await open_report(changed, ONCE)
    assert "153 shell" in (await page.get_attribute("canvas", "aria-label") or "")
    await page.get_by_label("Beside it").select_option(label="nothing")
    assert "153 shell" not in (await page.get_attribute("canvas", "aria-label") or "")


@pytest.mark.slow
async def test_the_largest_ledger_is_searched_as_it_loads(open_report: Open) -> None:
    """2,500 claims on 8 builds: the first rows are there before the rest, and a filter looks at all of them."""
    page = await open_report(report_of(large()), "verdict=SOMETIMES")
    others = ".row[data-claim]:not([hidden]):not(:has(.v-SOMETIMES))"
    assert await page.evaluate(f"document.querySelectorAll('{others}').length") == 0
    await page.get_by_label("Verdict", exact=True).select_option("")
    await page.get_by_label("Text").fill("claim-2499")
    assert await page.locator(".row[data-claim]:visible .name").all_inner_texts() == ["claim-2499"]
    painted = await page.evaluate("performance.getEntriesByType('paint').at(-1).startTime")
    loaded = await page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
    assert painted <= loaded + 1_000


async def test_fifty_thousand_events_cost_as_much_as_they_have_pixels(open_report: Open) -> None:
    """Zoomed out over all of them, a drawing takes not much longer than zoomed in on a hundredth."""
    page = await open_report(report_of(mixed(), crowded()), "claim=parse-html.holds")
    await page.focus("canvas")
    cost = """async (keys) => {
      const canvas = document.querySelector('canvas');
      const times = [];
      const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      for (const key of keys) press(key);
      for (let i = 0; i < 20; i++) {
        press(i % 2 ? 'a' : 'd');
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        await new Promise((resolve) => {
          const channel = new MessageChannel();
          channel.port1.onmessage = resolve;
          channel.port2.postMessage(0);
        });
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[10];
    }"""
    everything = await page.evaluate(cost, ["0"])
    part = await page.evaluate(cost, list("wwwwwwwwwwww"))
    assert everything < 20 * part + 50


async def test_the_samples_are_of_the_size_that_they_say() -> None:
    assert len(large(20, 2).verdicts) == 40
    drawing = crowded(4_800)
    assert drawing.drawn == 4_800
    for place in range(1, drawing.drawn):  # rows in order of time
        same = (drawing.lane[place], drawing.row[place]) == (drawing.lane[place - 1], drawing.row[place - 1])
        assert not same or drawing.ts[place] >= drawing.ts[place - 1]
