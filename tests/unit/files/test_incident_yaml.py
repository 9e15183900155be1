from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import IncidentError, Problem
from pytest_rcabench.domain.incident import (
    Fault,
    Healthy,
    Incident,
    Place,
    evidence_digest,
    truth_digest,
)
from pytest_rcabench.files.incident_document import incident_json_schema
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.incident_yaml import read_incident, read_incident_text
from pytest_rcabench.files.log_formats import FORMATS

SHA = "4225332178759948043475600000000000000000"
OTHER = "a" * 40
WHOLE = f"""\
schema: rcabench/1
id: leak
title: A leak
kind: bad_deploy
difficulty: medium
window: {{start: "2026-10-07T13:00:00Z", end: "2026-10-07T14:00:00Z"}}
logs:
  - service: api
    host: api-1
    format: plain
    lines: |
      2026-10-07T13:00:04.113Z INFO reserved
      2026-10-07T13:00:05Z ERROR failed
      java.lang.Error: pool
      \tat Pool.take
metrics:
  - {{name: active, service: api, start: "2026-10-07T13:00:00Z", step_s: 60, values: [3, null]}}
changes:
  - type: commit
    sha: {SHA}
    time: "2026-10-07T12:51:09Z"
    author: r.lindqvist
    service: api
    message: Validate coupon
    diff: |
      --- a/pool.py
      +++ b/pool.py
      @@ -1 +1 @@
      -a
      +b
  - {{type: deploy, time: "2026-10-07T13:10:00Z", service: api, version: 1.10, sha: {SHA}}}
expected:
  service: api
  onset: "2026-10-07T13:21:40Z"
  cause: [[pool], [leak*]]
  commit: {SHA}
"""
HEALTHY = re.sub(r"(?s)expected:.*", "", WHOLE).replace("kind: bad_deploy", "kind: healthy")


def read(text: str | bytes) -> Incident:
    """Return the incident, after a look that both of PyYAML's parsers agree on it."""
    incident = read_incident_text(text, "leak.yaml")
    assert incident == read_incident_text(text, "leak.yaml", pure_python=True)
    return incident


def problems(text: str | bytes, *, path: str = "leak.yaml") -> list[Problem]:
    """Return what is wrong with *text*, after a look that both parsers name the same lines."""
    found = []
    for pure_python in (False, True):
        with pytest.raises(IncidentError) as caught:
            read_incident_text(text, path, pure_python=pure_python)
        found.append(list(caught.value.problems))
    assert [problem.line for problem in found[0]] == [problem.line for problem in found[1]]
    return found[0]


def changed(old: str, new: str, text: str = WHOLE) -> str:
    """Return *text* with *old*, which must stand in it, replaced by *new*."""
    assert old in text
    return text.replace(old, new, 1)


def test_a_file_becomes_an_incident() -> None:
    """Everything that the file says is in the incident, typed."""
    incident = read(WHOLE)

    evidence = incident.evidence
    assert evidence.logs[0].host == "api-1"
    assert evidence.logs[1].message == "failed\njava.lang.Error: pool\n\tat Pool.take"
    assert evidence.metrics[0].values == (3.0, None)
    assert evidence.changes[0].files == ("pool.py",)
    assert evidence.changes[1].version == "1.10"
    assert frozenset({SHA}) == evidence.shas
    assert Place("leak.yaml", 32) == incident.place
    assert (
        Fault(
            service="api",
            onset=datetime(2026, 10, 7, 13, 21, 40, tzinfo=UTC),
            cause=(("pool",), ("leak*",)),
            commits=(SHA,),
        )
        == incident.truth
    )


def test_a_healthy_window_has_no_truth_and_points_at_its_kind() -> None:
    """Silence is right there, and a report points at the line that says so."""
    incident = read(HEALTHY)

    assert Healthy() == incident.truth
    assert Place("leak.yaml", 4) == incident.place


