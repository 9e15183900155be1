"""RootCauseBench data becomes incident files that say the same, or an error with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.incident import Fault, Incident, format_time
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.importers import IMPORTERS, import_rootcausebench

if TYPE_CHECKING:
    from collections.abc import Callable

CULPRIT, DECOY = "a" * 40, "b" * 40
DATA = "environment/data"


def _records(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


FILES = {
    "task.toml": '[metadata]\ndifficulty = "easy"\ntags = ["panic", "incident"]\n',
    "tests/ground_truth.json": json.dumps(
        {
            "scenario": "cart-panic",
            "root_cause_commit": CULPRIT,
            "first_failing_service": "cart",
            "blast_radius": ["web"],
            "remediation": "rollback",
            "decoy_deploy_commits": [DECOY],
            "notes": "the secret explanation",
        }
    ),
    f"{DATA}/alert.json": json.dumps(
        {
            "service": "cart",
            "metric": "errors_ratio",
            "threshold": 0.1,
            "observed": 0.5,
            "fired_at": "2026-06-01T10:10:00Z",
            "severity": "high",
            "monitor": "cart-errors",
            "summary": "cart fails",
        }
    ),
    f"{DATA}/logs.ndjson": _records(
        '{"timestamp": "2026-06-01T10:00:00Z", "service": "web", "severity_text": "INFO", '
        '"msg": "served", "http.route": "/cart", "count": 3}',
        '{"timestamp": "2026-06-01T10:05:00Z", "service": "cart", "severity_text": "ERROR", '
        '"msg": "panic: nil\\ngoroutine 1", "stack": "a.go:1 b"}',
        '{"timestamp": "2026-06-01T10:04:00Z", "service": "cart", "severity_text": "WARN", '
        '"msg": "slow"}',
    ),
    f"{DATA}/metrics.csv": _records(
        "timestamp,service,metric,value",
        "2026-06-01T10:00:00Z,cart,errors_ratio,0.0",
        "2026-06-01T10:01:00Z,cart,errors_ratio,0.25",
    ),
    f"{DATA}/traces.json": json.dumps(
        [
            {
                "trace_id": "t1",
                "span_id": "a",
                "parent_id": None,
                "service": "web",
                "name": "GET /cart",
                "start": "2026-06-01T10:05:00Z",
                "duration_ms": 4,
                "status": "ERROR",
                "http.status_code": 500,
            },
            {
                "trace_id": "same",
                "span_id": "b",
                "parent_id": "a",
                "service": "cart",
                "name": "Get",
                "start": "2026-06-01T10:05:00Z",
                "duration_ms": 2.5,
                "status": "ERROR",
                "error": "panic",
            },
        ]
    ),
    f"{DATA}/patterns.json": '[{"signature": "panic: <*>"}]',
    f"{DATA}/context/commits.json": json.dumps(
        [
            {
                "sha": CULPRIT,
                "author": "ada",
                "timestamp": "2026-06-01T09:50:00Z",
                "message": "Read the optional field",
                "files_changed": ["cart.go"],
                "diff": "@@ cart.go @@\n-\told\n+\tnew",
            },
            {
                "sha": DECOY + "b",
                "author": "bob",
                "timestamp": "2026-06-01T09:40:00Z",
                "message": "Restyle",
                "files_changed": [],
                "diff": None,
            },
        ]
    ),
    f"{DATA}/context/deploys.json": json.dumps(
        [
            {
                "timestamp": "2026-06-01T10:02:00Z",
                "service": "cart",
                "commit_sha": CULPRIT,
                "version": "v2",
            },
            {
                "timestamp": "2026-06-01T10:01:00Z",
                "service": "web",
                "commit_sha": DECOY + "b",
                "version": "v1",
            },
        ]
    ),
    f"{DATA}/context/flags.json": json.dumps(
        [
            {
                "timestamp": "2026-06-01T09:55:00Z",
                "flag": "rail",
                "service": "web",
                "change": "off->on",
                "actor": "eve",
            }
        ]
    ),
}


def _write(folder: Path, **changed: str) -> Path:
    """Write one incident below *folder*; *changed* replaces files by the stem of their name."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(path.stem, text), encoding="utf-8")
    return folder


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., Incident]:
    """Return a function that imports the incident above with some files replaced."""

    def run(**changed: str) -> Incident:
        _write(tmp_path / "clone/datasets/rootcausebench/cart", **changed)
        file = tmp_path / "out/cart-panic.yaml"
        file.unlink(missing_ok=True)
        import_rootcausebench(tmp_path / "clone", file.parent)
        return read_incident(file)

    return run


