"""Where a model is reached, and with which key: read from the environment and checked early."""

from __future__ import annotations

import importlib.metadata
import ipaddress
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_rcabench.domain.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KEY = re.compile(r"[!-~]+")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*")
# "/v1", "/v1beta", "/v1/messages"; in the middle it may stand, as gateways have it there.
_OWN_PATH = re.compile(r"/v\d\w*(/\w+)?$")


@dataclass(frozen=True, slots=True)
class Access:
    """A checked key, which no repr shows, and the address that it belongs to."""

    key: str = field(repr=False)
    base_url: str

    @property
    def host(self) -> str:
        """The host of the address, for messages."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether the address is one of this machine, which no proxy reaches."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")


def check_key(environ: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the key in the first of the variables *names* that is not empty.

    Raises: OptionError: if there is none, or it holds what no header may.
    """
    for name in names:
        if key := environ.get(name, "").strip():
            if not _KEY.fullmatch(key):
                raise OptionError(f"{name}: holds signs that no key has; copy it again")
            return key
    raise OptionError(f"no key: set {' or '.join(names)} (to any word where a local model answers)")


def check_base_url(environ: Mapping[str, str], name: str, default: str) -> str:
    """Return the address in the variable *name*, or *default* where it is empty or unset.

    Raises: OptionError: if it is no address, or one that the SDK would make a wrong one of. The
    address is not shown, as it may hold a secret.
    """
    url = environ.get(name, "").strip().rstrip("/")
    if not url:
        return default
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not _KEY.fullmatch(url):
        raise OptionError(f"{name}: is no address; write http://HOST:PORT")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise OptionError(f"{name}: holds a login, query or fragment; leave it out")
    if own := _OWN_PATH.search(parts.path):
        raise OptionError(f"{name}: ends in {own[0]}, which the SDK adds itself; leave it out")
    return url


def check_model(provider: str, model: str) -> None:
    """Check that *model* can be a model's id. Raises: OptionError: if not."""
    if not _MODEL.fullmatch(model) or ".." in model:
        raise OptionError(f"{provider}:{model}: is no model's id; write {provider}:MODEL")


def check_sdk(distribution: str, major: int, extra: str) -> None:
    """Check that *distribution* is installed in version *major*, without importing it.

    Raises: OptionError: if it is not, naming the *extra* that brings it.
    """
    try:
        found = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        found = ""
    if found.partition(".")[0] != str(major):
        wanted = f"{distribution} {major}.x"
        what = f"{wanted} is needed, and {found} installed" if found else f"{wanted} is missing"
        raise OptionError(f"{what}; pip install 'pytest-rcabench[{extra}]'")