def test_optional_parts_are_read_too() -> None:
    """Alerts, spans, distractors, examples and the rest arrive in the incident."""
    extra = f"""\
alerts: [{{time: "2026-10-07T13:30:00Z", service: api, metric: errors, summary: too many}}]
traces:
  - {{trace_id: t, span_id: a, parent_id: null, service: api, name: GET,
     start: "2026-10-07T13:30:00Z", duration_ms: 1.5e1, status: OK}}
distractors:
  - {{commit: {OTHER}, why: harmless}}
  - {{noise: nightly report, match: "slow .*", why: older}}
said_in_evidence: [{{phrase: leak, why: the pool says so}}]
examples: {{right: [a leak], wrong: [too small]}}
twin_of: other
must_pass: true
canary: c
source: {{origin: imported, name: elsewhere}}
"""
    commit = f'  - {{type: commit, sha: {OTHER}, time: "2026-10-07T12:00:00Z", message: ""}}\n'
    incident = read(WHOLE.replace("expected:", commit + "expected:") + extra)

    assert incident.evidence.alerts[0].summary == "too many"
    assert (
        incident.evidence.traces[0].parent_id,
        incident.evidence.traces[0].duration_ms,
    ) == ("", 15.0)
    assert [distractor.commit for distractor in incident.distractors] == [OTHER, ""]
    assert incident.said_in_evidence[0].phrase == "leak"
    assert incident.examples.right == ("a leak",)
    assert (incident.twin_of, incident.must_pass, incident.canary) == ("other", True, "c")


@pytest.mark.parametrize(
    ("written", "commits"),
    [(SHA, (SHA,)), (f"[{SHA}, {SHA[::-1]}]", (SHA, SHA[::-1])), ("none", ()), ('"none"', ())],
)
def test_a_culprit_is_one_sha_or_several_or_none(written: str, commits: tuple[str, ...]) -> None:
    """A flag has no sha, and where two commits are equally right both are."""
    commit = f'  - {{type: commit, sha: {SHA[::-1]}, time: "2026-10-07T13:30:00Z", message: x}}\n'
    text = changed(f"  commit: {SHA}", f"  commit: {written}")
    truth = read(changed("expected:", commit + "expected:", text)).truth

    assert isinstance(truth, Fault)
    assert commits == truth.commits


def test_an_import_may_grade_the_commit_alone() -> None:
    """Somebody else's data has no rubric, and says so."""
    text = changed("  cause: [[pool], [leak*]]\n", "  graded: [commit]\n")
    truth = read(text).truth

    assert isinstance(truth, Fault)
    assert (truth.graded, truth.cause) == (("commit",), ())


def test_ten_mistakes_are_told_at_once_each_with_line_and_column() -> None:
    """Nobody has to run the tool ten times; one mistake hides no other."""
    text = WHOLE
    for old, new in [
        ("id: leak", "id: Leak"),
        ("kind: bad_deploy", "kind: bad-deploy"),
        ("difficulty: medium", "dificulty: medium"),
        ('end: "2026-10-07T14:00:00Z"', 'end: "2026-10-07 14:00"'),
        ("2026-10-07T13:00:05Z ERROR", "2026-10-07T13:00:05 ERROR"),
        ("values: [3, null]", "values: [3, .nan]"),
        (f"    sha: {SHA}", "    sha: 42253321"),
        ("    message: Validate coupon", "    message: Validate coupon\n    message: again"),
        ("  commit: 4", "  commit: 5"),
        ("  service: api\n  onset", "  service: api\n  victims: [API]\n  onset"),
    ]:
        text = changed(old, new, text)
    found = [(problem.line, problem.column, problem.where) for problem in problems(text)]

    assert found == [
        (1, 1, "difficulty"),
        (2, 5, "id"),
        (4, 7, "kind"),
        (5, 1, "dificulty"),
        (6, 46, "window.end"),
        (13, 7, "logs[0].lines"),
        (17, 89, "metrics[0].values[1]"),
        (20, 10, "changes[0].sha"),
        (25, 5, "changes[0].message"),
        (35, 13, "expected.victims[0]"),
        (38, 11, "expected.commit"),
    ]