def _edited(name: str, index: int | None = None, **fields: object) -> str:
    data = json.loads(FILES[name])
    (data if index is None else data[index]).update(fields)
    return json.dumps(data)


def test_the_format_is_known_by_its_name() -> None:
    """`rcabench import rootcausebench` finds the importer."""
    assert import_rootcausebench is IMPORTERS["rootcausebench"]


def test_every_log_field_is_kept_on_one_line(imported: Callable[..., Incident]) -> None:
    """Extra fields follow the message, and a line end inside a message makes no second record."""
    messages = [record.message for record in imported().evidence.logs]

    assert messages == [
        "served http.route=/cart count=3",
        'panic: nil\\ngoroutine 1 stack="a.go:1 b"',
        "slow",
    ]


def test_a_stream_keeps_the_order_of_the_file(imported: Callable[..., Incident]) -> None:
    """A service whose clock or writer went backwards is not tidied up."""
    times = [
        format_time(record.time) for record in imported().evidence.logs if record.service == "cart"
    ]

    assert times == ["2026-06-01T10:05:00Z", "2026-06-01T10:04:00Z"]


def test_changes_keep_the_order_of_their_files(imported: Callable[..., Incident]) -> None:
    """The first deploy listed stays the first, whatever its time: a published control needs it."""
    changes = [
        (change.type, change.sha[:1] or change.key) for change in imported().evidence.changes
    ]

    assert changes == [
        ("commit", "a"),
        ("commit", "b"),
        ("deploy", "a"),
        ("deploy", "b"),
        ("flag", "rail"),
    ]


def test_a_diff_is_kept_to_the_letter(imported: Callable[..., Incident]) -> None:
    """Tabs and the missing last line end stay, and a commit without a diff has none."""
    diffs = [change.diff for change in imported().evidence.changes[:2]]

    assert diffs == ["@@ cart.go @@\n-\told\n+\tnew", ""]


def test_a_sha_with_a_digit_too_many_is_cut(imported: Callable[..., Incident]) -> None:
    """Commit, deploy and decoy still name the same change."""
    incident = imported()

    assert {CULPRIT, DECOY} == incident.evidence.shas
    assert [distractor.commit for distractor in incident.distractors] == [DECOY]


def test_an_uneven_series_stands_on_a_grid_with_gaps(imported: Callable[..., Incident]) -> None:
    """Samples at minutes 0, 2 and 5 make six steps, and no value is invented between them."""
    metrics = _records(
        "timestamp,service,metric,value",
        "2026-06-01T10:05:00Z,cart,db_wait_seconds_p99,3",
        "2026-06-01T10:00:00Z,cart,db_wait_seconds_p99,1",
        "2026-06-01T10:02:00Z,cart,db_wait_seconds_p99,2",
    )
    [series] = imported(metrics=metrics).evidence.metrics

    assert (series.step_s, series.unit) == (60, "s")
    assert series.values == (1, None, 2, None, None, 3)


def test_a_sample_that_is_no_number_is_a_gap(imported: Callable[..., Incident]) -> None:
    """NaN in a CSV is a missing measurement; other text is damage (see below)."""
    metrics = FILES[f"{DATA}/metrics.csv"].replace("0.25", "NaN")

    assert imported(metrics=metrics).evidence.metrics[0].values == (0.0, None)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("p99_ms", "ms"),
        ("requests_per_sec", "1/s"),
        ("queries_per_second", "1/s"),
        ("records_per_min", "1/min"),
        ("cpu_pct", "percent"),
        ("cpu_utilization", ""),
        ("items_count", ""),
    ],
)
def test_a_unit_is_what_the_name_says(
    imported: Callable[..., Incident], name: str, unit: str
) -> None:
    """A name that says no unit gets none."""
    metrics = FILES[f"{DATA}/metrics.csv"].replace("errors_ratio", name)

    assert unit == imported(metrics=metrics).evidence.metrics[0].unit


def test_spans_of_the_same_trace_are_joined(imported: Callable[..., Incident]) -> None:
    """The data set writes "same" for the trace listed before, and attributes follow the name."""
    spans = [(span.trace_id, span.name, span.error) for span in imported().evidence.traces]

    assert spans == [("t1", "GET /cart http.status_code=500", ""), ("t1", "Get", "panic")]


