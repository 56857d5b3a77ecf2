"""`noughts play` and `noughts watch` at a real terminal and in a pipe, with a real server."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.commands import noughts, said
from tests.support.serving import Served, serving
from tests.support.terminals import HANG, NOUGHTS, Terminal, environment, terminal

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINK = re.compile(r"http://\S+/r/[A-Za-z0-9_-]{16}")
HERE = ("play", "--against", "here")
LEFT, RIGHT, DOWN = "\x1b[D", "\x1b[C", "\x1bOB"
CRASHING = """
import sys
from noughts.terminal import sitting
def draw(*_): raise RuntimeError("a fault of ours")
sitting.Sitting.draw = draw
from noughts.__main__ import main
sys.exit(main())
"""


async def piped(
    home: Path, text: str, *arguments: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `noughts …` with this input and without a terminal."""
    return await asyncio.to_thread(
        subprocess.run,
        [*NOUGHTS, *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env=environment(home, variables),
        cwd=home,
        timeout=HANG,
    )


def link_in(window: Terminal) -> str:
    found = LINK.search(window.shown)
    assert found is not None, window.shown
    return found[0]


# ---------------------------------------------------------------------------- without a server


async def test_a_game_by_digits_and_another_one(tmp_path: Path) -> None:
    async with terminal(tmp_path, *HERE, "--name", "Ada") as window:
        await window.shows("Classic Three", "Ada, your turn.")
        for number, key in enumerate("1425"):
            window.press(key)
            await window.shows(("Player 2", "Ada")[number % 2] + ", your turn.")
        window.press("3")
        assert "* ╲ ╱ *│* ╲ ╱ *│* ╲ ╱ *" in await window.shows("Ada wins!", "Enter again")
        window.press("\r")
        await window.shows("game 2", "Player 2, your turn.")
        window.press("q")

        assert await window.ends() == 0
        assert window.settings == window.before


async def test_a_game_by_arrows_and_a_cell_that_is_taken(tmp_path: Path) -> None:
    async with terminal(tmp_path, *HERE, "--variant", "drop") as window:
        assert "▼4" in await window.shows("Player 1, your turn.")
        window.press("\r")
        await window.shows("Player 2, your turn.")
        window.press(LEFT)
        await window.shows("▼3")
        window.press("\r")
        await window.shows("Player 1, your turn.")
        window.press(RIGHT)
        await window.shows("▼4")
        for number in range(5):
            window.press("4")
            await window.shows(f"Player {2 - number % 2}, your turn.")
        window.press("4")
        await window.shows("That cell is taken.")
        window.press("q")
        assert await window.ends() == 0
        assert "‹X›" in window.shown  # the last board stays where the prompt is


async def test_without_options_the_last_game_begins_at_once(tmp_path: Path) -> None:
    async with terminal(tmp_path, "play") as window:
        await window.shows("Classic Three", "Medium computer", "Your turn.")
        window.press("n")
        await window.shows("‹ Classic Three ›")
        window.press(LEFT)
        await window.shows("‹ Ultimate Nine ›")
        window.press("\r")
        await window.shows("Ultimate Nine", "Your turn, any open board.")
        window.press("5", "5")
        await window.shows("Your turn")
        window.press("\x04")
        assert await window.ends() == 0
    async with terminal(tmp_path, "play") as window:
        await window.shows("Ultimate Nine", "Your turn")
    asked = ("--variant", "drop", "--level", "hard", "--side", "O")
    async with terminal(tmp_path, "play", *asked) as window:
        await window.shows("Drop Four", "Hard computer")
    async with terminal(tmp_path, "play") as window:
        await window.shows("Drop Four", "O  You", "Hard computer")


async def test_the_computer_answers_and_a_taken_cell_is_explained(tmp_path: Path) -> None:
    async with terminal(tmp_path, "play", "--level", "perfect") as window:
        await window.shows("Your turn.")
        window.press("5")
        await window.shows("Your turn.", "╭─╮")
        window.press("5")
        await window.shows("That cell is taken. Choose a free one.")
        window.press("r")
        await window.shows("Resign this game?")
        window.press("y")
        await window.shows("Perfect computer wins. You resigned.")
        window.press("?")
        await window.shows("Keys", "play a cell by its number")


@pytest.mark.parametrize("columns", [20, 24, 40])
async def test_a_narrow_window_has_a_smaller_board(tmp_path: Path, columns: int) -> None:
    async with terminal(tmp_path, *HERE, columns=columns, rows=16) as window:
        text = await window.shows("your turn.")
        assert all(len(line) <= columns for line in text.splitlines())
        window.resize(9, 5)
        await window.shows("too", "small:")
        window.resize(80, 24)
        await window.shows("Classic Three", "───────┼───────")
        window.press("5")
        await window.shows("╲ ╱")


@pytest.mark.parametrize(
    ("key", "code"), [("\x03", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), ("\x1c", 131)]
)
async def test_the_terminal_is_as_before_however_the_game_is_left(
    tmp_path: Path, key: str | signal.Signals, code: int
) -> None:
    async with terminal(tmp_path, *HERE) as window:
        await window.shows("your turn.")
        assert window.settings != window.before
        if isinstance(key, str):
            window.press(key)
        else:
            window.process.send_signal(key)

        assert await window.ends() == code
        assert window.settings == window.before
        assert window.output.endswith("\x1b[?25h\x1b[?1049l")


async def test_the_terminal_is_as_before_after_a_fault_of_ours(tmp_path: Path) -> None:
    program = (sys.executable, "-c", CRASHING)
    async with terminal(tmp_path, *HERE, program=program) as window:
        assert await window.ends() == 1
        assert window.settings == window.before
        assert "a fault of ours" in window.output.partition("\x1b[?1049l")[2]


async def test_the_shell_has_its_terminal_while_the_game_is_suspended(tmp_path: Path) -> None:
    async with terminal(tmp_path, *HERE) as window:
        await window.shows("your turn.")
        window.press("\x1a")
        async with asyncio.timeout(HANG):
            while "T (stopped)" not in Path(f"/proc/{window.process.pid}/status").read_text():
                await asyncio.sleep(0.01)
        assert window.settings == window.before
        window.process.send_signal(signal.SIGCONT)
        window.press("5")
        await window.shows("╲ ╱")


async def test_colour_is_left_out_where_it_is_not_wanted(tmp_path: Path) -> None:
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9][;m]")
    for variables, options, is_coloured in [
        ({}, (), True),
        ({"NO_COLOR": "1"}, (), False),
        ({}, ("--no-color",), False),
    ]:
        async with terminal(tmp_path, *HERE, *options, variables=variables) as window:
            await window.shows("your turn.")
            assert bool(colour.search(window.output)) is is_coloured


