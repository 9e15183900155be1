"""When to ask again, and how what a server says is shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_rcabench.engine.models.reply import Reply, in_one_line, refusal, retry_after

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:30 GMT"}, 90.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:30"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
    ],
)
def test_the_wait_that_a_provider_asks_for_is_read_from_its_headers(
    headers: dict[str, str], seconds: float | None
) -> None:
    """Seconds, milliseconds or a date; what cannot be read is no wait at all."""
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    "details",
    [
        "null",
        '"text"',
        '["text", null, {"violations": null, "retryDelay": "soon"}]',
        '{"error_code": 7}',
        "[[[[]]]]",
    ],
)
def test_details_of_no_known_shape_leave_a_rate_limit_what_it_is(details: str) -> None:
    """They come from another machine, and may be anything."""
    text = f'{{"error": {{"message": "slow", "details": {details}}}}}'

    error = refusal(Reply(429, {}, text), NOW)

    assert str(error) == "429: 429 slow"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"error": {"message": "no\\nsuch model"}}', "404 no such model"),
        ('{"error": {"message": ""}}', '404 {"error": {"message": ""}}'),
        ('{"error": "no"}', '404 {"error": "no"}'),
        ("<html>\n  <p>Not here</p>\n", "404 <html> <p>Not here</p>"),
        ("", "404"),
    ],
)
def test_a_refusal_shows_the_servers_words_in_one_line(text: str, shown: str) -> None:
    """The message where there is one, else what came."""
    error = refusal(Reply(404, {}, text), NOW)

    assert str(error) == f"404: {shown}; the model is unknown there, or the address is wrong"


def test_a_web_page_is_cut_short() -> None:
    """Half a screen of it is no message."""
    shown = in_one_line("<p>\ud800 " + "x" * 1000)

    assert len(shown) == 300
    assert shown.startswith("<p>? xxx")
    assert shown.endswith("…")
