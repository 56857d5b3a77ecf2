"""docs/hosting.md has every limit, option and metric of the code, and no others."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest

from server.config import Settings, read_settings
from server.live.limits import Limits
from server.metrics import Metrics
from server.web.prometheus import text
from tests.docs.hosting.manual import commands, section, table
from tests.support.serving import ROOT

MANUAL = (ROOT / "docs" / "hosting.md").read_text()


def test_every_limit_is_in_the_table_with_its_usual_value() -> None:
    usual = {name: f"{value:.10g}" for name, value in asdict(Limits()).items()}
    usual["ai_workers"] = "cores − 1"
    told = {row[0].strip("` "): row[1] for row in table("Limits")}
    assert told == usual


def test_every_limit_can_be_set_as_the_table_says() -> None:
    for name, *_ in table("Limits"):
        name = name.strip("` ")
        assert getattr(read_settings(["--limit", f"{name}=7"], {}).limits, name) == 7


def test_every_option_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_settings(["--help"], {})
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    named = {option for row in table("Install") for option in re.findall(r"--[a-z-]+", row[0])}
    assert {"--store", "--trusted-proxy", "--limit"} < named <= known
    assert "127.0.0.1, 8080" in section("Install")
    assert f"{Settings().host}, {Settings().port}" == "127.0.0.1, 8080"


def test_every_metric_named_exists() -> None:
    exposed = text(Metrics()).decode()
    named = set(re.findall(r"\bnoughts_\w+", section("Metrics worth an alert")))
    assert len(named) >= 8
    for name in named:
        family = re.sub("_bucket$", "", name)
        assert re.search(rf"^# TYPE {family} ", exposed, re.MULTILINE), name


def test_every_limit_has_an_alert_before_it_is_reached() -> None:
    limits, alerts = Limits(), section("Metrics worth an alert")
    for name, limit in (
        ("connections", limits.connections),
        ("rooms", limits.rooms_awake),
        ("ai_queue", limits.ai_jobs),
    ):
        [threshold] = re.findall(rf"`noughts_{name}` > (\d+)", alerts)
        assert limit / 2 <= int(threshold) < limit


def test_every_linked_file_exists() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", MANUAL):
        assert (ROOT / "docs" / link).exists(), link
    units = "docs/hosting/noughts.service", "docs/hosting/noughts-backup.*"
    assert tuple(commands("systemd")[0].split()[1:3]) == units
    assert commands("Caddy")[0].split()[1] == "docs/hosting/Caddyfile"
    assert commands("nginx")[0].split()[1] == "docs/hosting/nginx.conf"
