"""FROZEN with the scorer: does a title and cause claim what a rubric asks for, and nothing that it forbids?

Words are matched, never meaning: phrases found in a clause, unless the clause takes them back. The rules stand in
docs/reference/scorer.md in the order of this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from pytest_rcabench.domain.words import clauses_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Groups: TypeAlias = tuple[tuple[str, ...], ...]

MAX_WORDS = 80
MAX_GAP = 2

_APART = re.compile(r"[^\s,;/|]+")
_FILLERS = frozenset("a an the is are was were be been has have".split())
_NEVER = r"(?:not|never|no longer)"


def _any(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


# A negator that reaches to the end of its clause.
_DENIAL = _any(
    r"no(?! longer| doubt)|none|nothing|nobody|neither|nor|hardly|unlikely|doubtful|whether",
    r"without(?! doubt)|(?:absence|lack|free|far|irrespective|regardless|independent) (?:of|from)",
    r"rul(?:e|es|ed|ing) out|rather than|instead of|as opposed to|apart from|other than|except",
    r"(?:unrelated|nothing) to|exclud(?:e|es|ed|ing)|dismiss(?:es|ed|ing)?|refut(?:e|es|ed)",
    r"disprov(?:e|es|ed)|contradicts?|(?:false|untrue|incorrect|wrong) (?:that|to)|against",
    r"reject(?:s|ed|ing)? (?:the |an? )?(?:idea|hypothesis|theory|suspicion|possibility)",
    r"mis(?:taken|diagnosed|read|interpreted) (?:for|as)|mimics?|resembles?",
)
# A negated verb: it reaches to the word that opens a circumstance ("cannot scale beyond its cap of two").
_NEGATED_VERB = r"(?:not(?! only| just| merely| simply| until)|never|no longer)"
_TIME = r"(?:before|until|after|when|whenever|if|once|prior)"
_CIRCUMSTANCE = (
    rf"(?:{_TIME}|beyond|past|above|over|under|within|through"
    r"|(?<!wrong )(?<!problem )(?<!issue )(?<!fault )(?<!trouble )with)"
)
_NEGATOR = re.compile(
    rf"\b{_DENIAL}\b(?!.*\b{_TIME}\b)|\b{_NEGATED_VERB}\b(?!\s\w+.*\b{_CIRCUMSTANCE}\b)"
)

_BE = r"(?:is|are|was|were|be|been|being|remain\w*|stay\w*|look\w*|seem\w*|appear\w*|prove[sdn]?)"
_ADVERB = r"(?:(?:\w+ly|all|also|both|still|just|only|quite|very|not to be|to be|in fact) ){0,2}"
_INCIDENT = (
    r"(?:(?:the|this|these|that|our|any) )?(?:\w+ ){0,2}"
    r"(?:incident|outage|problem|issue|failures?|errors?|symptoms?|cause|spike|fault|alert)s?"
)
_THE_CAUSE = (
    r"(?:the |an? |its |our |to )?(?:root |real |actual |main |likely |primary |underlying )*"
    r"(?:cause[ds]?|culprit|reason|trigger(?:ed)?|explanation|explain|explained|source|blame|guilty"
    r"|responsible|involved|at fault|relevant|related(?: to)?|it|factor|matter|happen|occur|exist"
    r"|the case|confirmed|supported|found|contribut\w*|play|account)"
)
_CLEARED = _any(
    rf"{_BE} {_ADVERB}(?:fine|ok|okay|healthy|normal|unchanged|irrelevant|innocent|correct|harmless"
    r"|benign|unaffected|unlikely|coincidental|incidental|excluded|discarded|dismissed|rejected as"
    r"|in sync|in order|as expected|within (?:\w+ )?(?:limits|range|bounds)|far from)",
    rf"{_BE} {_ADVERB}(?:an? |the |our )?(?:\w+ )?(?:symptom|consequence|side effect|red herring"
    r"|coincidence|distraction|distractor|victim)s?",
    r"ruled out|exonerated|disproved|refuted|unchanged$",
    rf"unrelated(?: to {_INCIDENT}|(?! to))",
    r"(?:considered|checked|examined|investigated|suspected|tested|hypothes[ie]s|theory|idea)"
    r"(?: \w+){0,3} (?:rejected|dismissed|excluded|discarded|eliminated|cleared)",
    r"(?:play|plays|played|ha[sd]|have|having) no (?:part|role|effect|impact|influence|bearing)",
    r"(?:ha[sd]|have|having) nothing to do",
    r"work(?:s|ed|ing)?(?: (?:fine|well|correctly|normally|properly|as (?:expected|designed)))",
    r"works(?: \?)?$",
    rf"(?:is|are|was|were|do|does|did|has|have|had|can|could|would) {_NEVER} "
    rf"(?:{_ADVERB}(?:be |been |have |have been )?){_THE_CAUSE}",
    r"\?",
)
_CLEARING = re.compile(rf"\b{_CLEARED}(?:\b|$)|\?$")
_OWN_SUBJECT = re.compile(r"\b(?:with|despite|that|who|when|if|after|before|until|unless)\b.*")
_TAKEN_BACK = re.compile(
    rf"(?:(?:and|but|though|although|while|so|since|however|yet|later|then|or) )*"
    r"(?:(?:it|this|that|they|these|those|which|both"
    r"|the (?:idea|hypothesis|theory|suspicion|possibility|explanation)) )?"
    rf"(?:(?:later|soon|clearly|can|could|may|must|however|then) ){{0,2}}"
    rf"(?:{_NEVER} {_THE_CAUSE}|{_CLEARED})(?:\b|$)"
)
_SUBORDINATE = re.compile(
    r"\b(?:when|whenever|if|where|whether|after|once|that|which|until|before|unless|for|on|in)\b"
)
_ALTERNATIVE = re.compile(r"or (?!rather |more )")


@dataclass(frozen=True, slots=True)
class RubricResult:
    """Whether a text meets a rubric; *detail* quotes what decided it, for readers."""

    met: bool
    detail: str


@dataclass(frozen=True, slots=True)
class _Text:
    """Clauses, one a line, a blank line between title and cause; *masked* hides the negators that phrases own."""

    body: str
    masked: str

    def clause(self, position: int) -> tuple[int, int]:
        start = self.body.rfind("\n", 0, position) + 1
        end = self.body.find("\n", position)
        return start, len(self.body) if end < 0 else end

    def next_clause(self, end: int) -> str:
        return self.body[end + 1 : self.clause(end + 1)[1]] if end < len(self.body) else ""

    def previous_clause(self, start: int) -> tuple[int, str]:
        if not start:
            return 0, ""
        begin = self.clause(start - 1)[0]
        return begin, self.body[begin : start - 1]


def meets(title: str, cause: str, groups: Groups, must_not: tuple[str, ...] = ()) -> RubricResult:
    """Return whether the first 80 words of *title* and *cause* claim one phrase of each group and none of *must_not*."""
    shown, rest = _first_words(title, MAX_WORDS)
    clauses = (clauses_of(shown), clauses_of(_first_words(cause, rest)[0]))
    if _is_word_list(clauses[0] + clauses[1]):
        return RubricResult(False, "a list of words claims nothing")
    body = "\n\n".join("\n".join(window) for window in clauses)
    wanted = [_compile(group) for group in groups]
    forbidden = _compile(must_not) if must_not else None
    text = _Text(body, _hide_owned(body, [*wanted, *([forbidden] if forbidden else [])]))
    met: list[str] = []
    for group, pattern in zip(groups, wanted, strict=True):
        hits = list(pattern.finditer(body))
        claimed = next((hit for hit in hits if not _is_void(hit, text, pattern)), None)
        if claimed is None:
            return RubricResult(False, _missed(group, hits))
        met.append(claimed[0])
    if forbidden:
        for hit in forbidden.finditer(body):
            if not _is_void(hit, text):
                return RubricResult(False, f"claims what is wrong here: {hit[0]!r}")
    return RubricResult(True, "claims " + " + ".join(repr(words) for words in met))


def _missed(group: tuple[str, ...], hits: list[re.Match[str]]) -> str:
    if hits:
        return f"mentions {hits[0][0]!r} without claiming it"
    shown = ", ".join(group[:4]) + (", …" if len(group) > 4 else "")
    return f"says none of: {shown}"


def _first_words(text: str, limit: int) -> tuple[str, int]:
    """Return *text* up to its *limit*-th word, and how many words of the limit are left."""
    for count, word in enumerate(_APART.finditer(text), start=1):
        if count > limit:
            return text[: word.start()], 0
    return text, limit - sum(1 for _ in _APART.finditer(text))


def _is_word_list(clauses: list[str]) -> bool:
    return len(clauses) > 8 and sum(clause.count(" ") + 1 for clause in clauses) < 3 * len(clauses)


@lru_cache(maxsize=4096)
def _compile(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern for all *phrases*: whole words, stems at ``*``, up to two unnegated words between words."""
    gap = rf"(?: (?!(?:not|never|no|without)\b)[^\W_]+){{0,{MAX_GAP}}} "
    return re.compile(
        r"\b(?:" + "|".join(gap.join(_words_of(phrase)) for phrase in phrases) + r")(?!\w)"
    )


