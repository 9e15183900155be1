"""How a reply becomes an analysis."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.domain.analysis import Severity, Usage
from pytest_rcabench.domain.analysis_json import analysis_to_json
from pytest_rcabench.domain.answer import MAX_CHARS, read_answer

ISSUE = {"title": "Leak", "severity": "error", "service": "orders-api", "cause": "never closed"}


def reply_with(**changes: object) -> str:
    """Return a good answer with one issue, *changes* made."""
    return json.dumps({"issues": [{**ISSUE, **changes}]})


def test_a_whole_answer_is_read_without_repairs() -> None:
    """Every field of the contract's answer arrives where the scorer looks for it."""
    lists = {"commits": ["4f1c2aa"], "ruled_out": ["77ab001"], "evidence": ["active=10"]}
    document = {
        "issues": [{**ISSUE, **lists, "reasoning": "stairs"}],
        "notes": ["an unused import"],
        "usage": {"input_tokens": 12, "output_tokens": 3, "cost_usd": 0.5},
    }

    analysis = read_answer(json.dumps(document))

    (issue,) = analysis.issues
    assert issue.title == "Leak"
    assert issue.severity is Severity.ERROR
    assert issue.commits == ("4f1c2aa",)
    assert issue.ruled_out == ("77ab001",)
    assert issue.evidence == ("active=10",)
    assert issue.reasoning == "stairs"
    assert analysis.notes == ("an unused import",)
    assert analysis.usage == Usage(12, 3, 0.5)
    assert analysis.repairs == ()
    assert analysis.fault is None


@pytest.mark.parametrize("reply", ["", "  \n", "\ufeff", "\ufeff \n"])
def test_a_reply_without_text_is_empty(reply: str) -> None:
    """Nothing at all is another fault than something unreadable."""
    assert read_answer(reply).fault.name == "empty"  # type: ignore[union-attr] # a fault is claimed


@pytest.mark.parametrize(
    "reply",
    [
        "No issues found.",
        'Here you go: {"issues": []}',
        '{"issues": []} Hope this helps',
        "{'issues': []}",
        '{"issues": [],}',
        '{"issues": [] // none\n}',
        '{"issues": [{"title": "cut',
        '```json\n{"issues": []}\n```\nor\n```json\n{"issues": []}\n```',
        '```json\n{"issues": []}',
        '{"issues": [], "usage": {"cost_usd": NaN}}',
        '{"issues": []}{"issues": []}',
    ],
)
def test_a_reply_that_is_no_json_is_a_fault(reply: str) -> None:
    """Prose, two answers, and almost-JSON are never read by guessing."""
    analysis = read_answer(reply)

    assert analysis.fault is not None
    assert analysis.fault.name == "not_json"
    assert analysis.reply == reply


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ("null", "the answer is null"),
        ("[]", "the answer is a list"),
        ("42", "the answer is a number"),
        ("true", "the answer is a boolean"),
        ('"none"', "the answer is a text"),
        ("{}", "an object without `issues`"),
        ('{"issues": null}', "issues: is null, not a list"),
        ('{"issues": ["leak"]}', "issues[0]: is a text, not an object"),
        ('{"issues": [], "issues": []}', "the key 'issues' twice"),
        ('{"issues": [], "notes": "fine"}', "notes: is a text, not a list"),
        (reply_with(service=None), "issues[0].service: is null, not a text"),
        (reply_with(service=["a", "b"]), "issues[0].service: is a list, not a text"),
        (reply_with(title=True), "issues[0].title: is a boolean, not a text"),
        (reply_with(cause={"text": "x"}), "issues[0].cause: is an object, not a text"),
        (reply_with(commits="4f1c2aa"), "issues[0].commits: is a text, not a list"),
        (reply_with(commits=[None]), "issues[0].commits[0]: is null, not a text"),
        (reply_with(reasoning=["x"]), "issues[0].reasoning: is a list, not a text"),
        (reply_with(severity="None"), "issues[0].severity: 'None' is no severity"),
        (reply_with(severity=1), "issues[0].severity: '1' is no severity"),
        ('{"issues": ' + "[" * 40 + "]" * 40 + "}", "nested deeper than 32 levels"),
    ],
)
def test_json_of_another_shape_is_invalid_and_names_the_place(reply: str, detail: str) -> None:
    """A system that answers in its own shape is told where it went wrong."""
    fault = read_answer(reply).fault

    assert fault is not None
    assert fault.name == "invalid"
    assert detail in fault.detail


