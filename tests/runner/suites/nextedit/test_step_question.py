"""The prompt of next edits: short, of one form of answer, without tools that do not exist; and its question."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from parsers.blocks import ToolCall
from parsers.xml_tools_v2 import PARAMS, TOOLS
from prompts import PROMPTS, Prompt, load
from runner.records import Outcome
from runner.suites.nextedit.agent_question import ask_agent
from runner.suites.nextedit.answer_reading import Reading, read_answer
from runner.suites.nextedit.commit_replay import session_of
from runner.suites.nextedit.commits import Commit, Span, split_lines
from runner.suites.nextedit.context.ranking import Passage
from runner.suites.nextedit.editor import Leak, Made, Place
from runner.suites.nextedit.past_diffs import diff_of_edit
from runner.suites.nextedit.questions import MOST_CHARACTERS, NOTHING_MORE
from runner.suites.nextedit.state import State
from runner.suites.nextedit.step_question import ask_by_steps
from runner.suites.nextedit.wordings import prompt_part, wording_digest, wording_of
from runner.tokens import token_counter
from tests.nextedit import commit_of

PROMPT = load("nextedit/basic")
READING = Reading(PROMPT.wording, PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"])
COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
        "c.py": (None, "import a\n"),
        "d.py": ("gone\n", None),
    },
    message="Rename old to new",
)
# A file of 3,000 lines in which two places far from each other speak of one name.
LONG = [f"value_{number} = {number}\n" for number in range(3000)]
LONG[700], LONG[2500] = "load_rows(0)\n", "load_rows(1)\n"
EDITED = list(LONG)
EDITED[700], EDITED[2500] = "load_rows(0, 1)\n", "load_rows(1, 1)\n"
LARGE = commit_of({"long.py": ("".join(LONG), "".join(EDITED)), "small.py": ("load_rows\n", "load_all\n")})


def _asked(commit: Commit = COMMIT, applied: tuple[int, ...] = (0,), leak: Leak = Leak.MESSAGE) -> str:
    return ask_by_steps(session_of(State(commit, applied), len(applied), leak, None), None, MOST_CHARACTERS).text


class TestPrompt:
    def test_it_has_fewer_than_600_tokens_with_all_that_stands_before_the_files(self) -> None:
        counter = token_counter(exact=True)
        question = _asked().replace(COMMIT.message, "")
        before, fixed = question.partition("<file>")[0], re.sub(r"<file>.*?</file>|---.*?(?=\n\n|$)", "", question)

        assert counter.count(f"{PROMPT.wording}\n{before}") < 600
        assert counter.count(f"{PROMPT.wording}\n{fixed}") < 600

    def test_every_tag_of_it_is_one_that_answers_may_have(self) -> None:
        opened, closed = (re.findall(form, PROMPT.wording) for form in (r"<(\w+)>", r"</(\w+)>"))

        assert sorted(opened) == sorted(closed)
        assert set(opened) <= TOOLS | PARAMS
        assert set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b(?!\.)", PROMPT.wording)) <= TOOLS

    def test_its_examples_are_edits_to_whoever_reads_answers(self) -> None:
        calls = [block for block in PARSERS["xml-tools-v2"].parse(PROMPT.wording) if isinstance(block, ToolCall)]
        texts = {"path/of/file.py": "lines of the file\n"}

        outcome, suggestions = read_answer(PROMPT.wording, texts, READING)

        assert [call.name for call in calls] == ["replace_in_file", "write_to_file", "execute_command"]
        assert outcome is Outcome.APPLIED
        assert [(each.path, each.before, each.after) for each in suggestions] == [
            ("path/of/file.py", ("lines of the file\n",), ("lines that take their place\n",)),
            ("path/of/new_file.py", (), ("the whole text\n",)),
            ("path/of/file.py", ("lines of the file\n",), ()),
        ]

    def test_it_says_once_that_several_calls_may_be_written_and_how_to_say_that_nothing_is_left(self) -> None:
        text = f"{PROMPT.wording}\n{_asked()}".lower()

        assert text.count("several") == 1
        assert "exactly one" not in text
        assert PROMPT.wording.lower().count(NOTHING_MORE) == 1
        assert read_answer("Nothing more to do.", {}, READING)[0] is Outcome.NOTHING_MORE

    def test_it_is_asked_in_whole_sentences(self) -> None:
        prose = re.sub(r"<(\w+)>\n.*?\n</\1>|^#.*$", "", PROMPT.wording, flags=re.DOTALL | re.MULTILINE)
        paragraphs = [part.strip() for part in prose.split("\n\n") if part.strip()]

        assert all(re.search(r"[.:][\"”]?$", paragraph) for paragraph in paragraphs)


class TestWordings:
    @pytest.mark.parametrize("name", [name for name in PROMPTS if "/" not in name])
    def test_an_agents_manual_keeps_the_question_that_it_always_had(self, name: str) -> None:
        assert wording_of(load(name)) is ask_agent
        assert prompt_part(load(name)).digest == load(name).digest
        assert wording_digest(ask_agent, MOST_CHARACTERS) == "34c953cb"

    @pytest.mark.parametrize("prompt", [PROMPT, Prompt("mine", "Edit."), Prompt("basic", "A file of mine.")])
    def test_every_other_prompt_goes_with_the_question_of_steps(self, prompt: Prompt) -> None:
        assert wording_of(prompt) is ask_by_steps
        assert prompt_part(prompt).digest != prompt.digest


class TestQuestion:
    def test_it_tells_the_task_the_files_and_the_edits_made_in_this_order(self) -> None:
        question = _asked()

        parts = ("Rename old to new", "a.py, all 3 lines:\n\n<file>\nnew = 1\n", "b.py, its one line:", "-old = 1\n")
        assert [*parts] == sorted(parts, key=question.index)
        assert question.endswith("Which edits come next?")

    def test_it_tells_no_more_than_may_be_known(self) -> None:
        question = _asked(leak=Leak.NONE)

        assert "Rename" not in question
        assert "b.py" not in question

    def test_files_that_are_not_edited_yet_stand_in_the_order_of_their_names(self) -> None:
        session = session_of(State(COMMIT, (2,)), 1, Leak.MESSAGE, None)
        texts = {"z.py": "z\n", **session.texts}

        question = ask_by_steps(replace(session, texts=texts), None, MOST_CHARACTERS).text

        assert re.findall(r"^(\w)\.py, ", question, re.MULTILINE) == ["b", "a", "d", "z"]

    @pytest.mark.parametrize(
        "place, told",
        [
            (Place("b.py", 0, ("from a import old\n",)), "in b.py, at line 1, in place of these lines:\n\nfrom a imp"),
            (Place("a.py", 2, ()), "in a.py, where new lines go before line 3."),
            (Place("c.py", 0, ()), "in c.py, a file that does not exist yet."),
        ],
    )
    def test_a_place_is_told_by_file_and_line(self, place: Place, told: str) -> None:
        session = session_of(State(COMMIT, (0,)), 1, Leak.MESSAGE, None)

        assert told in ask_by_steps(session, place, MOST_CHARACTERS).text

    def test_of_a_long_place_the_lines_are_not_repeated(self) -> None:
        session = session_of(State(LARGE, (0,)), 1, Leak.MESSAGE, None)

        asked = ask_by_steps(session, Place("long.py", 5, split_lines("".join(LONG[5:2000]))), 20_000)

        assert "in place of the lines 6 to 2000. Write" in asked.text
        assert len(asked.text) <= 20_000


class TestLargeFiles:
    @pytest.mark.parametrize("characters", [4000, 9000, 20_000])
    def test_they_show_the_lines_around_edits_and_those_that_have_to_do_with_them(self, characters: int) -> None:
        state = State(LARGE, (0,))
        asked = ask_by_steps(session_of(state, 1, Leak.MESSAGE, None), None, characters)

        shown = {line for span in asked.view["long.py"] for line in range(span.start, span.end)}
        assert {*range(690, 711), 2500} <= shown
        assert asked.view["small.py"] == (Span(0, 1),)
        assert len(asked.text) <= characters
        assert re.search(r"^\[lines \d+-\d+ are left out\]$", asked.text, re.MULTILINE)

    def test_the_view_is_what_the_text_shows(self) -> None:
        state = State(LARGE, (0,))
        asked = ask_by_steps(session_of(state, 1, Leak.MESSAGE, None), None, 9000)
        lines = split_lines(state.texts()["long.py"])

        body = re.search(r"^long\.py, .*?<file>\n(.*?)</file>", asked.text, re.DOTALL | re.MULTILINE)

        assert body
        told = [line for line in body[1].splitlines(keepends=True) if not line.startswith("[lines ")]
        assert told == [line for span in asked.view["long.py"] for line in lines[span.start : span.end]]

    @pytest.mark.parametrize("characters", [2500, 4000, 20_000, 40_000])
    def test_no_file_is_hidden_whole_while_a_few_lines_of_each_fit(self, characters: int) -> None:
        many = commit_of({f"{at}.py": (f"{at}\n" * 2000, f"{'w ' * 200}\n" + f"{at}\n" * 2000) for at in range(9)})
        session = session_of(State(many, tuple(range(8))), 8, Leak.MESSAGE, None)

        asked = ask_by_steps(session, None, characters)

        assert len(asked.text) <= characters
        assert set(session.texts) == set(asked.view) or characters < 9000
        assert all(f"{at}.py" in asked.text for at in range(9))

    def test_a_line_that_is_too_long_to_be_shown_is_said_to_be(self) -> None:
        minified = commit_of({"a.js": ("x;" * 50_000, "y;" * 50_000), "b.py": ("1\n", "2\n")})

        asked = ask_by_steps(session_of(State(minified, (1,)), 1, Leak.MESSAGE, None), None, 20_000)

        assert "These files are too long to be shown: a.js." in asked.text
        assert asked.view == {"b.py": (Span(0, 1),)}

    def test_of_many_edits_the_last_are_told_and_the_others_counted(self) -> None:
        big = commit_of({"a.py": ("".join(LONG), "".join(f"{line.strip()}; y = 1\n\n" for line in LONG[:3000:3]))})
        edits = tuple(edit.idx for edit in big.edits)

        text = ask_by_steps(session_of(State(big, edits), len(edits), Leak.MESSAGE, None), None, 6000).text

        assert len(text) <= 6000
        assert "+++ b/a.py" in text or "--- a/a.py" in text

    def test_what_was_retrieved_is_shown_in_parts_even_if_all_would_fit(self) -> None:
        session = session_of(State(LARGE, (0,)), 1, Leak.MESSAGE, None)
        found = replace(session, passages=(Passage("long.py", Span(2480, 2520)), Passage("gone.py", Span(0, 9))))

        asked = ask_by_steps(found, None, MOST_CHARACTERS)

        assert asked.view == {"long.py": (Span(690, 711), Span(2480, 2520))}


class TestDiffs:
    @pytest.mark.parametrize("idx", range(4))
    def test_the_last_edit_can_be_taken_back_by_git(self, idx: int, tmp_path: Path) -> None:
        state = State(COMMIT, (idx,))
        _write(tmp_path, state.texts())
        edit = COMMIT.edits[idx]

        diff = diff_of_edit(Made(edit, state.place(idx)), state.texts())
        subprocess.run(["git", "apply", "--reverse", "-"], input=diff, text=True, cwd=tmp_path, check=True)

        before = State(COMMIT).texts()
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before

    def test_a_missing_line_end_is_told(self) -> None:
        commit = commit_of({"a.py": ("one\ntwo", "one\nthree")})
        state = State(commit, (0,))

        diff = diff_of_edit(Made(commit.edits[0], state.place(0)), state.texts())

        assert diff == (
            "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n"
            "-two\n\\ No newline at end of file\n+three\n\\ No newline at end of file\n"
        )


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        (folder / path).write_text(text)
