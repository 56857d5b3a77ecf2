"""docs/hosting/alerts.yml and grafana.json: valid, and about metrics and labels that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families

from tests.docs.hosting.manual import FOLDER, table
from tests.support.fetching import fetch
from tests.support.serving import serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALERTS = (FOLDER / "alerts.yml").read_text()
BOARD: dict[str, Any] = json.loads((FOLDER / "grafana.json").read_text())
OF_PROMETHEUS = {"up", "job", "instance", "le"}
NAME = re.compile(r"\b(?:noughts|process)_\w+|\bup\b(?=\{)")
SERIES = re.compile(r"\b(\w+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|!=|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on|group_left)\s*\(([^)]*)\)")
LEGEND = re.compile(r"\{\{(\w+)\}\}")

Series = dict[str, list[dict[str, str]]]  # the labels of each series, by name


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def exposed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Series]:
    """What a server that has just started has at /metrics."""
    folder = tmp_path_factory.mktemp("metrics")
    async with serving(folder, store=f"sqlite:{folder}/noughts.db") as server:
        found: Series = {}
        for family in text_string_to_metric_families(fetch(server, "/metrics").text):
            for sample in family.samples:
                found.setdefault(sample.name, []).append(sample.labels)
        yield found


def expressions() -> Iterator[str]:
    yield from re.findall(r"^ +expr: (.*)$", ALERTS, re.MULTILINE)
    for panel in BOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])


async def test_every_metric_and_label_of_alerts_and_dashboard_exists(exposed: Series) -> None:
    for expression in expressions():
        names = set(NAME.findall(expression))
        assert names, expression
        for name in names - OF_PROMETHEUS:
            assert name in exposed, f"{name} in {expression}"
        labels = {label for name in names for each in exposed.get(name, []) for label in each}
        for group in GROUPED.findall(expression):
            assert set(re.findall(r"\w+", group)) <= labels | OF_PROMETHEUS, expression
        for name, matchers in SERIES.findall(expression):
            for label, how, value in MATCHER.findall(matchers):
                if label not in OF_PROMETHEUS:
                    values = {each.get(label) for each in exposed[name]}
                    wanted = set(value.split("|")) if how == "=~" else {value}
                    assert wanted <= values, f"{name}{{{label}}} is never {value!r}"


async def test_every_legend_names_a_label(exposed: Series) -> None:
    for panel in BOARD["panels"]:
        for target in panel["targets"]:
            names = NAME.findall(target["expr"])
            labels = {label for name in names for each in exposed[name] for label in each}
            assert set(LEGEND.findall(target["legendFormat"])) <= labels | OF_PROMETHEUS, target


async def test_every_metric_of_ours_is_on_the_dashboard(exposed: Series) -> None:
    shown = {
        name
        for panel in BOARD["panels"]
        for t in panel["targets"]
        for name in NAME.findall(t["expr"])
    }
    families = {re.sub("_(bucket|sum|count|created)$", "", name) for name in exposed}
    ours = {name for name in families if name.startswith("noughts_")}
    assert ours <= {re.sub("_bucket$", "", name) for name in shown}


async def test_panels_have_their_own_ids_and_places() -> None:
    panels = BOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 15
    assert len({(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels}) == len(panels)


async def test_every_alert_of_the_manual_is_in_the_file_and_no_other() -> None:
    named = re.findall(r"^ +- alert: (\w+)$", ALERTS, re.MULTILINE)
    told = [row[0].strip("`") for row in table("Metrics worth an alert")]
    assert [name for name in told if name.startswith("Noughts")] == named


def promtool(*arguments: str | Path) -> str:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is missing: it comes with Debian's package `prometheus`")
    ended = subprocess.run(
        ["promtool", *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


async def test_prometheus_accepts_the_rules() -> None:
    count = ALERTS.count("- alert:")
    assert f"SUCCESS: {count} rules found" in promtool("check", "rules", FOLDER / "alerts.yml")


async def test_the_alerts_fire_when_they_should() -> None:
    assert "SUCCESS" in promtool("test", "rules", FOLDER / "alerts.test.yml")


async def test_prometheus_accepts_the_expressions_of_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$instance", ".*")}
        for number, expression in enumerate(expressions())
    ]
    file = tmp_path / "panels.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))  # YAML as well
    promtool("check", "rules", file)


async def test_prometheus_finds_nothing_to_complain_about_in_the_metrics(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is missing: it comes with Debian's package `prometheus`")
    async with serving(tmp_path) as server:
        text = fetch(server, "/metrics").body
    ended = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
