"""Which texts claim a root cause."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.domain.rubric import MAX_WORDS, meets
from pytest_rcabench.domain.words import clauses_of

LEAK = (("connection*", "pool"), ("leak*", "never closed", "not closed", "not returned"))
TOO_SMALL = ("pool is too small", "pool size * not enough")


class Sentence(NamedTuple):
    """One labelled sentence of the tables beside this file."""

    mark: str
    title: str
    cause: str
    groups: tuple[tuple[str, ...], ...]
    must_not: tuple[str, ...]


def read_sentences(name: str) -> list[Sentence]:
    """Return the sentences of one table, each with its rubric."""
    sentences: list[Sentence] = []
    groups: list[tuple[str, ...]] = []
    must_not: tuple[str, ...] = ()
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        phrases = tuple(phrase.strip() for phrase in text.split(";"))
        if mark == "=":
            groups, must_not = [], ()
        elif mark == "&":
            groups.append(phrases)
        elif mark == "!":
            must_not = phrases
        elif mark in {"+", "-", "~", "x"}:
            title, _, cause = text.partition("||")
            sentences.append(Sentence(mark, title.strip(), cause.strip(), tuple(groups), must_not))
    return sentences


TABLES = ("sentences.txt", "sentences_held_back.txt")
SENTENCES = [sentence for name in TABLES for sentence in read_sentences(name)]
RIGHT = [sentence for sentence in SENTENCES if sentence.mark == "+"]


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda each: f"{each.title} {each.cause}"[:60])
def test_a_labelled_sentence_gets_its_label(sentence: Sentence) -> None:
    """Ten rubrics and six held back, in the voices of different models."""
    title, cause, groups, must_not = sentence[1:]

    assert meets(title, cause, groups, must_not).met == (sentence.mark in {"+", "~"})


@pytest.mark.parametrize(
    "cause",
    [
        "no sign of a connection leak",
        "ruled out a connection leak",
        "a connection leak was considered and rejected",
        "slow queries rather than a connection leak",
        "a connection leak, or the pool is too small",
        "connections are closed and do not leak",
        "possibly a connection leak, possibly a slow database",
        "maybe the report holds them, maybe connections leak",
        "connections may leak; a slow database could equally be responsible",
        "a connection leak after the rollout was our first idea",
        "a connection leak looked convincing",
        "one would think of a connection leak",
        "the connection leak is too small to matter",
        "the connection leak turned out to be a mere artefact",
        "it may look like a connection leak",
        "the growing connection leak is by design",
        "the connection leak is not the problem",
    ],
)
def test_words_that_are_taken_back_claim_nothing(cause: str) -> None:
    """Naming a cause in order to deny it, or beside another one, is no diagnosis."""
    assert not meets("", cause, LEAK, TOO_SMALL).met


@pytest.mark.parametrize(
    "cause",
    [
        "connections are never closed",
        "connections are not returned to the pool",
        "the code keeps connections open and nobody ever closed one",
        "a connection is neither kept nor closed",
        "the connection is not yet closed",
    ],
)
def test_a_negator_that_belongs_to_the_phrase_takes_nothing_back(cause: str) -> None:
    """The "never" of "never closed" is the fault itself."""
    assert meets("", cause, LEAK).met


@pytest.mark.parametrize(
    "cause",
    [
        "perhaps a connection leak, perhaps in the coupon check",
        "the pool was suspected against all odds, connections leak",
        "the check may look harmless, but connections leak",
        "what may look like load is a connection leak",
        "the connection leak is no coincidence",
    ],
)
def test_a_claim_that_sounds_taken_back_is_one(cause: str) -> None:
    """A second word on the same guess, a concession and a "no" that affirms deny nothing."""
    assert meets("", cause, LEAK).met


def test_a_negated_claim_that_is_forbidden_does_no_harm() -> None:
    """Saying that the pool is not too small is right."""
    assert meets("Connection leak", "the pool is not too small", LEAK, TOO_SMALL).met


def test_a_forbidden_claim_spoils_a_right_one() -> None:
    """The detail quotes what was claimed."""
    result = meets("Connection leak", "The pool of 10 is too small", LEAK, TOO_SMALL)

    assert not result.met
    assert result.detail == "claims what is wrong here: 'pool of 10 is too small'"


def test_the_detail_says_what_was_missing_or_not_meant() -> None:
    """A reader sees why without the rubric at hand, of a long group the first phrases."""
    missing = meets("", "connections are slow", LEAK).detail
    not_meant = meets("", "connections do not leak", LEAK).detail

    assert missing == "says none of: leak*, never closed, not closed, not returned"
    many = meets("", "slow", (tuple(f"phrase {number}" for number in range(90)),)).detail
    long = meets("", "slow", (("very " * 90,),)).detail
    undecided = meets("", "a leak could just as well be the cause", LEAK).detail

    assert many == "says none of: phrase 0, phrase 1, phrase 2, phrase 3, phrase 4 … (85 more)"
    assert len(long) < 200
    assert undecided == "leaves it open: 'a leak could just as well be the cause'"
    assert not_meant == "mentions 'leak' without claiming it"
    assert meets("Connection leak", "", LEAK).detail == "claims 'connection' + 'leak'"


def test_words_are_whole() -> None:
    """A lock is no clock, and escalation no scale."""
    groups = (("lock",), ("scale",))

    assert not meets("", "the clock blocks an escalation", groups).met
    assert meets("", "a lock at scale", groups).met


@pytest.mark.parametrize(
    "cause",
    [
        "max.poll.records raised",
        "MAX_POLL_RECORDS raised",
        "maxPollRecords raised",
        "max\u2011poll\u2013records raised",
    ],
)
def test_a_setting_is_known_in_any_spelling(cause: str) -> None:
    """Dots, underscores, camelCase and typographic hyphens part words alike."""
    assert meets("", cause, (("max-poll-records",), ("raised",))).met


@pytest.mark.parametrize("phrase", ["postgres*", "PostgreSQL", "postgresql"])
def test_a_brand_is_known_in_any_spelling(phrase: str) -> None:
    """The capitals within a name are no reason to miss it."""
    assert meets("", "PostgreSQL is down", ((phrase,),)).met


def test_up_to_two_words_stand_between_the_words_of_a_phrase() -> None:
    """Adverbs and articles are free, a whole clause is not."""
    group = (("not closed",),)

    assert meets("", "not always properly closed", group).met
    assert not meets("", "not opened twice and closed", group).met


def test_no_negator_stands_between_the_words_of_a_phrase() -> None:
    """Otherwise the phrase would swallow its own denial."""
    assert not meets("", "the pool does not leak", (("pool leak*",),)).met


def test_title_and_cause_are_apart() -> None:
    """A phrase does not begin in one and end in the other, nor is one taken back by the other."""
    assert not meets("connection", "leak", (("connection leak",),)).met
    assert meets("Connection leak", "It was ruled out that traffic grew", LEAK).met


def test_only_the_first_words_are_read() -> None:
    """A diagnosis that needs more is a lecture; words without blanks count too."""
    filler = " ".join(["the", "word"] * (MAX_WORDS // 2))

    assert not meets(filler, "connection leak", LEAK).met
    assert not meets("", f"{filler} connection leak", LEAK).met
    assert not meets("", filler.replace(" ", ",") + ",connection leak", LEAK).met
    assert meets("connection leak", filler, LEAK).met


def test_a_list_of_words_claims_nothing() -> None:
    """Whoever names fifty causes has named none."""
    salad = "deadlock, clock skew, retry storm, connection leak, disk full, pool, cron, quota"

    for between in (", ", ". ", " ", " and "):
        causes = between.join([*salad.split(", ")] * 4)
        assert meets("Outage", causes, LEAK).detail == "a list of words claims nothing"


def test_a_log_line_that_is_quoted_behind_a_sentence_does_not_make_it_a_list() -> None:
    """Whoever says what is wrong may show what was printed; what is printed alone says nothing."""
    line = (
        "Log: ERROR 1 --- [orders-api] [nio-8080-exec-3] o.a.c.c.C.[.[.[/].[dispatcherServlet] : "
        "Servlet.service() threw: java.sql.SQLTransientConnectionException: orders-pool - "
        "Connection is not available, request timed out after 30002ms "
        "(total=10, active=10, idle=0, waiting=3)"
    )

    assert meets("Pool exhausted", f"CouponLookup.find leaks JDBC connections. {line}", LEAK).met
    assert not meets("Pool exhausted", line, LEAK).met


def test_small_words_in_a_phrase_may_be_said_otherwise() -> None:
    """The phrase "pool is too small" need not be said with that "is"."""
    for cause in ("the pool is too small", "pool too small", "the pool was too small"):
        assert meets("", cause, (("the pool is too small",), ("small is",))).met is False
        assert meets("", cause, (("the pool is too small",), ("pool * small is",))).met


def test_what_negates_one_option_negates_the_other() -> None:
    """An "or" does not end a denial."""
    assert not meets("", "there is no connection leak, or a leak of the pool", LEAK).met


def test_a_phrase_without_words_never_matches() -> None:
    """Punctuation alone must not accept every answer."""
    assert not meets("", "anything at all", (("*", "-"),)).met


@pytest.mark.parametrize(
    ("title", "cause"),
    [
        ("not-" * 200_000, "connection " * 200_000),
        ("", "If " + "leak-of-the-pool-" * 100 + ". It would-" + "no-support-of-" * 170),
        ("", "?" * 1_000_000),
    ],
)
def test_a_hostile_text_is_read_in_reasonable_time(title: str, cause: str) -> None:
    """It is cut before any pattern sees it, and no pattern takes the cube of what is left."""
    assert not meets(title, cause, LEAK).met


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_breaks_the_rubric(title: str, cause: str) -> None:
    """Whatever is written, there is an answer with a reason."""
    assert meets(title, cause, LEAK, TOO_SMALL).detail


ONE_CLAUSE = [s for s in RIGHT if not s.cause and len(clauses_of(s.title)[0]) == 1]


@pytest.mark.parametrize("denial", ["It is not the case that", "There is no", "Nothing says that"])
@pytest.mark.parametrize("sentence", ONE_CLAUSE, ids=lambda each: each.title[:40])
def test_a_right_sentence_that_is_denied_in_front_is_not_claimed(
    sentence: Sentence, denial: str
) -> None:
    """Negating a sentence never makes it pass."""
    title, _, groups, must_not = sentence[1:]

    assert not meets(f"{denial} {title}", "", groups, must_not).met


@settings(deadline=None)  # a busy machine is no failure
@given(st.sampled_from(RIGHT))
def test_upper_case_bold_and_quotes_change_nothing(sentence: Sentence) -> None:
    """Markdown and shouting are style."""
    title, cause, groups, must_not = sentence[1:]

    assert meets(f"**{title}**", cause, groups, must_not).met
    assert meets(title, f'"{cause}"', groups, must_not).met


@pytest.mark.parametrize(
    "company",
    [
        "Ruled out: DNS, network.",
        "The timeout commit is unrelated.",
        "Not an attack.",
        "I considered several explanations.",
        "There is no deploy in the window.",
        "Traffic did not change.",
        "No other service is affected.",
        "This is not a network problem.",
        "This explains the errors.",
        "The database is healthy.",
        "Rolling back would fix it.",
        "It is unrelated to the latest deploy.",
        "Neither CPU nor memory is exhausted.",
        "Everything else looks normal.",
        "This did not happen before 12:51.",
        "It does not occur on the other pods.",
        "It is not due to load.",
        "That cannot be explained by traffic.",
        "This is no coincidence.",
        "Nobody noticed until 13:33.",
        "The other commits may look suspicious but are harmless.",
    ],
)
def test_clearing_something_else_takes_nothing_back(company: str) -> None:
    """A good analysis says what it ruled out, before or after what it claims."""
    for _, title, cause, groups, must_not in RIGHT:
        if len(f"{title} {cause}".split()) < 60:
            claim = f"{cause or title}."
            first = title if cause else ""
            assert meets(first, f"{company} {claim}", groups, must_not).met
            assert meets(first, f"{claim} {company}", groups, must_not).met


@settings(deadline=None)  # a busy machine is no failure
@given(st.sampled_from(RIGHT))
def test_what_is_forbidden_is_never_accepted(sentence: Sentence) -> None:
    """A right answer that adds the naive one is wrong."""
    title, cause, groups, must_not = sentence[1:]
    claim = must_not[0].replace("*", "")

    if len(f"{title} {cause}".split()) < 60:
        assert not meets(f"{title}. {claim}", cause, groups, must_not).met
