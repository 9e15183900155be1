"""FROZEN with the scorer: the English that takes a claim back ("a leak was ruled out").

The patterns are matched on clauses as `words.clauses_of` gives them: lower case, single blanks,
"n't" spelt out.
"""

from __future__ import annotations

import re


def _any(*options: str) -> str:
    return f"(?:{'|'.join(options)})"


_NEVER = _any("not(?! only| just| merely| simply| until)", "never", "no longer")

# Said before the words, these take back all of the clause that follows.
_DENIAL = _any(
    "no(?! longer| doubt)|none|nothing|nobody(?! noticed)|neither|nor|without(?! doubt)|unlike",
    "rul(?:e|es|ed|ing) out|exclud(?:e|es|ed|ing)|dismiss(?:es|ed|ing)?|contradicts?",
    "(?:speaks?|argues?|counts?|evidence|arguments?) against",
    "refut(?:e|es|ed)|disprov(?:e|es|ed)|rejects? (?:the|an?) (?:idea|hypothesis|theory)",
    "rejected (?:the|an?) (?:idea|hypothesis|theory)|(?:false|untrue|incorrect|wrong) (?:that|to)",
    "rather than|instead of|as opposed to|unrelated to",
    "(?:absence|lack|free|far|irrespective|regardless|independent) (?:of|from)",
    "unlikely|hardly|doubtful|tempting|whether|(?:say|tell|know|clear|sure) if",
    "at first (?:sight|glance|look)|(?:i|we) expect(?:ed)?",
    "would (?:expect|think|suspect|assume|guess)|(?:made|led) (?:me|us) (?:to )?(?:think|suspect)",
    "mis(?:taken|diagnosed|read|interpreted) (?:for|as)|mimics?|resembles?",
)
# ... but not what came at another time ("no errors before the rollout").
_TIME = "(?:before|until|after|when|whenever|if|once|prior)"
# A negated verb reaches to where its circumstances begin ("cannot scale beyond its cap of two").
_CIRCUMSTANCE = _any(
    _TIME,
    "beyond|past|above|over|under|within|through|on|due to|owing to|as a result of|thanks to",
    "(?<!caused )(?<!explained )(?<!triggered )by",
    "(?<!wrong )(?<!problem )(?<!issue )(?<!fault )(?<!trouble )with",
)
_DENIED_BEFORE = re.compile(
    rf"\b{_DENIAL}\b(?!.*\b{_TIME}\b)"
    # "it may look like a leak", but not "what may look like an attack is a leak"
    r"|\b(?:may|might|could|can) (?:look|seem|sound|appear)\b(?!.* (?:is|are|was|were)\b)"
    rf"|\b{_NEVER}\b(?!\s(?:\w+ly )?+(?!{_CIRCUMSTANCE}\b)\w+.*\b{_CIRCUMSTANCE}\b)"
)