@pytest.mark.parametrize("field", ["title", "severity", "service", "cause"])
def test_one_invalid_issue_spoils_a_good_answer(field: str) -> None:
    """An answer is read whole or not at all, so nothing bad is dropped in silence."""
    broken = {name: text for name, text in ISSUE.items() if name != field}
    analysis = read_answer(json.dumps({"issues": [ISSUE, broken]}))

    assert analysis.issues == ()
    assert analysis.fault is not None
    assert f"issues[1].{field}: is missing" in analysis.fault.detail


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("CRITICAL", Severity.CRITICAL),
        ("Sev-1", Severity.CRITICAL),
        ("P1", Severity.CRITICAL),
        ("fatal", Severity.CRITICAL),
        ("high", Severity.ERROR),
        ("SEV 2", Severity.ERROR),
        ("warning ", Severity.WARNING),
        ("Medium", Severity.WARNING),
        ("informational", Severity.INFO),
        ("notice", Severity.INFO),
        ("low", Severity.INFO),
    ],
)
def test_other_words_for_a_severity_are_read_and_recorded(word: str, severity: Severity) -> None:
    """Many monitors have their own scale; the mapping is fixed and every use of it is shown."""
    analysis = read_answer(reply_with(severity=word))

    assert analysis.issues[0].severity is severity
    assert analysis.repairs == (f"severity {word!r} read as {severity.word}",)


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"issues": []}\n```',
        '```\n{"issues": []}\n```\n',
        'Here it is:\n\n```JSON\n{"issues": []}\n```\nHope this helps.',
        '```json {"issues": []} ```',
    ],
)
def test_one_fenced_block_is_the_answer(reply: str) -> None:
    """Chat models fence their JSON; one block leaves no doubt which text is meant."""
    analysis = read_answer(reply)

    assert analysis.fault is None
    assert analysis.repairs == ("fenced JSON",)


def test_a_fence_inside_the_json_is_text() -> None:
    """Evidence may quote a fence without ending the answer."""
    analysis = read_answer(reply_with(evidence=["```sql\nSELECT 1\n```"]))

    assert analysis.issues[0].evidence == ("```sql\nSELECT 1\n```",)
    assert analysis.repairs == ()


def test_a_byte_order_mark_is_removed() -> None:
    """Some programs on Windows write one; it says nothing."""
    assert read_answer('\ufeff{"issues": []}').repairs == ("byte order mark removed",)


@pytest.mark.parametrize("digits", ["1234567", "1e10", "4225332178759948e0434756", "-0.50"])
def test_a_sha_written_as_a_number_keeps_its_digits(digits: str) -> None:
    """A short sha can look like a number, which must not be computed."""
    reply = reply_with(commits=["x"]).replace('"x"', digits)
    analysis = read_answer(reply)

    assert analysis.issues[0].commits == (digits,)
    assert analysis.repairs == (f"issues[0].commits[0]: number {digits} read as text",)


def test_lone_surrogates_are_replaced_wherever_they_come_from() -> None:
    """Neither a record nor a wire can hold one, and no run may die of it."""
    escaped = read_answer(reply_with(title="a\ud800b"))
    raw = read_answer(json.dumps({"issues": [{**ISSUE, "title": "\udfff"}]}, ensure_ascii=False))

    assert escaped.issues[0].title == "a\ufffdb"
    assert raw.issues[0].title == "\ufffd"
    assert raw.repairs == escaped.repairs == ("surrogate replaced",)
    assert raw.reply.encode()


def test_the_same_repair_is_listed_once() -> None:
    """Twenty issues of severity HIGH are one habit."""
    analysis = read_answer(json.dumps({"issues": [{**ISSUE, "severity": "HIGH"}] * 3}))

    assert len(analysis.repairs) == 1


def test_absent_and_null_lists_are_empty() -> None:
    """Blaming nobody may be said by leaving the list out."""
    analysis = read_answer(reply_with(commits=None, reasoning=None))

    assert analysis.issues[0].commits == ()
    assert analysis.issues[0].reasoning == ""


def test_keys_that_nobody_asked_for_are_ignored() -> None:
    """Models add fields; they change nothing."""
    assert read_answer(reply_with(confidence=0.9, extra={"deep": [1]})).fault is None


@pytest.mark.parametrize(
    "usage", [7, "many", {"input_tokens": -1}, {"cost_usd": "0.1"}, {"input_tokens": True}]
)
def test_an_unreadable_usage_costs_nothing_but_a_remark(usage: object) -> None:
    """No verdict hangs on a count of tokens."""
    analysis = read_answer(json.dumps({"issues": [], "usage": usage}))

    assert analysis.fault is None
    assert analysis.usage == Usage()
    assert analysis.repairs == ("unreadable usage left out",)


@pytest.mark.parametrize("number", ["1e999", "9" * 5000])
def test_an_absurd_usage_is_left_out(number: str) -> None:
    """A count that no machine could have made must not break the reader."""
    analysis = read_answer(f'{{"issues": [], "usage": {{"input_tokens": {number}}}}}')

    assert analysis.usage == Usage()


def test_an_oversized_reply_is_a_fault() -> None:
    """Somebody's endless loop is not parsed."""
    analysis = read_answer(" " * (MAX_CHARS + 1))

    assert analysis.fault is not None
    assert analysis.fault.name == "oversize"


@settings(deadline=None)  # a busy machine is no failure
@given(st.text())
def test_no_text_makes_the_reader_raise(reply: str) -> None:
    """Whatever a system prints, there is an analysis."""
    assert read_answer(reply).issues == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(deadline=None)  # a busy machine is no failure
@given(st.fixed_dictionaries({"issues": json_values}, optional={"notes": json_values}))
def test_no_json_makes_the_reader_raise(document: object) -> None:
    """A fault and issues never stand together."""
    analysis = read_answer(json.dumps(document))

    assert analysis.fault is None or analysis.issues == ()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
issues = st.fixed_dictionaries(
    {
        "title": texts,
        "severity": st.sampled_from(["info", "warning", "error", "critical"]),
        "service": texts,
        "cause": texts,
        "commits": st.lists(texts, max_size=3),
    }
)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(issues, max_size=4))
def test_reading_what_was_read_changes_nothing(found: list[object]) -> None:
    """An answer survives its own JSON form, without a repair."""
    first = read_answer(json.dumps({"issues": found}))
    second = read_answer(json.dumps(analysis_to_json(first)))

    assert second.issues == first.issues
    assert len(second.issues) == len(found)
    assert second.repairs == ()