async def test_ascii_is_enough(tmp_path: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    async with terminal(tmp_path, *HERE, variables=ascii_only) as window:
        await window.shows("-------+-------", "your turn.")
        assert window.output.isascii()


async def test_a_game_in_a_pipe(tmp_path: Path) -> None:
    lines = "5\nnonsense\n5\nhelp\n\n1\n4\n2\n6\nagain\nquit\n"
    done = await piped(tmp_path, lines, *HERE)

    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "'nonsense' is no cell." in done.stdout
    assert "That cell is taken." in done.stdout
    assert "*X*│*X*│*X*" in done.stdout
    assert "Player 1 wins!" in done.stdout
    assert "game 2" in done.stdout


@pytest.mark.parametrize("variant", ["3x3", "5x5", "drop", "ultimate"])
async def test_a_script_can_play_against_the_computer_until_its_input_ends(
    tmp_path: Path, variant: str
) -> None:
    done = await piped(tmp_path, "5\n55\n1\n", "play", "--variant", variant, "--level", "easy")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Your turn") >= 2


# ------------------------------------------------------------------------------- with a server


async def test_a_friend_comes_by_link_and_somebody_watches(server: Served, tmp_path: Path) -> None:
    friend = ("play", server.url, "--against", "friend", "--name", "Ada", "--clock", "5+2")
    async with terminal(tmp_path / "..", *friend) as ada:
        await ada.shows("Waiting for the other player.", "Send this link to a friend:")
        link = link_in(ada)
        async with (
            terminal(tmp_path, "play", link, "--name", "Bo", columns=40, rows=20) as bo,
            terminal(tmp_path, "watch", link, columns=60) as eve,
        ):
            await ada.shows("Bo sits down.", "Your turn.", "5:00")
            await bo.shows("Ada to move.", "Bo (you)")
            await eve.shows("Ada to move.", "q back")
            ada.press("5")
            await bo.shows("Your turn.")
            await eve.shows("Bo to move.")
            await ada.shows("Bo to move.")
            bo.press("5")
            await bo.shows("That cell is taken.")
            bo.press("1")
            await ada.shows("Your turn.")
            ada.press("r", "y")
            await bo.shows("You win! Ada resigned.")
            await eve.shows("Bo wins!")
            bo.press("\r")
            await ada.shows("Bo wants another game.")
            ada.press("\r")
            await eve.shows("game 2", "Bo to move.")
            eve.press("q")
            assert await eve.ends() == 0
            bo.press("q")
            assert await bo.ends() == 0
        await ada.shows("Bo (away)")
        # Bo comes back to his seat, since his token was kept.
        async with terminal(tmp_path, "play", link) as bo:
            await bo.shows("Your turn.", "(you)")
        tokens = list(tmp_path.glob(".local/state/noughts/token-*"))
        assert [file.stat().st_mode & 0o777 for file in tokens] == [0o600]


async def test_two_who_play_whoever_comes_find_each_other(server: Served, tmp_path: Path) -> None:
    wish = ("play", server.url, "--against", "anyone", "--variant", "vanishing")
    (tmp_path / "bo").mkdir()
    async with terminal(tmp_path, *wish, "--name", "Ada") as ada:
        await ada.shows("Waiting for the other player.")
        async with terminal(tmp_path / "bo", *wish, "--name", "Bo") as bo:
            await bo.shows("Ada to move.")
            await ada.shows("Bo sits down.", "Your turn.")


async def test_a_menu_leads_to_a_game_with_the_servers_computer(
    server: Served, tmp_path: Path
) -> None:
    async with terminal(tmp_path, "play", server.url) as window:
        await window.shows("‹ Classic Three ›", "the computer")
        window.press("\r")
        await window.shows("Your turn.")
        window.press("5")
        await window.shows("Your turn.", "╭─╮")
        window.press("q")
        assert await window.ends() == 0
        assert f"Go on with: noughts play {server.url}/r/" in window.shown


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130)])
async def test_who_leaves_before_the_friend_comes_is_told_the_way_back(
    server: Served, tmp_path: Path, key: str, code: int
) -> None:
    async with terminal(tmp_path, "play", server.url, "--against", "friend") as window:
        await window.shows("Send this link")
        link = link_in(window)
        window.press(key)
        assert await window.ends() == code
        assert f"Go on with: noughts play {link}" in window.shown


