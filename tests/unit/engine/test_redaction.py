"""No planted key survives redaction."""

from __future__ import annotations

import pytest

from pytest_rcabench.engine.redaction import redact

ENVIRON = {
    "GEMINI_API_KEY": "AIzaPLANTED",
    "github_token": "ghp_planted",
    "DB_PASSWORD": "p&ss/w ord",
    "CLIENT_SECRET": "AIzaPLANTED-and-longer",
    "RCA_HTTP_AUTHORIZATION": "Bearer planted.jwt",
    "SORT_KEY": "on",
    "HOME": "/home/planted",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key AIzaPLANTED refused", "key [redacted] refused"),
        ("ghp_planted", "[redacted]"),
        ("--secret=AIzaPLANTED-and-longer", "--secret=[redacted]"),
        ("login p&ss/w ord", "login [redacted]"),
        ("GET /login/p%26ss%2Fw%20ord", "GET /login/[redacted]"),
        ("token planted.jwt of Bearer planted.jwt", "token [redacted] of [redacted]"),
        ("http://ann:pw@host/x", "http://[redacted]@host/x"),
        ("postgres://ann:p@ss@db:5432/x", "postgres://[redacted]@db:5432/x"),
        ("see https://host/x?sig=abc&t=1, twice", "see https://host/x?[redacted] twice"),
        ('{"url": "http://host/?a=b"}', '{"url": "http://host/?[redacted]"}'),
        ("AIzaPLANTED at http://AIzaPLANTED@h", "[redacted] at http://[redacted]@h"),
    ],
)
def test_a_secret_is_taken_out(text: str, expected: str) -> None:
    """Values of secret variables, also percent-encoded, and userinfo and query of URLs."""
    assert redact(text, ENVIRON) == expected


@pytest.mark.parametrize(
    "text",
    [
        "turned on at /home/planted",
        "mail ann@host",
        "http://host/path#part",
        "what? nothing",
        "Bearer of news",
        "",
    ],
)
def test_an_innocent_text_is_left_alone(text: str) -> None:
    """Short values, other variables, mail addresses and plain URLs stay."""
    assert redact(text, ENVIRON) == text
