"""Specs as they are typed, and the columns they become."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Analysis
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.column_settings import parse_column_settings
from pytest_rcabench.engine.columns import Column, build_columns, parse_specs
from pytest_rcabench.engine.pacing import Ceiling

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Evidence


class Mine:
    """A user's own analyser."""

    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Say nothing."""
        del evidence
        return Analysis()


def build(*values: str, column: tuple[str, ...] = ()) -> tuple[Column, ...]:
    """Return the columns of *values*, where ``mine`` is known to a hook."""
    return build_columns(
        parse_specs(values, {}),
        settings=parse_column_settings(column),
        ceiling=Ceiling(None),
        label="1.2",
        timeout_s=5.0,
        environ={},
        custom=lambda spec: Mine() if spec.startswith("mine") else None,
    )


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("heuristic", ["heuristic"]),
        ("control:oracle", ["oracle"]),
        ("heuristic, control:silent", ["heuristic", "silent"]),
        ("mine:Model_4 (beta)", ["model_4-beta"]),
        ("x=mine:a=b", ["x"]),
        (f"sut=command:{sys.executable} -c 'a, b'", ["sut"]),
        ("sut=http://localhost/a,b", ["sut"]),
    ],
)
def test_a_column_is_called_by_its_name_or_its_model(value: str, names: list[str]) -> None:
    """A comma separates built-in names, and belongs to a command line or a URL."""
    assert names == [column.name for column in build(value)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "names no provider"),
        ("http://localhost/", "needs a name"),
        ("command:true", "needs a name"),
        ("Sut=heuristic", "cannot name a column"),
        ("a[b]=heuristic", "cannot name a column"),
        ("a::b", "unknown provider"),
        ("heuristic:fast", "unknown provider"),
        ("geuristic", "did you mean 'heuristic'"),
        ("heuristic,heuristic", "two columns are called 'heuristic'"),
        ("sut=command:no-such-program", "no-such-program"),
    ],
)
def test_a_spec_that_makes_no_sense_is_told(value: str, said: str) -> None:
    """The message names the spec, what is wrong, and what is known."""
    with pytest.raises(OptionError, match=said):
        build(value)


def test_what_a_hook_returns_must_be_an_analyser() -> None:
    """A class without is_free, or something else altogether, is told before anything runs."""
    with pytest.raises(OptionError, match="returned a str, which has no is_free"):
        build_columns(
            parse_specs(["mine"], {}),
            settings={},
            ceiling=Ceiling(None),
            label="",
            timeout_s=5.0,
            environ={},
            custom=lambda spec: spec,  # type: ignore[arg-type,return-value]  # the mistake
        )


def test_a_secret_in_a_spec_is_not_shown() -> None:
    """Neither in the error for two columns of one name nor in the column."""
    (spec,) = parse_specs(["x=http://me:pass@localhost/?key=1"], {})

    assert "pass" not in spec.shown
    assert spec.text == "http://me:pass@localhost/?key=1"


def test_settings_belong_to_one_column() -> None:
    """A label of its own beats the label of the run; parallel is a number from 1 on."""
    first, second = build("heuristic,mine", column=("mine: label=Mine 2, parallel=3",))

    assert (first.label, first.parallel) == ("1.2", None)
    assert (second.label, second.parallel) == ("Mine 2", 3)


def test_a_program_may_say_that_it_is_free() -> None:
    """It is asked by one process unless it does."""
    spec = f"sut=command:{sys.executable}"

    (asked,) = build(spec)
    (free,) = build(spec, column=("sut: free=yes",))

    assert (asked.analyzer.is_free, free.analyzer.is_free) == (False, True)


@pytest.mark.parametrize(
    ("spec", "text", "said"),
    [
        ("mine", "mine: free=yes", "free is for columns of command:; leave it out, mine says"),
        (
            f"sut=command:{sys.executable}",
            "sut: free=yes, parallel=2",
            "a free column runs where its items run; leave out parallel",
        ),
    ],
)
def test_free_is_refused_where_it_would_mean_nothing(spec: str, text: str, said: str) -> None:
    """Others say themselves whether they are, and a bound of the asking process binds no worker."""
    with pytest.raises(OptionError, match=said):
        build(spec, column=(text,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mine: speed=3", "unknown setting 'speed'; known: label, parallel"),
        ("other: label=x", "no such column; the columns are mine"),
        ("mine: parallel=0", "parallel=0 is not a whole number from 1 on"),
        ("mine", "is not"),
        ("mine: label", "is not"),
    ],
)
def test_a_setting_that_makes_no_sense_is_told(text: str, said: str) -> None:
    """Every mistake in --rca-column names the column and what is known."""
    with pytest.raises(OptionError, match=said):
        build("mine", column=(text,))