async def test_the_operator_is_heard_on_a_screen_and_while_a_pipe_waits_for_a_line(
    tmp_path: Path,
) -> None:
    folder = tempfile.mkdtemp(prefix="noughts-")  # paths of Unix sockets must be short
    door = f"unix:{folder}/admin.sock"

    async def operate(*arguments: str) -> None:
        said(await asyncio.to_thread(noughts, *arguments))

    async with (
        serving(tmp_path, "--no-limits", "--admin", door) as own,
        terminal(tmp_path, "watch", own.url) as eve,
        terminal(tmp_path, "play", own.url, "--against", "here") as ada,
    ):
        await eve.shows("Public games")
        await ada.shows("your turn.")
        for end, sentence in (("close", "has closed this room"), ("ban", "ban")):
            process = await asyncio.create_subprocess_exec(
                *NOUGHTS, "play", own.url, "--against", "here",
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment(tmp_path), cwd=tmp_path,
            )  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            async with asyncio.timeout(HANG):
                first = (await process.stdout.readuntil(b"your turn.")).decode()
                found = LINK.search(first)
                assert found is not None
                if end == "close":
                    await operate("announce", door, "Back in a minute.")
                    await process.stdout.readuntil(b"Back in a minute.")
                    await eve.shows("Back in a minute.")
                    await ada.shows("Back in a minute.")
                    await operate("close", door, found[0][-16:])
                else:
                    assert "Back in a minute." in first
                    await operate("ban", door, "127.0.0.1")
                assert await process.wait() == 1
                told = (await process.stderr.read()).decode()
            assert sentence in told
            assert "Traceback" not in told
            assert "Fatal" not in told
    shutil.rmtree(folder)