def test_the_alert_says_all_that_the_monitor_said(imported: Callable[..., Incident]) -> None:
    """Severity, threshold, observed value and monitor stand in the summary."""
    [alert] = imported().evidence.alerts

    assert (
        alert.summary == "cart fails (threshold=0.1 observed=0.5 severity=high monitor=cart-errors)"
    )


def test_a_status_feed_becomes_events_and_a_series(
    imported: Callable[..., Incident], tmp_path: Path
) -> None:
    """Events, incidents with their updates, components and error rates: all of it is evidence."""
    feed = {
        "provider": "pay.example",
        "fetched_at": "2026-06-01T10:09:00Z",
        "events": [{"timestamp": "2026-06-01T10:03:00Z", "status": "degraded"}],
        "incidents": [
            {
                "name": "Errors",
                "started_at": "2026-06-01T10:04:00Z",
                "updates": [{"timestamp": "2026-06-01T10:06:00Z", "body": "on it"}],
            }
        ],
        "components": [{"name": "API", "status": "down"}],
        "api_error_rate_pct": [
            {"timestamp": "2026-06-01T10:00:00Z", "endpoint": "pay.example/v1", "value": 0.5}
        ],
    }
    folder = tmp_path / "clone/datasets/rootcausebench/cart" / DATA
    folder.mkdir(parents=True)
    (folder / "status_feed.json").write_text(json.dumps(feed), encoding="utf-8")
    evidence = imported().evidence

    events = [
        f"{format_time(change.time)[11:16]} {change.message}"
        for change in evidence.changes
        if change.type == "event"
    ]
    assert events == [
        "10:03 status=degraded (provider=pay.example)",
        "10:04 name=Errors (provider=pay.example)",
        '10:06 body="on it" (provider=pay.example)',
        "10:09 name=API status=down (provider=pay.example)",
    ]
    assert (evidence.metrics[1].service, evidence.metrics[1].values) == ("pay.example/v1", (0.5,))


def test_the_window_covers_the_telemetry_and_every_later_change(
    imported: Callable[..., Incident],
) -> None:
    """It starts with the telemetry, for changes may be older, and ends with whatever is last."""
    window = imported().evidence.window

    assert format_time(window.start) == "2026-06-01T10:00:00Z"
    assert format_time(window.end) == "2026-06-01T10:10:00Z"


def test_the_truth_is_graded_on_the_commit_alone(imported: Callable[..., Incident]) -> None:
    """The data set words no cause, and its notes stay out of the file altogether."""
    truth = imported().truth

    assert isinstance(truth, Fault)
    assert (
        truth.service,
        truth.victims,
        truth.commits,
        truth.graded,
    ) == ("cart", ("web",), (CULPRIT,), ("commit",))


def test_the_notes_of_the_truth_are_left_out(
    imported: Callable[..., Incident], tmp_path: Path
) -> None:
    """They explain the answer, and nothing that explains it may come near the evidence."""
    imported()

    assert "secret" not in (tmp_path / "out/cart-panic.yaml").read_text(encoding="utf-8")


def test_the_onset_is_the_first_warning_before_the_alert(imported: Callable[..., Incident]) -> None:
    """The warning at 10:04 is listed after the error at 10:05 and comes before it."""
    truth = imported().truth

    assert isinstance(truth, Fault)
    assert format_time(truth.onset) == "2026-06-01T10:04:00Z"


def test_the_onset_is_the_alert_where_nothing_warns(imported: Callable[..., Incident]) -> None:
    """A window of INFO records begins to fail when the monitor says so, at the latest."""
    logs = FILES[f"{DATA}/logs.ndjson"].replace("WARN", "INFO").replace("ERROR", "INFO")
    truth = imported(logs=logs).truth

    assert isinstance(truth, Fault)
    assert format_time(truth.onset) == "2026-06-01T10:10:00Z"


@pytest.mark.parametrize(
    ("tag", "culprit", "kind"),
    [
        ("panic", CULPRIT, "bad_deploy"),
        ("config", CULPRIT, "configuration"),
        ("upstream-outage", "none", "dependency"),
        ("traffic-surge", "none", "capacity"),
        ("dns", "none", "infrastructure"),
    ],
)
def test_the_kind_follows_from_tags_and_culprit(
    imported: Callable[..., Incident], tag: str, culprit: str, kind: str
) -> None:
    """The how-to page has the rule."""
    incident = imported(
        task=FILES["task.toml"].replace("panic", tag),
        ground_truth=_edited("tests/ground_truth.json", root_cause_commit=culprit),
    )

    assert kind == incident.kind


