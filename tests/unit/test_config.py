"""Settings from the command line and the environment, and a sentence for each mistake."""

from __future__ import annotations

import pytest

from server.config import Settings, read_settings, unknown_variables
from server.live.limits import Limits


def test_the_server_listens_on_this_machine_only_by_default() -> None:
    assert read_settings([], {}) == Settings()
    assert Settings().host == "127.0.0.1"


def test_every_option_is_also_a_variable_and_the_command_line_wins() -> None:
    variables = {
        "NOUGHTS_HOST": "0.0.0.0",
        "NOUGHTS_PORT": "1",
        "NOUGHTS_STORE": "memory:",
        "NOUGHTS_AI_PAUSE": "0",
        "NOUGHTS_OPEN": "1",
        "NOUGHTS_NO_LIMITS": "no",
    }

    assert read_settings(["--port=2"], variables) == Settings(
        host="0.0.0.0", port=2, store="memory:", ai_pause=0, open=True
    )


def test_origins_and_proxies_of_variable_and_command_line_add_up() -> None:
    variables = {"NOUGHTS_ORIGIN": "https://A.example http://b.example"}
    variables["NOUGHTS_TRUSTED_PROXY"] = "10.0.0.0/8"

    settings = read_settings(
        ["--origin=https://c.example/page", "--trusted-proxy=::1", "--trusted-proxy", "127.0.0.1"],
        variables,
    )

    assert settings.origins == ("https://a.example", "http://b.example", "https://c.example")
    assert list(map(str, settings.trusted_proxies)) == ["10.0.0.0/8", "::1/128", "127.0.0.1/32"]


@pytest.mark.parametrize("given", ["https://play.example", "HTTPS://Play.example/"])
def test_the_public_address_is_an_origin(given: str) -> None:
    assert read_settings([f"--public-url={given}"], {}).public_url == "https://play.example"
    assert read_settings([], {"NOUGHTS_PUBLIC_URL": given}).public_url == "https://play.example"
    assert read_settings([], {}).public_url is None


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--port=65536"], {}, "--port: '65536' is not a port"),
        ([], {"NOUGHTS_PORT": "http"}, "error: NOUGHTS_PORT: 'http' is not a port"),
        (["--admin=tcp:1"], {}, "'tcp:1' is no admin door: use unix:PATH"),
        (["--limit=connections"], {}, "'connections' lacks its =NUMBER, such as connections=10000"),
        (["--ai-pause=-1"], {}, "--ai-pause: '-1' is not a pause"),
        (["--origin=play.example"], {}, "--origin: 'play.example' is not an origin"),
        (["--public-url=http://["], {}, "--public-url: 'http://[' is not an origin"),
        (["--public-url=https://a.example/b"], {}, "has a path; the game is always at the root"),
        ([], {"NOUGHTS_ORIGIN": "ftp://a.example"}, "NOUGHTS_ORIGIN: 'ftp://a.example' is not"),
        ([], {"NOUGHTS_TRUSTED_PROXY": "me"}, "NOUGHTS_TRUSTED_PROXY: 'me' is not an address"),
    ],
)
def test_an_invalid_setting_is_explained(
    arguments: list[str],
    variables: dict[str, str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        read_settings(arguments, variables)

    assert said in capsys.readouterr().err


def test_every_limit_is_a_setting() -> None:
    settings = read_settings(["--limit", "idle=2.5", "--limit=connections=7"], {})
    assert settings.limits == Limits(idle=2.5, connections=7)


def test_a_limit_may_come_from_the_environment_and_the_command_line_wins() -> None:
    variables = {"NOUGHTS_LIMIT": "ping=3 hello=4"}
    limits = read_settings(["--limit=hello=5"], variables).limits
    assert (limits.ping, limits.hello) == (3, 5)


def test_a_limit_can_be_set_while_the_others_are_lifted() -> None:
    limits = read_settings(["--no-limits", "--limit=commands_at_once=3"], {}).limits
    assert limits.commands_at_once == 3
    assert limits.rooms_per_minute > 1_000_000


@pytest.mark.parametrize("wrong", ["none=1", "idle", "idle=", "idle=x", "idle=0", "idle=-1"])
@pytest.mark.parametrize("way", ["argument", "variable"])
def test_an_invalid_limit_is_explained(
    wrong: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, variables = [f"--limit={wrong}"], {"NOUGHTS_LIMIT": wrong}
    with pytest.raises(SystemExit):
        read_settings(
            arguments if way == "argument" else [], variables if way != "argument" else {}
        )
    said = capsys.readouterr().err
    assert "limit" in said.lower()
    assert wrong.partition("=")[0] in said


@pytest.mark.parametrize("wrong", ["connections=1.5", "idle=nan", "idle=inf"])
def test_counts_are_whole_and_times_are_numbers(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_settings(["--limit", wrong], {})
    assert "wants a" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        "--port=65536",
        "--port=x",
        "--ai-pause=60001",
        "--ai-pause=-1",
        "--origin=play.example",
        "--trusted-proxy=10.0.0.0/33",
        "--trusted-proxy=nginx",
    ],
)
def test_an_invalid_value_is_named_in_the_error(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_settings([wrong], {})

    assert ended.value.code == 2
    option, value = wrong.split("=")
    assert f"{option}: {value!r} is not a" in capsys.readouterr().err


def test_what_the_operator_needs_is_set_as_well() -> None:
    settings = read_settings(
        ["--admin", "unix:/run/x.sock", "--metrics=[::1]:9100", "--log-level=DEBUG"],
        {"NOUGHTS_LOG_FORMAT": "json", "NOUGHTS_BANS": "/var/lib/bans", "NOUGHTS_ADMIN": "other"},
    )

    assert (settings.admin, settings.bans) == ("/run/x.sock", "/var/lib/bans")
    assert settings.metrics == ("::1", 9100)
    assert (settings.log_level, settings.log_format) == ("debug", "json")


def test_an_empty_variable_sets_nothing() -> None:
    names = ("PORT", "STORE", "ADMIN", "METRICS", "LOG_LEVEL", "ORIGIN", "OPEN")
    assert read_settings([], {f"NOUGHTS_{name}": "" for name in names}) == Settings()


def test_a_description_names_what_is_not_as_usual() -> None:
    usual = Settings().describe()
    changed = read_settings(
        ["--limit=idle=5", "--trusted-proxy=127.0.0.1", "--admin=unix:/run/x.sock"], {}
    ).describe()

    assert usual.startswith("store: sqlite:noughts.db; limits changed: none; trusted proxies: none")
    assert "limits changed: idle=5; trusted proxies: 127.0.0.1/32" in changed
    assert changed.endswith("admin door: unix:/run/x.sock")


def test_a_variable_that_means_nothing_is_named_with_the_nearest_that_does() -> None:
    told = unknown_variables(
        ["NOUGHTS_TRUSTED_PROXIES", "NOUGHTS_XYZZY_PLUGH", "NOUGHTS_PORT", "HOME"]
    )

    assert told == [
        "the variable NOUGHTS_TRUSTED_PROXIES means nothing to this program: "
        "did you mean NOUGHTS_TRUSTED_PROXY?",
        "the variable NOUGHTS_XYZZY_PLUGH means nothing to this program: "
        "noughts serve --help has them all",
    ]
