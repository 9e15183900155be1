"""How text becomes clauses of plain words."""

from __future__ import annotations

import pytest

from pytest_rcabench.domain.words import clauses_of, words_of


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("A leak. B; C: d! E", ["a leak", "b", "c", "d", "e"]),
        ("one, two\nthree", ["one", "two", "three"]),
        ("max.poll.records=2000", ["max poll records 2000"]),
        ("max-poll-records: 200 -> 2000", ["max poll records 200 to 2000"]),
        ("node-3's clock", ["node 3 clock"]),
        ("leak(s) found", ["leak found"]),
        ("it isn't closed", ["it is not closed"]),
        ("it doesnt close", ["it does not close"]),
        ("it can't, it cannot", ["it ca not", "it can not"]),
        ("it's fine", ["it is fine"]),
        ("throws \u2192 leaks", ["throws", "leaks"]),
        ("the pool \u2014 not the timeout", ["the pool", "not the timeout"]),
        ("the pool - not the timeout", ["the pool", "not the timeout"]),
        ("it fails because it leaks", ["it fails", "because it leaks"]),
        ("it is slow yet works", ["it is slow", "yet works"]),
        ("it is not yet closed", ["it is not yet closed"]),
        ("not because it leaks", ["not because it leaks"]),
        ("it fails and the pool leaks", ["it fails", "the pool leaks"]),
        ("slow and unused", ["slow and unused"]),
        ("a leak or the pool", ["a leak", "or the pool"]),
        ("read or write", ["read or write"]),
        ("no leak, skew, or lock", ["no leak skew", "or lock"]),
        ("is it a leak? No.", ["is it a leak ?", "no"]),
        ("GET /a?b=1 fails", ["get a b 1 fails"]),
        ("no leak, maxReplicas, or lock", ["no leak max replicas", "or lock"]),
        ("stuck in takeWhile", ["stuck in take while"]),
        ("a leak (pool unchanged) here", ["a leak here", "pool unchanged"]),
        ("a leak (ruled out) here", ["a leak ruled out here"]),
        ("Ruled out: leak, skew. Disk full", ["ruled out leak skew", "disk full"]),
        ("e.g. the pool", ["the pool"]),
        ("", []),
        ("...", []),
    ],
)
def test_text_is_cut_where_a_new_claim_begins(text: str, clauses: list[str]) -> None:
    """Each rule of the reference page, once."""
    assert clauses_of(text)[0] == clauses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("maxReplicas", ["max", "replicas"]),
        ("HTTPServer", ["http", "server"]),
        ("OOMKilled", ["oom", "killed"]),
        ("never\u200bclosed", ["neverclosed"]),
        ("\uff4c\uff45\uff41\uff4b", ["leak"]),
        ("don\u2019t", ["do", "not"]),
        ("Stra\u00dfe", ["strasse"]),
        ("a_b/c", ["a", "b", "c"]),
    ],
)
def test_words_have_one_spelling(text: str, words: list[str]) -> None:
    """Identifiers, widths, quotes and case differ between writers, not in meaning."""
    assert words_of(text) == words


def test_camel_case_is_read_broken_and_whole() -> None:
    """A setting is two words, a brand is one, and nobody can tell them apart."""
    assert clauses_of("PostgreSQL ignores maxReplicas") == (
        ["postgre sql ignores max replicas"],
        ["postgresql ignores maxreplicas"],
    )
    assert clauses_of("postgres ignores it") == (["postgres ignores it"], [])