def test_the_commit_of_unknown_data_is_not_guessed(imported: Callable[..., Incident]) -> None:
    """Only data whose digest is known gets the commit that it was published in."""
    assert imported().source.commit == "unknown"


def test_a_byte_order_mark_is_no_part_of_the_data(imported: Callable[..., Incident]) -> None:
    """An editor that adds one changes nothing."""
    plain = imported()

    assert plain == imported(**{Path(name).stem: f"\ufeff{text}" for name, text in FILES.items()})


def test_the_report_says_what_was_kept_and_altered(tmp_path: Path) -> None:
    """Whoever imports learns what is in the file, and what is not as it was."""
    _write(tmp_path / "cart")
    lines = str(import_rootcausebench(tmp_path, tmp_path / "out")).splitlines()

    assert lines[0] == (
        "RootCauseBench at commit unknown: 1 incidents written, and all can be read"
    )
    assert lines[-4:] == [
        (
            "cart-panic.yaml: log records 3, metric series 1, commits 2, deploys 2, flags 1, "
            "alerts 1, spans 2"
        ),
        '  spans with the trace id "same", joined to the trace listed before them: 1',
        "  shas longer than 40 digits, cut to 40: 1",
        "  log patterns, left out: 1",
    ]


@pytest.mark.parametrize(
    ("stem", "text", "message"),
    [
        ("commits", '{"message": "Not Found"}', "commits.json: expected a list"),
        ("alert", '{"message": "Not Found"}', "alert.json: no 'fired_at', only message"),
        ("traces", '[{"trace_id": "a"', "traces.json: cannot be parsed"),
        ("traces", "[" * 100_000, "traces.json: cannot be parsed"),
        ("traces", "[NaN]", "NaN is no JSON"),
        ("traces", "[null]", "traces.json[0]: expected an object, found null"),
        ("logs", '{"timestamp": "2026', "logs.ndjson:1: cannot be parsed"),
        ("logs", "", "logs.ndjson: holds no record"),
        ("logs", '{"timestamp": "2026-06-01 10:00"}', "logs.ndjson:1: "),
        ("metrics", "time,value\n", "metrics.csv:1: expected the columns"),
        ("metrics", "", "metrics.csv:1: expected the columns"),
        ("metrics", "timestamp,service,metric,value\na,b\n", "metrics.csv:2: 2 values"),
        ("task", "[metadata", "task.toml: cannot be parsed"),
        ("task", "metadata = 1", "task.toml: metadata: expected an object, found 1"),
        ("ground_truth", _edited("tests/ground_truth.json", blast_radius="web"), "a list of texts"),
        (
            "ground_truth",
            _edited("tests/ground_truth.json", root_cause_commit="HEAD"),
            "'HEAD' is not 40 hex digits",
        ),
        ("flags", _edited(f"{DATA}/context/flags.json", 0, change="on"), "expected before->after"),
        (
            "deploys",
            _edited(f"{DATA}/context/deploys.json", 0, service=7),
            "deploys.json[0]: service: expected a text, found '7'",
        ),
        (
            "traces",
            _edited(f"{DATA}/traces.json", 0, duration_ms="soon"),
            "traces.json[0]: duration_ms: expected a finite number, found 'soon'",
        ),
    ],
)
def test_damage_is_told_with_its_place(tmp_path: Path, stem: str, text: str, message: str) -> None:
    """One line names the file, what is wrong and what to do, and nothing is written."""
    _write(tmp_path / "clone/cart", **{stem: text})

    with pytest.raises(RcabenchError) as caught:
        import_rootcausebench(tmp_path / "clone", tmp_path / "out")

    assert message in str(caught.value)
    assert "; " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", ["1_000", "\u0661", "inf", "1e999", "240 ms", "0x10"])
