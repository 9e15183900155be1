"""A run held against earlier ones: the twelve situations of the docs, and the rules one by one."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.results import write_results
from pytest_rcabench.reports.comparison import compare
from pytest_rcabench.reports.comparison_text import (
    comparison_lines,
    render_comparison,
    telling_cells,
    verdict_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell

PAGE = Path(__file__).parents[3] / "docs/explanation/gate.md"
BEGIN, END = "<!-- situations -->\n", "<!-- end of situations -->\n"

ISSUE = {
    "title": "Connections are never closed",
    "severity": "error",
    "service": "orders-api",
    "cause": "a connection leak on the error path",
    "commits": ["c0ffee0" + "0" * 33],
}
INNOCENT = ISSUE | {"title": "Colours", "severity": "info", "commits": ["beef1e0" + "0" * 33]}
FAULTY = {"✓": [ISSUE], "½": [ISSUE, INNOCENT], "✗": [ISSUE | {"service": "web"}]}
HEALTHY = {"✓": [], "½": [INNOCENT], "✗": [ISSUE]}


class Project:
    """A folder of small incidents, and runs on them whose answers get the marks that are wanted."""

    def __init__(self, folder: Path, write: Callable[..., Path]) -> None:
        self.folder = folder
        self._write = write
        self.incidents: dict[str, Incident] = {}
        self._runs = 0

    def incident(self, name: str, **changes: object) -> Incident:
        """Write the incident *name*, a healthy window where it is called calm."""
        healthy = name.startswith("calm")
        below = "tuned" if "tuned" in name else "held_out"
        path = self._write(self.folder / "incidents" / below, name, healthy=healthy, **changes)
        self.incidents[name] = read_incident(path)
        return self.incidents[name]

    def run(
        self, marks: Mapping[str, str], *columns: ColumnInfo, day: int = 1, **changes: object
    ) -> Results:
        """Return a run in which each incident of *marks* gets those marks, a round each."""
        for name in marks.keys() - self.incidents.keys():
            self.incident(name)
        self._runs += 1
        columns = columns or (ColumnInfo("sut", "command"),)
        run = Results(
            run=RunInfo(
                id=f"run-{self._runs}",
                started=f"2026-11-{day:02}T03:00:00Z",
                finished=f"2026-11-{day:02}T03:10:00Z",
                git=GitState(),
                argv=(),
                package="0.1.0",
            ),
            scorer_digest=scorer_digest(),
            prompt_digest="",
            columns=columns,
            incidents=tuple(
                incident_info(incident, f"incidents/{incident.set}/{incident.id}.yaml")
                for incident in (self.incidents[name] for name in sorted(marks))
            ),
            cells=tuple(
                self._cell(RunKey(name, column.name, number), mark)
                for name in sorted(marks)
                for column in columns
                for number, mark in enumerate(marks[name], 1)
            ),
        )
        return replace(run, **changes)  # type: ignore[arg-type]  # fields of Results

    def _cell(self, key: RunKey, mark: str) -> Cell:
        if mark == "⚠":
            return unmeasured_cell(key, "quota", "")
        incident = self.incidents[key.incident]
        issues = (HEALTHY if incident.is_healthy else FAULTY)[mark]
        analysis = read_answer(json.dumps({"issues": issues}))
        cell = measured_cell(key, analysis, score(analysis, incident))
        assert cell.verdict == {"✓": "pass", "½": "half", "✗": "wrong"}[mark]
        return cell


@pytest.fixture
def project(tmp_path: Path, write_incident: Callable[..., Path]) -> Project:
    """Return a project without incidents yet."""
    return Project(tmp_path, write_incident)


def eleven(default: str, **marks: str) -> dict[str, str]:
    """Return the marks of nine faulty and two healthy windows, *default* where none are given."""
    names = [f"fault{number}" for number in range(1, 10)] + ["calm1", "calm2"]
    return dict.fromkeys(names, default) | marks


@dataclass(frozen=True)
class Situation:
    """Marks on both sides, and what the gate must make of them."""

    what: str
    base: dict[str, str]
    new: dict[str, str]
    verdict: str
    status: int
    says: str
    changes: dict[str, object] = field(default_factory=dict)


TWELVE, THREE = "✓" * 12, "✓" * 3
FIVE_WRONG = {f"fault{number}": "✗✗✗" for number in range(1, 6)}
SITUATIONS = (
    Situation(
        "better: five of nine incidents were wrong in 3 rounds and pass now",
        eleven(THREE, **FIVE_WRONG),
        eleven(THREE),
        "better",
        0,
        "sut, faulty held-out, 9 incidents: score 44 % -> 100 %: better",
    ),
    Situation(
        "same: eleven faulty windows, perfect in 12 rounds and in 3 new ones",
        {f"fault{number}": TWELVE for number in range(11)},
        {f"fault{number}": THREE for number in range(11)},
        "no worse",
        0,
        "score 100 % -> 100 %: no worse",
    ),
    Situation(
        "worse: five of nine incidents passed in 3 rounds and are wrong now",
        eleven(THREE),
        eleven(THREE, **FIVE_WRONG),
        "regressed",
        1,
        "sut, faulty held-out, 9 incidents: the score fell 100 % -> 44 %",
    ),
    Situation(
        "flaky: three incidents pass now and then, on both sides",
        eleven(THREE, fault1="✓✗✓", fault2="✗✓✗", fault3="½✓✓"),
        eleven(THREE, fault1="✗✓✗", fault2="✗✓✓", fault3="✓½✓"),
        "undecided",
        0,
        "undecided: a drop of",
    ),
    Situation(
        "one dead incident, 12 rounds before and 3 now",
        eleven(TWELVE),
        eleven(THREE, fault1="✗✗✗"),
        "regressed",
        1,
        "fault1::sut passed in all 12 rounds of the baseline and in none of 3 now",
    ),
    Situation(
        "one dead incident, 3 rounds before and 3 now",
        eleven(THREE),
        eleven(THREE, fault1="✗✗✗"),
        "undecided",
        0,
        "in none of 3 now; so few rounds may be chance",
    ),
    Situation(
        "two dead incidents, 3 rounds before and 3 now",
        eleven(THREE),
        eleven(THREE, fault1="✗✗✗", fault2="½✗✗"),
        "regressed",
        1,
        "the score fell 100 % -> 80 %",
    ),
    Situation(
        "a healthy window now alarmed while faulty ones improve, 12 rounds before",
        eleven(TWELVE, fault1="✗" * 12, fault2="✗" * 12),
        eleven(THREE, calm1="✗✗✗"),
        "regressed",
        1,
        "calm1::sut passed in all 12 rounds of the baseline and in none of 3 now",
    ),
    Situation(
        "other scorer: the baseline was scored by another, its answers are as good as now",
        {f"fault{number}": TWELVE for number in range(11)},
        {f"fault{number}": THREE for number in range(11)},
        "no worse",
        0,
        "scored again: run run-1: fault0::sut::r1: wrong -> pass",
        {"scorer_digest": "0" * 64},
    ),
    Situation(
        "changed incident: the evidence of one that failed was edited since the baseline",
        {f"fault{number}": TWELVE for number in range(12)},
        {f"fault{number}": THREE for number in range(11)} | {"fault11": "✗✗✗"},
        "no worse",
        0,
        "left out: fault11: its evidence changed since run run-1",
        {"edited": "fault11"},
    ),
    Situation(
        "all unmeasured: a quota kept every answer away",
        eleven(THREE),
        eleven("⚠⚠⚠"),
        "undecided",
        1,
        "gate: red (undecided): nothing was measured",
    ),
    Situation(
        "half the cells missing: the run was stopped after four incidents of eleven",
        eleven(THREE),
        eleven("", fault1=THREE, fault2=THREE, fault3=THREE, fault4=THREE),
        "undecided",
        1,
        "21 of 33 planned cells are missing or unmeasured, more than a tenth",
        {"complete": False},
    ),
    Situation(
        "empty baseline: it holds no cell",
        eleven(""),
        eleven(THREE),
        "undecided",
        1,
        "gate: red (undecided): nothing can be paired with the baseline",
    ),
)


def _sides(project: Project, one: Situation) -> tuple[Results, Results]:
    base = project.run(one.base, day=1)
    if "scorer_digest" in one.changes:
        wrong = tuple(replace(cell, verdict="wrong") for cell in base.cells)
        base = replace(base, cells=wrong, scorer_digest=str(one.changes["scorer_digest"]))
    if "edited" in one.changes:
        project.incident(str(one.changes["edited"]), says="another first line")
    new = project.run(one.new, day=2, complete=one.changes.get("complete", True))
    return base, new


@pytest.mark.parametrize("one", SITUATIONS, ids=lambda one: one.what.split(",")[0].split(":")[0])
def test_each_situation_has_its_verdict_and_exit_status(
    one: Situation,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`rcabench compare` says what the gate makes of it, and its last line why."""
    base, new = _sides(project, one)
    write_results(project.folder / "base.json", base)
    write_results(project.folder / "new.json", new)
    monkeypatch.chdir(project.folder)

    comparison = compare([base], new, project.incidents)
    status = main(["compare", "base.json", "new.json"])
    lines = capsys.readouterr().out.splitlines()

    assert (one.verdict, one.status) == (comparison.verdict, status)
    assert comparison.is_red is bool(one.status)
    assert comparison_lines(comparison) == lines
    assert any(one.says in line for line in lines), lines
    assert lines[-1] == verdict_line(comparison)


