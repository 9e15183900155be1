"""Takes secrets out of a text before it is shown or stored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REDACTED = "[redacted]"
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|^RCA_HTTP_AUTHORIZATION$", re.IGNORECASE)
# Shorter values ("on", "1234") would black out half of an innocent text.
_SHORTEST_SECRET = 6
_USERINFO = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/?#\"'<>]*@", re.IGNORECASE)
_QUERY = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s?#\"'<>]*\?)[^\s#\"'<>]+", re.IGNORECASE)


def redact(text: str, environ: Mapping[str, str]) -> str:
    """Return *text* without the secrets of *environ*, and without userinfo and query of any URL.

    A secret is the value, six characters or longer, of a variable whose name holds KEY, TOKEN,
    SECRET or PASSWORD, or of RCA_HTTP_AUTHORIZATION.
    """
    # The longest first: a secret that begins with another one would leave its tail behind.
    for secret in sorted(set(_secrets(environ)), key=len, reverse=True):
        text = text.replace(secret, _REDACTED)
    text = _USERINFO.sub(rf"\g<1>{_REDACTED}@", text)
    return _QUERY.sub(rf"\g<1>{_REDACTED}", text)


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if _SECRET_NAME.search(name):
            # "Bearer abc" may be echoed as "abc", and a key in a path is percent-encoded.
            for secret in (value.strip(), *value.split()[-1:]):
                if len(secret) >= _SHORTEST_SECRET:
                    yield secret
                    yield quote(secret, safe="")
