"""The layouts in which services write their logs, by the name that an incident file gives them."""

from __future__ import annotations

from pytest_rcabench.files.log_formats.layouts import FORMATS
from pytest_rcabench.files.log_formats.stream import LogFormat, LogLine, ParsedStream, parse_stream

__all__ = ["FORMATS", "LogFormat", "LogLine", "ParsedStream", "parse_stream"]