def test_the_docs_print_the_situations() -> None:
    """The table is made here; RCABENCH_REWRITE_GOLDEN=1 writes it anew."""
    rows = [f"| {one.what} | {one.verdict} | {one.status} |\n" for one in SITUATIONS]
    table = "".join(["| situation | verdict | exit status |\n|---|---|---|\n", *rows])
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    page = f"{head}{BEGIN}{table}{END}{tail}"

    if os.environ.get("RCABENCH_REWRITE_GOLDEN"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


def _compare(project: Project, *runs: Results) -> list[str]:
    *base, new = runs
    return comparison_lines(compare(base, new, project.incidents))


def test_columns_pair_by_name_whatever_model_and_label(project: Project) -> None:
    """Version 1.2.8 is held against 1.2.10, and the reader is told that the model changed."""
    then = ColumnInfo("gemini", "gemini:a", model="gemini-a", label="1.2.8")
    now = ColumnInfo("gemini", "gemini:b", model="gemini-b", label="1.2.10")
    comparison = compare(
        [project.run({"one": THREE}, then)], project.run({"one": THREE}, now), project.incidents
    )

    assert [pair.name for pair in comparison.families[0].pairs] == ["one::gemini"]
    assert "gemini: gemini-a answered in the baseline, gemini-b now" in comparison.warnings


def test_families_are_never_pooled(project: Project) -> None:
    """Columns, sets, faulty and healthy windows, and other checks are judged apart."""
    names = ["fault", "calm", "tuned1", "calm-tuned"]
    columns = ColumnInfo("a", "command"), ColumnInfo("b", "command")
    run = project.run(dict.fromkeys(names, THREE), *columns)
    comparison = compare([run], replace(run, run=replace(run.run, id="new")), project.incidents)

    expected = {"faulty held-out", "healthy held-out", "faulty tuned", "healthy tuned"}
    assert {(column, name) for column in "ab" for name in expected} == {
        (family.column, family.name) for family in comparison.families
    }


def test_a_must_pass_incident_is_red_under_half(project: Project) -> None:
    """Half of the rounds is enough, and a baseline that was no better is no excuse."""
    project.incident("vital", must_pass=True)
    half, less = {"vital": "✓✗"}, {"vital": "✓✗½"}

    assert not compare([project.run(half)], project.run(half), project.incidents).is_red
    assert compare([project.run(less)], project.run(less), project.incidents).reasons == (
        "vital::sut must pass, and passed in 1 of 3 rounds",
    )


def test_unmeasured_rounds_are_no_cells(project: Project) -> None:
    """What was not measured neither helps nor harms, and up to a tenth of it is no shortage."""
    marks = {f"i{number}": THREE for number in range(10)}
    new = project.run(marks | {"i0": "⚠⚠⚠"})
    comparison = compare([project.run(marks)], new, project.incidents)

    assert not comparison.is_red
    assert comparison.families[0].judgement.incidents == 9
    assert "i0::sut: nothing was measured in the new run" in comparison.left_out


def test_the_baseline_is_the_newest_complete_runs_up_to_twelve_rounds(project: Project) -> None:
    """Neither a good score nor a bad one gets a run in."""
    five, better = {"one": "✗✓✗✓✗"}, {"one": "✓✓✓✓✓"}
    runs = [
        project.run(better, day=1),
        project.run(five, day=2),
        project.run(five, day=3),
        project.run(better, day=4, complete=False),
        project.run(five, day=5),
    ]
    new = project.run(five, day=6)
    lines = _compare(project, *runs, runs[1], new, new)

    assert (
        "baseline of sut: 3 runs, 15 rounds, 2026-11-02 to 2026-11-05, the newest 1 day old; "
        "answered by command"
    ) in lines
    for reason in (
        "run-1: the newer ones have 12 rounds without it",
        "run-4: is not complete",
        "run-6: is the new run itself",
    ):
        assert f"left out: run {reason}" in lines


def test_runs_of_other_columns_do_not_crowd_a_column_out(project: Project) -> None:
    """Each column has its own twelve rounds, from whichever runs have it."""
    a, b = ColumnInfo("a", "command"), ColumnInfo("b", "command")
    old = project.run({"one": TWELVE}, a, day=1)
    newer = project.run({"one": TWELVE}, b, day=2)
    comparison = compare([old, newer], project.run({"one": THREE}, a, b, day=3), project.incidents)

    assert {one.column: one.rounds for one in comparison.baseline} == {"a": 12, "b": 12}


def test_what_has_no_counterpart_is_listed(project: Project) -> None:
    """Columns and incidents that one side lacks, and incidents whose file is gone."""
    a, b, c = (ColumnInfo(name, "command") for name in "abc")
    base = project.run({"one": THREE, "gone": THREE, "old": THREE}, a, b)
    new = project.run({"one": THREE, "gone": THREE, "fresh": THREE}, a, c)
    del project.incidents["gone"]
    comparison = compare([base], new, project.incidents)

    assert {
        "column c: the baseline has none of this name",
        "column b: the new run has none of this name",
        "gone: its file is not here; name the folder that holds it",
        "old::a: is not in the new run",
        "fresh::a: is not in the baseline",
    } == set(comparison.left_out)


def test_verdicts_without_answers_are_refused_on_both_sides(project: Project) -> None:
    """No scorer can score them again, so they cannot be held against anything."""
    run = project.run({"one": THREE})
    bare = replace(run, cells=tuple(replace(cell, analysis=None, reply="") for cell in run.cells))

    for base, new in ((bare, run), (run, bare)):
        with pytest.raises(RecordError, match="run run-1: has verdicts without answers"):
            compare([base], new, project.incidents)


def test_changes_stand_worst_first_with_both_answers(project: Project) -> None:
    """The reader sees what was said then and what is said now, each by its most telling round."""
    base = project.run({"bad": THREE, "worse": THREE, "up": "✗✓✗"})
    comparison = compare(
        [base], project.run({"bad": "✓✓✗", "worse": "½✗✗", "up": THREE}), project.incidents
    )
    told = [telling_cells(pair) for pair in comparison.changes]
    lines = comparison_lines(comparison)
    place = lines.index("  worse::sut: ✓✓✓ -> ½✗✗")

    assert [pair.incident.id for pair in comparison.changes] == ["worse", "bad", "up"]
    assert [(before.verdict, after.verdict) for before, after in told] == [
        ("pass", "wrong"),
        ("pass", "wrong"),
        ("wrong", "pass"),
    ]
    assert lines[place + 1 : place + 3] == [
        "    then: [error] orders-api: Connections are never closed",
        "    now: [error] web: Connections are never closed (failed: service)",
    ]


def test_a_terminal_shows_ten_changes_and_markdown_all(project: Project) -> None:
    """Nothing is left out in silence."""
    names = [f"i{number:02}" for number in range(12)]
    base, new = project.run(dict.fromkeys(names, "✓")), project.run(dict.fromkeys(names, "✗"))
    comparison = compare([base], new, project.incidents)
    report = render_comparison(comparison)

    assert "  and 2 more" in comparison_lines(comparison)
    assert all(f"### {name}::sut: ✓ → ✗" in report for name in names)
    assert report.count("<details>") == report.count("</details>") == 24


def test_markdown_without_room_still_names_every_change(project: Project) -> None:
    """The worst changes keep their answers, the others their marks."""
    names = [f"i{number:02}" for number in range(12)]
    base, new = project.run(dict.fromkeys(names, "✓✓")), project.run(dict.fromkeys(names, "✗✗"))
    comparison = compare([base], new, project.incidents)
    report = render_comparison(comparison, 3_000)

    assert len(report.encode()) < 3_500
    assert "### i00::sut: ✓✓ → ✗✗" in report
    assert "- i11::sut: ✓✓ → ✗✗" in report
    assert all(f"{name}::sut: ✓✓ → ✗✗" in report for name in names)


def test_the_models_are_those_that_answered(project: Project) -> None:
    """A vendor who puts another model behind the same name is seen."""
    asked = ColumnInfo("gemini", "gemini:latest", model="latest")
    runs = [
        replace(run, cells=tuple(replace(cell, model=model) for cell in run.cells))
        for model in ("latest-001", "latest-002")
        for run in [project.run({"one": THREE}, asked)]
    ]
    comparison = compare(runs[:1], runs[1], project.incidents)

    assert "gemini: latest-001 answered in the baseline, latest-002 now" in comparison.warnings


def test_the_last_line_counts_the_other_reasons(project: Project) -> None:
    """One reason is told, and nobody is left to think that it is the only one."""
    project.incident("vital", must_pass=True)
    names = [f"i{number}" for number in range(9)] + ["vital"]
    base = project.run(dict.fromkeys(names, TWELVE))
    comparison = compare([base], project.run(dict.fromkeys(names, "✗✗✗")), project.incidents)

    assert len(comparison.reasons) == 1 + 10 + 1
    assert verdict_line(comparison).startswith("gate: red (regressed): sut, faulty held-out, 10 ")
    assert verdict_line(comparison).endswith("(and 11 more)")


def test_text_of_models_cannot_become_markup(project: Project) -> None:
    """An answer with markup, a fence and escape sequences shows as it was written."""
    hostile = ColumnInfo("sut", "command", model="<script>\x1b[31m|`@all")
    base, new = project.run({"one": "✓"}, hostile), project.run({"one": "✗"})
    evil = read_answer(json.dumps({"issues": [ISSUE | {"title": "```\n</details>\x1b[2J"}]}))
    cell = replace(new.cells[0], reply=evil.reply)
    comparison = compare([base], replace(new, cells=(cell,)), project.incidents)
    report = render_comparison(comparison)

    assert "<script>" not in report
    assert "\x1b" not in report + "\n".join(comparison_lines(comparison))


def test_a_replay_is_no_further_round(project: Project) -> None:
    """In a baseline it would count the same answers twice; as the new run it is said to be one."""
    asked = project.run({"one": THREE})
    again = project.run({"one": THREE})
    replayed = replace(again, run=replace(again.run, argv=("--rca-replay=base.json",)))
    comparison = compare([asked, replayed], project.run({"one": THREE}), project.incidents)
    repeated = compare([asked], replayed, project.incidents)

    assert [one.rounds for one in comparison.baseline] == [3]
    assert comparison.left_out == ("run run-2: repeats the answers of another run (--rca-replay)",)
    assert "nobody was asked: the answers are those of an earlier run" in repeated.warnings


@pytest.mark.parametrize(
    ("base", "new", "says"),
    [
        (THREE, THREE, "cannot be decided: no incident has rounds that differ; "),
        (THREE, "✓✓✗", "cannot be decided: p would be 0.5 at best; "),
        ("✗" + TWELVE[1:], "✓✓✗", "undecided: a drop of 45 points cannot be excluded; "),
    ],
)
def test_what_is_undecided_says_why_and_what_it_could_have_seen(
    base: str, new: str, says: str, project: Project
) -> None:
    """Nothing found is told apart from nothing to be found."""
    then, now = {"one": base, "two": THREE}, {"one": new, "two": THREE}
    comparison = compare([project.run(then)], project.run(now), project.incidents)

    assert f"sut, faulty held-out, 2 incidents: {says}rounds like these" in comparison.warnings[0]
    assert comparison.verdict == "undecided"
