"""First contact in sentences: what no move of an incident can make better."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.domain.first_contact import contacts_in, earliest, system_of
from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS
from pytest_rcabench.reports.comparable import common_lines, not_comparable
from pytest_rcabench.reports.figures import graded_text
from pytest_rcabench.reports.rates import Rate, rate_of

if TYPE_CHECKING:
    from pytest_rcabench.domain.first_contact import FirstContact
    from pytest_rcabench.domain.run import Results


class FirstRate(NamedTuple):
    """How often *system* passed all checks at first contact, on what was held out then.

    *graded* are the root-cause checks that counted, and *twins* stand apart, as in a
    `ColumnSummary`. *moved* of these incidents are tuned now; *left_out* more were scored by
    another scorer and are not in *rate*. *is_all_new* says that nothing is known but one column,
    whose own rate this is.
    """

    system: str
    graded: tuple[str, ...]
    twins: bool
    rate: Rate
    moved: int
    left_out: int
    is_all_new: bool


def first_rates(*runs: Results) -> tuple[FirstRate, ...]:
    """Return the first contacts of the systems in *runs*, as far as these runs know them.

    Nothing, where the runs are not comparable.
    """
    if not runs or not_comparable(*runs):
        return ()
    known = [contact for run in runs for contact in (*contacts_in(run), *run.first_contact)]
    moved = {move.incident for run in runs for move in run.moves}
    groups: dict[tuple[str, tuple[str, ...], bool], list[FirstContact]] = {}
    for contact in earliest(known):
        if contact.set == "held_out":
            graded = contact.graded or tuple(ROOT_CAUSE_CHECKS)
            group = contact.system, graded, bool(contact.twin_of)
            groups.setdefault(group, []).append(contact)
    columns = [(system_of(column), run.run.id) for run in runs for column in run.columns]
    order = {system: number for number, system in enumerate(dict(columns))}
    rates = []
    for group in sorted(
        groups, key=lambda key: (order.get(key[0], len(order)), -len(key[1]), key[2])
    ):
        contacts = [one for one in groups[group] if one.scorer_digest == runs[0].scorer_digest]
        rate = rate_of(
            (one.incident, None if word == "unmeasured" else word == "pass")
            for one in contacts
            for word in one.verdicts
        )
        gone = sum(one.incident in moved for one in contacts)
        left_out = len(groups[group]) - len(contacts)
        own = [run for system, run in columns if system == group[0]]
        is_all_new = len(own) == 1 and all(one.run == own[0] for one in groups[group])
        rates.append(FirstRate(*group, rate, gone, left_out, is_all_new))
    return tuple(rates)


def first_contact_lines(*runs: Results) -> tuple[str, ...]:
    """Return a sentence for each of the `first_rates` of *runs*; one for all that are no news."""
    lines = []
    for one in (rates := first_rates(*runs)):
        if one.is_all_new:
            continue
        about = ("twins" if one.twins else "incidents") + graded_text(one.graded)
        notes = [f"{one.moved} of them tuned now"] if one.moved else []
        if one.left_out:
            notes.append(f"{one.left_out} scored by another scorer left out")
        shown = f" ({'; '.join(notes)})" if notes else ""
        lines.append(
            f"first contact of {one.system} with held-out {about}: all checks {one.rate}{shown}"
        )
    if new := [*dict.fromkeys(one.system for one in rates if one.is_all_new)]:
        lines.append(f"first contact of {', '.join(new)}: no earlier answer is known")
    return tuple(lines)


def held_out_lines(*runs: Results) -> tuple[str, ...]:
    """Return what stands beside the held-out rates of *runs*: nothing in it gets better by a move.

    Those are the first contacts, and the rates on common incidents.
    """
    return (*first_contact_lines(*runs), *common_lines(*runs))
