"""Servers as plug-ins, against a small one of ours; Rust, since the rules follow no symbols there."""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.workspace import Files, files_of
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order import Edge, Reason, order_graph
from runner.suites.nextedit.order.servers import Server, Servers, chosen_servers
from runner.suites.nextedit.order.servers.client import ServerDeadlines
from tests.nextedit import commit_of

PROGRAM = str(Path(__file__).with_name("name_server.py"))
QUICK = ServerDeadlines(ready_s=3.0, answer_s=3.0, all_s=60, farewell_s=1)
SLOW = ServerDeadlines(ready_s=30, answer_s=30, all_s=60, farewell_s=10)
RUST = commit_of(
    {
        "src/limits.rs": ("fn old() {}\n", "fn old() {}\nlet ceiling = 3;\n"),
        "src/main.rs": ("fn main() {}\n", 'fn main() {}\nprint("😀é", ceiling);\n'),
        "src/other.rs": ("fn other() {}\n", "fn other() {}\nprint(floor);\n"),
    }
)


def server(mode: str, *languages: str) -> Server:
    return Server((sys.executable, PROGRAM, mode), languages, dict(os.environ))


def asked(
    *servers: Server, commits: tuple[Commit, ...] = (RUST,), deadlines: ServerDeadlines = SLOW
) -> tuple[list[list[Edge]], list[str]]:
    """The servers' edges of each commit, and what is told of the servers."""

    async def ask() -> tuple[list[list[Edge]], list[str]]:
        helpers = Servers(servers, deadlines)
        found = [await helpers.edges(commit, _files_before(commit)) for commit in commits]
        return found, list(helpers.notes())

    return asyncio.run(ask())


def _files_before(commit: Commit) -> Files:
    return files_of({each.path: each.before for each in commit.files if each.before is not None})


def edges(mode: str, files: Mapping[str, tuple[str | None, str | None]]) -> set[tuple[int, int, str]]:
    (found,), notes = asked(server(mode), commits=(commit_of(files),))
    assert notes == []
    return {(edge.source, edge.target, str(edge.reason)) for edge in found}


class TestEdges:
    @pytest.mark.parametrize("mode", ["well", "links", "whole", "single", "uses", "untold", "mute", "curious"])
    def test_a_definition_and_its_use_in_edited_lines_are_related_whatever_shape_the_answer_has(
        self, mode: str
    ) -> None:
        ((found,), notes) = asked(server(mode))

        assert found == [
            Edge(0, 1, Reason.DEFINES, 0.98, "ceiling (server)"),
            Edge(1, 0, Reason.USES, 0.98, "ceiling (server)"),
        ]
        assert notes == []

    def test_both_versions_are_asked_about(self) -> None:
        files = {
            "a.rs": ("let gone = 1;\nx\n", "x\nlet come = 1;\n"),
            "b.rs": ("gone;\nx\n", "x\n"),
            "c.rs": ("y\n", "y\ncome;\n"),
        }

        assert edges("well", files) == {(0, 2, "defines"), (2, 0, "uses"), (1, 3, "defines"), (3, 1, "uses")}

    def test_what_lies_outside_the_edited_lines_relates_nothing(self) -> None:
        files = {"a.rs": ("let x1 = 1;\n", "let x1 = 1;\ny(1);\n"), "b.rs": ("z();\n", "z();\nw(x1);\n")}

        assert edges("well", files) == set()

    def test_an_import_is_related_to_the_uses_in_its_file(self) -> None:
        files = {
            "a.py": ("# let helper\nx = 1\n", "# let helper\nx = 2\n"),
            "b.py": ("import os\nx = 1\n", "import os, helper\nx = 1\nhelper.run()\n"),
        }

        assert edges("well", files) == {(1, 2, "imports"), (2, 1, "uses")}

    def test_a_lone_carriage_return_ends_no_line(self) -> None:
        files = {"a.rs": ("a\n", "a\n// x\ry\nlet name = 1;\n"), "b.rs": ("b\n", "b\nuse(name);\n")}

        assert (0, 1, "defines") in edges("well", files)

    def test_the_servers_edges_stand_beside_the_rules(self) -> None:
        ((found,), _) = asked(server("well"))

        graph = order_graph(RUST, found)

        assert set(order_graph(RUST).edges) < set(graph.edges)
        assert Edge(0, 1, Reason.DEFINES, 0.98, "ceiling (server)") in graph.edges