def test_a_problem_names_place_fault_and_remedy() -> None:
    """The form is the contract's: path, line, column, field, what is wrong, what to do."""
    [problem] = problems(changed("kind: bad_deploy", "kind: bad-deploy"))

    assert (
        str(problem) == "leak.yaml:4:7: kind: 'bad-deploy' is not known; did you mean bad_deploy?"
    )


HOSTILE = {
    "D02 a switch as key": ("title: A leak", "on: push\ntitle: A leak", "unquoted on"),
    "D06 a number as key": ("title: A leak", "1.10: x\ntitle: A leak", "unquoted 1.10"),
    "D07 comma fraction": ("13:21:40Z", "13:21:40,5Z", "no RFC 3339 time"),
    "D07 no zone": ("13:21:40Z", "13:21:40", "has no zone"),
    "D08 a date": ('"2026-10-07T13:21:40Z"', "2026-10-07", "no RFC 3339 time"),
    "D03 a clock": ('"2026-10-07T13:21:40Z"', "22:22", "no RFC 3339 time"),
    "D09 double key": ("metrics:\n", "logs: []\nmetrics:\n", "first in line 7"),
    "D10 alias": ("title: A leak", "title: *leak", r"the alias \*leak is refused"),
    "D11 depth": ("title: A leak", "title: " + "[" * 500, "nested more than"),
    "D12 tab after a colon": ("title: A leak", "title:\tA leak", "tab"),
    "D12 tab at the end": ("title: A leak", "title: A leak\t", "tab"),
    "D12 tab in brackets": ("[3, null]", "[3,\tnull]", "tab"),
    "D12 tab as indentation": ("  service: api\n  onset", "  service: api\n\tonset", "tab"),
    "D12 tab in a first line": ("      --- a/pool", "      \t--- a/pool", "tab"),
    "D12 question mark in brackets": ("[pool]", "[is it the pool?]", "quote"),
    "D12 colon without blank": ("values: [", "values:[", "colon|':'"),
    "D12 comment on a block": ("lines: |", "lines: |#", "block"),
    "D14 star": ("message: Validate", "message: *1234 upstream", "alias"),
    "D14 at sign": ("message: Validate", "message: @timestamp", "quote"),
    "D14 percent": ("message: Validate", "message: %d", "quote"),
    "D14 bracket": ("message: Validate", "message: [error] 29#29", "quote"),
    "D14 backtick": ("message: Validate", "message: `x`", "quote"),
    "D14 exclamation mark": ("message: Validate", "message: !ref x", "the tag !ref"),
    "D14 ampersand": ("message: Validate", "message: &x a", "the anchor &x"),
    "D15 colon in a message": ("message: Validate", "message: error: full", "quote a text"),
    "D15 mapping for a phrase": ("[[pool]", "[[pool: full]", "a mapping, not a text"),
    "D15 list for lines": (
        "    lines: |\n",
        "    lines:\n      - a: b\n    x: |\n",
        "a list, not a",
    ),
    "D16 indented first line": ("      --- a/pool", "          --- a/pool", r"\|2"),
    "D17 raw escape": ("INFO reserved", "INFO \x1b[31mreserved", r"U\+001B"),
    "D17 raw delete": ("INFO reserved", "INFO \x7freserved", r"U\+007F"),
    "D18 raw NUL": ("INFO reserved", "INFO \x00reserved", r"U\+0000"),
    "D18 escaped NUL": ("title: A leak", r'title: "A\0leak"', "NUL"),
    "D18 escaped newline in a name": ("title: A leak", r'title: "A\nleak"', "one line"),
    "D19 mark inside": ("title: A leak", "title: A\ufeff leak", r"U\+FEFF"),
    "D21 list as key": ("title: A leak", "? [a]\n: b\ntitle: A leak", "a key is no text"),
    "D21 binary": ("title: A leak", "title: !!binary aGk=", "the tag"),
    "D21 date as key": ("title: A leak", "2026-11-30: x\ntitle: A leak", "unquoted 2026-11-30"),
    "D24 merge key": ("  service: api\n  onset", "  <<: {service: api}\n  onset", "merge keys"),
    "D27 lone carriage return": ("INFO reserved", "INFO res\rerved", r"U\+000D"),
    "D28 no leap second": ("13:21:40Z", "13:21:60Z", "does not exist"),
    "D30 hour 24": ("13:21:40Z", "24:00:00Z", "does not exist"),
    "D30 30 February": ("2026-10-07T13:21:40Z", "2026-02-30T13:21:40Z", "does not exist"),
    "D30 week date": ('"2026-10-07T13:21:40Z"', "2026-W49-1", "no RFC 3339 time"),
    "D30 year 1": ("2026-10-07T13:21:40Z", "0001-10-07T13:21:40+23:00", "no RFC 3339 time"),
    "D31 typographic minus": ("13:21:40Z", "13:21:40\N{MINUS SIGN}02:00", "no RFC 3339 time"),
    "D35 line without zone": ("13:00:05Z", "13:00:05", "has no zone"),
    "D41 NaN": ("[3, null]", "[3, NaN]", "null is a gap"),
    "D41 infinity": ("[3, null]", "[3, .inf]", "no number"),
    "D41 overflow": ("[3, null]", "[3, 1e400]", "finite"),
    "D41 quoted number": ("[3, null]", '[3, "5"]', "unquoted"),
    "D43 underscore": ("[3, null]", "[3, 1_000]", "no number"),
    "D43 other digits": ("[3, null]", "[3, \u0661\u0662]", "no number"),
    "D43 unit": ("[3, null]", "[3, 240 ms]", "no number"),
    "D05 hexadecimal": ("[3, null]", "[3, 0x1f]", "no number"),
    "D05 octal": ("[3, null]", "[3, 010]", "no number"),
    "D23 long number": ("[3, null]", f"[3, {'1' * 100}]", "no number"),
    "step of zero": ("step_s: 60", "step_s: 0", "more than 0"),
    "step of years": ("step_s: 60", "step_s: 1e300", "86400 or less"),
    "no values": ("[3, null]", "[]", "1 or more"),
    "null for a text": ("title: A leak", "title: ~", "is empty"),
    "nothing for a text": ("title: A leak", "title:", "is empty"),
    "a switch that is none": ("title: A leak", "must_pass: yes\ntitle: A leak", "true or false"),
    "a quoted switch": ("title: A leak", 'must_pass: "true"\ntitle: A leak', "true or false"),
    "upper-case sha": (f"    sha: {SHA}", f"    sha: {'A' * 40}", "lower-case"),
    "short sha": (f"    sha: {SHA}", "    sha: 6e12345", "40"),
    "unknown key": ("    author:", "    autor:", "did you mean author"),
    "unknown change": ("type: deploy", "type: deployment", "did you mean deploy"),
    "a change of no type": ("type: deploy, ", "", "write one of commit"),
    "a change that is a text": ("- {type: deploy", "- deploy\n  - {type: deploy", "not a mapping"),
    "flag without values": ("type: deploy", "type: flag", "changes.1..before: is missing"),
    "secret with a value": ("type: deploy", "type: secret, key: k, after: v", "no known key"),
    "event nowhere": ("type: deploy", "type: event, message: x", "no known key"),
    "unknown layout": ("format: plain", "format: plian", "did you mean plain"),
    "zone on a layout with zones": (
        "format: plain",
        'format: plain\n    zone: "+00:00"',
        "own zone",
    ),
    "no zone on one without": ("format: plain", "format: kafka", "zone: is missing"),
    "zone in words": ("format: plain", "format: kafka\n    zone: UTC", "no UTC offset"),
    "first line of another layout": ("format: plain", "format: spring-boot", "first line"),
    "folded lines": ("lines: |", "lines: >", "joins lines"),
    "line outside": ("T13:00:05Z", "T15:00:05Z", "outside the window"),
    "window backwards": ('end: "2026-10-07T14', 'end: "2026-10-07T12', "not after the start"),
    "onset outside": ("T13:21:40Z", "T14:21:40Z", "outside the window"),
    "healthy with a truth": ("kind: bad_deploy", "kind: healthy", "no truth"),
    "one group of phrases": ("[[pool], [leak*]]", "[[pool]]", "2 or more"),
    "no rubric": ("  cause: [[pool], [leak*]]\n", "", "cause: is missing"),
    "no culprit named": (f"  commit: {SHA}", "  also_ok: []", "commit: is missing"),
    "unlisted culprit": ("  commit: 4", "  commit: 5", "no change"),
    "graded twice": ("  commit: 4", "  graded: [commit, commit]\n  commit: 4", "twice"),
    "changes out of order": ("T13:10:00Z", "T11:10:00Z", "by time"),
    "another id": ("id: leak", "id: leek", "write leak"),
    "slug": ("id: leak", "id: Leak", "no slug"),
    "another version": ("rcabench/1", "rcabench/2", "upgrade"),
    "a slip in the version": ("rcabench/1", "rca-bench/1", "write rcabench/1"),
    "twin of itself": ("title: A leak", "title: A leak\ntwin_of: leak", "name its twin"),
    "unnamed source": ("title: A leak", "title: A leak\nsource: {origin: imported}", "source.name"),
    "list as incident": (WHOLE, "- a\n", "not a mapping"),
    "text as incident": (WHOLE, "hello\n", "not a mapping"),
    "two faults": (WHOLE[WHOLE.index("expected:") :], "expected: [{service: a}]\n", "a list"),
    "no truth": (WHOLE[WHOLE.index("expected:") :], "", "kind bad_deploy needs a truth"),
    "a text for a list": ("[[pool], [leak*]]", "pool", "not a list"),
    "negative duration": (
        "changes:\n",
        (
            "traces: [{trace_id: t, span_id: s, service: api, name: GET, status: OK,"
            ' duration_ms: -1, start: "2026-10-07T13:30:00Z"}]\nchanges:\n'
        ),
        "0 or more",
    ),
    "contributing in short": ("  commit: 4", "  contributing: [abc1234]\n  commit: 4", "full sha"),
    "D10 alias as key": ("title: A leak", "*a : x\ntitle: A leak", "the alias"),
    "a key too far right": ("title: A leak", "title: A leak\n  kind: x", "indent it like the keys"),
    "a key too far left": ("    host: ", "   host: ", "indent it like the keys"),
    "D20 empty": (WHOLE, "", "is empty"),
    "D20 only a comment": (WHOLE, "# later\n", "is empty"),
    "D20 two documents": (WHOLE, WHOLE + "---\na: 1\n", "one incident a file"),
}


