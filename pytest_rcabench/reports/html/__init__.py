"""The HTML report: one file that asks nobody for anything, drawn from results and incidents.

What needs jinja2 is in `page`, so that this package can be asked whether it is there.
"""

from __future__ import annotations

from importlib.util import find_spec

from pytest_rcabench.domain.errors import OptionError


def require_jinja2(option: str) -> None:
    """Let *option* ask for an HTML report. Raises: OptionError: if jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise OptionError(
            f"{option} needs jinja2, which is not installed; "
            "install it with `pip install pytest-rcabench[html]`"
        )