async def test_the_lobby_is_live_and_leads_to_a_game(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--no-limits") as server,  # a lobby without the rooms of other tests
        terminal(tmp_path, "watch", server.url) as eve,
        terminal(tmp_path, *("play", server.url, "--against", "anyone", "--name", "Zoe")) as zoe,
    ):
        await zoe.shows("Waiting")
        text = await eve.shows("Zoe – nobody yet")
        rows = [line for line in text.splitlines() if " – " in line]
        for _ in range([("Zoe" in row) for row in rows].index(True)):
            eve.press(DOWN)
        await eve.shows("▸ Classic Three    Zoe")
        eve.press("\r")
        await eve.shows("Waiting for players.", "q back")
        eve.press("\x1b")
        await eve.shows("Public games")


async def test_watching_in_a_pipe_prints_one_board_per_move(server: Served, tmp_path: Path) -> None:
    async with terminal(tmp_path, "play", server.url, "--against", "here") as ada:
        await ada.shows("your turn.")
        ada.press("q")
        await ada.ends()
    async with terminal(tmp_path, "play", server.url, "--against", "friend") as ada:
        await ada.shows("Send this link")
        eve = await asyncio.create_subprocess_exec(
            *NOUGHTS, "watch", link_in(ada),
            stdout=subprocess.PIPE, env=environment(tmp_path), cwd=tmp_path,
        )  # fmt: skip
        assert eve.stdout is not None
        first = await asyncio.wait_for(eve.stdout.readuntil(b"\n\n"), HANG)
        async with terminal(tmp_path, "play", link_in(ada), "--token-file", "bo") as bo:
            await bo.shows("to move.")
            await ada.shows("Your turn.")
            ada.press("5")
            await bo.shows("Your turn.")
        second = await asyncio.wait_for(eve.stdout.readuntil("‹X›".encode()), HANG)
        eve.terminate()
        assert await eve.wait() == 143
        assert "Waiting for players." in first.decode()
        assert b"\x1b" not in first + second


async def test_a_game_in_a_pipe_on_a_server(server: Served, tmp_path: Path) -> None:
    done = await piped(tmp_path, "5\n5\n", "play", server.url, "--level", "gentle")

    assert (done.returncode, done.stderr) == (0, "")
    assert LINK.search(done.stdout)
    assert "That cell is taken. Choose a free one." in done.stdout


async def test_a_server_that_is_killed_and_comes_back_is_one_calm_line(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.db'}"
    async with serving(tmp_path, "--no-limits", store=store) as first:
        port = first.port
        async with terminal(tmp_path, "play", first.url, "--against", "here") as window:
            await window.shows("your turn.")
            window.press("5")
            await window.shows("Guest, your turn.")
            await first.kill()
            await window.shows("No connection. Trying again …")
            window.press("1")  # is sent later
            async with serving(tmp_path, "--no-limits", store=store, port=port):
                text = await window.shows("╭─╮", "your turn.")
                assert "Traceback" not in window.output
                assert "No connection" not in text
                window.press("9")
                await window.shows("Guest, your turn.")


@pytest.mark.parametrize(
    ("arguments", "sentence", "code"),
    [
        (("play", "nonsense"), "is not the address of a page", 2),
        (("play", "http://127.0.0.1:1"), "Nothing answers", 1),
        (("watch", "http://127.0.0.1:1/r/x"), "Nothing answers", 1),
        (("play", "URL/r/Jx3kQ9aTnB2mWc7L"), "There is no such room.", 1),
        (("watch", "URL/r/Jx3kQ9aTnB2mWc7L"), "There is no such room.", 1),
        (("play", "--against", "friend"), "is not possible without the URL of a server", 2),
    ],
)
async def test_what_cannot_be_is_explained_in_a_sentence(
    server: Served, tmp_path: Path, arguments: tuple[str, ...], sentence: str, code: int
) -> None:
    given = [argument.replace("URL", server.url) for argument in arguments]
    done = await piped(tmp_path, "", *given)

    assert done.returncode == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("clock", ["soon", "0", "3+99", "61", "nan"])
async def test_a_clock_that_cannot_be_is_explained(tmp_path: Path, clock: str) -> None:
    done = await piped(tmp_path, "", "play", "--clock", clock)

    assert done.returncode == 2
    assert "clock" in done.stderr
    assert "Traceback" not in done.stderr