def _words_of(phrase: str) -> Iterator[str]:
    words: list[str] = []
    for written in phrase.split():
        plain = words_of(written)
        if plain and written.endswith("*"):
            plain[-1] += "*"
        words += plain
    telling = [word for word in words if word not in _FILLERS]
    for word in telling if len(telling) > 1 else words:
        if word in {"not", "never"}:
            yield _NEVER
        else:
            yield re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else "")


def _hide_owned(body: str, patterns: list[re.Pattern[str]]) -> str:
    """Return *body* with every hit blanked out: the "never" of "never closed" negates nothing else."""
    for pattern in patterns:
        body = pattern.sub(lambda hit: "_" * len(hit[0]), body)
    return body


def _is_void(hit: re.Match[str], text: _Text, group: re.Pattern[str] | None = None) -> bool:
    start, end = text.clause(hit.start())
    clause = text.body[start:end]
    reach, before_it = text.previous_clause(start)
    offered = _ALTERNATIVE.match(clause) is not None
    before = text.masked[reach if offered else start : hit.start()]
    after = _OWN_SUBJECT.sub("", text.body[hit.end() : end])
    following = text.next_clause(end)
    if _NEGATOR.search(before.replace("\n", " ")) or _CLEARING.search(after):
        return True
    if _TAKEN_BACK.match(following):
        return True
    if group is None:
        return False
    if offered and not group.search(before_it) and not _SUBORDINATE.search(before_it):
        return True
    return bool(
        _ALTERNATIVE.match(following)
        and not group.search(following)
        and not _SUBORDINATE.search(text.body[hit.end() : end])
    )
