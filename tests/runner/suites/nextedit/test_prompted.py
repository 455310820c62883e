from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from parsers import PARSERS
from runner.pool.processes import Processes
from runner.records import Clocks, Completion, Outcome
from runner.run.answer_scoring import SCORED_AT_ONCE
from runner.run.complexity import LONGEST_ANSWER, LONGEST_DIFF, MOST_ADDED
from runner.run.protocols import Ask
from runner.storage.ledger import LaneKey, Question
from runner.suites.nextedit.agent_question import ask_agent
from runner.suites.nextedit.answer_reading import Reading, read_answer
from runner.suites.nextedit.answers import FILL, RECOMMEND
from runner.suites.nextedit.commit_replay import session_of
from runner.suites.nextedit.editor import EditorError, EditorSession, Leak, Mishap, Place, Suggestion
from runner.suites.nextedit.judging import judge_predictions
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.prompted import PromptedEditor
from runner.suites.nextedit.questions import MOST_CHARACTERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.sim_truth import right_answer, truth_of
from runner.suites.nextedit.state import Situation, State
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.step_question import ask_by_steps
from suts.sut import Request
from tests.nextedit import commit_of

COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
    },
    message="Rename old to new",
)
READING = Reading("You edit files.", PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"], wording=ask_agent)
PLAN = ReplayPlan(ORDERS["graph"])
TEXTS = {"a.py": "one\ntwo\nthree\n", "b.py": "four\n"}


def _call(path: str, before: str, after: str) -> str:
    return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff_of(before, after)}</diff>\n</replace_in_file>\n"


def _write(path: str, content: str) -> str:
    return f"<write_to_file>\n<path>{path}</path>\n<content>\n{content}</content>\n</write_to_file>\n"


def _command(command: str) -> str:
    return f"<execute_command>\n<command>{command}</command>\n</execute_command>\n"


def _session(leak: Leak = Leak.MESSAGE) -> EditorSession:
    return session_of(State(COMMIT, (0,)), 1, leak, None)