def test_a_value_that_is_no_measurement_is_refused(tmp_path: Path, value: str) -> None:
    """Python would read some of these as numbers; a monitoring system wrote none of them."""
    metrics = FILES[f"{DATA}/metrics.csv"].replace("0.25", value)
    _write(tmp_path / "cart", metrics=metrics)

    with pytest.raises(RcabenchError, match=r"metrics\.csv:3: value: expected a finite number"):
        import_rootcausebench(tmp_path, tmp_path / "out")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("2026-06-01T10:00:00Z", "two values for one time"),
        ("2026-06-01T10:00:00.000001Z,cart,errors_ratio,1\n2026-06-01T10:09:00Z", "no common grid"),
    ],
)
def test_times_that_make_no_series_are_refused(tmp_path: Path, second: str, message: str) -> None:
    """Two values for one time, or a grid of microseconds, would be a guess or a flood."""
    metrics = FILES[f"{DATA}/metrics.csv"].replace("2026-06-01T10:01:00Z", second)
    _write(tmp_path / "cart", metrics=metrics)

    with pytest.raises(RcabenchError, match=rf"/cart/.*: cart errors_ratio: .*{message}; "):
        import_rootcausebench(tmp_path, tmp_path / "out")


def test_nothing_is_written_unless_every_file_can_be_read(tmp_path: Path) -> None:
    """A victim that is the cause makes no incident, and the first one is not written either."""
    _write(tmp_path / "a")
    truth = _edited("tests/ground_truth.json", scenario="second", blast_radius=["cart"])
    _write(tmp_path / "b", ground_truth=truth)

    with pytest.raises(RcabenchError, match=r"second\.yaml:\d+:\d+: expected\.victims\[0\]"):
        import_rootcausebench(tmp_path, tmp_path / "out")

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("source", ["missing", "."])
def test_a_folder_without_the_data_set_is_refused(tmp_path: Path, source: str) -> None:
    """A folder that is not there, or holds other things, says what was expected."""
    with pytest.raises(RcabenchError, match="no RootCauseBench here"):
        import_rootcausebench(tmp_path / source, tmp_path / "out")


@pytest.mark.parametrize("name", [f"{DATA}/alert.json", "tests/ground_truth.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    """A folder of another benchmark has a task.toml too, but not the rest."""
    (_write(tmp_path / "cart") / name).unlink()

    with pytest.raises(RcabenchError, match=rf"{Path(name).name}: cannot be read"):
        import_rootcausebench(tmp_path, tmp_path / "out")


def test_two_incidents_of_one_name_are_refused(tmp_path: Path) -> None:
    """A copied folder must not silently replace the original."""
    _write(tmp_path / "cart")
    _write(tmp_path / "cart (copy)")

    with pytest.raises(RcabenchError, match="a second 'cart-panic'"):
        import_rootcausebench(tmp_path, tmp_path / "out")


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    """The same data gives the same bytes, and finding them there is fine."""
    _write(tmp_path / "cart")
    import_rootcausebench(tmp_path, tmp_path / "out")
    before = (tmp_path / "out/cart-panic.yaml").read_bytes()
    import_rootcausebench(tmp_path, tmp_path / "out")

    assert before == (tmp_path / "out/cart-panic.yaml").read_bytes()


def test_a_file_that_somebody_edited_is_never_overwritten(tmp_path: Path) -> None:
    """A repaired title is somebody's work."""
    _write(tmp_path / "cart")
    import_rootcausebench(tmp_path, tmp_path / "out")
    file = tmp_path / "out/cart-panic.yaml"
    edited = file.read_bytes().replace(b"Cart panic", b"Panic in the cart")
    file.write_bytes(edited)

    with pytest.raises(RcabenchError, match=r"cart-panic\.yaml: differs"):
        import_rootcausebench(tmp_path, tmp_path / "out")

    assert file.read_bytes() == edited


def test_a_folder_with_other_incidents_is_refused(tmp_path: Path) -> None:
    """They would be counted with the data set; other files are nobody's business."""
    _write(tmp_path / "cart")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/README.md").touch()
    (tmp_path / "out/mine.yaml").touch()

    with pytest.raises(RcabenchError, match=r"other YAML files \(mine\.yaml\)"):
        import_rootcausebench(tmp_path, tmp_path / "out")

    assert not (tmp_path / "out/cart-panic.yaml").exists()


def test_a_target_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """An error of the system is told in one line too."""
    _write(tmp_path / "cart")
    (tmp_path / "out").touch()

    with pytest.raises(RcabenchError, match="out: cannot be written"):
        import_rootcausebench(tmp_path, tmp_path / "out")
