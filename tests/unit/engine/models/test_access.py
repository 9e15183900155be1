"""Keys, addresses, models and SDKs, checked before anything is asked."""

from __future__ import annotations

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models.access import (
    Access,
    check_base_url,
    check_key,
    check_model,
    check_sdk,
)

DEFAULT = "https://api.example.com"


def test_the_first_key_that_is_not_empty_is_taken_without_the_blanks_around_it() -> None:
    """A secret that is not set is often an empty variable, and a file often ends in a newline."""
    assert check_key({"A": " ", "B": " sk-1\n", "C": "sk-2"}, ["A", "B", "C"]) == "sk-1"


@pytest.mark.parametrize("key", ["sk 1", "sk\n1", "schlüssel", "sk\x00"])
def test_a_key_that_no_header_carries_is_refused_without_being_shown(key: str) -> None:
    """The SDKs answer such a key with a connection error, or an error of encoding."""
    with pytest.raises(OptionError, match="A: holds signs that no key has") as raised:
        check_key({"A": key}, ["A"])

    assert key not in str(raised.value)


def test_a_missing_key_names_the_variables_and_what_a_local_model_needs() -> None:
    """Local servers want any key."""
    with pytest.raises(OptionError, match=r"no key: set A or B \(to any word where a local"):
        check_key({"A": ""}, ["A", "B"])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", DEFAULT),
        ("  ", DEFAULT),
        ("http://localhost:11434", "http://localhost:11434"),
        (" https://gateway.example.com/v1/account/anthropic/ ", None),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_an_address_is_taken_without_blanks_and_slash(url: str, expected: str | None) -> None:
    """A version in the middle of a path is a gateway's own."""
    expected = expected or "https://gateway.example.com/v1/account/anthropic"

    assert check_base_url({"URL": url}, "URL", DEFAULT) == expected


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("localhost:11434", "is no address"),
        ("ftp://example.com", "is no address"),
        ("http://", "is no address"),
        ("http://host:port", "is no address"),
        ("http://[::1", "is no address"),
        ("http://a host", "is no address"),
        ("http://user:planted@example.com", "holds a login"),
        ("http://example.com/?key=planted", "holds a login, query"),
        ("http://example.com/#planted", "holds a login, query or fragment"),
        ("https://example.com/v1", "ends in /v1, which the SDK adds"),
        ("https://example.com/v1/", "ends in /v1,"),
        ("https://example.com/v1beta", "ends in /v1beta"),
        ("https://example.com/v1/messages", "ends in /v1/messages"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused_without_being_shown(
    url: str, problem: str
) -> None:
    """It may hold a secret."""
    with pytest.raises(OptionError, match=f"^URL: {problem}") as raised:
        check_base_url({"URL": url}, "URL", DEFAULT)

    assert "planted" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:1", True),
        ("http://127.1.2.3", True),
        ("http://[::1]:8080", True),
        ("http://model.localhost", True),
        ("http://10.0.0.1", False),
        ("https://127.0.0.1.example.com", False),
    ],
)
def test_a_local_address_is_one_of_this_machine(url: str, *, is_local: bool) -> None:
    """Only there is a proxy of no use."""
    assert Access("k", url).is_local is is_local


def test_a_key_is_in_no_repr() -> None:
    """What pytest shows of a frame may hold an access."""
    assert repr(Access("planted", DEFAULT)) == f"Access(base_url='{DEFAULT}')"


@pytest.mark.parametrize("model", ["claude-sonnet-5", "qwen3:8b", "hf.co/some/model@1", "m"])
def test_a_models_id_may_be_one_of_a_local_server(model: str) -> None:
    """Those have slashes and colons."""
    check_model("claude", model)


@pytest.mark.parametrize("model", ["", "a b", "../files", "m?key=1", "-m", "modèle"])
def test_what_no_model_is_called_is_refused(model: str) -> None:
    """It would become part of an address."""
    with pytest.raises(OptionError, match="is no model's id; write claude:MODEL"):
        check_model("claude", model)


@pytest.mark.parametrize(
    ("distribution", "major", "message"),
    [
        ("no-such-sdk", 2, "no-such-sdk 2.x is missing; pip install 'pytest-rcabench.x.'"),
        (
            "pytest",
            2,
            r"pytest 2.x is needed, and \d+\.\S+ installed; pip install 'pytest-rcabench.x",
        ),
    ],
)
def test_a_missing_or_other_sdk_says_what_to_install(
    distribution: str, major: int, message: str
) -> None:
    """It is told before the run, and not by a broken first call."""
    with pytest.raises(OptionError, match=message):
        check_sdk(distribution, major, "x")
