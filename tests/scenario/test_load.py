"""From a file to cases: values typed, arms merged, names put in, references checked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.paths import below
from harness.scenario import load_file, load_folder, survey
from harness.scenario.checks import END, START
from harness.scenario.model import (
    Aggregate,
    Compare,
    Contains,
    Count,
    Each,
    NoneOf,
    Query,
    Ref,
    Template,
    ValueTest,
    Window,
)
from harness.trace import context
from tests.scenario.conftest import CLAIMS, HEAD, PAGES, REST, STEPS, Load

TWO_ARMS = HEAD.replace("record: {categories: [timeline, blink]}\n", "") + (
    "record: {categories: [timeline], buffer: 10MiB}\n"
    "let: {n: 1}\n"
    "arms:\n"
    "  plain: {}\n"
    "  deep: {record: {categories: [timeline, timeline.stack]}, let: {n: 2}, browser: {args: [--x]}}\n"
)


def _problems(load: Load, **parts: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        load(**parts)
    return [problem.message for problem in caught.value.problems]


def test_the_marks_of_every_recording_are_those_of_the_trace_context() -> None:
    assert (START, END) == (context.START, context.END)


def test_a_plain_scenario_is_one_case(load: Load) -> None:
    (case,) = load()
    arm = case.arms["main"]
    assert (case.id, case.name, case.claims) == ("parse-html.example", "parse-html.example", ("parse-html.one",))
    assert arm.record.categories == ("timeline", "blink")
    assert (arm.record.exclude, arm.record.recorder, arm.record.buffer_bytes) == (("*",), "cdp-browser", 200 * 2**20)
    assert arm.fixture == PAGES / "page.html"
    assert case.fixtures_root == PAGES
    assert [step.verb for step in arm.steps] == ["goto", "mark"]
    assert arm.steps[0].arg == Template("${fixture.url}", ("fixture.url",))
    (expectation,) = case.expect
    assert expectation.text == 'count: {of: bursts, is: ">= 1"}'
    assert expectation.claims == ("parse-html.one",)
    assert isinstance(expectation.form, Count)
    assert expectation.form.test.accepts(1)
    assert not expectation.form.test.accepts(0)


def test_a_page_beside_the_scenario_comes_first(load: Load, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    (case,) = load()
    assert case.arms["main"].fixture == tmp_path / "page.html"
    assert case.fixtures_root == tmp_path


def test_a_link_out_of_the_folder_is_no_fixture(load: Load, tmp_path: Path) -> None:
    (tmp_path / "page.html").symlink_to("/etc/hostname")
    assert any("leads out of its folder" in message for message in _problems(load))


def test_a_link_that_leads_nowhere_is_said_to_be_one(load: Load, tmp_path: Path) -> None:
    (tmp_path / "mine.html").symlink_to("gone.html")
    head = HEAD.replace("page.html", "mine.html")
    assert any("leads nowhere" in message for message in _problems(load, head=head))


@pytest.mark.parametrize(
    "line",
    [
        "attempts: 99999999999999999999999",
        "timeout: 99999999999999999999s",
        f"timeout: {'9' * 400}s",
        "browser: {window: [99999999999, 600]}",
    ],
)
def test_numbers_that_nothing_could_carry_out_are_refused(load: Load, line: str) -> None:
    assert any(
        "too large" in message or "longer than a day" in message for message in _problems(load, head=f"{HEAD}{line}\n")
    )


def test_a_folder_that_goes_while_it_is_searched_is_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b.claims").touch()

    (tmp_path / "a" / "lost.claims").touch()
    real = os.scandir

    def scan(path: str) -> object:
        if Path(path).name == "a":
            raise FileNotFoundError(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scan)
    assert below(tmp_path, "*.claims") == [tmp_path / "b.claims"]


def test_each_cell_of_the_matrix_is_a_case_with_typed_values(load: Load) -> None:
    steps = (
        'steps:\n  - goto: "${fixture.url}?n=${n}&x=${flag}"\n  - call: f\n    args: ["${n}", "${flag}", "${wait}"]\n'
        '  - settle: "${wait}"\n'
    )
    cases = load(head=HEAD + "matrix: {n: [1, 2.5], flag: [true, x]}\nlet: {wait: 3ms}\n", steps=steps)
    assert [case.cell for case in cases] == ["n=1,flag=true", "n=1,flag=x", "n=2.5,flag=true", "n=2.5,flag=x"]
    first = cases[0].arms["main"].steps
    assert first[1].options["args"] == [1, True, "3ms"]
    assert first[0].arg.text == "${fixture.url}?n=1&x=true"
    assert first[2].arg == "3ms"


def test_a_constant_may_hold_names_of_the_run_and_of_the_matrix(load: Load) -> None:
    steps = 'steps:\n  - goto: "${there}#x"\n'
    head = HEAD + 'matrix: {n: [7]}\nlet: {there: "${server.a}/p?n=${n}"}\n'
    (case,) = load(head=head, steps=steps)
    assert case.arms["main"].steps[0].arg == Template("${server.a}/p?n=7#x", ("server.a",))


def test_a_doubled_dollar_means_itself(load: Load) -> None:
    steps = 'steps:\n  - evaluate: "`$${x}`"\n  - evaluate: "`$${x}` + ${server.origin}"\n'
    first, second = load(steps=steps)[0].arms["main"].steps
    assert first.arg == "`${x}`"
    assert second.arg.text == "`$${x}` + ${server.origin}"


def test_arms_start_from_the_top_level(load: Load) -> None:
    steps = 'steps:\n  - goto: "${fixture.url}?n=${n}"\n'
    (case,) = load(head=TWO_ARMS, steps=steps, rest=REST + "    arms: all\n")
    plain, deep = case.arms["plain"], case.arms["deep"]
    assert plain.record.categories == ("timeline",)
    assert deep.record.categories == ("timeline", "timeline.stack")
    assert deep.record.buffer_bytes == plain.record.buffer_bytes == 10 * 2**20
    assert (plain.browser.args, deep.browser.args) == ((), ("--x",))
    assert plain.steps[0].arg.text.endswith("?n=1")
    assert deep.steps[0].arg.text.endswith("?n=2")
    assert case.expect[0].arms == ("plain", "deep")


def test_without_an_arm_a_reference_is_ambiguous(load: Load) -> None:
    steps = 'steps:\n  - goto: "${fixture.url}?n=${n}"\n'
    assert _problems(load, head=TWO_ARMS, steps=steps) == ['in which arm is "bursts" looked up?']
    (case,) = load(head=TWO_ARMS, steps=steps, rest=REST.replace("of: bursts", "of: bursts@deep"))
    assert case.expect[0].form.of.arm == "deep"


def test_references_are_narrowed_beside_the_form_or_inside(load: Load) -> None:
    rest = (
        "select:\n  a: {name: A, during: start..done}\n  b: {name: B}\nexpect:\n"
        "  - none: {of: b, inside: a, where: {dur: {compare: '> 1ms'}, args.x: 1}}\n"
        "    control: [{count: {of: {of: b, take: first}, is: 1}}]\n"
        "  - each: {of: a, has: {args.y: {present: true}}, contains: b, innermost: {of: b, on: page.main}}\n"
        "  - each: {of: a, contains: [{of: b, is: args.n, innermost: true}, {of: b, is: '2..3'}]}\n"
    )
    first, second, third = load(rest=rest)[0].expect
    assert isinstance(first.form, NoneOf)
    narrowed = first.form.of.narrowed
    assert (narrowed.base, narrowed.inside) == ("b", "a")
    assert [condition.path for condition in narrowed.where] == ["dur", "args.x"]
    assert narrowed.where[0].tests[0].operand.low == 1000
    assert narrowed.where[1].tests == (ValueTest("is", 1),)
    assert first.control[0].of.narrowed.take == "first"
    assert isinstance(second.form, Each)
    (inside,) = second.form.contains
    assert inside == Contains(Ref("b", None, inside.of.at), inside.test)
    assert inside.test.text == ">= 1"
    assert third.form.contains[0].equals_path == "args.n"
    assert third.form.contains[1].test.text == "2..3"


def test_a_window_that_narrows_takes_the_place_of_the_other(load: Load) -> None:
    rest = (
        "select:\n  a: {name: A, on: page.main, during: start..done, where: {args.x: 1}}\n  b: {of: a, take: last}\n"
        "expect:\n  - count: {of: a, during: done..end, where: {args.y: 2}, is: 1}\n  - count: {of: b, is: 1}\n"
    )
    (case,) = load(rest=rest)
    narrowed = case.expect[0].form.of.narrowed
    assert (narrowed.base, narrowed.names, narrowed.on) == (None, ("A",), "page.main")
    assert narrowed.during == Window("done", "end")
    assert [condition.path for condition in narrowed.where] == ["args.x", "args.y"]
    assert case.select["b"].base == "a"
    assert any(
        "both cannot be replaced" in message
        for message in _problems(load, rest=rest.replace("{of: b, is: 1}", "{of: b, during: done..end, is: 1}"))
    )


def test_aggregates_and_queries(load: Load) -> None:
    steps = "steps:\n  - call: f\n    as: rows\n"
    head = HEAD.replace("fixture: page.html\n", "")
    rest = (
        "select: {a: {name: A}}\nexpect:\n"
        "  - compare: {left: {median: self, of: a}, right: {value: rows.n}, ratio: '100 ±10%'}\n"
        '  - compare: {left: {count: a}, right: "${values.rows}", difference: 0}\n'
        "  - query: select count(*), 'x' from a\n    rows: [[1, x]]\n"
        "  - query: |\n      select 1 from a\n      where false\n    rows: none\n    over: a\n"
    )
    one, two, three, four = (expectation.form for expectation in load(head=head, steps=steps, rest=rest)[0].expect)
    assert isinstance(one, Compare)
    assert isinstance(one.left, Aggregate)
    assert (one.left.kind, one.left.path, one.measure, one.right.path) == ("median", "self", "ratio", "rows.n")
    assert two.right.constant == Template("${values.rows}", ("values.rows",))
    assert isinstance(three, Query)
    assert (three.rows, three.count) == (((1, "x"),), None)
    assert (four.count.accepts(0), four.rows, four.over.name) == (True, None, "a")


@pytest.mark.parametrize("path", ["rows[", "rows.", "rows[x]", "rows..n"])
def test_a_path_that_no_value_can_have(load: Load, path: str) -> None:
    steps = f'steps:\n  - call: f\n    as: rows\n  - evaluate: "${{values.{path}}}"\n'
    assert _problems(load, head=HEAD, steps=steps) == [f'"values.{path}" is not a path']
    steps = "steps:\n  - call: f\n    as: rows\n"
    rest = f'expect:\n  - compare: {{left: {{value: "{path}"}}, is: 1}}\n'
    assert _problems(load, head=HEAD, steps=steps, rest=rest) == [f'"{path}" is not a path']


def test_a_value_is_used_after_the_step_that_returns_it(load: Load) -> None:
    steps = 'steps:\n  - evaluate: "${values.n} + 1"\n  - call: f\n    as: n\n'
    assert _problems(load, head=HEAD, steps=steps) == ["${values.n} is used before a step returns it"]


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("  - count: {of: bursts, is: 0}\n", "an absence is evidence only beside a control"),
        ("  - count: {of: {of: bursts, take: 0}, on: page, is: 1}\n", "the selection is narrowed twice"),
        ("  - compare: {left: {count: bursts}, is: 1, ratio: 1}\n", "compare takes exactly one measure"),
        ("  - compare: {left: {count: bursts}, ratio: 1}\n", "ratio needs two sides"),
        ("  - join: {left: bursts, right: bursts}\n", "a join takes either on or by"),
        ("  - each: {of: bursts}\n", "each tests nothing"),
        ("  - query: select 1\n    rows: [1]\n", "each row is a list of its columns"),
        ("  - count: {of: bursts, is: 1}\n    arm: other\n", 'there is no arm "other"'),
        ("  - count: {of: bursts, is: 1}\n    claim: parse-html.two\n", '"parse-html.two" is not among the claims'),
    ],
)
def test_forms_that_prove_nothing_are_refused(load: Load, rest: str, message: str) -> None:
    told = _problems(load, rest="select: {bursts: {name: ParseHTML}}\nexpect:\n" + rest)
    assert any(message in one for one in told), told


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("{source: server, on: page.main}", "on has no meaning with source: server"),
        ("{of: bursts, gaps_of: bursts}", "of and gaps_of stand in one selection"),
        ("{by: args.x}", "by has a meaning only beside gaps_of"),
        ("{where: {args.x: [1, 2]}}", "a list is not a test"),
        ("{where: {args.x: {}}}", "this test is empty"),
        ("{where: {args.x: {present: false}}}", "only true may stand here"),
        ("{where: {args..x: 1}}", "is not a path"),
        ("{where: {name.x: 1}}", "nothing lies beneath it"),
        ("{during: start}", "is not a window"),
        ("{inside: bursts@x}", "an arm cannot be named here"),
        ("{where: {tid: abc}}", "tid is a number and never equals a text"),
    ],
)
def test_selections_that_mean_nothing_are_refused(load: Load, selection: str, message: str) -> None:
    rest = f"select:\n  bursts: {{name: ParseHTML}}\n  odd: {selection}\nexpect:\n  - order: {{of: [bursts, odd]}}\n"
    told = _problems(load, rest=rest)
    assert any(message in one for one in told), told


def _user_folder(root: Path) -> Path:
    folder = root / "mine"
    folder.mkdir()
    (folder / "page.html").write_text("x")
    (folder / "claims.yaml").write_text(
        "event: ParseHTML\nslug: parse-html\nclaims:\n  - {id: parse-html.one, says: a, refuted_by: b}\n"
    )
    (folder / "a.scenario.yaml").write_text(HEAD + STEPS + REST)
    return folder


def test_a_folder_of_ones_own_needs_nothing_of_ours(tmp_path: Path) -> None:
    folder = _user_folder(tmp_path)
    loaded = load_folder(folder)
    assert [case.id for case in loaded.cases] == ["parse-html.example"]
    assert loaded.claims["parse-html.one"].event == "parse-html"
    assert loaded.events == {"parse-html": "ParseHTML"}
    assert loaded.cases[0].arms["main"].fixture == folder / "page.html"
    assert [case.id for case in load_file(folder / "a.scenario.yaml")] == ["parse-html.example"]
    assert [case.id for case in load_folder(folder / "a.scenario.yaml").cases] == ["parse-html.example"]


def test_all_problems_of_all_files_at_once(tmp_path: Path) -> None:
    folder = _user_folder(tmp_path)
    (folder / "b.scenario.yaml").write_text(HEAD + STEPS + REST)
    (folder / "c.scenario.yaml").write_text("a: [\n")
    (folder / "d.scenario.yaml").write_text((HEAD + STEPS + REST).replace("bursts, is", "brusts, is"))
    loaded = survey(folder)
    assert [Path(problem.file).name[0] for problem in loaded.problems] == ["c", "d", "b", "d"]
    assert loaded.problems[2].message == 'the scenario id "parse-html.example" is given twice'
    assert len(loaded.cases) == 2
    with pytest.raises(ScenarioError):
        load_folder(folder)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  - {id: layout.one, says: a, refuted_by: b}", "the id does not start with the slug"),
        ("  - {id: parse-html.one, says: a, refuted_by: b}", 'the claim "parse-html.one" is given twice'),
        ("  - {id: parse-html.two, says: a}", 'the key "refuted_by" is missing'),
        ("  - {id: parse-html.two, says: a, refuted_by: b, sure: true}", 'unknown key "sure"'),
        (
            "  - {id: parse-html.two, says: a, refuted_by: b, undecidable: {kind: corpse, why: x}}",
            '"corpse" is not a kind',
        ),
        (
            "  - {id: parse-html.two, says: a, refuted_by: b, open: x, undecidable: {kind: corpus, why: x}}",
            "either undecidable or open",
        ),
    ],
)
def test_mistakes_in_claims(tmp_path: Path, line: str, message: str) -> None:
    folder = _user_folder(tmp_path)
    claims = folder / "claims.yaml"
    claims.write_text(claims.read_text() + line + "\n")
    assert any(message in problem.message for problem in survey(folder).problems)


def test_a_missing_folder_is_a_problem_not_a_traceback(tmp_path: Path) -> None:
    assert "no such file" in survey(tmp_path / "nothing").problems[0].message
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_file(tmp_path / "nothing.scenario.yaml", CLAIMS, [PAGES])