class Answering:
    """An Ask that answers from a list, the last again and again; keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.asked: list[tuple[int, str, int]] = []
        self.requests: list[Request] = []
        self.about: list[object] = []

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        text = self.texts[min(len(self.asked), len(self.texts) - 1)]
        self.asked.append((step, mode, number))
        self.requests.append(request)
        self.about.append(about)
        return Completion(text, clocks=Clocks(round_trip_ms=10.0), list_cost_usd=0.5, answer_id=len(self.asked))


def _editor(ask: Ask, reading: Reading = READING) -> PromptedEditor:
    return PromptedEditor(ask, reading, COMMIT)


class TestReading:
    def test_a_call_is_the_edits_it_makes(self) -> None:
        answer = "Two things.\n" + _call("./a.py", TEXTS["a.py"], "ONE\ntwo\nTHREE\n")

        assert read_answer(answer, TEXTS, READING) == (
            Outcome.APPLIED,
            (Suggestion("a.py", 0, ("one\n",), ("ONE\n",)), Suggestion("a.py", 2, ("three\n",), ("THREE\n",))),
        )

    def test_several_calls_are_predictions_in_their_order(self) -> None:
        answer = _call("b.py", TEXTS["b.py"], "FOUR\n") + _call("a.py", TEXTS["a.py"], "one\ntwo\n")

        assert [each.path for each in read_answer(answer, TEXTS, READING)[1]] == ["b.py", "a.py"]

    @pytest.mark.parametrize(
        "answer, outcome, valid",
        [
            pytest.param("I would change a.py.", Outcome.NO_CALL, False, id="prose"),
            pytest.param("<read_file><path>a.py</path></read_file>", Outcome.OTHER_TOOL, False, id="another-tool"),
            pytest.param(_call("c.py", "x\n", "y\n"), Outcome.APPLIED, True, id="a-file-not-touched"),
            pytest.param("Nothing more to do.", Outcome.NOTHING_MORE, True, id="nothing-more"),
            pytest.param(
                "<attempt_completion><result>Done.</result></attempt_completion>", Outcome.NOTHING_MORE, True, id="end"
            ),
            pytest.param(
                "<replace_in_file><diff>x</diff></replace_in_file>", Outcome.MISSING_PATH, False, id="no-path"
            ),
            pytest.param(_call("a.py", "other\n", "y\n"), Outcome.NO_MATCH, True, id="no-such-lines"),
            pytest.param(
                "<replace_in_file><path>a.py</path></replace_in_file>", Outcome.MISSING_DIFF, True, id="no-diff"
            ),
            pytest.param(
                _call("a.py", "x\n", "y\n") + _call("b.py", "four\n", "5\n"), Outcome.APPLIED, True, id="one-of-two"
            ),
        ],
    )
    def test_what_is_no_edit_has_a_reason(self, answer: str, outcome: Outcome, valid: bool) -> None:
        found, _ = read_answer(answer, TEXTS, READING)

        assert (found, found.valid) == (outcome, valid)

    @pytest.mark.parametrize(
        "answer, suggestions",
        [
            pytest.param(_write("new.py", "x = 1\n"), [Suggestion("new.py", 0, (), ("x = 1\n",))], id="a-new-file"),
            pytest.param(
                _call("new.py", "", "x = 1\n"), [Suggestion("new.py", 0, (), ("x = 1\n",))], id="or-without-lines"
            ),
            pytest.param(
                _write("/project/b.py", "5\n"), [Suggestion("b.py", 0, ("four\n",), ("5\n",))], id="a-file-as-a-whole"
            ),
            pytest.param(_command("git rm b.py"), [Suggestion("b.py", 0, ("four\n",), ())], id="a-deletion"),
            pytest.param(
                _command("mkdir -p lib && git mv b.py lib/b.py"),
                [Suggestion("b.py", 0, ("four\n",), ()), Suggestion("lib/b.py", 0, (), ("four\n",))],
                id="a-move",
            ),
        ],
    )
    def test_files_are_created_deleted_and_moved(self, answer: str, suggestions: list[Suggestion]) -> None:
        assert read_answer(answer, TEXTS, READING) == (Outcome.APPLIED, tuple(suggestions))

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(_call("a.py", "other\n", "y\n"), id="no-such-lines"),
            pytest.param(_call("a.py", "one\n", "1\n").replace("1\n", "one\n"), id="no-change"),
            pytest.param(_call("c.py", "x\n", "y\n"), id="a-file-not-touched"),
            pytest.param(_call("../up.py", "", "y\n"), id="outside"),
            pytest.param(_command("rm c.py"), id="a-deletion-elsewhere"),
        ],
    )
    def test_every_call_for_an_edit_is_a_prediction_that_may_break(self, answer: str) -> None:
        _, predicted = read_answer(answer, TEXTS, READING)
        state = State(commit_of({path: (text, "") for path, text in TEXTS.items()}))

        judged = judge_predictions(predicted, state, state.remaining, ())

        assert judged.metrics.flows == (Flow.BREAKING,)

    @pytest.mark.parametrize(
        "command",
        ["make test", "rm a.py; make", "rm a.py\nmake", "rm a.py > log", "git log", "cat 'a", "rm", "mv a.py", ""],
    )
    def test_a_command_that_does_anything_else_is_another_tool(self, command: str) -> None:
        assert read_answer(_command(command), TEXTS, READING) == (Outcome.OTHER_TOOL, ())

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(lambda: "x" * LONGEST_ANSWER + "y", id="answer"),
            pytest.param(lambda: _call("a.py", "x\n" * LONGEST_DIFF, "y\n"), id="diff"),
            pytest.param(lambda: _call("a.py", TEXTS["a.py"], "z" * 2 * MOST_ADDED), id="result"),
        ],
    )
    def test_what_takes_too_much_work_predicts_nothing(self, answer: Callable[[], str]) -> None:
        assert read_answer(answer(), TEXTS, READING) == (Outcome.TOO_COMPLEX, ())

    def test_more_calls_than_are_to_be_compared_with_a_file_are_too_complex(self) -> None:
        texts = {"a.py": "one\n" * 100_000}

        answer = _call("a.py", "other\n", "y\n") * 200

        assert read_answer(answer, texts, READING) == (Outcome.TOO_COMPLEX, ())

    async def test_a_large_answer_is_read_in_another_process_in_the_same_way(self) -> None:
        answer = "x" * SCORED_AT_ONCE + _call("a.py", TEXTS["a.py"], "ONE\ntwo\nTHREE\n")

        with Processes(1) as pool:
            read = await replace(READING, names=("xml-tools-v2", "v4"), pool=pool).read(answer, TEXTS)

        assert (read.outcome, read.suggestions) == read_answer(answer, TEXTS, READING)

    async def test_what_a_process_cannot_read_is_crashed_with_the_reason(self) -> None:
        with Processes(1, limit_s=0.001) as pool:
            reading = replace(READING, names=("their.parser:P", "v4"), pool=pool)

            live = await reading.read("x", TEXTS)

        assert (live.outcome, live.suggestions) == (Outcome.CRASHED, ())
        assert "longer than 0.001 s" in (live.trouble or "")


class TestQuestions:
    def test_the_question_tells_the_task_the_edits_made_and_the_files(self) -> None:
        message = ask_agent(_session(), None, MOST_CHARACTERS).text

        assert "Rename old to new" in message
        assert "a.py, line 1:\n-old = 1\n+new = 1\n" in message
        assert "b.py as it is now:\n\n<file>\nfrom a import old\n</file>" in message

    def test_it_tells_no_more_than_may_be_known(self) -> None:
        message = ask_agent(_session(Leak.NONE), None, MOST_CHARACTERS).text

        assert "Rename" not in message
        assert "b.py" not in message

    def test_a_place_is_told_by_line_and_lines(self) -> None:
        assert (
            "in b.py, at line 1, in place of these lines:\n\nfrom a import old\n"
            in ask_agent(_session(), Place("b.py", 0, ("from a import old\n",)), MOST_CHARACTERS).text
        )
        assert "to be inserted before line 3" in ask_agent(_session(), Place("a.py", 2, ()), MOST_CHARACTERS).text

    def test_a_file_that_does_not_fit_is_named_only(self) -> None:
        text = "x\n" * MOST_CHARACTERS
        long = commit_of({"a.py": ("1\n", "2\n"), "b.py": (text, f"y\n{text}")})

        message = ask_agent(session_of(State(long, (0,)), 1, Leak.MESSAGE, None), None, MOST_CHARACTERS).text

        assert "Too long to show: b.py" in message
        assert len(message) < 5000

    @pytest.mark.parametrize("characters", [2500, 4000, 20_000])
    def test_a_question_is_never_longer_than_is_permitted(self, characters: int) -> None:
        long = commit_of(
            {f"{number}.py": (f"{number}\n" * 2000, f"{'line ' * 100}\n" + f"{number}\n" * 2000) for number in range(9)}
        )
        session = session_of(State(long, tuple(range(8))), 8, Leak.MESSAGE, None)

        message = ask_agent(session, None, characters).text

        assert len(message) <= characters
        assert ("earlier edits are left out" in message) == (characters < 5000)
        assert "7.py, line 1:" in message
        assert ("<file>" in message) == (characters == 20_000)


class TestBytesThatAreNoText:
    COMMIT = commit_of({"a.py": ("a = '\udce9'\nx\nb = 1\n", "a = '\udce8'\nx\nb = 2\n")})

    def test_the_questions_have_a_sign_in_their_place(self) -> None:
        session = session_of(State(self.COMMIT, (0,)), 1, Leak.MESSAGE, None)

        places = None, Place("a.py", 0, ("a = '\udce8'\n",))
        told = "".join(
            wording(session, place, MOST_CHARACTERS).text for wording in (ask_agent, ask_by_steps) for place in places
        )

        assert "a = '\N{REPLACEMENT CHARACTER}'" in told
        told.encode()

    def test_simulated_models_are_told_nothing_that_cannot_be_sent(self) -> None:
        truth = right_answer(State(self.COMMIT), ORDERS["none"](self.COMMIT), None, 1)

        assert truth is not None
        "".join((truth.before, *(text for block in truth.blocks for text in block))).encode()


class TestAsking:
    @pytest.mark.parametrize(
        "answer", ["no", _call("c.py", "x\n", "y\n"), _call("b.py", "z\n", "y\n"), "Nothing more to do."]
    )
    async def test_no_question_is_asked_again_whatever_the_answer(self, answer: str) -> None:
        ask = Answering(answer, _call("b.py", "from a import old\n", "from a import new\n"))

        with suppress(EditorError):
            await _editor(ask).recommend(_session())

        assert ask.asked == [(1, RECOMMEND, 1)]

    async def test_without_a_valid_answer_what_they_were_is_the_reason(self) -> None:
        ask = Answering("no", "<replace_in_file><diff>x</diff></replace_in_file>", "no")

        with pytest.raises(
            EditorError, match=r"no answer of 3 calls for an edit, .*: 2 no_call, 1 missing_path$"
        ) as error:
            await _editor(ask, replace(READING, valid_attempts=3)).recommend(_session())

        assert error.value.reason is Mishap.NONSENSE
        assert ask.asked == [(1, RECOMMEND, 1), (1, RECOMMEND, 2), (1, RECOMMEND, 3)]

    async def test_an_answer_elsewhere_leaves_the_place_given_unanswered(self) -> None:
        elsewhere = _call("a.py", "new = 1\nx = 0\nprint(old)\n", "new = 2\nx = 0\nprint(old)\n")
        place = Place("b.py", 0, ("from a import old\n",))

        assert await _editor(Answering(elsewhere)).fill(_session(), place) is None

    async def test_several_valid_answers_are_one_list_of_predictions(self) -> None:
        first = _call("b.py", "from a import old\n", "from a import new\n")
        second = _call("a.py", "new = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n")

        found = await _editor(Answering(first, first, second), replace(READING, valid_attempts=3)).recommend(_session())

        assert [each.path for each in found] == ["b.py", "a.py"]

    async def test_the_place_given_is_filled_from_the_answer(self) -> None:
        ask = Answering(_call("b.py", "from a import old\n", "from a import new\n"))

        lines = await _editor(ask).fill(_session(), Place("b.py", 0, ("from a import old\n",)))

        assert lines == ("from a import new\n",)
        assert ask.asked == [(1, FILL, 1)]


class TestWhatIsAFile:
    """A call is valid on a file of the tree, whether it was shown or not."""

    async def test_a_file_that_was_not_shown_is_one_all_the_same(self) -> None:
        ask = Answering(_call("b.py", "from a import old\n", "from a import new\n"))
        editor = _editor(ask)

        found = await editor.recommend(_session(Leak.NONE))

        assert [each.path for each in found] == ["b.py"]
        assert [answer.valid for answer in editor.answers] == [True]

    @pytest.mark.parametrize("added", [_call("new.py", "", "x = 1\n"), _write("new.py", "x = 1\n")])
    async def test_a_file_that_is_not_there_can_be_predicted_and_filled(self, added: str) -> None:
        editor = _editor(Answering(added))

        lines = await editor.fill(_session(), Place("new.py", 0, ()))
        found = await editor.recommend(_session())

        assert lines == ("x = 1\n",)
        assert list(found) == [Suggestion("new.py", 0, (), ("x = 1\n",))]

    async def test_what_cannot_be_made_fills_no_place(self) -> None:
        place = Place("b.py", 0, ("from a import old\n",))

        assert await _editor(Answering(_call("b.py", "z\n", "y\n"))).fill(_session(), place) is None

    async def test_a_request_says_nothing_of_the_right_answer_but_what_it_is_about(self) -> None:
        ask = Answering("no", "no", _call("b.py", "from a import old\n", "x\n"))

        await _editor(ask, replace(READING, valid_attempts=3)).recommend(_session())

        assert [request.truth for request in ask.requests] == [None] * 3
        assert ask.about == [Situation(State(COMMIT, (0,)))] * 3

    async def test_a_question_for_a_given_place_is_about_that_place(self) -> None:
        ask = Answering(_call("b.py", "from a import old\n", "x\n"))
        place = Place("b.py", 0, ("from a import old\n",))

        await _editor(ask).fill(_session(), place)

        assert ask.about == [Situation(State(COMMIT, (0,)), place)]

    def test_a_simulated_model_that_is_asked_for_several_answers_draws_each(self) -> None:
        truth = truth_of(ORDERS["graph"])
        lane = LaneKey("sim/careful", "basic", COMMIT.case_id)

        told = [truth(Question(lane, 1, RECOMMEND, number), Situation(State(COMMIT, (0,)))) for number in (1, 2, 3)]

        assert [each and (each.step, each.number) for each in told] == [(1, 1), (1, 2), (1, 3)]
