"""The options: one table says flag, ini twin, type and default of each, and nothing else does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_rcabench.plugin.settings import Settings

FAIL_ON = ("half", "wrong", "regression", "never")

# flag -> (ini twin or "", how the command line takes it, help)
OPTIONS: dict[str, tuple[str, dict[str, Any], str]] = {
    "--rca-provider": (
        "rca_provider",
        {"action": "append", "metavar": "[NAME=]SPEC"},
        (
            "a column: heuristic, gemini[:MODEL], claude[:MODEL], control:NAME, command:CMDLINE, "
            "http:URL, or what a hook knows; repeatable, and a comma list of names is fine "
            "(default: heuristic)"
        ),
    ),
    "--rca-repeat": (
        "rca_repeat",
        {"metavar": "N"},
        "how many rounds each incident is shown to each column (default: 1)",
    ),
    "--rca-set": (
        "rca_set",
        {"choices": ("held_out", "tuned", "all")},
        "which set of incidents runs (default: all)",
    ),
    "--rca-label": (
        "",
        {"metavar": "TEXT"},
        "version of the system under test, for the column heads",
    ),
    "--rca-column": (
        "rca_column",
        {"action": "append", "metavar": '"NAME: key=value, …"'},
        (
            "settings of one column: label, parallel, free, rpm, tpm, rpd, max_tokens, context, "
            "effort, usd_in, usd_out; repeatable"
        ),
    ),
    "--rca-concurrency": (
        "rca_concurrency",
        {"metavar": "N"},
        "analyses in flight at once for the whole run (default: 8)",
    ),
    "--rca-max-cost": (
        "rca_max_cost",
        {"metavar": "USD"},
        "hard ceiling for the whole run: nothing new is asked once it could be passed",
    ),
    "--rca-timeout": (
        "rca_timeout",
        {"metavar": "S"},
        "deadline of one analysis in seconds (default: 300)",
    ),
    "--rca-record": (
        "rca_record",
        {"metavar": "DIR"},
        "where the run record is kept (default: .rcabench)",
    ),
    "--rca-resume": (
        "",
        {"action": "store_const", "const": True},
        "go on with the newest run of the same plan: ask every cell that has no answer",
    ),
    "--rca-replay": (
        "",
        {"metavar": "PATH"},
        "take the answers from a record or results file, score them afresh, ask nobody",
    ),
    "--rca-json": ("", {"metavar": "PATH"}, "write the results as JSON"),
    "--rca-markdown": ("", {"metavar": "PATH"}, "write the report as Markdown"),
    "--rca-html": ("", {"metavar": "PATH"}, "write the report as one HTML file"),
    "--rca-baseline": (
        "",
        {"action": "append", "metavar": "PATH"},
        (
            "hold this run against earlier ones and fail it if it got worse: results files, or a "
            "folder of them; repeatable, and commas are fine"
        ),
    ),
    "--rca-fail-on": (
        "rca_fail_on",
        {"choices": FAIL_ON},
        (
            "what fails the run: half fails half and wrong, wrong fails wrong only, regression "
            "fails neither but a run that is worse than --rca-baseline, never fails nothing "
            "(default: never while no provider was chosen, regression with a baseline, else half)"
        ),
    ),
}
_LISTS = ("rca_provider", "rca_column")
DEFAULT_FILES = ("*.yaml", "*.yml")


def add_options(parser: pytest.Parser) -> None:
    """Declare every option of the table, and ``rca_files``."""
    group = parser.getgroup("rca", "root-cause analysis benchmark")
    for flag, (ini, how, explained) in OPTIONS.items():
        group.addoption(flag, dest=_dest(flag), default=None, help=explained, **how)
        if ini in _LISTS:
            parser.addini(ini, f"ini twin of {flag}", type="linelist", default=[])
        elif ini:
            parser.addini(ini, f"ini twin of {flag}", default="")
    parser.addini(
        "rca_files",
        "names of files that may be incidents",
        type="args",
        default=list(DEFAULT_FILES),
    )


def is_any_given(config: pytest.Config) -> bool:
    """Whether anything of ours was asked for, so that a mistake in it must stop the run at once."""
    return any(
        config.getoption(_dest(flag)) is not None or (ini and config.getini(ini))
        for flag, (ini, _, _) in OPTIONS.items()
    )


def read_settings(config: pytest.Config) -> Settings:
    """Return the checked settings of this run. Raises: OptionError, UsageError: for a mistake."""
    # Imported when the first incident or option is met: a run that has none must not pay for it.
    from pytest_rcabench.domain.errors import OptionError  # noqa: PLC0415
    from pytest_rcabench.plugin.settings import settings_from  # noqa: PLC0415

    given = {flag: _value(config, flag) for flag in OPTIONS}
    for flag, (ini, how, _) in OPTIONS.items():
        choices = how.get("choices")  # argparse has checked the flag, nobody the ini file
        if choices and given[flag] not in {None, *choices}:
            raise pytest.UsageError(
                f"{ini} = {given[flag]} in the ini file is none of {', '.join(choices)}"
            )
    try:
        return settings_from(config, given)
    except OptionError as error:
        flag = re.split("[=: ]", str(error), maxsplit=1)[0]
        if flag in OPTIONS and config.getoption(_dest(flag)) is None:
            raise OptionError(f"{OPTIONS[flag][0]} in the ini file: {error}") from None
        raise


def _value(config: pytest.Config, flag: str) -> Any:  # noqa: ANN401 - a text, a list of texts, or None
    given = config.getoption(_dest(flag))
    ini = OPTIONS[flag][0]
    if given is not None or not ini:
        return given
    from_ini = config.getini(ini) or None
    if flag == "--rca-record" and from_ini:
        return str(config.rootpath / Path(from_ini))
    return from_ini


def _dest(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