_BE = _any(
    "is|are|was|were|be|been|being",
    "(?:remain|stay|(?<!may )(?<!might )(?:look|seem|appear))(?:s|ed)?|proves?|proved",
    "turn(?:s|ed) out",
)
# "is a mere symptom", but not "is no symptom"
_A = r"(?:(?:an?|the|our) )?(?:(?!no\b|not\b)\w+ )?"
_ADVERBS = "(?:(?:[a-z]+ly|all|also|both|still|just|only|quite|very|to be|in fact) ){0,2}"
_THE_INCIDENT = (
    r"(?:(?:the|this|these|that|our|any) )?(?:\w+ ){0,2}"
    "(?:incident|outage|problem|issue|failure|error|symptom|cause|spike|fault|alert)s?"
)
_TO_BLAME = (
    "(?:the |an? |its |our |to )?(?:root |real |actual |main |likely |primary |underlying )*"
    + _any(
        "culprit|problem|issue|reason|explanation|source|factor|it",
        # "cannot be explained by traffic" clears the traffic
        "(?:cause[ds]?|trigger(?:ed)?|explain(?:ed)?)(?! by)",
        "blame|guilty|responsible|involved|at fault|relevant|related|the case|confirmed|supported",
        r"found|matter|contribut\w*|play|account|hold|apply|fit|match|add up",
        "(?:happen|occur|exist|change|grow|rise|increase)(?! (?:before|until|on|in|at|elsewhere))",
    )
)
_THOUGHT = "(?:hypothesis|theory|idea|possibility|suspicion|explanation)"
# Said after the words, or about "it" in the next clause, these take back what was said.
_CLEARED = _any(
    f"{_BE} {_ADVERBS}(?:fine|ok|okay|healthy|normal|correct|harmless|benign|innocent|unaffected)",
    f"{_BE} {_ADVERBS}(?:unchanged|irrelevant|unlikely|coincidental|incidental|far from)",
    f"{_BE} {_ADVERBS}(?:negligible|insignificant|minimal|marginal|absent)",
    f"{_BE} {_ADVERBS}(?:excluded|discarded|dismissed|rejected as|old noise|pre existing)",
    rf"{_BE} {_ADVERBS}(?:in sync|in order|as expected|within (?:\w+ )?(?:limits|range|bounds))",
    f"{_BE} {_ADVERBS}{_A}(?:symptom|consequence|side effect|victim)s?",
    f"{_BE} {_ADVERBS}{_A}(?:red herring|coincidence|distract(?:ion|or)|art[ei]fact)s?",
    rf"{_BE} {_ADVERBS}too \w+ to (?:matter|explain|cause|account|be the cause)",
    f"{_BE} not new|{_BE} no (?:root )?(?:cause|problem|issue|reason|culprit|factor|explanation)",
    f"(?:{_BE} {_ADVERBS})?(?:ruled out|exonerated|disproved|refuted)",
    f"unrelated(?: to {_THE_INCIDENT}|(?! to))",
    rf"(?:considered|checked|examined|investigated|suspected|tested|{_THOUGHT})(?: \w+){{0,3}}"
    " (?:rejected|dismissed|excluded|discarded|eliminated|cleared)",
    "(?:plays?|played|ha[sd]|have|having) no (?:part|role|effect|impact|influence|bearing)",
    "(?:ha[sd]|have|having) nothing to do",
    "work(?:s|ed|ing)? (?:fine|well|correctly|normally|properly|as (?:expected|designed))",
    "(?:works|unchanged|excluded|discarded|dismissed|ok|okay|fine|healthy|normal|by design)$",
    "would (?:not |never |also )?(?:be|have|show|leave|look|appear|mean|make|give|affect|hit)",
    f"(?:is|are|was|were|do|does|did|has|have|had|can?|could) {_NEVER} {_ADVERBS}"
    f"(?:have |been |be ){{0,2}}{_TO_BLAME}",
)
# A thing called by the words is not the words claimed ("the leak detector", "the skew theory").
_NAMED_AFTER = "detect(?:or|ion)|tolerance|watchdog|checker"
_CLEARED_AFTER = re.compile(rf"\b{_CLEARED}\b|\?$|^ (?:{_NAMED_AFTER}|{_THOUGHT})\b")
# Of a first impression, whatever stands in between ("a leak after the move was our first idea").
_IMPRESSION = re.compile(
    rf"\b(?:{_BE} {_ADVERBS}(?:my|our|the|a) (?:first|initial) (?:thought|guess|idea|suspicion)"
    r"|(?:look|seem|appear)ed (?:convincing|plausible|obvious|promising|likely))\b"
)
# What follows these says something of another subject ("leaks with the pool size unchanged").
_OTHER_SUBJECT = re.compile(r"\b(?:with|despite|that|who|when|if|after|before|until|unless)\b.*")
_CLEARED_NEXT = re.compile(
    "(?:(?:and|but|though|although|while|so|since|however|yet|later|then|or) )*"
    f"(?:(?:it|this|that|they|these|those|which|both|the {_THOUGHT}) )?"
    "(?:(?:later|soon|clearly|can|could|may|must|however|then) ){0,2}"
    # "Ruled out: DNS" is about the DNS
    rf"(?!ruled out (?!by|as|for|due|after)\w)(?:{_NEVER} {_TO_BLAME}|{_CLEARED})\b"
    # "the evidence does not support it"; the end comes first, or long clauses take a minute
    rf"|(?=.*\b(?:it|this|that)$)(?>.*?\b(?:no|nothing|{_NEVER})\b)"
    r".*\b(?:support|confirm|indicat|evidence|sign|point|suggest)"
)
_SUPPOSED = re.compile(r"(?:if|had)\b")
_WOULD = re.compile(r"\bwould\b")

_OPTION = re.compile(
    r"alternatively\b|or (?!(?:rather|more|even|when|if|on|in|at|after|by|with|for|during|until) )"
)
_UNSURE = re.compile(r"\b(?:may|might|could(?! not)|possibly|perhaps|maybe|either)\b")
# One of several guesses in a row ("possibly a leak, possibly the database"); "possibly in the pool"
# says more of the same guess.
_GUESS = re.compile(
    r"(?:(?:and|or) )?(?:possibly|perhaps|maybe) "
    r"(?!(?:in|on|at|by|from|via|with|through|due|because|after|when|since)\b)"
)
_UNDECIDED = re.compile(
    r"\b(?<!not )(?:equally (?:plausible|possible|likely(?! to))|(?:fifty|50) (?:fifty|50)"
    r"|(?:could|might|may) (?:just as well|as well|equally)|(?:fifty|50) (?:percent )?each)\b"
)
_SUBORDINATE = re.compile(
    r"\b(?:when|whenever|if|where|whether|after|once|that|which|until|before|unless|for|on|in)\b"
)


def is_denied(before: str, after: str, following: str) -> bool:
    """Return whether what stands between *before* and *after* in one clause is taken back.

    *following* is the next clause, which may say that "it" was ruled out.
    """
    return bool(
        _DENIED_BEFORE.search(before)
        or _CLEARED_AFTER.search(_OTHER_SUBJECT.sub("", after))
        or _IMPRESSION.search(after)
        or _CLEARED_NEXT.match(following)
        or (_SUPPOSED.match(before) and _WOULD.search(following))
    )


def is_unsure(text: str) -> bool:
    """Return whether *text* says that what follows is only one possibility."""
    return _UNSURE.search(text) is not None


def is_option(clause: str) -> bool:
    """Return whether *clause* offers an alternative to the one before ("or the pool is small")."""
    return _OPTION.match(clause) is not None


def is_guess(clause: str) -> bool:
    """Return whether *clause* opens as one guess in a row of them ("perhaps the pool is small")."""
    return _GUESS.match(clause) is not None


def is_undecided(clause: str) -> bool:
    """Return whether *clause* weighs two causes as equals; who does so has named neither."""
    return _UNDECIDED.search(clause) is not None


def is_subordinate(text: str) -> bool:
    """Return whether *text* opens a subordinate, so that an "or" after it belongs to that."""
    return _SUBORDINATE.search(text) is not None
