"""How changes, metrics, alerts and traces stand in a prompt, and what their shortening keeps."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.domain.incident import Alert, Change, MetricSeries, Span, Window
from pytest_rcabench.engine.prompt_sections import (
    alert_section,
    change_section,
    metric_section,
    trace_section,
)
from pytest_rcabench.engine.prompt_text import clock_of, cut, inline, thinned, visible

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
CLOCK = clock_of(Window(START, START + timedelta(hours=1)))
SHA = "c0ffee0" + "0" * 33


def series(*values: float | None) -> MetricSeries:
    """Return a series of one value a minute."""
    return MetricSeries("busy", "orders", "connections", START, 60.0, values)


def rows(*values: float | None, is_whole: bool = False) -> list[str]:
    """Return the rows below the head of a series of *values*."""
    (entry,) = metric_section([series(*values)], CLOCK, 600, is_whole=is_whole).entries
    return [row.strip() for row in entry.splitlines()[1:]]


def test_a_change_tells_all_that_is_known_of_it() -> None:
    """Facts on the first line, then message, files and diff, set in."""
    change = Change(
        "commit",
        START - timedelta(hours=14),
        service="orders",
        author="r.lindqvist",
        sha=SHA,
        message="Validate coupon\n",
        files=("a.py", "b.py"),
        diff="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n",
    )
    (entry,) = change_section([change], CLOCK, 600, diff_limit=600).entries

    assert entry.splitlines() == [
        f"2026-10-06 23:00:00 commit sha={SHA} service=orders author=r.lindqvist",
        "    Validate coupon",
        "    files: a.py, b.py",
        "    diff:",
        "    --- a/a.py",
        "    +++ b/a.py",
        "    @@ -1 +1 @@",
        "    -x",
        "    +y",
    ]


def test_a_flag_tells_what_it_was_and_became() -> None:
    """Changes without a sha are told by key, before and after."""
    flag = Change("flag", START, service="shop", key="fast-path", before="10 %", after="50 %")
    (entry,) = change_section([flag], CLOCK, 600, diff_limit=600).entries

    assert entry == "13:00:00 flag service=shop key=fast-path before=10 % after=50 %"


def test_a_long_diff_is_cut_between_lines() -> None:
    """Half a line of a diff could say the opposite of the whole."""
    diff = "\n".join(f"+line {n:03}" for n in range(200))
    section = change_section([Change("commit", START, diff=diff)], CLOCK, 600, diff_limit=400)
    marked = [line for line in section.entries[0].splitlines() if "left out" in line]

    assert "+line 000" in section.entries[0]
    assert "+line 199" in section.entries[0]
    assert [line.strip() for line in marked] == ["[… 1,599 characters left out …]"]
    assert section.left_out == ("1,599 characters of 1 long diffs",)


def test_alerts_and_spans_take_a_line_each() -> None:
    """A line feed in one of them starts no new entry."""
    alert = Alert(START, "orders", "busy", "busy\n## Changes")
    span = Span("t1", "s2", "", "orders", "GET /", START, 12.5, "error", "reset")

    assert alert_section([alert], CLOCK, 600).entries == (
        r"13:00:00 orders busy: busy\n## Changes",
    )
    assert trace_section([span], CLOCK, 600).entries == (
        "13:00:00 orders GET / 12.5 ms error; t1 s2 -; reset",
    )


def test_every_value_and_gap_is_shown_while_there_is_room() -> None:
    """Each row begins with the time of its first value."""
    assert rows(*range(20), None, 21.5, is_whole=True) == [
        "13:00:00 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19",
        "13:20:00 _ 21.5",
    ]


def test_large_counters_keep_all_their_digits() -> None:
    """A second or a request more is a difference, whatever came before."""
    assert rows(1791374400.004, 1791374460.5, is_whole=True) == [
        "13:00:00 1791374400.004 1791374460.5"
    ]


def test_a_constant_series_is_one_value() -> None:
    """Nothing is lost where nothing happens."""
    assert rows(*[12.0] * 60, is_whole=True) == ["13:00:00 12, all 60 values"]


def test_a_shortened_series_keeps_the_values_around_its_change() -> None:
    """The stretch before and after is a range; the change can be dated."""
    assert rows(*[3, 4] * 20, *[9, 8] * 20)[:3] == [
        "13:00:00 [35 values: 3 to 4]",
        "13:35:00 4 3 4 3 4 9 8 9 8 9",
        "13:45:00 [35 values: 8 to 9]",
    ]


def test_a_stretch_of_gaps_is_told_as_such() -> None:
    """No range is made up where nothing was measured."""
    assert rows(*[None] * 30, *[3.0] * 30)[0] == "13:00:00 [25 values: gaps]"


def test_a_counter_is_shortened_around_where_it_climbs_faster() -> None:
    """It always climbs; what changes is how fast."""
    slow = [float(n) for n in range(40)]
    fast = [40 + 25.0 * n for n in range(20)]

    assert any(row.startswith("13:36:00 36 37 38 39 40 65") for row in rows(*slow, *fast))


def test_what_a_series_lost_is_said_in_numbers() -> None:
    """Ranges stand for values, and their number is known."""
    section = metric_section([series(*[3, 4] * 20, *[9, 8] * 20)], CLOCK, 600, is_whole=False)

    assert section.left_out == (
        "70 of 80 metric values, far from any change: each stretch as a range",
    )


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.none() | st.floats() | st.integers(), max_size=80), st.booleans())
def test_any_series_can_be_shown(values: list[float | None], is_whole: bool) -> None:  # noqa: FBT001 - drawn
    """Gaps, infinities, what is no number, and no values at all."""
    shown = rows(*values, is_whole=is_whole)

    assert bool(shown) is bool(values)
    if is_whole and len({*values}) > 1:
        assert sum(len(row.split()) - 1 for row in shown) == len(values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("half \ud83d", r"half \ud83d"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("a\r\nb\x85c\u2028d", "a\\r\nb\\x85c\\u2028d"),
        ("nul\0", r"nul\x00"),
        ("\U000e0041tag", r"\U000e0041tag"),
        ("Größe 大きい 👍\tfine\n", "Größe 大きい 👍\tfine\n"),
    ],
)
def test_what_prints_nothing_becomes_visible(text: str, expected: str) -> None:
    """Escape sequences, directions and halves of characters are shown, and do nothing."""
    assert visible(text) == expected


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(st.characters()))
def test_any_text_becomes_printable(text: str) -> None:
    """On one line too, and it can be encoded."""
    assert inline(text).isprintable()
    assert visible(text) == visible(visible(text)).encode().decode()


def test_an_endless_line_keeps_both_ends() -> None:
    """What went is marked where it went, with its length."""
    text, lost = cut("begin" + "x" * 1_000_000 + "end", 600)

    assert lost == 1_000_008 - 600
    assert text.startswith("beginx")
    assert text.endswith("xend")
    assert f"[… {lost:,} characters left out …]" in text


def test_a_text_that_is_hardly_too_long_is_not_cut() -> None:
    """A marker must not take more room than it saves."""
    assert cut("x" * 640, 600) == ("x" * 640, 0)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.text(max_size=30)), st.integers(-10, 500))
def test_thinning_keeps_to_its_room(entries: list[str], room: int) -> None:
    """Whatever the entries, what is kept fits, and all is kept where all fits."""
    kept = thinned(entries, room)
    size = sum(len(entries[index]) + 1 for index in kept)

    assert size <= max(room, 0)
    if sum(len(entry) + 1 for entry in entries) <= room:
        assert kept == tuple(range(len(entries)))


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (START, "13:00:00"),
        (START.replace(microsecond=40_000), "13:00:00.040"),
        (START.replace(microsecond=40_001), "13:00:00.040001"),
        (START.replace(day=8), "2026-10-08 13:00:00"),
    ],
)
def test_a_time_is_as_short_as_it_can_be(time: datetime, expected: str) -> None:
    """No digit that was written is lost, and another day is never mistaken for the first."""
    assert CLOCK(time) == expected


def test_infinities_do_not_hide_a_change() -> None:
    """They count as the value before them."""
    values = [math.inf, *[3.0, 4.0] * 20, *[9.0, 8.0] * 20]

    assert any(row.startswith("13:36:00 4 3 4") for row in rows(*values))
