"""The text at /metrics, read by Prometheus' own parser."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from noughts import __version__
from noughts.messages import Close
from server.metrics import BOUNDS, Metrics
from server.web import prometheus


def samples(metrics: Metrics) -> dict[str, float]:
    """Every value by its name and labels: `noughts_commands_total answer=stale command=play`."""
    found = {}
    for family in text_string_to_metric_families(prometheus.text(metrics).decode()):
        for sample in family.samples:
            labels = [f"{name}={value}" for name, value in sorted(sample.labels.items())]
            found[" ".join([sample.name, *labels])] = sample.value
    return found


def test_a_server_that_has_done_nothing_reports_zeros() -> None:
    found = samples(Metrics())
    ours = {name: value for name, value in found.items() if name.startswith("noughts_")}

    assert ours.pop(f"noughts_build_info version={__version__}") == 1
    assert set(ours.values()) == {0.0}
    assert {name for name in ours if " " not in name} == {
        "noughts_rooms",
        "noughts_connections",
        "noughts_connections_aborted_total",
        "noughts_joins_total",
        "noughts_bans",
        "noughts_store_refusing",
        "noughts_durable_seconds_count",
        "noughts_durable_seconds_sum",
        "noughts_broadcast_seconds_count",
        "noughts_broadcast_seconds_sum",
        "noughts_ai_seconds_count",
        "noughts_ai_seconds_sum",
        "noughts_ai_queue",
        "noughts_ai_hurried_total",
        "noughts_ai_pools_replaced_total",
    }


def test_counts_are_there_before_they_rise() -> None:
    found = samples(Metrics())

    for series in (
        "noughts_commands_total answer=accepted command=analyse",
        "noughts_commands_total answer=retry command=play",
        "noughts_commands_total answer=malformed command=unreadable",
        "noughts_rooms_opened_total variant=ultimate",
        "noughts_games_finished_total outcome=limit players=ais variant=vanishing",
        "noughts_handshakes_refused_total reason=banned status=403",
        "noughts_handshakes_refused_total reason=full status=503",
        "noughts_sockets_closed_total code=1008",
    ):
        assert found[series] == 0
    assert "noughts_games_finished_total outcome=limit players=ais variant=3x3" not in found
    assert len(found) < 500


def test_the_process_is_reported_under_the_usual_names() -> None:
    metrics = Metrics()
    metrics.started = 12.5

    found = samples(metrics)

    assert found["process_start_time_seconds"] == 12.5
    assert found["process_cpu_seconds_total"] > 0
    assert found["process_resident_memory_bytes"] > 1_000_000
    assert 0 < found["process_open_fds"] <= found["process_max_fds"]


def test_what_is_asked_for_is_reported_as_it_is_now() -> None:
    metrics = Metrics()
    metrics.bans, metrics.is_refusing = lambda: 3, lambda: True
    metrics.store_sizes = lambda: {"rooms": 4_096, "log": 0}

    found = samples(metrics)

    assert (found["noughts_bans"], found["noughts_store_refusing"]) == (3, 1)
    assert found["noughts_store_bytes file=rooms"] == 4_096


def test_each_number_is_reported_under_its_own_name() -> None:
    metrics = Metrics()
    metrics.rooms, metrics.connections, metrics.ai_queue, metrics.ai_replaced = 1, 2, 3, 4
    metrics.ai_hurried = 5

    found = samples(metrics)

    assert found["noughts_rooms"] == 1
    assert found["noughts_connections"] == 2
    assert found["noughts_ai_queue"] == 3
    assert found["noughts_ai_pools_replaced_total"] == 4
    assert found["noughts_ai_hurried_total"] == 5


def test_rooms_are_counted_by_the_game_they_were_opened_for() -> None:
    metrics = Metrics()
    metrics.opened["drop"] = 2

    assert samples(metrics)["noughts_rooms_opened_total variant=drop"] == 2


def test_commands_are_counted_by_type_and_answer() -> None:
    metrics = Metrics()
    metrics.accepted["play"] = 5
    metrics.refused["play", "stale"] = 2
    metrics.refused["sit", "seat_taken"] = 1

    found = samples(metrics)

    assert {n: v for n, v in found.items() if v and n.startswith("noughts_commands")} == {
        "noughts_commands_total answer=accepted command=play": 5,
        "noughts_commands_total answer=stale command=play": 2,
        "noughts_commands_total answer=seat_taken command=sit": 1,
    }


def test_a_client_that_is_turned_away_is_counted_by_the_reason() -> None:
    metrics = Metrics()
    metrics.turned_away["address", 429] = 2
    metrics.closed[Close.POLICY] = 3
    metrics.finished["3x3", "line", "people"] = 4

    found = samples(metrics)

    assert found["noughts_handshakes_refused_total reason=address status=429"] == 2
    assert found["noughts_sockets_closed_total code=1008"] == 3
    assert found["noughts_games_finished_total outcome=line players=people variant=3x3"] == 4


def test_a_bucket_of_a_histogram_holds_all_that_was_no_slower() -> None:
    metrics = Metrics()
    for seconds in (BOUNDS[0], BOUNDS[1], BOUNDS[1], 60.0):
        metrics.durable.observe(seconds)

    found = samples(metrics)

    buckets = [found[f"noughts_durable_seconds_bucket le={bound}"] for bound in BOUNDS]
    assert buckets == [1, *[3] * (len(BOUNDS) - 1)]
    assert found["noughts_durable_seconds_bucket le=+Inf"] == 4
    assert found["noughts_durable_seconds_count"] == 4
    assert found["noughts_durable_seconds_sum"] == metrics.durable.sum
    assert found["noughts_ai_seconds_count"] == 0
