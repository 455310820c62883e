"""The ways of asking, and how much is shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from prompts import PROMPTS
from prompts.fim import FAMILIES, MarkError
from runner.errors import InputError
from runner.suites.completion.dataset import ByteSpan, Dataset, Evidence
from runner.suites.completion.fitting import PromptTooLargeError, fit
from runner.suites.completion.forms import Form, Seen, choose_forms
from runner.tokens import TokenCounter
from suts.sut import Sampling
from tests.runner.suites.completion.test_dataset import DATASET, TASK

WORDS = TokenCounter("words", lambda text: len(text.split()))
EVIDENCE = Evidence("b.py", 1, 1, "def h(): ...")
SEEN = Seen("a.py", "x = ", "\ny = 2\n", (EVIDENCE,))


def form(name: str) -> Form:
    (chosen,) = choose_forms([name], lambda _told: None)
    return chosen


@pytest.mark.parametrize(
    "given, name",
    [
        ("basic", "completion/basic"),
        ("completion/basic", "completion/basic"),
        ("starcoder2", "fim/starcoder2"),
        ("fim/starcoder2", "fim/starcoder2"),
        ("fim/suffix", "fim/suffix"),
    ],
)
def test_a_form_has_one_name(given: str, name: str) -> None:
    assert form(given).name == name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_asked_by_its_template_and_stops(family: str) -> None:
    request = form(f"fim/{family}").request(SEEN, Sampling())

    assert request.prompt == FAMILIES[family].render("# b.py:\n# def h(): ...\n#\nx = ", "\ny = 2\n")
    assert request.sampling.stop == FAMILIES[family].stops
    assert (request.system, request.messages, request.suffix) == ("", (), None)


def test_a_server_that_knows_its_marks_gets_prefix_and_suffix() -> None:
    request = form("fim/suffix").request(replace(SEEN, evidence=()), Sampling())

    assert (request.prompt, request.suffix, request.sampling.stop) == ("x = ", "\ny = 2\n", ())


def test_a_chat_shows_the_file_with_a_mark_at_the_cursor() -> None:
    request = form("basic").request(SEEN, Sampling())

    (message,) = request.messages
    assert message.text == (
        "Of b.py, for what the code around the mark may use:\n\ndef h(): ...\n\n"
        "The mark is `<<here>>`. What belongs in its place?\n\nFile a.py:\n\nx = <<here>>\ny = 2\n"
    )
    assert "You complete code." in request.system
    assert request.prompt is None


def test_a_mark_that_the_text_holds_gives_way_to_another() -> None:
    (message,) = form("basic").request(Seen("a.py", "s = '<<here>>'\n", ""), Sampling()).messages

    assert "The mark is `<<here-2>>`" in message.text
    assert message.text.endswith("s = '<<here>>'\n<<here-2>>")


def test_braces_of_code_are_its_own() -> None:
    (message,) = form("basic").request(Seen("a.py", "{before}{mark}{0}", "{"), Sampling()).messages

    assert "{before}{mark}{0}<<here>>{" in message.text


def test_a_part_of_a_file_is_said_to_be_one() -> None:
    (message,) = form("basic").request(replace(SEEN, cut=True), Sampling()).messages

    assert "File a.py, in part:" in message.text


def test_a_wording_of_ones_own_is_a_form(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("Fill it.")

    mine = form(str(tmp_path / "mine.md"))

    assert (mine.name, mine.raw) == ("mine", False)
    assert mine.digest != form("basic").digest


@pytest.mark.parametrize(
    "name, told",
    [
        ("fim/gpt", "no family of models is called 'gpt'"),
        ("strict", "'strict' asks for no completion; give one of completion/basic, fim/FAMILY"),
        ("codrep/basic", "asks for no completion"),
        ("nobody", "no prompt is called 'nobody'"),
    ],
)
def test_what_asks_for_no_completion_is_refused(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        form(name)


def test_the_shipped_wording_is_listed() -> None:
    assert "completion/basic" in PROMPTS


def long_file(lines: int) -> Dataset:
    text = "".join(f"a{line} = {line}\n" for line in range(lines))
    at = text.index("a50 = 50") + len("a50 = ")
    task = replace(TASK, scene="1.1", span=ByteSpan(at, at + 2, 51, 51), function_end=at + 2, evidence=(EVIDENCE,))
    return replace(DATASET, files={TASK.file: text}, tasks=(task,))


def test_all_is_shown_where_there_is_room() -> None:
    dataset = long_file(100)

    fitted = fit(dataset, dataset.tasks[0], form("fim/suffix"), WORDS, 10_000)

    assert not fitted.seen.cut
    assert fitted.seen.before + "50" + fitted.seen.behind == dataset.files[TASK.file]


@pytest.mark.parametrize("most", [20, 40, 100, 200, 250])
@pytest.mark.parametrize("name", ["fim/suffix", "qwen2.5-coder"])
def test_a_budget_of_tokens_holds_for_the_whole_question(name: str, most: int) -> None:
    dataset = long_file(100)

    fitted = fit(dataset, dataset.tasks[0], form(name), WORDS, most)

    request = form(name).request(fitted.seen, Sampling())
    assert fitted.tokens == WORDS.count("\n".join(request.texts)) <= most
    assert fitted.seen.cut
    assert fitted.seen.before.endswith("\na50 = ")
    assert most / 2 - 10 < fitted.tokens


@pytest.mark.parametrize("most, kept", [(6, ()), (13, ()), (14, (EVIDENCE,)), (100, (EVIDENCE,))])
def test_evidence_goes_first_where_its_seven_words_are_more_than_half(most: int, kept: tuple[Evidence, ...]) -> None:
    dataset = long_file(100)

    fitted = fit(dataset, dataset.tasks[0], form("fim/suffix"), WORDS, most)

    assert fitted.seen.evidence == kept


def test_a_line_that_has_no_room_is_refused() -> None:
    dataset = long_file(100)

    with pytest.raises(PromptTooLargeError, match="--max-context 1 has no room"):
        fit(dataset, dataset.tasks[0], form("fim/suffix"), WORDS, 1)


def test_a_file_that_holds_a_mark_is_refused() -> None:
    dataset = long_file(100)
    text = dataset.files[TASK.file] + "# <fim_suffix>\n"

    with pytest.raises(MarkError, match="<fim_suffix>"):
        fit(replace(dataset, files={TASK.file: text}), dataset.tasks[0], form("starcoder2"), WORDS, None)
