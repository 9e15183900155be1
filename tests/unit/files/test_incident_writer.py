from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_rcabench.files.incident_writer import render_incident
from pytest_rcabench.files.yaml_nodes import Mapping, Node, Scalar, Sequence, read_nodes

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]
AWKWARD = "\n \t\r#:-'\"\\|>%@&*![]{},?`~=é🚀\x00\x1b\x85\u2028\ufeff01e.+xyn"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    st.sampled_from(AWKWARD), max_size=14
)
SCALARS = (
    TEXTS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4)


@pytest.mark.parametrize("loader", LOADERS)
@settings(max_examples=80, deadline=None)
@given(document=DOCUMENTS)
@example(document={"values": [1e-05, 1e16, -0.0, None, 12345678901234567890]})
@example(document={"sha": "6e12345", "tag": "1_000", "region": "NO", "time": "22:22"})
@example(document={"lines": "    at a\n  at b\n\n\tat c\n"})
@example(document={"lines": "\n first\n"})
@example(document={"entries": [{"lines": "a\nb"}, {"lines": " a\nb\n"}]})
@example(document={"message": "*1234 upstream\n"})
def test_a_written_document_reads_back_the_same(
    loader: type[yaml.SafeLoader], document: dict[str, object]
) -> None:
    """Whatever a log, diff or name holds, both of PyYAML's loaders give it back."""
    text = render_incident(document, schema_path="schema.json")

    assert document == yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are safe ones


@settings(max_examples=80, deadline=None)
@given(document=st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=4))
def test_a_written_text_is_the_text_that_our_reader_sees(document: dict[str, str]) -> None:
    """Texts survive our own reader too, which resolves no types."""
    problems: list[str] = []
    text = render_incident(document, schema_path="schema.json")

    node = read_nodes(text, lambda *problem: problems.append(str(problem)))

    assert (document, []) == (_plain(node), problems)


def _plain(node: Node | None) -> object:
    if isinstance(node, Mapping):
        return {key: _plain(inner) for key, inner in node.entries.items()}
    if isinstance(node, Sequence):
        return [_plain(item) for item in node.items]
    return node.text if isinstance(node, Scalar) else None


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    """YAML has no way to say it, so the file stays readable and the loss is visible."""
    text = render_incident({"message": "a\ud800b"}, schema_path="schema.json")

    assert yaml.safe_load(text) == {"message": "a\ufffdb"}


def test_logs_and_diffs_stand_in_blocks() -> None:
    """A person reads log lines as lines, not as one long quoted text."""
    text = render_incident({"lines": "first\n\tsecond\n"}, schema_path="schema.json")

    assert text.endswith("lines: |\n  first\n  \tsecond\n")


def test_numbers_in_a_row_are_wrapped_and_not_one_a_line() -> None:
    """A metric of an hour fits on a screen."""
    text = render_incident({"values": list(range(100))}, schema_path="schema.json")

    assert 3 < text.count("\n") < 10
    assert max(map(len, text.splitlines())) <= 112


def test_the_first_line_names_the_schema_for_editors() -> None:
    """Editors that know the YAML language server complete keys and explain them."""
    text = render_incident({"id": "a"}, schema_path="../schema/incident.json")

    assert text.startswith("# yaml-language-server: $schema=../schema/incident.json\n")
