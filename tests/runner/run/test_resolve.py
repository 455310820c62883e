"""Names on a command line become things, and a bad one is a line that says how to mend it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from prompts import PROMPTS
from runner.errors import InputError
from runner.run.resolve import choose_algorithms, choose_parser, choose_prompts, choose_suts, split_models, split_names
from runner.run.variants import variants_of
from suts.registry import resolve
from suts.settings import Settings
from tests.runner.scripted import Scripted
from tests.runner.virtual_time import now_ns

PLUG_IN = """
from diff_apply.checked import checked
from diff_apply.places import Rules
from parsers import PARSERS

loose = checked(Rules())
parser = PARSERS["xml-tools-v1"]
not_one = 7
"""


def quiet(_line: str) -> None:
    pass


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write modules that can be imported; each test gives them names of their own."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, text: str = PLUG_IN) -> None:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")

    return write


def one_line(call: Callable[[], object]) -> str:
    with pytest.raises(InputError) as refused:
        call()
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    "text, names",
    [
        pytest.param("a", ("a",), id="one"),
        pytest.param(" a , b,a,,", ("a", "b"), id="spaces, repeats, empty ones"),
    ],
)
def test_names_are_parted_by_commas(text: str, names: tuple[str, ...]) -> None:
    assert split_names(text, "--prompts") == names


@pytest.mark.parametrize("text", ["", " , ,"])
def test_no_name_at_all_is_refused(text: str) -> None:
    assert one_line(lambda: split_names(text, "--prompts")).startswith("--prompts: names nothing")


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param(["openai/a", "sim/b"], id="two"),
        pytest.param(["x/a@effort=high,temperature=0.2"], id="settings go on"),
        pytest.param(["x/a@seed=1,thinking=5", "x/b"], id="until the next id"),
        pytest.param(["x/a@seed=1,thinking=5", "x/b@thinking=5"], id="the same setting of two models"),
        pytest.param(["x/a@seed=1,thinking=5", "x/a@seed=2,thinking=5"], id="the same setting of one model"),
        pytest.param(["sim/any?applied=0.7&valid=0.8", "sim/careful"], id="planted rates"),
    ],
)
def test_models_are_parted_by_commas_but_settings_belong_to_their_model(ids: list[str]) -> None:
    assert split_models(",".join(ids)) == tuple(ids)
    assert split_models(",".join([*ids, *ids])) == tuple(ids)


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_is_chosen_by_its_name(name: str) -> None:
    chosen = choose_parser(name, quiet)

    assert (chosen.name, chosen.impl) == (name, PARSERS[name])
    assert len(chosen.digest) == 8


def test_every_algorithm_is_chosen_by_its_name_and_once() -> None:
    chosen = choose_algorithms([*DIFF_ALGORITHMS, "v4"], quiet)

    assert [one.name for one in chosen] == list(DIFF_ALGORITHMS)
    assert [one.impl for one in chosen] == list(DIFF_ALGORITHMS.values())


@pytest.mark.parametrize(
    "call, said",
    [
        pytest.param(lambda say: choose_parser("parseAssistantMessageV2", say).name, "xml-tools-v2", id="a parser"),
        pytest.param(
            lambda say: choose_algorithms(["constructNewFileContentV1"], say)[0].name, "v1", id="an algorithm"
        ),
        pytest.param(lambda say: choose_prompts(["basicSystemPrompt"], say)[0].name, "basic", id="a prompt"),
    ],
)
def test_the_originals_names_are_taken_with_a_note(call: Callable[..., str], said: str) -> None:
    notes: list[str] = []

    name = call(notes.append)

    assert name == said
    assert notes[0].endswith(f" is called {said} here")


@pytest.mark.parametrize(
    "call, told",
    [
        pytest.param(lambda: choose_parser("xml-tool-v2", quiet), "did you mean xml-tools-v2? Known are ", id="near"),
        pytest.param(lambda: choose_parser("zzz", quiet), "'zzz' is not known. Known are xml-tools-v2", id="far"),
        pytest.param(lambda: choose_algorithms(["v4", "v9"], quiet), "--diff-apply: 'v9' is not known", id="algorithm"),
        pytest.param(lambda: choose_prompts(["basik"], quiet), "mean basic? There are basic, strict", id="prompt"),
        pytest.param(lambda: choose_prompts(["nowhere.md"], quiet), "nowhere.md: cannot be read", id="prompt file"),
        pytest.param(lambda: choose_parser("no.such:thing", quiet), "No module named 'no'", id="no module"),
        pytest.param(lambda: choose_parser("json:nothing", quiet), "no attribute 'nothing'", id="no attribute"),
        pytest.param(lambda: choose_parser(":thing", quiet), "cannot be imported", id="no module's name"),
        pytest.param(lambda: choose_parser(".relative:thing", quiet), "cannot be imported", id="a relative name"),
        pytest.param(lambda: choose_parser("json:dumps", quiet), "is not a parser", id="no parser"),
        pytest.param(lambda: choose_algorithms(["json:__name__"], quiet), "is not an algorithm", id="no algorithm"),
    ],
)
def test_a_bad_name_is_one_line_with_the_mend(call: Callable[[], object], told: str) -> None:
    assert told in one_line(call)


@pytest.mark.parametrize(
    "name, text",
    [
        pytest.param("misspelt_plug_in", "def broken(:", id="its syntax"),
        pytest.param("raising_plug_in", "raise RuntimeError('two\\nlines')", id="its own error"),
        pytest.param("needy_plug_in", "import no_such_module_at_all", id="what it imports"),
    ],
)
def test_a_plug_in_that_cannot_be_imported_is_one_line(plug_in: Callable[..., None], name: str, text: str) -> None:
    plug_in(name, text)

    assert f"'{name}:thing' cannot be imported" in one_line(lambda: choose_parser(f"{name}:thing", quiet))


def test_a_plug_in_is_named_by_where_it_stands_and_told_apart_by_its_own_source(plug_in: Callable[..., None]) -> None:
    plug_in("first_plug_in")
    plug_in("second_plug_in", f"{PLUG_IN}\n# another version")

    (first,) = choose_algorithms(["first_plug_in:loose"], quiet)
    (second,) = choose_algorithms(["second_plug_in:loose"], quiet)

    assert first.name == "first_plug_in:loose"
    assert first.impl("a\n", "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n").text == "b\n"
    assert first.digest != second.digest
    assert choose_parser("first_plug_in:parser", quiet).impl is PARSERS["xml-tools-v1"]


def test_a_prompt_may_be_a_file_and_each_is_chosen_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("Edit as I say.", encoding="utf-8")

    chosen = choose_prompts([*PROMPTS, str(file), str(file), "basicSystemPrompt"], quiet)

    assert [prompt.name for prompt in chosen] == [*PROMPTS, "mine"]


def test_two_prompts_of_one_name_would_be_one_in_every_table(tmp_path: Path) -> None:
    file = tmp_path / "basic.md"
    file.write_text("Edit as I say.", encoding="utf-8")

    assert "two files are called basic" in one_line(lambda: choose_prompts(["basic", str(file)], quiet))


@pytest.mark.parametrize("model", ["careful", "nobody", "openai/gpt-x", "sim/any?no=1"])
def test_a_model_that_is_none_is_one_line(model: str) -> None:
    settings = Settings(environment={})

    line = one_line(lambda: choose_suts([model], lambda one: resolve(one, settings)))

    assert line.startswith("--model-ids: ")


def test_a_system_is_chosen_once() -> None:
    chosen = choose_suts(["a", "b"], lambda _model: Scripted([], now_ns))

    assert [sut.name for sut in chosen] == ["test/scripted"]


def test_variants_are_all_combinations_and_their_signature_names_each_part() -> None:
    suts = choose_suts(["a"], lambda _model: Scripted([], now_ns))
    prompts, parser = choose_prompts(["basic", "strict"], quiet), choose_parser("xml-tools-v2", quiet)

    made = list(variants_of(suts, prompts, parser, choose_algorithms(["v4", "v1"], quiet)))

    assert [(one.prompt, one.diff_algorithm) for one in made] == [
        ("basic", "v4"),
        ("basic", "v1"),
        ("strict", "v4"),
        ("strict", "v1"),
    ]
    parts = made[1].signature("diff_edit", "cafe", "1.2").split("|")
    assert parts[:2] == ["diff_edit", "test/scripted"]
    assert parts[2] == f"basic@{prompts[0].digest}"
    assert parts[3].startswith("xml-tools-v2@")
    assert parts[4].startswith("v1@")
    assert parts[5:] == ["cases@cafe", "1.2"]