@pytest.mark.parametrize(("old", "new", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_what_could_be_misread_is_refused_in_words(old: str, new: str, message: str) -> None:
    """Neither a traceback nor a value that differs silently: place, fault and remedy."""
    text = changed(old, new)
    found = problems(text)

    assert any(re.search(message, str(problem)) for problem in found), found
    assert all(1 <= problem.line <= text.count("\n") + 1 for problem in found)
    assert all(str(problem).isprintable() for problem in found)


def test_an_ampersand_or_tag_costs_one_problem_and_no_more() -> None:
    """What follows from a mistake is not told as well."""
    for new in ("title: *leak", "title: &x leak", "title: !ref leak"):
        assert len(problems(changed("title: A leak", new))) == 1


KEPT_AS_TEXT = {
    "D01 country": "NO",
    "D03 clock": "22:22",
    "D04 exponent": "1e10",
    "D05 hexadecimal": "0x1f2e3d4",
    "D05 underscore": "1_000",
    "D06 version": "1.10",
    "D07 time": "2026-11-30T10:00:00Z",
    "D13 equals sign": "=",
    "D22 emoji": "🚀",
    "a switch": "yes",
    "a true one": "true",
}


@pytest.mark.parametrize("text", KEPT_AS_TEXT.values(), ids=KEPT_AS_TEXT.keys())
def test_a_text_stays_what_was_written(text: str) -> None:
    """Quoted or not, no tool that wrote the file can turn it into something else."""
    flag = "type: flag, key: {0}, before: {0}, after: '{0}', time:"
    plain = read(
        changed("type: deploy, time:", flag.format(text)).replace(
            f", service: api, version: 1.10, sha: {SHA}}}", "}"
        )
    )
    change = plain.evidence.changes[1]

    assert (text, text, text) == (change.key, change.before, change.after)


def test_d27_windows_line_ends_and_d19_a_byte_order_mark_change_nothing() -> None:
    """The same file has the same digests on every machine."""
    plain, windows = read(WHOLE), read(b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode())

    assert plain == windows
    assert evidence_digest(plain.evidence) == evidence_digest(windows.evidence)
    assert truth_digest(plain) == truth_digest(windows)


def test_d28_a_leap_second_is_the_end_of_its_day() -> None:
    """RFC 3339 allows it, and no datetime does; the conversion is documented."""
    text = changed('end: "2026-10-07T14:00:00Z"', "end: 2027-01-01T00:59:60+01:00")

    assert datetime(2026, 12, 31, 23, 59, 59, 999999, UTC) == read(text).evidence.window.end


def test_d32_a_fraction_is_cut_after_six_digits() -> None:
    """Two lines within a microsecond keep the order of the file."""
    text = changed("T13:00:04.113Z", "T13:00:04.1234569Z")

    assert read(text).evidence.logs[0].time.microsecond == 123456


def test_d33_and_d34_lines_keep_the_order_of_the_file() -> None:
    """A clock that jumps back is evidence, which sorting would destroy."""
    text = changed("13:00:05Z ERROR failed", "13:00:01Z ERROR failed")

    assert [record.level for record in read(text).evidence.logs] == ["INFO", "ERROR"]


def test_lines_outside_the_window_are_told_three_times_and_counted() -> None:
    """A thousand such lines are one mistake."""
    line = "      2026-10-07T15:00:04.113Z INFO late\n"
    found = problems(changed("metrics:\n", line * 1000 + "metrics:\n"))

    assert [problem.line for problem in found] == [16, 17, 18]
    assert {7} == {problem.column for problem in found}
    assert "(997 more such lines follow)" in str(found[-1])


def test_a_line_of_a_quoted_log_is_told_where_the_text_starts() -> None:
    """An importer quotes logs that hold control characters; their lines have no place."""
    text = re.sub(
        r"(?s)lines: \|.*metrics:", 'lines: "2026-10-07T15:00:04Z INFO x"\nmetrics:', WHOLE
    )
    [problem] = problems(text)

    assert (problem.line, problem.column) == (11, 12)


def test_control_characters_are_told_three_times_and_hide_nothing() -> None:
    """Coloured logs are one mistake, and the others are told all the same."""
    text = changed("INFO reserved", "INFO " + "\x1b[0m" * 9)
    found = problems(changed("kind: bad_deploy", "kind: bad", text))

    assert [problem.line for problem in found] == [4, 12, 12, 12]
    assert "(6 more such characters follow)" in str(found[-1])


def test_wrong_values_of_one_list_are_told_three_times() -> None:
    """A series of NaN is one mistake."""
    found = problems(changed("[3, null]", f"[{', '.join(['NaN'] * 99)}]"))

    assert len(found) == 4


def test_d10_a_thousand_problems_end_at_a_hundred() -> None:
    """A hopeless file fills no memory and no screen."""
    found = problems("schema: rcabench/1\n" + "".join(f"k{n}: *a\n" for n in range(1000)))

    assert len(found) == 100
    assert "and more is wrong" in str(found[-1])


def test_d45_a_byte_that_is_no_utf8_is_named_and_hides_nothing() -> None:
    """The author learns line and column of the byte, and of the other mistake."""
    text = changed("kind: bad_deploy", "kind: bad").encode().replace(b"coupon", b"coup\xe9n")
    found = problems(text)

    assert [(problem.line, problem.column) for problem in found] == [(4, 7), (24, 27)]
    assert "0xe9 is no UTF-8" in str(found[1])


def test_another_encoding_is_named() -> None:
    """A file that an editor saved as UTF-16 gives one problem."""
    [problem] = problems(WHOLE.encode("utf-16"))

    assert "UTF-16" in str(problem)


def test_d23_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    """The bound is on the bytes, before anything is built from them."""
    path = tmp_path / "leak.yaml"
    with path.open("wb") as file:
        file.write(b"schema: rcabench/1\n")
        file.truncate(1 << 32)  # a hole: as large as a file of 4 GiB, and no bytes on the disk

    with pytest.raises(IncidentError, match="larger than 16 MiB"):
        read_incident(path)


def test_a_missing_file_is_an_incident_error(tmp_path: Path) -> None:
    """A path that cannot be read is the user's mistake and no traceback."""
    with pytest.raises(IncidentError, match=r"gone\.yaml:1:1: the file cannot be read"):
        read_incident(tmp_path / "gone.yaml", root=tmp_path)


def test_the_folder_tells_the_set(tmp_path: Path) -> None:
    """Below a folder named tuned an incident is tuned, whatever lies above the root."""
    root = tmp_path / "tuned" / "checkout"
    tuned, held_out = root / "incidents" / "tuned", root / "incidents" / "held_out"
    for folder in (tuned, held_out):
        folder.mkdir(parents=True)
        (folder / "leak.yaml").write_text(WHOLE, encoding="utf-8")

    assert read_incident(tuned / "leak.yaml", root=root).set == "tuned"
    assert read_incident(held_out / "leak.yaml", root=root).set == "held_out"
    assert read_incident(tuned / "leak.yaml").set == "tuned"
    assert (
        read_incident(held_out / "leak.yaml", root=root).place.path
        == "incidents/held_out/leak.yaml"
    )


def test_given_files_win_over_those_of_the_diff() -> None:
    """A diff may be cut, and its author knows."""
    text = changed("    diff: |", "    files: [other.py]\n    diff: |")

    assert read(text).evidence.changes[0].files == ("other.py",)


def test_imports_keep_the_order_of_their_changes() -> None:
    """The order of somebody else's file is part of what was measured with it."""
    text = changed("T13:10:00Z", "T11:10:00Z")
    text = changed("title: A leak", "title: A leak\nsource: {origin: imported, name: x}", text)

    assert [change.type for change in read(text).evidence.changes] == ["commit", "deploy"]


@pytest.mark.parametrize(
    ("distractor", "message"),
    [
        ("{why: x}", "either a commit, or a noise"),
        (f"{{commit: {OTHER}, why: x}}", "no change"),
        (f"{{commit: {SHA}, why: x}}", "is the culprit, so it cannot be a distractor"),
        (f"{{commit: {SHA}, noise: y, match: z, why: x}}", "either a commit, or a noise"),
        ("{noise: y, why: x}", "either a commit, or a noise"),
        ("{noise: y, match: '[', why: x}", "no regular expression"),
        ("{noise: y, match: 'a{99999999999}', why: x}", "no regular expression"),
    ],
)
def test_a_distractor_is_an_innocent_commit_or_a_noise(distractor: str, message: str) -> None:
    """Anything else would be planted and never be looked for."""
    assert any(
        message in str(problem) for problem in problems(f"{WHOLE}distractors: [{distractor}]\n")
    )


def test_a_contributing_sha_is_neither_guilty_nor_invented() -> None:
    """It may be blamed and need not be, so it cannot be the culprit."""
    found = problems(f"{WHOLE}  contributing: [{SHA}, {OTHER}]\n")

    assert "is the culprit" in str(found[0])
    assert "no change" in str(found[1])


def test_the_same_commit_twice_is_refused_and_a_deploy_of_it_is_not() -> None:
    """A deploy says which commit it rolls out; a commit happens once."""
    commit = f'  - {{type: commit, sha: {SHA}, time: "2026-10-07T13:30:00Z", message: x}}\n'
    [problem] = problems(changed("expected:", commit + "expected:"))

    assert "changes[0] is the same commit" in str(problem)


def test_an_event_says_where() -> None:
    """An event of nothing could not be blamed."""
    event = '  - {type: event, time: "2026-10-07T13:30:00Z", message: x}\n'
    [problem] = problems(changed("expected:", event + "expected:"))

    assert "add a service or a host" in str(problem)


@pytest.mark.parametrize(
    ("start", "is_one"),
    [
        ("schema: rcabench/1\n", True),
        ('# $schema=x\n\n"schema": "rcabench/1"\n', True),
        ("\ufeffschema: rcabench/1\r\n", True),
        ("{schema: rcabench/1, id: x}\n", True),
        ("schema: rcabench/2\n", True),
        ("schema: rcabench/1.0\n", True),
        ("schema: rca-bench/1\n", True),
        ("schema: Rcabench/1\n", True),
        ("Schema: rcabench/1\n", True),
        ("schema: rcabench\n", True),
        ("schema: rcabench-results/1\n", False),
        ("# schema: rcabench/1\n", False),
        ("example: |\n  schema: rcabench/1\n", False),
        ("version: 3\nservices: {}\n", False),
        ("schema: other/1\n", False),
        ("\x00\xff: [", False),
        ("", False),
        ("#" * 1100 + "\nschema: rcabench/1\n", False),
    ],
)
def test_only_a_file_that_claims_to_be_an_incident_looks_like_one(
    tmp_path: Path, start: str, *, is_one: bool
) -> None:
    """Any other YAML file is never touched, however broken it is."""
    path = tmp_path / "file.yaml"
    path.write_text(start, encoding="utf-8", newline="")

    assert is_one == looks_like_incident(path)


def test_what_cannot_be_opened_does_not_look_like_an_incident(tmp_path: Path) -> None:
    """A folder named like an incident is none, and no error."""
    assert not looks_like_incident(tmp_path)


def test_the_published_schema_is_the_one_that_is_used() -> None:
    """Editors and the reader cannot differ."""
    path = Path(__file__).parents[3] / "pytest_rcabench" / "schema" / "incident.json"

    assert incident_json_schema() == json.loads(path.read_text("utf-8"))


def test_the_schema_knows_every_log_layout() -> None:
    """A layout that is read can be written, and the other way round."""
    known = incident_json_schema()["$defs"]["log_stream"]["properties"]["format"]["enum"]

    assert list(FORMATS) == known


def test_every_key_of_the_schema_is_closed_and_explained() -> None:
    """An editor shows what a key means and underlines one that is none."""

    def objects(schema: object) -> list[dict[str, object]]:
        if isinstance(schema, list):
            return [found for item in schema for found in objects(item)]
        if not isinstance(schema, dict):
            return []
        inner = [found for item in schema.values() for found in objects(item)]
        return [schema, *inner] if schema.get("type") == "object" else inner

    found = objects(incident_json_schema())
    assert len(found) > 10
    for schema in found:
        assert schema["additionalProperties"] is False
        properties = schema["properties"]
        assert isinstance(properties, dict)
        assert all({"description", "const", "$ref"} & entry.keys() for entry in properties.values())


def test_the_place_is_no_part_of_what_an_incident_is() -> None:
    """Moving a file within its set changes nothing that is measured."""
    incident = read(WHOLE)

    assert incident == replace(incident, place=Place("elsewhere.yaml", 1))