class TestFailures:
    def test_a_server_that_declines_knows_of_no_edges(self) -> None:
        assert asked(server("declines")) == ([[]], [])

    @pytest.mark.parametrize(
        "mode, told",
        [
            ("dies", "ended before it had answered"),
            ("hangs", "did not answer in time"),
            ("silent", "did not answer in time"),
            ("babbles", "where a header was due"),
            ("floods", "where a header was due"),
        ],
    )
    @pytest.mark.wide
    def test_a_server_that_fails_costs_its_edges_and_is_told_of_in_one_line(self, mode: str, told: str) -> None:
        (found,), notes = asked(server(mode), deadlines=QUICK)

        (note,) = notes
        assert found == []
        assert told in note
        assert "\n" not in note

    def test_a_command_that_cannot_be_run_is_told_of_too(self) -> None:
        (_, (note,)) = asked(Server((__file__,), (), {}))

        assert "cannot be started" in note

    def test_a_server_that_hangs_is_not_asked_again(self) -> None:
        began = time.monotonic()

        _, (note,) = asked(server("silent"), commits=(RUST,) * 10, deadlines=QUICK)

        assert "not asked again" in note
        assert time.monotonic() - began < 50

    def test_a_server_that_dies_is_tried_on_a_few_commits(self) -> None:
        _, (note,) = asked(server("dies"), commits=(RUST,) * 10, deadlines=SLOW)

        assert "ended before it had answered (3x)" in note

    def test_another_server_goes_on(self) -> None:
        commit = commit_of({"a.rs": ("x\n", "x\nlet n1 = 1;\n"), "b.rs": ("x\n", "x\nn1;\n"), "c.go": ("x\n", "y\n")})

        (found,), notes = asked(server("dies", "go"), server("well", "rust"), commits=(commit,))

        assert len(found) == 2
        assert notes == []


class TestChoice:
    @pytest.mark.parametrize(
        "given, served, refused",
        [
            pytest.param(f"{sys.executable} x.py", ("python", "rust"), (), id="every-language"),
            pytest.param(f"python={sys.executable} x.py", ("python",), ("go",), id="one-language"),
            pytest.param(f"typescript={sys.executable}", ("typescript", "tsx", "javascript"), ("go",), id="relatives"),
            pytest.param(f"{sys.executable} --mode=x", ("python", "go"), (), id="an-option-with-a-value"),
            pytest.param(f"env A=b {sys.executable}", ("python", "go"), (), id="an-assignment-behind-a-command"),
        ],
    )
    def test_a_server_serves_the_languages_it_is_named_for(
        self, given: str, served: tuple[str, ...], refused: tuple[str, ...]
    ) -> None:
        (chosen,) = chosen_servers([given], os.environ)

        assert all(chosen.serves(language) for language in served)
        assert not any(chosen.serves(language) for language in refused)

    @pytest.mark.parametrize(
        "program, language, other",
        [
            ("gopls", "go", "python"),
            ("pyright-langserver", "python", "go"),
            ("jedi", "python", "java"),
            ("clangd", "cpp", "c_sharp"),
        ],
    )
    def test_a_well_known_server_serves_its_language(
        self, tmp_path: Path, program: str, language: str, other: str
    ) -> None:
        path = tmp_path / (program if program != "jedi" else "jedi-language-server")
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)

        (chosen,) = chosen_servers([f"{program} --stdio"], {"PATH": str(tmp_path)})

        assert chosen.command == (str(path), "--stdio")
        assert chosen.serves(language)
        assert not chosen.serves(other)

    @pytest.mark.parametrize(
        "given, message",
        [
            ("no-such-program-here", "there is no program 'no-such-program-here'; install it or give its path"),
            ("python=", "name a command"),
            ("", "name a command"),
            ("klingon=sh", "no language is called 'klingon'"),
            ("python='sh", "is no command"),
        ],
    )
    def test_what_cannot_be_run_is_refused_before_anything_is(self, given: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            chosen_servers([given], os.environ)

    def test_credentials_stay_out_of_a_servers_environment(self) -> None:
        (chosen,) = chosen_servers(
            ["sh"], {"PATH": os.environ["PATH"], "OPENAI_API_KEY": "x", "GH_TOKEN": "x", "A": "b"}
        )

        assert chosen.env == {"PATH": os.environ["PATH"], "A": "b"}
