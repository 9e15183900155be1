"""When two names mean one service, and whom a list of commits blames."""

from __future__ import annotations

import pytest

from pytest_rcabench.domain.names import Blame, is_named, read_blame

CULPRIT = "4f1c2aa0b7d94e55a1f0c3d2e6b8a99001122334"
INNOCENT = "4f1c2ff000000000000000000000000000000001"
OTHER = "9876543210987654321098765432109876543210"
SHAS = (CULPRIT, INNOCENT, OTHER)


@pytest.mark.parametrize(
    "written",
    [
        "payments-api",
        "Payments API",
        "payments_api",
        " payments-api. ",
        "`payments-api`",
        "**payments-api**",
        '"payments-api"',
        "payments\u2011api",
        "payments\u200b-api",
        "prod/payments-api",
        "cluster-1/prod/payments-api",
        "payments-api:8080",
        "payments-api.shop.svc.cluster.local:8080",
        "payments-api.shop.svc",
        "deployment/payments-api",
        "deployment.apps/payments-api",
        "prod/deployment/payments-api",
        "service: payments-api",
        "service payments-api",
        "the payments-api service",
        "payments-api deployment",
        "payments-api-7d9f8c6b5-x2k4q",
        "prod/payments-api-7d9f8c6b5-x2k4q",
        "payments-api (deployment)",
        "pods of payments-api",
        "payments-api (payments-api-7d9f8c6b5-x2k4q)",
    ],
)
def test_a_service_is_known_by_any_spelling_of_its_name(written: str) -> None:
    """Case, quotes, kind, namespace, port and pod suffix are no part of a name."""
    assert is_named(written, ["payments-api"])


@pytest.mark.parametrize(
    "written",
    [
        "",
        "payments",
        "payments-api-v2",
        "payments-api-gateway",
        "payments-api-7",
        "payments-api-canary-7d9f8c6b5",
        "payments-api-aeiou12345-aeiou",
        "payment-api",
        "api",
        "checkout-web",
        "service",
        "payments-api, checkout-web",
        "payments-api and checkout-web",
        "payments-api (checkout-web)",
        "checkout-web on payments-api",
        "payments-api/checkout-web",
        "payments-api / checkout-web",
        "checkout-web -> payments-api",
        "x" * 400,
    ],
)
def test_a_name_that_is_merely_similar_is_another_name(written: str) -> None:
    """Nothing is fuzzy, and naming several is naming none."""
    assert not is_named(written, ["payments-api"])


def test_an_ordinal_belongs_to_the_name() -> None:
    """Node 2 of a cluster is not the cluster, nor node 1."""
    assert is_named("search-es-2", ["search-es-2"])
    assert not is_named("search-es", ["search-es-2"])
    assert not is_named("search-es-1", ["search-es-2"])
    assert not is_named("elasticsearch-cluster", ["search-es-2"])


def test_another_pod_is_not_the_pod_at_fault() -> None:
    """Where the truth is one pod, its service is too little and its neighbour is wrong."""
    pod = "payments-api-7d9f8c6b5-x2k4q"

    assert is_named(pod, [pod])
    assert not is_named("payments-api", [pod])
    assert not is_named("payments-api-7d9f8c6b5-zzzzz", [pod])


def test_several_names_pass_when_each_is_accepted() -> None:
    """A host and what runs on it may both be right."""
    accepted = ["node-3", "auth-gateway"]

    assert is_named("auth-gateway on node-3", accepted)
    assert is_named("node-3 (auth-gateway)", accepted)
    assert is_named("node-3/auth-gateway", accepted, lambda: accepted)
    assert not is_named("auth-gateway on node-2", accepted)


def test_a_known_name_before_a_slash_is_no_namespace() -> None:
    """Otherwise a victim could hide as a namespace."""
    known = ["checkout-web", "payments-api"]

    assert not is_named("checkout-web/payments-api", ["payments-api"], lambda: known)
    assert is_named("shop/payments-api", ["payments-api"], lambda: known)


@pytest.mark.parametrize(
    "written",
    [
        CULPRIT,
        CULPRIT[:8],
        CULPRIT[:7],
        CULPRIT.upper(),
        f"`{CULPRIT[:9]}`",
        f"{CULPRIT[:9]}.",
        f"{CULPRIT[:9]}\u2026",
        f"{CULPRIT[:9]}...",
        f"commit {CULPRIT[:9]}",
        f"{CULPRIT[:9]} (Validate coupon before reserving)",
        f"https://git.example.invalid/shop/orders/commit/{CULPRIT}",
        f"https://git.example.invalid/shop/orders/commit/{CULPRIT[:10]}?w=1#diff",
        f"orders-api@{CULPRIT[:12]}",
    ],
)
def test_a_sha_is_known_by_any_way_of_writing_it(written: str) -> None:
    """Seven digits are enough, whatever stands around them."""
    assert read_blame([written], SHAS) == Blame(shas=(CULPRIT,))


@pytest.mark.parametrize(
    "written",
    [
        "deadbeefcafe",
        CULPRIT[:12] + "ffff",
        CULPRIT + "0",
        "20261007",
        f"{CULPRIT[:10]}0000 the coupon commit",
    ],
)
def test_hex_that_begins_no_sha_is_an_invented_commit(written: str) -> None:
    """A right prefix with an invented tail is invented."""
    blame = read_blame([written], SHAS)

    assert blame.shas == ()
    assert len(blame.invented) == 1


def test_hex_that_begins_two_shas_names_neither() -> None:
    """An ambiguous prefix must not pass as a lucky guess."""
    twins = ("abcdef0" + "1" * 33, "abcdef0" + "2" * 33)

    assert read_blame(["abcdef0"], twins) == Blame(invented=("abcdef0",))
    assert read_blame(["abcdef01"], twins) == Blame(shas=(twins[0],))


def test_a_deploy_of_the_same_sha_is_no_ambiguity() -> None:
    """Commit and deploy name one change twice."""
    assert read_blame([CULPRIT[:8]], [CULPRIT, CULPRIT]) == Blame(shas=(CULPRIT,))


def test_the_same_sha_in_two_lengths_counts_once() -> None:
    """Short and long form blame one commit."""
    assert read_blame([CULPRIT[:7], CULPRIT], SHAS[:1]).count == 1


@pytest.mark.parametrize(
    "written",
    [
        "N/A",
        "none",
        "",
        "unknown",
        "HEAD~1",
        "#42",
        "new-price-engine",
        "v1.2.10",
        "4f1c2a",
        "6b1f0a2c-1111-4222-8333-0123456789ab",
        "orders-api-6d9f7c5b8-x2k4q",
        "deploy of 20261007",
        "a facade defaced",
    ],
)
def test_text_that_is_no_sha_blames_nobody_but_is_shown(written: str) -> None:
    """Flag keys, versions and dates are no commits."""
    assert read_blame([written], SHAS) == Blame(other=(written,))
